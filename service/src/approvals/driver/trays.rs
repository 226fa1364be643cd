//! The trays that this service started: which one can be asked, and that each of them ends.
//!
//! A tray is told to go by the end of its connection. One that does not go, because it hangs,
//! is ended. A tray that let a request run out without a word may be one that hangs: it is not
//! asked again.

use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant as Moment},
};

use signer_core::approval::Event;
use signer_ipc::message::Role;

use crate::{
    agents::AgentId,
    approvals::{Message, asking::Asker, driver::Driver},
    config::TerminalUse,
    tray::{NO_DISPLAY, StartedTray, TrayError},
};

/// How long a tray may take to end once its connection is closed.
const FAREWELL: Duration = Duration::from_secs(2);

/// The trays that have not ended, by the number of their start.
#[derive(Default)]
pub(super) struct Trays {
    started: BTreeMap<u64, Tray>,
    last: u64,
}

/// A tray from its start to its end.
struct Tray {
    /// Nothing until the start is over.
    process: Option<StartedTray>,
    /// When it is ended, unless it ends by itself.
    leave_by: Option<Moment>,
    answers: Answers,
}

/// Whether a tray seems to be alive.
#[derive(PartialEq, Eq)]
enum Answers {
    /// As far as is known.
    Yes,
    /// It let time run out.
    No,
}

impl Trays {
    /// When one of them is to be ended.
    pub(super) fn deadline(&self) -> Option<Moment> {
        self.started.values().filter_map(|tray| tray.leave_by).min()
    }

    /// Whether all have ended.
    pub(super) fn are_gone(&self) -> bool {
        self.started.is_empty()
    }

    fn of_process(&mut self, process: u32) -> Option<&mut Tray> {
        self.started
            .values_mut()
            .find(|tray| tray.process.as_ref().is_some_and(|started| started.process() == process))
    }
}

impl Tray {
    fn let_go(&mut self) {
        self.leave_by.get_or_insert_with(|| Moment::now() + FAREWELL);
    }
}

impl Driver {
    /// Starts the tray on a thread of its own, which lives as long as the tray: the session may
    /// take a while to tell its display.
    pub(super) fn start_tray(&mut self) {
        self.trays.last += 1;
        let start = self.trays.last;
        let tray = Tray { process: None, leave_by: None, answers: Answers::Yes };
        self.trays.started.insert(start, tray);
        let fall_back_at = match self.desk.terminal {
            TerminalUse::Fallback | TerminalUse::First => Some(Moment::now() + self.deadlines.summoning / 2),
            TerminalUse::Never => None,
        };
        if let Some(current) = &mut self.current {
            current.asker = Asker::Starting { start, fall_back_at };
        }
        let (program, agents) = (self.desk.tray.clone(), self.desk.agents.clone());
        let inbox = self.desk.inbox.clone();
        let failed = inbox.clone();
        let live = move || {
            let error = match program.start(&agents) {
                Ok(tray) => {
                    // Fails after the driver has ended, as below.
                    let _ = inbox.send(Message::TrayStarted { start, tray: tray.clone() });
                    tray.wait()
                }
                Err(error) => error,
            };
            let _ = inbox.send(Message::TrayEnded { start, error });
        };
        if let Err(error) = thread::Builder::new().name("tray".to_owned()).spawn(live) {
            let _ = failed.send(Message::TrayEnded { start, error: error.into() });
        }
    }

    pub(super) fn tray_started(&mut self, start: u64, started: StartedTray) {
        let joined = self.desk.agents.of_process(Role::Tray, started.process());
        let wanted = self.runs()
            && self.current.as_ref().is_some_and(|current| match &current.asker {
                // It may have connected before this was heard.
                Asker::Agent(agent) => joined == Some(*agent),
                Asker::Nobody => false,
                Asker::Starting { start: wanted, .. } => *wanted == start,
            });
        if !wanted {
            started.end();
        }
        if let Some(tray) = self.trays.started.get_mut(&start) {
            tray.process = Some(started);
        }
    }

    pub(super) fn tray_ended(&mut self, start: u64, error: &TrayError) {
        self.trays.started.remove(&start);
        let no_display = match error {
            TrayError::Ended(status) => status.code() == Some(NO_DISPLAY),
            TrayError::NoDisplay => true,
            TrayError::Start(_) => false,
        };
        if no_display {
            self.desk.remember_no_display();
        }
        if self.awaits_tray(start) {
            tracing::warn!(%error, "no window can be shown");
            self.summon_terminal();
        }
    }

    /// Asks a terminal agent instead of a tray that takes long to connect, where there is one.
    pub(super) fn fall_back_if_due(&mut self) {
        let Some(current) = &mut self.current else { return };
        let Asker::Starting { start, fall_back_at: due } = &mut current.asker else { return };
        if due.is_none_or(|due| due > Moment::now()) {
            return;
        }
        // A terminal that joins later is asked when it does.
        *due = None;
        let start = *start;
        if let Some(agent) = self.terminal() {
            self.fall_back(start, agent);
        }
    }

    /// Asks a terminal agent instead of the tray of this start, which is ended.
    pub(super) fn fall_back(&mut self, start: u64, agent: AgentId) {
        tracing::warn!("the tray does not connect; a terminal is asked");
        self.end_start(start);
        self.asked_by(agent);
    }

    /// The tray cannot be asked: a terminal agent, if there is one.
    fn summon_terminal(&mut self) {
        match self.terminal() {
            Some(agent) => self.asked_by(agent),
            None => self.feed(Event::TrayGone),
        }
    }

    /// The terminal agent to ask where no window can be, if there is one.
    pub(super) fn terminal(&self) -> Option<AgentId> {
        match self.desk.terminal {
            TerminalUse::Fallback | TerminalUse::First => self.desk.agents.latest(Role::Terminal),
            TerminalUse::Never => None,
        }
    }

    /// A connected tray that can be asked. One that seems to hang is sent away.
    pub(super) fn willing_tray(&mut self) -> Option<AgentId> {
        let agent = self.desk.agents.latest(Role::Tray)?;
        match self.tray_of(agent) {
            Some(Tray { answers: Answers::No, .. }) => {
                self.send_trays_away();
                None
            }
            Some(Tray { answers: Answers::Yes, .. }) | None => Some(agent),
        }
    }

    /// Whoever asked let the time run out: another one is asked next, if there is one.
    pub(super) fn doubt(&mut self, agent: AgentId) {
        match self.tray_of(agent) {
            Some(tray) => tray.answers = Answers::No,
            None => self.desk.agents.put_behind(agent),
        }
    }

    /// Whoever asks said something.
    pub(super) fn trust(&mut self, agent: AgentId) {
        if let Some(tray) = self.tray_of(agent) {
            tray.answers = Answers::Yes;
        }
    }

    /// Ends the tray of a start that nobody waits for any more, now or as soon as it is there.
    pub(super) fn end_start(&mut self, start: u64) {
        if let Some(Tray { process: Some(process), .. }) = self.trays.started.get(&start) {
            process.end();
        }
    }

    /// Sends every tray away, and ends those that stay.
    pub(super) fn send_trays_away(&mut self) {
        self.desk.agents.dismiss_all(Role::Tray);
        for tray in self.trays.started.values_mut() {
            tray.let_go();
        }
    }

    /// The connection of this process is over, and so must it be.
    pub(super) fn tray_left(&mut self, process: u32) {
        if let Some(tray) = self.trays.of_process(process) {
            tray.let_go();
        }
    }

    /// Ends trays that were sent away and did not go.
    pub(super) fn end_late_trays(&mut self) {
        let now = Moment::now();
        for tray in self.trays.started.values_mut() {
            if tray.leave_by.take_if(|end| *end <= now).is_some()
                && let Some(process) = &tray.process
            {
                tracing::warn!("the tray does not go and is ended");
                process.end();
            }
        }
    }

    fn awaits_tray(&self, start: u64) -> bool {
        self.current.as_ref().is_some_and(|current| match current.asker {
            Asker::Starting { start: wanted, .. } => wanted == start,
            Asker::Agent(_) | Asker::Nobody => false,
        })
    }

    fn tray_of(&mut self, agent: AgentId) -> Option<&mut Tray> {
        let agents = &self.desk.agents;
        self.trays.started.values_mut().find(|tray| {
            let process = tray.process.as_ref().map(StartedTray::process);
            process.and_then(|process| agents.of_process(Role::Tray, process)) == Some(agent)
        })
    }
}
