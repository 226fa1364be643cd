//! A PIN or password: from a file, from standard input, or typed without echo. Never an argument.

use std::{
    fs::File,
    io::{self, IsTerminal as _, Read},
    path::Path,
};

use signer_core::error::ErrorCode;
use signer_ipc::secret::Secret;

use crate::cli::failure::Failure;

/// The secret in `file` (`-` is standard input), or typed at `prompt` on the terminal.
pub(super) fn obtain(file: Option<&Path>, prompt: &str) -> Result<Secret, Failure> {
    match file {
        Some(path) if path == Path::new("-") => read(io::stdin().lock()),
        Some(path) => {
            let unreadable = |error: io::Error| {
                Failure::of(ErrorCode::InputUnreadable, &error).with_note(path.display().to_string())
            };
            read(File::open(path).map_err(unreadable)?)
        }
        None => ask(prompt),
    }
}

/// Reads one secret; a line end after it is not part of it, any other white space is.
fn read(from: impl Read) -> Result<Secret, Failure> {
    Secret::from_reader(from).map_err(|error| Failure::of(ErrorCode::SecretMissing, &error))
}

fn ask(prompt: &str) -> Result<Secret, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::new(ErrorCode::SecretMissing));
    }
    let typed = rpassword::prompt_password(prompt)
        .map(zeroize::Zeroizing::new)
        .map_err(|error| Failure::of(ErrorCode::SecretMissing, &error))?;
    read(typed.as_bytes())
}
