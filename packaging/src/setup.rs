//! `setup`: installs what is missing, says what it does, and does nothing the second time.

mod apt;
mod python;
mod rustup;

pub(crate) use python::{tool as python_tool, venv_python};
pub(crate) use rustup::{MACOS, Target, WINDOWS, installed as target_installed};

use crate::{
    command::{cargo, run as run_command, say},
    failure::Failure,
    machine::{self, Machine},
};

/// What the machine is set up for. Each purpose includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// Building the workspace.
    Build,
    /// The demonstration.
    Demo,
    /// The tests and CI.
    Test,
}

/// Sets the machine up for a purpose.
pub(crate) fn run(purpose: Purpose) -> Result<(), Failure> {
    match machine::here() {
        Machine::Debian { name } => {
            say(&format!("setup: {name}, packages come from apt"));
            apt::install_missing(purpose)?;
        }
        Machine::Other { name } => {
            say(&format!("setup: {name} has no apt; nothing was installed. What is needed:"));
            apt::list(purpose);
        }
    }
    if purpose >= Purpose::Test {
        python::install()?;
        rustup::add_targets()?;
        fetch_crates()?;
    }
    say("setup: ready");
    Ok(())
}

/// Downloads the crates of every target: the tests read the whole graph without a network.
fn fetch_crates() -> Result<(), Failure> {
    run_command(&mut cargo(["fetch", "--locked"]))
}
