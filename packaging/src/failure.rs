//! Why a command of this tool did not succeed, in words for the terminal.

use std::{fmt, io, path::Path};

/// A sentence that says what failed.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    /// A failure in these words.
    pub(crate) fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    /// A file operation that failed: for `map_err`.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self(format!("{}: {error}", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
