//! `test`: everything that CI runs, one step after the other, with a summary.

use std::{
    fmt,
    process::Command,
    time::{Duration, Instant},
};

use crate::{
    command::{cargo, program, quiet, repository, run, say},
    cross, deny,
    failure::Failure,
    setup::{self, Purpose},
};

/// How a step ended that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was not made, for this reason.
    LeftOut(String),
    /// Everything holds.
    Passed,
    /// What was looked at holds; this was not looked at.
    PassedWithout(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeftOut(reason) => write!(f, "left out: {reason}"),
            Self::Passed => f.write_str("passed"),
            Self::PassedWithout(missing) => write!(f, "passed, without {missing}"),
        }
    }
}

/// A step that was made.
struct Made {
    name: &'static str,
    took: Duration,
    result: Result<Outcome, Failure>,
}

/// Sets the machine up and runs every step, also after one that failed.
pub(crate) fn run_all() -> Result<(), Failure> {
    setup::run(Purpose::Test)?;
    let before = tree()?;
    let made = [
        make("format", || passed(&mut cargo(["fmt", "--all", "--check"]))),
        make("clippy", clippy),
        make("programs", || passed(&mut once(["build", "--workspace", "--bins", "--locked"]))),
        make("tests", || passed(&mut once(["test", "--workspace", "--locked", "--no-fail-fast"]))),
        make("demo", || passed(&mut cargo(["xtask", "demo", "--unattended"]))),
        make("documentation", documentation),
        make("dependencies", deny::check),
        make("windows check", cross::windows),
        make("macos check", cross::macos),
        make("tree unchanged", || unchanged(&before)),
    ];
    summary(&made)
}

fn make(name: &'static str, step: impl FnOnce() -> Result<Outcome, Failure>) -> Made {
    say(&format!("\n== {name}"));
    let start = Instant::now();
    let result = step();
    if let Err(failure) = &result {
        say(&format!("FAILED: {failure}"));
    }
    Made { name, took: start.elapsed(), result }
}

fn passed(command: &mut Command) -> Result<Outcome, Failure> {
    run(command).map(|()| Outcome::Passed)
}

/// Cargo without what it keeps for building the same again with changes: on a clean clone that is
/// work for nothing.
fn once<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = cargo(arguments);
    command.env("CARGO_INCREMENTAL", "0");
    command
}

fn clippy() -> Result<Outcome, Failure> {
    passed(&mut once(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))
}

fn documentation() -> Result<Outcome, Failure> {
    let mut command = cargo(["doc", "--workspace", "--no-deps", "--locked"]);
    passed(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// What git says of the work tree. Outside a git clone there is nothing to say.
fn tree() -> Result<String, Failure> {
    quiet(program("git", ["status", "--porcelain"]).current_dir(repository()))
}

fn unchanged(before: &str) -> Result<Outcome, Failure> {
    let after = tree()?;
    if after == before {
        Ok(Outcome::Passed)
    } else {
        Err(Failure::new(format!("the steps changed the work tree:\n{after}")))
    }
}

/// Prints the table and the count; a failure where a step failed.
fn summary(made: &[Made]) -> Result<(), Failure> {
    say("\n== summary");
    let [mut passed, mut failed, mut skipped] = [0_u32; 3];
    for step in made {
        let word = match &step.result {
            Ok(outcome) => outcome.to_string(),
            Err(_) => "FAILED".to_owned(),
        };
        match &step.result {
            Ok(Outcome::Passed | Outcome::PassedWithout(_)) => passed += 1,
            Ok(Outcome::LeftOut(_)) => skipped += 1,
            Err(_) => failed += 1,
        }
        say(&format!("{:<16} {:>5} s  {word}", step.name, step.took.as_secs()));
    }
    say(&format!("{passed} passed, {failed} failed, {skipped} skipped"));
    if failed == 0 { Ok(()) } else { Err(Failure::new("not everything passed")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(result: Result<Outcome, Failure>) -> Made {
        Made { name: "step", took: Duration::ZERO, result }
    }

    #[test]
    fn one_failed_step_fails_all() {
        assert!(summary(&[made(Ok(Outcome::Passed)), made(Err(Failure::new("no")))]).is_err());
    }

    #[test]
    fn a_step_left_out_fails_nothing() {
        assert!(summary(&[made(Ok(Outcome::LeftOut("no tool".into()))), made(Ok(Outcome::Passed))]).is_ok());
    }
}
