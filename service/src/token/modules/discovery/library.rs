//! Whether a file is a library for this program, and whether two files are the same library.

use std::{
    fs::{self, File, Metadata},
    io,
    path::Path,
};

use sha2::{Digest as _, Sha256};

use crate::token::{architecture::Library, modules::Reason};

/// By what a library is known again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Identity {
    place: Place,
    size: u64,
}

/// Device and inode.
#[cfg(unix)]
type Place = (u64, u64);
/// The path without links.
#[cfg(not(unix))]
type Place = std::path::PathBuf;

/// Looks at the beginning of a file.
pub(super) fn examine(path: &Path) -> Result<Identity, Reason> {
    let unreadable = |error: io::Error| {
        if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            return Reason::Missing;
        }
        Reason::Unreadable(error.to_string())
    };
    match Library::read(path).map_err(unreadable)? {
        Library::Foreign(mismatch) => return Err(Reason::Architecture(mismatch)),
        Library::Unknown => return Err(Reason::NotALibrary),
        Library::Native => {}
    }
    let metadata = fs::metadata(path).map_err(unreadable)?;
    Ok(Identity { place: place(path, &metadata).map_err(unreadable)?, size: metadata.len() })
}

impl Identity {
    /// Whether the library at `path` is the one at the other path: one file, or copies of it.
    /// Libraries of one length are read whole.
    pub(super) fn is_same(&self, path: &Path, other: &Self, other_path: &Path) -> bool {
        self.place == other.place
            || self.size == other.size
                && matches!((digest(path), digest(other_path)), (Ok(one), Ok(two)) if one == two)
    }
}

fn digest(path: &Path) -> io::Result<[u8; 32]> {
    let mut hash = Sha256::new();
    let mut file = File::open(path)?;
    let mut part = vec![0; 64 << 10];
    loop {
        let read = io::Read::read(&mut file, &mut part)?;
        match part.get(..read) {
            Some([]) | None => return Ok(hash.finalize().into()),
            Some(bytes) => hash.update(bytes),
        }
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems ask the file system once more")]
fn place(_: &Path, metadata: &Metadata) -> io::Result<Place> {
    use std::os::unix::fs::MetadataExt as _;

    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn place(path: &Path, _: &Metadata) -> io::Result<Place> {
    path.canonicalize()
}
