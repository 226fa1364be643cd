//! A card in a virtual reader, through the service: its tries counted by the card itself, and one
//! card seen by two modules.

use std::{fs, path::Path};

use serde_json::Value;
use signer_ipc::{
    message::{Entry, Lasting, Outcome},
    token_host::TriesLeft,
};
use signer_tests::{
    agent::{Agent, Question},
    card::Reader,
    documents::{Layout, document},
    page::{Page, Pending},
    service::{Login, Service},
};

use crate::desk::{PIN, answer};

const KEY: &str = "ecpf-a1-moderno.p12";

/// A service with these modules, a person at a terminal, and a page that was let in.
fn seated(modules: &[&Path]) -> (Login, Service, Agent, Page) {
    let login = Login::new();
    login.configure(&format!("[tokens]\nknown_modules = false\nmodules = {modules:?}\n"));
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    (login, service, agent, page)
}

fn shown(page: &Page, agent: &Agent) -> (Pending, Question) {
    let pending = page.ask_to_sign(&page.upload(&document(Layout::Table, 1, 9_000)));
    (pending, agent.question())
}

fn tries(state: &Path) -> i64 {
    let state: Value = serde_json::from_slice(&fs::read(state).expect("the card counts")).unwrap();
    state["tries"].as_i64().unwrap()
}

/// Proves A32. The card has three tries, and says itself how many it has left.
#[test]
fn a_card_is_locked_only_by_a_person_who_risked_it() {
    let Some(reader) = Reader::connect() else { return };
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state.json");
    let card = reader.insert(KEY, PIN, &state, &[]);
    let (_login, _service, mut agent, page) = seated(&[Path::new(reader.module())]);

    let (pending, question) = shown(&page, &agent);
    agent.confirm(&question, Some("111111"));
    let unlock = agent.asked_for_secret();
    assert_eq!(tries(&state), 2);
    agent.give(question.approval, &unlock, "222222");
    let unlock = agent.asked_for_secret();
    assert_eq!((tries(&state), unlock.tries_left), (1, TriesLeft::Last));
    // No word about the last try came with it.
    agent.give(question.approval, &unlock, PIN);
    assert_eq!(answer(pending)["error"]["code"], "pin-last-try");
    assert_eq!(tries(&state), 1);

    // The next request is told before any PIN goes.
    let (pending, question) = shown(&page, &agent);
    assert_eq!(question.unlocks[0].tries_left, TriesLeft::Last);
    agent.risk(&question, Some("333333"));
    assert_eq!(answer(pending)["error"]["code"], "pin-locked");
    assert_eq!(tries(&state), 0);

    let (pending, question) = shown(&page, &agent);
    assert_eq!(question.unlocks[0].entry, Entry::Locked);
    assert_eq!(question.unlocks[0].unlock_tool.as_deref(), Some("pkcs15-tool --unblock-pin"));
    agent.confirm(&question, None);
    let Outcome::Failed { code, words } = agent.dismissed(&question) else { panic!("it is locked") };
    assert!(code == "pin-locked" && words.contains("pkcs15-tool"), "{code}: {words}");
    assert_eq!(answer(pending)["error"]["code"], "pin-locked");
    drop(card);
}

#[test]
fn a_card_that_two_modules_show_is_listed_once_and_signs() {
    let Some(reader) = Reader::connect() else { return };
    let place = tempfile::tempdir().unwrap();
    let state = place.path().join("state.json");
    let card = reader.insert(KEY, PIN, &state, &[]);
    let second = place.path().join("vendor-pkcs11.so");
    fs::copy(reader.module(), &second).unwrap();
    let (_login, _service, mut agent, page) = seated(&[Path::new(reader.module()), &second]);

    let listed = page.ask("GET /ccsp/v1/certificates").json();
    assert_eq!(listed["certificates"].as_array().unwrap().len(), 1, "{listed}");
    let (pending, question) = shown(&page, &agent);
    assert_eq!(question.summary.certificates.len(), 1);
    agent.confirm(&question, Some(PIN));
    assert_eq!(answer(pending)["state"], "completed");
    assert_eq!(tries(&state), 3);
    drop(card);
}
