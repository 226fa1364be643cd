//! An output that appears whole or not at all.
//!
//! On Linux the file has no name until it is complete and on disk: a killed process leaves
//! nothing behind. Elsewhere, and where a file is replaced, a temporary name beside the
//! target is renamed over it.

use std::{
    fs::{File, Permissions},
    io,
    path::{Path, PathBuf},
};

use crate::file::platform;

/// What to do where the target exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Refuse and leave it as it is.
    Keep,
    /// Replace it in one step.
    Replace,
}

/// Whether the output is on disk before it appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// File and directory are flushed: it survives a power cut.
    Synced,
    /// Left to the operating system. For measurements only.
    Unsynced,
}

/// A file in the making. Dropped before [`Destination::publish`] it leaves nothing behind.
#[derive(Debug)]
pub struct Destination {
    file: File,
    target: PathBuf,
    directory: PathBuf,
    existing: Existing,
    /// The name the file has while it is made, where it needs one. Removed on drop.
    temporary: Option<tempfile::TempPath>,
}

/// Why an output could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DestinationError {
    /// The target exists and was to be kept.
    #[error("the output exists already")]
    Exists,
    /// The disk or the quota is full.
    #[error("no space is left for the output")]
    Full(#[source] io::Error),
    /// Anything else.
    #[error("the output cannot be written")]
    Unwritable(#[source] io::Error),
}

impl DestinationError {
    /// The stable code.
    pub const fn code(&self) -> signer_core::error::ErrorCode {
        match self {
            Self::Exists => signer_core::error::ErrorCode::OutputExists,
            Self::Full(_) => signer_core::error::ErrorCode::StorageFull,
            Self::Unwritable(_) => signer_core::error::ErrorCode::OutputUnwritable,
        }
    }
}

impl From<io::Error> for DestinationError {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the list of the standard library grows")]
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full(error)
            }
            _ => Self::Unwritable(error),
        }
    }
}

impl Destination {
    /// An empty file in the directory of `target`, which is not touched.
    ///
    /// # Errors
    /// [`DestinationError::Exists`] at once where `target` is to be kept; else what the
    /// operating system says of its directory.
    pub fn create(target: &Path, existing: Existing) -> Result<Self, DestinationError> {
        if existing == Existing::Keep && target.symlink_metadata().is_ok() {
            return Err(DestinationError::Exists);
        }
        let replaced = match existing {
            Existing::Keep => None,
            Existing::Replace => replaced(target)?,
        };
        let (target, permissions) = replaced
            .map_or_else(|| (target.to_owned(), None), |(path, permissions)| (path, Some(permissions)));
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            Some(_) | None => PathBuf::from("."),
        };
        let (file, temporary) = platform::open_unnamed(&directory)?;
        // What others could not read before they cannot read afterwards.
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        Ok(Self { file, target, directory, existing, temporary })
    }

    /// The file in the making, open for reading and writing.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its name, in one step. Blocks until it is on disk if it is to be `Synced`.
    ///
    /// # Errors
    /// Where the target appeared meanwhile and was to be kept, or the operating system
    /// refuses; the target is then as it was.
    pub fn publish(mut self, durability: Durability) -> Result<(), DestinationError> {
        match durability {
            Durability::Synced => self.file.sync_all()?,
            Durability::Unsynced => {}
        }
        match self.existing {
            Existing::Keep => self.publish_new()?,
            Existing::Replace => self.publish_over()?,
        }
        match durability {
            Durability::Synced => platform::sync_directory(&self.directory)?,
            Durability::Unsynced => {}
        }
        Ok(())
    }

    fn publish_new(&mut self) -> Result<(), DestinationError> {
        match self.temporary.take() {
            Some(name) => name.persist_noclobber(&self.target).map_err(|error| error.error.into()),
            None => Ok(platform::give_name(&self.file, &self.target)?),
        }
    }

    fn publish_over(&mut self) -> Result<(), DestinationError> {
        let name = match self.temporary.take() {
            Some(name) => name,
            // The unnamed file needs a name that can be renamed over the target.
            None => tempfile::Builder::new()
                .prefix(".cybercore-")
                .suffix(".pdf")
                .make_in(&self.directory, |path| platform::give_name(&self.file, path))?
                .into_temp_path(),
        };
        name.persist(&self.target).map_err(|error| error.error.into())
    }
}

/// The regular file that stands at `target`, through symbolic links as opening it would go, and
/// who may do what with it; `None` where there is nothing yet.
fn replaced(target: &Path) -> Result<Option<(PathBuf, Permissions)>, DestinationError> {
    if target.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    let target = target.canonicalize().map_err(DestinationError::Unwritable)?;
    let metadata = target.metadata().map_err(DestinationError::Unwritable)?;
    // A device or a pipe is never replaced by a document.
    if !metadata.is_file() {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        return Err(DestinationError::Unwritable(error));
    }
    Ok(Some((target, metadata.permissions())))
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;

    fn entries(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_seen_before_it_is_published() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.pdf");
        let destination = Destination::create(&target, Existing::Keep).unwrap();
        destination.file().write_all(b"new").unwrap();
        assert!(!target.exists());
        destination.publish(Durability::Synced).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(entries(directory.path()), ["a.pdf"]);
    }

    #[test]
    fn a_dropped_destination_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let destination = Destination::create(&directory.path().join("a.pdf"), Existing::Keep).unwrap();
        destination.file().write_all(b"new").unwrap();
        drop(destination);
        assert!(entries(directory.path()).is_empty());
    }

    #[test]
    fn an_existing_output_is_kept_unless_it_is_to_be_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.pdf");
        fs::write(&target, b"old").unwrap();
        assert!(matches!(Destination::create(&target, Existing::Keep), Err(DestinationError::Exists)));

        let destination = Destination::create(&target, Existing::Replace).unwrap();
        destination.file().write_all(b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        destination.publish(Durability::Synced).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(entries(directory.path()), ["a.pdf"]);
    }

    #[test]
    fn an_output_that_appears_meanwhile_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.pdf");
        let destination = Destination::create(&target, Existing::Keep).unwrap();
        fs::write(&target, b"other").unwrap();
        assert!(matches!(destination.publish(Durability::Synced), Err(DestinationError::Exists)));
        assert_eq!(fs::read(&target).unwrap(), b"other");
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_who_may_read_it() {
        use std::os::unix::fs::PermissionsExt as _;

        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a.pdf");
        fs::write(&target, b"old").unwrap();
        for mode in [0o600, 0o640, 0o400] {
            fs::set_permissions(&target, Permissions::from_mode(mode)).unwrap();
            let destination = Destination::create(&target, Existing::Replace).unwrap();
            destination.file().write_all(b"new").unwrap();
            destination.publish(Durability::Synced).unwrap();
            assert_eq!(target.metadata().unwrap().permissions().mode() & 0o777, mode);
        }
    }
}
