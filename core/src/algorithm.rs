//! Signature algorithms: what a key can make, and the strength below which none is used.

use crate::digest::DigestAlgorithm;

/// The kind and size of a public key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// RSA (RFC 8017) with the length of its modulus in bits.
    Rsa {
        /// Length of the modulus in bits.
        bits: u32,
    },
    /// ECDSA over NIST P-256 (secp256r1).
    P256,
    /// ECDSA over NIST P-384 (secp384r1).
    P384,
    /// ECDSA over NIST P-521 (secp521r1): verified, not made.
    P521,
    /// Ed25519 (RFC 8032): verified, not made.
    Ed25519,
    /// A key this program recognises and does not use.
    Unsupported,
}

/// A signature algorithm that this program can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignatureAlgorithm {
    /// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2).
    RsaPkcs1(DigestAlgorithm),
    /// ECDSA with a DER signature value (RFC 5753).
    Ecdsa(DigestAlgorithm),
}

/// Why a key is not used for a new signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AlgorithmError {
    /// The key is shorter than [`MINIMUM_RSA_BITS`] or longer than [`MAXIMUM_RSA_BITS`].
    #[error("RSA key of {bits} bits; {MINIMUM_RSA_BITS} to {MAXIMUM_RSA_BITS} are accepted")]
    KeyLength {
        /// Length of the modulus in bits.
        bits: u32,
    },
    /// The digest may not be used for new signatures.
    #[error("{} may not be used for new signatures", .0.name())]
    DigestWeak(DigestAlgorithm),
    /// The kind of key is not supported.
    #[error("keys of this kind are not supported for signing")]
    KeyUnsupported,
}

/// The shortest RSA modulus, in bits, that makes new signatures (DOC-ICP-01.01).
pub const MINIMUM_RSA_BITS: u32 = 2048;
/// The longest RSA modulus, in bits, that is used.
pub const MAXIMUM_RSA_BITS: u32 = 4096;

impl KeyKind {
    /// The digest that goes with the key when none was asked for.
    pub const fn default_digest(self) -> DigestAlgorithm {
        match self {
            Self::Rsa { .. } | Self::P256 | Self::Unsupported => DigestAlgorithm::Sha256,
            Self::P384 => DigestAlgorithm::Sha384,
            Self::P521 | Self::Ed25519 => DigestAlgorithm::Sha512,
        }
    }

    /// The algorithm for a new signature by such a key over `digest`.
    ///
    /// # Errors
    /// Where the key or the digest may not make new signatures.
    pub const fn signature_algorithm(
        self,
        digest: DigestAlgorithm,
    ) -> Result<SignatureAlgorithm, AlgorithmError> {
        if matches!(digest, DigestAlgorithm::Sha1) {
            return Err(AlgorithmError::DigestWeak(digest));
        }
        match self {
            Self::Rsa { bits } if bits < MINIMUM_RSA_BITS || bits > MAXIMUM_RSA_BITS => {
                Err(AlgorithmError::KeyLength { bits })
            }
            Self::Rsa { .. } => Ok(SignatureAlgorithm::RsaPkcs1(digest)),
            Self::P256 | Self::P384 => Ok(SignatureAlgorithm::Ecdsa(digest)),
            Self::P521 | Self::Ed25519 | Self::Unsupported => Err(AlgorithmError::KeyUnsupported),
        }
    }

    /// An upper bound, in bytes, of a signature value by such a key.
    pub const fn signature_len(self) -> usize {
        match self {
            Self::Rsa { bits } => (bits as usize).div_ceil(8),
            Self::P256 => 72,
            Self::P384 => 104,
            Self::P521 => 141,
            Self::Ed25519 => 64,
            Self::Unsupported => 1024,
        }
    }
}

impl SignatureAlgorithm {
    /// The digest inside.
    pub const fn digest(self) -> DigestAlgorithm {
        match self {
            Self::RsaPkcs1(digest) | Self::Ecdsa(digest) => digest,
        }
    }
}

impl AlgorithmError {
    /// The stable code.
    pub const fn code(self) -> crate::error::ErrorCode {
        match self {
            Self::KeyLength { .. } | Self::DigestWeak(_) => crate::error::ErrorCode::CredentialWeak,
            Self::KeyUnsupported => crate::error::ErrorCode::UnsupportedAlgorithm,
        }
    }
}
