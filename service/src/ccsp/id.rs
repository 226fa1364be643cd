//! Names and secrets that cannot be guessed.

use std::fmt;

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom as _, SystemRandom};
use signer_core::error::ErrorCode;

/// How an uploaded document or a signature request is called: 128 random bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id([u8; 16]);

/// How a request is called in logs and error bodies. Random, so that it tells nothing about
/// other clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RequestId(u64);

impl Id {
    /// A new one.
    ///
    /// # Errors
    /// `internal` where the system has no randomness.
    pub(super) fn new() -> Result<Self, ErrorCode> {
        random().map(Self)
    }

    /// Reads what [`fmt::Display`] writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok().map(Self)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl RequestId {
    /// A new one; zero where the system has no randomness.
    pub(super) fn new() -> Self {
        Self(random().map(u64::from_ne_bytes).unwrap_or_default())
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Random bytes of the system.
///
/// # Errors
/// `internal` where the system has no randomness.
pub(super) fn random<const LEN: usize>() -> Result<[u8; LEN], ErrorCode> {
    let mut bytes = [0; LEN];
    SystemRandom::new().fill(&mut bytes).map_err(|_| ErrorCode::Internal)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_back_and_nothing_else_is() {
        let id = Id::new().unwrap();
        assert_eq!(Id::parse(&id.to_string()), Some(id));
        assert_ne!(Id::new().unwrap(), id);
        for text in ["", "1", "AAAAAAAAAAAAAAAAAAAAAA==", "../../etc/passwd", "AAAAAAAAAAAAAAAAAAAAAAA"] {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }
}
