//! `serve`: the service of this login, in the foreground until it is told to stop.

use std::process::ExitCode;

use crate::{
    cli::{arguments::ServeArguments, failure::Failure},
    serve::{self, Options},
};

/// Runs the command.
pub(super) fn run(arguments: &ServeArguments) -> ExitCode {
    let options = Options { config: arguments.config.clone(), port: arguments.port, ..Options::default() };
    match serve::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::of(error.code(), &error).show(false),
    }
}
