//! Windows: the console of this process.
//!
//! The console edits the line and echoes it or not. While a question is asked Ctrl-C ends a line
//! instead of the program.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::windows::io::AsRawHandle as _,
};

use windows_sys::Win32::System::Console::{
    CONSOLE_READCONSOLE_CONTROL, ENABLE_ECHO_INPUT, ENABLE_LINE_INPUT, ENABLE_PROCESSED_INPUT,
    FlushConsoleInputBuffer, GetConsoleMode, ReadConsoleW, SetConsoleMode, WriteConsoleW,
};
use zeroize::Zeroizing;

use crate::cli::approve::terminal::Echo;

/// What Ctrl-C types (ETX).
pub(in crate::cli::approve::terminal) const INTERRUPT: u8 = 3;

/// How many UTF-16 units are taken at once.
const UNITS: usize = 256;

/// How keys are treated. Dropped, they are treated as before.
pub(in crate::cli::approve::terminal) struct Modes {
    input: File,
    before: u32,
}

/// The keys, and what was read of them and not taken yet, in UTF-8.
pub(in crate::cli::approve::terminal) struct Input {
    input: File,
    read: Zeroizing<Vec<u8>>,
    taken: usize,
}

/// The screen.
pub(in crate::cli::approve::terminal) struct Output(File);

/// The console of this process.
pub(in crate::cli::approve::terminal) fn open() -> io::Result<(Modes, Input, Output)> {
    let console = |name| OpenOptions::new().read(true).write(true).open(name);
    let (input, output) = (console("CONIN$")?, console("CONOUT$")?);
    let mut before = 0;
    #[expect(unsafe_code, reason = "the console's modes have no other interface")]
    // SAFETY: the handle is open, and the place for the answer is this function's own.
    let got = unsafe { GetConsoleMode(input.as_raw_handle(), &raw mut before) };
    if got == 0 {
        return Err(io::Error::last_os_error());
    }
    let keys =
        Input { input: input.try_clone()?, read: Zeroizing::new(Vec::with_capacity(3 * UNITS)), taken: 0 };
    Ok((Modes { input, before }, keys, Output(output)))
}

impl Modes {
    /// Treats keys as the answer to a question; those that were typed before are thrown away.
    pub(in crate::cli::approve::terminal) fn ask(&self, echo: Echo) -> io::Result<()> {
        let echo = match echo {
            Echo::Hidden => 0,
            Echo::Shown => ENABLE_ECHO_INPUT,
        };
        let modes = (self.before & !(ENABLE_ECHO_INPUT | ENABLE_PROCESSED_INPUT)) | ENABLE_LINE_INPUT | echo;
        self.set(modes)
    }

    /// Treats keys as before the first question.
    pub(in crate::cli::approve::terminal) fn restore(&self) -> io::Result<()> {
        self.set(self.before)
    }

    fn set(&self, modes: u32) -> io::Result<()> {
        let handle = self.input.as_raw_handle();
        #[expect(unsafe_code, reason = "the console's modes have no other interface")]
        // SAFETY: the handle is open.
        let set = unsafe { SetConsoleMode(handle, modes) };
        #[expect(unsafe_code, reason = "the console's keys have no other interface")]
        // SAFETY: the handle is open.
        let flushed = unsafe { FlushConsoleInputBuffer(handle) };
        if set == 0 || flushed == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }
}

impl Drop for Modes {
    fn drop(&mut self) {
        // The console may be gone.
        let _ = self.restore();
    }
}

impl Input {
    /// Reads what is there of a line. Blocks until it is ended.
    pub(in crate::cli::approve::terminal) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.read.len() {
            self.fill()?;
        }
        let rest = self.read.get(self.taken..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.taken += count;
        Ok(count)
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut units = Zeroizing::new([0_u16; UNITS]);
        let mut count = 0;
        let control = CONSOLE_READCONSOLE_CONTROL {
            nLength: u32::try_from(size_of::<CONSOLE_READCONSOLE_CONTROL>()).map_err(io::Error::other)?,
            nInitialChars: 0,
            dwCtrlWakeupMask: 1 << INTERRUPT,
            dwControlKeyState: 0,
        };
        let room = u32::try_from(UNITS).map_err(io::Error::other)?;
        #[expect(unsafe_code, reason = "the console's text has no other interface")]
        // SAFETY: the handle is open; the buffer has `room` units; the other places live as long.
        let read = unsafe {
            ReadConsoleW(
                self.input.as_raw_handle(),
                units.as_mut_ptr().cast(),
                room,
                &raw mut count,
                &raw const control,
            )
        };
        if read == 0 {
            return Err(io::Error::last_os_error());
        }
        let units = units.get(..usize::try_from(count).unwrap_or(UNITS)).unwrap_or_default();
        self.read.clear();
        self.taken = 0;
        let mut place = Zeroizing::new([0_u8; 4]);
        for found in char::decode_utf16(units.iter().copied()) {
            let found = found.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.read.extend_from_slice(found.encode_utf8(place.as_mut_slice()).as_bytes());
        }
        // Ctrl-C wakes the reader wherever it is in the line; what was typed of it does not count.
        if self.read.contains(&INTERRUPT) {
            self.read.clear();
            self.read.push(INTERRUPT);
        }
        Ok(())
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        for chunk in text.encode_utf16().collect::<Vec<_>>().chunks(8192) {
            let count = u32::try_from(chunk.len()).map_err(io::Error::other)?;
            let mut written = 0;
            #[expect(unsafe_code, reason = "the console's text has no other interface")]
            // SAFETY: the handle is open; the buffer has `count` units.
            let done = unsafe {
                WriteConsoleW(
                    self.0.as_raw_handle(),
                    chunk.as_ptr().cast(),
                    count,
                    &raw mut written,
                    std::ptr::null(),
                )
            };
            if done == 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
