//! A file behind core's [`Source`] port.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use signer_core::pdf::source::{Source, SourceError};

use crate::file::platform;

/// A file opened for reading whose length was taken once. Closed on drop.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    path: PathBuf,
    len: u64,
    fingerprint: Fingerprint,
}

/// What the file system says of a file: when it differs, the file was changed meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fingerprint {
    len: u64,
    modified: Option<std::time::SystemTime>,
}

impl FileSource {
    /// Opens a regular file.
    ///
    /// # Errors
    /// Where it cannot be opened or is no regular file.
    pub fn open(path: &Path) -> io::Result<Self> {
        // Opening anything else, such as a pipe, could wait for ever.
        if !path.metadata()?.is_file() {
            return Err(not_regular());
        }
        Self::from_file(File::open(path)?, path)
    }

    /// Takes an open regular file; `path` is only for messages.
    ///
    /// # Errors
    /// Where it is no regular file.
    pub fn from_file(file: File, path: &Path) -> io::Result<Self> {
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(not_regular());
        }
        let fingerprint = Fingerprint { len: metadata.len(), modified: metadata.modified().ok() };
        Ok(Self { file, path: path.to_owned(), len: metadata.len(), fingerprint })
    }

    /// The file.
    pub const fn file(&self) -> &File {
        &self.file
    }

    /// Its path, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether length and modification time are what they were when the file was opened.
    ///
    /// # Errors
    /// Where the file system does not answer.
    pub fn is_unchanged(&self) -> io::Result<bool> {
        let metadata = self.file.metadata()?;
        Ok(self.fingerprint == Fingerprint { len: metadata.len(), modified: metadata.modified().ok() })
    }
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        Ok(read_at(&self.file, offset, buffer)?)
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// Fills `buffer` from `offset`; fewer bytes only at the end of the file.
///
/// # Errors
/// What the operating system says.
pub fn read_at(file: &File, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match platform::read_once(file, offset.saturating_add(filled as u64), rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
