//! What the validator says of a signature, in the words of EN 319 102-1, clause 5.

use crate::{
    algorithm::SignatureAlgorithm, cms::certificate::Certificate, credential::Holder,
    digest::DigestAlgorithm, pdf::permission::Permission,
};

/// The main indication (EN 319 102-1, 5.1.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Indication {
    /// The signature is valid.
    TotalPassed,
    /// What is known does not suffice to call it valid or invalid.
    Indeterminate,
    /// The signature is not valid.
    TotalFailed,
}

/// Why a signature did not pass (EN 319 102-1, tables 5 and 6; the last two are ours).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SubIndication {
    /// The structure of the signature is not that of its format.
    FormatFailure,
    /// The digest of the signed bytes is not the one that was signed.
    HashFailure,
    /// The signature value does not verify with the signer's key.
    SigCryptoFailure,
    /// The signer's certificate is not in the signature.
    NoSigningCertificateFound,
    /// No path leads to a trust anchor.
    NoCertificateChainFound,
    /// A path exists and breaks a rule of RFC 5280.
    CertificateChainGeneralFailure,
    /// The certificate was not valid at the time of validation, and no earlier proof of existence is known.
    OutOfBoundsNoPoe,
    /// The certificate is not valid yet.
    OutOfBoundsNotYetValid,
    /// An algorithm or key is too weak.
    CryptoConstraintsFailure,
    /// The form of signature is not supported.
    Unsupported,
    /// More was added after the signature than signing adds; it is not judged.
    LaterChanges,
}

/// How much of the file a signature covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Every byte but the hole.
    EntireFile,
    /// A whole earlier revision: bytes were appended after it.
    Revision {
        /// Where the signed revision ends, in bytes from the beginning of the file.
        end: u64,
    },
    /// Neither: a signature that may not be trusted.
    Partial,
}

/// The verdict on one signature.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The field's fully qualified name.
    pub field: String,
    /// The main indication.
    pub indication: Indication,
    /// Why it did not pass.
    pub sub_indication: Option<SubIndication>,
    /// The reason in technical words, for engineers.
    pub detail: Option<String>,
    /// How much is covered.
    pub coverage: Coverage,
    /// `/SubFilter`.
    pub sub_filter: Option<String>,
    /// `/M`, the time the signer claims, as it stands in the file.
    pub claimed_time: Option<String>,
    /// The digest of the signed bytes.
    pub digest: Option<DigestAlgorithm>,
    /// The signature algorithm, where it is one we make.
    pub algorithm: Option<SignatureAlgorithm>,
    /// The signer's certificate.
    pub signer: Option<Certificate>,
    /// The holder as the certificate names it.
    pub holder: Option<Holder>,
    /// What it permits after it, by a certification or its field's lock.
    pub permission: Option<Permission>,
    /// The path from the signer to the anchor.
    pub path: Vec<Certificate>,
}

impl Indication {
    /// The indication as the standard and JSON write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TotalPassed => "TOTAL-PASSED",
            Self::Indeterminate => "INDETERMINATE",
            Self::TotalFailed => "TOTAL-FAILED",
        }
    }
}

impl SubIndication {
    /// The sub-indication as the standard and JSON write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FormatFailure => "FORMAT_FAILURE",
            Self::HashFailure => "HASH_FAILURE",
            Self::SigCryptoFailure => "SIG_CRYPTO_FAILURE",
            Self::NoSigningCertificateFound => "NO_SIGNING_CERTIFICATE_FOUND",
            Self::NoCertificateChainFound => "NO_CERTIFICATE_CHAIN_FOUND",
            Self::CertificateChainGeneralFailure => "CERTIFICATE_CHAIN_GENERAL_FAILURE",
            Self::OutOfBoundsNoPoe => "OUT_OF_BOUNDS_NO_POE",
            Self::OutOfBoundsNotYetValid => "OUT_OF_BOUNDS_NOT_YET_VALID",
            Self::CryptoConstraintsFailure => "CRYPTO_CONSTRAINTS_FAILURE",
            Self::Unsupported => "UNSUPPORTED",
            Self::LaterChanges => "LATER_CHANGES",
        }
    }

    /// The indication that the standard gives it.
    pub const fn indication(self) -> Indication {
        match self {
            Self::FormatFailure | Self::HashFailure | Self::SigCryptoFailure => Indication::TotalFailed,
            Self::NoSigningCertificateFound
            | Self::NoCertificateChainFound
            | Self::CertificateChainGeneralFailure
            | Self::OutOfBoundsNoPoe
            | Self::OutOfBoundsNotYetValid
            | Self::CryptoConstraintsFailure
            | Self::Unsupported
            | Self::LaterChanges => Indication::Indeterminate,
        }
    }
}
