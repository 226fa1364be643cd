//! Stored keys: one credential, its key encrypted by this program under a password or the keystore.
//!
//! The certificates are in the clear, so that they are known before the key is unlocked; nobody
//! can change them unseen, as the encryption covers them too.

mod form;
mod password;

use std::path::Path;

use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey},
    rand::{SecureRandom as _, SystemRandom},
};
use signer_ipc::{
    secret::Secret,
    token_host::{Failure, Scheme},
};
use spki::SubjectPublicKeyInfoOwned;
use zeroize::Zeroizing;

use crate::token::host::{
    Listed, file,
    key::{Match, PrivateKey},
    keystore,
    pkcs12::KeyWithCertificates,
    stored::{
        form::{NONCE_LEN, SALT_LEN, Stored, Wrapping},
        password::Cost,
    },
    verify::{self, Input},
};

/// The length of a key that encrypts another one, in bytes.
pub(super) const KEY_LEN: usize = 32;
/// What authentication adds to a ciphertext, in bytes.
const TAG_LEN: usize = 16;

/// A key that encrypts one stored key and nothing else.
pub(super) type WrappingKey = Zeroizing<[u8; KEY_LEN]>;

/// A stored key: read, and perhaps unlocked.
pub(super) struct StoredKey {
    stored: Stored,
    unlocked: Option<Unlocked>,
}

struct Unlocked {
    key: PrivateKey,
    public: SubjectPublicKeyInfoOwned,
}

/// Encrypts a key, under `password` or under the keystore. What comes back is the whole file.
pub(super) fn encrypt(of: &KeyWithCertificates<'_>, password: Option<&Secret>) -> Result<Vec<u8>, Failure> {
    let pkcs8 = of.key.to_pkcs8()?;
    let (wrapping, key) = match password {
        Some(password) => {
            // Whoever has the file would have the key.
            if password.expose().is_empty() {
                return Err(Failure::PinNeeded);
            }
            let (cost, salt) = (Cost::OF_NEW_FILES, random::<SALT_LEN>()?);
            (Wrapping::Password { cost, salt }, password::derive(password, cost, &salt)?)
        }
        None => {
            let (key, wrapped) = keystore::new_key()?;
            (Wrapping::Keystore { wrapped }, key)
        }
    };
    // With its final capacity: a buffer that grows would leave a copy of the key behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(pkcs8.len() + TAG_LEN));
    bytes.extend_from_slice(&pkcs8);
    let mut stored = Stored {
        certificate: of.certificate.to_vec(),
        chain: of.chain.iter().map(|der| der.to_vec()).collect(),
        wrapping,
        nonce: random::<NONCE_LEN>()?,
        sealed: Vec::new(),
    };
    aead(&key)?
        .seal_in_place_append_tag(
            Nonce::assume_unique_for_key(stored.nonce),
            Aad::from(stored.associated()),
            &mut *bytes,
        )
        .map_err(|_| internal("a key cannot be encrypted"))?;
    stored.sealed = bytes.to_vec();
    stored.to_file().ok_or_else(|| internal("a stored key has no form"))
}

impl StoredKey {
    /// Reads the file at `path`. Nothing of it is believed before it is unlocked.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        Ok(Self { stored: Stored::from_file(&file::read(path)?)?, unlocked: None })
    }

    /// Opens the key with the password or, where it is under the keystore, without.
    pub(super) fn unlock(&mut self, secret: &Secret) -> Result<(), Failure> {
        let (key, refused) = match &self.stored.wrapping {
            Wrapping::Password { cost, salt } => {
                (password::derive(secret, *cost, salt)?, Failure::PasswordIncorrect)
            }
            Wrapping::Keystore { wrapped } => {
                (keystore::key(wrapped)?, damaged("it does not open with the key in the keystore"))
            }
        };
        let mut bytes = Zeroizing::new(self.stored.sealed.clone());
        let nonce = Nonce::assume_unique_for_key(self.stored.nonce);
        let pkcs8 = aead(&key)?
            .open_in_place(nonce, Aad::from(self.stored.associated()), &mut bytes)
            .map_err(|_| refused)?;
        let key = PrivateKey::from_pkcs8(pkcs8).map_err(|_| damaged("its key is malformed"))?;
        let public = verify::public_key(&self.stored.certificate)
            .ok_or_else(|| damaged("its certificate is malformed"))?;
        if key.matches(&public) != Match::Yes {
            return Err(Failure::KeyMismatch);
        }
        self.unlocked = Some(Unlocked { key, public });
        Ok(())
    }

    /// The one credential, locked or not.
    pub(super) fn credentials(&self) -> Vec<Listed> {
        vec![Listed {
            id: 0,
            token_label: None,
            friendly_name: None,
            certificate: self.stored.certificate.clone(),
            issuers: self.stored.chain.clone(),
            always_authenticate: false,
        }]
    }

    /// Signs with the key.
    pub(super) fn sign(&self, credential: u32, scheme: Scheme, input: Input<'_>) -> Result<Vec<u8>, Failure> {
        if credential != 0 {
            return Err(Failure::CredentialUnknown);
        }
        let Unlocked { key, public } = self.unlocked.as_ref().ok_or(Failure::PinNeeded)?;
        let value = key.sign(scheme, input)?;
        verify::check(public, scheme, input, &value)?;
        Ok(value)
    }
}

/// ChaCha20-Poly1305 (RFC 8439): the same time on every processor.
fn aead(key: &WrappingKey) -> Result<LessSafeKey, Failure> {
    let key =
        UnboundKey::new(&CHACHA20_POLY1305, &**key).map_err(|_| internal("a key has the wrong length"))?;
    Ok(LessSafeKey::new(key))
}

/// Random bytes of the operating system.
pub(super) fn random<const LEN: usize>() -> Result<[u8; LEN], Failure> {
    let mut bytes = [0; LEN];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| internal("the system gives no random bytes"))?;
    Ok(bytes)
}

fn damaged(reason: &str) -> Failure {
    Failure::FileDamaged { reason: reason.to_owned() }
}

fn internal(reason: &str) -> Failure {
    Failure::Internal { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests;
