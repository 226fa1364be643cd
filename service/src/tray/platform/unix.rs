//! Linux and macOS: waitid(2) that leaves the process to be waited for again.

use std::{io, process::Child};

use rustix::{
    io::Errno,
    process::{Pid, WaitId, WaitIdOptions, waitid},
};

/// The end of a process.
#[derive(Debug, Clone)]
pub(in crate::tray) struct End(Pid);

impl End {
    /// Of a process that nobody has waited for.
    pub(in crate::tray) fn of(child: &Child) -> io::Result<Self> {
        let number = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        number.map(Self).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    /// Blocks until it has ended. Its number stays its own.
    pub(in crate::tray) fn wait(&self) -> io::Result<()> {
        loop {
            match waitid(WaitId::Pid(self.0), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => return Ok(()),
            }
        }
    }
}
