//! One decision on one request: the only way to a signature that a client asked for.
//!
//! [`Approval`] is a state machine without a clock, a socket or a window. The driver in the
//! service executes its [`Effect`]s and feeds it [`Event`]s; [`summary`] is what the person
//! sees, and [`queue`] decides whose turn it is.
//!
//! ```text
//! Requested ─Recorded─▶ Summoning ─TrayReady─▶ Presented ─Confirmed─▶ Unlocking ⇄ Signing
//!                                                               TokenAbsent │ ▲ TokenPresent
//!                                                                           ▼ │
//!                                                                     AwaitingToken
//! every outcome: ─▶ Settling ─Recorded─▶ Ended
//! ```
//!
//! A pairing or a selection is settled by its confirmation. The secret is in no state and in no
//! event: it passes, sealed, from whoever asked for it to the token host. What does pass here is
//! whether it may be spent on a token's last try ([`LastTry`]): only the person says so, for one
//! secret at a time.

mod items;
mod machine;
pub mod queue;
pub mod summary;
mod trail;

use std::time::Duration;

use crate::{digest::Digest, error::ErrorCode};

pub use items::Item;
pub use machine::{Approval, Stage};

/// Milliseconds of a clock that never goes back; its zero has no meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub u64);

/// How long an approval may stay where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// Until the token is inserted.
    pub awaiting_token: Duration,
    /// From the opening until the outcome is decided. Each document adds one `unlocking` and
    /// one `signing`.
    pub life: Duration,
    /// Until the person answers.
    pub presented: Duration,
    /// Until a record is on disk.
    pub recording: Duration,
    /// Until one document is signed.
    pub signing: Duration,
    /// Until somebody is ready to ask.
    pub summoning: Duration,
    /// Until the secret is given, and again until it was tried.
    pub unlocking: Duration,
}

/// What happened outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The client withdrew its request or is gone.
    ClientGone,
    /// The person said yes. The secret came with it, where one was asked for at once.
    Confirmed {
        /// The digest of what was shown.
        shown: Digest,
        /// Which certificate of the summary.
        choice: Option<u32>,
        /// Whether the secret may be tried where it is the last try.
        last_try: LastTry,
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
    /// Instead of [`Event::Unlocked`]: one try is left and [`LastTry::NotConfirmed`] was said.
    /// Nothing was tried.
    LastTryNotConfirmed,
    /// This record is on disk.
    Recorded(Record),
    /// This record cannot be written.
    RecordFailed(Record),
    /// The secret that was asked for was given, or is not needed after all.
    SecretGiven {
        /// Whether it may be tried where it is the last try.
        last_try: LastTry,
    },
    /// The secret was wrong. Where no try is left this ends as `pin-locked`.
    SecretIncorrect {
        /// How many tries are left, where the token says.
        tries_left: Option<u32>,
    },
    /// Instead of [`Event::Unlocked`]: a secret is needed and none was given. Instead of
    /// [`Event::ItemSigned`]: the key wants its secret for this signature, too.
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

/// What the driver is to do, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Ask for the secret (again). Answered by [`Event::SecretGiven`] or [`Event::Denied`].
    AskSecret {
        /// Why.
        reason: SecretReason,
        /// How many tries are left, where the token says.
        tries_left: Option<u32>,
    },
    /// Ask the person to insert the token, and watch for it.
    AwaitToken,
    /// Take it off the screen; also where nothing is shown. The last effect of all.
    Dismiss {
        /// How it ended.
        outcome: Outcome,
    },
    /// Show the summary and ask.
    Present,
    /// Write a record, durably, and give it back with [`Event::Recorded`].
    Record(Record),
    /// Answer the client. Exactly once. Signatures that were made leave with
    /// [`Outcome::Approved`] only; with any other they are destroyed.
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
    /// Use the secret that was just given, once, for the chosen key, and forget it.
    Unlock {
        /// Which certificate of the summary.
        choice: u32,
        /// What the person said when the secret was given, and for this secret alone.
        last_try: LastTry,
    },
}

/// Why a secret is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretReason {
    /// The key wants it for every signature.
    EverySignature,
    /// It was not asked for with the summary: the token was not there.
    First,
    /// The last one was wrong.
    Incorrect,
    /// One try is left, which the person did not know: the last one was not tried.
    LastTry,
}

/// Whether a secret may be tried where a wrong one locks the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LastTry {
    /// The person was told that it is the last try and wants it used.
    Confirmed,
    /// The person was not asked: on the last try nothing is tried.
    NotConfirmed,
}

/// What is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Somebody is about to be asked.
    Intent,
    /// How it ended.
    Outcome(Outcome),
}

/// How an approval ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// What was asked for was done; of several documents, one at least was signed.
    Approved {
        /// Which certificate of the summary was used or told.
        choice: Option<u32>,
    },
    /// The client withdrew it, or the service stopped.
    Cancelled,
    /// The person said no.
    Denied,
    /// The person did not answer in time.
    Expired,
    /// It failed.
    Failed(ErrorCode),
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            awaiting_token: Duration::from_secs(60),
            life: Duration::from_secs(600),
            presented: Duration::from_secs(120),
            recording: Duration::from_secs(5),
            signing: Duration::from_secs(90),
            summoning: Duration::from_secs(10),
            unlocking: Duration::from_secs(60),
        }
    }
}

impl Instant {
    /// The moment that comes `duration` later.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)))
    }

    /// How long it is from here to `later`; nothing where that is past.
    pub const fn until(self, later: Self) -> Duration {
        Duration::from_millis(later.0.saturating_sub(self.0))
    }
}

impl Outcome {
    /// The outcome as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved { .. } => "approved",
            Self::Cancelled => "cancelled",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Failed(_) => "failed",
        }
    }

    /// The error that it is for the client; none where it was approved.
    pub const fn code(self) -> Option<ErrorCode> {
        match self {
            Self::Approved { .. } => None,
            Self::Cancelled => Some(ErrorCode::ApprovalCancelled),
            Self::Denied => Some(ErrorCode::ApprovalDenied),
            Self::Expired => Some(ErrorCode::ApprovalExpired),
            Self::Failed(code) => Some(code),
        }
    }
}

#[cfg(test)]
mod laws;
#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
