//! The ciphers of encrypted documents (ISO 32000-2, 7.6.3): RC4, and AES in CBC mode. What is
//! damaged is read as far as it goes.

use aes::{Aes128, Aes256};
use cbc::cipher::block_padding::{NoPadding, Pkcs7};
use cbc::cipher::{BlockCipherDecrypt as _, BlockModeDecrypt as _, BlockModeEncrypt as _, KeyInit as _};
use cbc::cipher::{KeyIvInit as _, StreamCipher as _};
use rc4::Rc4;

/// The bytes of an AES block, and of an initialization vector.
pub(super) const BLOCK: usize = 16;

/// RC4 with `key`, which encrypts and decrypts.
pub(super) fn rc4(key: &[u8], data: &mut [u8]) {
    // Every key of these documents has 5 to 16 bytes; RC4 takes 1 to 256.
    if let Ok(mut cipher) = Rc4::new_from_slice(key) {
        cipher.apply_keystream(data);
    }
}

/// AES-CBC data whose first block is the initialization vector. An incomplete last block is left
/// out, and a padding that is none is kept as data.
pub(super) fn aes_open(key: &AesKey<'_>, data: &[u8]) -> Vec<u8> {
    let Some((vector, rest)) = data.split_first_chunk::<BLOCK>() else { return Vec::new() };
    let whole = rest.len() / BLOCK * BLOCK;
    let mut plain = rest.get(..whole).unwrap_or_default().to_vec();
    // The length is a multiple of the block's, so this cannot fail.
    let _ = match key {
        AesKey::Aes128(key) => cbc::Decryptor::<Aes128>::new((*key).into(), vector.into())
            .decrypt_padded::<NoPadding>(&mut plain),
        AesKey::Aes256(key) => cbc::Decryptor::<Aes256>::new((*key).into(), vector.into())
            .decrypt_padded::<NoPadding>(&mut plain),
    };
    let padding = plain.last().copied().map_or(0, usize::from);
    let kept = plain.len().saturating_sub(padding);
    let padded = (1..=BLOCK).contains(&padding)
        && plain.get(kept..).is_some_and(|tail| tail.iter().all(|&byte| usize::from(byte) == padding));
    if padded {
        plain.truncate(kept);
    }
    plain
}

/// `plain` in AES-CBC with its padding, after the initialization vector.
pub(super) fn aes_seal(key: &AesKey<'_>, vector: [u8; BLOCK], plain: &[u8]) -> Vec<u8> {
    let sealed =
        match key {
            AesKey::Aes128(key) => cbc::Encryptor::<Aes128>::new((*key).into(), &vector.into())
                .encrypt_padded_vec::<Pkcs7>(plain),
            AesKey::Aes256(key) => cbc::Encryptor::<Aes256>::new((*key).into(), &vector.into())
                .encrypt_padded_vec::<Pkcs7>(plain),
        };
    [vector.as_slice(), sealed.as_slice()].concat()
}

/// Encrypts whole blocks in place by AES-128 in CBC mode (algorithm 2.B).
pub(super) fn aes_128_blocks(key: &[u8; 16], vector: &[u8; BLOCK], data: &mut [u8]) {
    let len = data.len();
    // The length is a multiple of the block's, so this cannot fail.
    let _ = cbc::Encryptor::<Aes128>::new(key.into(), vector.into()).encrypt_padded::<NoPadding>(data, len);
}

/// The file key that `wrapped` holds: AES-256 in CBC mode without padding, the vector zero (algorithm 2.A).
pub(super) fn aes_256_unwrap(key: &[u8; 32], wrapped: &mut [u8; 32]) {
    let vector = [0; BLOCK];
    // Two blocks exactly, so this cannot fail.
    let _ = cbc::Decryptor::<Aes256>::new(key.into(), &vector.into()).decrypt_padded::<NoPadding>(wrapped);
}

/// One block by itself (algorithm 13).
pub(super) fn aes_256_block(key: &[u8; 32], block: [u8; BLOCK]) -> [u8; BLOCK] {
    let mut block = block.into();
    Aes256::new(key.into()).decrypt_block(&mut block);
    block.into()
}

/// A key of AES, by its length.
pub(super) enum AesKey<'a> {
    Aes128(&'a [u8; 16]),
    Aes256(&'a [u8; 32]),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_answers() {
        // RFC 6229, and NIST SP 800-38A F.2.1 (the first block).
        let mut data = [0; 8];
        rc4(&[1, 2, 3, 4, 5], &mut data);
        assert_eq!(data, [0xb2, 0x39, 0x63, 0x05, 0xf0, 0x3d, 0xc0, 0x27]);
        let key =
            [0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c];
        let vector = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let mut block =
            [0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a];
        aes_128_blocks(&key, &vector, &mut block);
        assert_eq!(block[..4], [0x76, 0x49, 0xab, 0xac]);
    }

    #[test]
    fn damaged_data_are_read_as_far_as_they_go() {
        let key = AesKey::Aes128(&[7; 16]);
        let sealed = aes_seal(&key, [1; BLOCK], b"twenty bytes of text");
        assert_eq!(sealed.len(), 3 * BLOCK);
        for len in 0..sealed.len() {
            let opened = aes_open(&key, &sealed[..len]);
            assert_eq!(opened.len(), len.saturating_sub(BLOCK) / BLOCK * BLOCK, "{len}");
        }
        assert!(aes_open(&key, &sealed[..BLOCK]).is_empty(), "a vector alone is empty text");
    }

    proptest! {
        #[test]
        fn what_is_sealed_is_opened(plain in proptest::collection::vec(any::<u8>(), 0..100), long: bool, vector: [u8; 16]) {
            let key = if long { AesKey::Aes256(&[9; 32]) } else { AesKey::Aes128(&[9; 16]) };
            let sealed = aes_seal(&key, vector, &plain);
            prop_assert!(sealed.starts_with(&vector));
            prop_assert_eq!(aes_open(&key, &sealed), plain);
        }
    }
}
