//! Private keys of A1 files: read from PKCS#8, matched with certificates, used to sign.

use der::{
    AnyRef, Tag,
    asn1::{ObjectIdentifier, OctetStringRef},
};
use pkcs8::{EncodePrivateKey as _, SecretDocument};
use ring::{rand::SystemRandom, rsa::KeyPair};
use signer_ipc::token_host::{Failure, Scheme};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoOwned};
use zeroize::Zeroizing;

use crate::token::host::{
    rsa,
    verify::Input,
    walk::{Malformed, Walk, context},
};

const RSA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");
const P256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7");
const P384: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.132.0.34");
const ED25519: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.101.112");

/// A private key. The memory is overwritten when it is dropped.
pub(super) enum PrivateKey {
    /// RSA: `RSAPrivateKey` (RFC 8017, A.1.2), and the public half as in a certificate.
    Rsa { pkcs1: Zeroizing<Vec<u8>>, public: Vec<u8> },
    /// ECDSA over P-256.
    P256(Box<p256::ecdsa::SigningKey>),
    /// ECDSA over P-384.
    P384(Box<p384::ecdsa::SigningKey>),
    /// A key that is recognised and not used, with its public half where it says it.
    Unsupported { kind: String, public: Option<Vec<u8>> },
}

/// Whether a key belongs to a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// The public keys differ.
    No,
    /// The key does not tell its public half.
    Unknown,
    /// The public keys are the same.
    Yes,
}

impl PrivateKey {
    /// Reads `PrivateKeyInfo` (RFC 5208, section 5).
    pub(super) fn from_pkcs8(der: &[u8]) -> Result<Self, Malformed> {
        let mut fields = Walk::sequence(der)?;
        fields.count()?;
        let mut algorithm = Walk::sequence(fields.encoded()?)?;
        let oid = algorithm.oid()?;
        let key = fields.value(Tag::OctetString)?;
        match oid {
            RSA => Ok(Self::Rsa { pkcs1: Zeroizing::new(key.to_vec()), public: rsa_public(key)? }),
            EC => from_ec(algorithm.oid().ok(), key),
            ED25519 => {
                let pair = ring::signature::Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok();
                let public = pair.map(|pair| ring::signature::KeyPair::public_key(&pair).as_ref().to_vec());
                Ok(Self::Unsupported { kind: "Ed25519".to_owned(), public })
            }
            other => Ok(Self::Unsupported { kind: format!("key of type {other}"), public: None }),
        }
    }

    /// Whether this is the key of a certificate with `public`.
    pub(super) fn matches(&self, public: &SubjectPublicKeyInfoOwned) -> Match {
        let Some(bits) = public.subject_public_key.as_bytes() else { return Match::No };
        let curve = public.algorithm.parameters.as_ref().and_then(|curve| curve.decode_as().ok());
        let same = match self {
            Self::Rsa { public: own, .. } => public.algorithm.oid == RSA && own == bits,
            Self::P256(key) => {
                let other = p256::ecdsa::VerifyingKey::from_sec1_bytes(bits);
                curve == Some(P256) && other.is_ok_and(|other| other == *key.verifying_key())
            }
            Self::P384(key) => {
                let other = p384::ecdsa::VerifyingKey::from_sec1_bytes(bits);
                curve == Some(P384) && other.is_ok_and(|other| other == *key.verifying_key())
            }
            Self::Unsupported { public: Some(own), .. } => own == bits,
            Self::Unsupported { public: None, .. } => return Match::Unknown,
        };
        if same { Match::Yes } else { Match::No }
    }

    /// As `PrivateKeyInfo` in DER, to be encrypted; only a key that signs here is given.
    pub(super) fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, Failure> {
        let encoded = match self {
            Self::Rsa { pkcs1, .. } => {
                let algorithm = AlgorithmIdentifierRef { oid: RSA, parameters: Some(AnyRef::NULL) };
                let key = OctetStringRef::new(pkcs1).map_err(|_| damaged())?;
                SecretDocument::encode_msg(&pkcs8::PrivateKeyInfoRef::new(algorithm, key)).ok()
            }
            Self::P256(key) => key.to_pkcs8_der().ok(),
            Self::P384(key) => key.to_pkcs8_der().ok(),
            Self::Unsupported { kind, .. } => return Err(Failure::KeyUnsupported { kind: kind.clone() }),
        };
        Ok(Zeroizing::new(encoded.ok_or_else(damaged)?.as_bytes().to_vec()))
    }

    /// Signs `input`.
    pub(super) fn sign(&self, scheme: Scheme, input: Input<'_>) -> Result<Vec<u8>, Failure> {
        let unsupported = |kind: &str| Err(Failure::KeyUnsupported { kind: kind.to_owned() });
        match (self, scheme) {
            (Self::Rsa { pkcs1, .. }, Scheme::RsaPkcs1Sha256) => {
                sign_rsa(pkcs1, &ring::signature::RSA_PKCS1_SHA256, scheme, input)
            }
            (Self::Rsa { pkcs1, .. }, Scheme::RsaPkcs1Sha384) => {
                sign_rsa(pkcs1, &ring::signature::RSA_PKCS1_SHA384, scheme, input)
            }
            (Self::Rsa { pkcs1, .. }, Scheme::RsaPkcs1Sha512) => {
                sign_rsa(pkcs1, &ring::signature::RSA_PKCS1_SHA512, scheme, input)
            }
            (Self::P256(key), Scheme::EcdsaSha256 | Scheme::EcdsaSha384 | Scheme::EcdsaSha512) => {
                use p256::ecdsa::{Signature, signature::hazmat::PrehashSigner as _};
                let signed = key.sign_prehash(&input.digest(scheme));
                signed.map(|value: Signature| value.to_der().as_bytes().to_vec()).map_err(|_| damaged())
            }
            (Self::P384(key), Scheme::EcdsaSha256 | Scheme::EcdsaSha384 | Scheme::EcdsaSha512) => {
                use p384::ecdsa::{Signature, signature::hazmat::PrehashSigner as _};
                let signed = key.sign_prehash(&input.digest(scheme));
                signed.map(|value: Signature| value.to_der().as_bytes().to_vec()).map_err(|_| damaged())
            }
            (Self::Unsupported { kind, .. }, _) => unsupported(kind),
            (Self::Rsa { .. }, Scheme::EcdsaSha256 | Scheme::EcdsaSha384 | Scheme::EcdsaSha512) => {
                unsupported("ECDSA with an RSA key")
            }
            (
                Self::P256(_) | Self::P384(_),
                Scheme::RsaPkcs1Sha256 | Scheme::RsaPkcs1Sha384 | Scheme::RsaPkcs1Sha512,
            ) => unsupported("RSA with an elliptic curve key"),
        }
    }
}

fn sign_rsa(
    pkcs1: &[u8],
    encoding: &'static dyn ring::signature::RsaEncoding,
    scheme: Scheme,
    input: Input<'_>,
) -> Result<Vec<u8>, Failure> {
    // Also checks that the parts of the key fit together.
    let key = KeyPair::from_der(pkcs1)
        .map_err(|refused| Failure::KeyUnsupported { kind: format!("RSA key: {refused}") })?;
    let message = match input {
        Input::Digest(digest) => return rsa::sign(pkcs1, scheme, digest),
        Input::Message(message) => message,
    };
    let mut value = vec![0; key.public().modulus_len()];
    key.sign(encoding, &SystemRandom::new(), message, &mut value).map_err(|_| damaged())?;
    Ok(value)
}

/// A key whose parts do not fit together: nothing else keeps one in memory from signing.
fn damaged() -> Failure {
    Failure::FileDamaged { reason: "the private key does not sign".to_owned() }
}

/// `ECPrivateKey` (RFC 5915, section 3).
fn from_ec(curve: Option<ObjectIdentifier>, key: &[u8]) -> Result<PrivateKey, Malformed> {
    let mut fields = Walk::sequence(key)?;
    fields.count()?;
    let scalar = fields.value(Tag::OctetString)?;
    match curve {
        Some(P256) => {
            let scalar = widened::<32>(scalar)?;
            let key = p256::ecdsa::SigningKey::from_slice(&*scalar).map_err(|_| Malformed)?;
            Ok(PrivateKey::P256(Box::new(key)))
        }
        Some(P384) => {
            let scalar = widened::<48>(scalar)?;
            let key = p384::ecdsa::SigningKey::from_slice(&*scalar).map_err(|_| Malformed)?;
            Ok(PrivateKey::P384(Box::new(key)))
        }
        Some(_) | None => {
            fields.next_if(context(0))?;
            let public = match fields.next_if(context(1))? {
                Some(public) => {
                    Walk::over(public.value())?.value(Tag::BitString)?.get(1..).map(<[u8]>::to_vec)
                }
                None => None,
            };
            let curve = curve.map_or_else(|| "unnamed".to_owned(), |curve| curve.to_string());
            Ok(PrivateKey::Unsupported { kind: format!("elliptic curve {curve}"), public })
        }
    }
}

/// Some programs leave out leading zeros, some write one more.
fn widened<const LEN: usize>(scalar: &[u8]) -> Result<Zeroizing<[u8; LEN]>, Malformed> {
    let significant = scalar.iter().position(|byte| *byte != 0).and_then(|start| scalar.get(start..));
    let significant = significant.unwrap_or_default();
    let start = LEN.checked_sub(significant.len()).ok_or(Malformed)?;
    let mut wide = Zeroizing::new([0; LEN]);
    wide.get_mut(start..).ok_or(Malformed)?.copy_from_slice(significant);
    Ok(wide)
}

/// `RSAPublicKey` of an `RSAPrivateKey`: its second and third field.
fn rsa_public(pkcs1: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut fields = Walk::sequence(pkcs1)?;
    fields.next()?;
    let (modulus, exponent) = (fields.encoded()?, fields.encoded()?);
    let content = [modulus, exponent].concat();
    let element = AnyRef::new(Tag::Sequence, &content).map_err(|_| Malformed)?;
    der::Encode::to_der(&element).map_err(|_| Malformed)
}
