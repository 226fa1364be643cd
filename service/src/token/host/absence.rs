//! Whether the person may be away: the computer sleeps, or the login session is locked. A login at
//! a token does not outlive that.
//!
//! How long the computer slept is asked from its clocks before every signature. The system is also
//! asked to tell at once, but only of a login that lasts longer than a moment: most are over sooner
//! than the question takes.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

use std::{
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use crate::clock;

/// How long a login lasts before the system is asked to tell of absence.
const MOMENT: Duration = Duration::from_secs(1);
/// A sleep shorter than this is none: clocks are read one after the other.
const NAP: Duration = Duration::from_millis(500);

/// Watches for absence while it lives.
pub(super) struct AbsenceWatch {
    slept: Duration,
    /// Dropped with this, which ends a watch that has not begun.
    _end: mpsc::Sender<()>,
}

impl AbsenceWatch {
    /// Calls `away` at most once, from another thread. Does not block.
    pub(super) fn begin(away: impl FnOnce() + Send + 'static) -> Self {
        let (end, ended) = mpsc::channel::<()>();
        let watch = move || {
            if ended.recv_timeout(MOMENT) == Err(RecvTimeoutError::Timeout) {
                told(away);
            }
        };
        // Without a thread the clocks are left.
        drop(thread::Builder::new().name("absence".to_owned()).spawn(watch));
        Self { slept: clock::slept(), _end: end }
    }

    /// Whether the computer has slept since.
    pub(super) fn has_slept(&self) -> bool {
        clock::slept().saturating_sub(self.slept) > NAP
    }
}

#[cfg(target_os = "linux")]
fn told(away: impl FnOnce()) {
    // Without logind nobody tells, and the clocks are left.
    if linux::wait().is_ok() {
        away();
    }
}

#[cfg(windows)]
fn told(away: impl FnOnce()) {
    if windows::wait() {
        away();
    }
}

/// Nobody tells here; the clocks are left.
#[cfg(not(any(target_os = "linux", windows)))]
fn told(_: impl FnOnce()) {}
