//! The state machine: which event leads where, and what is done about it.
//!
//! While the person is asked or the secret is awaited, whatever ends the approval ends it whole
//! and no signature leaves. While the key works nothing interrupts it; what cannot be signed is
//! marked, document by document, and a no stops those that have not begun.

use std::time::Duration;

use crate::{
    approval::{
        Deadlines, Effect, Event, Instant, LastTry, Outcome, Record, SecretReason,
        items::{Item, Items},
        summary::{Certificate, Subject, Summary},
    },
    digest::Digest,
    error::ErrorCode,
};

/// One request on its way to one outcome. Dropping it forgets it; nothing is persisted.
pub struct Approval {
    summary: Summary,
    deadlines: Deadlines,
    state: State,
    /// One for each document of the summary.
    items: Items,
    choice: Option<u32>,
    now: Instant,
    /// When the state has lasted too long.
    until: Instant,
    /// When the whole has lasted too long.
    end_of_life: Instant,
}

/// Where an approval is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The intent is being written down.
    Requested,
    /// Somebody is sought who asks the person.
    Summoning,
    /// The person sees it.
    Presented,
    /// The person said yes, and the token is not there.
    AwaitingToken,
    /// The secret is asked for or tried.
    Unlocking,
    /// The key works.
    Signing,
    /// The outcome is decided and is being written down.
    Settling,
    /// The client was answered.
    Ended,
}

#[derive(Clone, Copy)]
enum State {
    AwaitingToken { choice: u32 },
    Ended { outcome: Outcome },
    Presented,
    Requested,
    Settling { outcome: Outcome },
    Signing { choice: u32, asker: Asker, stop: Option<Outcome> },
    Summoning,
    Unlocking { choice: u32, secret: Secret },
}

/// Whether the person can still be asked for the secret while the key works.
#[derive(Clone, Copy)]
enum Asker {
    Gone,
    There,
}

/// What there is of a secret that is never here.
#[derive(Clone, Copy)]
enum Secret {
    /// The person was told how many tries are left, where that is known.
    Asked {
        tries_left: Option<u32>,
    },
    Tried,
}

impl Approval {
    /// Begins. The first effect asks for the record of the intent.
    pub fn open(summary: Summary, deadlines: Deadlines, now: Instant) -> (Self, Vec<Effect>) {
        let documents = summary.documents().len();
        let each = deadlines.unlocking.saturating_add(deadlines.signing);
        let all = each.saturating_mul(u32::try_from(documents).unwrap_or(u32::MAX));
        let approval = Self {
            deadlines,
            state: State::Requested,
            items: Items::waiting(documents),
            choice: None,
            now,
            until: now.after(deadlines.recording),
            end_of_life: now.after(deadlines.life.saturating_add(all)),
            summary,
        };
        (approval, vec![Effect::Record(Record::Intent)])
    }

    /// Takes what happened, and says what is to be done about it. Events that mean nothing where
    /// the approval is, because they are late or repeated, change nothing. A deadline that has
    /// passed comes before the event.
    pub fn on(&mut self, event: Event, now: Instant) -> Vec<Effect> {
        self.now = self.now.max(now);
        let mut effects = Vec::new();
        // A record on disk counts, however late that is told: the answer must not contradict it.
        if self.settling().is_none() {
            effects.extend(self.expire_if_due());
        }
        effects.extend(self.step(event));
        effects.extend(self.expire_if_due());
        effects
    }

    /// When [`Event::Tick`] is due; none after the end.
    pub fn deadline(&self) -> Option<Instant> {
        match self.state {
            State::Ended { .. } => None,
            State::Settling { .. } => Some(self.until),
            State::AwaitingToken { .. }
            | State::Presented
            | State::Requested
            | State::Signing { .. }
            | State::Summoning
            | State::Unlocking { .. } => Some(self.until.min(self.end_of_life)),
        }
    }

    /// How it ended; none before the client may be answered.
    pub const fn outcome(&self) -> Option<Outcome> {
        match self.state {
            State::Ended { outcome } => Some(outcome),
            State::AwaitingToken { .. }
            | State::Presented
            | State::Requested
            | State::Settling { .. }
            | State::Signing { .. }
            | State::Summoning
            | State::Unlocking { .. } => None,
        }
    }

    /// Where it is.
    pub const fn stage(&self) -> Stage {
        match self.state {
            State::AwaitingToken { .. } => Stage::AwaitingToken,
            State::Ended { .. } => Stage::Ended,
            State::Presented => Stage::Presented,
            State::Requested => Stage::Requested,
            State::Settling { .. } => Stage::Settling,
            State::Signing { .. } => Stage::Signing,
            State::Summoning => Stage::Summoning,
            State::Unlocking { .. } => Stage::Unlocking,
        }
    }

    /// What is asked.
    pub const fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The certificate that the person chose, once the person confirmed.
    pub const fn choice(&self) -> Option<u32> {
        self.choice
    }

    /// What became of each document so far.
    pub fn items(&self) -> &[Item] {
        self.items.as_slice()
    }

    /// What the client is told of each document, once it ended: `Ok` for those that leave.
    pub fn results(&self) -> Option<Vec<Result<(), ErrorCode>>> {
        Some(self.items.results(self.outcome()?.code()))
    }

    fn expire_if_due(&mut self) -> Vec<Effect> {
        if self.deadline().is_none_or(|deadline| self.now < deadline) {
            return Vec::new();
        }
        match self.state {
            State::AwaitingToken { .. } | State::Presented => self.settle(Outcome::Expired),
            State::Ended { .. } => Vec::new(),
            State::Requested => self.settle(Outcome::Failed(ErrorCode::AuditUnavailable)),
            State::Settling { .. } => self.end(Outcome::Failed(ErrorCode::AuditUnavailable)),
            State::Signing { .. } => self.token_failed(ErrorCode::TokenFailed),
            State::Summoning => self.settle(Outcome::Failed(ErrorCode::TrayUnavailable)),
            State::Unlocking { secret: Secret::Asked { .. }, .. } => self.settle(Outcome::Expired),
            // Here the person has answered, and the token has not.
            State::Unlocking { secret: Secret::Tried, .. } => self.token_failed(ErrorCode::TokenFailed),
        }
    }

    fn step(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::ClientGone | Event::ShuttingDown => self.stop(Outcome::Cancelled),
            Event::Confirmed { shown, choice, last_try } => self.confirmed(&shown, choice, last_try),
            Event::Denied => self.denied(),
            Event::ItemFailed { item, code } => self.item_ended(item, Item::Failed(code)),
            Event::ItemSigned { item } => self.item_ended(item, Item::Signed),
            Event::LastTryNotConfirmed => self.last_try_not_confirmed(),
            Event::Recorded(record) => self.recorded(record),
            Event::RecordFailed(record) => self.record_failed(record),
            Event::SecretGiven { last_try } => self.secret_given(last_try),
            Event::SecretIncorrect { tries_left } => self.secret_incorrect(tries_left),
            Event::SecretNeeded => self.secret_needed(),
            Event::Tick => Vec::new(),
            Event::TokenAbsent => self.token_absent(),
            Event::TokenFailed { code } => self.token_failed(code),
            Event::TokenPresent => self.token_present(),
            Event::TrayGone => self.tray_gone(),
            Event::TrayReady => self.tray_ready(),
            Event::Unlocked => self.unlocked(),
        }
    }

    fn recorded(&mut self, record: Record) -> Vec<Effect> {
        match record {
            Record::Intent => {
                let State::Requested = self.state else { return Vec::new() };
                self.enter(State::Summoning, self.deadlines.summoning);
                vec![Effect::SummonTray]
            }
            Record::Outcome(recorded) => match self.settling() {
                Some(outcome) if outcome == recorded => self.end(outcome),
                Some(_) | None => Vec::new(),
            },
        }
    }

    fn record_failed(&mut self, record: Record) -> Vec<Effect> {
        match record {
            Record::Intent => {
                let State::Requested = self.state else { return Vec::new() };
                self.settle(Outcome::Failed(ErrorCode::AuditUnavailable))
            }
            Record::Outcome(failed) => match self.settling() {
                Some(outcome) if outcome == failed => self.end(Outcome::Failed(ErrorCode::AuditUnavailable)),
                Some(_) | None => Vec::new(),
            },
        }
    }

    fn tray_ready(&mut self) -> Vec<Effect> {
        let State::Summoning = self.state else { return Vec::new() };
        self.enter(State::Presented, self.deadlines.presented);
        vec![Effect::Present]
    }

    fn confirmed(&mut self, shown: &Digest, choice: Option<u32>, last_try: LastTry) -> Vec<Effect> {
        let State::Presented = self.state else { return Vec::new() };
        let among = |certificates: &[Certificate]| {
            choice.and_then(|choice| certificates.get(usize::try_from(choice).ok()?)).is_some()
        };
        let (fits, signs) = match self.summary.subject() {
            Subject::Pairing { .. } => (choice.is_none(), None),
            Subject::Selection { certificates } => (among(certificates), None),
            Subject::Signature { certificates, documents, reason: _, signature_type: _ } => {
                (among(certificates) && !documents.is_empty(), choice)
            }
        };
        if shown != self.summary.digest() || !fits {
            return self.settle(Outcome::Failed(ErrorCode::Internal));
        }
        self.choice = choice;
        match signs {
            Some(choice) => self.try_secret(choice, last_try),
            None => self.settle(Outcome::Approved { choice }),
        }
    }

    fn secret_given(&mut self, last_try: LastTry) -> Vec<Effect> {
        let State::Unlocking { choice, secret: Secret::Asked { tries_left } } = self.state else {
            return Vec::new();
        };
        match (tries_left, last_try) {
            // Whoever asks was told to ask for it.
            (Some(1), LastTry::NotConfirmed) => self.settle(Outcome::Failed(ErrorCode::PinLastTry)),
            (None | Some(_), _) => self.try_secret(choice, last_try),
        }
    }

    /// The token knew better how many tries are left.
    fn last_try_not_confirmed(&mut self) -> Vec<Effect> {
        let State::Unlocking { choice, secret: Secret::Tried } = self.state else { return Vec::new() };
        self.ask_secret(choice, SecretReason::LastTry, Some(1))
    }

    fn secret_incorrect(&mut self, tries_left: Option<u32>) -> Vec<Effect> {
        let State::Unlocking { choice, secret: Secret::Tried } = self.state else { return Vec::new() };
        match tries_left {
            Some(0) => self.settle(Outcome::Failed(ErrorCode::PinLocked)),
            None | Some(_) => self.ask_secret(choice, SecretReason::Incorrect, tries_left),
        }
    }

    fn secret_needed(&mut self) -> Vec<Effect> {
        match self.state {
            State::Unlocking { choice, secret: Secret::Tried } if self.items.untouched() => {
                self.ask_secret(choice, SecretReason::First, None)
            }
            State::Unlocking { choice, secret: Secret::Tried } => {
                self.ask_secret(choice, SecretReason::EverySignature, None)
            }
            State::Signing { stop: Some(outcome), .. } => self.settle(outcome),
            State::Signing { asker: Asker::Gone, .. } => {
                self.settle(Outcome::Failed(ErrorCode::TrayUnavailable))
            }
            State::Signing { choice, .. } => self.ask_secret(choice, SecretReason::EverySignature, None),
            State::AwaitingToken { .. }
            | State::Ended { .. }
            | State::Presented
            | State::Requested
            | State::Settling { .. }
            | State::Summoning
            | State::Unlocking { secret: Secret::Asked { .. }, .. } => Vec::new(),
        }
    }

    fn unlocked(&mut self) -> Vec<Effect> {
        let State::Unlocking { choice, secret: Secret::Tried } = self.state else { return Vec::new() };
        self.sign_next(choice, Asker::There)
    }

    fn item_ended(&mut self, item: u32, result: Item) -> Vec<Effect> {
        let State::Signing { choice, asker, stop } = self.state else { return Vec::new() };
        if self.items.current() != Some(item) {
            return Vec::new();
        }
        self.items.end_current(result);
        if let Some(code) = stop.and_then(Outcome::code) {
            self.items.give_up(code);
        }
        self.sign_next(choice, asker)
    }

    fn token_absent(&mut self) -> Vec<Effect> {
        match self.state {
            State::Unlocking { choice, .. } if self.items.untouched() => {
                self.enter(State::AwaitingToken { choice }, self.deadlines.awaiting_token);
                vec![Effect::AwaitToken]
            }
            State::Signing { .. } | State::Unlocking { .. } => self.token_failed(ErrorCode::TokenRemoved),
            State::AwaitingToken { .. }
            | State::Ended { .. }
            | State::Presented
            | State::Requested
            | State::Settling { .. }
            | State::Summoning => Vec::new(),
        }
    }

    fn token_present(&mut self) -> Vec<Effect> {
        let State::AwaitingToken { choice } = self.state else { return Vec::new() };
        self.ask_secret(choice, SecretReason::First, None)
    }

    fn token_failed(&mut self, code: ErrorCode) -> Vec<Effect> {
        match self.state {
            State::AwaitingToken { .. } | State::Unlocking { .. } => self.settle(Outcome::Failed(code)),
            State::Signing { choice, asker, .. } => {
                self.items.give_up(code);
                self.sign_next(choice, asker)
            }
            State::Ended { .. }
            | State::Presented
            | State::Requested
            | State::Settling { .. }
            | State::Summoning => Vec::new(),
        }
    }

    fn tray_gone(&mut self) -> Vec<Effect> {
        match self.state {
            State::AwaitingToken { .. } | State::Presented | State::Summoning | State::Unlocking { .. } => {
                self.settle(Outcome::Failed(ErrorCode::TrayUnavailable))
            }
            State::Signing { choice, stop, .. } => {
                self.state = State::Signing { choice, asker: Asker::Gone, stop };
                Vec::new()
            }
            State::Ended { .. } | State::Requested | State::Settling { .. } => Vec::new(),
        }
    }

    /// A no is a deed of a person who sees the request; before that it is not taken for one.
    fn denied(&mut self) -> Vec<Effect> {
        match self.state {
            State::Requested | State::Summoning => Vec::new(),
            State::AwaitingToken { .. }
            | State::Ended { .. }
            | State::Presented
            | State::Settling { .. }
            | State::Signing { .. }
            | State::Unlocking { .. } => self.stop(Outcome::Denied),
        }
    }

    fn stop(&mut self, outcome: Outcome) -> Vec<Effect> {
        match self.state {
            State::AwaitingToken { .. }
            | State::Presented
            | State::Requested
            | State::Summoning
            | State::Unlocking { .. } => self.settle(outcome),
            State::Ended { .. } | State::Settling { .. } => Vec::new(),
            State::Signing { choice, asker, stop } => {
                self.state = State::Signing { choice, asker, stop: stop.or(Some(outcome)) };
                Vec::new()
            }
        }
    }

    fn ask_secret(&mut self, choice: u32, reason: SecretReason, tries_left: Option<u32>) -> Vec<Effect> {
        let secret = Secret::Asked { tries_left };
        self.enter(State::Unlocking { choice, secret }, self.deadlines.unlocking);
        vec![Effect::AskSecret { reason, tries_left }]
    }

    fn try_secret(&mut self, choice: u32, last_try: LastTry) -> Vec<Effect> {
        self.enter(State::Unlocking { choice, secret: Secret::Tried }, self.deadlines.unlocking);
        vec![Effect::Unlock { choice, last_try }]
    }

    fn sign_next(&mut self, choice: u32, asker: Asker) -> Vec<Effect> {
        if let Some(item) = self.items.current() {
            self.enter(State::Signing { choice, asker, stop: None }, self.deadlines.signing);
            return vec![Effect::Sign { choice, item }];
        }
        self.settle(match self.items.verdict() {
            Ok(()) => Outcome::Approved { choice: Some(choice) },
            Err(code) => Outcome::Failed(code),
        })
    }

    fn settle(&mut self, outcome: Outcome) -> Vec<Effect> {
        self.enter(State::Settling { outcome }, self.deadlines.recording);
        vec![Effect::Record(Record::Outcome(outcome))]
    }

    fn end(&mut self, outcome: Outcome) -> Vec<Effect> {
        self.state = State::Ended { outcome };
        vec![Effect::Reply { outcome }, Effect::Dismiss { outcome }]
    }

    fn enter(&mut self, state: State, duration: Duration) {
        self.state = state;
        self.until = self.now.after(duration);
    }

    const fn settling(&self) -> Option<Outcome> {
        match self.state {
            State::Settling { outcome } => Some(outcome),
            State::AwaitingToken { .. }
            | State::Ended { .. }
            | State::Presented
            | State::Requested
            | State::Signing { .. }
            | State::Summoning
            | State::Unlocking { .. } => None,
        }
    }
}
