//! Windows: Ctrl-C, a console that closes, the end of the session.

use std::io;

use tokio::signal::windows::{CtrlC, CtrlClose, CtrlShutdown, ctrl_c, ctrl_close, ctrl_shutdown};

/// Waits for the wish to stop.
pub(crate) struct StopSignal {
    close: CtrlClose,
    interrupt: CtrlC,
    shutdown: CtrlShutdown,
}

impl StopSignal {
    /// From here on these events end nothing by themselves. Within a runtime.
    pub(crate) fn watch() -> io::Result<Self> {
        Ok(Self { close: ctrl_close()?, interrupt: ctrl_c()?, shutdown: ctrl_shutdown()? })
    }

    /// Ready with the first of them.
    pub(crate) async fn asked(mut self) {
        tokio::select! {
            _ = self.close.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.shutdown.recv() => {}
        }
    }
}
