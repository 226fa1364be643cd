//! Licences, sources, duplicates and advisories of the dependencies, judged by cargo-deny.

use crate::{
    command::{cargo, exists, output, program, repository, run, say},
    failure::Failure,
    gate::Outcome,
    setup::python_tool,
};

/// Runs cargo-deny with `deny.toml`. Advisories need a database from the network: where it cannot
/// be had they are left out, and that is said.
pub(crate) fn check() -> Result<Outcome, Failure> {
    let tool = python_tool("cargo-deny");
    let deny = |arguments: &[&str]| {
        let mut command =
            if tool.is_file() { program(&tool, ["--offline"]) } else { cargo(["deny", "--offline"]) };
        command.args(arguments).current_dir(repository());
        command
    };
    if !tool.is_file() && !exists("cargo-deny") {
        return Ok(Outcome::LeftOut("cargo-deny is not installed: run `cargo xtask setup`".into()));
    }
    run(&mut deny(&["check", "bans", "licenses", "sources"]))?;
    let fetched = output(
        program(if tool.is_file() { tool.as_os_str() } else { "cargo-deny".as_ref() }, ["fetch", "db"])
            .current_dir(repository()),
    )?;
    if !fetched.status.success() {
        say("deny: the advisory database could not be fetched; advisories were left out");
        return Ok(Outcome::PassedWithout("advisories (no database)".into()));
    }
    run(&mut deny(&["check", "advisories"]))?;
    Ok(Outcome::Passed)
}
