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
    assert_eq!(desk.list(), json!({ "credentials": [], "waiting": [] }));
    fs::create_dir(&folder).unwrap();
    let file = |name: &str| folder.join(name);
    fs::copy(a1(KEY), file("maria.p12")).unwrap();
    fs::write(file("notes.txt"), "nothing").unwrap();
    assert_eq!(desk.list(), json!({ "credentials": [], "waiting": [file("maria.p12")] }));
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
