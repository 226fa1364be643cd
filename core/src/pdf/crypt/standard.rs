//! Passwords checked and the file key derived (ISO 32000-2, 7.6.4.3 and 7.6.4.4): algorithms 2,
//! 2.A, 2.B, and 4 to 7 with 11 to 13.

use md5::Md5;
use sha2::{Digest as _, Sha256, Sha384, Sha512};
use zeroize::Zeroizing;

use crate::pdf::crypt::cipher::{self, BLOCK};
use crate::pdf::crypt::dictionary::{EncryptionDictionary, NewEntries, OldEntries, Verifier};
use crate::pdf::crypt::password::Password;

/// What short passwords are filled up with before revision 5 (algorithm 2, step a).
const PADDING: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08, 0x2e,
    0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];

/// The key of a file. Overwritten with zeros when dropped.
pub(super) type FileKey = Zeroizing<Vec<u8>>;

/// Whose password opened the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    /// Anybody, without a password: who may do what the permissions say.
    Anybody,
    /// The owner, who may do everything.
    Owner,
    /// A user to whom the password was given.
    User,
}

/// The file key, if `password` is the owner's or the user's; the owner's rights win.
pub(super) fn unlock(dictionary: &EncryptionDictionary, password: &Password) -> Option<(FileKey, Holder)> {
    let (key, holder) = unlock_any(dictionary, password)?;
    let holder = if holder == Holder::User && password.is_empty() { Holder::Anybody } else { holder };
    Some((key, holder))
}

fn unlock_any(dictionary: &EncryptionDictionary, password: &Password) -> Option<(FileKey, Holder)> {
    match &dictionary.verifier {
        Verifier::New(entries) => {
            password.prepared().iter().find_map(|password| unlock_new(entries, password))
        }
        Verifier::Old(entries) => {
            password.encoded().iter().find_map(|password| unlock_old(dictionary, entries, password))
        }
    }
}

fn unlock_old(
    dictionary: &EncryptionDictionary,
    entries: &OldEntries,
    password: &[u8],
) -> Option<(FileKey, Holder)> {
    let key = |padded: &[u8; 32], len: usize| {
        let key = file_key(dictionary, entries, padded, len);
        is_user_key(entries, &key).then_some(key)
    };
    entries.key_lengths.iter().find_map(|&len| {
        let padded = pad(password);
        let owner = key(&user_password(entries, &padded, len), len).map(|key| (key, Holder::Owner));
        owner.or_else(|| key(&padded, len).map(|key| (key, Holder::User)))
    })
}

fn pad(password: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut padded = Zeroizing::new([0; 32]);
    for (place, byte) in padded.iter_mut().zip(password.iter().chain(&PADDING)) {
        *place = *byte;
    }
    padded
}

/// Algorithm 2: the file key of `len` bytes.
fn file_key(
    dictionary: &EncryptionDictionary,
    entries: &OldEntries,
    padded: &[u8; 32],
    len: usize,
) -> FileKey {
    let mut hash = Md5::new();
    hash.update(padded);
    hash.update(entries.owner);
    hash.update(dictionary.access_permissions.to_le_bytes());
    hash.update(&entries.identifier);
    if entries.revision >= 4 && !dictionary.encrypt_metadata {
        hash.update([0xff; 4]);
    }
    let mut key = Zeroizing::new(<[u8; 16]>::from(hash.finalize()));
    if entries.revision >= 3 {
        for _ in 0..50 {
            *key = Md5::digest(key.get(..len).unwrap_or_default()).into();
        }
    }
    Zeroizing::new(key.get(..len).unwrap_or_default().to_vec())
}

/// Algorithms 4, 5 and 6: whether `/U` was made with `key`.
fn is_user_key(entries: &OldEntries, key: &[u8]) -> bool {
    if entries.revision < 3 {
        let mut expected = PADDING;
        cipher::rc4(key, &mut expected);
        return expected == entries.user;
    }
    let mut hash = Md5::new();
    hash.update(PADDING);
    hash.update(&entries.identifier);
    let mut expected = <[u8; 16]>::from(hash.finalize());
    for round in 0..20 {
        cipher::rc4(&varied(key, round), &mut expected);
    }
    // The other half of the entry is arbitrary.
    entries.user.starts_with(&expected)
}

/// Algorithm 7: the padded user password that `/O` holds, if `padded` is the owner's password.
fn user_password(entries: &OldEntries, padded: &[u8; 32], len: usize) -> Zeroizing<[u8; 32]> {
    let mut digest = Zeroizing::new(<[u8; 16]>::from(Md5::digest(padded)));
    let rounds = if entries.revision >= 3 {
        for _ in 0..50 {
            *digest = Md5::digest(digest.as_slice()).into();
        }
        20
    } else {
        1
    };
    let key = digest.get(..len).unwrap_or_default();
    let mut password = Zeroizing::new(entries.owner);
    for round in (0..rounds).rev() {
        cipher::rc4(&varied(key, round), password.as_mut_slice());
    }
    password
}

fn varied(key: &[u8], round: u8) -> FileKey {
    Zeroizing::new(key.iter().map(|byte| byte ^ round).collect())
}

/// Algorithm 2.A.
fn unlock_new(entries: &NewEntries, password: &[u8]) -> Option<(FileKey, Holder)> {
    let user = entries.user.as_slice();
    let owner = open(entries, password, &entries.owner, user, &entries.owner_key);
    let owner = owner.map(|key| (key, Holder::Owner));
    owner.or_else(|| {
        open(entries, password, &entries.user, &[], &entries.user_key).map(|key| (key, Holder::User))
    })
}

/// The file key in `wrapped`, if `check` (32 bytes of hash, 8 of validation salt, 8 of key salt)
/// says that `password` is right.
fn open(
    entries: &NewEntries,
    password: &[u8],
    check: &[u8; 48],
    user: &[u8],
    wrapped: &[u8; 32],
) -> Option<FileKey> {
    let (expected, salts) = check.split_at(32);
    let (validation, key) = salts.split_at(8);
    let hash = if entries.revision >= 6 { hardened_hash } else { plain_hash };
    if hash(password, validation, user).as_slice() != expected {
        return None;
    }
    let mut file_key = Zeroizing::new(*wrapped);
    cipher::aes_256_unwrap(&hash(password, key, user), &mut file_key);
    Some(Zeroizing::new(file_key.to_vec()))
}

/// The hash of revision 5.
fn plain_hash(password: &[u8], salt: &[u8], user: &[u8]) -> Zeroizing<[u8; 32]> {
    let hash = Sha256::new().chain_update(password).chain_update(salt).chain_update(user);
    Zeroizing::new(hash.finalize().into())
}

/// Algorithm 2.B: at least 64 rounds, and at most 288, whatever the data.
fn hardened_hash(password: &[u8], salt: &[u8], user: &[u8]) -> Zeroizing<[u8; 32]> {
    let mut key = Zeroizing::new([0_u8; 64]);
    let mut len = 32;
    key.first_chunk_mut().into_iter().for_each(|first| *first = *plain_hash(password, salt, user));
    let mut data = Zeroizing::new(Vec::with_capacity(64 * (password.len() + key.len() + user.len())));
    for round in 1_u32.. {
        data.clear();
        for _ in 0..64 {
            data.extend_from_slice(password);
            data.extend_from_slice(key.get(..len).unwrap_or_default());
            data.extend_from_slice(user);
        }
        let (secret, vector) = key.split_at(BLOCK);
        let pair = (secret.first_chunk(), vector.first_chunk());
        if let (Some(secret), Some(vector)) = pair {
            let (secret, vector) = (Zeroizing::new(*secret), Zeroizing::new(*vector));
            cipher::aes_128_blocks(&secret, &vector, &mut data);
        }
        // A number of 128 bits leaves the same rest as the sum of its bytes: 256 leaves one.
        let rest = data.iter().take(BLOCK).map(|&byte| u32::from(byte)).sum::<u32>() % 3;
        len = match rest {
            0 => put(&mut key, &Sha256::digest(data.as_slice())),
            1 => put(&mut key, &Sha384::digest(data.as_slice())),
            _ => put(&mut key, &Sha512::digest(data.as_slice())),
        };
        let last = data.last().copied().map_or(0, u32::from);
        if round >= 64 && last <= round - 32 {
            break;
        }
    }
    Zeroizing::new(key.first_chunk().copied().unwrap_or_default())
}

fn put(key: &mut [u8; 64], digest: &[u8]) -> usize {
    for (place, byte) in key.iter_mut().zip(digest) {
        *place = *byte;
    }
    digest.len()
}

/// Algorithm 13: the permissions that `/Perms` repeats, where it is readable.
pub(super) fn repeated_permissions(check: [u8; BLOCK], key: &FileKey) -> Option<u32> {
    let key = key.first_chunk()?;
    let block = cipher::aes_256_block(key, check);
    let marked = block.get(9..12) == Some(b"adb");
    let (permissions, _) = block.split_first_chunk()?;
    marked.then_some(u32::from_le_bytes(*permissions))
}
