//! Linux and macOS: SIGTERM, SIGINT, and SIGHUP of a terminal that closes.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for the wish to stop.
pub(crate) struct StopSignal {
    hangup: Signal,
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignal {
    /// From here on the signals end nothing by themselves. Within a runtime.
    pub(crate) fn watch() -> io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Ready with the first of them.
    pub(crate) async fn asked(mut self) {
        tokio::select! {
            _ = self.hangup.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
