//! What each operating system says about the display of the session.
//!
//! Every system has the functions `display_is_likely` and `display`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

#[cfg(target_os = "linux")]
pub(super) use linux::{display, display_is_likely};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{display, display_is_likely};
