//! `diagnose`: reader → card → module → token → certificate, step by step, and what to do where
//! the chain breaks first. docs/modules.md says what its JSON holds.

mod findings;
mod report;
mod show;
mod surroundings;

use std::{process::ExitCode, time::Duration};

use crate::{
    cli::{
        arguments::DiagnoseArguments,
        diagnose::{
            findings::{Facts, Finding},
            surroundings::CardService,
        },
        examine,
        failure::Failure,
        modules,
    },
    clock,
    config::Config,
    serve::Presence,
    token::{modules::discovery::Places, reader},
};

/// Everything that was seen, and what follows from it.
struct Diagnosis {
    /// Why the configuration of this login is not used.
    config_fault: Option<String>,
    service: Option<Presence>,
    facts: Facts,
    findings: Vec<Finding>,
}

/// Runs the command. Finding something wrong is its job, not a failure: the exit code is 0.
pub(super) fn run(arguments: &DiagnoseArguments) -> ExitCode {
    let diagnosis = match diagnose(arguments) {
        Ok(diagnosis) => diagnosis,
        Err(failure) => return failure.show(arguments.json),
    };
    if arguments.json {
        report::show(&diagnosis);
    } else {
        show::show(&diagnosis);
    }
    ExitCode::SUCCESS
}

fn diagnose(arguments: &DiagnoseArguments) -> Result<Diagnosis, Failure> {
    let dirs = modules::dirs()?;
    // Somebody whose configuration is wrong needs a diagnosis all the more.
    let (config, config_fault) = match Config::read_or_default(&dirs.config_file()) {
        Ok(config) => (config, None),
        Err(error) => (Config::default(), Some(error.to_string())),
    };
    let found = Places { command_line: arguments.module.clone(), ..Places::of_login(&config) }.discover();
    let readers = reader::readers();
    let now = clock::now().ok();
    let quarantine = modules::quarantine()?;
    let modules = examine::examine(found.installed, &quarantine, Duration::from_secs(arguments.wait))?;
    let (card_service, readers) = match readers {
        Ok(readers) => (CardService::Running, readers),
        Err(error) => (CardService::of(&error), Vec::new()),
    };
    let facts = Facts {
        sandbox: surroundings::sandbox(),
        card_service,
        readers,
        plugged: surroundings::plugged_tokens(),
        modules,
        left_out: found.left_out,
        now,
    };
    let findings = findings::conclude(&facts);
    let service = dirs.runtime().ok().and_then(Presence::read);
    Ok(Diagnosis { config_fault, service, facts, findings })
}
