//! Initialization vectors for what an update encrypts, derived instead of drawn.
//!
//! CBC needs vectors that nobody can foresee who lacks the key. HMAC-SHA-256 under the file key
//! is a pseudorandom function: of the place in the file, the object, the ordinal of the value in
//! it and the value itself it makes vectors which only the holder of the key can foresee, who can
//! decrypt everything anyway. Two vectors are equal where all of these are, so that no more is
//! told than that the same request was written twice.

use ring::hmac::{Context, HMAC_SHA256, Key, sign};

use crate::pdf::crypt::cipher::BLOCK;
use crate::pdf::crypt::standard::FileKey;
use crate::pdf::object::Reference;

/// Keeps this use of the file key apart from the ciphers'.
const PURPOSE: &[u8] = b"CyberCore Signer: initialization vectors of an update";

/// The vectors of one object, in the order of its values.
pub(super) struct Vectors {
    key: Key,
    original: u64,
    reference: Reference,
    ordinal: u32,
}

impl Vectors {
    /// For the object `reference` of an update that is appended to `original` bytes.
    pub(super) fn new(key: &FileKey, original: u64, reference: Reference) -> Self {
        let derived = sign(&Key::new(HMAC_SHA256, key), PURPOSE);
        let key = Key::new(HMAC_SHA256, derived.as_ref());
        Self { key, original, reference, ordinal: 0 }
    }

    /// The vector for the next value.
    pub(super) fn next(&mut self, value: &[u8]) -> [u8; BLOCK] {
        let mut code = Context::with_key(&self.key);
        code.update(&self.original.to_be_bytes());
        code.update(&self.reference.number.to_be_bytes());
        code.update(&self.reference.generation.to_be_bytes());
        code.update(&self.ordinal.to_be_bytes());
        code.update(value);
        self.ordinal = self.ordinal.saturating_add(1);
        code.sign().as_ref().first_chunk().copied().unwrap_or_default()
    }
}
