//! How each operating system asks the service to stop: `StopSignal`.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::StopSignal;
#[cfg(windows)]
pub(crate) use windows::StopSignal;
