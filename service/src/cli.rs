//! The command line: words in, text or JSON and an exit code out.

mod approve;
pub mod arguments;
mod audit;
mod certificates;
mod config;
mod credential;
mod credentials;
mod diagnose;
mod document;
mod examine;
mod failure;
mod json;
mod modules;
mod pairings;
mod policy;
mod progress;
mod registered;
mod screen;
mod secret;
mod serve;
mod sign;
mod status;
mod validate;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::arguments::{Arguments, Command};

/// Runs the command that the arguments of this process name. Blocks until it is done.
pub fn run() -> ExitCode {
    match Arguments::parse().command {
        Command::Approve(arguments) => approve::run(&arguments),
        Command::Audit(command) => audit::run(&command),
        Command::Certificates(arguments) => certificates::run(&arguments),
        Command::Config(command) => config::run(&command),
        Command::Credentials(command) => credentials::run(&command),
        Command::Diagnose(arguments) => diagnose::run(&arguments),
        Command::Modules(command) => modules::run(&command),
        Command::Pairings(command) => pairings::run(&command),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Sign(arguments) => sign::run(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
    }
}
