//! Linux and macOS: SIGTERM, SIGINT, and SIGHUP of a terminal that closes.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for the wish to stop.
pub(in crate::serve) struct StopSignal {
    hangup: Signal,
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignal {
    /// From here on the signals end nothing by themselves. Within a runtime.
    pub(in crate::serve) fn watch() -> io::Result<Self> {
        Ok(Self {
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Ready with the first of them.
    pub(in crate::serve) async fn asked(mut self) {
        tokio::select! {
            _ = self.hangup.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
