//! Signature algorithm identifiers (RFC 3279, RFC 4055, RFC 5754, RFC 5758, RFC 8410) to the
//! schemes that can be verified.

use der::asn1::ObjectIdentifier;

use crate::{
    algorithm::SignatureAlgorithm,
    cms::{
        element::{Element, tag},
        error::CmsError,
    },
    digest::DigestAlgorithm,
};

pub(super) const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const MGF1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.8");
const RSASSA_PSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10");
const SHA1_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.5");
pub(super) const SHA256_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.11");
pub(super) const SHA384_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.12");
pub(super) const SHA512_WITH_RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.13");
pub(super) const EC_PUBLIC_KEY: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const ECDSA_WITH_SHA1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.1");
pub(super) const ECDSA_WITH_SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.2");
pub(super) const ECDSA_WITH_SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.3");
pub(super) const ECDSA_WITH_SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.4.3.4");
pub(super) const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");
pub(super) const SHA1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.14.3.2.26");
pub(super) const SHA256: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.1");
pub(super) const SHA384: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.2");
pub(super) const SHA512: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.2.3");

/// How a signature value is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    RsaPkcs1(DigestAlgorithm),
    /// MGF1 with the same digest and a salt as long as it.
    RsaPss(DigestAlgorithm),
    Ecdsa(DigestAlgorithm),
    Ed25519,
}

impl Scheme {
    /// Reads an AlgorithmIdentifier. Identifiers that name only the kind of key, as CMS allows
    /// (RFC 3370, 3.2), take `digest`, that of the signer.
    pub(super) fn parse(identifier: &Element<'_>, digest: Option<DigestAlgorithm>) -> Result<Self, CmsError> {
        let mut parts = identifier.elements();
        let algorithm = parts
            .expect(tag::OBJECT_IDENTIFIER, "signature algorithm")?
            .object_identifier("signature algorithm")?;
        let unsupported = || CmsError::UnsupportedAlgorithm { algorithm: algorithm.to_string() };
        match algorithm {
            RSA_ENCRYPTION => digest.map(Self::RsaPkcs1).ok_or_else(unsupported),
            SHA1_WITH_RSA => Ok(Self::RsaPkcs1(DigestAlgorithm::Sha1)),
            SHA256_WITH_RSA => Ok(Self::RsaPkcs1(DigestAlgorithm::Sha256)),
            SHA384_WITH_RSA => Ok(Self::RsaPkcs1(DigestAlgorithm::Sha384)),
            SHA512_WITH_RSA => Ok(Self::RsaPkcs1(DigestAlgorithm::Sha512)),
            RSASSA_PSS => pss(parts.next("RSASSA-PSS parameters")?),
            EC_PUBLIC_KEY => digest.map(Self::Ecdsa).ok_or_else(unsupported),
            ECDSA_WITH_SHA1 => Ok(Self::Ecdsa(DigestAlgorithm::Sha1)),
            ECDSA_WITH_SHA256 => Ok(Self::Ecdsa(DigestAlgorithm::Sha256)),
            ECDSA_WITH_SHA384 => Ok(Self::Ecdsa(DigestAlgorithm::Sha384)),
            ECDSA_WITH_SHA512 => Ok(Self::Ecdsa(DigestAlgorithm::Sha512)),
            ED25519 => Ok(Self::Ed25519),
            _ => Err(unsupported()),
        }
    }

    /// The digest inside; Ed25519 has its own.
    pub(super) const fn digest(self) -> Option<DigestAlgorithm> {
        match self {
            Self::RsaPkcs1(digest) | Self::RsaPss(digest) | Self::Ecdsa(digest) => Some(digest),
            Self::Ed25519 => None,
        }
    }

    /// The scheme as one that this program makes.
    pub(super) const fn made(self) -> Option<SignatureAlgorithm> {
        match self {
            Self::RsaPkcs1(digest) => Some(SignatureAlgorithm::RsaPkcs1(digest)),
            Self::Ecdsa(digest) => Some(SignatureAlgorithm::Ecdsa(digest)),
            Self::RsaPss(_) | Self::Ed25519 => None,
        }
    }
}

impl From<SignatureAlgorithm> for Scheme {
    fn from(algorithm: SignatureAlgorithm) -> Self {
        match algorithm {
            SignatureAlgorithm::RsaPkcs1(digest) => Self::RsaPkcs1(digest),
            SignatureAlgorithm::Ecdsa(digest) => Self::Ecdsa(digest),
        }
    }
}

/// The digest that an AlgorithmIdentifier names; `None` for one that is not supported.
pub(super) fn digest_algorithm(identifier: &Element<'_>) -> Result<Option<DigestAlgorithm>, CmsError> {
    let algorithm = identifier
        .elements()
        .expect(tag::OBJECT_IDENTIFIER, "digest algorithm")?
        .object_identifier("digest algorithm")?;
    Ok(match algorithm {
        // Some signers name the signature algorithm where the digest belongs.
        SHA1 | SHA1_WITH_RSA => Some(DigestAlgorithm::Sha1),
        SHA256 | SHA256_WITH_RSA => Some(DigestAlgorithm::Sha256),
        SHA384 | SHA384_WITH_RSA => Some(DigestAlgorithm::Sha384),
        SHA512 | SHA512_WITH_RSA => Some(DigestAlgorithm::Sha512),
        _ => None,
    })
}

/// RSASSA-PSS-params (RFC 4055, 3.1).
fn pss(parameters: Element<'_>) -> Result<Scheme, CmsError> {
    const PART: &str = "RSASSA-PSS parameters";
    let unsupported =
        || CmsError::UnsupportedAlgorithm { algorithm: format!("{RSASSA_PSS} with such parameters") };
    let mut parts = parameters.elements();
    let digest = match parts.optional(tag::context(0), PART)? {
        Some(wrapped) => digest_algorithm(&Element::parse(wrapped.content(), PART)?)?,
        None => Some(DigestAlgorithm::Sha1),
    };
    let mask = match parts.optional(tag::context(1), PART)? {
        Some(wrapped) => {
            let mut inner = Element::parse(wrapped.content(), PART)?.elements();
            let function = inner.next(PART)?.object_identifier(PART)?;
            if function == MGF1 { digest_algorithm(&inner.next(PART)?)? } else { None }
        }
        None => Some(DigestAlgorithm::Sha1),
    };
    let salt_len = match parts.optional(tag::context(2), PART)? {
        Some(wrapped) => match Element::parse(wrapped.content(), PART)?.content() {
            [length] => usize::from(*length),
            _ => return Err(unsupported()),
        },
        None => 20,
    };
    match digest {
        Some(digest @ (DigestAlgorithm::Sha256 | DigestAlgorithm::Sha384 | DigestAlgorithm::Sha512))
            if mask == Some(digest) && salt_len == digest.output_len() =>
        {
            Ok(Scheme::RsaPss(digest))
        }
        Some(_) | None => Err(unsupported()),
    }
}
