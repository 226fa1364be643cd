//! The form of a stored key as a file: JSON, of a version, every value checked when it is read.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use signer_ipc::token_host::Failure;

use crate::token::host::{
    keystore,
    stored::{damaged, password::Cost},
};

/// The version that this program writes and reads.
const VERSION: u32 = 1;
/// The only cipher of this version.
const CIPHER: &str = "chacha20-poly1305";
/// The only key derivation of this version (RFC 9106, version 0x13).
const DERIVATION: &str = "argon2id";
/// The length of a nonce in bytes (RFC 8439, 2.8).
pub(super) const NONCE_LEN: usize = 12;
/// The length of a salt in bytes (RFC 9106, 3.1).
pub(super) const SALT_LEN: usize = 16;

/// A stored key, every value within its bounds.
pub(super) struct Stored {
    /// The certificate in DER.
    pub(super) certificate: Vec<u8>,
    /// Other certificates of the file that it came from.
    pub(super) chain: Vec<Vec<u8>>,
    /// Where the key comes from that encrypts this one.
    pub(super) wrapping: Wrapping,
    /// Used once with that key.
    pub(super) nonce: [u8; NONCE_LEN],
    /// `PrivateKeyInfo` (RFC 5208, section 5), encrypted, with its tag.
    pub(super) sealed: Vec<u8>,
}

/// Where the key comes from that encrypts a stored key.
pub(super) enum Wrapping {
    /// From the keystore of the operating system.
    Keystore {
        /// What the keystore needs to find it or to unwrap it.
        wrapped: Vec<u8>,
    },
    /// From a password.
    Password {
        /// What the derivation costs.
        cost: Cost,
        /// Its salt.
        salt: [u8; SALT_LEN],
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnDisk {
    version: u32,
    certificate: String,
    chain: Vec<String>,
    protection: ProtectionOnDisk,
    cipher: String,
    nonce: String,
    key: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "kebab-case", deny_unknown_fields)]
enum ProtectionOnDisk {
    Keystore {
        keystore: String,
        wrapped: String,
    },
    Password {
        derivation: String,
        /// In KiB.
        memory: u32,
        passes: u32,
        lanes: u32,
        salt: String,
    },
}

/// Read before anything else, so that another version is told from a damaged file.
#[derive(Deserialize)]
struct VersionOnDisk {
    version: u32,
}

impl Stored {
    /// Reads a file.
    pub(super) fn from_file(bytes: &[u8]) -> Result<Self, Failure> {
        let malformed = || damaged("it is no stored key");
        let VersionOnDisk { version } = serde_json::from_slice(bytes).map_err(|_| malformed())?;
        if version != VERSION {
            return Err(Failure::KeyUnsupported { kind: format!("a stored key of version {version}") });
        }
        let disk: OnDisk = serde_json::from_slice(bytes).map_err(|_| malformed())?;
        if disk.cipher != CIPHER {
            return Err(malformed());
        }
        let bytes = |text: &str| STANDARD.decode(text).map_err(|_| malformed());
        let wrapping = match disk.protection {
            ProtectionOnDisk::Keystore { keystore, wrapped } => {
                if keystore != keystore::NAME {
                    return Err(Failure::KeyUnsupported { kind: format!("a key under {keystore:?}") });
                }
                Wrapping::Keystore { wrapped: bytes(&wrapped)? }
            }
            ProtectionOnDisk::Password { derivation, memory, passes, lanes, salt } => {
                if derivation != DERIVATION {
                    return Err(malformed());
                }
                let cost = Cost::new(memory, passes, lanes);
                Wrapping::Password {
                    cost: cost.ok_or_else(|| damaged("its key derivation passes what is reasonable"))?,
                    salt: bytes(&salt)?.try_into().map_err(|_| malformed())?,
                }
            }
        };
        Ok(Self {
            certificate: bytes(&disk.certificate)?,
            chain: disk.chain.iter().map(|der| bytes(der)).collect::<Result<_, _>>()?,
            wrapping,
            nonce: bytes(&disk.nonce)?.try_into().map_err(|_| malformed())?,
            sealed: bytes(&disk.key)?,
        })
    }

    /// The file; nothing only where it cannot be written as JSON.
    pub(super) fn to_file(&self) -> Option<Vec<u8>> {
        let disk = OnDisk {
            version: VERSION,
            certificate: STANDARD.encode(&self.certificate),
            chain: self.chain.iter().map(|der| STANDARD.encode(der)).collect(),
            protection: match &self.wrapping {
                Wrapping::Keystore { wrapped } => ProtectionOnDisk::Keystore {
                    keystore: keystore::NAME.to_owned(),
                    wrapped: STANDARD.encode(wrapped),
                },
                Wrapping::Password { cost, salt } => ProtectionOnDisk::Password {
                    derivation: DERIVATION.to_owned(),
                    memory: cost.memory(),
                    passes: cost.passes(),
                    lanes: cost.lanes(),
                    salt: STANDARD.encode(salt),
                },
            },
            cipher: CIPHER.to_owned(),
            nonce: STANDARD.encode(self.nonce),
            key: STANDARD.encode(&self.sealed),
        };
        serde_json::to_vec_pretty(&disk).ok()
    }

    /// What the encryption covers beside the key: purpose, version and certificates, each with its
    /// length before it.
    pub(super) fn associated(&self) -> Vec<u8> {
        let mut bytes = format!("cybercore-signer stored key {VERSION}").into_bytes();
        for part in std::iter::once(&self.certificate).chain(&self.chain) {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part);
        }
        bytes
    }
}
