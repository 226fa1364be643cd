//! Whole requests through the desk, with real trays and terminals at the other end.

mod stage;

use signer_core::{
    approval::{
        Deadlines,
        summary::{Content, Document},
    },
    audit::{Event, Kind, Outcome as Told},
    credential::CredentialId,
    digest::DigestAlgorithm,
    moment::Moment,
    pdf::permission::SignatureType,
};
use signer_ipc::message::{ToTray, TrayAttachment, write_from_tray};

use super::*;
use crate::{
    ports::{RequestSubject, SignWork, SigningJob},
    sign::{SignError, Signer},
    token::client::TokenHost,
};
use stage::{PATIENCE, Stage, Tray, ended, lives, pairing, until, until_presented, yes};

const FAILED: fn(ErrorCode) -> Event = |code| Event::Outcome(Told::Failed(code));
/// A moment in which nobody answers.
const SHORT: Duration = Duration::from_millis(300);

fn config(terminal: TerminalUse, change: impl FnOnce(&mut Deadlines)) -> Config {
    // A busy machine is no failure here.
    let mut deadlines = Deadlines { recording: PATIENCE, summoning: PATIENCE, ..Deadlines::default() };
    change(&mut deadlines);
    let known_modules = crate::config::KnownModules::Ignored;
    Config { terminal, deadlines, known_modules, ..Config::default() }
}

fn alone() -> Config {
    config(TerminalUse::Fallback, |_| {})
}

#[test]
fn the_answer_is_what_the_person_said_and_is_written_down() {
    for (tray, outcome, told) in [
        (Tray::Yes, Outcome::Approved { choice: None }, Event::Outcome(Told::Approved)),
        (Tray::No, Outcome::Denied, Event::Outcome(Told::Denied)),
        (Tray::Careless, Outcome::Failed(ErrorCode::Internal), FAILED(ErrorCode::Internal)),
        (Tray::Dies, Outcome::Failed(ErrorCode::TrayUnavailable), FAILED(ErrorCode::TrayUnavailable)),
    ] {
        let stage = Stage::with(tray, &alone());
        let ended = ended(stage.ask(pairing()));
        assert_eq!(ended.outcome, outcome, "{tray:?}");
        assert_eq!(stage.trail(), [(Kind::Pairing, Event::Intent), (Kind::Pairing, told)]);
    }
}

#[test]
fn once_it_ends_nothing_is_asked_and_no_display_is_blamed() {
    let stage = Stage::with(Tray::Missing, &alone());
    assert_eq!(refused(&stage, pairing()), ErrorCode::TrayUnavailable);
    stage.desk.stop(Duration::ZERO);
    assert_eq!(ended(stage.ask(pairing())).outcome, Outcome::Cancelled);
}

#[test]
fn one_tray_serves_one_request_after_the_other() {
    let stage = Stage::with(Tray::Yes, &alone());
    let asked: Vec<_> = (0..4).map(|_| stage.ask(pairing())).collect();
    for asked in asked {
        assert_eq!(ended(asked).outcome, Outcome::Approved { choice: None });
    }
    assert_eq!(stage.trays().len(), 1);
    stage.desk.stop(Duration::ZERO);
    assert!(!lives(stage.trays()[0]));
}

#[test]
fn a_terminal_that_hangs_is_not_asked_again_while_there_is_another() {
    let stage =
        Stage::with(Tray::Missing, &config(TerminalUse::First, |deadlines| deadlines.presented = SHORT));
    let (_first, heard_first) = stage.terminal();
    let (_second, heard_second) = stage.terminal();
    until(|| stage.desk.agents().len() == 2);
    for told in [&heard_second, &heard_first] {
        assert_eq!(ended(stage.ask(pairing())).outcome, Outcome::Expired);
        assert!(matches!(told.recv_timeout(PATIENCE).unwrap().0, ToTray::Present { .. }));
        assert!(matches!(told.recv_timeout(PATIENCE).unwrap().0, ToTray::Dismiss { .. }));
    }
    assert!(heard_second.try_recv().is_err());
}

#[test]
fn a_tray_that_hangs_is_not_asked_again_and_is_ended() {
    let config = config(TerminalUse::Fallback, |deadlines| deadlines.presented = SHORT);
    let stage = Stage::with(Tray::Stops, &config);
    assert_eq!(ended(stage.ask(pairing())).outcome, Outcome::Expired);
    // Another one shows the next request; the one that hangs goes meanwhile.
    assert_eq!(ended(stage.ask(pairing())).outcome, Outcome::Expired);
    let trays = stage.trays();
    assert_eq!(trays.len(), 2);
    until(|| !lives(trays[0]));
    // The end takes the other one along.
    stage.desk.stop(Duration::ZERO);
    assert!(!lives(trays[1]));
}

#[test]
fn a_terminal_is_asked_where_the_tray_fails_before_it_connects() {
    for tray in [Tray::Crashes, Tray::NoDisplay, Tray::StopsEarly] {
        let config = config(TerminalUse::Fallback, |deadlines| deadlines.summoning = PATIENCE);
        // Half of it must be enough for a machine that is busy.
        let short =
            Config { deadlines: Deadlines { summoning: SHORT * 10, ..config.deadlines }, ..config.clone() };
        // One that fails is known to, one that hangs is waited for.
        let stage = Stage::with(tray, if matches!(tray, Tray::StopsEarly) { &short } else { &config });
        let (mut terminal, told) = stage.terminal();
        let asked = stage.ask(pairing());
        let told = told.recv_timeout(PATIENCE);
        let (message, summary) =
            told.unwrap_or_else(|error| panic!("{tray:?}: {error}, {:?}", *asked.state.borrow()));
        let ToTray::Present { approval, .. } = message else { panic!("{message:?}") };
        write_from_tray(&mut terminal, &yes(approval, &summary.unwrap()), &TrayAttachment::Nothing).unwrap();
        assert_eq!(ended(asked).outcome, Outcome::Approved { choice: None }, "{tray:?}");
        until(|| stage.trays().iter().all(|tray| !lives(*tray)));
    }
}

#[test]
fn without_a_terminal_a_tray_that_fails_is_a_failure_at_once() {
    for (terminal, tray) in [
        (TerminalUse::Fallback, Tray::Crashes),
        (TerminalUse::First, Tray::NoDisplay),
        (TerminalUse::Never, Tray::Crashes),
    ] {
        let stage = Stage::with(tray, &config(terminal, |deadlines| deadlines.summoning = PATIENCE * 2));
        let ended = ended(stage.ask(pairing()));
        assert_eq!(ended.outcome, Outcome::Failed(ErrorCode::TrayUnavailable), "{tray:?}");
    }
}

#[test]
fn what_a_tray_found_out_of_the_display_counts_for_a_while() {
    let stage = Stage::with(Tray::NoDisplay, &alone());
    assert!(stage.desk.can_ask());
    ended(stage.ask(pairing()));
    assert!(!stage.desk.can_ask());
    assert_eq!(refused(&stage, pairing()), ErrorCode::TrayUnavailable);
    let _terminal = stage.terminal();
    assert!(stage.desk.can_ask());
}

#[test]
fn requests_that_nobody_can_be_asked_leave_an_outcome_each_but_no_flood() {
    let stage = Stage::with(Tray::Missing, &alone());
    assert!(!stage.desk.can_ask());
    assert_eq!(refused(&stage, pairing()), ErrorCode::TrayUnavailable);
    for _ in 0..40 {
        assert_eq!(refused(&stage, RequestSubject::Selection), ErrorCode::TrayUnavailable);
    }
    // Anybody may ask to be let in; that concerns no key.
    until(|| stage.trail().len() == 16);
    assert_eq!(stage.trail(), [(Kind::Selection, FAILED(ErrorCode::TrayUnavailable)); 16]);
}

#[test]
fn a_request_for_a_certificate_that_is_not_there_is_written_down_before_it_is_answered() {
    let stage = Stage::with(Tray::Yes, &alone());
    let ended = ended(stage.ask(signature()));
    assert_eq!(ended.outcome, Outcome::Failed(ErrorCode::CredentialNotFound));
    assert_eq!(stage.trail(), [(Kind::Signature, FAILED(ErrorCode::CredentialNotFound))]);
    assert_eq!(stage.trays().len(), 0);
}

#[test]
fn a_client_whose_requests_wait_is_busy_and_that_is_written_down() {
    let stage = Stage::with(Tray::Waits, &alone());
    let mut shown = stage.ask(pairing());
    let waiting: Vec<_> = (0..4).map(|_| stage.ask(pairing())).collect();
    assert_eq!(refused(&stage, RequestSubject::Selection), ErrorCode::ApprovalBusy);
    until_presented(&mut shown);
    // One that is taken back while it waits makes room, and is nobody's matter.
    waiting[0].cancel.cancel();
    let mut waiting = waiting.into_iter();
    assert_eq!(ended(waiting.next().unwrap()).outcome, Outcome::Cancelled);
    let other = stage.try_ask("https://b.example", pairing()).unwrap();
    until(|| stage.trail().len() == 2);
    let refusal = (Kind::Selection, FAILED(ErrorCode::ApprovalBusy));
    assert!(stage.trail().contains(&refusal), "{:?}", stage.trail());
    stage.desk.stop(Duration::ZERO);
    for asked in waiting.chain([shown, other]) {
        assert_eq!(ended(asked).outcome, Outcome::Cancelled);
    }
}

#[test]
fn one_that_is_taken_back_while_it_is_shown_makes_way_for_the_next() {
    let stage = Stage::with(Tray::Waits, &alone());
    let mut first = stage.ask(pairing());
    let mut second = stage.ask(pairing());
    until_presented(&mut first);
    first.cancel.cancel();
    assert_eq!(ended(first).outcome, Outcome::Cancelled);
    until_presented(&mut second);
    second.cancel.cancel();
    assert_eq!(ended(second).outcome, Outcome::Cancelled);
}

#[test]
fn the_end_cancels_what_is_shown_and_leaves_nobody() {
    let stage = Stage::with(Tray::Waits, &alone());
    let mut shown = stage.ask(pairing());
    until_presented(&mut shown);
    let tray = stage.trays()[0];
    stage.desk.stop(Duration::ZERO);
    assert!(!lives(tray));
    assert_eq!(ended(shown).outcome, Outcome::Cancelled);
    let cancelled = (Kind::Pairing, Event::Outcome(Told::Cancelled));
    assert_eq!(stage.trail().last(), Some(&cancelled));
    // What comes later is not shown to anybody.
    assert_eq!(ended(stage.ask(pairing())).outcome, Outcome::Cancelled);
    assert_eq!(stage.trays().len(), 1);
}

fn refused(stage: &Stage, subject: RequestSubject) -> ErrorCode {
    stage.try_ask("https://a.example", subject).map(|asked| asked.number).unwrap_err()
}

/// A signature with a certificate that nobody has.
fn signature() -> RequestSubject {
    let document = Document {
        name: "contrato.pdf".to_owned(),
        content: Content::Raw,
        digest: DigestAlgorithm::Sha256.digest(b"contrato"),
    };
    RequestSubject::Signature {
        certificate: CredentialId::parse(&"11".repeat(32)),
        jobs: vec![SigningJob { document, work: Box::new(Nothing) }],
        reason: None,
        signature_type: SignatureType::Approval,
    }
}

/// Work that is never done.
struct Nothing;

impl SignWork for Nothing {
    fn sign(self: Box<Self>, _: &mut TokenHost, _: &Signer, _: Moment) -> Result<(), SignError> {
        panic!("nobody confirmed it")
    }
}
