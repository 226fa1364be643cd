//! The last try: used where the person said so of this very PIN, and never else.

use signer_ipc::{
    message::{Entry, Outcome, SecretReason, ToTray},
    token_host::{LastTry, TriesLeft},
};

use crate::desk::{Case, Desk, PIN, answer};

/// How the next secret is asked for, and why.
fn asked(case: &Case<'_>) -> (signer_ipc::message::Unlock, SecretReason) {
    loop {
        if let (ToTray::AskSecret { unlock, reason, .. }, _) = case.agent().hears().expect("the service asks")
        {
            return (unlock, reason);
        }
    }
}

fn code(outcome: &Outcome) -> &str {
    match outcome {
        Outcome::Failed { code, .. } => code,
        Outcome::Approved | Outcome::Cancelled | Outcome::Denied | Outcome::Expired => "no code",
    }
}

/// Proves A32.
#[test]
fn without_the_persons_word_nothing_is_tried() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case("last-try");
    let (pending, question) = case.shown(1);
    assert_eq!((question.unlocks[0].entry, question.unlocks[0].tries_left), (Entry::Pin, TriesLeft::Last));
    // Whoever asks forgets to ask; the token host does not.
    case.agent().confirm(&question, Some(PIN));
    let (unlock, reason) = asked(&case);
    assert_eq!((reason, unlock.tries_left), (SecretReason::LastTry, TriesLeft::Last));
    assert_eq!(case.logins(), [""; 0]);
    // And once more: then it is over.
    case.agent().give(question.approval, &unlock, PIN);
    assert_eq!(code(&case.agent().dismissed(&question)), "pin-last-try");
    assert_eq!(answer(pending)["error"]["code"], "pin-last-try");
    assert_eq!(case.logins(), [""; 0]);

    // With it, the right PIN signs, and is tried once.
    let (pending, question) = case.shown(1);
    case.agent().risk(&question, Some(PIN));
    assert_eq!(answer(pending)["state"], "completed");
    assert_eq!(case.logins().len(), 1);
}

/// Proves A32.
#[test]
fn a_last_try_that_nobody_knew_of_is_noticed_right_before_the_pin_goes() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case("last-try-later");
    let (pending, question) = case.shown(1);
    assert_eq!(question.unlocks[0].tries_left, TriesLeft::Unknown);
    // Another program used up the others meanwhile.
    case.make("last", "");
    case.agent().confirm(&question, Some("111111"));
    let (unlock, reason) = asked(&case);
    assert_eq!((reason, unlock.tries_left), (SecretReason::LastTry, TriesLeft::Last));
    assert_eq!(case.logins(), [""; 0]);
    // The person risks it and is wrong.
    case.agent().give_as(question.approval, &unlock, "111111", LastTry::Confirmed);
    let outcome = case.agent().dismissed(&question);
    assert_eq!(code(&outcome), "pin-locked");
    assert_eq!(answer(pending)["error"]["code"], "pin-locked");
    assert_eq!(case.logins().len(), 1);
}

#[test]
fn a_token_without_flags_says_nothing_of_tries_and_nothing_is_made_up() {
    let Some(desk) = Desk::new() else { return };
    // As some tokens do, which answer a wrong PIN with a general error.
    let case = desk.case("flagless-wrong-pin-is-5");
    let (pending, question) = case.shown(1);
    assert_eq!(question.unlocks[0].tries_left, TriesLeft::Unknown);
    case.agent().confirm(&question, Some("111111"));
    let (unlock, reason) = asked(&case);
    assert_eq!((reason, unlock.tries_left), (SecretReason::Incorrect, TriesLeft::Unknown));
    case.agent().give(question.approval, &unlock, PIN);
    assert_eq!(answer(pending)["state"], "completed");
    assert_eq!(case.logins().len(), 2, "each PIN that was typed was tried once");
}

#[test]
fn a_locked_pin_is_said_before_it_is_asked_for() {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case("locked-pin");
    let (pending, question) = case.shown(1);
    assert_eq!(question.unlocks[0].entry, Entry::Locked);
    case.agent().confirm(&question, None);
    assert_eq!(code(&case.agent().dismissed(&question)), "pin-locked");
    assert_eq!(answer(pending)["error"]["code"], "pin-locked");
    assert_eq!(case.logins(), [""; 0]);
}
