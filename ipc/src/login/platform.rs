//! Local sockets as each operating system has them.
//!
//! Every system has the functions `name`, `remove`, `bind`, `connect`, `close`, `limit_writes`,
//! `read_within` and `forget_deadline`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{bind, close, connect, forget_deadline, limit_writes, name, read_within, remove};
#[cfg(windows)]
pub(super) use windows::{bind, close, connect, forget_deadline, limit_writes, name, read_within, remove};
