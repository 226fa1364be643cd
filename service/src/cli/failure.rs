//! A failed command: a stable code, a sentence, what the person can do, and the facts.

use std::{error::Error, process::ExitCode};

use serde_json::{Value, json};
use signer_core::error::ErrorCode;

use crate::cli::{arguments::language, screen};

/// Why a command failed, ready to be shown.
#[derive(Debug)]
pub(super) struct Failure {
    code: ErrorCode,
    /// Technical words of the error and its causes.
    detail: Option<String>,
    /// A further sentence for the person, in the language of the process.
    note: Option<String>,
    /// Facts for programs.
    facts: serde_json::Map<String, Value>,
}

impl Failure {
    /// A failure that its code says all of.
    pub(super) fn new(code: ErrorCode) -> Self {
        Self { code, detail: None, note: None, facts: serde_json::Map::new() }
    }

    /// A failure with the words of `error` and its causes.
    pub(super) fn of(code: ErrorCode, error: &dyn Error) -> Self {
        let mut detail = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            detail.push_str(": ");
            detail.push_str(&error.to_string());
            cause = error.source();
        }
        Self { detail: Some(detail), ..Self::new(code) }
    }

    /// Adds a sentence for the person.
    pub(super) fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Adds a fact for programs.
    pub(super) fn with_fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Shows the failure and returns the exit code: 2 for wrong arguments, else 1.
    pub(super) fn show(&self, as_json: bool) -> ExitCode {
        let language = language();
        let (sentence, remedy) = (language.error(self.code), language.remedy(self.code.remedy()));
        if as_json {
            screen::json(&json!({
                "error": {
                    "code": self.code.as_str(),
                    "title": sentence,
                    "note": self.note,
                    "remedy": self.code.remedy().as_str(),
                    "detail": self.detail,
                    "facts": self.facts,
                }
            }));
        } else {
            let heading = language.choose(["Erro", "Error", "Error"]);
            screen::error_line(&format!("{heading}: {sentence} [{}]", self.code));
            if let Some(note) = &self.note {
                screen::error_line(&format!("  {note}"));
            }
            if let Some(detail) = &self.detail {
                screen::error_line(&format!("  ({detail})"));
            }
            screen::error_line(&format!("  {remedy}"));
        }
        self.exit_code()
    }

    /// 2 for wrong arguments, else 1.
    pub(super) fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.code == ErrorCode::Usage { 2 } else { 1 })
    }
}
