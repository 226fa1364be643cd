//! Windows: no window for the host, no error dialogs of a crashing module.

use std::{
    ffi::OsString,
    io,
    os::windows::{
        ffi::{OsStrExt as _, OsStringExt as _},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Command, ExitStatus},
};

use windows_sys::Win32::System::{
    Diagnostics::Debug::{SEM_FAILCRITICALERRORS, SEM_NOGPFAULTERRORBOX, SetErrorMode},
    Threading::CREATE_NO_WINDOW,
};

use crate::token::error::End;

/// See [`super::host_environment`].
pub(super) const KEPT_VARIABLES: &[&str] = &[
    "ALLUSERSPROFILE",
    "APPDATA",
    "COMPUTERNAME",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "OPENSC_CONF",
    "PATH",
    "Path",
    "PUBLIC",
    "ProgramData",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "SOFTHSM2_CONF",
    "SystemDrive",
    "SystemRoot",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "windir",
];

/// Keeps a crash of this process from asking the person and from writing an error report.
pub(in crate::token) fn conceal() -> io::Result<()> {
    harden()
}

/// Keeps a crashing module from asking the person and from writing an error report.
#[expect(unsafe_code, reason = "the standard library has no error mode")]
pub(in crate::token) fn harden() -> io::Result<()> {
    // SAFETY: SetErrorMode takes flags by value and cannot fail.
    unsafe { SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX) };
    Ok(())
}

/// A host never shows a console window.
pub(in crate::token) fn prepare(command: &mut Command) {
    command.creation_flags(CREATE_NO_WINDOW);
}

/// Ends this process at once.
pub(in crate::token) fn die() {
    std::process::abort();
}

/// The standard library ends a process with this code; no crash has it.
pub(in crate::token) fn end(status: &ExitStatus) -> End {
    if status.code() == Some(1) { End::Killed } else { End::ByItself }
}

/// A path as bytes for the host: UTF-16, little-endian.
pub(in crate::token) fn path_to_bytes(path: &Path) -> Vec<u8> {
    path.as_os_str().encode_wide().flat_map(u16::to_le_bytes).collect()
}

/// The path that [`path_to_bytes`] took.
pub(in crate::token) fn path_from_bytes(bytes: &[u8]) -> Option<PathBuf> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units: Vec<_> = units.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    (rest.is_empty() && !units.contains(&0)).then(|| PathBuf::from(OsString::from_wide(&units)))
}
