//! The standard libraries of the targets that are type-checked, installed through rustup.

use crate::{
    command::{exists, program, quiet, repository, run, say},
    failure::Failure,
};

/// A target of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target(&'static str);

/// 64-bit Windows, GNU tools.
pub(crate) const WINDOWS: Target = Target("x86_64-pc-windows-gnu");
/// macOS on Apple's own processors.
pub(crate) const MACOS: Target = Target("aarch64-apple-darwin");

impl Target {
    /// The triple.
    pub(crate) const fn triple(self) -> &'static str {
        self.0
    }
}

/// Adds the targets that are missing. A target that cannot be had is no failure here: the check
/// that needs it says so.
pub(super) fn add_targets() -> Result<(), Failure> {
    if !exists("rustup") {
        say("setup: there is no rustup; the checks for Windows and macOS will be left out");
        return Ok(());
    }
    let present = present()?;
    let missing: Vec<Target> =
        [WINDOWS, MACOS].into_iter().filter(|target| !names(&present, *target)).collect();
    if missing.is_empty() {
        say("setup: the targets for Windows and macOS are installed");
    }
    for target in missing {
        let add = &mut program("rustup", ["target", "add", target.triple()]);
        if let Err(failure) = run(add.current_dir(repository())) {
            say(&format!("setup: {} could not be added: {failure}", target.triple()));
        }
    }
    Ok(())
}

/// Whether a target's standard library is installed for the pinned toolchain.
pub(crate) fn installed(target: Target) -> bool {
    exists("rustup") && present().is_ok_and(|present| names(&present, target))
}

fn present() -> Result<String, Failure> {
    quiet(program("rustup", ["target", "list", "--installed"]).current_dir(repository()))
}

fn names(list: &str, target: Target) -> bool {
    list.lines().any(|line| line.trim() == target.triple())
}
