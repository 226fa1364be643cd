//! Identifiers, holders and fitness of the certificates of the test PKI.

use super::*;
use crate::{algorithm::KeyKind, cms::certificate::fixture};

/// 2026-12-01T00:00:00Z.
const NOW: i64 = 1_796_083_200;

fn at(unix_seconds: i64) -> Moment {
    Moment::new(unix_seconds, 0).unwrap()
}

#[test]
fn holders_are_read_from_the_fields_of_icp_brasil() {
    for (fixture, name, masked, kind) in [
        ("ana-a1", "ANA FICTICIA DE TESTE DA SILVA", Some("***.456.789-**"), "A1"),
        ("jose-a3", "JOSÉ FICTÍCIO CONCEIÇÃO DE TESTE", Some("***.654.321-**"), "A3"),
        ("empresa", "EMPRESA FICTICIA DE TESTE LTDA", Some("**.222.333/0001-**"), "A1"),
        ("empresa-alfanumerica", "EMPRESA ALFANUMERICA FICTICIA LTDA", Some("**.ABC.345/01DE-**"), "A1"),
        ("rsa-4096", "ANA FICTICIA DE TESTE DA SILVA", Some("***.456.789-**"), "A4"),
        ("so-cifra", "ANA FICTICIA DE TESTE DA SILVA", Some("***.456.789-**"), "S1"),
        ("selo", "EMPRESA FICTICIA DE TESTE LTDA", Some("**.222.333/0001-**"), "unknown"),
        ("sem-san", "TESTE SEM SAN", None, "A1"),
        ("tsa", "SERVIDOR DE CARIMBO DO TEMPO TESTE 01", None, "T3"),
    ] {
        let holder = Holder::of(&fixture::certificate(fixture));
        assert_eq!(holder.name, name, "{fixture}");
        assert_eq!(holder.identifier.map(|identifier| identifier.masked()).as_deref(), masked, "{fixture}");
        assert_eq!(holder.kind.as_str(), kind, "{fixture}");
    }
}

#[test]
fn only_certificates_that_may_sign_are_let_through() {
    let unsupported = CredentialError::Key(AlgorithmError::KeyUnsupported);
    for (fixture, expected) in [
        ("ana-a1", Ok(vec![])),
        ("p256", Ok(vec![])),
        ("p384", Ok(vec![])),
        ("rsa-3072", Ok(vec![])),
        ("rsa-4096", Ok(vec![])),
        ("sem-san", Ok(vec![])),
        ("serial-grande", Ok(vec![])),
        ("sem-nao-repudio", Ok(vec![CredentialWarning::NoNonRepudiation])),
        ("so-cifra", Err(CredentialError::NotForSigning)),
        ("tsa", Err(CredentialError::NotForSigning)),
        ("ac2", Err(CredentialError::NotEndEntity)),
        ("rsa-1024", Err(CredentialError::Key(AlgorithmError::KeyLength { bits: 1024 }))),
        ("ed448", Err(unsupported.clone())),
        ("ed25519", Err(unsupported.clone())),
        ("brainpool", Err(unsupported)),
    ] {
        assert_eq!(check_for_signing(&fixture::certificate(fixture), at(NOW)), expected, "{fixture}");
    }
    let expired = check_for_signing(&fixture::certificate("expirado"), at(NOW)).unwrap_err();
    assert_eq!(expired.code(), ErrorCode::CredentialExpired);
    let future = check_for_signing(&fixture::certificate("futuro"), at(NOW)).unwrap_err();
    assert_eq!(future.code(), ErrorCode::CredentialNotYetValid);
}

#[test]
fn validity_holds_from_its_first_to_its_last_second() {
    let ana = fixture::certificate("ana-a1");
    let (first, last) = (ana.not_before(), ana.not_after());
    assert!(matches!(check_for_signing(&ana, at(first - 1)), Err(CredentialError::NotYetValid { .. })));
    assert_eq!(check_for_signing(&ana, at(first)), Ok(vec![]));
    assert_eq!(check_for_signing(&ana, at(last)), Ok(vec![CredentialWarning::ExpiresSoon]));
    assert!(matches!(check_for_signing(&ana, at(last + 1)), Err(CredentialError::Expired { .. })));
    assert_eq!(check_for_signing(&ana, at(last - 30 * 86_400)), Ok(vec![]));
}

#[test]
fn an_identifier_is_the_whole_hash_and_its_beginning_will_do() {
    let ana = fixture::certificate("ana-a1");
    let id = CredentialId::of(&ana);
    let text = id.to_string();
    assert_eq!(text.len(), 64);
    assert!(id.matches(&text) && id.matches(&text[..8]) && id.matches(&text[..16].to_uppercase()));
    assert!(id.matches(&format!("{}:{}:{}:{}", &text[..2], &text[2..4], &text[4..6], &text[6..8])));
    assert!(!id.matches(&text[..7]) && !id.matches("") && !id.matches(&text[1..]));
    assert_ne!(id, CredentialId::of(&fixture::certificate("empresa")));
}

#[test]
fn a_key_that_is_too_short_has_its_own_code() {
    assert_eq!(fixture::certificate("rsa-1024").key_kind(), KeyKind::Rsa { bits: 1024 });
    let error = check_for_signing(&fixture::certificate("rsa-1024"), at(NOW)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::CredentialWeak);
}
