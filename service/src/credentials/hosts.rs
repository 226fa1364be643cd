//! Token hosts: started when needed, kept for a while when they only listed, then ended.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use crate::{
    config::IdleTime,
    token::{client::TokenHost, error::TokenError},
};

pub(super) struct Hosts {
    program: PathBuf,
    idle: IdleTime,
    kept: Arc<Kept>,
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
        Self { program, idle, kept: Arc::default() }
    }

    pub(super) fn open_file(&self, path: &Path) -> Result<TokenHost, TokenError> {
        let mut host = TokenHost::spawn(&self.program)?;
        host.open_file(path)?;
        Ok(host)
    }

    /// A host of this module that was kept, if it still answers; else a new one.
    pub(super) fn open_module(&self, module: &Path) -> Result<TokenHost, TokenError> {
        let kept = self.state().hosts.remove(module);
        if let Some((mut host, _)) = kept
            && host.tokens().is_ok()
        {
            return Ok(host);
        }
        self.start_module(module)
    }

    pub(super) fn start_module(&self, module: &Path) -> Result<TokenHost, TokenError> {
        let mut host = TokenHost::spawn(&self.program)?;
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
