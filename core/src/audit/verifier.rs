//! Whether lines are one unbroken chain, and where not.

use std::fmt;

use crate::{
    audit::{LineError, Position, Record},
    digest::DigestAlgorithm,
    error::ErrorCode,
};

/// Takes the lines of a trail one by one, over all its files from the oldest to the newest.
#[derive(Debug, Clone)]
pub struct Verifier {
    last: Option<Position>,
    line: u64,
}

/// Where a chain breaks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct Break {
    /// The line, from 1, since the beginning of the file ([`Verifier::begin_file`]).
    pub line: u64,
    /// Why.
    pub fault: Fault,
}

/// Why a chain breaks at a line. Each is what is found first, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The line is no record, or not in the form in which records are written.
    Line(LineError),
    /// Lines are missing, repeated or exchanged.
    Sequence {
        /// The number that should be here.
        expected: u64,
        /// The number that is.
        found: u64,
    },
    /// The line before this one is not the one that was there when this was written.
    Previous,
}

impl Verifier {
    /// For a trail that is there from its first record.
    pub fn from_start() -> Self {
        Self { last: Some(Position::start()), line: 0 }
    }

    /// For a trail whose oldest files are gone: its first record is taken as it is.
    pub const fn from_first_line() -> Self {
        Self { last: None, line: 0 }
    }

    /// Counts lines anew; the chain goes on.
    pub const fn begin_file(&mut self) {
        self.line = 0;
    }

    /// Takes the next line, without its line feed. After a break it goes on from this line, so
    /// that a further one can be found.
    ///
    /// # Errors
    /// Where the chain breaks here. A line that was changed but still reads as a record shows
    /// at the line behind it.
    pub fn take(&mut self, line: &[u8]) -> Result<Record, Break> {
        self.line = self.line.saturating_add(1);
        let parsed = Record::parse(line);
        let before = self.last.take();
        let expected = before.as_ref().map(|last| last.sequence.saturating_add(1));
        let sequence = parsed.as_ref().ok().map(|record| record.sequence).or(expected);
        self.last =
            sequence.map(|sequence| Position { sequence, hash: DigestAlgorithm::Sha256.digest(line) });

        let fault = match (parsed, before) {
            (Err(error), _) => Fault::Line(error),
            (Ok(record), None) => return Ok(record),
            (Ok(record), Some(last)) => {
                let (expected, found) = (last.sequence.saturating_add(1), record.sequence);
                if found != expected {
                    Fault::Sequence { expected, found }
                } else if record.previous != last.hash {
                    Fault::Previous
                } else {
                    return Ok(record);
                }
            }
        };
        Err(Break { line: self.line, fault })
    }

    /// Where the trail ends so far; none where no line was given that tells.
    pub const fn position(&self) -> Option<&Position> {
        self.last.as_ref()
    }
}

impl Break {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        ErrorCode::AuditBroken
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(error) => error.fmt(f),
            Self::Sequence { expected, found } => {
                write!(f, "record {expected} should be here, and {found} is")
            }
            Self::Previous => f.write_str("the line before is not the one that was there"),
        }
    }
}
