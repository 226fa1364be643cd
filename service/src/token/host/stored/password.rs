//! From a password to the key that encrypts a stored key: Argon2id (RFC 9106).

use argon2::{Algorithm, Argon2, Block, Params, Version};
use signer_ipc::{secret::Secret, token_host::Failure};
use zeroize::{Zeroize as _, Zeroizing};

use crate::token::host::stored::{KEY_LEN, WrappingKey, form::SALT_LEN, internal};

/// The least memory in KiB: what this program writes. A file with less was made by somebody else.
const LEAST_MEMORY: u32 = 64 << 10;
/// The most memory in KiB that a file may ask for: what a machine with little of it can spare.
const MOST_MEMORY: u32 = 256 << 10;
/// The least passes: what this program writes.
const LEAST_PASSES: u32 = 3;
/// The most passes: with the most memory they take seconds.
const MOST_PASSES: u32 = 10;
/// The most lanes; they are computed one after the other and cost no more.
const MOST_LANES: u32 = 16;

/// What a derivation costs, within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    memory: u32,
    passes: u32,
    lanes: u32,
}

impl Cost {
    /// The second recommended option (RFC 9106, section 4): 64 MiB, three passes, four lanes. The
    /// first one takes 2 GiB, which not every machine of a notary's office has.
    pub(super) const OF_NEW_FILES: Self = Self { memory: LEAST_MEMORY, passes: LEAST_PASSES, lanes: 4 };

    /// A cost that a file names: memory in KiB. Nothing where it is out of bounds.
    pub(super) fn new(memory: u32, passes: u32, lanes: u32) -> Option<Self> {
        let within = (LEAST_MEMORY..=MOST_MEMORY).contains(&memory)
            && (LEAST_PASSES..=MOST_PASSES).contains(&passes)
            && (1..=MOST_LANES).contains(&lanes);
        within.then_some(Self { memory, passes, lanes })
    }

    /// In KiB.
    pub(super) const fn memory(self) -> u32 {
        self.memory
    }

    pub(super) const fn passes(self) -> u32 {
        self.passes
    }

    pub(super) const fn lanes(self) -> u32 {
        self.lanes
    }
}

/// Derives the key. Takes the memory of `cost` while it works, and overwrites it.
pub(super) fn derive(secret: &Secret, cost: Cost, salt: &[u8; SALT_LEN]) -> Result<WrappingKey, Failure> {
    let refused = |error: argon2::Error| internal(&format!("Argon2id: {error}"));
    let params = Params::new(cost.memory, cost.passes, cost.lanes, Some(KEY_LEN)).map_err(refused)?;
    let count = params.block_count();
    let mut blocks = Vec::new();
    blocks.try_reserve_exact(count).map_err(|_| internal("there is not enough memory for Argon2id"))?;
    blocks.resize_with(count, Block::new);
    let mut key = Zeroizing::new([0; KEY_LEN]);
    let derived = Argon2::new(Algorithm::Argon2id, Version::V0x13, params).hash_password_into_with_memory(
        &as_typed(secret),
        salt,
        &mut *key,
        blocks.as_mut_slice(),
    );
    blocks.iter_mut().for_each(Block::zeroize);
    derived.map_err(refused)?;
    Ok(key)
}

/// The bytes that a keyboard gives for a password. What comes from a file of an old system may be
/// in Latin-1: it opens the A1 file, and the person types the same letters later.
fn as_typed(secret: &Secret) -> Zeroizing<Vec<u8>> {
    let bytes = secret.expose();
    if std::str::from_utf8(bytes).is_ok() {
        return Zeroizing::new(bytes.to_vec());
    }
    let mut typed = Zeroizing::new(Vec::with_capacity(2 * bytes.len()));
    let mut buffer = Zeroizing::new([0; 4]);
    for byte in bytes {
        typed.extend_from_slice(char::from(*byte).encode_utf8(&mut *buffer).as_bytes());
    }
    typed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(bytes: &[u8]) -> Secret {
        Secret::from_bytes(bytes.to_vec()).unwrap()
    }

    #[test]
    fn what_costs_too_much_or_too_little_is_no_cost() {
        for (memory, passes, lanes) in
            [(0, 3, 4), (65_535, 3, 4), (262_145, 3, 4), (u32::MAX, 3, 4), (65_536, 2, 4), (65_536, 11, 4)]
        {
            assert_eq!(Cost::new(memory, passes, lanes), None);
        }
        assert_eq!(Cost::new(65_536, 3, 0), None);
        assert_eq!(Cost::new(65_536, 3, 17), None);
        assert_eq!(Cost::new(65_536, 3, 4), Some(Cost::OF_NEW_FILES));
        assert!(Cost::new(262_144, 10, 16).is_some());
    }

    #[test]
    fn a_password_in_latin_1_is_the_same_as_typed() {
        assert_eq!(*as_typed(&secret(b"S\xe9nh\xe0")), "Sénhà".as_bytes());
        assert_eq!(*as_typed(&secret("Sénhà".as_bytes())), "Sénhà".as_bytes());
        assert_eq!(*as_typed(&secret(b"\xff\x00")), "ÿ\0".as_bytes());
    }
}
