//! The private store by the command line: add, list, sign, remove; old lists; what is refused.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::json;
use signer_tests::signing::{PASSWORD, a1};

use crate::{
    KEY,
    desk::{Desk, refused},
};

#[test]
fn an_imported_key_signs_without_its_file_and_is_removed_whole() {
    let desk = Desk::new();
    let original = desk.place.path().join("maria.p12");
    fs::copy(a1(KEY), &original).unwrap();
    let said = desk.add(&original, PASSWORD, &[]);
    assert!(said.contains("maria.p12  (stored, under a password)"), "{said}");
    assert_eq!(fs::read(&original).unwrap(), fs::read(a1(KEY)).unwrap(), "the file is not touched");
    fs::remove_file(&original).unwrap();

    let list = desk.list();
    let entry = &list["credentials"][0];
    assert_eq!(entry["place"], "stored");
    assert_eq!(entry["protection"], "password");
    assert_eq!(entry["name"], "maria.p12");
    desk.assert_private();
    let [id] = &desk.ids()[..] else { panic!("{list}") };
    // The whole identifier or its beginning.
    desk.signs(id, Some(PASSWORD));
    desk.signs(&id[..8], Some(PASSWORD));
    assert_eq!(desk.sign(id, Some("errada")), Err("password-incorrect".to_owned()));
    assert_eq!(desk.sign(id, Some("")), Err("password-incorrect".to_owned()));
    assert_eq!(desk.sign(id, None), Err("secret-missing".to_owned()));
    assert_eq!(desk.sign("00000000", Some(PASSWORD)), Err("credential-not-found".to_owned()));

    // Its certificate is shown without a password.
    let shown = desk.login.command().args(["certificates", "--json", "--credential", id]).output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["certificates"][0]["id"], **id, "{shown}");

    assert_eq!(desk.keys().len(), 1);
    let removed = crate::desk::said(desk.remove(&id[..8]));
    assert!(removed.contains("The stored key was deleted"), "{removed}");
    assert_eq!((desk.keys().len(), desk.ids().len()), (0, 0));
    assert_eq!(refused(&desk.remove(id)), "credential-not-found");
    assert_eq!(desk.sign(id, Some(PASSWORD)), Err("credential-not-found".to_owned()));
}

#[test]
fn every_key_of_a_file_that_can_sign_is_imported_and_others_are_said() {
    let desk = Desk::new();
    desk.add(&a1("duas-chaves.p12"), PASSWORD, &[]);
    let ids = desk.ids();
    assert_eq!((ids.len(), desk.keys().len()), (2, 2));
    for id in &ids {
        desk.signs(id, Some(PASSWORD));
    }
    // One is removed without the other.
    crate::desk::said(desk.remove(&ids[0]));
    assert_eq!(desk.keys().len(), 1);
    desk.signs(&ids[1], Some(PASSWORD));

    // The same for programs, with what is left out.
    let output = desk.adding(&a1(KEY), PASSWORD).arg("--json").output().unwrap();
    let told: serde_json::Value = serde_json::from_str(&crate::desk::said(output)).unwrap();
    assert_eq!(told["credentials"][0]["place"], "stored");
    assert_eq!(told["leftOut"], json!([]));
    crate::desk::said(desk.remove(told["credentials"][0]["id"].as_str().unwrap()));
    let output = desk.adding(&a1(KEY), "errada").arg("--json").output().unwrap();
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &told["error"]["code"]), (Some(1), &json!("password-incorrect")));

    for (file, code) in [
        ("expirado.p12", "credential-expired"),
        ("so-cifra-keyusage.p12", "credential-not-for-signing"),
        ("rsa-1024.p12", "credential-weak"),
        ("ed25519.p12", "unsupported-algorithm"),
        ("chave-trocada.p12", "credential-key-mismatch"),
        ("truncado.p12", "credential-unreadable"),
    ] {
        let output = desk.adding(&a1(file), PASSWORD).output().unwrap();
        assert_eq!(refused(&output), code, "{file}");
    }
    let output = desk.adding(&a1(KEY), "errada").output().unwrap();
    assert_eq!(refused(&output), "password-incorrect");
    assert_eq!((desk.ids().len(), desk.keys().len()), (1, 1), "what is refused leaves nothing");

    // It will sign one day.
    desk.add(&a1("futuro.p12"), PASSWORD, &[]);
    let id = desk.ids().pop().unwrap();
    assert_eq!(desk.sign(&id, Some(PASSWORD)), Err("credential-not-yet-valid".to_owned()));
}

#[test]
fn all_kinds_of_files_are_imported_under_their_own_passwords() {
    for (file, password) in [
        ("ecpf-a1-rc2-40.pfx", PASSWORD),
        ("rsa-4096.p12", PASSWORD),
        ("ecdsa-p384.p12", PASSWORD),
        ("ecpf-a1-senha-emoji.p12", "chave-🔑-1"),
        ("ecpf-a1-senha-espacos.p12", "  com espaco  "),
        ("ecpf-a1-senha-acentos-3des.pfx", "Sénhà-çãõ1"),
    ] {
        let desk = Desk::new();
        desk.add(&a1(file), password, &[]);
        desk.signs(&desk.ids()[0], Some(password));
    }
}

#[test]
fn a_key_can_be_stored_under_another_password_and_must_not_be_under_none() {
    let desk = Desk::new();
    let other = desk.secret("other", "outra senha 2");
    let words = ["--new-password-file", other.to_str().unwrap()];
    desk.add(&a1(KEY), PASSWORD, &words);
    let id = desk.ids().remove(0);
    desk.signs(&id, Some("outra senha 2"));
    assert_eq!(desk.sign(&id, Some(PASSWORD)), Err("password-incorrect".to_owned()));

    // Imported once more, it is there once, under the last password.
    let first = desk.keys();
    desk.add(&a1(KEY), PASSWORD, &[]);
    assert_eq!(desk.ids(), std::slice::from_ref(&id));
    assert_eq!(desk.keys().len(), 1);
    assert_ne!(desk.keys(), first);
    desk.signs(&id, Some(PASSWORD));

    let empty = desk.secret("empty", "");
    for file in ["ecpf-a1-senha-vazia.p12", "ecpf-a1-senha-vazia-3des.pfx"] {
        let output = desk.adding(&a1(file), "").stdin(std::process::Stdio::null()).output().unwrap();
        assert_eq!(refused(&output), "secret-missing", "{file}");
        let output = desk.adding(&a1(file), "").arg("--new-password-file").arg(&empty).output().unwrap();
        assert_eq!(refused(&output), "secret-missing", "{file}");
        desk.add(&a1(file), "", &words);
        desk.signs(&desk.ids()[1], Some("outra senha 2"));
    }
    // A link is as it was: the file's own password, even an empty one.
    desk.add(&a1("ecpf-a1-senha-vazia.p12"), "", &["--link"]);
    desk.signs(&desk.ids()[1], Some(""));
}

#[test]
fn a_link_stays_a_link_and_what_does_not_fit_together_is_said() {
    let desk = Desk::new();
    let said = desk.add(&a1(KEY), PASSWORD, &["--link"]);
    assert!(said.trim_end().ends_with(KEY), "{said}");
    let list = desk.list();
    assert_eq!(list["credentials"][0]["place"], "linked");
    assert_eq!(list["credentials"][0]["file"], json!(a1(KEY).canonicalize().unwrap()));
    assert_eq!(desk.keys().len(), 0);
    let id = desk.ids().remove(0);
    desk.signs(&id, Some(PASSWORD));
    // The link becomes a stored key, and the other way round.
    desk.add(&a1(KEY), PASSWORD, &[]);
    assert_eq!((desk.ids(), desk.keys().len()), (vec![id.clone()], 1));
    desk.add(&a1(KEY), PASSWORD, &["--link"]);
    assert_eq!((desk.ids(), desk.keys().len()), (vec![id.clone()], 0));
    let removed = crate::desk::said(desk.remove(&id));
    assert!(removed.contains("the A1 file stays where it is"), "{removed}");

    let secret = desk.secret("s", PASSWORD);
    let secret = secret.to_str().unwrap();
    for words in [
        &["--link", "--protect", "password"][..],
        &["--link", "--new-password-file", secret],
        &["--protect", "keystore", "--new-password-file", secret],
        &["--p12-password-file", "-", "--new-password-file", "-"],
        &["--protect", "nothing"],
    ] {
        let mut command = desk.login.command();
        command.args(["credentials", "add"]).arg(a1(KEY)).args(words);
        if !words.contains(&"--p12-password-file") {
            command.args(["--p12-password-file", secret]);
        }
        assert_eq!(command.output().unwrap().status.code(), Some(2), "{words:?}");
    }
    let both = ["sign", "a", "b", "--credential", "00000000", "--p12", "x"];
    assert_eq!(desk.login.command().args(both).output().unwrap().status.code(), Some(2));
    let module = ["sign", "a", "b", "--credential", "00000000", "--module", "x"];
    assert_eq!(desk.login.command().args(module).output().unwrap().status.code(), Some(2));
}

#[test]
fn a_list_of_the_version_before_is_kept_when_something_is_added() {
    let desk = Desk::new();
    desk.add(&a1("ecdsa-p384.p12"), PASSWORD, &["--link"]);
    let path = desk.state().join("credentials.json");
    let mut list: serde_json::Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    list["version"] = json!(1);
    list["credentials"][0].as_object_mut().unwrap().remove("kind");
    let before = serde_json::to_vec_pretty(&list).unwrap();
    fs::write(&path, &before).unwrap();

    let id = desk.ids().remove(0);
    desk.signs(&id, Some(PASSWORD));
    assert_eq!(fs::read(&path).unwrap(), before, "to read it changes nothing");
    desk.add(&a1(KEY), PASSWORD, &[]);
    let ids = desk.ids();
    assert_eq!((ids.len(), &ids[0]), (2, &id));
    desk.signs(&ids[0], Some(PASSWORD));
    desk.signs(&ids[1], Some(PASSWORD));
}

#[test]
fn folders_that_others_could_read_are_closed_and_a_full_disk_is_said() {
    let desk = Desk::new();
    let keys = desk.state().join("keys");
    fs::create_dir_all(&keys).unwrap();
    for folder in [&desk.state(), &keys] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    desk.add(&a1(KEY), PASSWORD, &[]);
    desk.assert_private();

    // No file of more than one block can be written: the old state stays.
    let before = (desk.ids(), desk.keys());
    let secret = desk.secret("p12-password", PASSWORD);
    let mut command = std::process::Command::new("sh");
    desk.login.surround(&mut command);
    let output = command
        .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh"])
        .arg(signer_tests::signer_program())
        .args(["credentials", "add"])
        .arg(a1("rsa-4096.p12"))
        .arg("--p12-password-file")
        .arg(secret)
        .output()
        .unwrap();
    assert_eq!(refused(&output), "output-unwritable");
    assert_eq!((desk.ids(), desk.keys()), before);
    desk.signs(&before.0[0], Some(PASSWORD));
}

/// A key that was restored from a backup may be open to others; the next change closes it.
#[test]
fn a_stored_key_that_is_open_to_others_is_closed() {
    let desk = Desk::new();
    desk.add(&a1(KEY), PASSWORD, &[]);
    let key = desk.state().join("keys").join(&desk.keys()[0]);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    fs::set_permissions(key.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
    desk.add(&a1("ecdsa-p256.p12"), PASSWORD, &[]);
    desk.assert_private();
    for id in desk.ids() {
        desk.signs(&id, Some(PASSWORD));
    }
}
