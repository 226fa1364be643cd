//! A PIN or password: from a file, from standard input, or typed without echo. Never an argument.

use std::{
    error::Error,
    fs::File,
    io::{self, IsTerminal as _},
    path::Path,
};

use signer_core::error::ErrorCode;
use signer_ipc::secret::Secret;

use crate::cli::{failure::Failure, screen};

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

/// Whether the person types `word` at `prompt` on the terminal; no where there is none.
pub(super) fn word(prompt: &str, word: &str) -> bool {
    if !io::stdin().is_terminal() {
        return false;
    }
    let mut line = String::new();
    // On standard error, as the prompt of a secret is on the terminal: the result goes elsewhere.
    screen::question(prompt);
    io::stdin().read_line(&mut line).is_ok() && line.trim().to_lowercase() == word
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
