//! What certificates say, which are refused, and what no input may do.

use proptest::prelude::*;

use super::*;
use crate::cms::certificate::fixture;

#[test]
fn a_certificate_says_what_openssl_says() {
    let ana = fixture::certificate("ana-a1");
    assert_eq!(ana.subject_common_name(), Some("ANA FICTICIA DE TESTE DA SILVA:12345678909"));
    assert_eq!(ana.issuer_common_name(), Some("AC TESTE Multipla v5"));
    assert_eq!(ana.serial(), [0x10, 0x01]);
    assert_eq!(ana.key_kind(), KeyKind::Rsa { bits: 2048 });
    assert!(ana.declares_non_repudiation() && ana.permits_signatures() && !ana.is_authority());
    assert_eq!(ana.fingerprint(), &DigestAlgorithm::Sha256.digest(ana.to_der()));
    assert!(fixture::root().is_authority() && fixture::root().is_self_issued());
}

#[test]
fn every_key_is_recognised() {
    for (name, kind) in [
        ("rsa-1024", KeyKind::Rsa { bits: 1024 }),
        ("rsa-3072", KeyKind::Rsa { bits: 3072 }),
        ("rsa-4096", KeyKind::Rsa { bits: 4096 }),
        ("p256", KeyKind::P256),
        ("p384", KeyKind::P384),
        ("raiz-ec", KeyKind::P521),
        ("ed25519", KeyKind::Ed25519),
        ("ed448", KeyKind::Unsupported),
        ("brainpool", KeyKind::Unsupported),
    ] {
        assert_eq!(fixture::certificate(name).key_kind(), kind, "{name}");
    }
}

#[test]
fn signatures_of_certificates_verify_with_their_issuers_only() {
    let (ac2, ac1, root) = (fixture::certificate("ac2"), fixture::certificate("ac1"), fixture::root());
    for (name, certificate) in fixture::all() {
        let issuer = match name {
            "ac1" => &root,
            "ac2" => &ac1,
            "raiz-ec" => &fixture::certificate("raiz-ec"),
            "alheia" | "cadeia-alheia" => &fixture::certificate("alheia"),
            _ => &ac2,
        };
        assert_eq!(certificate.verify_signed_by(issuer), Ok(()), "{name}");
    }
    assert_eq!(ac2.verify_signed_by(&root), Err(CmsError::SignatureWrong));
    let mut changed = ac2.to_der().to_vec();
    let at = changed.windows(8).position(|window| window == b"Multipla").unwrap();
    changed[at] = b'N';
    let changed = Certificate::from_der(&changed).unwrap();
    assert_eq!(changed.verify_signed_by(&ac1), Err(CmsError::SignatureWrong));
}

#[test]
fn a_weak_key_verifies_nothing() {
    let weak = fixture::certificate("rsa-1024");
    let algorithm = SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256);
    assert_eq!(weak.verify_message(algorithm, b"x", &[1; 128]), Err(CmsError::WeakKey { bits: 1024 }));
}

#[test]
fn the_key_of_a_certificate_is_known_in_each_of_its_forms() {
    let ana = fixture::certificate("ana-a1");
    let info = ana.public_key_info();
    assert!(ana.public_key_matches(info));
    assert!(ana.public_key_matches(public_key_bits(info).unwrap()));
    assert!(!ana.public_key_matches(fixture::certificate("empresa").public_key_info()));
    assert!(!ana.public_key_matches(&[]));
}

#[test]
fn zeros_after_a_certificate_are_not_part_of_it_and_other_bytes_are_refused() {
    let ana = fixture::certificate("ana-a1");
    let mut padded = ana.to_der().to_vec();
    padded.extend([0; 9]);
    assert_eq!(Certificate::from_der(&padded).unwrap().to_der(), ana.to_der());
    padded.push(1);
    assert!(matches!(Certificate::from_der(&padded), Err(CmsError::CertificateMalformed { .. })));
    assert!(matches!(
        Certificate::from_der(&[&[0x30, 0x83, 0x01, 0x00, 0x01][..], &[0; 0x1_0001]].concat()),
        Err(CmsError::LimitExceeded { .. })
    ));
}

#[test]
fn debug_shows_nobody() {
    assert!(!format!("{:?}", fixture::certificate("ana-a1")).contains("ANA"));
}

#[test]
fn a_pem_file_gives_all_its_certificates_whatever_is_around_them() {
    let pem = "Bag Attributes\n    friendlyName: x\n".to_owned()
        + include_str!("../../../../tests/fixtures/pki/certificates/ana-a1.pem")
        + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
        + &include_str!("../../../../tests/fixtures/pki/raiz.crt.pem").replace('\n', "\r\n");
    let found = from_pem_or_der(pem.as_bytes()).unwrap();
    assert_eq!(found, [fixture::certificate("ana-a1"), fixture::root()]);
    assert_eq!(from_pem_or_der(fixture::root().to_der()).unwrap(), [fixture::root()]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_certificates_never_panic(changes in prop::collection::vec((0_usize..1800, any::<u8>()), 1..6)) {
        let mut bytes = fixture::certificate("empresa").to_der().to_vec();
        for (at, value) in changes {
            let length = bytes.len();
            bytes[at % length] = value;
        }
        if let Ok(certificate) = Certificate::from_der(&bytes) {
            prop_assert_eq!(certificate.to_der(), bytes.as_slice());
            let _ = (certificate.other_names(), certificate.policies(), certificate.authority_key_id());
            prop_assert!(
                certificate.verify_signed_by(&fixture::certificate("ac2")).is_err()
                    || bytes == fixture::certificate("empresa").to_der()
            );
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Certificate::from_der(&bytes);
        let _ = from_pem_or_der(&bytes);
    }
}
