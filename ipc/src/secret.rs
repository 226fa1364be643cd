//! The one type that holds a PIN or a password.

use std::io::{self, Read};

use zeroize::{Zeroize as _, Zeroizing};

/// A PIN or a password, as bytes. Overwritten with zeros when dropped; it cannot be shown,
/// compared or copied, and no serialiser takes it.
pub struct Secret {
    bytes: Zeroizing<Vec<u8>>,
}

/// Why a secret was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// It cannot be read.
    #[error("the secret cannot be read")]
    Read(#[from] io::Error),
    /// It is longer than [`Secret::MAX_LEN`].
    #[error("the secret is longer than {} bytes", Secret::MAX_LEN)]
    TooLong,
}

impl Secret {
    /// The longest secret in bytes.
    pub const MAX_LEN: usize = 1024;

    /// Reads a secret to the end of `reader`. Exactly one line end (LF or CR LF) after it is not
    /// part of it; every other white space is. Blocks as `reader` does. An empty secret is one.
    ///
    /// # Errors
    /// Where `reader` fails or holds more than [`Secret::MAX_LEN`] bytes.
    pub fn from_reader(mut reader: impl Read) -> Result<Self, SecretError> {
        // Fixed from the start: a buffer that grows leaves copies behind.
        let mut buffer = Zeroizing::new([0_u8; Self::MAX_LEN + 3]);
        let mut filled = 0;
        loop {
            let rest = buffer.get_mut(filled..).unwrap_or_default();
            if rest.is_empty() {
                return Err(SecretError::TooLong);
            }
            match reader.read(rest) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        let read = buffer.get(..filled).unwrap_or_default();
        let line = read.strip_suffix(b"\n").map_or(read, |line| line.strip_suffix(b"\r").unwrap_or(line));
        if line.len() > Self::MAX_LEN {
            return Err(SecretError::TooLong);
        }
        Ok(Self { bytes: Zeroizing::new(line.to_vec()) })
    }

    /// Takes over `bytes`, whole: nothing is trimmed.
    ///
    /// # Errors
    /// Where there are more than [`Secret::MAX_LEN`]; they are overwritten then too.
    pub fn from_bytes(mut bytes: Vec<u8>) -> Result<Self, SecretError> {
        if bytes.len() > Self::MAX_LEN {
            bytes.zeroize();
            return Err(SecretError::TooLong);
        }
        Ok(Self { bytes: Zeroizing::new(bytes) })
    }

    /// The bytes, for the one call that needs them. Whoever copies them overwrites the copy.
    pub fn expose(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<u8> {
        Secret::from_reader(bytes).unwrap().expose().to_vec()
    }

    #[test]
    fn one_line_end_is_not_part_of_the_secret() {
        assert_eq!(read(b"1234\n"), b"1234");
        assert_eq!(read(b"1234\r\n"), b"1234");
        assert_eq!(read(b"1234\n\n"), b"1234\n");
        assert_eq!(read(b"1234\r"), b"1234\r");
        assert_eq!(read(b"  1 2\t"), b"  1 2\t");
        assert_eq!(read(b""), b"");
        assert_eq!(read(b"\n"), b"");
    }

    #[test]
    fn length_is_bounded() {
        let longest = vec![b'x'; Secret::MAX_LEN];
        assert_eq!(read(&longest).len(), Secret::MAX_LEN);
        assert_eq!(read(&[&longest[..], b"\r\n"].concat()).len(), Secret::MAX_LEN);
        let longer = vec![b'x'; Secret::MAX_LEN + 1];
        assert!(matches!(Secret::from_reader(&longer[..]), Err(SecretError::TooLong)));
        assert!(matches!(Secret::from_reader(io::repeat(b'x')), Err(SecretError::TooLong)));
        assert!(matches!(Secret::from_bytes(longer), Err(SecretError::TooLong)));
    }
}
