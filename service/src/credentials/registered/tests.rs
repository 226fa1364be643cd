//! What survives, what is migrated, what is refused.

use std::fs;

use signer_core::digest::DigestAlgorithm;

use super::*;

fn entry(place: Place, certificate: &[u8]) -> Entry {
    Entry { place, certificate: certificate.to_vec(), chain: vec![vec![1], vec![2]] }
}

fn linked(path: &str, certificate: &[u8]) -> Entry {
    entry(Place::Linked(path.into()), certificate)
}

#[test]
fn the_list_survives_and_a_certificate_is_there_once() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("credentials.json");
    assert_eq!(Registered::read(&path).unwrap(), Registered::default());
    let content = DigestAlgorithm::Sha256.digest(b"a key");
    let mut list = Registered::default();
    list.add(linked("/a.p12", b"one"));
    list.add(linked("/b.p12", b"two"));
    list.add(entry(Place::Folder { content: content.clone() }, b"three"));
    for protection in [Protection::Password, Protection::Keystore] {
        let place = Place::Stored { content: content.clone(), protection, name: Some("c.p12".to_owned()) };
        list.add(entry(place, b"one"));
    }
    list.write(&path).unwrap();
    let read = Registered::read(&path).unwrap();
    assert_eq!(read, list);
    let certificates: Vec<_> = read.entries().iter().map(|entry| entry.certificate.as_slice()).collect();
    assert_eq!(certificates, [&b"two"[..], b"three", b"one"]);
    assert!(matches!(&read.entries()[2].place, Place::Stored { protection: Protection::Keystore, .. }));
}

#[test]
fn a_list_of_the_version_before_loses_nothing() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("credentials.json");
    let text =
        r#"{"version":1,"credentials":[{"path":"/a.p12","certificate":"b25l","chain":["AQ==","Ag=="]}]}"#;
    fs::write(&path, text).unwrap();
    let list = Registered::read(&path).unwrap();
    assert_eq!(list.entries(), [linked("/a.p12", b"one")]);
    list.write(&path).unwrap();
    assert!(fs::read_to_string(&path).unwrap().contains("\"version\": 2"));
    assert_eq!(Registered::read(&path).unwrap(), list);
}

#[test]
fn what_is_not_ours_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("credentials.json");
    let escape = r#"{"version":2,"credentials":[{"kind":"stored","content":"../../etc/passwd",
        "protection":"password","name":null,"certificate":"","chain":[]}]}"#;
    for text in
        ["", "{}", "{\"version\":3,\"credentials\":[]}", "{\"version\":1,\"credentials\":[{}]}", escape]
    {
        fs::write(&path, text).unwrap();
        assert!(
            matches!(Registered::read(&path), Err(RegisteredError::Damaged(named)) if named == path),
            "{text}"
        );
    }
}
