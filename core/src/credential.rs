//! A credential as people know it: its identifier, its holder, and whether it may sign.

pub mod holder;
pub mod identifier;
pub mod kind;

use std::fmt;

use crate::{
    algorithm::AlgorithmError,
    cms::certificate::Certificate,
    digest::{Digest, DigestAlgorithm},
    error::ErrorCode,
    moment::Moment,
};

pub use holder::Holder;
pub use identifier::Identifier;
pub use kind::Kind;

/// The shortest beginning of an identifier that may stand for it.
const SHORTEST_PREFIX: usize = 8;
/// A certificate that ends within these seconds is announced: 30 days.
const SOON_SECONDS: i64 = 30 * 86_400;

/// Names a credential: the SHA-256 of its certificate, in lower-case hexadecimal where it is
/// shown. The same certificate has the same identifier in every token and on every machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CredentialId(Digest);

/// Why a certificate may not make a signature at a moment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CredentialError {
    /// Its validity has ended.
    #[error("the certificate expired at {}", describe(*.not_after))]
    Expired {
        /// The last second of its validity, since the epoch.
        not_after: i64,
    },
    /// Its key is too weak or not supported.
    #[error("the key may not make new signatures")]
    Key(#[from] AlgorithmError),
    /// It is a certification authority's.
    #[error("the certificate belongs to a certification authority")]
    NotEndEntity,
    /// Its key usage does not permit signatures.
    #[error("the key usage of the certificate does not permit signatures")]
    NotForSigning,
    /// Its validity has not begun.
    #[error("the certificate is not valid before {}", describe(*.not_before))]
    NotYetValid {
        /// When its validity begins, in seconds since the epoch.
        not_before: i64,
    },
}

/// What the person should know about a certificate that may sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CredentialWarning {
    /// It ends within 30 days.
    ExpiresSoon,
    /// It does not declare nonRepudiation.
    NoNonRepudiation,
}

/// Whether the certificate may sign at `moment`: its purpose, its validity, its key, in this
/// order. No path is built and revocation is not consulted.
///
/// # Errors
/// Where it may not.
pub fn check_for_signing(
    certificate: &Certificate,
    moment: Moment,
) -> Result<Vec<CredentialWarning>, CredentialError> {
    if certificate.is_authority() {
        return Err(CredentialError::NotEndEntity);
    }
    if !certificate.permits_signatures() {
        return Err(CredentialError::NotForSigning);
    }
    let (now, not_before, not_after) =
        (moment.unix_seconds(), certificate.not_before(), certificate.not_after());
    if now > not_after {
        return Err(CredentialError::Expired { not_after });
    }
    if now < not_before {
        return Err(CredentialError::NotYetValid { not_before });
    }
    let key = certificate.key_kind();
    key.signature_algorithm(key.default_digest())?;

    let mut warnings = Vec::new();
    if not_after - now < SOON_SECONDS {
        warnings.push(CredentialWarning::ExpiresSoon);
    }
    if !certificate.declares_non_repudiation() {
        warnings.push(CredentialWarning::NoNonRepudiation);
    }
    Ok(warnings)
}

impl CredentialId {
    /// The identifier of a certificate's credential.
    pub fn of(certificate: &Certificate) -> Self {
        Self(certificate.fingerprint().clone())
    }

    /// An identifier from its whole text as it is shown; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        Digest::from_hex(DigestAlgorithm::Sha256, text).map(Self)
    }

    /// Whether `text` is this identifier or its beginning, of eight characters at least. Case,
    /// colons and blanks between the characters do not count.
    pub fn matches(&self, text: &str) -> bool {
        let wanted: String = text
            .chars()
            .filter(|character| *character != ':' && !character.is_ascii_whitespace())
            .map(|character| character.to_ascii_lowercase())
            .collect();
        wanted.len() >= SHORTEST_PREFIX && self.to_string().starts_with(&wanted)
    }
}

impl fmt::Display for CredentialId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl CredentialError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Expired { .. } => ErrorCode::CredentialExpired,
            Self::Key(error) => error.code(),
            Self::NotEndEntity | Self::NotForSigning => ErrorCode::CredentialNotForSigning,
            Self::NotYetValid { .. } => ErrorCode::CredentialNotYetValid,
        }
    }
}

impl CredentialWarning {
    /// The warning as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ExpiresSoon => "expires-soon",
            Self::NoNonRepudiation => "no-non-repudiation",
        }
    }
}

fn describe(unix_seconds: i64) -> String {
    Moment::new(unix_seconds, 0).map_or_else(|| format!("{unix_seconds} s"), Moment::to_rfc3339)
}

#[cfg(test)]
mod tests;
