//! Programs of the same user that are not the tray which the service started.

use signer_ipc::message::{Lasting, PROTOCOL_VERSION, Role};
use signer_tests::{
    agent::{Agent, NotLetIn},
    page::Page,
    signing::PASSWORD,
};

use crate::{assert_unsigned, ends, pdf, signs, staged};

/// Refused in words, with this code.
fn assert_refused(result: Result<Agent, NotLetIn>, expected: &str) -> String {
    match result {
        Ok(_) => panic!("it was let in"),
        Err(NotLetIn::Closed) => panic!("it was sent away without a word"),
        Err(NotLetIn::Refused { version, code, words }) => {
            assert_eq!((version, code.as_str()), (PROTOCOL_VERSION, expected), "{words}");
            assert!(words.len() > 10, "{words}");
            words
        }
    }
}

/// Proves A19.
#[test]
fn only_the_process_that_was_started_is_the_tray_and_only_once() {
    let (login, stage) = staged();
    let service = login.start();
    let pending = Page::ask_to_pair(&service);
    let mut started = stage.next();
    let one_time = started.invitation.one_time;
    // Another process of the same user, with the right value.
    let other = Agent::greet(&login.endpoint(), PROTOCOL_VERSION, Role::Tray, one_time.to_vec());
    assert_refused(other, "tray-unavailable");
    // A child of the tray, with the right value.
    let tray = started.process;
    started.tell("child");
    let own = stage.next_of(tray);
    let child = stage.next();
    assert_ne!(child.process, tray);
    let value = child.invitation.one_time.to_vec();
    assert_refused(child.greet(PROTOCOL_VERSION, value), "tray-unavailable");
    // The tray itself, with another value.
    let mut wrong = one_time;
    wrong[31] ^= 1;
    let mut own = own;
    for value in [&wrong[..], &one_time[..31], &[]] {
        assert_refused(own.greet(PROTOCOL_VERSION, value.to_vec()), "tray-unavailable");
        own = stage.next_of(tray);
    }
    let mut agent = own.greet(PROTOCOL_VERSION, one_time.to_vec()).expect("the tray itself is let in");
    let question = agent.question();
    // The same process a second time, with the value that was used.
    let again = stage.next_of(tray).greet(PROTOCOL_VERSION, one_time.to_vec());
    assert_refused(again, "tray-unavailable");
    agent.confirm(&question, None);
    let page = Page::of(&service, &pending.answer().unwrap());
    signs(&page, &mut agent);
    assert_eq!(ends(&login.trail()), ["approved", "approved"]);
}

/// Proves A19.
#[test]
fn the_value_of_an_earlier_tray_lets_nobody_in() {
    let (login, stage) = staged();
    let service = login.start();
    let pending = Page::ask_to_pair(&service);
    let first = stage.next();
    let used = first.invitation.one_time;
    let agent = first.connect().unwrap();
    agent.question();
    agent.vanish();
    assert_eq!(pending.answer().unwrap().refusal(), (503, "tray-unavailable".to_owned()));

    let pending = Page::ask_to_pair(&service);
    let second = stage.next();
    assert_ne!(second.invitation.one_time, used);
    let tray = second.process;
    assert_refused(second.greet(PROTOCOL_VERSION, used.to_vec()), "tray-unavailable");
    // It gives up, and nobody was asked.
    stage.next_of(tray).tell("exit 1");
    assert_eq!(pending.answer().unwrap().refusal(), (503, "tray-unavailable".to_owned()));
    assert_eq!(ends(&login.trail()), ["tray-unavailable", "tray-unavailable"]);
}

#[test]
fn other_versions_are_refused_in_words_on_both_ways() {
    let (login, stage) = staged();
    let service = login.start();
    for version in [0, PROTOCOL_VERSION + 1, u32::MAX] {
        let result = Agent::greet(&login.endpoint(), version, Role::Terminal, Vec::new());
        let words = assert_refused(result, "protocol-mismatch");
        assert!(words.contains(&format!("({version} / {PROTOCOL_VERSION})")), "{words}");
    }
    let pending = Page::ask_to_pair(&service);
    let started = stage.next();
    let (tray, one_time) = (started.process, started.invitation.one_time.to_vec());
    let words = assert_refused(started.greet(PROTOCOL_VERSION + 1, one_time), "protocol-mismatch");
    assert!(words.contains("CyberCore Signer"), "{words}");
    // The value was not used up by that: the right version is let in.
    let mut agent = stage.next_of(tray).connect().unwrap();
    let question = agent.question();
    agent.confirm(&question, None);
    signs(&Page::of(&service, &pending.answer().unwrap()), &mut agent);
}

/// Proves A17.
#[test]
fn a_yes_to_something_else_than_was_asked_signs_nothing() {
    let (login, stage) = staged();
    let service = login.start();
    let pending = Page::ask_to_pair(&service);
    let mut agent = stage.next().connect().unwrap();
    let pairing = agent.question();
    agent.confirm(&pairing, None);
    let page = Page::of(&service, &pending.answer().unwrap());
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    let mut lie = question.shown;
    lie[0] ^= 1;
    agent.confirm_as(&question, lie, Lasting::Once, Some(PASSWORD));
    assert_unsigned(&page, &pending.answer().unwrap().json(), "failed", "internal");
    // What was shown before is something else, too.
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    agent.confirm_as(&question, pairing.shown, Lasting::Once, Some(PASSWORD));
    assert_unsigned(&page, &pending.answer().unwrap().json(), "failed", "internal");
    assert_eq!(ends(&login.trail()), ["approved", "internal", "internal"]);
    assert!(!login.log().contains("panicked"), "{}", login.log());
    signs(&page, &mut agent);
}
