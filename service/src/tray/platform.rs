//! What each operating system says about the display of the session, and how the end of a
//! process is waited for without taking its number from it.
//!
//! Every system has the functions `display_is_likely` and `display`, and the type `End`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(super) use linux::{display, display_is_likely};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{display, display_is_likely};
#[cfg(unix)]
pub(super) use unix::End;
#[cfg(windows)]
pub(super) use windows::End;
