//! Length-prefixed frames: a kind, a length, the bytes.
//!
//! ```text
//! frame = kind (1 byte) · length (4 bytes, big-endian) · bytes
//! ```
//! A secret travels sealed, in a frame of its own kind; everything else that is not a header is
//! a frame of plain bytes.

use std::io::{self, Read, Write};

use crate::sealed::{SEALED_LEN, SealedSecret};

/// The longest header frame in bytes.
pub const MAX_HEADER_LEN: usize = 256 << 10;
/// The longest frame of plain bytes.
pub const MAX_BYTES_LEN: usize = 1 << 20;

const PREFIX_LEN: usize = 5;

/// What a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// JSON that says what the message is and which frames follow.
    Header,
    /// A sealed PIN or password.
    Sealed,
    /// Plain bytes: a path, a certificate, a signature.
    Bytes,
}

/// Why a frame cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side closed the connection between two frames.
    #[error("the connection was closed")]
    Closed,
    /// The connection failed, or was closed inside a frame.
    #[error("the connection failed")]
    Connection(#[from] io::Error),
    /// The frame is longer than its kind allows.
    #[error("a frame of {len} bytes is longer than the {limit} allowed")]
    TooLong {
        /// The length it says.
        len: usize,
        /// The longest of its kind.
        limit: usize,
    },
    /// Another kind of frame was expected here, or the kind is unknown.
    #[error("a frame of kind {0} was not expected here")]
    UnexpectedKind(u8),
    /// A frame whose kind has one length has another.
    #[error("a frame of {len} bytes should have {expected}")]
    WrongLength {
        /// The length it has.
        len: usize,
        /// The length of its kind.
        expected: usize,
    },
}

impl FrameKind {
    const fn tag(self) -> u8 {
        match self {
            Self::Header => 1,
            Self::Sealed => 2,
            Self::Bytes => 3,
        }
    }

    const fn limit(self) -> usize {
        match self {
            Self::Header => MAX_HEADER_LEN,
            Self::Sealed => SEALED_LEN,
            Self::Bytes => MAX_BYTES_LEN,
        }
    }
}

/// Writes one frame. Blocks until the bytes are handed over.
///
/// # Errors
/// Where `bytes` pass the limit of the kind, or the connection fails.
pub fn write(to: &mut impl Write, kind: FrameKind, bytes: &[u8]) -> Result<(), FrameError> {
    let too_long = FrameError::TooLong { len: bytes.len(), limit: kind.limit() };
    if bytes.len() > kind.limit() {
        return Err(too_long);
    }
    let Ok(len) = u32::try_from(bytes.len()) else { return Err(too_long) };
    let [a, b, c, d] = len.to_be_bytes();
    to.write_all(&[kind.tag(), a, b, c, d])?;
    to.write_all(bytes)?;
    Ok(())
}

/// Reads one frame of plain bytes or a header. Blocks until it is whole.
///
/// # Errors
/// [`FrameError::Closed`] where the connection ends before the frame begins.
pub fn read(from: &mut impl Read, kind: FrameKind) -> Result<Vec<u8>, FrameError> {
    let len = read_prefix(from, kind)?;
    let mut bytes = vec![0; len];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads one sealed secret. Blocks until it is whole.
///
/// # Errors
/// As [`read`]; a sealed secret has exactly one length.
pub fn read_sealed(from: &mut impl Read) -> Result<SealedSecret, FrameError> {
    let bytes = read(from, FrameKind::Sealed)?;
    let len = bytes.len();
    SealedSecret::from_bytes(bytes).map_err(|_| FrameError::WrongLength { len, expected: SEALED_LEN })
}

fn read_prefix(from: &mut impl Read, kind: FrameKind) -> Result<usize, FrameError> {
    let mut prefix = [0; PREFIX_LEN];
    let mut filled = 0;
    while let Some(rest @ [_, ..]) = prefix.get_mut(filled..) {
        match from.read(rest) {
            Ok(0) if filled == 0 => return Err(FrameError::Closed),
            Ok(0) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    let [tag, a, b, c, d] = prefix;
    if tag != kind.tag() {
        return Err(FrameError::UnexpectedKind(tag));
    }
    let len = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    if len > kind.limit() {
        return Err(FrameError::TooLong { len, limit: kind.limit() });
    }
    Ok(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut wire = Vec::new();
        write(&mut wire, FrameKind::Header, b"{}").unwrap();
        write(&mut wire, FrameKind::Sealed, &[7; SEALED_LEN]).unwrap();
        write(&mut wire, FrameKind::Bytes, b"").unwrap();
        let mut from = wire.as_slice();
        assert_eq!(read(&mut from, FrameKind::Header).unwrap(), b"{}");
        assert_eq!(read_sealed(&mut from).unwrap().as_bytes(), [7; SEALED_LEN]);
        assert_eq!(read(&mut from, FrameKind::Bytes).unwrap(), b"");
        assert!(matches!(read(&mut from, FrameKind::Bytes), Err(FrameError::Closed)));
    }

    #[test]
    fn a_sealed_secret_is_never_read_as_something_else() {
        let mut wire = Vec::new();
        write(&mut wire, FrameKind::Sealed, &[7; SEALED_LEN]).unwrap();
        assert!(matches!(read(&mut wire.as_slice(), FrameKind::Bytes), Err(FrameError::UnexpectedKind(2))));
    }

    #[test]
    fn what_was_not_sealed_is_refused() {
        let mut wire = Vec::new();
        write(&mut wire, FrameKind::Sealed, b"1234").unwrap();
        assert!(matches!(read_sealed(&mut wire.as_slice()), Err(FrameError::WrongLength { len: 4, .. })));
    }

    #[test]
    fn hostile_lengths_are_refused_before_anything_is_allocated() {
        let huge = [3, 0xff, 0xff, 0xff, 0xff];
        assert!(matches!(
            read(&mut huge.as_slice(), FrameKind::Bytes),
            Err(FrameError::TooLong { limit: MAX_BYTES_LEN, .. })
        ));
        let cut = [3, 0, 0, 0, 9, 1];
        assert!(matches!(read(&mut cut.as_slice(), FrameKind::Bytes), Err(FrameError::Connection(_))));
        assert!(matches!(read(&mut [3, 0].as_slice(), FrameKind::Bytes), Err(FrameError::Connection(_))));
        let long = vec![0; MAX_BYTES_LEN + 1];
        assert!(write(&mut Vec::new(), FrameKind::Bytes, &long).is_err());
    }
}
