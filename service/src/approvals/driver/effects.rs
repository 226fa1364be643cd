//! What the machine asks for, done.

use std::thread;

use signer_core::{
    approval::{Effect, Event, LastTry, Outcome, Record, SecretReason},
    error::ErrorCode,
};
use signer_ipc::message::{self, ToTray};

use crate::{
    agents::AgentId,
    approvals::{
        Message,
        asking::{Asker, Asking, Stage},
        driver::Driver,
        request,
        worker::Task,
    },
    config::TerminalUse,
    ports::{ApprovalState, Ended},
};

impl Driver {
    pub(super) fn execute(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::AskSecret { reason, tries_left: _ } => self.ask_secret(reason),
                Effect::AwaitToken => self.await_token(),
                Effect::Dismiss { outcome } => self.dismiss(outcome),
                Effect::Present => self.present(),
                Effect::Record(record) => self.record(record),
                Effect::Reply { outcome } => self.reply(outcome),
                Effect::Sign { choice: _, item } => self.sign(item),
                Effect::SummonTray => self.summon(),
                Effect::Unlock { choice, last_try } => {
                    if let Some(current) = &mut self.current {
                        let secret = current.secret.take();
                        let last_try = request::last_try_to_host(last_try);
                        current.work(Task::Unlock { choice, secret, last_try });
                    }
                }
            }
        }
    }

    /// Says something to whoever asks for this request.
    pub(super) fn say(&self, current: &Asking, message: ToTray) {
        if let Asker::Agent(agent) = current.asker {
            self.desk.agents.say(agent, message, None);
        }
    }

    fn record(&self, record: Record) {
        let Some((current, approval)) =
            self.current.as_ref().and_then(|current| Some((current, current.approval()?)))
        else {
            return;
        };
        let number = current.number;
        let entry = self.desk.ledger.entry(approval, number, record);
        let (ledger, inbox) = (self.desk.ledger.clone(), self.desk.inbox.clone());
        let write = move || {
            let result = entry.and_then(|entry| ledger.append(&entry)).map_err(|error| {
                tracing::error!(%error, "the audit trail");
                error.code()
            });
            let _ = inbox.send(Message::Recorded { number, record, result });
        };
        if let Err(error) = thread::Builder::new().name("audit".to_owned()).spawn(write) {
            tracing::error!(%error, "no thread for the audit trail");
            let result = Err(ErrorCode::AuditUnavailable);
            let _ = self.desk.inbox.send(Message::Recorded { number, record, result });
        }
    }

    /// The window where one can be shown, else a terminal agent, else nobody; or as configured.
    fn summon(&mut self) {
        let terminal = match self.desk.terminal {
            TerminalUse::First => self.terminal(),
            TerminalUse::Fallback | TerminalUse::Never => None,
        };
        match terminal.or_else(|| self.willing_tray()) {
            Some(agent) => self.asked_by(agent),
            None => self.start_tray(),
        }
    }

    pub(super) fn asked_by(&mut self, agent: AgentId) {
        if let Some(current) = &mut self.current {
            current.asker = Asker::Agent(agent);
            self.feed(Event::TrayReady);
        }
    }

    fn present(&mut self) {
        let (now, waiting) = (self.now(), self.line_len());
        let Some(current) = &self.current else { return };
        let (Some(approval), Asker::Agent(agent)) = (current.approval(), &current.asker) else { return };
        let deadline = approval.deadline().map_or_else(Default::default, |deadline| now.until(deadline));
        let message = ToTray::Present {
            approval: current.number,
            deadline_ms: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX),
            unlocks: current.unlocks.clone(),
            waiting,
        };
        self.desk.agents.say(*agent, message, Some(approval.summary().canonical().to_vec()));
        current.state.send_replace(ApprovalState::Presented);
    }

    fn ask_secret(&mut self, reason: SecretReason) {
        let deadline_ms = self.deadline_ms();
        let Some(current) = &mut self.current else { return };
        let Some(unlock) = current.next_unlock.take() else { return };
        match unlock.entry {
            message::Entry::Nothing => {
                return self.feed(Event::SecretGiven { last_try: LastTry::NotConfirmed });
            }
            message::Entry::Locked => return self.feed(Event::TokenFailed { code: ErrorCode::PinLocked }),
            message::Entry::TokenAbsent => return self.feed(Event::TokenAbsent),
            message::Entry::Password | message::Entry::Pin | message::Entry::Reader => {}
        }
        let (approval, reason) = (current.number, request::reason(reason));
        let Some(current) = &self.current else { return };
        self.say(current, ToTray::AskSecret { approval, deadline_ms, reason, unlock });
    }

    fn await_token(&self) {
        let Some(current) = &self.current else { return };
        let Some(choice) = current.approval().and_then(|approval| approval.choice()) else { return };
        current.work(Task::Await { choice });
        let deadline_ms = self.deadline_ms();
        self.say(current, ToTray::AwaitToken { approval: current.number, deadline_ms });
    }

    fn sign(&self, item: u32) {
        let Some(current) = &self.current else { return };
        let of = current.approval().map_or(0, |approval| approval.items().len());
        let of = u32::try_from(of).unwrap_or(u32::MAX);
        current.state.send_replace(ApprovalState::Signing { done: item, of });
        self.say(current, ToTray::Signing { approval: current.number, done: item, of });
        current.work(Task::Sign { item });
    }

    fn reply(&self, outcome: Outcome) {
        let Some(current) = &self.current else { return };
        let Some(approval) = current.approval() else { return };
        tracing::info!(
            approval = current.number,
            outcome = outcome.as_str(),
            code = outcome.code().map(ErrorCode::as_str),
            "an approval ended"
        );
        let chosen = match outcome {
            Outcome::Approved { choice } => choice.and_then(|choice| usize::try_from(choice).ok()),
            Outcome::Cancelled | Outcome::Denied | Outcome::Expired | Outcome::Failed(_) => None,
        };
        current.state.send_replace(ApprovalState::Ended(Ended {
            outcome,
            lasting: current.lasting,
            items: approval.results().unwrap_or_default(),
            certificate: chosen.and_then(|index| current.credentials.get(index)).cloned(),
        }));
    }

    /// The last effect: the request leaves, and its worker with it.
    fn dismiss(&mut self, outcome: Outcome) {
        let Some(current) = self.current.take() else { return };
        match current.asker {
            Asker::Agent(agent) => {
                if outcome == Outcome::Expired {
                    self.doubt(agent);
                }
                let outcome = self.outcome(outcome, current.unlock_tool());
                self.say(&current, ToTray::Dismiss { approval: current.number, outcome });
            }
            Asker::Starting { start, .. } => self.end_start(start),
            Asker::Nobody => {}
        }
        self.leave(current.number);
    }

    fn outcome(&self, outcome: Outcome, unlock_tool: Option<&str>) -> message::Outcome {
        match outcome {
            Outcome::Approved { .. } => message::Outcome::Approved,
            Outcome::Cancelled => message::Outcome::Cancelled,
            Outcome::Denied => message::Outcome::Denied,
            Outcome::Expired => message::Outcome::Expired,
            Outcome::Failed(code) => {
                let remedy = match (code, unlock_tool) {
                    (ErrorCode::PinLocked | ErrorCode::PinUnusable, Some(tool)) => {
                        self.language.unlock_with(tool)
                    }
                    _ => self.language.remedy(code.remedy()).to_owned(),
                };
                let words = format!("{} {remedy}", self.language.error(code));
                message::Outcome::Failed { code: code.as_str().to_owned(), words }
            }
        }
    }

    fn deadline_ms(&self) -> u64 {
        let now = self.now();
        let Some(current) = &self.current else { return 0 };
        let Stage::Open(approval) = &current.stage else { return 0 };
        let left = approval.deadline().map_or_else(Default::default, |deadline| now.until(deadline));
        u64::try_from(left.as_millis()).unwrap_or(u64::MAX)
    }
}
