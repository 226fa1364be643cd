//! The private store: the list of registered credentials and a folder of stored keys, changed by
//! one program at a time.
//!
//! The list decides. A stored key is written before the list names it and removed after the list
//! has forgotten it, so that a program that is killed leaves the old state or the new; what it
//! left beside is swept away by the next change.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use signer_core::digest::{Digest, DigestAlgorithm};

use crate::{
    credentials::registered::{self, Place, Registered, RegisteredError},
    dirs::{Dirs, DirsError},
};

/// The store while it is changed. Others wait until it is dropped.
pub struct Store {
    list: PathBuf,
    keys: PathBuf,
    registered: Registered,
    _lock: File,
}

/// Why the store cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Its folder cannot be used.
    #[error(transparent)]
    Folder(#[from] DirsError),
    /// Its list or a key cannot.
    #[error(transparent)]
    Registered(#[from] RegisteredError),
}

impl StoreError {
    /// The stable code.
    pub fn code(&self) -> signer_core::error::ErrorCode {
        match self {
            Self::Folder(_) => signer_core::error::ErrorCode::OutputUnwritable,
            Self::Registered(error) => error.code(),
        }
    }
}

impl Store {
    /// Opens the store to change it. Blocks while another program does.
    ///
    /// # Errors
    /// Where its folders cannot be made or its list cannot be used.
    pub fn open(dirs: &Dirs) -> Result<Self, StoreError> {
        dirs.state()?;
        let keys = dirs.keys()?;
        let list = dirs.credentials_file();
        let path = list.with_extension("lock");
        let unwritable = |error| RegisteredError::Write(path.clone(), error);
        let lock =
            File::options().create(true).truncate(false).write(true).open(&path).map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        let registered = Registered::read(&list)?;
        #[cfg(unix)]
        close_keys(&keys).map_err(|error| RegisteredError::Write(keys.clone(), error))?;
        Ok(Self { list, keys, registered, _lock: lock })
    }

    /// Writes a stored key, which the list does not name yet.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn put(&mut self, key: &[u8]) -> Result<Digest, StoreError> {
        let content = DigestAlgorithm::Sha256.digest(key);
        let path = self.keys.join(content.to_hex());
        registered::replace(&path, key).map_err(|error| RegisteredError::Write(path, error))?;
        Ok(content)
    }

    /// The list, to be changed.
    pub const fn registered(&mut self) -> &mut Registered {
        &mut self.registered
    }

    /// Makes the changes valid, in one step and durably, and removes every stored key that the list
    /// does not name.
    ///
    /// # Errors
    /// Where the list cannot be written; it is as it was then. Where a key cannot be removed, the
    /// list is as it should be.
    pub fn commit(self) -> Result<(), StoreError> {
        self.registered.write(&self.list)?;
        self.sweep().map_err(|error| RegisteredError::Write(self.keys.clone(), error))?;
        Ok(())
    }

    fn sweep(&self) -> io::Result<()> {
        let mut swept = false;
        for entry in fs::read_dir(&self.keys)? {
            let entry = entry?;
            if !self.names(&entry.file_name()) {
                fs::remove_file(entry.path())?;
                swept = true;
            }
        }
        if swept { registered::sync(&self.keys) } else { Ok(()) }
    }

    fn names(&self, file: &std::ffi::OsStr) -> bool {
        self.registered.entries().iter().any(|entry| match &entry.place {
            Place::Stored { content, .. } => Path::new(file) == Path::new(&content.to_hex()),
            Place::Folder { .. } | Place::Linked(_) => false,
        })
    }
}

/// Has every stored key be its owner's alone: one that was restored from a backup may be open to
/// others. Only the folder kept them out then.
#[cfg(unix)]
fn close_keys(keys: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    for entry in fs::read_dir(keys)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(())
}
