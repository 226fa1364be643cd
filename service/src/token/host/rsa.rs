//! RSASSA-PKCS1-v1_5 (RFC 8017, 8.2) over a digest that is ready already, which `ring` does not
//! offer. The arithmetic is `crypto-bigint`'s, in constant time.

use der::Tag;
use p256::elliptic_curve::bigint::{
    Odd, U4096,
    modular::{FixedMontyForm, FixedMontyParams},
};
use signer_ipc::token_host::{Failure, Scheme};
use zeroize::Zeroizing;

use crate::token::host::walk::{Malformed, Walk};

/// Signs with an `RSAPrivateKey` (RFC 8017, A.1.2) that was found to be whole.
pub(super) fn sign(pkcs1: &[u8], scheme: Scheme, digest: &[u8]) -> Result<Vec<u8>, Failure> {
    let (modulus, exponent) = private_parts(pkcs1).map_err(|Malformed| damaged())?;
    let block = encode(scheme, digest, modulus.len()).ok_or_else(damaged)?;
    // As many bits as the modulus has: the exponent's own length tells nothing then.
    let bits = u32::try_from(modulus.len()).unwrap_or(u32::MAX).saturating_mul(8);
    power(&block, exponent, bits, modulus).ok_or_else(damaged)
}

/// Whether `value` is the signature over `digest` by the key with the `RSAPublicKey` (A.1.1).
pub(super) fn verify(public: &[u8], scheme: Scheme, digest: &[u8], value: &[u8]) -> bool {
    let Ok((modulus, exponent)) = public_parts(public) else { return false };
    let block = encode(scheme, digest, modulus.len());
    value.len() == modulus.len() && block.is_some() && power(value, exponent, U4096::BITS, modulus) == block
}

/// `DigestInfo` (A.2.4) around a SHA-2 digest: the last arc of its identifier tells which. `None`
/// where the digest has another length.
pub(super) fn digest_info(scheme: Scheme, digest: &[u8]) -> Option<Vec<u8>> {
    let (arc, len) = match scheme {
        Scheme::RsaPkcs1Sha256 | Scheme::EcdsaSha256 => (1, 32),
        Scheme::RsaPkcs1Sha384 | Scheme::EcdsaSha384 => (2, 48),
        Scheme::RsaPkcs1Sha512 | Scheme::EcdsaSha512 => (3, 64),
    };
    let mut bytes = vec![0x30, 17 + len, 0x30, 0x0d, 0x06, 0x09];
    bytes.extend_from_slice(&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, arc, 0x05, 0x00, 0x04, len]);
    bytes.extend_from_slice(digest);
    (digest.len() == usize::from(len)).then_some(bytes)
}

/// EMSA-PKCS1-v1_5 (9.2).
fn encode(scheme: Scheme, digest: &[u8], len: usize) -> Option<Vec<u8>> {
    let tail = digest_info(scheme, digest)?;
    let fill = len.checked_sub(tail.len() + 3).filter(|&fill| fill >= 8)?;
    let mut block = vec![0, 1];
    block.resize(2 + fill, 0xff);
    block.push(0);
    block.extend_from_slice(&tail);
    Some(block)
}

/// Modulus and private exponent, without leading zeros.
fn private_parts(pkcs1: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let mut fields = Walk::sequence(pkcs1)?;
    fields.next()?;
    let modulus = unsigned(fields.value(Tag::Integer)?);
    fields.next()?;
    Ok((modulus, unsigned(fields.value(Tag::Integer)?)))
}

/// Modulus and public exponent, without leading zeros.
fn public_parts(public: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let mut fields = Walk::sequence(public)?;
    Ok((unsigned(fields.value(Tag::Integer)?), unsigned(fields.value(Tag::Integer)?)))
}

fn unsigned(content: &[u8]) -> &[u8] {
    let start = content.iter().position(|byte| *byte != 0).unwrap_or(content.len());
    content.get(start..).unwrap_or_default()
}

/// `base` to the power of `exponent`, as long as the modulus. `None` where a number is too large
/// or the modulus even.
fn power(base: &[u8], exponent: &[u8], exponent_bits: u32, modulus: &[u8]) -> Option<Vec<u8>> {
    let exponent = Zeroizing::new(number(exponent)?);
    let (base, odd) = (number(base)?, number(modulus)?);
    if base >= odd {
        return None;
    }
    let parameters = FixedMontyParams::new(Option::<Odd<U4096>>::from(Odd::new(odd))?);
    let result = FixedMontyForm::new(&base, &parameters).pow_bounded_exp(&exponent, exponent_bits).retrieve();
    let octets = result.to_be_bytes();
    Some(octets.as_ref().get(U4096::BYTES.checked_sub(modulus.len())?..)?.to_vec())
}

fn number(octets: &[u8]) -> Option<U4096> {
    let mut padded = Zeroizing::new([0; U4096::BYTES]);
    let start = U4096::BYTES.checked_sub(octets.len())?;
    padded.get_mut(start..)?.copy_from_slice(octets);
    Some(U4096::from_be_slice(&*padded))
}

/// As of a key whose parts do not fit together.
fn damaged() -> Failure {
    Failure::FileDamaged { reason: "the private key does not sign".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_info_is_the_standards() {
        let bytes = digest_info(Scheme::RsaPkcs1Sha256, &[0; 32]).unwrap();
        assert_eq!(
            bytes[..19],
            *b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20"
        );
        assert_eq!(bytes.len(), 51);
        assert_eq!(digest_info(Scheme::RsaPkcs1Sha512, &[0; 64]).unwrap()[1], 0x51);
        assert_eq!(digest_info(Scheme::RsaPkcs1Sha512, &[0; 32]), None);
    }

    #[test]
    fn powers_are_right_and_as_long_as_the_modulus() {
        assert_eq!(power(&[5], &[3], 8, &[0x01, 0x01]).unwrap(), [0, 125]);
        assert_eq!(power(&[5], &[13], 8, &[77]).unwrap(), [26]);
        assert_eq!(power(&[78], &[3], 8, &[77]), None, "larger than the modulus");
        assert_eq!(power(&[5], &[3], 8, &[76]), None, "an even modulus");
        assert_eq!(power(&[5], &[3], 8, &[1; 513]), None, "too long");
    }
}
