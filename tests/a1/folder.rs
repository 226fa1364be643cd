//! The watched folder: files come and go, and are offered once their password was given.

use std::fs;

use serde_json::json;
use signer_ipc::message::{Entry, Lasting};
use signer_tests::{
    agent::Agent,
    page::Page,
    signing::{PASSWORD, a1},
};

use crate::{KEY, desk::Desk, service::signs};

#[test]
fn files_of_the_folder_come_wait_for_their_password_move_and_go() {
    let desk = Desk::new();
    let folder = desk.login.path("a1");
    desk.login.configure(&format!("[credentials]\nfolder = {folder:?}\n[tokens]\nknown_modules = false\n"));
    // A folder that is not there yet is no fault.
    assert_eq!(desk.list(), json!({ "credentials": [], "waiting": [], "notLookedAt": 0 }));
    fs::create_dir(&folder).unwrap();
    let file = |name: &str| folder.join(name);
    fs::copy(a1(KEY), file("maria.p12")).unwrap();
    fs::write(file("notes.txt"), "nothing").unwrap();
    assert_eq!(desk.list(), json!({ "credentials": [], "waiting": [file("maria.p12")], "notLookedAt": 0 }));
    let words = desk.login.command().args(["credentials", "list"]).output().unwrap();
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.contains("maria.p12") && words.contains("waits for its password"), "{words}");

    desk.add(&file("maria.p12"), PASSWORD, &["--link"]);
    let list = desk.list();
    assert_eq!(list["waiting"], json!([]));
    assert_eq!(list["credentials"][0]["place"], "folder");
    assert_eq!(list["credentials"][0]["file"], json!(file("maria.p12")));
    let id = desk.ids().remove(0);
    desk.signs(&id, Some(PASSWORD));

    // Renamed it is the same; the service sees it without being started again.
    let service = desk.login.start();
    let mut agent = Agent::terminal(&desk.login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Always);
    let offered = || page.ask("GET /ccsp/v1/certificates").json()["certificates"].as_array().unwrap().len();
    assert_eq!(offered(), 1);
    fs::rename(file("maria.p12"), file("renamed.PFX")).unwrap();
    assert_eq!(offered(), 1);
    fs::rename(file("renamed.PFX"), desk.place.path().join("away.p12")).unwrap();
    assert_eq!(offered(), 0);
    assert_eq!(desk.list()["credentials"][0]["file"], json!(null));
    assert_eq!(desk.list()["credentials"][0]["present"], json!(false));
    assert_eq!(desk.sign(&id, Some(PASSWORD)), Err("credential-not-found".to_owned()));
    fs::rename(desk.place.path().join("away.p12"), file("back.p12")).unwrap();
    assert_eq!(offered(), 1);
    // Another content under the same name is another file, which waits for its own password.
    fs::copy(a1("ecdsa-p384.p12"), file("back.p12")).unwrap();
    assert_eq!(offered(), 0);
    assert_eq!(desk.list()["waiting"], json!([file("back.p12")]));
    drop(agent);
    assert!(service.stop().success());

    fs::copy(a1(KEY), file("back.p12")).unwrap();
    signs(&desk.login, "back.p12", Entry::Password, &[PASSWORD]);
}

#[test]
fn an_imported_key_needs_no_file_of_the_folder() {
    let desk = Desk::new();
    let folder = desk.login.path("a1");
    fs::create_dir(&folder).unwrap();
    desk.login.configure(&format!("[credentials]\nfolder = {folder:?}\n[tokens]\nknown_modules = false\n"));
    fs::copy(a1(KEY), folder.join("maria.p12")).unwrap();
    desk.add(&folder.join("maria.p12"), PASSWORD, &[]);
    fs::remove_file(folder.join("maria.p12")).unwrap();
    desk.signs(&desk.ids()[0], Some(PASSWORD));
}

/// A stick that is pulled out, a file that is moved away: its certificate is offered to nobody until it is back.
#[test]
fn a_linked_file_that_is_gone_is_not_offered() {
    let desk = Desk::new();
    let (file, away) = (desk.place.path().join("maria.p12"), desk.place.path().join("away.p12"));
    fs::copy(a1(KEY), &file).unwrap();
    desk.add(&file, PASSWORD, &["--link"]);
    let id = desk.ids().remove(0);
    let service = desk.login.start();
    let mut agent = Agent::terminal(&desk.login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Always);
    let offered = || page.ask("GET /ccsp/v1/certificates").json()["certificates"].as_array().unwrap().len();
    let words = || {
        let output = desk.login.command().args(["credentials", "list"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(offered(), 1);
    assert!(!words().contains("not there"), "{}", words());
    fs::rename(&file, &away).unwrap();
    assert_eq!(offered(), 0);
    assert!(words().contains("maria.p12  (the file is not there)"), "{}", words());
    assert_eq!(desk.list()["credentials"][0]["present"], json!(false));
    assert_eq!(desk.sign(&id, Some(PASSWORD)), Err("input-unreadable".to_owned()));
    fs::rename(&away, &file).unwrap();
    assert_eq!(offered(), 1);
    assert_eq!(desk.list()["credentials"][0]["present"], json!(true));
    desk.signs(&id, Some(PASSWORD));
}

#[test]
fn files_that_are_too_many_are_told() {
    let desk = Desk::new();
    let folder = desk.login.path("a1");
    fs::create_dir(&folder).unwrap();
    desk.login.configure(&format!("[credentials]\nfolder = {folder:?}\n[tokens]\nknown_modules = false\n"));
    for number in 0..300 {
        fs::write(folder.join(format!("{number:03}.p12")), "no A1 file").unwrap();
    }
    let list = desk.list();
    assert_eq!(list["waiting"].as_array().unwrap().len(), 256);
    assert_eq!(list["notLookedAt"], 44);
    let words = desk.login.command().args(["credentials", "list"]).output().unwrap();
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.contains("not looked at: 44"), "{words}");
    let service = desk.login.start();
    let mut agent = Agent::terminal(&desk.login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Always);
    for _ in 0..3 {
        page.ask("GET /ccsp/v1/certificates");
    }
    drop(agent);
    assert!(service.stop().success());
    let log = desk.login.log();
    assert_eq!(log.matches("holds more files than are looked at").count(), 1, "{log}");
}
