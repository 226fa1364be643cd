//! A secret sealed for one token host: whoever carries it cannot read it.
//!
//! The host makes a key for each try; what is sealed to it opens once and only there
//! (X25519 and XSalsa20-Poly1305, the sealed box of `NaCl`). Every sealed secret has the same
//! length, so that not even the length of a PIN is told.

use std::fmt;

use crypto_box::aead::OsRng;
use zeroize::{Zeroize as _, Zeroizing};

use crate::secret::Secret;

/// The length of a public key in bytes.
pub const KEY_LEN: usize = 32;
/// The length of every sealed secret in bytes: key, tag, length, padded secret.
pub const SEALED_LEN: usize = KEY_LEN + 16 + PADDED_LEN;

const PREFIX_LEN: usize = 2;
const PADDED_LEN: usize = PREFIX_LEN + Secret::MAX_LEN;

/// The key pair of a token host for one secret. It never leaves the host; overwritten with
/// zeros when dropped.
pub struct UnsealingKey(crypto_box::SecretKey);

/// What a secret is sealed to. It is no secret itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SealingKey([u8; KEY_LEN]);

/// A secret that only the host with the right [`UnsealingKey`] can read.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedSecret(Vec<u8>);

/// Why a secret cannot be sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum SealedError {
    /// It is not of [`SEALED_LEN`] or [`KEY_LEN`] bytes.
    #[error("a sealed secret or its key has the wrong length")]
    Length,
    /// It was sealed to another key, or changed on its way.
    #[error("the sealed secret does not open with this key")]
    NotForThisKey,
    /// The operating system gives no random bytes.
    #[error("the secret cannot be sealed")]
    Sealing,
}

impl UnsealingKey {
    /// Makes a new key.
    pub fn generate() -> Self {
        Self(crypto_box::SecretKey::generate(&mut OsRng))
    }

    /// What to seal to.
    pub fn sealing_key(&self) -> SealingKey {
        SealingKey(*self.0.public_key().as_bytes())
    }

    /// Opens a secret, and is gone: a second one needs another key.
    ///
    /// # Errors
    /// Where it was sealed to another key or changed.
    pub fn open(self, sealed: &SealedSecret) -> Result<Secret, SealedError> {
        let padded = Zeroizing::new(self.0.unseal(&sealed.0).map_err(|_| SealedError::NotForThisKey)?);
        let (prefix, rest) = padded.split_first_chunk::<PREFIX_LEN>().ok_or(SealedError::Length)?;
        let secret = rest.get(..usize::from(u16::from_be_bytes(*prefix))).ok_or(SealedError::Length)?;
        Secret::from_bytes(secret.to_vec()).map_err(|_| SealedError::Length)
    }
}

impl SealingKey {
    /// Takes a key as it travels.
    ///
    /// # Errors
    /// Where it is not of [`KEY_LEN`] bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SealedError> {
        bytes.try_into().map(Self).map_err(|_| SealedError::Length)
    }

    /// The key as it travels.
    pub const fn as_bytes(&self) -> &[u8; KEY_LEN] {
        &self.0
    }

    /// Seals `secret` for the host that has the other half. The secret stays the caller's.
    ///
    /// # Errors
    /// Where the operating system gives no random bytes.
    pub fn seal(&self, secret: &Secret) -> Result<SealedSecret, SealedError> {
        let bytes = secret.expose();
        let len = u16::try_from(bytes.len()).map_err(|_| SealedError::Length)?;
        let mut padded = Zeroizing::new([0_u8; PADDED_LEN]);
        let (prefix, rest) = padded.split_first_chunk_mut::<PREFIX_LEN>().ok_or(SealedError::Length)?;
        *prefix = len.to_be_bytes();
        rest.get_mut(..bytes.len()).ok_or(SealedError::Length)?.copy_from_slice(bytes);
        let sealed = crypto_box::PublicKey::from(self.0)
            .seal(&mut OsRng, &*padded)
            .map_err(|_| SealedError::Sealing)?;
        Ok(SealedSecret(sealed))
    }
}

impl SealedSecret {
    /// Takes a sealed secret as it travels.
    ///
    /// # Errors
    /// Where it is not of [`SEALED_LEN`] bytes.
    pub fn from_bytes(mut bytes: Vec<u8>) -> Result<Self, SealedError> {
        if bytes.len() == SEALED_LEN {
            Ok(Self(bytes))
        } else {
            // What came may be a secret that was not sealed.
            bytes.zeroize();
            Err(SealedError::Length)
        }
    }

    /// The bytes as they travel.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SealedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::from_bytes(text.as_bytes().to_vec()).unwrap()
    }

    /// Proves A21.
    #[test]
    fn only_the_right_key_opens_and_the_length_says_nothing() {
        for text in ["", "1234", &"x".repeat(Secret::MAX_LEN)] {
            let key = UnsealingKey::generate();
            let sealed = key.sealing_key().seal(&secret(text)).unwrap();
            assert_eq!(sealed.as_bytes().len(), SEALED_LEN);
            assert!(matches!(UnsealingKey::generate().open(&sealed), Err(SealedError::NotForThisKey)));
            assert_eq!(key.open(&sealed).unwrap().expose(), text.as_bytes());
        }
    }

    #[test]
    fn a_changed_bit_is_noticed() {
        let key = UnsealingKey::generate();
        let sealed = key.sealing_key().seal(&secret("1234")).unwrap();
        let mut bytes = sealed.as_bytes().to_vec();
        bytes[SEALED_LEN / 2] ^= 1;
        let changed = SealedSecret::from_bytes(bytes).unwrap();
        assert!(matches!(key.open(&changed), Err(SealedError::NotForThisKey)));
    }

    #[test]
    fn what_travels_has_one_length() {
        assert!(SealedSecret::from_bytes(vec![0; SEALED_LEN - 1]).is_err());
        assert!(SealingKey::from_bytes(&[0; KEY_LEN + 1]).is_err());
    }
}
