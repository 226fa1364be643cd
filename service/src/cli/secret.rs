//! A PIN or password: from a file, from standard input, or typed without echo. Never an argument.

use std::{
    error::Error,
    fs::File,
    io::{self, IsTerminal as _},
    path::Path,
};

use signer_core::error::ErrorCode;
use signer_ipc::secret::Secret;

use crate::cli::failure::Failure;

/// The secret in `file` (`-` is standard input), or typed at `prompt` on the terminal.
pub(super) fn obtain(file: Option<&Path>, prompt: &str) -> Result<Secret, Failure> {
    match file {
        Some(path) => {
            let unreadable = |error: &dyn Error| {
                Failure::of(ErrorCode::InputUnreadable, error).with_note(path.display().to_string())
            };
            let read = if path == Path::new("-") {
                Secret::from_reader(io::stdin().lock())
            } else {
                Secret::from_reader(File::open(path).map_err(|error| unreadable(&error))?)
            };
            read.map_err(|error| unreadable(&error))
        }
        None => ask(prompt),
    }
}

fn ask(prompt: &str) -> Result<Secret, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::new(ErrorCode::SecretMissing));
    }
    let typed = rpassword::prompt_password(prompt)
        .map(zeroize::Zeroizing::new)
        .map_err(|error| Failure::of(ErrorCode::SecretMissing, &error))?;
    Secret::from_reader(typed.as_bytes()).map_err(|error| Failure::of(ErrorCode::SecretMissing, &error))
}
