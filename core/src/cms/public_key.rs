//! Public keys of certificates (RFC 3279, RFC 5480, RFC 8410), and signature values verified
//! with them.

use der::asn1::ObjectIdentifier;
use p256::{
    ecdsa::signature::hazmat::PrehashVerifier,
    elliptic_curve::bigint::{
        Odd, U4096,
        modular::{FixedMontyForm, FixedMontyParams},
    },
};
use ring::signature::{self, RsaParameters, RsaPublicKeyComponents};

use crate::{
    algorithm::{KeyKind, MINIMUM_RSA_BITS},
    cms::{
        element::{Element, tag},
        error::CmsError,
        scheme::{EC_PUBLIC_KEY, ED25519, RSA_ENCRYPTION, Scheme},
    },
    digest::{Digest, DigestAlgorithm},
};

const SECP256R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const SECP384R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const SECP521R1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.35");
/// The longest RSA modulus, in bits, whose signatures are verified.
const LONGEST_RSA_BITS: u32 = 8192;

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PublicKey {
    /// Unsigned big-endian numbers without leading zeros.
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
        bits: u32,
    },
    /// Points as SEC 1 writes them.
    P256(Vec<u8>),
    P384(Vec<u8>),
    P521(Vec<u8>),
    Ed25519(Vec<u8>),
    /// The algorithm, or the curve where there is one.
    Unsupported(String),
}

impl PublicKey {
    /// Reads a SubjectPublicKeyInfo (RFC 5280, 4.1.2.7).
    pub(super) fn parse(info: &Element<'_>) -> Result<Self, CmsError> {
        const PART: &str = "subjectPublicKeyInfo";
        let mut parts = info.elements();
        let mut identifier = parts.expect(tag::SEQUENCE, PART)?.elements();
        let bits = parts.expect(tag::BIT_STRING, PART)?.whole_bits(PART)?;
        parts.finish(PART)?;
        let algorithm = identifier.next(PART)?.object_identifier(PART)?;
        match algorithm {
            RSA_ENCRYPTION => rsa(bits),
            EC_PUBLIC_KEY => match identifier.next(PART)?.object_identifier(PART) {
                Ok(SECP256R1) => Ok(Self::P256(bits.to_vec())),
                Ok(SECP384R1) => Ok(Self::P384(bits.to_vec())),
                Ok(SECP521R1) => Ok(Self::P521(bits.to_vec())),
                Ok(curve) => Ok(Self::Unsupported(curve.to_string())),
                Err(_) => Ok(Self::Unsupported("a curve given by its parameters".to_owned())),
            },
            ED25519 => Ok(Self::Ed25519(bits.to_vec())),
            other => Ok(Self::Unsupported(other.to_string())),
        }
    }

    pub(super) const fn kind(&self) -> KeyKind {
        match self {
            Self::Rsa { bits, .. } => KeyKind::Rsa { bits: *bits },
            Self::P256(_) => KeyKind::P256,
            Self::P384(_) => KeyKind::P384,
            Self::P521(_) => KeyKind::P521,
            Self::Ed25519(_) => KeyKind::Ed25519,
            Self::Unsupported(_) => KeyKind::Unsupported,
        }
    }

    /// Verifies `value` over `message`.
    pub(super) fn verify(&self, scheme: Scheme, message: &[u8], value: &[u8]) -> Result<(), CmsError> {
        match self {
            Self::Rsa { modulus, exponent, bits } => {
                refuse_length(*bits)?;
                RsaPublicKeyComponents { n: modulus, e: exponent }
                    .verify(rsa_parameters(scheme)?, message, value)
                    .map_err(|_| CmsError::SignatureWrong)
            }
            Self::P256(_) | Self::P384(_) | Self::P521(_) => match scheme {
                Scheme::Ecdsa(digest) => self.verify_digest(scheme, &digest.digest(message), value),
                Scheme::RsaPkcs1(_) | Scheme::RsaPss(_) | Scheme::Ed25519 => Err(CmsError::SignatureWrong),
            },
            Self::Ed25519(key) => match scheme {
                Scheme::Ed25519 => signature::UnparsedPublicKey::new(&signature::ED25519, key)
                    .verify(message, value)
                    .map_err(|_| CmsError::SignatureWrong),
                Scheme::RsaPkcs1(_) | Scheme::RsaPss(_) | Scheme::Ecdsa(_) => Err(CmsError::SignatureWrong),
            },
            Self::Unsupported(algorithm) => {
                Err(CmsError::UnsupportedAlgorithm { algorithm: algorithm.clone() })
            }
        }
    }

    /// Verifies `value` over a message of which only the digest is known. Not for RSASSA-PSS and
    /// Ed25519, with which nothing is signed so.
    pub(super) fn verify_digest(
        &self,
        scheme: Scheme,
        digest: &Digest,
        value: &[u8],
    ) -> Result<(), CmsError> {
        let needed = match scheme {
            Scheme::RsaPkcs1(needed) | Scheme::Ecdsa(needed) => needed,
            Scheme::RsaPss(_) | Scheme::Ed25519 => {
                return Err(CmsError::UnsupportedAlgorithm {
                    algorithm: format!("{scheme:?} over a digest"),
                });
            }
        };
        if needed != digest.algorithm() {
            return Err(CmsError::DigestAlgorithm { given: digest.algorithm(), needed });
        }
        let ecdsa_scheme = matches!(scheme, Scheme::Ecdsa(_));
        match self {
            Self::Rsa { modulus, exponent, bits } if !ecdsa_scheme => {
                refuse_length(*bits)?;
                rsa_pkcs1_digest(modulus, exponent, digest, value)
            }
            Self::P256(point) if ecdsa_scheme => ecdsa(
                p256::ecdsa::VerifyingKey::from_sec1_bytes(point),
                p256::ecdsa::Signature::from_der(value),
                digest,
                32,
            ),
            Self::P384(point) if ecdsa_scheme => ecdsa(
                p384::ecdsa::VerifyingKey::from_sec1_bytes(point),
                p384::ecdsa::Signature::from_der(value),
                digest,
                48,
            ),
            Self::P521(point) if ecdsa_scheme => ecdsa(
                p521::ecdsa::VerifyingKey::from_sec1_bytes(point),
                p521::ecdsa::Signature::from_der(value),
                digest,
                66,
            ),
            Self::Rsa { .. } | Self::P256(_) | Self::P384(_) | Self::P521(_) | Self::Ed25519(_) => {
                Err(CmsError::SignatureWrong)
            }
            Self::Unsupported(algorithm) => {
                Err(CmsError::UnsupportedAlgorithm { algorithm: algorithm.clone() })
            }
        }
    }
}

/// RSAPublicKey (RFC 8017, A.1.1).
fn rsa(bits: &[u8]) -> Result<PublicKey, CmsError> {
    const PART: &str = "RSA public key";
    let mut numbers = Element::parse(bits, PART)?.elements();
    let modulus = unsigned(numbers.expect(tag::INTEGER, PART)?.content());
    let exponent = unsigned(numbers.expect(tag::INTEGER, PART)?.content());
    numbers.finish(PART)?;
    let first = modulus.first().ok_or(CmsError::Malformed { part: PART })?;
    let bits = u32::try_from(modulus.len()).unwrap_or(u32::MAX).saturating_mul(8) - first.leading_zeros();
    Ok(PublicKey::Rsa { modulus, exponent, bits })
}

fn unsigned(content: &[u8]) -> Vec<u8> {
    content.iter().copied().skip_while(|octet| *octet == 0).collect()
}

/// Longer keys than [`LONGEST_RSA_BITS`] cost more than any signature is worth.
fn refuse_length(bits: u32) -> Result<(), CmsError> {
    match bits {
        ..MINIMUM_RSA_BITS => Err(CmsError::WeakKey { bits }),
        MINIMUM_RSA_BITS..=LONGEST_RSA_BITS => Ok(()),
        _ => Err(CmsError::UnsupportedAlgorithm { algorithm: format!("RSA of {bits} bits") }),
    }
}

fn rsa_parameters(scheme: Scheme) -> Result<&'static RsaParameters, CmsError> {
    match scheme {
        Scheme::RsaPkcs1(DigestAlgorithm::Sha1) => {
            Ok(&signature::RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY)
        }
        Scheme::RsaPkcs1(DigestAlgorithm::Sha256) => Ok(&signature::RSA_PKCS1_2048_8192_SHA256),
        Scheme::RsaPkcs1(DigestAlgorithm::Sha384) => Ok(&signature::RSA_PKCS1_2048_8192_SHA384),
        Scheme::RsaPkcs1(DigestAlgorithm::Sha512) => Ok(&signature::RSA_PKCS1_2048_8192_SHA512),
        Scheme::RsaPss(DigestAlgorithm::Sha256) => Ok(&signature::RSA_PSS_2048_8192_SHA256),
        Scheme::RsaPss(DigestAlgorithm::Sha384) => Ok(&signature::RSA_PSS_2048_8192_SHA384),
        Scheme::RsaPss(DigestAlgorithm::Sha512) => Ok(&signature::RSA_PSS_2048_8192_SHA512),
        Scheme::RsaPss(DigestAlgorithm::Sha1) => {
            Err(CmsError::UnsupportedAlgorithm { algorithm: "RSASSA-PSS with SHA-1".to_owned() })
        }
        Scheme::Ecdsa(_) | Scheme::Ed25519 => Err(CmsError::SignatureWrong),
    }
}

fn ecdsa<K, S, E>(
    key: Result<K, E>,
    value: Result<S, E>,
    digest: &Digest,
    field_len: usize,
) -> Result<(), CmsError>
where
    K: PrehashVerifier<S>,
{
    // Shorter digests than half the field are refused by the curve crates, whatever the value.
    if digest.as_bytes().len() * 2 < field_len {
        return Err(CmsError::UnsupportedAlgorithm {
            algorithm: format!("ECDSA of {} octets with {}", field_len, digest.algorithm().name()),
        });
    }
    let (Ok(key), Ok(value)) = (key, value) else { return Err(CmsError::SignatureWrong) };
    key.verify_prehash(digest.as_bytes(), &value).map_err(|_| CmsError::SignatureWrong)
}

/// RSASSA-PKCS1-v1_5 (RFC 8017, 8.2.2) over a ready digest, which ring does not offer. It is
/// needed where a signature has no signed attributes: the document itself is the message.
fn rsa_pkcs1_digest(modulus: &[u8], exponent: &[u8], digest: &Digest, value: &[u8]) -> Result<(), CmsError> {
    let length = modulus.len();
    if length > U4096::BYTES || exponent.len() > 8 {
        return Err(CmsError::UnsupportedAlgorithm { algorithm: format!("RSA of {length} octets") });
    }
    let number = |octets: &[u8]| {
        let mut padded = [0; U4096::BYTES];
        let start = U4096::BYTES.checked_sub(octets.len())?;
        padded.get_mut(start..)?.copy_from_slice(octets);
        Some(U4096::from_be_slice(&padded))
    };
    let (Some(modulus), Some(exponent), Some(base)) = (number(modulus), number(exponent), number(value))
    else {
        return Err(CmsError::SignatureWrong);
    };
    if value.len() != length || base >= modulus {
        return Err(CmsError::SignatureWrong);
    }
    let Some(odd) = Option::<Odd<U4096>>::from(Odd::new(modulus)) else {
        return Err(CmsError::SignatureWrong);
    };
    let parameters = FixedMontyParams::new_vartime(odd);
    let message = FixedMontyForm::new(&base, &parameters).pow_bounded_exp(&exponent, 64).retrieve();
    let octets = message.to_be_bytes();
    let encoded = octets.as_ref().get(U4096::BYTES - length..).unwrap_or_default();
    if encoded == emsa_pkcs1(digest, length) { Ok(()) } else { Err(CmsError::SignatureWrong) }
}

/// EMSA-PKCS1-v1_5 (RFC 8017, 9.2), whole: comparing all of it leaves nothing to parse.
fn emsa_pkcs1(digest: &Digest, length: usize) -> Vec<u8> {
    let prefix: &[u8] = match digest.algorithm() {
        DigestAlgorithm::Sha1 => &[0x30, 0x21, 0x30, 0x09, 6, 5, 0x2b, 0x0e, 3, 2, 0x1a, 5, 0, 4, 20],
        DigestAlgorithm::Sha256 => {
            &[0x30, 0x31, 0x30, 0x0d, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0, 4, 32]
        }
        DigestAlgorithm::Sha384 => {
            &[0x30, 0x41, 0x30, 0x0d, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 2, 5, 0, 4, 48]
        }
        DigestAlgorithm::Sha512 => {
            &[0x30, 0x51, 0x30, 0x0d, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 3, 5, 0, 4, 64]
        }
    };
    let hash = digest.as_bytes();
    let fill = length.saturating_sub(prefix.len() + hash.len() + 3);
    let mut encoded = vec![0, 1];
    encoded.resize(2 + fill, 0xff);
    encoded.push(0);
    encoded.extend_from_slice(prefix);
    encoded.extend_from_slice(hash);
    encoded
}
