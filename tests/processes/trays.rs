//! Trays that die, hang or say nothing: the request fails with its code, the service goes on, and
//! nothing of that is taken for a no.

use nix::sys::signal::Signal;
use signer_ipc::message::Outcome;
use signer_tests::{
    agent::Agent,
    page::Page,
    processes::is_alive,
    service::{Login, Service, send_signal, until},
    signing::PASSWORD,
    stage::Stage,
};

use crate::{assert_unsigned, ends, pdf, signs, staged};

const GONE: (u16, &str) = (503, "tray-unavailable");

fn refusal((status, code): (u16, &str)) -> (u16, String) {
    (status, code.to_owned())
}

/// A page that was let in at the window.
fn let_in(service: &Service, stage: &Stage) -> (Page, Agent, u32) {
    let pending = Page::ask_to_pair(service);
    let started = stage.next();
    let process = started.process;
    let mut agent = started.connect().unwrap();
    let question = agent.question();
    agent.confirm(&question, None);
    (Page::of(service, &pending.answer().unwrap()), agent, process)
}

/// Proves A23.
#[test]
fn a_tray_that_dies_at_any_step_is_no_no() {
    let (login, stage) = staged();
    let service = login.start();
    // Before it connects.
    let pending = Page::ask_to_pair(&service);
    stage.next().tell("exit 70");
    assert_eq!(pending.answer().unwrap().refusal(), refusal(GONE));
    // Killed before it connects.
    let pending = Page::ask_to_pair(&service);
    send_signal(stage.next().process, Signal::SIGKILL);
    assert_eq!(pending.answer().unwrap().refusal(), refusal(GONE));
    // While the question is on the screen.
    let pending = Page::ask_to_pair(&service);
    let started = stage.next();
    let process = started.process;
    let agent = started.connect().unwrap();
    agent.question();
    send_signal(process, Signal::SIGKILL);
    assert_eq!(pending.answer().unwrap().refusal(), refusal(GONE));
    assert!(agent.hears().is_none());
    // Nobody said no: the next question is asked, by a new tray.
    let (page, agent, process) = let_in(&service, &stage);
    // While the document is shown.
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    agent.question();
    send_signal(process, Signal::SIGKILL);
    assert_unsigned(&page, &pending.answer().unwrap().json(), "failed", "tray-unavailable");
    // While the secret is asked for.
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let started = stage.next();
    let process = started.process;
    let mut agent = started.connect().unwrap();
    let question = agent.question();
    agent.confirm(&question, None);
    agent.asked_for_secret();
    send_signal(process, Signal::SIGKILL);
    assert_unsigned(&page, &pending.answer().unwrap().json(), "failed", "tray-unavailable");
    let gone = || "tray-unavailable".to_owned();
    assert_eq!(ends(&login.trail()), [gone(), gone(), gone(), "approved".to_owned(), gone(), gone()]);
}

#[test]
fn a_tray_that_never_connects_is_given_up() {
    let (login, stage) = staged();
    let service = login.start();
    let pending = Page::ask_to_pair(&service);
    let silent = stage.next();
    assert_eq!(pending.answer().unwrap().refusal(), refusal(GONE));
    let process = silent.process;
    until("it is ended", || (!is_alive(process)).then_some(()));
    assert_eq!(ends(&login.trail()), ["tray-unavailable"]);
}

#[test]
fn a_tray_that_reads_nothing_holds_up_nobody() {
    let (login, stage) = staged();
    let service = login.start();
    let (page, agent, process) = let_in(&service, &stage);
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    agent.question();
    send_signal(process, Signal::SIGSTOP);
    assert_eq!(service.ask("GET /ccsp/v1/status", &[], b"").status, 200);
    // The client goes, and with it its question.
    let mut waiting = Vec::new();
    for _ in 0..3 {
        waiting.push(page.ask_to_sign(&page.upload(&pdf())));
    }
    assert_eq!(service.ask("GET /ccsp/v1/status", &[], b"").status, 200);
    assert!(service.stop().success());
    for pending in waiting.into_iter().chain([pending]) {
        let answer = pending.answer().unwrap().json();
        assert_eq!(answer["state"], "cancelled", "{answer}");
    }
    // Only the one that was shown left an intent.
    assert_eq!(ends(&login.trail()).iter().filter(|end| *end == "intent").count(), 0);
    until("the stopped tray is ended, too", || (!is_alive(process)).then_some(()));
}

#[test]
fn a_wrong_password_is_asked_for_again_and_a_no_is_a_no() {
    let login = Login::with_key(crate::KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, signer_ipc::message::Lasting::Once);
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    agent.confirm(&question, Some("not the password"));
    let unlock = agent.asked_for_secret();
    assert_ne!(Some(&unlock), question.unlocks.first(), "each try has its own key");
    agent.give(question.approval, &unlock, PASSWORD);
    assert_eq!(pending.answer().unwrap().json()["state"], "completed");
    assert_eq!(agent.dismissed(&question), Outcome::Approved);
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    agent.deny(&question);
    assert_unsigned(&page, &pending.answer().unwrap().json(), "denied", "approval-denied");
    assert_eq!(ends(&login.trail()), ["approved", "approved", "denied"]);
    signs(&page, &mut agent);
}
