//! The person's terminal: whole lines in, with or without echo, text out.
//!
//! It is the controlling terminal, never standard input: a pipe cannot answer.

mod platform;

use std::{
    io::{self, Write as _},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use signer_ipc::secret::Secret;
use zeroize::Zeroizing;

use crate::cli::screen;

use platform::{Input, Modes, Output};

/// The terminal while a program asks. Dropping it gives the terminal back as it was.
pub(super) struct Terminal {
    modes: Modes,
    output: Output,
    /// Counts the questions: a line that was typed before a question is no answer to it.
    question: Arc<AtomicU64>,
}

/// Whether what is typed can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Echo {
    Hidden,
    Shown,
}

/// What the person typed up to the end of a line.
pub(super) struct Line {
    question: u64,
    pub(super) typed: Typed,
}

/// How a line ended.
pub(super) enum Typed {
    /// With Enter.
    Text(Zeroizing<Vec<u8>>),
    /// With Ctrl-C.
    Interrupted,
    /// The terminal is closed, or Ctrl-D was pressed.
    End,
    /// It is longer than anything that is asked for.
    TooLong,
}

/// Why there is no terminal to ask in.
#[derive(Debug, thiserror::Error)]
pub(super) enum TerminalError {
    /// This process has none.
    #[error("this process has no terminal")]
    Absent(#[source] io::Error),
    /// It fails.
    #[error("the terminal fails")]
    Failed(#[from] io::Error),
}

impl Terminal {
    /// Opens the terminal of this process and reads its lines on a thread of its own, until it is
    /// closed or `take` says that nobody wants them any more.
    ///
    /// # Errors
    /// Where the process has no terminal.
    pub(super) fn open(take: impl Fn(Line) -> bool + Send + 'static) -> Result<Self, TerminalError> {
        let (modes, mut input, output) = platform::open().map_err(TerminalError::Absent)?;
        let question = Arc::new(AtomicU64::new(0));
        let asked = Arc::clone(&question);
        let read = move || {
            loop {
                let typed = read_line(&mut input);
                let last = matches!(typed, Typed::End);
                if !take(Line { question: asked.load(Ordering::SeqCst), typed }) || last {
                    return;
                }
            }
        };
        thread::Builder::new().name("terminal".to_owned()).spawn(read)?;
        Ok(Self { modes, output, question })
    }

    /// Begins a question: from here on the keys are its answer, what was typed before is gone, and
    /// Ctrl-C is an answer, too.
    ///
    /// # Errors
    /// Where the terminal does not take it.
    pub(super) fn begin_question(&mut self, echo: Echo) -> Result<(), TerminalError> {
        self.question.fetch_add(1, Ordering::SeqCst);
        Ok(self.modes.ask(echo)?)
    }

    /// Ends a question: the terminal is as it was.
    ///
    /// # Errors
    /// Where the terminal does not take it.
    pub(super) fn end_question(&mut self) -> Result<(), TerminalError> {
        Ok(self.modes.restore()?)
    }

    /// Whether a line was typed for the question that was begun last.
    pub(super) fn is_answer(&self, line: &Line) -> bool {
        line.question == self.question.load(Ordering::SeqCst)
    }

    /// Writes text. What drives a terminal is taken out.
    ///
    /// # Errors
    /// Where the terminal is closed.
    pub(super) fn write(&mut self, text: &str) -> Result<(), TerminalError> {
        self.output.write_all(screen::printable(text).as_bytes())?;
        Ok(self.output.flush()?)
    }
}

/// Reads one line. Blocks.
fn read_line(input: &mut Input) -> Typed {
    // Fixed from the start: a buffer that grows leaves copies behind. Longer than any secret, with
    // its line end and one byte to see that it is too long.
    let mut buffer = Zeroizing::new([0_u8; Secret::MAX_LEN + 3]);
    let mut filled = 0;
    loop {
        let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) else {
            return skip_line(input);
        };
        match input.read(rest) {
            Ok(0) => return Typed::End,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Typed::End,
        }
        let line = buffer.get(..filled).unwrap_or_default();
        match line.last() {
            Some(&platform::INTERRUPT) => return Typed::Interrupted,
            Some(b'\n') => {
                let text = line.strip_suffix(b"\n").unwrap_or(line);
                let text = text.strip_suffix(b"\r").unwrap_or(text);
                return if text.len() > Secret::MAX_LEN {
                    Typed::TooLong
                } else {
                    Typed::Text(Zeroizing::new(text.to_vec()))
                };
            }
            Some(_) | None => {}
        }
    }
}

/// Reads on to the end of a line that is too long. Blocks.
fn skip_line(input: &mut Input) -> Typed {
    let mut buffer = Zeroizing::new([0_u8; 256]);
    loop {
        match input.read(buffer.as_mut_slice()) {
            Ok(0) => return Typed::End,
            Ok(count) => match buffer.get(..count).unwrap_or_default().last() {
                Some(&platform::INTERRUPT) => return Typed::Interrupted,
                Some(b'\n') => return Typed::TooLong,
                Some(_) | None => {}
            },
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return Typed::End,
        }
    }
}
