//! Why a certificate or a CMS signature is not what it should be.

use crate::{digest::DigestAlgorithm, error::ErrorCode};

/// Why a certificate or a CMS structure cannot be used, or does not verify.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CmsError {
    /// The certificate is not one of RFC 5280.
    #[error("malformed certificate: {part}")]
    CertificateMalformed {
        /// What is wrong or missing.
        part: &'static str,
    },
    /// The content type that was signed is not `id-data`.
    #[error("the signed content type is not that of a detached signature")]
    ContentType,
    /// A digest of another algorithm than the signature's was handed in.
    #[error("{} was given where {} is needed", .given.name(), .needed.name())]
    DigestAlgorithm {
        /// The algorithm of the digest.
        given: DigestAlgorithm,
        /// The algorithm of the signature.
        needed: DigestAlgorithm,
    },
    /// The content has another digest than the one that was signed.
    #[error("the digest of the content is not the signed one")]
    DigestMismatch,
    /// A value could not be encoded: a defect of this program.
    #[error("a value could not be encoded")]
    Encoding,
    /// A limit kept against hostile input is passed.
    #[error("too much input: {part} beyond {limit}")]
    LimitExceeded {
        /// What there is too much of.
        part: &'static str,
        /// How much is accepted.
        limit: usize,
    },
    /// The structure is not the SignedData of RFC 5652.
    #[error("malformed CMS: {part}")]
    Malformed {
        /// What is wrong or missing.
        part: &'static str,
    },
    /// The signature value was not made by this key over these bytes.
    #[error("the signature value does not verify")]
    SignatureWrong,
    /// There are no signers, or several.
    #[error("{count} signers where one is expected")]
    SignerCount {
        /// How many.
        count: usize,
    },
    /// The signer's certificate is not in the structure.
    #[error("the certificate of the signer is missing")]
    SignerMissing,
    /// The signed attribute signing-certificate (RFC 5035) names another certificate.
    #[error("the signature names another certificate as the signer's")]
    SigningCertificate,
    /// The algorithm is not supported.
    #[error("unsupported algorithm {algorithm}")]
    UnsupportedAlgorithm {
        /// Its object identifier, or a description.
        algorithm: String,
    },
    /// The RSA key is so short that its signatures prove nothing.
    #[error("RSA key of {bits} bits is too weak")]
    WeakKey {
        /// Length of the modulus in bits.
        bits: u32,
    },
}

impl CmsError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::CertificateMalformed { .. } => ErrorCode::CredentialUnreadable,
            Self::DigestAlgorithm { .. } | Self::Encoding => ErrorCode::Internal,
            Self::LimitExceeded { .. } => ErrorCode::DocumentLimitExceeded,
            Self::ContentType
            | Self::DigestMismatch
            | Self::Malformed { .. }
            | Self::SignatureWrong
            | Self::SignerCount { .. }
            | Self::SignerMissing
            | Self::SigningCertificate => ErrorCode::SignatureInvalid,
            Self::UnsupportedAlgorithm { .. } => ErrorCode::UnsupportedAlgorithm,
            Self::WeakKey { .. } => ErrorCode::CredentialWeak,
        }
    }

    /// The same error, where it was met inside a certificate.
    pub(crate) fn in_certificate(self) -> Self {
        match self {
            Self::Malformed { part } => Self::CertificateMalformed { part },
            Self::CertificateMalformed { .. }
            | Self::ContentType
            | Self::DigestAlgorithm { .. }
            | Self::DigestMismatch
            | Self::Encoding
            | Self::LimitExceeded { .. }
            | Self::SignatureWrong
            | Self::SignerCount { .. }
            | Self::SignerMissing
            | Self::SigningCertificate
            | Self::UnsupportedAlgorithm { .. }
            | Self::WeakKey { .. } => self,
        }
    }
}

impl From<der::Error> for CmsError {
    fn from(_: der::Error) -> Self {
        Self::Encoding
    }
}
