//! The real service as a process of a login: its start and its end, however that comes, and who
//! may speak to it.
#![cfg(target_os = "linux")]

use signer_ipc::message::{Lasting, Outcome};
use signer_tests::{
    agent::Agent,
    documents::{Layout, document},
    page::{Page, state_and_code},
    service::Login,
    signing::PASSWORD,
    stage::Stage,
};

#[test]
fn a_page_has_a_document_signed_by_a_person_at_a_terminal() {
    let login = Login::with_key("ecdsa-p256.p12");
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    let original = document(Layout::Table, 1, 20_000);
    let pending = page.ask_to_sign(&page.upload(&original));
    let question = agent.question();
    agent.confirm(&question, Some(PASSWORD));
    let done = pending.answer().unwrap().json();
    assert_eq!(state_and_code(&done), ("completed".to_owned(), None), "{done}");
    assert_eq!(agent.dismissed(&question), Outcome::Approved);
    let content = page.ask(&format!("GET {}", done["items"][0]["content"].as_str().unwrap()));
    assert!(content.body.starts_with(&original));
    assert!(service.stop().success());
}

#[test]
fn a_page_has_a_document_signed_by_a_person_at_the_window() {
    let mut login = Login::with_key("ecdsa-p256.p12");
    let stage = Stage::set(&mut login, "[tokens]\nknown_modules = false\n");
    let service = login.start();
    let pending = Page::ask_to_pair(&service);
    let mut tray = stage.next().connect().unwrap();
    let question = tray.question();
    tray.confirm(&question, None);
    let page = Page::of(&service, &pending.answer().unwrap());
    let pending = page.ask_to_sign(&page.upload(&document(Layout::Table, 1, 20_000)));
    let question = tray.question();
    tray.confirm(&question, Some(PASSWORD));
    let done = pending.answer().unwrap().json();
    assert_eq!(state_and_code(&done), ("completed".to_owned(), None), "{done}");
}
