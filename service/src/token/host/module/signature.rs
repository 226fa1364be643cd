//! Signatures by a token: which mechanism, in how many steps, and the value as CMS wants it.

use cryptoki::{
    error::{Error, RvError},
    mechanism::{Mechanism, MechanismType},
    object::ObjectHandle,
    session::Session,
};
use der::{Encode as _, Sequence, asn1::UintRef};
use signer_ipc::token_host::{Failure, Scheme};

use crate::token::host::{module::raw::Description, rsa, verify::Input};

/// Why a token did not sign.
pub(super) enum SignFailure {
    /// The PIN that was needed for this signature was refused, by the token as it was before.
    Login { error: Error, before: Box<Description> },
    /// The value is none.
    Refused(Failure),
    /// The token or its module failed.
    Sign(Error),
}

/// `Ecdsa-Sig-Value` (RFC 3279, 2.2.3).
#[derive(Sequence)]
struct EcdsaValue<'a> {
    r: UintRef<'a>,
    s: UintRef<'a>,
}

/// What is given to the token.
struct Operation {
    mechanism: Mechanism<'static>,
    input: Vec<u8>,
}

/// Signs in one step.
pub(super) fn sign(
    session: &Session,
    mechanisms: &[MechanismType],
    key: ObjectHandle,
    scheme: Scheme,
    input: Input<'_>,
) -> Result<Vec<u8>, SignFailure> {
    let plain = plain(scheme, input);
    let Input::Message(message) = input else {
        let value = session.sign(&plain.mechanism, key, &plain.input).map_err(SignFailure::Sign)?;
        return finished(scheme, value);
    };
    // A card that hashes gets the whole message over a slow line: the digest goes where it can,
    // except that many modules check the form of an RSA block only when they make it.
    let first = match hashing(scheme) {
        mechanism if is_rsa(scheme) && mechanisms.contains(&mechanism.mechanism_type()) => {
            Operation { mechanism, input: message.to_vec() }
        }
        mechanism if !mechanisms.contains(&plain.mechanism.mechanism_type()) => {
            Operation { mechanism, input: message.to_vec() }
        }
        _ => {
            let value = session.sign(&plain.mechanism, key, &plain.input).map_err(SignFailure::Sign)?;
            return finished(scheme, value);
        }
    };
    let value = match session.sign(&first.mechanism, key, &first.input) {
        // Offered by the module, but not by this card.
        Err(Error::Pkcs11(RvError::MechanismInvalid | RvError::FunctionNotSupported, _))
            if is_rsa(scheme) =>
        {
            session.sign(&plain.mechanism, key, &plain.input)
        }
        result => result,
    };
    finished(scheme, value.map_err(SignFailure::Sign)?)
}

/// Signs with a key that wants the PIN after the operation was begun (`CKU_CONTEXT_SPECIFIC`).
pub(super) fn sign_authenticated(
    session: &Session,
    mechanisms: &[MechanismType],
    key: ObjectHandle,
    scheme: Scheme,
    input: Input<'_>,
    confirm: impl FnOnce() -> Result<(), SignFailure>,
) -> Result<Vec<u8>, SignFailure> {
    let hashing = hashing(scheme);
    let Operation { mechanism, input } = match input {
        Input::Message(message) if mechanisms.contains(&hashing.mechanism_type()) => {
            Operation { mechanism: hashing, input: message.to_vec() }
        }
        Input::Digest(_) | Input::Message(_) => plain(scheme, input),
    };
    session.sign_init(&mechanism, key).map_err(SignFailure::Sign)?;
    confirm()?;
    session.sign_update(&input).map_err(SignFailure::Sign)?;
    finished(scheme, session.sign_final().map_err(SignFailure::Sign)?)
}

fn finished(scheme: Scheme, value: Vec<u8>) -> Result<Vec<u8>, SignFailure> {
    if is_rsa(scheme) {
        return Ok(value);
    }
    let unusable = || {
        SignFailure::Refused(Failure::TokenFailed {
            function: "C_Sign".to_owned(),
            value: "no ECDSA value".to_owned(),
        })
    };
    // PKCS#11 gives r and s side by side; some modules give what CMS wants already.
    if let Ok(EcdsaValue { .. }) = der::Decode::from_der(&value) {
        return Ok(value);
    }
    let (r, s) = value.split_at_checked(value.len() / 2).ok_or_else(unusable)?;
    if r.len() != s.len() || r.is_empty() {
        return Err(unusable());
    }
    let value = UintRef::new(r).and_then(|r| EcdsaValue { r, s: UintRef::new(s)? }.to_der());
    value.map_err(|_| unusable())
}

const fn is_rsa(scheme: Scheme) -> bool {
    match scheme {
        Scheme::RsaPkcs1Sha256 | Scheme::RsaPkcs1Sha384 | Scheme::RsaPkcs1Sha512 => true,
        Scheme::EcdsaSha256 | Scheme::EcdsaSha384 | Scheme::EcdsaSha512 => false,
    }
}

/// The mechanism that hashes as well.
const fn hashing(scheme: Scheme) -> Mechanism<'static> {
    match scheme {
        Scheme::RsaPkcs1Sha256 => Mechanism::Sha256RsaPkcs,
        Scheme::RsaPkcs1Sha384 => Mechanism::Sha384RsaPkcs,
        Scheme::RsaPkcs1Sha512 => Mechanism::Sha512RsaPkcs,
        Scheme::EcdsaSha256 => Mechanism::EcdsaSha256,
        Scheme::EcdsaSha384 => Mechanism::EcdsaSha384,
        Scheme::EcdsaSha512 => Mechanism::EcdsaSha512,
    }
}

/// The mechanism over a ready digest, and that digest as it wants it.
fn plain(scheme: Scheme, input: Input<'_>) -> Operation {
    let digest = input.digest(scheme);
    if is_rsa(scheme) {
        let input = rsa::digest_info(scheme, &digest).unwrap_or_default();
        Operation { mechanism: Mechanism::RsaPkcs, input }
    } else {
        Operation { mechanism: Mechanism::Ecdsa, input: digest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_values_become_der() {
        let Ok(value) = finished(Scheme::EcdsaSha256, [[0x80; 32], [1; 32]].concat()) else { panic!() };
        assert_eq!(value[..5], [0x30, 0x45, 0x02, 0x21, 0x00]);
        assert_eq!(value.len(), 71);
        let Ok(again) = finished(Scheme::EcdsaSha256, value.clone()) else { panic!() };
        assert_eq!(again, value);
    }

    #[test]
    fn values_that_are_none_are_refused() {
        assert!(finished(Scheme::EcdsaSha256, Vec::new()).is_err());
        assert!(finished(Scheme::EcdsaSha256, vec![1; 63]).is_err());
    }
}
