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
use signer_core::error::ErrorCode;

use crate::cli::{
    arguments::{Arguments, Command},
    failure::Failure,
};

/// Runs the command that the arguments of this process name. Blocks until it is done.
pub fn run() -> ExitCode {
    let code = match Arguments::try_parse() {
        Ok(arguments) => run_command(arguments.command),
        Err(error) => refuse(&error),
    };
    if screen::is_lost() {
        screen::error_line(arguments::language().choose([
            "A resposta não pôde ser escrita na saída.",
            "The answer could not be written to the output.",
            "La respuesta no se pudo escribir en la salida.",
        ]));
        return ExitCode::FAILURE;
    }
    code
}

/// Arguments that mean nothing, or a request for help.
fn refuse(error: &clap::Error) -> ExitCode {
    // What is wrong with the arguments is told in the form that they ask for as well.
    if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default();
        let said = first.strip_prefix("error: ").unwrap_or(first);
        return Failure::new(ErrorCode::Usage).with_note(said).show(true);
    }
    let _ = error.print();
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

fn run_command(command: Command) -> ExitCode {
    match command {
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
