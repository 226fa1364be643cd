//! Linux: copies inside the kernel, files without a name.

use std::{fs::File, io, os::fd::AsRawFd as _, os::unix::fs::FileExt as _, path::Path};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags},
    io::Errno,
};

use crate::file::copy::copy_through_memory;

/// Reads once at `offset`, perhaps less than the buffer.
pub(in crate::file) fn read_once(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    file.read_at(buffer, offset)
}

/// Copies up to `count` bytes at `offset` of `from` to the same offset of `to`; where the file
/// system can, by sharing them.
pub(in crate::file) fn copy_range(from: &File, to: &File, offset: u64, count: u64) -> io::Result<u64> {
    let (mut source, mut target) = (offset, offset);
    let length = usize::try_from(count).unwrap_or(usize::MAX);
    match rustix::fs::copy_file_range(from, Some(&mut source), to, Some(&mut target), length) {
        Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
        Ok(copied) => Ok(copied as u64),
        // Not between these two file systems, or not on this kernel.
        Err(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP | Errno::PERM | Errno::IO) => {
            copy_through_memory(from, to, offset, count)
        }
        Err(error) => Err(error.into()),
    }
}

/// A new file in `directory`, without a name where the file system can do that.
pub(in crate::file) fn open_unnamed(directory: &Path) -> io::Result<(File, Option<tempfile::TempPath>)> {
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    match rustix::fs::open(directory, flags, Mode::from_raw_mode(0o644)) {
        Ok(descriptor) => Ok((File::from(descriptor), None)),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => super::open_named(directory),
        Err(error) => Err(error.into()),
    }
}

/// Gives the unnamed `file` the name `path`; an existing one is an error.
pub(in crate::file) fn give_name(file: &File, path: &Path) -> io::Result<()> {
    // linkat(2): naming the descriptor itself needs a capability, its entry in /proc does not.
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(rustix::fs::linkat(CWD, descriptor, CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// Flushes the entries of `directory`.
pub(in crate::file) fn sync_directory(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
