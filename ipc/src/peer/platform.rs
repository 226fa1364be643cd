//! The one question to the kernel, as each operating system takes it: `peer`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(super) use linux::peer;
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) use macos::peer;
#[cfg(windows)]
pub(crate) use windows::own_user;
#[cfg(windows)]
pub(super) use windows::peer;
