//! `config`: what can be configured.

use std::process::ExitCode;

use crate::{
    cli::{arguments::ConfigCommand, screen},
    config::SAMPLE,
};

/// Runs the command.
pub(super) fn run(command: &ConfigCommand) -> ExitCode {
    match command {
        ConfigCommand::Sample => screen::line(SAMPLE.trim_end()),
    }
    ExitCode::SUCCESS
}
