//! Checks a new signature value with the public key of its certificate before it leaves the
//! host: a faulty card, module or pairing never becomes a signed document.

use ring::signature::{
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey,
};
use sha2::Digest as _;
use signer_ipc::token_host::{Failure, Scheme};
use spki::SubjectPublicKeyInfoOwned;
use x509_cert::certificate::{CertificateInner, Raw};

use crate::token::host::rsa;

/// The public key of a certificate, however odd the rest of it is.
pub(super) fn public_key(certificate_der: &[u8]) -> Option<SubjectPublicKeyInfoOwned> {
    let certificate: CertificateInner<Raw> = der::Decode::from_der(certificate_der).ok()?;
    Some(certificate.tbs_certificate().subject_public_key_info().clone())
}

/// What is signed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Input<'a> {
    /// A digest that was made elsewhere.
    Digest(&'a [u8]),
    /// A message that is hashed here or by the token.
    Message(&'a [u8]),
}

impl Input<'_> {
    /// Refuses a digest that is not of the scheme's length.
    pub(super) fn fits(self, scheme: Scheme) -> Result<(), Failure> {
        match self {
            Self::Digest(digest) if rsa::digest_info(scheme, digest).is_none() => Err(Failure::Unexpected),
            Self::Digest(_) | Self::Message(_) => Ok(()),
        }
    }

    /// The digest that the scheme takes.
    pub(super) fn digest(self, scheme: Scheme) -> Vec<u8> {
        let message = match self {
            Self::Digest(digest) => return digest.to_vec(),
            Self::Message(message) => message,
        };
        match scheme {
            Scheme::RsaPkcs1Sha256 | Scheme::EcdsaSha256 => sha2::Sha256::digest(message).to_vec(),
            Scheme::RsaPkcs1Sha384 | Scheme::EcdsaSha384 => sha2::Sha384::digest(message).to_vec(),
            Scheme::RsaPkcs1Sha512 | Scheme::EcdsaSha512 => sha2::Sha512::digest(message).to_vec(),
        }
    }
}

/// Refuses a `value` that is not `public`'s over `input`.
pub(super) fn check(
    public: &SubjectPublicKeyInfoOwned,
    scheme: Scheme,
    input: Input<'_>,
    value: &[u8],
) -> Result<(), Failure> {
    let key = public.subject_public_key.as_bytes().ok_or(Failure::KeyMismatch)?;
    let rsa = |algorithm| match input {
        Input::Digest(digest) => rsa::verify(key, scheme, digest, value),
        Input::Message(message) => UnparsedPublicKey::new(algorithm, key).verify(message, value).is_ok(),
    };
    let valid = match scheme {
        Scheme::RsaPkcs1Sha256 => rsa(&RSA_PKCS1_2048_8192_SHA256),
        Scheme::RsaPkcs1Sha384 => rsa(&RSA_PKCS1_2048_8192_SHA384),
        Scheme::RsaPkcs1Sha512 => rsa(&RSA_PKCS1_2048_8192_SHA512),
        Scheme::EcdsaSha256 | Scheme::EcdsaSha384 | Scheme::EcdsaSha512 => {
            let digest = input.digest(scheme);
            verify_p256(key, &digest, value) || verify_p384(key, &digest, value)
        }
    };
    if valid { Ok(()) } else { Err(Failure::KeyMismatch) }
}

fn verify_p256(key: &[u8], digest: &[u8], value: &[u8]) -> bool {
    use p256::ecdsa::{Signature, VerifyingKey, signature::hazmat::PrehashVerifier as _};
    let (Ok(key), Ok(value)) = (VerifyingKey::from_sec1_bytes(key), Signature::from_der(value)) else {
        return false;
    };
    key.verify_prehash(digest, &value).is_ok()
}

fn verify_p384(key: &[u8], digest: &[u8], value: &[u8]) -> bool {
    use p384::ecdsa::{Signature, VerifyingKey, signature::hazmat::PrehashVerifier as _};
    let (Ok(key), Ok(value)) = (VerifyingKey::from_sec1_bytes(key), Signature::from_der(value)) else {
        return false;
    };
    key.verify_prehash(digest, &value).is_ok()
}
