//! How each operating system gives a program the person's terminal.
//!
//! Every system has `open`, `INTERRUPT`, and the types `Modes` (how keys are treated), `Input` and
//! `Output`. A line that Ctrl-C ended has `INTERRUPT` as its last byte while a question is asked.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{INTERRUPT, Input, Modes, Output, open};
#[cfg(windows)]
pub(super) use windows::{INTERRUPT, Input, Modes, Output, open};
