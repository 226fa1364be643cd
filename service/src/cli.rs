//! The command line: words in, text or JSON and an exit code out.

mod approve;
pub mod arguments;
mod certificates;
mod credential;
mod credentials;
mod diagnose;
mod failure;
mod json;
mod progress;
mod screen;
mod secret;
mod serve;
mod sign;
mod validate;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::arguments::{Arguments, Command};

/// Runs the command that the arguments of this process name. Blocks until it is done.
pub fn run() -> ExitCode {
    match Arguments::parse().command {
        Command::Approve(arguments) => approve::run(&arguments),
        Command::Certificates(arguments) => certificates::run(&arguments),
        Command::Credentials(command) => credentials::run(&command),
        Command::Diagnose(arguments) => diagnose::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Sign(arguments) => sign::run(&arguments),
        Command::Validate(arguments) => validate::run(&arguments),
    }
}
