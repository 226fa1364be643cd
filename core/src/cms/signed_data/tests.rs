//! SignedData made by OpenSSL and pyHanko is verified, changed ones are not, and our own is the
//! same to another decoder.

use der::{Decode as _, Encode as _};
use proptest::prelude::*;

use super::*;
use crate::cms::certificate::fixture;

const CONTENT: &[u8] = include_bytes!("../../../../tests/fixtures/cms/content.txt");

macro_rules! cms_fixture {
    ($name:literal) => {
        include_bytes!(concat!("../../../../tests/fixtures/cms/", $name, ".der")).as_slice()
    };
}

fn verify(bytes: &[u8], content: &[u8]) -> Result<(), CmsError> {
    let data = SignedData::parse(bytes)?;
    data.verify(&data.digest_algorithm().unwrap_or_default().digest(content))
}

#[test]
fn what_openssl_signed_verifies_over_its_content_only() {
    for (name, bytes, digest) in [
        ("rsa-sha256", cms_fixture!("rsa-sha256"), DigestAlgorithm::Sha256),
        ("rsa-sha512-key-id", cms_fixture!("rsa-sha512-key-id"), DigestAlgorithm::Sha512),
        ("rsa-sha1", cms_fixture!("rsa-sha1"), DigestAlgorithm::Sha1),
        ("rsa-pss", cms_fixture!("rsa-pss"), DigestAlgorithm::Sha256),
        ("p256-sha256", cms_fixture!("p256-sha256"), DigestAlgorithm::Sha256),
        ("p384-sha384", cms_fixture!("p384-sha384"), DigestAlgorithm::Sha384),
    ] {
        let data = SignedData::parse(bytes).unwrap();
        assert_eq!(data.digest_algorithm(), Some(digest), "{name}");
        assert_eq!(data.uses_sha1(), name == "rsa-sha1", "{name}");
        assert_eq!(verify(bytes, CONTENT), Ok(()), "{name}");
        assert_eq!(verify(bytes, b"other"), Err(CmsError::DigestMismatch), "{name}");
    }
}

#[test]
fn without_attributes_the_content_itself_was_signed() {
    for bytes in [cms_fixture!("rsa-no-attributes"), cms_fixture!("p256-no-attributes")] {
        assert_eq!(verify(bytes, CONTENT), Ok(()));
        assert_eq!(verify(bytes, b"other"), Err(CmsError::SignatureWrong));
    }
}

#[test]
fn what_pyhanko_signed_with_ed25519_verifies() {
    let data = SignedData::parse(cms_fixture!("ed25519")).unwrap();
    let content = "dc190b91fe2acb4e6e20abbbedf6f548a97781a58f6ec82be1ab2a63ccb708b6\
                   fb3de181db14e7fc06cd4cfafb39917c01e8196528ec332832c9c910aa3a012f";
    let octets = (0..64).map(|at| u8::from_str_radix(&content[at * 2..at * 2 + 2], 16).unwrap()).collect();
    let digest = Digest::new(DigestAlgorithm::Sha512, octets).unwrap();
    assert_eq!(data.verify(&digest), Ok(()));
    assert_eq!(data.verify(&DigestAlgorithm::Sha512.digest(b"other")), Err(CmsError::DigestMismatch));
    assert_eq!(
        data.verify(&DigestAlgorithm::Sha256.digest(b"other")),
        Err(CmsError::DigestAlgorithm { given: DigestAlgorithm::Sha256, needed: DigestAlgorithm::Sha512 })
    );
}

#[test]
fn what_cannot_be_verified_says_why() {
    for (bytes, expected) in [
        (cms_fixture!("rsa-1024"), CmsError::WeakKey { bits: 1024 }),
        (cms_fixture!("no-certificate"), CmsError::SignerMissing),
        (cms_fixture!("two-signers"), CmsError::SignerCount { count: 2 }),
        (cms_fixture!("encapsulated"), CmsError::Malformed { part: "content inside a detached signature" }),
    ] {
        assert_eq!(verify(bytes, CONTENT), Err(expected));
    }
    for bytes in [cms_fixture!("brainpool"), cms_fixture!("rsa-pss-short-salt")] {
        assert!(matches!(verify(bytes, CONTENT), Err(CmsError::UnsupportedAlgorithm { .. })));
    }
}

#[test]
fn zeros_may_follow_and_other_bytes_may_not() {
    let mut padded = cms_fixture!("rsa-sha256").to_vec();
    padded.resize(20_000, 0);
    assert_eq!(verify(&padded, CONTENT), Ok(()));
    padded.push(1);
    assert!(matches!(verify(&padded, CONTENT), Err(CmsError::Malformed { .. })));
}

#[test]
fn ber_is_read_as_its_der() {
    let mut ber = indefinite(cms_fixture!("rsa-sha256"));
    assert!(ber.starts_with(&[0x30, 0x80]));
    ber.resize(ber.len() + 100, 0);
    assert_eq!(verify(&ber, CONTENT), Ok(()));
    assert_eq!(verify(&ber, b"other"), Err(CmsError::DigestMismatch));
    let ed25519 = cms_fixture!("ed25519");
    assert_eq!(ber::to_der(&indefinite(ed25519)).unwrap().0, ed25519);
}

#[test]
fn another_certificate_of_the_same_name_and_serial_is_found_out() {
    let bytes = cms_fixture!("rsa-sha256");
    let own = fixture::certificate("ana-a1");
    let at = bytes.windows(own.to_der().len()).position(|window| window == own.to_der()).unwrap();
    let mut changed = bytes.to_vec();
    // The last byte of the certificate's own signature: name, serial and key stay the same.
    changed[at + own.to_der().len() - 1] ^= 1;
    assert_eq!(verify(&changed, CONTENT), Err(CmsError::SigningCertificate));
}

#[test]
fn attributes_in_another_order_verify_as_they_were_signed() {
    let bytes = cms_fixture!("rsa-sha256");
    let data = SignedData::parse(bytes).unwrap();
    assert_eq!(data.signature_algorithm(), Some(SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256)));
    let attributes = attributes_of(bytes);
    let reversed: Vec<u8> = attributes
        .elements_up_to(64, "test")
        .unwrap()
        .iter()
        .rev()
        .flat_map(|one| one.encoding())
        .copied()
        .collect();
    let at = attributes.content().as_ptr() as usize - bytes.as_ptr() as usize;
    let mut changed = bytes.to_vec();
    changed[at..at + reversed.len()].copy_from_slice(&reversed);
    assert_ne!(changed, bytes);
    assert_eq!(verify(&changed, CONTENT), Ok(()));
}

#[test]
fn our_own_structure_is_the_same_to_another_decoder() {
    let signer = fixture::certificate("ana-a1");
    let chain = [fixture::certificate("ac2"), fixture::certificate("ac1"), fixture::root()];
    let content = DigestAlgorithm::Sha256.digest(CONTENT);
    let algorithm = SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256);
    let to_be_signed = ToBeSigned::new(&content, &signer, &chain, algorithm).unwrap();
    assert_eq!(to_be_signed.complete(&[7; 256]), Err(CmsError::SignatureWrong));

    let der = to_be_signed.assemble(&[7; 256]).unwrap();
    assert_eq!(ToBeSigned::reserve_len(&signer, &chain, algorithm), der.len());
    let content_info = cms::content_info::ContentInfo::from_der(&der).unwrap();
    assert_eq!(content_info.to_der().unwrap(), der);
    let decoded: cms::signed_data::SignedData = content_info.content.decode_as().unwrap();
    assert_eq!(decoded.certificates.unwrap().0.len(), 4);
    let signers = decoded.signer_infos.0.into_vec();
    let [signer_info] = signers.as_slice() else { panic!("one signer") };
    let attributes = signer_info.signed_attrs.as_ref().unwrap();
    let types: Vec<_> = attributes.iter().map(|attribute| attribute.oid.to_string()).collect();
    assert_eq!(types, ["1.2.840.113549.1.9.3", "1.2.840.113549.1.9.4", "1.2.840.113549.1.9.16.2.47"]);
    assert_eq!(attributes.to_der().unwrap(), to_be_signed.bytes());
    assert!(signer_info.unsigned_attrs.is_none());

    let own = SignedData::parse(&der).unwrap();
    assert_eq!(own.signer_certificate(), Some(&signer));
    assert_eq!(own.verify(&content), Err(CmsError::SignatureWrong));
}

#[test]
fn a_digest_of_another_algorithm_is_refused_before_anything_is_made() {
    let signer = fixture::certificate("ana-a1");
    let algorithm = SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha512);
    let error = ToBeSigned::new(&DigestAlgorithm::Sha256.digest(b""), &signer, &[], algorithm).unwrap_err();
    assert!(matches!(error, CmsError::DigestAlgorithm { .. }));
}

#[test]
fn sets_are_counted_before_they_are_read() {
    let bytes = cms_fixture!("rsa-sha256");
    let attributes = attributes_of(bytes);
    // As many attributes as fit in 117 KB, in reverse order: quadratic readers take seconds.
    let set: Vec<u8> = (0..9_001_u16).rev().flat_map(attribute).collect();
    assert!(set.len() > 117_000);
    let at = attributes.encoding().as_ptr() as usize - bytes.as_ptr() as usize;
    let changed = [&bytes[..at], &long(0xa0, &set), &bytes[at + attributes.encoding().len()..]].concat();
    let wrapped = rewrap(&changed, bytes);
    assert_eq!(
        SignedData::parse(&wrapped).unwrap_err(),
        CmsError::LimitExceeded { part: "signedAttrs", limit: 64 }
    );
}

/// The signedAttrs of a fixture.
fn attributes_of(bytes: &[u8]) -> Element<'_> {
    let content_info = Element::parse(bytes, "test").unwrap().elements_up_to(2, "test").unwrap();
    let data = Element::parse(content_info[1].content(), "test").unwrap().elements_up_to(9, "test").unwrap();
    let signers = data.last().unwrap().elements_up_to(1, "test").unwrap();
    signers[0].elements_up_to(9, "test").unwrap()[3]
}

fn attribute(number: u16) -> Vec<u8> {
    let [high, low] = number.to_be_bytes();
    vec![0x30, 11, 6, 3, 0x2a, 3, 4, 0x31, 4, 4, 2, high, low]
}

fn long(tag: u8, content: &[u8]) -> Vec<u8> {
    let [_, _, _, _, _, a, b, c] = (content.len() as u64).to_be_bytes();
    [&[tag, 0x83, a, b, c][..], content].concat()
}

/// `changed` is `original` with longer signedAttrs: the lengths around them are mended as BER
/// would have them, indefinite.
fn rewrap(changed: &[u8], original: &[u8]) -> Vec<u8> {
    let content_info = Element::parse(original, "test").unwrap().elements_up_to(2, "test").unwrap();
    let data = Element::parse(content_info[1].content(), "test").unwrap();
    let signers = *data.elements_up_to(9, "test").unwrap().last().unwrap();
    let signer = signers.elements_up_to(1, "test").unwrap()[0];
    let mut out = Vec::new();
    let mut from = 0;
    for element in [Element::parse(original, "test").unwrap(), content_info[1], data, signers, signer] {
        let at = element.encoding().as_ptr() as usize - original.as_ptr() as usize;
        out.extend_from_slice(&changed[from..at]);
        out.extend_from_slice(&[element.tag(), 0x80]);
        from = at + element.encoding().len() - element.content().len();
    }
    out.extend_from_slice(&changed[from..]);
    out.extend_from_slice(&[0; 10]);
    out
}

/// Every constructed element with an indefinite length, OCTET STRINGs in pieces.
fn indefinite(der: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut elements = Elements::new(der);
    while !elements.is_empty() {
        let element = elements.next("test").unwrap();
        if element.tag() & 0x20 != 0 {
            out.extend_from_slice(&[element.tag(), 0x80]);
            out.extend(indefinite(element.content()));
            out.extend_from_slice(&[0, 0]);
        } else if element.tag() == tag::OCTET_STRING && element.content().len() > 100 {
            out.extend_from_slice(&[0x24, 0x80]);
            for piece in element.content().chunks(100) {
                out.extend_from_slice(&[0x04, u8::try_from(piece.len()).unwrap()]);
                out.extend_from_slice(piece);
            }
            out.extend_from_slice(&[0, 0]);
        } else {
            out.extend_from_slice(element.encoding());
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_structures_never_panic(changes in prop::collection::vec((0_usize..4500, any::<u8>()), 1..6)) {
        let mut bytes = cms_fixture!("rsa-sha256").to_vec();
        for (at, value) in changes {
            let length = bytes.len();
            bytes[at % length] = value;
        }
        let _ = verify(&bytes, CONTENT).map(|()| bytes.len());
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = SignedData::parse(&bytes);
        let _ = ber::to_der(&bytes);
    }

    #[test]
    fn what_comes_out_of_ber_stays_as_it_is(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok((der, _)) = ber::to_der(&bytes) {
            prop_assert_eq!(ber::to_der(&der).unwrap().0, der);
        }
    }
}
