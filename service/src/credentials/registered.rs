//! The A1 files that the person registered: where each is, and its certificate, so that listing
//! needs no password. The files stay where they are; nothing secret is kept here.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use signer_core::{cms::certificate::Certificate, credential::CredentialId, error::ErrorCode};

use crate::file::bounded;

/// The form of the file.
const VERSION: u32 = 1;
/// The longest file in bytes.
const LONGEST: u64 = 16 << 20;

/// The list as it is on disk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Registered {
    entries: Vec<Entry>,
}

/// A registered file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// Its certificate in DER.
    pub certificate: Vec<u8>,
    /// The other certificates in it, in DER and no order.
    pub chain: Vec<Vec<u8>>,
}

/// Why the list cannot be used.
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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnDisk {
    version: u32,
    credentials: Vec<EntryOnDisk>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryOnDisk {
    path: PathBuf,
    certificate: String,
    chain: Vec<String>,
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
    /// Reads the list; one that is not there is empty.
    ///
    /// # Errors
    /// Where it is there and cannot be used.
    pub fn read(path: &Path) -> Result<Self, RegisteredError> {
        let bytes = match bounded::read(path, LONGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(RegisteredError::Read(path.to_owned(), error)),
        };
        let damaged = || RegisteredError::Damaged(path.to_owned());
        let disk: OnDisk = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
        if disk.version != VERSION {
            return Err(damaged());
        }
        let entries: Option<Vec<Entry>> = disk.credentials.iter().map(EntryOnDisk::parse).collect();
        Ok(Self { entries: entries.ok_or_else(damaged)? })
    }

    /// Replaces the list on disk, in one step and durably.
    ///
    /// # Errors
    /// Where it cannot be written; it is as it was then.
    pub fn write(&self, path: &Path) -> Result<(), RegisteredError> {
        let disk =
            OnDisk { version: VERSION, credentials: self.entries.iter().map(EntryOnDisk::of).collect() };
        let bytes =
            serde_json::to_vec_pretty(&disk).map_err(|_| RegisteredError::Damaged(path.to_owned()))?;
        let directory = path.parent().unwrap_or(Path::new("."));
        let write = || {
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            file.write_all(&bytes)?;
            file.as_file().sync_all()?;
            file.persist(path).map_err(|error| error.error)?;
            #[cfg(unix)]
            fs::File::open(directory)?.sync_all()?;
            Ok(())
        };
        write().map_err(|error| RegisteredError::Write(path.to_owned(), error))
    }

    /// What is registered.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Registers a file; one with the same certificate is replaced.
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

impl EntryOnDisk {
    fn of(entry: &Entry) -> Self {
        Self {
            path: entry.path.clone(),
            certificate: STANDARD.encode(&entry.certificate),
            chain: entry.chain.iter().map(|der| STANDARD.encode(der)).collect(),
        }
    }

    fn parse(&self) -> Option<Entry> {
        Some(Entry {
            path: self.path.clone(),
            certificate: STANDARD.decode(&self.certificate).ok()?,
            chain: self.chain.iter().map(|der| STANDARD.decode(der)).collect::<Result<_, _>>().ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, certificate: &[u8]) -> Entry {
        Entry { path: path.into(), certificate: certificate.to_vec(), chain: vec![vec![1], vec![2]] }
    }

    #[test]
    fn the_list_survives_and_a_certificate_is_there_once() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("credentials.json");
        assert_eq!(Registered::read(&path).unwrap(), Registered::default());
        let mut list = Registered::default();
        list.add(entry("/a.p12", b"one"));
        list.add(entry("/b.p12", b"two"));
        list.add(entry("/c.p12", b"one"));
        list.write(&path).unwrap();
        let read = Registered::read(&path).unwrap();
        assert_eq!(read, list);
        let paths: Vec<_> = read.entries().iter().map(|entry| entry.path.display().to_string()).collect();
        assert_eq!(paths, ["/b.p12", "/c.p12"]);
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("credentials.json");
        for text in ["", "{}", "{\"version\":2,\"credentials\":[]}", "{\"version\":1,\"credentials\":[{}]}"] {
            fs::write(&path, text).unwrap();
            assert!(
                matches!(Registered::read(&path), Err(RegisteredError::Damaged(named)) if named == path),
                "{text}"
            );
        }
    }
}
