//! Where the keystore keeps one key for this program: each stored key has its own, derived from it
//! with a salt (HKDF, RFC 5869). Nothing is to be tidied up in the keystore when one is removed.

use ring::hkdf::{HKDF_SHA256, Salt};
use signer_ipc::token_host::Failure;
use zeroize::Zeroizing;

use crate::token::host::stored::{KEY_LEN, WrappingKey, random};

/// The length of a salt in bytes.
const SALT_LEN: usize = 32;
/// What the keys are for.
const PURPOSE: &[&[u8]] = &[b"cybercore-signer stored key"];

/// What is done where the keystore has no key of this program yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absent {
    /// One is made.
    Make,
    /// It was there and is lost.
    Refuse,
}

pub(super) fn new_key(
    master: impl FnOnce(Absent) -> Result<WrappingKey, Failure>,
) -> Result<(WrappingKey, Vec<u8>), Failure> {
    let salt = random::<SALT_LEN>()?;
    Ok((derive(&master(Absent::Make)?, &salt)?, salt.to_vec()))
}

pub(super) fn key(
    salt: &[u8],
    master: impl FnOnce(Absent) -> Result<WrappingKey, Failure>,
) -> Result<WrappingKey, Failure> {
    if salt.len() != SALT_LEN {
        return Err(Failure::FileDamaged { reason: "its salt has the wrong length".to_owned() });
    }
    derive(&master(Absent::Refuse)?, salt)
}

/// What the keystore gave, as a key.
pub(super) fn master(bytes: &Zeroizing<Vec<u8>>) -> Result<WrappingKey, Failure> {
    let mut key = Zeroizing::new([0; KEY_LEN]);
    if bytes.len() != KEY_LEN {
        return Err(lost());
    }
    key.copy_from_slice(bytes);
    Ok(key)
}

/// The keystore does not have the key any more that encrypts what is stored.
pub(super) fn lost() -> Failure {
    let reason = "the keystore does not have its key any more; import the A1 file again".to_owned();
    Failure::FileDamaged { reason }
}

fn derive(master: &WrappingKey, salt: &[u8]) -> Result<WrappingKey, Failure> {
    let mut key = Zeroizing::new([0; KEY_LEN]);
    Salt::new(HKDF_SHA256, salt)
        .extract(&**master)
        .expand(PURPOSE, HKDF_SHA256)
        .and_then(|derived| derived.fill(&mut *key))
        .map_err(|_| Failure::Internal { reason: "a key cannot be derived".to_owned() })?;
    Ok(key)
}
