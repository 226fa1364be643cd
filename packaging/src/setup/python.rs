//! The Python tools, in a virtual environment of this repository.

use std::path::PathBuf;

use crate::{
    command::{program, quiet, repository, run, say},
    failure::Failure,
};

/// Where the environment lies.
fn venv() -> PathBuf {
    repository().join(".venv")
}

/// A program of the environment.
pub(crate) fn tool(name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    venv().join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// The environment's interpreter, where it is installed.
pub(crate) fn venv_python() -> Option<PathBuf> {
    Some(tool("python")).filter(|python| python.is_file())
}

/// Installs exactly what `packaging/requirements.txt` pins, unless that was done already.
pub(super) fn install() -> Result<(), Failure> {
    let requirements = repository().join("packaging/requirements.txt");
    let wanted = std::fs::read(&requirements).map_err(Failure::at(&requirements))?;
    // The list that was installed lies in the environment: it goes when the environment goes.
    let stamp = venv().join("requirements.installed");
    if std::fs::read(&stamp).is_ok_and(|installed| installed == wanted) && venv_python().is_some() {
        say("setup: the Python tools are installed in .venv");
        return Ok(());
    }
    say("setup: installing the Python tools of packaging/requirements.txt into .venv");
    // Debian's own interpreter is the one that python3-venv belongs to.
    let system = ["/usr/bin/python3"].into_iter().find(|path| std::path::Path::new(path).is_file());
    let python = system.unwrap_or(if cfg!(windows) { "python" } else { "python3" });
    run(program(python, ["-m", "venv", "--clear", ".venv"]).current_dir(repository()))?;
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--require-hashes"];
    run(program(tool("python"), pip).args(["--only-binary", ":all:", "-r"]).arg(&requirements))?;
    quiet(&mut program(tool("python"), ["-c", "import pyhanko, cryptography, ziglang, opendataloader_pdf"]))?;
    std::fs::write(&stamp, wanted).map_err(Failure::at(&stamp))
}
