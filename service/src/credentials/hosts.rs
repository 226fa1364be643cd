//! Token hosts: started when needed, kept for a while when they only listed, then ended.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    config::IdleTime,
    token::{
        client::{HostProcess, Look, TokenHost},
        error::TokenError,
    },
};

/// How often it is looked whether all hosts have ended, while the service ends.
const LOOK: Duration = Duration::from_millis(10);

pub(super) struct Hosts {
    program: PathBuf,
    idle: IdleTime,
    kept: Arc<Kept>,
    /// The processes of all hosts that were started here and may still live.
    started: Mutex<Vec<HostProcess>>,
}

#[derive(Default)]
struct Kept {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    hosts: HashMap<PathBuf, (TokenHost, Instant)>,
    sweeping: Sweeping,
}

/// Whether a thread ends hosts when their time is over. It lives only while there are any.
#[derive(Default, PartialEq, Eq)]
enum Sweeping {
    #[default]
    No,
    Yes,
}

impl Hosts {
    pub(super) fn new(program: PathBuf, idle: IdleTime) -> Self {
        Self { program, idle, kept: Arc::default(), started: Mutex::default() }
    }

    /// A new host with this file opened; its answers must come until `end`.
    pub(super) fn open_file(&self, path: &Path, end: Instant) -> Result<TokenHost, TokenError> {
        let mut host = self.start(end)?;
        host.open_file(path)?;
        Ok(host)
    }

    /// A new host with this stored key opened; its answers must come until `end`.
    pub(super) fn open_stored(&self, path: &Path, end: Instant) -> Result<TokenHost, TokenError> {
        let mut host = self.start(end)?;
        host.open_stored(path)?;
        Ok(host)
    }

    /// A host of this module that was kept, if it still answers; else a new one.
    pub(super) fn open_module(&self, module: &Path, end: Instant) -> Result<TokenHost, TokenError> {
        if let Some(mut host) = self.kept(module, end)
            && host.tokens().is_ok()
        {
            return Ok(host);
        }
        self.start_module(module, end)
    }

    /// What the module shows, asked as [`Hosts::open_module`] does.
    pub(super) fn look(&self, module: &Path, end: Instant) -> Result<Look, TokenError> {
        if let Some(host) = self.kept(module, end)
            && let Ok(look) = host.look()
        {
            return Ok(look);
        }
        self.start_module(module, end)?.look()
    }

    fn kept(&self, module: &Path, end: Instant) -> Option<TokenHost> {
        let (mut host, _) = self.state().hosts.remove(module)?;
        host.answer_until(Some(end));
        Some(host)
    }

    pub(super) fn start_module(&self, module: &Path, end: Instant) -> Result<TokenHost, TokenError> {
        let mut host = self.start(end)?;
        host.open_module(module)?;
        Ok(host)
    }

    /// Keeps a host that took no secret.
    pub(super) fn keep(&self, module: &Path, host: TokenHost) {
        let mut state = self.state();
        let previous = state.hosts.insert(module.to_owned(), (host, Instant::now() + self.idle.0));
        if state.sweeping == Sweeping::No {
            let kept = Arc::clone(&self.kept);
            let started = thread::Builder::new().name("idle-hosts".to_owned()).spawn(move || kept.sweep());
            match started {
                Ok(_) => state.sweeping = Sweeping::Yes,
                // Then nothing is kept.
                Err(_) => state.hosts.clear(),
            }
        }
        drop(state);
        self.kept.changed.notify_all();
        // Outside the lock: to end a host may take seconds.
        drop(previous);
    }

    /// Ends the hosts that only wait to be asked again.
    pub(super) fn end_kept(&self) {
        let kept = std::mem::take(&mut self.state().hosts);
        self.kept.changed.notify_all();
        for (host, _) in kept.into_values() {
            // Each may take a while to finish its module. Without a thread it is ended here.
            drop(thread::Builder::new().name("host-end".to_owned()).spawn(move || drop(host)));
        }
    }

    /// Kills every host, whatever it is doing. Whoever asks one hears of a crash.
    pub(super) fn end(&self) {
        for process in self.started().iter() {
            process.end();
        }
    }

    /// Lets every host end, those that are kept and those whose request has ended. What has not
    /// ended after `patience` is killed. Blocks that long, or a moment longer.
    pub(super) fn close(&self, patience: Duration) {
        let end = Instant::now() + patience;
        self.end_kept();
        if !self.are_over_by(end) {
            tracing::warn!("a token host does not end and is killed");
            self.end();
            self.are_over_by(Instant::now() + patience);
        }
    }

    fn start(&self, end: Instant) -> Result<TokenHost, TokenError> {
        let mut host = TokenHost::spawn(&self.program)?;
        host.answer_until(Some(end));
        let mut started = self.started();
        started.retain(|process| !process.is_over());
        started.push(host.process());
        Ok(host)
    }

    fn are_over_by(&self, end: Instant) -> bool {
        loop {
            if self.started().iter().all(HostProcess::is_over) {
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            thread::sleep(LOOK);
        }
    }

    fn started(&self) -> MutexGuard<'_, Vec<HostProcess>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.kept.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Ends each host when its time is over, and itself with the last one.
    fn sweep(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            let over = state.hosts.extract_if(|_, (_, end)| *end <= now).collect::<Vec<_>>();
            if !over.is_empty() {
                drop(state);
                drop(over);
                state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let Some(next) = state.hosts.values().map(|(_, end)| *end).min() else {
                state.sweeping = Sweeping::No;
                return;
            };
            let left = next.saturating_duration_since(now);
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
pub(super) mod tests;
