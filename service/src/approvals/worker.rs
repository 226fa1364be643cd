//! The blocking part of one request: it looks for credentials, holds their token hosts, passes
//! sealed secrets on, and signs. It ends, with its hosts, when its request has ended.

mod candidates;

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use signer_core::{credential::CredentialId, error::ErrorCode};
use signer_ipc::{message::Unlock, sealed::SealedSecret};

use crate::{
    approvals::worker::candidates::{Candidates, Unlocked},
    clock,
    credentials::CredentialStore,
    ports::{ListedCredential, SigningJob},
    sign::SignError,
    token::error::{Step, TokenError},
};

/// How often it is asked whether a token that is waited for may have come: a comparison of two
/// numbers, and only while a person is shown that it is waited for.
const ASK: Duration = Duration::from_millis(250);
/// How often such a token is looked for where nothing tells that one came.
const LOOK: Duration = Duration::from_secs(3);

/// What a worker is to do.
pub(super) enum Task {
    /// Look for the token of this certificate until it is there.
    Await { choice: u32 },
    /// Sign this document.
    Sign { item: u32 },
    /// Use the secret for the key of this certificate, once.
    Unlock { choice: u32, secret: Option<SealedSecret> },
}

/// What a worker has done.
#[derive(Debug)]
pub(super) enum Done {
    /// This document could not be signed.
    ItemFailed { item: u32, code: ErrorCode },
    /// This document is signed.
    ItemSigned { item: u32 },
    /// Nothing can be chosen.
    NothingFound { code: ErrorCode },
    /// These can be chosen, and so they are unlocked.
    Prepared { credentials: Vec<ListedCredential>, unlocks: Vec<Unlock> },
    /// The secret was wrong; the next one is given so.
    SecretIncorrect { tries_left: Option<u32>, unlock: Unlock },
    /// A secret is needed and there was none.
    SecretNeeded { unlock: Unlock },
    /// The token is not there.
    TokenAbsent,
    /// The token or its host failed, for good.
    TokenFailed { code: ErrorCode },
    /// The token is there, and its secret is given so.
    TokenPresent { unlock: Unlock },
    /// The key works.
    Unlocked,
}

/// What is looked for.
pub(super) enum Wanted {
    /// Certificates only; no key is used.
    Certificates,
    /// Keys: of one certificate, or of any.
    Keys { certificate: Option<CredentialId> },
}

/// Starts the worker of one request. It looks for what is wanted at once.
///
/// # Errors
/// Where no thread can be started.
pub(super) fn start(
    store: CredentialStore,
    wanted: Wanted,
    jobs: Vec<SigningJob>,
    report: impl Fn(Done) + Send + 'static,
) -> std::io::Result<mpsc::Sender<Task>> {
    let (sender, tasks) = mpsc::channel();
    let run = move || {
        let candidates = match Candidates::find(store, &wanted) {
            Ok(candidates) => candidates,
            Err(code) => return report(Done::NothingFound { code }),
        };
        report(Done::Prepared { credentials: candidates.credentials(), unlocks: candidates.unlocks() });
        let jobs = jobs.into_iter().map(Some).collect();
        Worker { candidates, jobs, unlocked: None, tasks }.run(&report);
    };
    thread::Builder::new().name("approval-work".to_owned()).spawn(run)?;
    Ok(sender)
}

struct Worker {
    candidates: Candidates,
    /// Each is taken once.
    jobs: Vec<Option<SigningJob>>,
    unlocked: Option<Unlocked>,
    tasks: mpsc::Receiver<Task>,
}

impl Worker {
    fn run(mut self, report: &dyn Fn(Done)) {
        while let Ok(task) = self.tasks.recv() {
            let done = match task {
                Task::Await { choice } => match self.wait_for_token(choice) {
                    Some(done) => done,
                    None => return,
                },
                Task::Sign { item } => self.sign(item),
                Task::Unlock { choice, secret } => self.unlock(choice, secret),
            };
            report(done);
        }
    }

    fn unlock(&mut self, choice: u32, secret: Option<SealedSecret>) -> Done {
        match self.candidates.unlock(choice, secret) {
            Ok(unlocked) => {
                self.unlocked = Some(unlocked);
                Done::Unlocked
            }
            Err(error) => self.refused(choice, &error),
        }
    }

    /// What a refused secret means, with the key for the next one where there can be one.
    fn refused(&mut self, choice: u32, error: &TokenError) -> Done {
        tracing::info!(code = error.code().as_str(), "a key was not unlocked");
        let again = match error {
            TokenError::PinIncorrect { tries_left } => Again::Incorrect(candidates::count(*tries_left)),
            TokenError::PasswordIncorrect => Again::Incorrect(None),
            TokenError::PinNeeded => Again::Needed,
            TokenError::Absent | TokenError::Removed => return Done::TokenAbsent,
            TokenError::Cancelled
            | TokenError::Crashed { .. }
            | TokenError::CredentialUnknown
            | TokenError::Failed { .. }
            | TokenError::FileDamaged { .. }
            | TokenError::FileUnreadable { .. }
            | TokenError::Internal { .. }
            | TokenError::KeyMismatch
            | TokenError::KeyUnsupported { .. }
            | TokenError::LoginEnded
            | TokenError::ModuleArchitecture { .. }
            | TokenError::ModuleNotFound
            | TokenError::ModuleQuarantined { .. }
            | TokenError::ModuleUnusable { .. }
            | TokenError::NoPrivateKey
            | TokenError::PinLocked
            | TokenError::Protocol(_)
            | TokenError::SecretUnreadable
            | TokenError::Start(_)
            | TokenError::TimedOut { .. }
            | TokenError::Unexpected => return Done::TokenFailed { code: error.code() },
        };
        match (self.candidates.next_unlock(choice), again) {
            (Ok(unlock), Again::Incorrect(tries_left)) => Done::SecretIncorrect { tries_left, unlock },
            (Ok(unlock), Again::Needed) => Done::SecretNeeded { unlock },
            (Err(error), Again::Incorrect(_) | Again::Needed) => Done::TokenFailed { code: error.code() },
        }
    }

    fn sign(&mut self, item: u32) -> Done {
        let job =
            usize::try_from(item).ok().and_then(|index| self.jobs.get_mut(index)).and_then(Option::take);
        let (Some(job), Some(unlocked)) = (job, &mut self.unlocked) else {
            return Done::ItemFailed { item, code: ErrorCode::Internal };
        };
        let Ok(now) = clock::now() else { return Done::ItemFailed { item, code: ErrorCode::Internal } };
        let Some((host, signer)) = self.candidates.ready(unlocked) else {
            return Done::TokenFailed { code: ErrorCode::Internal };
        };
        // A defect in the work on one document must not take the others along.
        let signed = catch_unwind(AssertUnwindSafe(|| job.work.sign(host, signer, now)));
        let choice = unlocked.choice;
        match &signed {
            Ok(Ok(())) => self.candidates.note(choice, Step::Sign, None),
            Ok(Err(SignError::Token(error))) => self.candidates.note(choice, Step::Sign, Some(error)),
            Ok(Err(_)) | Err(_) => {}
        }
        match signed {
            Ok(Ok(())) => Done::ItemSigned { item },
            Ok(Err(error)) if ends_the_token(&error) => {
                tracing::warn!(code = error.code().as_str(), "the token failed while it signed");
                Done::TokenFailed { code: error.code() }
            }
            Ok(Err(error)) => {
                tracing::info!(code = error.code().as_str(), "a document was not signed");
                tracing::debug!(error = %sources(&error), "why it was not signed");
                Done::ItemFailed { item, code: error.code() }
            }
            Err(_) => Done::ItemFailed { item, code: ErrorCode::Internal },
        }
    }

    /// Nothing where the request has ended meanwhile.
    fn wait_for_token(&mut self, choice: u32) -> Option<Done> {
        loop {
            let (seen, looked) = (self.candidates.changes(), Instant::now());
            if self.candidates.is_present(choice) {
                return Some(match self.candidates.next_unlock(choice) {
                    Ok(unlock) => Done::TokenPresent { unlock },
                    Err(error) => Done::TokenFailed { code: error.code() },
                });
            }
            while self.candidates.changes() == seen && looked.elapsed() < LOOK {
                match self.tasks.recv_timeout(ASK) {
                    Err(RecvTimeoutError::Timeout) => {}
                    // Nothing is asked of a worker that waits; the request ended.
                    Ok(_) | Err(RecvTimeoutError::Disconnected) => return None,
                }
            }
        }
    }
}

/// How a secret is asked for again.
enum Again {
    Incorrect(Option<u32>),
    Needed,
}

/// Whether no further document can be signed with this host.
const fn ends_the_token(error: &SignError) -> bool {
    match error {
        SignError::Token(error) => match error {
            TokenError::Absent
            | TokenError::Cancelled
            | TokenError::Crashed { .. }
            | TokenError::LoginEnded
            | TokenError::PinLocked
            | TokenError::PinNeeded
            | TokenError::Protocol(_)
            | TokenError::Removed
            | TokenError::Start(_)
            | TokenError::TimedOut { .. } => true,
            TokenError::CredentialUnknown
            | TokenError::Failed { .. }
            | TokenError::FileDamaged { .. }
            | TokenError::FileUnreadable { .. }
            | TokenError::Internal { .. }
            | TokenError::KeyMismatch
            | TokenError::KeyUnsupported { .. }
            | TokenError::ModuleArchitecture { .. }
            | TokenError::ModuleNotFound
            | TokenError::ModuleQuarantined { .. }
            | TokenError::ModuleUnusable { .. }
            | TokenError::NoPrivateKey
            | TokenError::PasswordIncorrect
            | TokenError::PinIncorrect { .. }
            | TokenError::SecretUnreadable
            | TokenError::Unexpected => false,
        },
        SignError::Check(_)
        | SignError::Destination(_)
        | SignError::Input(_)
        | SignError::InputChanged
        | SignError::Pades(_) => false,
    }
}

fn sources(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        words.push_str(": ");
        words.push_str(&error.to_string());
        source = error.source();
    }
    words
}
