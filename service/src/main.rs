//! The `cybercore-signer` program: the command line, and the token host when started as one.

use std::process::ExitCode;

use signer_service::{cli, token};

fn main() -> ExitCode {
    // Before anything else is parsed or loaded: a token host hardens itself first.
    if std::env::args_os().nth(1).is_some_and(|word| word == token::HOST_COMMAND) {
        return token::host::run();
    }
    // A PIN or password passes through the command line. Where the system refuses to close the
    // process it is no worse off than any other program.
    let _ = token::conceal_process();
    cli::run()
}
