//! Asks the person, one request at a time, and does what was approved.
//!
//! One thread drives (`driver`): it feeds the state machine of core with what happens and
//! executes what it asks for. What may block is done elsewhere: token hosts and signing by the
//! worker of each request (`worker`), records on threads of their own.

mod asking;
mod driver;
mod refusals;
mod request;
mod worker;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use signer_core::{
    approval::{
        Outcome, Record,
        queue::{Limits, Place, Queue},
        summary::Client,
    },
    error::ErrorCode,
};
use signer_ipc::message::{ApprovalNumber, Lasting, Role};
use tokio::sync::watch;

use crate::{
    agents::{Agents, Heard},
    approvals::{driver::Driver, refusals::Refusals, worker::Done},
    audit::Ledger,
    config::{Config, TerminalUse},
    credentials::CredentialStore,
    ports::{ApprovalHandle, ApprovalRequest, ApprovalState, Approvals, CancelHandle, Ended},
    text::Language,
    tray::{TrayError, TrayProgram},
};

/// The approvals of this login. Clones are the same.
#[derive(Clone)]
pub struct ApprovalDesk(Arc<Desk>);

struct Desk {
    inbox: mpsc::Sender<Message>,
    queue: Mutex<Queue<Counted>>,
    next: AtomicU64,
    agents: Agents,
    tray: TrayProgram,
    terminal: TerminalUse,
    ledger: Ledger,
    refusals: Refusals,
    /// When it was last found that no window can be shown.
    no_display: Mutex<Option<Instant>>,
    /// Whether the service was told to end.
    ends: AtomicBool,
}

/// How long it counts that no window could be shown; after that it is tried again.
const NO_DISPLAY: Duration = Duration::from_secs(30);
/// How long the end may take beside the patience with a signature: records, and trays that go.
const SETTLING: Duration = Duration::from_secs(8);

/// What the driver is made of.
pub struct Parts {
    /// Where intents and outcomes are written down.
    pub ledger: Ledger,
    /// What can sign.
    pub credentials: CredentialStore,
    /// How to start the tray.
    pub tray: TrayProgram,
    /// The language of the person.
    pub language: Language,
}

/// What the driver is told.
enum Message {
    /// A request that was let into the line.
    Asked {
        number: ApprovalNumber,
        request: ApprovalRequest,
        state: watch::Sender<ApprovalState>,
        turn: Turn,
    },
    /// The client withdrew it.
    Cancelled { number: ApprovalNumber },
    /// Somebody who asks the person.
    Heard(Heard),
    /// A record is on disk, or not.
    Recorded { number: ApprovalNumber, record: Record, result: Result<(), ErrorCode> },
    /// The service stops; tell when everything is settled, and wait so long for a signature.
    Stop { settled: mpsc::Sender<()>, patience: Duration },
    /// The tray ended, connected or not.
    TrayEnded { start: u64, error: TrayError },
    /// The tray was started.
    TrayStarted { start: u64, tray: crate::tray::StartedTray },
    /// The worker of a request has done something.
    Worked { number: ApprovalNumber, done: Done },
}

/// Whether a request waits for others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Later,
    Now,
}

/// What a client is counted by, so that none fills the line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Counted {
    Program { path: Option<String> },
    Site { origin: String },
}

impl ApprovalDesk {
    /// Starts the driver. Nothing is asked and nothing opened yet.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(config: &Config, parts: Parts) -> std::io::Result<Self> {
        let (inbox, messages) = mpsc::channel();
        let hear = inbox.clone();
        let agents = Agents::new(config.terminal, parts.language, move |heard| {
            // Fails after the driver has ended, when nothing matters any more.
            let _ = hear.send(Message::Heard(heard));
        });
        let desk = Arc::new(Desk {
            inbox,
            queue: Mutex::new(Queue::new(Limits::default())),
            next: AtomicU64::new(1),
            agents,
            tray: parts.tray,
            terminal: config.terminal,
            refusals: Refusals::new(parts.ledger.clone()),
            ledger: parts.ledger,
            no_display: Mutex::new(None),
            ends: AtomicBool::new(false),
        });
        let driver =
            Driver::new(Arc::clone(&desk), messages, parts.credentials, config.deadlines, parts.language);
        thread::Builder::new().name("approvals".to_owned()).spawn(move || driver.run())?;
        Ok(Self(desk))
    }

    /// Those who can ask the person.
    pub fn agents(&self) -> &Agents {
        &self.0.agents
    }

    /// Ends everything: what waits is cancelled, what is shown is taken away, a signature that is
    /// being made is waited for as long as `patience` lasts; then its token host is ended. The
    /// trays have ended when this returns. Blocks, some seconds longer than `patience` at most.
    pub fn stop(&self, patience: Duration) {
        // Before the terminals go: nobody is told that there is nobody to ask.
        self.0.ends.store(true, Ordering::Relaxed);
        let (settled, wait) = mpsc::channel();
        let late = mpsc::RecvTimeoutError::Timeout;
        if self.0.inbox.send(Message::Stop { settled, patience }).is_ok()
            && wait.recv_timeout(patience + SETTLING) == Err(late)
        {
            tracing::warn!("an approval was not settled before the end");
        }
        self.0.agents.dismiss_all(Role::Terminal);
    }
}

impl Approvals for ApprovalDesk {
    fn open(&self, request: ApprovalRequest) -> Result<ApprovalHandle, ErrorCode> {
        // At the end nobody is there, and the driver cancels what comes.
        if !self.0.ends.load(Ordering::Relaxed) && !self.can_ask() {
            self.refused(request, ErrorCode::TrayUnavailable);
            return Err(ErrorCode::TrayUnavailable);
        }
        self.0.ledger.check().map_err(|error| error.code())?;
        let number = self.0.number();
        let (state, view) = watch::channel(ApprovalState::Waiting);
        {
            // The driver hears of requests in the order of the line.
            let mut queue = self.0.queue();
            let turn = match queue.enter(number, Counted::of(&request.client)) {
                Ok(Place::Now) => Turn::Now,
                Ok(Place::Behind(_)) => Turn::Later,
                Err(busy) => {
                    drop(queue);
                    self.refused(request, busy.code());
                    return Err(busy.code());
                }
            };
            if self.0.inbox.send(Message::Asked { number, request, state, turn }).is_err() {
                queue.leave(number);
                return Err(ErrorCode::Internal);
            }
        }
        let inbox = self.0.inbox.clone();
        let cancel = CancelHandle::new(move || {
            // Fails after the end, when there is nothing to cancel.
            let _ = inbox.send(Message::Cancelled { number });
        });
        Ok(ApprovalHandle { number, state: view, cancel })
    }

    fn refused(&self, request: ApprovalRequest, code: ErrorCode) {
        let (wish, _) = request::split(request.client, request.subject);
        // The client is told at once; what it is told changes nothing anywhere.
        self.0.refusals.note(&wish.into_summary(&[]), code, self.0.number(), || {});
    }

    fn can_ask(&self) -> bool {
        let terminal =
            self.0.agents.latest(Role::Terminal).is_some() && self.0.terminal != TerminalUse::Never;
        terminal
            || self.0.agents.latest(Role::Tray).is_some()
            || (self.0.tray.may_show() && !self.0.has_no_display())
    }
}

impl Desk {
    fn number(&self) -> ApprovalNumber {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// What can be seen from outside is a guess. A tray that found no display knows better, but
    /// not for ever: the person may log in.
    fn remember_no_display(&self) {
        *self.no_display() = Some(Instant::now());
    }

    fn forget_no_display(&self) {
        *self.no_display() = None;
    }

    fn has_no_display(&self) -> bool {
        self.no_display().is_some_and(|found| found.elapsed() < NO_DISPLAY)
    }

    fn no_display(&self) -> MutexGuard<'_, Option<Instant>> {
        self.no_display.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue(&self) -> MutexGuard<'_, Queue<Counted>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counted {
    fn of(client: &Client) -> Self {
        match client {
            Client::Program { path, .. } => Self::Program { path: path.clone() },
            Client::Site { origin, .. } => Self::Site { origin: origin.clone() },
        }
    }
}

/// The end of a request that never came to a decision.
fn ended(outcome: Outcome) -> ApprovalState {
    ApprovalState::Ended(Ended { outcome, lasting: Lasting::Once, items: Vec::new(), certificate: None })
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
