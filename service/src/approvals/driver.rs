//! The loop: what happens goes into the machine, what the machine asks for is done.

mod effects;
mod heard;
mod trays;

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    time::{Duration, Instant as Moment},
};

use signer_core::{
    approval::{Approval, Deadlines, Event, Instant, Outcome},
    error::ErrorCode,
};
use signer_ipc::message::{ApprovalNumber, Role, ToTray};
use tokio::sync::watch;

use crate::{
    approvals::{
        Desk, Message, Turn,
        asking::{Asker, Asking, Stage, Withdrawn},
        driver::trays::Trays,
        ended,
        request::{Wish, split},
        worker::{self, Done, Wanted},
    },
    credentials::CredentialStore,
    ports::{ApprovalRequest, ApprovalState, RequestSubject},
    text::Language,
};

/// How long a tray that has nothing to show stays. Shorter than the time after which it would
/// leave by itself, so that none is ever asked while it leaves.
const LINGER: Duration = Duration::from_secs(20);

pub(super) struct Driver {
    desk: Arc<Desk>,
    messages: mpsc::Receiver<Message>,
    store: CredentialStore,
    deadlines: Deadlines,
    language: Language,
    /// The zero of the machine's clock.
    start: Moment,
    waiting: BTreeMap<ApprovalNumber, Waiting>,
    current: Option<Asking>,
    trays: Trays,
    /// When a tray with nothing to show is sent away.
    linger: Option<Moment>,
    stopping: Stopping,
}

/// How far the service is from its end.
enum Stopping {
    /// It runs.
    No,
    /// Nothing is left.
    Settled,
    /// Something is left; `until` is dropped, and so heard, when nothing is.
    Settling { _until: mpsc::Sender<()>, give_up_at: Option<Moment> },
}

struct Waiting {
    request: ApprovalRequest,
    state: watch::Sender<ApprovalState>,
}

impl Driver {
    pub(super) fn new(
        desk: Arc<Desk>,
        messages: mpsc::Receiver<Message>,
        store: CredentialStore,
        deadlines: Deadlines,
        language: Language,
    ) -> Self {
        Self {
            desk,
            messages,
            store,
            deadlines,
            language,
            start: Moment::now(),
            waiting: BTreeMap::new(),
            current: None,
            trays: Trays::default(),
            linger: None,
            stopping: Stopping::No,
        }
    }

    /// Drives until the process ends. Sleeps while nothing is to be done.
    pub(super) fn run(mut self) {
        loop {
            let received = match self.next_deadline() {
                Some(end) => self.messages.recv_timeout(end.saturating_duration_since(Moment::now())),
                None => self.messages.recv().map_err(RecvTimeoutError::from),
            };
            match received {
                Ok(message) => self.take(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.feed(Event::Tick);
            self.fall_back_if_due();
            self.linger_if_idle();
            self.end_late_trays();
            self.settle_if_stopping();
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Asked { number, request, state, turn } => self.asked(number, request, state, turn),
            Message::Cancelled { number } => self.cancelled(number),
            Message::Heard(heard) => self.heard(heard),
            Message::Recorded { number, record, result } => {
                if self.is_current(number) {
                    self.feed(match result {
                        Ok(()) => Event::Recorded(record),
                        Err(code) => {
                            tracing::error!(code = code.as_str(), "a record of the audit trail is missing");
                            Event::RecordFailed(record)
                        }
                    });
                }
            }
            Message::Stop { settled, patience } => self.stop(settled, patience),
            Message::TrayEnded { start, error } => self.tray_ended(start, &error),
            Message::TrayStarted { start, tray } => self.tray_started(start, tray),
            Message::Worked { number, done } => {
                if self.is_current(number) {
                    self.worked(done);
                }
            }
        }
    }

    fn asked(
        &mut self,
        number: ApprovalNumber,
        request: ApprovalRequest,
        state: watch::Sender<ApprovalState>,
        turn: Turn,
    ) {
        if !self.runs() {
            state.send_replace(ended(Outcome::Cancelled));
            self.desk.queue().leave(number);
            return;
        }
        match turn {
            Turn::Now => self.begin(number, request, state),
            Turn::Later => {
                self.waiting.insert(number, Waiting { request, state });
                // Its turn may have come between the line and here.
                self.begin_next();
                self.tell_waiting();
            }
        }
    }

    fn begin(
        &mut self,
        number: ApprovalNumber,
        request: ApprovalRequest,
        state: watch::Sender<ApprovalState>,
    ) {
        tracing::info!(approval = number, "somebody asks");
        self.linger = None;
        let wanted = match &request.subject {
            RequestSubject::Pairing { .. } => None,
            RequestSubject::Selection => Some(Wanted::Certificates),
            RequestSubject::Signature { certificate, .. } => {
                Some(Wanted::Keys { certificate: certificate.clone() })
            }
        };
        let (wish, jobs) = split(request.client, request.subject);
        let Some(wanted) = wanted else {
            self.current = Some(Asking::new(number, state, wish, None));
            return self.open_machine();
        };
        let inbox = self.desk.inbox.clone();
        let report = move |done| {
            // Fails when the driver has ended.
            let _ = inbox.send(Message::Worked { number, done });
        };
        match worker::start(self.store.clone(), wanted, jobs, report) {
            Ok(worker) => self.current = Some(Asking::new(number, state, wish, Some(worker))),
            Err(error) => {
                tracing::error!(%error, "no thread for an approval");
                self.current = Some(Asking::new(number, state, wish, None));
                self.refuse_current(Outcome::Failed(ErrorCode::Internal));
            }
        }
    }

    /// Ends a request for which nobody was asked. One that failed is written down first; one that
    /// was taken back is not.
    fn refuse_current(&mut self, outcome: Outcome) {
        let Some(current) = self.current.take() else { return };
        let number = current.number;
        tracing::info!(approval = number, outcome = outcome.as_str(), "not asked");
        let state = current.state;
        let answer = move || {
            state.send_replace(ended(outcome));
        };
        match (outcome.code(), current.stage) {
            (Some(code), Stage::Preparing { wish: Some(wish), withdrawn: Withdrawn::No }) => {
                self.desk.refusals.note(&wish.into_summary(&[]), code, number, answer);
            }
            (Some(_), Stage::Preparing { .. } | Stage::Open(_)) | (None, _) => answer(),
        }
        self.leave(number);
    }

    fn open_machine(&mut self) {
        let now = self.now();
        let deadlines = self.deadlines;
        let Some(current) = &mut self.current else { return };
        let Stage::Preparing { wish, withdrawn } = &mut current.stage else { return };
        let (Some(wish), withdrawn) = (wish.take(), *withdrawn) else { return };
        let wish: Wish = wish;
        match withdrawn {
            Withdrawn::ByClient | Withdrawn::ByTheEnd => self.refuse_current(Outcome::Cancelled),
            Withdrawn::No => {
                let summary = wish.into_summary(&current.credentials);
                let (approval, effects) = Approval::open(summary, deadlines, now);
                current.stage = Stage::Open(approval);
                self.execute(effects);
            }
        }
    }

    /// Gives the machine an event, and does what it asks for.
    fn feed(&mut self, event: Event) {
        let now = self.now();
        let Some(current) = &mut self.current else { return };
        let Stage::Open(approval) = &mut current.stage else { return };
        let effects = approval.on(event, now);
        self.execute(effects);
    }

    fn worked(&mut self, done: Done) {
        match done {
            Done::Cancelled => self.feed(Event::Denied),
            Done::ItemFailed { item, code } => self.feed(Event::ItemFailed { item, code }),
            Done::ItemSigned { item } => self.feed(Event::ItemSigned { item }),
            Done::LastTryNotConfirmed { unlock } => {
                self.unlock_next_with(unlock);
                self.feed(Event::LastTryNotConfirmed);
            }
            Done::NothingFound { code } => self.refuse_current(Outcome::Failed(code)),
            Done::Prepared { credentials, unlocks } => {
                if let Some(current) = &mut self.current {
                    (current.credentials, current.unlocks) = (credentials, unlocks);
                }
                self.open_machine();
            }
            Done::SecretIncorrect { tries_left, unlock } => {
                self.unlock_next_with(unlock);
                self.feed(Event::SecretIncorrect { tries_left });
            }
            Done::SecretNeeded { unlock } => {
                self.unlock_next_with(unlock);
                self.feed(Event::SecretNeeded);
            }
            Done::TokenAbsent => self.feed(Event::TokenAbsent),
            Done::TokenFailed { code } => self.feed(Event::TokenFailed { code }),
            Done::TokenPresent { unlock } => {
                self.unlock_next_with(unlock);
                self.feed(Event::TokenPresent);
            }
            Done::Unlocked => self.feed(Event::Unlocked),
        }
    }

    fn cancelled(&mut self, number: ApprovalNumber) {
        if self.is_current(number) {
            self.withdraw(Withdrawn::ByClient, Event::ClientGone);
        } else if let Some(waiting) = self.waiting.remove(&number) {
            waiting.state.send_replace(ended(Outcome::Cancelled));
            self.leave(number);
            self.tell_waiting();
        }
    }

    fn stop(&mut self, settled: mpsc::Sender<()>, patience: Duration) {
        self.stopping = Stopping::Settling { _until: settled, give_up_at: Some(Moment::now() + patience) };
        for (number, waiting) in std::mem::take(&mut self.waiting) {
            waiting.state.send_replace(ended(Outcome::Cancelled));
            self.desk.queue().leave(number);
        }
        self.withdraw(Withdrawn::ByTheEnd, Event::ShuttingDown);
    }

    /// On the way to the end: a signature that takes too long loses its token host, then the trays
    /// go, then all is settled.
    fn settle_if_stopping(&mut self) {
        let Stopping::Settling { give_up_at, .. } = &mut self.stopping else { return };
        if self.current.is_none() {
            self.send_trays_away();
            if self.trays.are_gone() {
                self.stopping = Stopping::Settled;
            }
        } else if give_up_at.take_if(|end| *end <= Moment::now()).is_some() {
            tracing::warn!("what is being signed takes too long; its token host is ended");
            self.store.end_hosts();
        }
    }

    fn withdraw(&mut self, how: Withdrawn, event: Event) {
        let Some(current) = &mut self.current else { return };
        match &mut current.stage {
            // Its hosts are ended by its worker, as soon as they answer.
            Stage::Preparing { withdrawn, .. } => {
                *withdrawn = how;
                self.refuse_current(Outcome::Cancelled);
            }
            Stage::Open(_) => self.feed(event),
        }
    }

    /// Takes a request out of the line and begins the next one.
    fn leave(&mut self, number: ApprovalNumber) {
        self.desk.queue().leave(number);
        self.begin_next();
    }

    fn begin_next(&mut self) {
        if self.current.is_some() || !self.runs() {
            return;
        }
        let next = self.desk.queue().presented();
        if let Some((number, Waiting { request, state })) =
            next.and_then(|next| self.waiting.remove_entry(&next))
        {
            self.begin(number, request, state);
        }
    }

    fn tell_waiting(&self) {
        if let Some(current) = &self.current {
            self.say(current, ToTray::Waiting { waiting: self.line_len() });
        }
    }

    fn linger_if_idle(&mut self) {
        if self.current.is_some() {
            self.linger = None;
        } else if self.linger.is_none_or(|end| end <= Moment::now()) {
            if self.linger.take().is_some() {
                self.send_trays_away();
            } else if self.desk.agents.latest(Role::Tray).is_some() {
                self.linger = Some(Moment::now() + LINGER);
            }
        }
    }

    fn next_deadline(&self) -> Option<Moment> {
        let deadline = self.current.as_ref().and_then(|current| current.approval()?.deadline());
        let deadline = deadline.map(|deadline| self.start + Duration::from_millis(deadline.0));
        let fall_back_at = self.current.as_ref().and_then(|current| match current.asker {
            Asker::Starting { fall_back_at, .. } => fall_back_at,
            Asker::Agent(_) | Asker::Nobody => None,
        });
        let give_up_at = match self.stopping {
            Stopping::Settling { give_up_at, .. } => give_up_at,
            Stopping::No | Stopping::Settled => None,
        };
        [deadline, self.linger, fall_back_at, give_up_at, self.trays.deadline()].into_iter().flatten().min()
    }

    const fn runs(&self) -> bool {
        matches!(self.stopping, Stopping::No)
    }

    fn line_len(&self) -> u32 {
        u32::try_from(self.desk.queue().waiting()).unwrap_or(u32::MAX)
    }

    fn is_current(&self, number: ApprovalNumber) -> bool {
        self.current.as_ref().is_some_and(|current| current.number == number)
    }

    fn now(&self) -> Instant {
        Instant(u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX))
    }
}
