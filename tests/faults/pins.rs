//! PINs through the service: the reader, keys that want theirs each time, tokens that change, and
//! that every login ends with its approval.

use std::fs;

use signer_ipc::message::{Entry, Outcome, SecretReason, ToTray, Unlock};
use signer_tests::service::until;

use crate::desk::{Case, Desk, PIN, answer, beside};

/// `CKU_USER` and `CKU_CONTEXT_SPECIFIC`.
const USER: &str = "1";
const CONTEXT: &str = "2";

fn asked_each_time(case: &Case<'_>) -> Unlock {
    loop {
        if let (ToTray::AskSecret { unlock, reason, .. }, _) = case.agent().hears().expect("the service asks")
        {
            assert_eq!(reason, SecretReason::EverySignature);
            return unlock;
        }
    }
}

fn items(answer: &serde_json::Value) -> Vec<String> {
    let item = |item: &serde_json::Value| match item["error"]["code"].as_str() {
        Some(code) => code.to_owned(),
        None => item["state"].as_str().unwrap_or_default().to_owned(),
    };
    answer["items"].as_array().expect("items").iter().map(item).collect()
}

#[test]
fn where_the_reader_takes_the_pin_none_is_asked_for_here() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case("on-reader");
    case.make("pin", PIN);
    let (pending, question) = case.shown(1);
    assert_eq!((question.unlocks[0].entry, question.unlocks[0].key), (Entry::Reader, None));
    case.agent().confirm(&question, None);
    assert_eq!(answer(pending)["state"], "completed");
    assert_eq!(case.logins(), [USER]);
}

#[test]
fn a_key_that_wants_its_pin_each_time_asks_the_person_each_time() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case("always-authenticate");
    let (pending, question) = case.shown(2);
    case.agent().confirm(&question, Some(PIN));
    let unlock = asked_each_time(&case);
    case.agent().give(question.approval, &unlock, PIN);
    let done = answer(pending);
    assert_eq!(items(&done), ["signed", "signed"], "{done}");
    assert_eq!(case.logins(), [USER, CONTEXT, USER, CONTEXT]);
}

/// Proves A34.
#[test]
fn a_batch_stops_at_the_first_pin_that_is_refused() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case("always-authenticate");
    let (pending, question) = case.shown(4);
    case.agent().confirm(&question, Some(PIN));
    let unlock = asked_each_time(&case);
    case.agent().give(question.approval, &unlock, "111111");
    let done = answer(pending);
    let wrong = "pin-incorrect";
    assert_eq!(items(&done), ["signed", wrong, wrong, wrong], "{done}");
    // The wrong one was tried once, and nothing after it.
    let contexts = case.logins().iter().filter(|user| *user == CONTEXT).count();
    assert_eq!(contexts, 2, "{:?}", case.logins());
}

#[test]
fn a_no_in_the_window_of_a_module_is_the_persons_no() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case("cancel-in-login");
    let (pending, question) = case.shown(1);
    case.agent().confirm(&question, Some(PIN));
    assert_eq!(case.agent().dismissed(&question), Outcome::Denied);
    assert_eq!(answer(pending)["state"], "denied");
    assert_eq!(case.logins(), [USER], "it is not tried again");
}

#[test]
fn somebody_who_is_logged_in_already_is_no_failure() {
    let Some(desk) = Desk::new() else { return };
    desk.case("shares-logins").signs_with_its_own();
}

/// Proves A34.
#[test]
fn a_pin_goes_to_no_other_token_than_the_one_it_was_given_for() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case("changed-token");
    let (pending, question) = case.shown(1);
    case.make("changed", "");
    case.agent().confirm(&question, Some(PIN));
    while !matches!(case.agent().hears(), Some((ToTray::AwaitToken { .. }, _))) {}
    assert_eq!(case.logins(), [""; 0]);
    // The right one is put back.
    fs::remove_file(beside(case.module(), "changed")).unwrap();
    let unlock = case.agent().asked_for_secret();
    case.agent().give(question.approval, &unlock, PIN);
    assert_eq!(answer(pending)["state"], "completed");
    assert_eq!(case.logins(), [USER]);
}

/// Proves A34.
#[test]
fn a_login_ends_with_its_approval() {
    let Some(desk) = Desk::new() else { return };
    // Not while it signs: a host that never comes back from that is in `faults.rs`.
    let case = desk.case("wait-in-sign");
    let (pending, question) = case.shown(1);
    let before = case.hosts();
    case.agent().confirm(&question, Some(PIN));
    until("the module signs", || beside(case.module(), "reached").exists().then_some(()));
    let at_work = case.hosts();
    assert!(at_work.iter().all(|host| before.contains(host)), "the host that was opened does the work");
    case.make("go", "");
    assert_eq!(answer(pending)["state"], "completed");
    fs::remove_file(beside(case.module(), "go")).unwrap();
    // The next one begins without any login: another host asks for the PIN, which is wrong now.
    let (pending, question) = case.shown(1);
    let fresh = case.hosts();
    case.agent().confirm(&question, Some("111111"));
    case.agent().asked_for_secret();
    case.agent().deny(&question);
    assert_eq!(answer(pending)["state"], "denied");
    assert!(fresh.iter().any(|host| !at_work.contains(host)), "{fresh:?} {at_work:?}");
    assert_eq!(case.logins(), [USER, USER]);
}
