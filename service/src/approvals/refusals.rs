//! Requests that were refused before anybody was asked: who asked in vain, for what and why.
//!
//! The audit trail is to show every attempt to have a key used (CCSP's clients are not trusted
//! for being paired), and law 3 of the approval asks for an outcome of whatever was answered.
//! So a request of a paired client that the person never saw leaves one record, the outcome. It
//! has no intent: nobody was about to be asked. Not written down are
//!
//! - requests to be let in: anybody may send them, and no key is concerned;
//! - requests that were taken back before they were shown: their clients ended them;
//! - requests that do not fit the contract: they never were requests.
//!
//! A client may be refused as often as it likes, and must not fill the disk by it. Records are
//! written for the first refusals, and then for one every few minutes; the others are counted in
//! the log.

use std::{
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use signer_core::{
    approval::summary::{Subject, Summary},
    error::ErrorCode,
};
use signer_ipc::message::ApprovalNumber;

use crate::audit::Ledger;

/// How many refusals are written down in a row.
const MOST: u32 = 16;
/// After which time one more is. A record of a hundred documents has some 12 kB: a day of
/// refusals is less than 4 MB.
const EVERY: Duration = Duration::from_secs(300);

/// Writes refusals down.
pub(super) struct Refusals {
    ledger: Ledger,
    allowance: Mutex<Allowance>,
}

/// How many may still be written.
struct Allowance {
    left: u32,
    /// Since when the next one is earned.
    since: Instant,
    /// How many were not written since the last one that was.
    passed_over: u64,
}

impl Refusals {
    pub(super) fn new(ledger: Ledger) -> Self {
        let allowance = Allowance { left: MOST, since: Instant::now(), passed_over: 0 };
        Self { ledger, allowance: Mutex::new(allowance) }
    }

    /// Writes down that a request was refused, and calls `then` after that, or at once where it
    /// is not written. Does not block: the disk is waited for on a thread of its own.
    pub(super) fn note(
        &self,
        summary: &Summary,
        code: ErrorCode,
        number: ApprovalNumber,
        then: impl FnOnce() + Send + 'static,
    ) {
        let concerns_a_key = match summary.subject() {
            Subject::Pairing { .. } => false,
            Subject::Selection { .. } | Subject::Signature { .. } => true,
        };
        if !concerns_a_key || !self.may_write(Instant::now()) {
            return then();
        }
        let entry = self.ledger.refusal(summary, code, number);
        let ledger = self.ledger.clone();
        let write = move || {
            if let Err(error) = entry.and_then(|entry| ledger.append(&entry)) {
                // The request is refused all the same, and nothing was signed.
                tracing::error!(%error, "a refusal is missing in the audit trail");
            }
            then();
        };
        if let Err(error) = thread::Builder::new().name("audit".to_owned()).spawn(write) {
            tracing::error!(%error, "no thread for the audit trail");
        }
    }

    fn may_write(&self, now: Instant) -> bool {
        let mut allowance = self.allowance.lock().unwrap_or_else(PoisonError::into_inner);
        let may = allowance.take(now);
        if may && allowance.passed_over > 0 {
            tracing::warn!(count = allowance.passed_over, "refusals were not written down: too many");
            allowance.passed_over = 0;
        } else if !may {
            allowance.passed_over = allowance.passed_over.saturating_add(1);
        }
        may
    }
}

impl Allowance {
    fn take(&mut self, now: Instant) -> bool {
        while self.left < MOST && now.saturating_duration_since(self.since) >= EVERY {
            self.left += 1;
            self.since += EVERY;
        }
        if self.left == MOST {
            self.since = now;
        }
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_written_down_and_then_few() {
        let start = Instant::now();
        let mut allowance = Allowance { left: MOST, since: start, passed_over: 0 };
        let written = |allowance: &mut Allowance, now| (0..1000).filter(|_| allowance.take(now)).count();
        assert_eq!(written(&mut allowance, start), 16);
        assert_eq!(written(&mut allowance, start + EVERY / 2), 0);
        assert_eq!(written(&mut allowance, start + EVERY), 1);
        assert_eq!(written(&mut allowance, start + EVERY * 4), 3);
        let day = Duration::from_secs(86_400);
        let hourly: usize =
            (1..=24).map(|hour| written(&mut allowance, start + EVERY * 4 + day / 24 * hour)).sum();
        assert_eq!(hourly, 24 * 12);
        assert_eq!(written(&mut allowance, start + day * 30), 16, "never more than the first");
    }
}
