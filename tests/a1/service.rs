//! Stored keys through the service: what a page sees, and what the person is asked.

use signer_ipc::message::{Entry, Lasting};
use signer_tests::{
    agent::Agent,
    page::{Page, state_and_code},
    service::Login,
    signing::{PASSWORD, a1},
};

use crate::{KEY, desk::Desk, pdf};

/// Asks for one signature; the person confirms with what `give` says, in its order.
pub(crate) fn signs(login: &Login, place: &str, entry: Entry, give: &[&str]) {
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Always);
    let original = pdf();
    let pending = page.ask_to_sign(&page.upload(&original));
    let question = agent.question();
    let [certificate] = &question.summary.certificates[..] else { panic!("one can be chosen") };
    assert_eq!(certificate.place.as_deref(), Some(place));
    assert_eq!(question.unlocks[0].entry, entry);
    assert_eq!(question.unlocks[0].key.is_some(), entry == Entry::Password);
    agent.confirm(&question, give.first().copied());
    for secret in give.iter().skip(1) {
        let unlock = agent.asked_for_secret();
        agent.give(question.approval, &unlock, secret);
    }
    let done = pending.answer().unwrap().json();
    assert_eq!(state_and_code(&done), ("completed".to_owned(), None), "{done}");
    let content = page.ask(&format!("GET {}", done["items"][0]["content"].as_str().unwrap()));
    assert!(content.body.starts_with(&original) && content.body.len() > original.len());
    assert!(service.stop().success());
}

#[test]
fn a_stored_key_is_listed_and_signs_after_a_yes_and_its_password() {
    let desk = Desk::new();
    desk.add(&a1(KEY), PASSWORD, &[]);
    // A wrong password is asked for again by the person only.
    signs(&desk.login, KEY, Entry::Password, &["errada", "", PASSWORD]);
}

#[test]
fn what_was_denied_or_removed_signs_nothing() {
    let desk = Desk::new();
    desk.add(&a1(KEY), PASSWORD, &[]);
    let service = desk.login.start();
    let mut agent = Agent::terminal(&desk.login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Always);
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    agent.deny(&question);
    let done = pending.answer().unwrap().json();
    assert_eq!(state_and_code(&done), ("denied".to_owned(), Some("approval-denied".to_owned())), "{done}");

    // The file of the key is gone although the list names it.
    for name in desk.keys() {
        std::fs::remove_file(desk.state().join("keys").join(name)).unwrap();
    }
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let done = pending.answer().unwrap().json();
    assert_eq!(state_and_code(&done).1, Some("input-unreadable".to_owned()), "{done}");

    crate::desk::said(desk.remove(&desk.ids()[0]));
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let done = pending.answer().unwrap().json();
    assert_eq!(state_and_code(&done).1, Some("credential-not-found".to_owned()), "{done}");
}
