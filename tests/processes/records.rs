//! An audit trail that cannot be written: nobody is asked, nothing is signed.

use std::{fs, os::unix::fs::PermissionsExt as _};

use signer_ipc::message::{Lasting, Outcome};
use signer_tests::{agent::Agent, page::Page, service::Login, signing::PASSWORD};

use crate::{KEY, assert_unsigned, ends, pdf, signs};

const REFUSED: (u16, &str) = (503, "audit-unavailable");

/// Proves A18.
#[test]
fn without_a_trail_nobody_is_asked() {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    // A file where the folder was: not even root can write a trail there.
    let aside = login.path("audit-aside");
    fs::rename(login.audit(), &aside).unwrap();
    fs::write(login.audit(), "").unwrap();
    let pairing = Page::ask_to_pair(&service).answer().unwrap();
    assert_eq!(pairing.refusal(), (REFUSED.0, REFUSED.1.to_owned()));
    let document = page.upload(&pdf());
    let answer = page.ask_to_sign(&document).answer().unwrap();
    assert_eq!(answer.refusal(), (REFUSED.0, REFUSED.1.to_owned()));
    assert_eq!(page.ask("POST /ccsp/v1/certificates/selection").code(), REFUSED.1);
    assert!(service.hosts().is_empty(), "no key was looked for");
    // The trail is back, and so is the service; the first question since is this one.
    fs::remove_file(login.audit()).unwrap();
    fs::rename(aside, login.audit()).unwrap();
    let pending = page.ask_to_sign(&document);
    let question = agent.question();
    assert_eq!(question.summary.documents.len(), 1);
    agent.confirm(&question, Some(PASSWORD));
    assert_eq!(pending.answer().unwrap().json()["state"], "completed");
    let approved = ends(&login.trail()).into_iter().filter(|end| end == "approved").count();
    assert_eq!(approved, 2);
}

#[test]
fn a_trail_that_this_user_may_not_write_is_no_trail() {
    if nix::unistd::geteuid().is_root() {
        println!("left out: root may write everything");
        return;
    }
    let login = Login::with_key(KEY);
    fs::create_dir_all(login.audit()).unwrap();
    fs::set_permissions(login.audit(), fs::Permissions::from_mode(0o500)).unwrap();
    let service = login.start();
    let _agent = Agent::terminal(&login.endpoint());
    let refused = Page::ask_to_pair(&service).answer().unwrap();
    assert_eq!(refused.refusal(), (REFUSED.0, REFUSED.1.to_owned()));
}

/// Proves A18.
#[test]
fn a_signature_whose_outcome_cannot_be_written_down_is_destroyed() {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    let aside = login.path("audit-aside");
    fs::rename(login.audit(), &aside).unwrap();
    fs::write(login.audit(), "").unwrap();
    agent.confirm(&question, Some(PASSWORD));
    assert_unsigned(&page, &pending.answer().unwrap().json(), "failed", "audit-unavailable");
    let Outcome::Failed { code, .. } = agent.dismissed(&question) else { panic!("it did not fail") };
    assert_eq!(code, "audit-unavailable");
    // A pairing whose outcome cannot be written down lets nobody in.
    fs::remove_file(login.audit()).unwrap();
    fs::rename(&aside, login.audit()).unwrap();
    let pending = Page::ask_to_pair(&service);
    let question = agent.question();
    fs::rename(login.audit(), &aside).unwrap();
    fs::write(login.audit(), "").unwrap();
    agent.confirm_as(&question, question.shown, Lasting::Always, None);
    assert_eq!(pending.answer().unwrap().refusal(), (REFUSED.0, REFUSED.1.to_owned()));
    fs::remove_file(login.audit()).unwrap();
    fs::rename(aside, login.audit()).unwrap();
    assert!(!login.path("state/cybercore-signer/pairings.json").exists());
    signs(&page, &mut agent);
    assert_eq!(ends(&login.trail()), ["approved", "intent", "intent", "approved"]);
}

#[test]
fn a_trail_that_somebody_changed_is_not_written_on() {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    Page::let_in(&service, &mut agent, Lasting::Once);
    assert!(service.stop().success());
    let path = login.audit().join("trail-000001.jsonl");
    let trail = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{trail}nothing of ours\n")).unwrap();
    let service = login.start();
    let agent = Agent::terminal(&login.endpoint());
    let refused = Page::ask_to_pair(&service).answer().unwrap();
    assert_eq!(refused.refusal(), (REFUSED.0, REFUSED.1.to_owned()));
    fs::write(&path, trail).unwrap();
    let pending = Page::ask_to_pair(&service);
    agent.question();
    agent.vanish();
    assert_eq!(pending.answer().unwrap().refusal(), (503, "tray-unavailable".to_owned()));
    assert_eq!(ends(&login.trail()), ["approved", "tray-unavailable"]);
}
