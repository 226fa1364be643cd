//! One decision on one request: the only way to a signature that a client asked for.
//!
//! [`Approval`] is a state machine without a clock, a socket or a window. The driver in the
//! service executes its [`Effect`]s and feeds it [`Event`]s; [`summary`] is what the person sees.

pub mod summary;

use crate::{digest::Digest, error::ErrorCode};

/// Milliseconds of a clock that never goes back; its zero has no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub u64);

/// What happened outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The client withdrew its request or is gone.
    ClientGone,
    /// The person said yes.
    Confirmed {
        /// The digest of what was shown.
        shown: Digest,
        /// Which certificate of the summary.
        choice: Option<u32>,
    },
    /// The person said no.
    Denied,
    /// One document could not be signed, and the others are not concerned.
    ItemFailed {
        /// Which, from 0.
        item: u32,
        /// Why.
        code: ErrorCode,
    },
    /// One document is signed.
    ItemSigned {
        /// Which, from 0.
        item: u32,
    },
    /// The record that was asked for is on disk.
    Recorded,
    /// The record that was asked for cannot be written.
    RecordFailed,
    /// The secret was given (again).
    SecretGiven,
    /// The secret was wrong, and can be given again.
    SecretIncorrect {
        /// How many tries are left, where the token says.
        tries_left: Option<u32>,
    },
    /// The key wants its secret for this signature, too.
    SecretNeeded,
    /// The service stops.
    ShuttingDown,
    /// Time passed; the deadline may have.
    Tick,
    /// The token of the chosen certificate is not there.
    TokenAbsent,
    /// The token or its host failed, for good.
    TokenFailed {
        /// How.
        code: ErrorCode,
    },
    /// The token of the chosen certificate is there now.
    TokenPresent,
    /// Nobody can ask the person (any more).
    TrayGone,
    /// Somebody is ready to ask the person.
    TrayReady,
    /// The key can be used.
    Unlocked,
}

/// What the driver is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask for the secret (again).
    AskSecret {
        /// Why.
        reason: SecretReason,
        /// How many tries are left, where the token says.
        tries_left: Option<u32>,
    },
    /// Ask the person to insert the token, and watch for it.
    AwaitToken,
    /// Take it off the screen. Also after the end, and also where nothing is shown.
    Dismiss {
        /// How it ended.
        outcome: Outcome,
    },
    /// Show the summary and ask.
    Present,
    /// Write a record, durably, and say so.
    Record(Record),
    /// Answer the client. Exactly once.
    Reply {
        /// How it ended.
        outcome: Outcome,
    },
    /// Sign one document with the chosen key, unlocked before.
    Sign {
        /// Which certificate of the summary.
        choice: u32,
        /// Which document, from 0.
        item: u32,
    },
    /// Find somebody who asks the person.
    SummonTray,
    /// Use the secret that was given, once, for the chosen key.
    Unlock {
        /// Which certificate of the summary.
        choice: u32,
    },
}

/// Why a secret is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretReason {
    /// The key wants it for every signature.
    EverySignature,
    /// The last one was wrong.
    Incorrect,
}

/// What is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// Somebody is about to be asked.
    Intent,
    /// How it ended.
    Outcome(Outcome),
}

/// How an approval ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// What was asked for was done.
    Approved {
        /// Which certificate of the summary was used or told.
        choice: Option<u32>,
    },
    /// The client withdrew it, or the service stopped.
    Cancelled,
    /// The person said no.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// It failed.
    Failed(ErrorCode),
}
