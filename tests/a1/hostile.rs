//! Damaged and hostile stores: a code, no crash, and never more memory or time than is reasonable.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use signer_tests::signing::{PASSWORD, a1, code};

use crate::{
    KEY,
    desk::{Desk, refused},
};

/// In KiB: what the program and its token host have each, at most, however much a file asks for.
/// The most that a file may ask for is 256 MiB.
const ADDRESS_SPACE: u32 = 900_000;

/// Another certificate's.
const OTHER: &str = "ecpf-a1-moderno.p12";

/// A login with one stored key, and the file of that key.
fn stored() -> (Desk, String, PathBuf) {
    let desk = Desk::new();
    desk.add(&a1(KEY), PASSWORD, &[]);
    let (id, key) = (desk.ids().remove(0), desk.state().join("keys").join(&desk.keys()[0]));
    (desk, id, key)
}

/// Signs within a bounded address space, and tells the code of the refusal.
fn refusal(desk: &Desk, id: &str) -> String {
    let mut command = Command::new("sh");
    desk.login.surround(&mut command);
    let output = command
        .args(["-c", &format!("ulimit -v {ADDRESS_SPACE}; exec \"$@\""), "sh"])
        .arg(signer_tests::signer_program())
        .args(["sign", "--json", "--credential", id, "--p12-password-file"])
        .arg(desk.secret("password", PASSWORD))
        .args([desk.place.path().join("in.pdf"), desk.place.path().join("out.pdf")])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    code(&json).to_owned()
}

/// Proves A37.
#[test]
fn a_hostile_stored_key_is_refused_in_bounded_memory_and_time() {
    let (desk, id, path) = stored();
    let good: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for (field, value, expected) in [
        ("/protection/memory", json!(4_294_967_295_u32), "credential-unreadable"),
        ("/protection/memory", json!(262_145), "credential-unreadable"),
        ("/protection/memory", json!(1), "credential-unreadable"),
        ("/protection/passes", json!(4_294_967_295_u32), "credential-unreadable"),
        ("/protection/lanes", json!(16_777_215), "credential-unreadable"),
        ("/protection/salt", json!("AAAA"), "credential-unreadable"),
        // As much as a file may ask for, and no more: it is derived, and does not fit.
        ("/protection/memory", json!(262_144), "password-incorrect"),
        ("/nonce", json!("AAAAAAAAAAAAAAAA"), "password-incorrect"),
        ("/key", json!(""), "password-incorrect"),
        ("/chain", json!(["MAA="]), "password-incorrect"),
        ("/cipher", json!("none"), "credential-unreadable"),
        ("/version", json!(2), "unsupported-algorithm"),
    ] {
        let mut hostile = good.clone();
        *hostile.pointer_mut(field).unwrap() = value.clone();
        fs::write(&path, serde_json::to_vec(&hostile).unwrap()).unwrap();
        let begun = Instant::now();
        assert_eq!(refusal(&desk, &id), expected, "{field} {value}");
        assert!(begun.elapsed() < Duration::from_secs(60), "{field} {value}");
    }
    let deep = "[".repeat(500_000);
    let long = vec![b' '; (1 << 20) + 1];
    for bytes in [&b""[..], b"{}", b"\xff\xfe", deep.as_bytes(), &long] {
        fs::write(&path, bytes).unwrap();
        assert_eq!(refusal(&desk, &id), "credential-unreadable");
    }
    // Another certificate in the file than the list has for it.
    let mut other = good.clone();
    let certificate = fs::read(signer_tests::repository().join("tests/fixtures/pki/certificates/p384.pem"));
    let pem = String::from_utf8(certificate.unwrap()).unwrap();
    let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    *other.pointer_mut("/certificate").unwrap() = json!(body);
    fs::write(&path, serde_json::to_vec(&other).unwrap()).unwrap();
    assert_eq!(refusal(&desk, &id), "credential-key-mismatch");

    // A pipe in its place keeps nobody waiting.
    fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    assert_eq!(refusal(&desk, &id), "input-unreadable");
    fs::remove_file(&path).unwrap();
    assert_eq!(refusal(&desk, &id), "input-unreadable");
    fs::write(&path, serde_json::to_vec(&good).unwrap()).unwrap();
    desk.signs(&id, Some(PASSWORD));
}

/// Who exchanges two stored keys does not make the person sign as somebody else.
#[test]
fn a_key_in_the_place_of_another_is_refused() {
    let desk = Desk::new();
    for file in [KEY, OTHER] {
        desk.add(&a1(file), PASSWORD, &[]);
    }
    let [one, other] = [0, 1].map(|index| desk.state().join("keys").join(&desk.keys()[index]));
    let (first, second) = (fs::read(&one).unwrap(), fs::read(&other).unwrap());
    fs::write(&one, second).unwrap();
    fs::write(&other, first).unwrap();
    for id in desk.ids() {
        assert_eq!(refusal(&desk, &id), "credential-key-mismatch");
    }
}

#[test]
fn a_damaged_list_is_said_and_never_replaced() {
    let (desk, id, _) = stored();
    let path = desk.state().join("credentials.json");
    let good = fs::read(&path).unwrap();
    let newer = String::from_utf8(good.clone()).unwrap().replace("\"version\": 2", "\"version\": 3");
    assert_ne!(newer.as_bytes(), good);
    for bytes in [&b""[..], b"{}", &good[..good.len() / 2], newer.as_bytes()] {
        fs::write(&path, bytes).unwrap();
        let list = desk.login.command().args(["credentials", "list"]).output().unwrap();
        assert_eq!(refused(&list), "input-unreadable");
        let add = desk.adding(&a1("ecdsa-p384.p12"), PASSWORD).output().unwrap();
        assert_eq!(refused(&add), "input-unreadable");
        assert_eq!(refused(&desk.remove(&id)), "input-unreadable");
        assert_eq!(fs::read(&path).unwrap(), bytes);
        // Nothing that the list may name is swept away.
        assert!(desk.keys().len() == 1, "{:?}", desk.keys());
    }
    fs::write(&path, &good).unwrap();
    desk.signs(&id, Some(PASSWORD));
}
