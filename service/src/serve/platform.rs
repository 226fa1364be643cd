//! How each operating system asks the service to stop: `StopSignal`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::StopSignal;
#[cfg(windows)]
pub(super) use windows::StopSignal;
