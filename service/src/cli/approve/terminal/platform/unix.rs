//! Linux and macOS: `/dev/tty` with its line discipline (termios).
//!
//! The system edits the line and echoes it or not. While a question is asked Ctrl-C ends a line
//! instead of the program, so that the terminal never stays without echo.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _},
};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcsetattr};

use crate::cli::approve::terminal::Echo;

/// What Ctrl-C types (ETX).
pub(in crate::cli::approve::terminal) const INTERRUPT: u8 = 3;

/// How keys are treated. Dropped, they are treated as before.
pub(in crate::cli::approve::terminal) struct Modes {
    tty: File,
    before: Termios,
}

/// The keys.
pub(in crate::cli::approve::terminal) struct Input(File);

/// The screen.
pub(in crate::cli::approve::terminal) type Output = File;

/// The controlling terminal of this process.
pub(in crate::cli::approve::terminal) fn open() -> io::Result<(Modes, Input, Output)> {
    let tty = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
    if !isatty(&tty) {
        return Err(io::Error::new(io::ErrorKind::NotFound, "/dev/tty is no terminal"));
    }
    let before = tcgetattr(&tty)?;
    let (input, output) = (Input(tty.try_clone()?), tty.try_clone()?);
    Ok((Modes { tty, before }, input, output))
}

impl Modes {
    /// Treats keys as the answer to a question; those that were typed before are thrown away.
    pub(in crate::cli::approve::terminal) fn ask(&self, echo: Echo) -> io::Result<()> {
        let mut modes = self.before.clone();
        modes.local_modes.remove(LocalModes::ISIG);
        modes.local_modes.insert(LocalModes::ICANON);
        match echo {
            Echo::Hidden => modes.local_modes.remove(LocalModes::ECHO | LocalModes::ECHONL),
            Echo::Shown => modes.local_modes.insert(LocalModes::ECHO),
        }
        // A further character that ends a line.
        modes.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT;
        Ok(tcsetattr(&self.tty, OptionalActions::Flush, &modes)?)
    }

    /// Treats keys as before the first question.
    pub(in crate::cli::approve::terminal) fn restore(&self) -> io::Result<()> {
        Ok(tcsetattr(&self.tty, OptionalActions::Flush, &self.before)?)
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        // The terminal may be gone.
        let _ = self.restore();
    }
}

impl Input {
    /// Reads what is there of a line. Blocks until it is ended.
    pub(in crate::cli::approve::terminal) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}
