//! Linux: no core file, no tracing, no new privileges, no life after the parent.

use std::{
    ffi::OsStr,
    io,
    os::unix::{ffi::OsStrExt as _, process::ExitStatusExt as _},
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use rustix::process::{DumpableBehavior, Resource, Rlimit, Signal};

use crate::token::error::End;

/// See [`super::host_environment`].
pub(super) const KEPT_VARIABLES: &[&str] = &[
    "DBUS_SESSION_BUS_ADDRESS",
    "DBUS_SYSTEM_BUS_ADDRESS",
    "DISPLAY",
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LD_LIBRARY_PATH",
    "LOGNAME",
    "OPENSC_CONF",
    "PATH",
    "PCSCLITE_*",
    "SOFTHSM2_CONF",
    "TMPDIR",
    "TZ",
    "USER",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_*",
];

/// Closes the process against others, for good: before any secret is in it.
pub(in crate::token) fn conceal() -> io::Result<()> {
    // Also refuses ptrace(2) and /proc/PID/{mem,environ} to other processes of the login.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    rustix::process::setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(())
}

/// [`conceal`], and binds the process to its parent: before any foreign code is in it.
pub(in crate::token) fn harden() -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    conceal()?;
    rustix::thread::set_no_new_privs(true)?;
    Ok(())
}

/// Keeps the host out of the directory that the caller happens to be in.
pub(in crate::token) fn prepare(command: &mut Command) {
    command.current_dir("/");
}

/// Ends this process at once: nothing that a module registered for the end of a process runs.
pub(in crate::token) fn die() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), Signal::KILL);
}

/// A host that got one of these signals got it from somebody else.
pub(in crate::token) fn end(status: &ExitStatus) -> End {
    let killed = [Signal::KILL, Signal::TERM].map(Signal::as_raw).contains(&status.signal().unwrap_or(0));
    if killed { End::Killed } else { End::ByItself }
}

/// A path as bytes for the host.
pub(in crate::token) fn path_to_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// The path that [`path_to_bytes`] took.
pub(in crate::token) fn path_from_bytes(bytes: &[u8]) -> Option<PathBuf> {
    (!bytes.contains(&0)).then(|| PathBuf::from(OsStr::from_bytes(bytes)))
}
