//! What a stored key withstands. The key derivation costs 64 MiB each time, so few are made.

use super::*;

const CERTIFICATE: &str = "../tests/fixtures/pki/p12/ecdsa-p256.p12";

fn secret(text: &str) -> Secret {
    Secret::from_bytes(text.as_bytes().to_vec()).unwrap()
}

/// A stored key under «senha», as a file.
fn file() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(CERTIFICATE);
    let mut a1 = crate::token::host::pkcs12::A1File::open(&path).unwrap();
    a1.unlock(&secret("teste1234")).unwrap();
    encrypt(&a1.key(0).unwrap(), Some(&secret("senha"))).unwrap()
}

fn opened(file: &[u8]) -> Result<StoredKey, Failure> {
    Ok(StoredKey { stored: Stored::from_file(file)?, unlocked: None })
}

/// The file with one value of its JSON replaced.
fn with(file: &[u8], pointer: &str, value: serde_json::Value) -> Vec<u8> {
    let mut json: serde_json::Value = serde_json::from_slice(file).unwrap();
    *json.pointer_mut(pointer).unwrap() = value;
    serde_json::to_vec(&json).unwrap()
}

#[test]
fn a_stored_key_opens_with_its_password_and_signs() {
    let file = file();
    let mut stored = opened(&file).unwrap();
    assert_eq!(stored.credentials().len(), 1);
    let sign = |stored: &StoredKey| stored.sign(0, Scheme::EcdsaSha256, Input::Message(b"message"));
    assert_eq!(sign(&stored), Err(Failure::PinNeeded));
    assert_eq!(stored.unlock(&secret("senhA")), Err(Failure::PasswordIncorrect));
    assert_eq!(sign(&stored), Err(Failure::PinNeeded));
    stored.unlock(&secret("senha")).unwrap();
    assert!(sign(&stored).is_ok());
    assert_eq!(
        stored.sign(1, Scheme::EcdsaSha256, Input::Message(b"message")),
        Err(Failure::CredentialUnknown)
    );
}

#[test]
fn what_was_changed_does_not_open() {
    let file = file();
    let stored = Stored::from_file(&file).unwrap();
    // Another certificate, another chain: neither is believed with this key.
    let other = with(&file, "/certificate", serde_json::json!("MAA="));
    let shorter = with(&file, "/chain", serde_json::json!([]));
    let mut sealed = stored.sealed;
    sealed[0] ^= 1;
    let flipped = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, &sealed);
    let flipped = with(&file, "/key", serde_json::json!(flipped));
    let cheaper = with(&file, "/protection/passes", serde_json::json!(4));
    for changed in [other, shorter, flipped, cheaper] {
        assert_eq!(opened(&changed).unwrap().unlock(&secret("senha")), Err(Failure::PasswordIncorrect));
    }
}

#[test]
fn what_costs_too_much_or_is_none_is_refused_before_any_password() {
    let file = file();
    for (pointer, value) in [
        ("/protection/memory", serde_json::json!(u32::MAX)),
        ("/protection/memory", serde_json::json!(8)),
        ("/protection/memory", serde_json::json!(-1)),
        ("/protection/passes", serde_json::json!(u32::MAX)),
        ("/protection/lanes", serde_json::json!(0)),
        ("/protection/derivation", serde_json::json!("none")),
        ("/protection/salt", serde_json::json!("")),
        ("/protection/by", serde_json::json!("nobody")),
        ("/cipher", serde_json::json!("null")),
        ("/nonce", serde_json::json!("AAAA")),
        ("/key", serde_json::json!("*")),
        ("/chain", serde_json::json!([1])),
    ] {
        let refused = opened(&with(&file, pointer, value.clone())).err();
        assert!(matches!(refused, Some(Failure::FileDamaged { .. })), "{pointer} {value}: {refused:?}");
    }
    for cut in [0, 1, file.len() / 2, file.len() - 1] {
        assert!(matches!(opened(&file[..cut]).err(), Some(Failure::FileDamaged { .. })), "{cut}");
    }
    let newer = opened(&with(&file, "/version", serde_json::json!(2))).err();
    assert!(matches!(newer, Some(Failure::KeyUnsupported { .. })), "{newer:?}");
    let foreign = serde_json::json!({ "by": "keystore", "keystore": "elsewhere", "wrapped": "AAAA" });
    let foreign = opened(&with(&file, "/protection", foreign)).err();
    assert!(matches!(foreign, Some(Failure::KeyUnsupported { .. })), "{foreign:?}");
}

#[test]
fn an_empty_password_protects_nothing() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(CERTIFICATE);
    let mut a1 = crate::token::host::pkcs12::A1File::open(&path).unwrap();
    a1.unlock(&secret("teste1234")).unwrap();
    assert_eq!(encrypt(&a1.key(0).unwrap(), Some(&secret(""))), Err(Failure::PinNeeded));
}
