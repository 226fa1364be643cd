//! The one port of core: synchronous positioned reads over the caller's bytes.

/// Bytes that stay the same while they are read. Who implements it owns the file and closes it.
///
/// Reads may block. Implementations are shared by reference between readers, so they take
/// `&self` and keep no position.
pub trait Source {
    /// The length in bytes.
    fn len(&self) -> u64;

    /// Whether there is nothing to read.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` from `offset`; fewer bytes only at the end. Returns how many were read.
    ///
    /// # Errors
    /// [`SourceError`] when the bytes cannot be read, also when the file shrank meanwhile.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError>;
}

/// The bytes behind a [`Source`] could not be read.
#[derive(Debug, thiserror::Error)]
#[error("the bytes of the document could not be read")]
pub struct SourceError(#[from] pub std::io::Error);

impl<T: Source + ?Sized> Source for &T {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        (**self).read_at(offset, buffer)
    }
}

impl Source for [u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        Ok(count)
    }
}

impl Source for Vec<u8> {
    fn len(&self) -> u64 {
        Source::len(self.as_slice())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        self.as_slice().read_at(offset, buffer)
    }
}
