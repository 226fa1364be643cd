//! Starts other programs, and says which.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use crate::failure::Failure;

/// Prints a line.
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    // The variable is set by `cargo run`, and right even where the program was built elsewhere.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = package.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    package.parent().map(Path::to_owned).unwrap_or_default()
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        // Cargo reads a relative one from its own working directory, which is the root here.
        Some(folder) => repository().join(folder),
        None => repository().join("target"),
    }
}

/// The cargo that started this tool, working at the root of the repository.
pub(crate) fn cargo<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(repository());
    // What `cargo run` says about this tool's own package is not for the builds it starts.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text == "CARGO_MANIFEST_DIR" || text == "CARGO_MANIFEST_PATH" {
            command.env_remove(&name);
        }
    }
    command
}

/// A program with arguments.
pub(crate) fn program<S: AsRef<OsStr>>(
    name: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = S>,
) -> Command {
    let mut command = Command::new(name);
    command.args(arguments);
    command
}

/// Shows a command, runs it with our own standard streams and waits for it.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    say(&format!("$ {}", shown(command)));
    let status = command.status().map_err(|error| not_started(command, &error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("{} failed ({status})", command.get_program().to_string_lossy())))
    }
}

/// Runs a command quietly and waits for it; what it printed comes back, whatever its exit code.
pub(crate) fn output(command: &mut Command) -> Result<Output, Failure> {
    command.stdin(Stdio::null()).output().map_err(|error| not_started(command, &error))
}

/// As [`output`], and a failure with what the program said where it did not succeed.
pub(crate) fn quiet(command: &mut Command) -> Result<String, Failure> {
    let output = output(command)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(Failure::new(format!("{} failed ({})\n{}", shown(command), output.status, said.trim_end())))
}

/// Whether a program of this name is in the search path.
pub(crate) fn exists(name: &str) -> bool {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(&file).is_file())
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let quoted = |word: &OsStr| {
        let word = word.to_string_lossy();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word.into_owned() } else { format!("'{word}'") }
    };
    // Cargo's own path says nothing to the person.
    let cargo = std::env::var_os("CARGO").is_some_and(|cargo| cargo == command.get_program());
    let name = if cargo { OsStr::new("cargo") } else { command.get_program() };
    std::iter::once(name).chain(command.get_args()).map(quoted).collect::<Vec<_>>().join(" ")
}

fn not_started(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} did not start: {error}", command.get_program().to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_spaces_are_quoted() {
        let command = program("tool", ["--reason", "two words", ""]);
        assert_eq!(shown(&command), "tool --reason 'two words' ''");
    }

    #[test]
    fn a_failing_program_is_a_failure_with_its_words() {
        let failure = quiet(&mut cargo(["no-such-subcommand-of-cargo"])).unwrap_err();
        assert!(failure.to_string().contains("no-such-subcommand-of-cargo"), "{failure}");
    }
}
