//! Password-based cryptography of PKCS#12: the integrity check and the encryption schemes.
//!
//! Two ways from a password to a key: RFC 7292 appendix B, which takes the password as UTF-16,
//! and PBKDF2 (RFC 8018), which takes its bytes.

use cbc::cipher::{BlockModeDecrypt as _, InnerIvInit as _, KeyInit, block_padding::Pkcs7};
use der::{Decode as _, asn1::ObjectIdentifier};
use pkcs5::pbes2::Kdf;
use pkcs12::kdf::{Pkcs12KeyType, derive_key};
use signer_ipc::secret::Secret;
use zeroize::Zeroizing;

use crate::token::host::walk::{Malformed, Walk};

/// The most rounds of key derivation that one file may cost, all together: a few seconds.
const MAX_ROUNDS: u32 = 10_000_000;
/// The most memory that scrypt may take, in bytes.
const MAX_SCRYPT_MEMORY: u64 = 64 << 20;

const PBES2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.13");
const PBMAC1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.14");
const PBKDF2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.12");
const SHA1_3DES: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.3");
const SHA1_2DES: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.4");
const SHA1_RC2_128: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.5");
const SHA1_RC2_40: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.1.6");
const SHA1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.14.3.2.26");
const SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
const SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2");
const SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3");
const HMAC_SHA1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.7");
const HMAC_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.9");
const HMAC_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.10");
const HMAC_SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.2.11");

/// Why something could not be decrypted or checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PbeError {
    /// The parameters are no such parameters.
    Malformed,
    /// The key derivation is too expensive.
    TooExpensive,
    /// The algorithm is not known here.
    Unsupported(String),
    /// The password is wrong, or the content is damaged.
    WrongPassword,
}

impl From<Malformed> for PbeError {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

/// The forms in which programs have turned one password into bytes.
pub(super) struct Password {
    /// As it came: for PBKDF2.
    bytes: Zeroizing<Vec<u8>>,
    /// For appendix B, most usual first.
    wide: Vec<Zeroizing<Vec<u8>>>,
    /// Rounds of key derivation that may still be spent.
    budget: u32,
}

impl Password {
    /// Of a secret as it was typed.
    pub(super) fn new(secret: &Secret) -> Self {
        let bytes = Zeroizing::new(secret.expose().to_vec());
        let mut wide = Vec::new();
        if let Ok(text) = std::str::from_utf8(&bytes) {
            wide.push(terminated(text.encode_utf16()));
        }
        if bytes.is_empty() {
            // Some programs write the empty password without its terminator.
            wide.push(Zeroizing::new(Vec::new()));
        } else if !bytes.is_ascii() {
            // Old programs widen byte by byte; so do files in an old encoding.
            wide.push(terminated(bytes.iter().map(|byte| u16::from(*byte))));
        }
        Self { bytes, wide, budget: MAX_ROUNDS }
    }

    /// Checks the MAC of `content` (RFC 7292, section 5.1, step 5; PBMAC1: RFC 9579). The form of
    /// the password that fits is the one used from then on.
    ///
    /// `mac_data` is the element `MacData`.
    pub(super) fn check_mac(&mut self, mac_data: &[u8], content: &[u8]) -> Result<(), PbeError> {
        let mut fields = Walk::sequence(mac_data)?;
        let mut digest_info = Walk::sequence(fields.encoded()?)?;
        let salt = fields.value(der::Tag::OctetString)?;
        let rounds = if fields.is_finished() { 1 } else { fields.count()? };
        let mut algorithm = Walk::sequence(digest_info.encoded()?)?;
        let expected = digest_info.value(der::Tag::OctetString)?;
        let oid = algorithm.oid()?;
        if oid == PBMAC1 {
            return self.check_pbmac1(algorithm.encoded()?, content, expected);
        }
        let (algorithm, derive, key_len) = match oid {
            SHA1 => (ring::hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, derive_mac_key::<sha1::Sha1> as Derive, 20),
            SHA256 => (ring::hmac::HMAC_SHA256, derive_mac_key::<sha2::Sha256> as Derive, 32),
            SHA384 => (ring::hmac::HMAC_SHA384, derive_mac_key::<sha2::Sha384> as Derive, 48),
            SHA512 => (ring::hmac::HMAC_SHA512, derive_mac_key::<sha2::Sha512> as Derive, 64),
            other => return Err(PbeError::Unsupported(format!("MAC {other}"))),
        };
        for index in 0..self.wide.len() {
            let rounds = self.spend(rounds)?;
            let Some(form) = self.wide.get(index) else { break };
            let key = derive(form, salt, rounds, key_len);
            if ring::hmac::verify(&ring::hmac::Key::new(algorithm, &key), content, expected).is_ok() {
                self.wide = vec![self.wide.swap_remove(index)];
                return Ok(());
            }
        }
        Err(PbeError::WrongPassword)
    }

    fn check_pbmac1(&mut self, parameters: &[u8], content: &[u8], expected: &[u8]) -> Result<(), PbeError> {
        let mut fields = Walk::sequence(parameters)?;
        let mut kdf = Walk::sequence(fields.encoded()?)?;
        let mut mac = Walk::sequence(fields.encoded()?)?;
        let kdf_oid = kdf.oid()?;
        if kdf_oid != PBKDF2 {
            return Err(PbeError::Unsupported(format!("PBMAC1 with {kdf_oid}")));
        }
        let mut kdf = Walk::sequence(kdf.encoded()?)?;
        let salt = kdf.value(der::Tag::OctetString)?;
        let rounds = self.spend(kdf.count()?)?;
        let key_len = usize::try_from(kdf.count()?).unwrap_or(usize::MAX);
        // RFC 9579 section 7: a short key would make the check worthless.
        if !(20..=64).contains(&key_len) {
            return Err(PbeError::Malformed);
        }
        let prf = match kdf.next_if(der::Tag::Sequence)? {
            Some(algorithm) => Walk::over(algorithm.value())?.oid()?,
            None => HMAC_SHA1,
        };
        let prf = match prf {
            HMAC_SHA1 => ring::pbkdf2::PBKDF2_HMAC_SHA1,
            HMAC_SHA256 => ring::pbkdf2::PBKDF2_HMAC_SHA256,
            HMAC_SHA384 => ring::pbkdf2::PBKDF2_HMAC_SHA384,
            HMAC_SHA512 => ring::pbkdf2::PBKDF2_HMAC_SHA512,
            other => return Err(PbeError::Unsupported(format!("PBKDF2 with {other}"))),
        };
        let mac = match mac.oid()? {
            HMAC_SHA1 => ring::hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            HMAC_SHA256 => ring::hmac::HMAC_SHA256,
            HMAC_SHA384 => ring::hmac::HMAC_SHA384,
            HMAC_SHA512 => ring::hmac::HMAC_SHA512,
            other => return Err(PbeError::Unsupported(format!("PBMAC1 with {other}"))),
        };
        let rounds = std::num::NonZeroU32::new(rounds).ok_or(PbeError::Malformed)?;
        let mut key = Zeroizing::new(vec![0; key_len]);
        ring::pbkdf2::derive(prf, rounds, salt, &self.bytes, &mut key);
        let key = ring::hmac::Key::new(mac, &key);
        ring::hmac::verify(&key, content, expected).map_err(|_| PbeError::WrongPassword)
    }

    /// Decrypts `ciphertext`. `algorithm` is its `AlgorithmIdentifier` in DER.
    pub(super) fn decrypt(
        &mut self,
        algorithm: &[u8],
        ciphertext: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, PbeError> {
        let mut fields = Walk::sequence(algorithm)?;
        let oid = fields.oid()?;
        if oid == PBES2 {
            return self.decrypt_pbes2(fields.encoded()?, ciphertext);
        }
        let decrypt = match oid {
            SHA1_3DES => decrypt_appendix_b::<des::TdesEde3> as Decrypt,
            SHA1_2DES => decrypt_appendix_b::<des::TdesEde2> as Decrypt,
            SHA1_RC2_128 => decrypt_rc2::<16> as Decrypt,
            SHA1_RC2_40 => decrypt_rc2::<5> as Decrypt,
            other => return Err(PbeError::Unsupported(format!("encryption {other}"))),
        };
        let mut parameters = Walk::sequence(fields.encoded()?)?;
        let salt = parameters.value(der::Tag::OctetString)?;
        let rounds = parameters.count()?;
        for index in 0..self.wide.len() {
            let rounds = self.spend(rounds)?;
            let Some(form) = self.wide.get(index) else { break };
            let mut buffer = Zeroizing::new(ciphertext.to_vec());
            if let Some(len) = decrypt(form, salt, rounds, &mut buffer) {
                buffer.truncate(len);
                return Ok(buffer);
            }
        }
        Err(PbeError::WrongPassword)
    }

    fn decrypt_pbes2(
        &mut self,
        parameters: &[u8],
        ciphertext: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, PbeError> {
        let parameters = pkcs5::pbes2::Parameters::from_der(parameters).map_err(|error| {
            if let der::ErrorKind::OidUnknown { oid } = error.kind() {
                return PbeError::Unsupported(format!("PBES2 with {oid}"));
            }
            PbeError::Malformed
        })?;
        match &parameters.kdf {
            Kdf::Pbkdf2(kdf) => {
                self.spend(kdf.iteration_count)?;
            }
            Kdf::Scrypt(kdf) => {
                let memory = 128_u64
                    .checked_mul(kdf.cost_parameter)
                    .and_then(|memory| memory.checked_mul(u64::from(kdf.block_size)))
                    .filter(|memory| *memory <= MAX_SCRYPT_MEMORY)
                    .ok_or(PbeError::TooExpensive)?;
                // One pass over the memory is worth about a round for each 128 bytes.
                let rounds = (memory / 128).saturating_mul(u64::from(kdf.parallelization));
                self.spend(u32::try_from(rounds).unwrap_or(u32::MAX))?;
            }
            _ => return Err(PbeError::Unsupported("PBES2 with an unknown key derivation".to_owned())),
        }
        let mut buffer = Zeroizing::new(ciphertext.to_vec());
        let len = match parameters.decrypt_in_place(&*self.bytes, &mut buffer) {
            Ok(plaintext) => plaintext.len(),
            Err(pkcs5::Error::DecryptFailed) => return Err(PbeError::WrongPassword),
            Err(error) => return Err(PbeError::Unsupported(format!("PBES2: {error}"))),
        };
        buffer.truncate(len);
        Ok(buffer)
    }

    fn spend(&mut self, rounds: u32) -> Result<u32, PbeError> {
        self.budget = self.budget.checked_sub(rounds).ok_or(PbeError::TooExpensive)?;
        Ok(rounds)
    }
}

/// UTF-16 in big-endian order with two zero bytes after it (RFC 7292, B.1).
fn terminated(units: impl Iterator<Item = u16>) -> Zeroizing<Vec<u8>> {
    let mut wide = Zeroizing::new(Vec::with_capacity(2 * Secret::MAX_LEN + 2));
    wide.extend(units.chain([0]).flat_map(u16::to_be_bytes));
    wide
}

type Derive = fn(&[u8], &[u8], u32, usize) -> Zeroizing<Vec<u8>>;
type Decrypt = fn(&[u8], &[u8], u32, &mut [u8]) -> Option<usize>;

fn derive<D>(form: &[u8], salt: &[u8], purpose: Pkcs12KeyType, rounds: u32, len: usize) -> Zeroizing<Vec<u8>>
where
    D: sha2::digest::Digest + sha2::digest::FixedOutputReset + sha2::digest::block_api::BlockSizeUser,
{
    let rounds = i32::try_from(rounds).unwrap_or(i32::MAX);
    Zeroizing::new(derive_key::<D>(form, salt, purpose, rounds, len))
}

fn derive_mac_key<D>(form: &[u8], salt: &[u8], rounds: u32, len: usize) -> Zeroizing<Vec<u8>>
where
    D: sha2::digest::Digest + sha2::digest::FixedOutputReset + sha2::digest::block_api::BlockSizeUser,
{
    derive::<D>(form, salt, Pkcs12KeyType::Mac, rounds, len)
}

fn decrypt_appendix_b<C>(form: &[u8], salt: &[u8], rounds: u32, buffer: &mut [u8]) -> Option<usize>
where
    C: KeyInit + cbc::cipher::BlockCipherDecrypt,
{
    let key = derive::<sha1::Sha1>(form, salt, Pkcs12KeyType::EncryptionKey, rounds, C::key_size());
    decrypt_cbc::<C>(&key, form, salt, rounds, buffer)
}

fn decrypt_rc2<const KEY_LEN: usize>(
    form: &[u8],
    salt: &[u8],
    rounds: u32,
    buffer: &mut [u8],
) -> Option<usize> {
    let key = derive::<sha1::Sha1>(form, salt, Pkcs12KeyType::EncryptionKey, rounds, KEY_LEN);
    decrypt_cbc::<rc2::Rc2>(&key, form, salt, rounds, buffer)
}

/// All these ciphers have blocks of 8 bytes.
fn decrypt_cbc<C>(key: &[u8], form: &[u8], salt: &[u8], rounds: u32, buffer: &mut [u8]) -> Option<usize>
where
    C: KeyInit + cbc::cipher::BlockCipherDecrypt,
{
    let iv = derive::<sha1::Sha1>(form, salt, Pkcs12KeyType::Iv, rounds, 8);
    let cipher = cbc::Decryptor::<C>::inner_iv_slice_init(C::new_from_slice(key).ok()?, &iv).ok()?;
    cipher.decrypt_padded::<Pkcs7>(buffer).ok().map(<[u8]>::len)
}
