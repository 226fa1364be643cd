//! What each operating system tells about the other end of a loopback connection.
//!
//! Every system has the same type and two functions: `Socket`, `own_socket` and `program`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(super) use linux::{Socket, own_socket, program};
#[cfg(target_os = "macos")]
pub(super) use macos::{Socket, own_socket, program};
#[cfg(windows)]
pub(super) use windows::{Socket, own_socket, program};
