//! macOS: plain copies, temporary names.

use std::{fs::File, io, os::unix::fs::FileExt as _, path::Path};

use crate::file::copy::copy_through_memory;

/// Reads once at `offset`, perhaps less than the buffer.
pub(in crate::file) fn read_once(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// Copies up to `count` bytes at `offset` of `from` to the same offset of `to`.
pub(in crate::file) fn copy_range(from: &File, to: &File, offset: u64, count: u64) -> io::Result<u64> {
    copy_through_memory(from, to, offset, count)
}

/// A new file in `directory` with a temporary name.
pub(in crate::file) fn open_unnamed(directory: &Path) -> io::Result<(File, Option<tempfile::TempPath>)> {
    super::open_named(directory)
}

/// Files always have a name here.
pub(in crate::file) fn give_name(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Flushes the entries of `directory`.
pub(in crate::file) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
