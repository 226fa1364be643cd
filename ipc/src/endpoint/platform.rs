//! How a child inherits its end on each operating system.
//!
//! Every system has the types `Receiver` and `Sender` and the functions `spawn`, `inherited`
//! and `close`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{Receiver, Sender, close, inherited, spawn};
#[cfg(windows)]
pub(super) use windows::{Receiver, Sender, close, inherited, spawn};
