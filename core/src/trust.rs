//! Whether a certificate is to be believed, at a time: trust anchors, paths, the rules of
//! RFC 5280 on them. Revocation is not consulted yet.

mod anchors;
mod name_constraints;
mod path;

use crate::error::ErrorCode;

pub use anchors::Anchors;
pub use path::{Path, order_chain, validate_path};

/// Why no valid path leads from a certificate to a trust anchor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// A certificate of the path had expired.
    #[error("{subject:?} expired before the time of validation")]
    Expired {
        /// Its common name.
        subject: String,
        /// The last second of its validity, since the epoch.
        not_after: i64,
    },
    /// No path leads to a trust anchor.
    #[error("no path leads to a trust anchor")]
    NoPath,
    /// A certificate of the path was not valid yet.
    #[error("{subject:?} is not valid yet at the time of validation")]
    NotYetValid {
        /// Its common name.
        subject: String,
        /// When its validity begins, in seconds since the epoch.
        not_before: i64,
    },
    /// A certificate of the path breaks a rule of RFC 5280.
    #[error("{subject:?}: {rule}")]
    Rule {
        /// Its common name.
        subject: String,
        /// The rule.
        rule: Rule,
    },
    /// The search was given up: too many certificates carry the same names.
    #[error("too many certificates could be issuers of each other")]
    SearchExhausted,
    /// A signature of the path has an algorithm that is not supported.
    #[error("the signature of {subject:?} cannot be verified: {algorithm} is not supported")]
    Unsupported {
        /// The common name of the certificate that is signed so.
        subject: String,
        /// The algorithm.
        algorithm: String,
    },
    /// A signature of the path has an algorithm or key that is too weak.
    #[error("the signature of {subject:?} is too weak")]
    WeakAlgorithm {
        /// The common name of the certificate that is signed so.
        subject: String,
    },
}

/// The rules of RFC 5280 that a certificate of a path can break.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Rule {
    /// 4.2: an extension that is critical and not known here.
    #[error("critical extension {id} is not known")]
    CriticalExtension {
        /// Its object identifier.
        id: String,
    },
    /// 4.2.1.3: the end entity's key may not sign documents.
    #[error("its key usage does not permit signatures")]
    KeyUsage,
    /// 4.2.1.10: a name outside those that an authority above may issue for.
    #[error("its names are not permitted by an authority above it")]
    NameConstraints,
    /// 4.2.1.9 and 4.2.1.3: it issued a certificate and is no authority, or may not sign them.
    #[error("it may not issue certificates")]
    NotAuthority,
    /// 4.2.1.9: more authorities below it than it permits.
    #[error("more authorities stand below it than it permits")]
    PathLength,
}

impl TrustError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Expired { .. } => ErrorCode::CredentialExpired,
            Self::NotYetValid { .. } => ErrorCode::CredentialNotYetValid,
            Self::NoPath | Self::Rule { .. } | Self::SearchExhausted => ErrorCode::ChainUntrusted,
            Self::Unsupported { .. } => ErrorCode::UnsupportedAlgorithm,
            Self::WeakAlgorithm { .. } => ErrorCode::CredentialWeak,
        }
    }
}

#[cfg(test)]
mod tests;
