//! The audit trail: who asked for what, and how it ended, one canonical JSON line each.
//!
//! A line holds ids and digests, never a name, a number or a file name of a person; of a client
//! it holds the origin or the program's file name. Each line holds the SHA-256 of the line
//! before it. That shows a line that was changed, taken out or put in; it does not show that
//! the end was cut off, or that all was written anew by whoever may write the files.
//! Files, their rotation and their durability are the service's.

mod record;
mod verifier;

use crate::{
    credential::CredentialId,
    digest::{Digest, DigestAlgorithm},
    error::ErrorCode,
    moment::Moment,
};

pub use verifier::{Break, Fault, Verifier};

/// What is to be written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which approval; unique within a boot.
    pub approval: u64,
    /// Which run of the service.
    pub boot: Boot,
    /// The credential that the person chose, once that is known.
    pub certificate: Option<CredentialId>,
    /// Who asked.
    pub client: Client,
    /// What is to be signed. Empty where nothing is.
    pub documents: Vec<Document>,
    /// What happened.
    pub event: Event,
    /// What was asked for.
    pub kind: Kind,
    /// When it was written down.
    pub time: Moment,
}

/// One run of the service: random, so that the numbers of approvals can begin again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Boot(pub [u8; 16]);

/// Who asked, without what is personal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Client {
    /// A program of this machine. Its name is for display and proves nothing.
    Program {
        /// Its file name, without its path.
        name: Option<String>,
    },
    /// A web site.
    Site {
        /// Its origin (RFC 6454), in ASCII.
        origin: String,
    },
}

/// A document, or a digest alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Why this one was not signed, where it alone failed.
    pub code: Option<ErrorCode>,
    /// Its digest.
    pub digest: Digest,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Somebody is about to be asked.
    Intent,
    /// How it ended.
    Outcome(Outcome),
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was done, all or, of several documents, some.
    Approved,
    /// The client withdrew it, or the service stopped.
    Cancelled,
    /// The person said no.
    Denied,
    /// The person did not answer in time.
    Expired,
    /// It failed.
    Failed(ErrorCode),
}

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// To be let in.
    Pairing,
    /// To be told one certificate.
    Selection,
    /// To have documents signed.
    Signature,
}

/// A line as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number in the whole trail, from 1.
    pub sequence: u64,
    /// The SHA-256 of the line before it; zeros for the first.
    pub previous: Digest,
    /// What is written down.
    pub entry: Entry,
}

/// A line to append, in one write together with one line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    text: String,
    position: Position,
}

/// Where the trail ends: what the next line has to know of the last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    sequence: u64,
    hash: Digest,
}

/// A line is no record of this version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It says what a record says, in another spelling.
    #[error("the record is not in its canonical form")]
    NotCanonical,
    /// It does not say what a record says.
    #[error("the line is not a record")]
    Unreadable,
}

/// The line that says `entry` and comes after `previous`, in this file or in the next.
pub fn next(previous: &Position, entry: &Entry) -> Line {
    let sequence = previous.sequence.saturating_add(1);
    let record = Record { sequence, previous: previous.hash.clone(), entry: entry.clone() };
    let text = record.to_line();
    let position = Position::behind(sequence, text.as_bytes());
    Line { text, position }
}

impl Line {
    /// The line, without its line feed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Where the trail ends once the line is written.
    pub const fn position(&self) -> &Position {
        &self.position
    }
}

impl Position {
    /// Before the first line of all.
    pub fn start() -> Self {
        let zeros = "0".repeat(DigestAlgorithm::Sha256.output_len() * 2);
        let digest = Digest::from_hex(DigestAlgorithm::Sha256, &zeros);
        Self { sequence: 0, hash: digest.unwrap_or_else(|| DigestAlgorithm::Sha256.digest(&[])) }
    }

    /// Behind the last line of a file, given without its line feed.
    ///
    /// # Errors
    /// Where that is no record; nothing may be appended then.
    pub fn after(line: &[u8]) -> Result<Self, LineError> {
        Ok(Self::behind(Record::parse(line)?.sequence, line))
    }

    /// The number of the last line; 0 where there is none.
    pub const fn sequence(&self) -> u64 {
        self.sequence
    }

    /// The SHA-256 of the last line; zeros where there is none.
    pub const fn hash(&self) -> &Digest {
        &self.hash
    }

    fn behind(sequence: u64, line: &[u8]) -> Self {
        Self { sequence, hash: DigestAlgorithm::Sha256.digest(line) }
    }
}

impl LineError {
    /// The stable code.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::NotCanonical | Self::Unreadable => ErrorCode::AuditBroken,
        }
    }
}

impl Kind {
    /// The kind as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pairing => "pairing",
            Self::Selection => "selection",
            Self::Signature => "signature",
        }
    }
}

impl Outcome {
    /// The outcome as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Cancelled => "cancelled",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Failed(_) => "failed",
        }
    }

    /// Why it failed.
    pub const fn code(self) -> Option<ErrorCode> {
        match self {
            Self::Approved | Self::Cancelled | Self::Denied | Self::Expired => None,
            Self::Failed(code) => Some(code),
        }
    }
}

#[cfg(test)]
mod tests;
