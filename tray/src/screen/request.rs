//! One request on the screen, from its first frame to its result.

mod deed;

use std::time::Duration;

use signer_ipc::{
    message::{ApprovalNumber, DIGEST_LEN, Entry, Lasting, Outcome, SecretReason, Unlock},
    summary::{Kind, Summary},
};

use crate::{
    screen::{GOOD_END, OTHER_END, Target},
    text::Entered,
};

/// A request as it came.
#[derive(Debug)]
pub(crate) struct Presented {
    /// Which.
    pub(crate) approval: ApprovalNumber,
    /// What is shown.
    pub(crate) summary: Summary,
    /// The SHA-256 of the bytes that `summary` was parsed from.
    pub(crate) digest: [u8; DIGEST_LEN],
    /// How each certificate is unlocked.
    pub(crate) unlocks: Vec<Unlock>,
    /// When the service gives up.
    pub(crate) deadline: Duration,
    /// How many others wait.
    pub(crate) waiting: u32,
}

/// A request on the screen.
#[derive(Debug)]
pub(crate) struct Request {
    /// Which.
    pub(crate) approval: ApprovalNumber,
    /// What is asked.
    pub(crate) summary: Summary,
    /// How far it is.
    pub(crate) stage: Stage,
    /// Which certificate is chosen, from 0.
    pub(crate) choice: usize,
    /// What has the focus.
    pub(crate) focus: Target,
    /// How long the answer holds.
    pub(crate) lasting: Lasting,
    /// How many characters are typed.
    pub(crate) letters: usize,
    /// Whether what was typed had to be thrown away, because it came too early.
    pub(crate) typed_early: Typing,
    /// How many others wait.
    pub(crate) waiting: u32,
    /// How far the body is scrolled, in logical pixels.
    pub(crate) scroll: f32,
    digest: [u8; DIGEST_LEN],
    unlocks: Vec<Unlock>,
    deadline: Duration,
    armed_from: Option<Duration>,
    seen: f32,
    whole: f32,
}

/// How far a request is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The person decides.
    Asking,
    /// The person gives the secret (again).
    AskingSecret {
        /// Why.
        reason: SecretReason,
        /// How it is given.
        unlock: Unlock,
    },
    /// The person inserts the token.
    AwaitingToken,
    /// The person says whether the last try may be used; what was typed waits for it.
    LastTry {
        /// How the secret is given, where it is asked for after the yes.
        again: Option<Unlock>,
    },
    /// It is over.
    Ended {
        /// How.
        outcome: Outcome,
        /// Since when.
        since: Duration,
        /// Whether the person has seen enough of it.
        read: Reading,
    },
    /// The service has the answer.
    Sent,
    /// The key is at work.
    Signing {
        /// How many are signed.
        done: u32,
        /// Of how many.
        of: u32,
    },
}

/// When what is in the field was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Typing {
    /// All of it when the window was ready.
    InTime,
    /// Its first key came too early: it may have been meant for another window.
    Early,
    /// So it was, and it was thrown away.
    ThrownAway,
}

/// Whether a result may leave the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The person closed it.
    Done,
    /// It stays for its time.
    Going,
}

/// What stands where the secret is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// The PIN is locked.
    Locked,
    /// Nothing.
    Nothing,
    /// The PIN is typed on the reader.
    Reader,
    /// The token is not there yet.
    TokenAbsent,
    /// A field to type in.
    Typed(Entered),
}

/// A button and what it can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Button {
    /// It is not there.
    Absent,
    /// It is there and does nothing yet.
    Dead,
    /// It works.
    Live,
}

impl Request {
    /// The person is asked from the first frame on.
    pub(super) fn new(presented: Presented) -> Self {
        let Presented { approval, summary, digest, unlocks, deadline, waiting } = presented;
        let mut request = Self {
            approval,
            summary,
            stage: Stage::Asking,
            choice: 0,
            focus: Target::No,
            lasting: Lasting::Once,
            letters: 0,
            typed_early: Typing::InTime,
            waiting,
            scroll: 0.0,
            digest,
            unlocks,
            deadline,
            armed_from: None,
            seen: 0.0,
            whole: 0.0,
        };
        request.focus = request.first_focus();
        request
    }

    pub(super) fn await_token(&mut self, deadline: Duration) {
        self.enter(Stage::AwaitingToken, deadline);
    }

    pub(super) fn ask_secret(&mut self, deadline: Duration, reason: SecretReason, unlock: Unlock) {
        self.enter(Stage::AskingSecret { reason, unlock }, deadline);
    }

    pub(super) fn signing(&mut self, done: u32, of: u32) {
        self.enter(Stage::Signing { done, of }, self.deadline);
    }

    pub(super) fn end(&mut self, outcome: Outcome, now: Duration) {
        let read = match outcome {
            // The person knows: it was they who said no.
            Outcome::Denied => Reading::Done,
            Outcome::Approved | Outcome::Cancelled | Outcome::Expired | Outcome::Failed { .. } => {
                Reading::Going
            }
        };
        self.enter(Stage::Ended { outcome, since: now, read }, self.deadline);
    }

    /// Whether it may leave the screen.
    pub(super) fn over(&self, now: Duration, pending: bool) -> bool {
        match &self.stage {
            Stage::Ended { read: Reading::Done, .. } => true,
            Stage::Ended { outcome, since, read: Reading::Going } => {
                stays(outcome, pending).is_some_and(|stays| now >= since.saturating_add(stays))
            }
            Stage::Asking
            | Stage::AskingSecret { .. }
            | Stage::AwaitingToken
            | Stage::LastTry { .. }
            | Stage::Sent
            | Stage::Signing { .. } => false,
        }
    }

    /// When the time matters next: at the end of the delay, and at every full second.
    pub(super) fn wakes(&self, now: Duration, pending: bool) -> Duration {
        let second = || {
            let left = self.deadline.saturating_sub(now);
            let part = Duration::from_nanos(u64::from(left.subsec_nanos()));
            now + if part.is_zero() { Duration::from_secs(1) } else { part }
        };
        match &self.stage {
            Stage::Ended { outcome, since, .. } => {
                stays(outcome, pending).map_or(Duration::MAX, |stays| since.saturating_add(stays))
            }
            Stage::Sent | Stage::Signing { .. } => Duration::MAX,
            Stage::Asking | Stage::AskingSecret { .. } | Stage::AwaitingToken | Stage::LastTry { .. } => {
                match self.armed_from {
                    Some(armed) if now < armed => armed.min(second()),
                    Some(_) | None => second(),
                }
            }
        }
    }

    /// How many seconds are left, where the person is waited for.
    pub(crate) fn seconds_left(&self, now: Duration) -> Option<u64> {
        match self.stage {
            Stage::Asking | Stage::AskingSecret { .. } | Stage::AwaitingToken | Stage::LastTry { .. } => {
                let left = self.deadline.saturating_sub(now);
                Some(left.as_secs() + u64::from(left.subsec_nanos() > 0))
            }
            Stage::Ended { .. } | Stage::Sent | Stage::Signing { .. } => None,
        }
    }

    /// The secret, as far as it concerns this moment.
    pub(crate) fn field(&self) -> Field {
        match &self.stage {
            Stage::Asking => self.unlocks.get(self.choice).map_or(Field::Nothing, field_of),
            Stage::AskingSecret { unlock, .. } => field_of(unlock),
            Stage::Sent => match self.unlocks.get(self.choice).map(field_of) {
                Some(Field::Reader) => Field::Reader,
                Some(Field::Locked | Field::Nothing | Field::TokenAbsent | Field::Typed(_)) | None => {
                    Field::Nothing
                }
            },
            Stage::AwaitingToken | Stage::Ended { .. } | Stage::LastTry { .. } | Stage::Signing { .. } => {
                Field::Nothing
            }
        }
    }

    /// How the chosen certificate is unlocked, as it came with the request.
    pub(crate) fn unlock(&self) -> Option<&Unlock> {
        self.unlocks.get(self.choice)
    }

    /// Whether a yes now would use the last try of a PIN.
    pub(super) fn is_last_try(&self) -> bool {
        let unlock = match &self.stage {
            Stage::Asking => self.unlock(),
            Stage::AskingSecret { unlock, .. } => Some(unlock),
            Stage::AwaitingToken
            | Stage::Ended { .. }
            | Stage::LastTry { .. }
            | Stage::Sent
            | Stage::Signing { .. } => None,
        };
        unlock.is_some_and(|unlock| match field_of(unlock) {
            Field::Reader | Field::Typed(Entered::Pin) => unlock.tries_left.is_last(),
            Field::Locked | Field::Nothing | Field::TokenAbsent | Field::Typed(Entered::Password) => false,
        })
    }

    /// Asks for the last try, armed anew: the key that said yes must not say it again. What was
    /// typed stays.
    pub(super) fn ask_last_try(&mut self) {
        let again = match std::mem::replace(&mut self.stage, Stage::Sent) {
            Stage::AskingSecret { unlock, .. } => Some(unlock),
            Stage::Asking
            | Stage::AwaitingToken
            | Stage::Ended { .. }
            | Stage::LastTry { .. }
            | Stage::Sent
            | Stage::Signing { .. } => None,
        };
        self.stage = Stage::LastTry { again };
        self.armed_from = None;
        self.scroll = 0.0;
        self.focus = self.first_focus();
    }

    /// The button that says yes.
    pub(crate) fn yes(&self, now: Duration) -> Button {
        let wanted = match self.stage {
            Stage::Asking | Stage::AskingSecret { .. } | Stage::LastTry { .. } => true,
            Stage::AwaitingToken | Stage::Ended { .. } | Stage::Sent | Stage::Signing { .. } => false,
        };
        if !wanted {
            return Button::Absent;
        }
        let ready = match self.field() {
            Field::Locked => false,
            Field::Typed(_) => self.letters > 0,
            Field::Nothing | Field::Reader | Field::TokenAbsent => true,
        };
        if ready && self.armed(now) && now < self.deadline { Button::Live } else { Button::Dead }
    }

    /// The button that says no, stops or closes.
    pub(crate) fn no_button(&self) -> Button {
        match self.stage {
            Stage::Asking
            | Stage::AskingSecret { .. }
            | Stage::AwaitingToken
            | Stage::Ended { .. }
            | Stage::LastTry { .. }
            | Stage::Sent => Button::Live,
            Stage::Signing { done, of } if of > 1 && done < of => Button::Live,
            // The key is at work: there is nothing left to stop.
            Stage::Signing { .. } => Button::Dead,
        }
    }

    /// Everything that the Tab key visits, in its order.
    pub(crate) fn order(&self) -> Vec<Target> {
        let mut order = Vec::new();
        if self.stage == Stage::Asking && self.summary.certificates.len() > 1 {
            order.push(Target::Certificate(self.choice));
        }
        // Enter on the body goes on; here nothing but the button does.
        if self.whole > self.seen && !matches!(self.stage, Stage::LastTry { .. }) {
            order.push(Target::Body);
        }
        if matches!(self.field(), Field::Typed(_)) {
            order.push(Target::Secret);
        }
        if self.remembers() {
            order.push(Target::Remember);
        }
        match self.no_button() {
            Button::Live => order.push(Target::No),
            Button::Absent | Button::Dead => {}
        }
        // Dead or not, it is found by the keyboard: a screen reader should know of it.
        match self.stage {
            Stage::Asking | Stage::AskingSecret { .. } | Stage::LastTry { .. } => order.push(Target::Yes),
            Stage::AwaitingToken | Stage::Ended { .. } | Stage::Sent | Stage::Signing { .. } => {}
        }
        order
    }

    /// Whether the box that makes the answer last is there.
    pub(crate) fn remembers(&self) -> bool {
        self.stage == Stage::Asking && self.summary.kind == Kind::Pairing
    }

    fn armed(&self, now: Duration) -> bool {
        self.armed_from.is_some_and(|from| now >= from)
    }

    fn enter(&mut self, stage: Stage, deadline: Duration) {
        self.stage = stage;
        self.deadline = deadline;
        self.letters = 0;
        self.typed_early = Typing::InTime;
        self.scroll = 0.0;
        self.focus = self.first_focus();
    }

    /// The field, else the button that says no; never the one that says yes.
    fn first_focus(&self) -> Target {
        match (&self.stage, self.field()) {
            // A second Enter after the yes is no no.
            (Stage::Sent | Stage::Signing { .. }, _) => Target::Body,
            (_, Field::Typed(_)) => Target::Secret,
            (
                Stage::Asking
                | Stage::AskingSecret { .. }
                | Stage::AwaitingToken
                | Stage::Ended { .. }
                | Stage::LastTry { .. },
                Field::Locked | Field::Nothing | Field::Reader | Field::TokenAbsent,
            ) => Target::No,
        }
    }
}

/// How long a result stays by itself; nothing where it stays until it is closed.
const fn stays(outcome: &Outcome, pending: bool) -> Option<Duration> {
    match outcome {
        Outcome::Approved => Some(GOOD_END),
        Outcome::Denied => Some(Duration::ZERO),
        Outcome::Cancelled | Outcome::Expired => Some(OTHER_END),
        Outcome::Failed { .. } if pending => Some(OTHER_END),
        Outcome::Failed { .. } => None,
    }
}

const fn field_of(unlock: &Unlock) -> Field {
    match (unlock.entry, unlock.key) {
        (Entry::Locked, _) => Field::Locked,
        (Entry::Password, Some(_)) => Field::Typed(Entered::Password),
        (Entry::Pin, Some(_)) => Field::Typed(Entered::Pin),
        (Entry::Reader, _) => Field::Reader,
        (Entry::TokenAbsent, _) => Field::TokenAbsent,
        // Without a key nothing can be sealed: the service asks again when it has one.
        (Entry::Nothing, _) | (Entry::Password | Entry::Pin, None) => Field::Nothing,
    }
}
