//! The process of a token host: reaped by its owner, ended by anybody.

use std::{
    io,
    process::{Child, ExitStatus},
    sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak},
};

/// The process, as its owner has it.
pub(super) struct OwnProcess {
    id: u32,
    child: Arc<Mutex<Child>>,
}

/// The process of a host that somebody else asks. It keeps nothing alive.
#[derive(Debug, Clone)]
pub struct HostProcess(Weak<Mutex<Child>>);

impl OwnProcess {
    pub(super) fn new(child: Child) -> Self {
        Self { id: child.id(), child: Arc::new(Mutex::new(child)) }
    }

    /// Its number; it may have ended.
    pub(super) const fn id(&self) -> u32 {
        self.id
    }

    pub(super) fn shared(&self) -> HostProcess {
        HostProcess(Arc::downgrade(&self.child))
    }

    pub(super) fn kill(&self) -> io::Result<()> {
        self.child().kill()
    }

    /// Blocks until it has ended.
    pub(super) fn wait(&self) -> io::Result<ExitStatus> {
        self.child().wait()
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HostProcess {
    /// Kills it. Whoever waits for its answer hears of a crash.
    pub fn end(&self) {
        let Some(child) = self.0.upgrade() else { return };
        let mut child = match child.try_lock() {
            Ok(child) => child,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // It is being waited for: it has closed its connection, or was killed.
            Err(TryLockError::WouldBlock) => return,
        };
        // Fails only where it has ended.
        let _ = child.kill();
    }

    /// Whether it has ended and its owner is done with it.
    pub fn is_over(&self) -> bool {
        self.0.strong_count() == 0
    }
}
