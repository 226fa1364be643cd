//! The real service as a process of a login: how it starts and ends, who may speak to it, and
//! what is found of a secret in it.
#![cfg(target_os = "linux")]

#[path = "processes/ends.rs"]
mod ends;
#[path = "processes/impostors.rs"]
mod impostors;
#[path = "processes/records.rs"]
mod records;
#[path = "processes/secrets.rs"]
mod secrets;
#[path = "processes/strangers.rs"]
mod strangers;
#[path = "processes/trays.rs"]
mod trays;

use signer_core::audit::{Event, Outcome, Record};
use signer_ipc::message;
use signer_tests::{
    agent::Agent,
    documents::{Layout, document},
    page::{Page, state_and_code},
    service::Login,
    signing::PASSWORD,
    stage::Stage,
};

/// A key that signs fast.
const KEY: &str = "ecdsa-p256.p12";

/// A configuration under which only registered files sign.
const NO_MODULES: &str = "[tokens]\nknown_modules = false\n";

fn pdf() -> Vec<u8> {
    document(Layout::Table, 1, 20_000)
}

/// How the requests of a trail ended, one word or code each; `intent` for one without an end.
fn ends(trail: &[Record]) -> Vec<String> {
    let mut ends = Vec::new();
    let mut open = false;
    for record in trail {
        match record.entry.event {
            Event::Intent if open => ends.push("intent".to_owned()),
            Event::Intent => open = true,
            Event::Outcome(Outcome::Failed(code)) => {
                ends.push(code.to_string());
                open = false;
            }
            Event::Outcome(outcome) => {
                ends.push(outcome.as_str().to_owned());
                open = false;
            }
        }
    }
    if open {
        ends.push("intent".to_owned());
    }
    ends
}

/// Lets a page be asked for a signature and the person say yes; it must come.
fn signs(page: &Page, agent: &mut Agent) {
    let original = pdf();
    let pending = page.ask_to_sign(&page.upload(&original));
    let question = agent.question();
    agent.confirm(&question, Some(PASSWORD));
    let done = pending.answer().unwrap().json();
    assert_eq!(state_and_code(&done), ("completed".to_owned(), None), "{done}");
    assert_eq!(agent.dismissed(&question), message::Outcome::Approved);
    let content = page.ask(&format!("GET {}", done["items"][0]["content"].as_str().unwrap()));
    assert!(content.body.starts_with(&original) && content.body.len() > original.len());
}

/// Nothing came of a request for a signature: it failed so, and has no content.
fn assert_unsigned(page: &Page, answer: &serde_json::Value, state: &str, code: &str) {
    assert_eq!(state_and_code(answer), (state.to_owned(), Some(code.to_owned())), "{answer}");
    assert!(answer["items"][0]["content"].is_null(), "{answer}");
    let id = answer["id"].as_str().unwrap();
    assert_eq!(page.ask(&format!("GET /ccsp/v1/signatures/{id}/items/1/content")).code(), code);
}

/// A login with a key, whose tray the test plays.
fn staged() -> (Login, Stage) {
    let mut login = Login::with_key(KEY);
    let stage = Stage::set(&mut login, NO_MODULES);
    (login, stage)
}
