//! Those who can ask the person: the tray that this service started, and terminal agents that
//! the person started. Here is decided who is let in; what they say is the approvals' matter.
//!
//! Each connection has one thread that reads and one that writes, so that a peer that does
//! neither can hold up nobody. What it does not read in time, or leaves unread too much of, ends
//! its connection.

mod refusal;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};

use signer_ipc::{
    login::{Connection, Greeting, LoginListener},
    message::{
        FromTray, ONE_TIME_LEN, PROTOCOL_VERSION, Role, ToTray, TrayAttachment, read_from_tray, write_to_tray,
    },
    peer::{Peer, PeerUser},
};

use crate::{agents::refusal::Refusal, config::TerminalUse, text::Language};

/// The most connections at a time; a login has no use for more.
const MOST_CONNECTIONS: usize = 32;
/// How many messages may wait for a peer that reads slowly.
const MOST_UNREAD: usize = 64;
/// How long a write may wait for a peer to read.
const READING: Duration = Duration::from_secs(5);

/// Names a connection while the service runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentId(u64);

/// What is heard from those who ask the person.
#[derive(Debug)]
pub enum Heard {
    /// One was let in.
    Joined {
        /// Which.
        agent: AgentId,
        /// Who.
        role: Role,
        /// Its process, as the kernel says.
        process: u32,
    },
    /// One is gone.
    Left {
        /// Which.
        agent: AgentId,
        /// Its process.
        process: u32,
    },
    /// One said something.
    Said {
        /// Which.
        agent: AgentId,
        /// What.
        message: FromTray,
        /// What came with it.
        attachment: TrayAttachment,
    },
}

/// Everybody who was let in. Clones are the same.
#[derive(Clone)]
pub struct Agents(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    hear: Box<dyn Fn(Heard) + Send + Sync>,
    terminal: TerminalUse,
    language: Language,
}

#[derive(Default)]
struct State {
    /// In the order in which they came.
    agents: Vec<Agent>,
    /// The tray that may connect, once.
    invited: Option<Invited>,
    connections: usize,
    last: u64,
}

struct Agent {
    id: AgentId,
    role: Role,
    process: u32,
    outgoing: mpsc::SyncSender<Outgoing>,
    connection: Connection,
}

struct Outgoing {
    message: ToTray,
    summary: Option<Vec<u8>>,
}

/// The one process that may connect as the tray. Its number cannot be another's as long as it
/// has not been waited for: whoever waits takes this away first.
pub(crate) struct Invited {
    pub(crate) process: u32,
    pub(crate) one_time: [u8; ONE_TIME_LEN],
}

impl Agents {
    /// Nobody yet. `hear` is called from many threads and must not block.
    pub fn new(
        terminal: TerminalUse,
        language: Language,
        hear: impl Fn(Heard) + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Shared { state: Mutex::default(), hear: Box::new(hear), terminal, language }))
    }

    /// Takes connections for the life of the process, on a thread of its own.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn listen(&self, listener: LoginListener) -> std::io::Result<()> {
        let agents = self.clone();
        thread::Builder::new().name("endpoint".to_owned()).spawn(move || {
            loop {
                match listener.accept() {
                    Ok(connection) => agents.take(connection),
                    Err(error) => {
                        // Out of descriptors, most likely: it passes, and must not spin.
                        tracing::warn!(%error, "a connection to the endpoint failed");
                        thread::sleep(Duration::from_millis(100));
                    }
                }
            }
        })?;
        Ok(())
    }

    /// The latest of this role.
    pub fn latest(&self, role: Role) -> Option<AgentId> {
        self.state().agents.iter().rev().find(|agent| agent.role == role).map(|agent| agent.id)
    }

    /// How many there are.
    #[cfg(all(test, unix))]
    pub(crate) fn len(&self) -> usize {
        self.state().agents.len()
    }

    /// The one of this role that is this process.
    pub fn of_process(&self, role: Role, process: u32) -> Option<AgentId> {
        let fits = |agent: &&Agent| agent.role == role && agent.process == process;
        self.state().agents.iter().find(fits).map(|agent| agent.id)
    }

    /// Says something to one of them; nothing happens where it is gone. Never waits: one that
    /// leaves too much unread is cut off.
    pub fn say(&self, agent: AgentId, message: ToTray, summary: Option<Vec<u8>>) {
        let state = self.state();
        let Some(agent) = state.agents.iter().find(|known| known.id == agent) else { return };
        match agent.outgoing.try_send(Outgoing { message, summary }) {
            // Where the writing thread has ended, the reading one says so.
            Ok(()) | Err(mpsc::TrySendError::Disconnected(_)) => {}
            Err(mpsc::TrySendError::Full(_)) => {
                tracing::warn!("somebody who asks the person does not read; the connection is cut");
                agent.connection.close();
            }
        }
    }

    /// Has the others of its role be the latest, where there are any.
    pub fn put_behind(&self, agent: AgentId) {
        let mut state = self.state();
        if let Some(place) = state.agents.iter().position(|known| known.id == agent) {
            let agent = state.agents.remove(place);
            state.agents.insert(0, agent);
        }
    }

    /// Sends one of them away, after everything that was said to it. Its process may stay.
    pub fn dismiss(&self, agent: AgentId) {
        self.state().agents.retain(|known| known.id != agent);
    }

    /// Sends all of one role away.
    pub fn dismiss_all(&self, role: Role) {
        self.state().agents.retain(|known| known.role != role);
    }

    /// Lets one process connect as the tray. It replaces the one before.
    pub(crate) fn invite(&self, invited: Invited) {
        self.state().invited = Some(invited);
    }

    /// Takes the invitation of a process back.
    pub(crate) fn uninvite(&self, process: u32) {
        let mut state = self.state();
        if state.invited.as_ref().is_some_and(|invited| invited.process == process) {
            state.invited = None;
        }
    }

    fn take(&self, connection: Connection) {
        {
            let mut state = self.state();
            if state.connections >= MOST_CONNECTIONS {
                drop(state);
                self.refuse(connection, Refusal::Crowded);
                return;
            }
            state.connections += 1;
        }
        let agents = self.clone();
        let started = thread::Builder::new().name("agent".to_owned()).spawn(move || {
            agents.attend(connection);
            agents.state().connections -= 1;
        });
        if let Err(error) = started {
            tracing::error!(%error, "no thread for a connection");
            self.state().connections -= 1;
        }
    }

    /// One connection from its greeting to its end.
    fn attend(&self, mut connection: Connection) {
        let Ok(peer) = connection.peer() else { return connection.close() };
        let role = match self.judge(&peer, || connection.read_greeting().ok()) {
            Ok(Some(role)) => role,
            Ok(None) => return connection.close(),
            Err(refusal) => return self.refuse(connection, refusal),
        };
        if connection.limit_writes(READING).is_err() {
            return connection.close();
        }
        let process = peer.process;
        let (agent, messages) = self.enter(role, process, &connection);
        tracing::info!(?role, "somebody can ask the person");
        // Before it hears that it was let in: whoever has it ask from then on finds it.
        (self.0.hear)(Heard::Joined { agent, role, process });
        write_on_a_thread(&connection, messages);
        while let Ok((message, attachment)) = read_from_tray(&mut connection) {
            (self.0.hear)(Heard::Said { agent, message, attachment });
        }
        self.dismiss(agent);
        tracing::info!(?role, "somebody who asked the person is gone");
        (self.0.hear)(Heard::Left { agent, process });
    }

    /// Whether somebody is let in; nothing where it does not greet.
    fn judge(
        &self,
        peer: &Peer,
        greeting: impl FnOnce() -> Option<Greeting>,
    ) -> Result<Option<Role>, Refusal> {
        if peer.user != PeerUser::Own {
            return Err(Refusal::OtherLogin);
        }
        let Some(greeting) = greeting() else { return Ok(None) };
        if greeting.version != PROTOCOL_VERSION {
            return Err(Refusal::Version { theirs: greeting.version });
        }
        match (greeting.role, self.0.terminal) {
            (Role::Terminal, TerminalUse::Never) => Err(Refusal::TerminalUnwanted),
            (Role::Terminal, TerminalUse::Fallback | TerminalUse::First) => Ok(Some(Role::Terminal)),
            (Role::Tray, _) => {
                let mut state = self.state();
                // Taken away only by the process that it is for: another one cannot use it up.
                let fits = |invited: &mut Invited| {
                    invited.process == peer.process && same(&invited.one_time, &greeting.one_time)
                };
                state.invited.take_if(fits).map(|_| Some(Role::Tray)).ok_or(Refusal::NotInvited)
            }
        }
    }

    fn enter(
        &self,
        role: Role,
        process: u32,
        connection: &Connection,
    ) -> (AgentId, mpsc::Receiver<Outgoing>) {
        let (outgoing, messages) = mpsc::sync_channel::<Outgoing>(MOST_UNREAD);
        let mut state = self.state();
        state.last += 1;
        let id = AgentId(state.last);
        state.agents.push(Agent { id, role, process, outgoing, connection: connection.clone() });
        (id, messages)
    }

    fn refuse(&self, mut connection: Connection, refusal: Refusal) {
        tracing::warn!(code = refusal.code().as_str(), "a connection to the endpoint is refused");
        let words = self.0.language.choose(refusal.sentence());
        let words = match refusal {
            Refusal::Version { theirs } => format!("{words} ({theirs} / {PROTOCOL_VERSION})"),
            Refusal::Crowded | Refusal::NotInvited | Refusal::OtherLogin | Refusal::TerminalUnwanted => {
                words.to_owned()
            }
        };
        // It is gone already, or it hears it.
        let _ = connection.refuse(refusal.code().as_str(), &words);
        connection.close();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Welcomes the other side and writes what is said to it, until there is nobody to say anything.
/// The connection is closed then, which its reader notices.
fn write_on_a_thread(connection: &Connection, messages: mpsc::Receiver<Outgoing>) {
    let mut writing = connection.clone();
    let writer = move || {
        if writing.welcome().is_ok() {
            for Outgoing { message, summary } in messages {
                if write_to_tray(&mut writing, &message, summary.as_deref()).is_err() {
                    break;
                }
            }
        }
        writing.close();
    };
    if let Err(error) = thread::Builder::new().name("agent-writer".to_owned()).spawn(writer) {
        tracing::error!(%error, "no thread for a connection");
        connection.close();
    }
}

/// Whether two values are the same, in a time that does not depend on where they differ.
fn same(expected: &[u8; ONE_TIME_LEN], given: &[u8]) -> bool {
    let differences = expected.iter().zip(given).fold(0, |sum, (one, other)| sum | (one ^ other));
    given.len() == expected.len() && differences == 0
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
