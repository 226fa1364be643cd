//! The list of the A1 credentials that the person registered: where the key of each is, and its
//! certificate, so that listing needs no password. Nothing secret is kept here.

mod form;

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use signer_core::{
    cms::certificate::Certificate, credential::CredentialId, digest::Digest, error::ErrorCode,
};
use signer_ipc::token_host::Protection;

use crate::file::bounded;

/// The longest file in bytes.
const LONGEST: u64 = 16 << 20;
/// The folder of stored keys, beside the list.
const KEYS: &str = "keys";

/// The list as it is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Registered {
    entries: Vec<Entry>,
}

/// A registered credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where its key is.
    pub place: Place,
    /// Its certificate in DER.
    pub certificate: Vec<u8>,
    /// The other certificates of its A1 file, in DER and no order.
    pub chain: Vec<Vec<u8>>,
}

/// Where the key of a registered credential is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the watched folder, in whatever file has this content.
    Folder {
        /// The SHA-256 of the file.
        content: Digest,
    },
    /// In an A1 file of the person's, which stays where it is.
    Linked(PathBuf),
    /// In the private store.
    Stored {
        /// The SHA-256 of the stored key, which names its file.
        content: Digest,
        /// Under what it is encrypted.
        protection: Protection,
        /// The name of the A1 file that it came from.
        name: Option<String>,
    },
}

/// Why the list or the store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RegisteredError {
    /// It is not what this program writes.
    #[error("{} is damaged, or of a newer version: move it away and register the certificates again", .0.display())]
    Damaged(PathBuf),
    /// It cannot be read.
    #[error("{} cannot be read", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// It cannot be written.
    #[error("{} cannot be written", .0.display())]
    Write(PathBuf, #[source] io::Error),
}

impl RegisteredError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Damaged(_) | Self::Read(..) => ErrorCode::InputUnreadable,
            Self::Write(_, error) if error.kind() == io::ErrorKind::StorageFull => ErrorCode::StorageFull,
            Self::Write(..) => ErrorCode::OutputUnwritable,
        }
    }
}

impl Registered {
    /// Reads the list; one that is not there is empty. One of an earlier version is read as well.
    ///
    /// # Errors
    /// Where it is there and cannot be used.
    pub fn read(path: &Path) -> Result<Self, RegisteredError> {
        let bytes = match bounded::read(path, LONGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(RegisteredError::Read(path.to_owned(), error)),
        };
        let entries = form::parse(&bytes).ok_or_else(|| RegisteredError::Damaged(path.to_owned()))?;
        Ok(Self { entries })
    }

    /// Replaces the list on disk, in one step and durably.
    ///
    /// # Errors
    /// Where it cannot be written; it is as it was then.
    pub fn write(&self, path: &Path) -> Result<(), RegisteredError> {
        let bytes = form::write(&self.entries).ok_or_else(|| RegisteredError::Damaged(path.to_owned()))?;
        replace(path, &bytes).map_err(|error| RegisteredError::Write(path.to_owned(), error))
    }

    /// What is registered.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The files outside of the store that it names.
    pub fn linked(&self) -> impl Iterator<Item = &Path> {
        self.entries.iter().filter_map(|entry| match &entry.place {
            Place::Linked(path) => Some(path.as_path()),
            Place::Folder { .. } | Place::Stored { .. } => None,
        })
    }

    /// Registers a credential; one with the same certificate is replaced.
    pub fn add(&mut self, entry: Entry) {
        self.entries.retain(|known| known.certificate != entry.certificate);
        self.entries.push(entry);
    }

    /// Takes the entries out whose identifier, or its beginning, is `id`.
    pub fn remove(&mut self, id: &str) -> Vec<Entry> {
        self.entries.extract_if(.., |entry| entry.id().is_some_and(|known| known.matches(id))).collect()
    }
}

impl Entry {
    /// The identifier of its credential; nothing where its certificate cannot be read.
    pub fn id(&self) -> Option<CredentialId> {
        Some(CredentialId::of(&Certificate::from_der(&self.certificate).ok()?))
    }
}

/// The folder of stored keys that belongs to the list at `path`.
pub(super) fn keys_folder(path: &Path) -> PathBuf {
    path.with_file_name(KEYS)
}

/// The stored key with this content that belongs to the list at `path`.
pub fn key_file(path: &Path, content: &Digest) -> PathBuf {
    keys_folder(path).join(content.to_hex())
}

/// Writes a file in one step and durably; only its owner may read it.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync(directory)
}

/// Makes the names in a folder durable.
pub(super) fn sync(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(directory)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

#[cfg(test)]
mod tests;
