//! How long the machine has slept: what counts while it sleeps, less what does not.
//!
//! Every system has the function `slept`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(all(unix, not(target_os = "linux")))]
use macos as system;
#[cfg(windows)]
use windows as system;

pub(super) use system::slept;
