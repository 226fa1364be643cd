//! Type-checks what is shipped for Windows and macOS, with its unit tests, from a Debian machine.
//! The member `tests` stays out: it drives tools of Linux (strace, pcscd, SoftHSM).
//!
//! `cargo check` still compiles the C code of dependencies: mingw does it for Windows, zig (a
//! Python wheel with its own C library headers) for macOS.

use std::path::{Path, PathBuf};

use crate::{
    command::{cargo, exists, run, say, target},
    failure::Failure,
    gate::Outcome,
    machine::{self, Machine},
    setup::{MACOS, Target, WINDOWS, target_installed, venv_python},
};

/// Says how a check ended; a check that was left out is not a failure.
pub(crate) fn report(name: &str, outcome: &Outcome) -> Result<(), Failure> {
    say(&format!("{name}: {outcome}"));
    Ok(())
}

/// Checks for x86_64-pc-windows-gnu.
pub(crate) fn windows() -> Result<Outcome, Failure> {
    if let Some(reason) = unfit(WINDOWS) {
        return Ok(Outcome::LeftOut(reason));
    }
    if !exists("x86_64-w64-mingw32-gcc") {
        return Ok(Outcome::LeftOut("mingw is not installed: run `cargo xtask setup`".into()));
    }
    run(&mut check(WINDOWS))?;
    Ok(Outcome::Passed)
}

/// Checks for aarch64-apple-darwin.
pub(crate) fn macos() -> Result<Outcome, Failure> {
    if let Some(reason) = unfit(MACOS) {
        return Ok(Outcome::LeftOut(reason));
    }
    let Some(python) = venv_python() else {
        return Ok(Outcome::LeftOut("zig is not installed: run `cargo xtask setup`".into()));
    };
    let (compiler, archiver) = zig_wrappers(&python)?;
    let caches = target().join("zig/cache");
    let mut command = check(MACOS);
    command
        .env("CC_aarch64_apple_darwin", compiler)
        .env("AR_aarch64_apple_darwin", archiver)
        .env("ZIG_GLOBAL_CACHE_DIR", &caches)
        .env("ZIG_LOCAL_CACHE_DIR", &caches);
    run(&mut command)?;
    Ok(Outcome::Passed)
}

fn check(target: Target) -> std::process::Command {
    let what = ["check", "--workspace", "--exclude", "signer-tests", "--all-targets", "--locked", "--target"];
    let mut command = cargo(what);
    command.arg(target.triple());
    command
}

/// Why the check cannot be made here.
fn unfit(target: Target) -> Option<String> {
    match machine::here() {
        Machine::Other { name } => Some(format!("made on Debian and Ubuntu only, this is {name}")),
        Machine::Debian { .. } if !target_installed(target) => {
            Some(format!("rustup has no standard library for {} here", target.triple()))
        }
        Machine::Debian { .. } => None,
    }
}

/// Writes `cc` and `ar` that are zig's, without the options that only Apple's compiler knows.
fn zig_wrappers(python: &Path) -> Result<(PathBuf, PathBuf), Failure> {
    let folder = target().join("zig");
    std::fs::create_dir_all(&folder).map_err(Failure::at(&folder))?;
    let compiler = folder.join("cc");
    let python = python.display();
    let script = format!(
        r#"#!/bin/sh
# zig as the C compiler for macOS; made by `cargo xtask macos check`.
n=$#
while [ "$n" -gt 0 ]; do
    word=$1; shift; n=$((n - 1))
    case $word in
        -arch | -target) shift; n=$((n - 1)) ;;
        --target=* | -mmacosx-version-min=*) ;;
        *) set -- "$@" "$word" ;;
    esac
done
exec "{python}" -m ziglang cc -target aarch64-macos.11.0 "$@"
"#
    );
    write_program(&compiler, &script)?;
    let archiver = folder.join("ar");
    write_program(&archiver, &format!("#!/bin/sh\nexec \"{python}\" -m ziglang ar \"$@\"\n"))?;
    Ok((compiler, archiver))
}

fn write_program(path: &Path, script: &str) -> Result<(), Failure> {
    // Cargo rebuilds C code whose compiler looks new: an unchanged script stays.
    if !std::fs::read_to_string(path).is_ok_and(|present| present == script) {
        std::fs::write(path, script).map_err(Failure::at(path))?;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).map_err(Failure::at(path))?;
    }
    Ok(())
}
