//! What each operating system offers for files beyond the standard library.
//!
//! Every system has the same five functions: `read_once`, `copy_range`, `open_unnamed`,
//! `give_name` and `sync_directory`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(super) use linux::{copy_range, give_name, open_unnamed, read_once, sync_directory};
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) use macos::{copy_range, give_name, open_unnamed, read_once, sync_directory};
#[cfg(windows)]
pub(super) use windows::{copy_range, give_name, open_unnamed, read_once, sync_directory};

use std::{fs::File, io, path::Path};

/// A new file in `directory` with a temporary name that goes away when it is dropped.
fn open_named(directory: &Path) -> io::Result<(File, Option<tempfile::TempPath>)> {
    let named = tempfile::Builder::new().prefix(".cybercore-").suffix(".pdf").tempfile_in(directory)?;
    let (file, path) = named.into_parts();
    Ok((file, Some(path)))
}
