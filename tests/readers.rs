//! Readers and cards that come, go, and are kept by others, seen by a real service: pcscd with
//! virtual readers and cards, OpenSC, and SoftHSM where a queue matters more than a card.
#![cfg(target_os = "linux")]

#[path = "readers/logind.rs"]
mod logind;
#[path = "readers/queue.rs"]
mod queue;

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};
use signer_ipc::message::{Lasting, ToTray};
use signer_tests::{
    agent::Agent,
    build_example,
    card::Reader,
    documents::{Layout, document},
    http,
    page::Page,
    service::{Login, Service, until},
    signing::signer,
};

const PIN: &str = "482915";
const FIRST: &str = "ecpf-a1-moderno.p12";
const SECOND: &str = "ecnpj-a1.p12";

/// A service that knows one module, a person at a terminal, and a page that was let in.
struct Desk {
    login: Login,
    service: Service,
    agent: Agent,
    page: Page,
}

impl Desk {
    fn new(module: &str) -> Self {
        let login = Login::new();
        login.configure(&format!("[tokens]\nknown_modules = false\nmodules = [{module:?}]\n"));
        Self::of(login)
    }

    fn of(login: Login) -> Self {
        let service = login.start();
        let mut agent = Agent::terminal(&login.endpoint());
        let page = Page::let_in(&service, &mut agent, Lasting::Always);
        Self { login, service, agent, page }
    }

    fn listed(&self) -> Vec<Value> {
        let answer = self.page.ask("GET /ccsp/v1/certificates");
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["certificates"].as_array().unwrap().clone()
    }

    /// Waits until so many certificates are listed.
    fn lists(&self, count: usize) -> Vec<Value> {
        until(&format!("{count} certificates"), || {
            let listed = self.listed();
            (listed.len() == count).then_some(listed)
        })
    }

    /// Signs a document with the PIN; what came of it.
    fn sign(&mut self) -> Value {
        let pending = self.page.ask_to_sign(&self.page.upload(&pdf()));
        let question = self.agent.question();
        self.agent.confirm(&question, Some(PIN));
        pending.answer().unwrap().json()
    }

    fn signs(&mut self) {
        let done = self.sign();
        assert_eq!(done["state"], "completed", "{done}\n{}", self.login.log());
    }
}

fn pdf() -> Vec<u8> {
    document(Layout::Table, 1, 20_000)
}

fn state(directory: &Path, name: &str) -> std::path::PathBuf {
    directory.join(name)
}

#[test]
fn a_card_is_seen_when_it_comes_and_gone_when_it_goes() {
    let Some(reader) = Reader::connect() else { return };
    let place = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(reader.module());
    assert_eq!(desk.listed(), Vec::<Value>::new());
    for _ in 0..2 {
        let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &[]);
        desk.lists(1);
        desk.signs();
        drop(card);
        desk.lists(0);
    }
    // Nothing is left of a card that is not there.
    let refused = desk.page.ask_to_sign(&desk.page.upload(&pdf())).answer().unwrap().json();
    assert_eq!(
        (&refused["state"], &refused["error"]["code"]),
        (&json!("failed"), &json!("credential-not-found"))
    );
}

#[test]
fn two_cards_are_two_certificates_and_each_signs() {
    let Some(reader) = Reader::connect() else { return };
    let place = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(reader.module());
    let first = reader.insert_in(0, FIRST, PIN, &state(place.path(), "first"), &[]);
    let alone = desk.lists(1)[0]["id"].clone();
    let second = reader.insert_in(1, SECOND, PIN, &state(place.path(), "second"), &[]);
    let both = desk.lists(2);
    assert!(both.iter().any(|one| one["id"] == alone) && both[0]["id"] != both[1]["id"], "{both:?}");
    desk.signs();
    // Whichever is taken away, the other one stays and signs.
    drop(first);
    assert_ne!(desk.lists(1)[0]["id"], alone);
    desk.signs();
    drop(second);
    desk.lists(0);
}

#[test]
fn a_smart_card_service_that_crashes_is_found_again() {
    let Some(mut reader) = Reader::connect() else { return };
    let place = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(reader.module());
    let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &[]);
    desk.lists(1);
    if !reader.kill_service() {
        return println!("left out: the smart card service is not this test's");
    }
    desk.lists(0);
    reader.start_service();
    drop(card);
    let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &[]);
    desk.lists(1);
    desk.signs();
    drop(card);
}

#[test]
fn a_service_that_begins_before_the_smart_card_service_finds_it() {
    let Some(mut reader) = Reader::connect() else { return };
    if !reader.kill_service() {
        return println!("left out: the smart card service is not this test's");
    }
    let place = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(reader.module());
    assert_eq!(desk.listed(), Vec::<Value>::new());
    reader.start_service();
    let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &[]);
    desk.lists(1);
    desk.signs();
    drop(card);
}

#[test]
fn a_card_taken_out_while_the_person_reads_is_waited_for() {
    let Some(reader) = Reader::connect() else { return };
    let place = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(reader.module());
    let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &[]);
    desk.lists(1);
    let pending = desk.page.ask_to_sign(&desk.page.upload(&pdf()));
    let question = desk.agent.question();
    drop(card);
    desk.agent.confirm(&question, Some(PIN));
    until("the agent hears that the token is waited for", || {
        desk.agent.hears().filter(|(message, _)| matches!(message, ToTray::AwaitToken { .. }))
    });
    let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &[]);
    let unlock = desk.agent.asked_for_secret();
    desk.agent.give(question.approval, &unlock, PIN);
    let done = pending.answer().unwrap().json();
    assert_eq!(done["state"], "completed", "{done}");
    drop(card);
}

#[test]
fn a_card_taken_out_while_it_signs_fails_this_request_only() {
    let Some(reader) = Reader::connect() else { return };
    let place = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(reader.module());
    let state = state(place.path(), "first");
    let card = reader.insert(FIRST, PIN, &state, &["--slow", "30"]);
    desk.lists(1);
    let pending = desk.page.ask_to_sign(&desk.page.upload(&pdf()));
    let question = desk.agent.question();
    desk.agent.confirm(&question, Some(PIN));
    // The counter is written when the PIN is right, just before the slow signature.
    until("the PIN reaches the card", || state.exists().then_some(()));
    drop(card);
    let failed = pending.answer().unwrap().json();
    assert_eq!(failed["state"], "failed", "{failed}");
    assert!(
        ["token-removed", "token-failed"].contains(&failed["error"]["code"].as_str().unwrap()),
        "{failed}"
    );
    let card = reader.insert(FIRST, PIN, &state, &[]);
    desk.lists(1);
    desk.signs();
    drop(card);
}

#[test]
fn a_card_that_another_program_keeps_is_told_with_the_programs_name() {
    let Some(reader) = Reader::connect() else { return };
    let place = tempfile::tempdir().unwrap();
    let mut desk = Desk::new(reader.module());
    let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &[]);
    let mut grabber = Command::new(build_example("card_grabber").join("card_grabber"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(grabber.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "grabbed\n");

    assert_eq!(desk.listed(), Vec::<Value>::new());
    let refused = desk.page.ask_to_sign(&desk.page.upload(&pdf())).answer().unwrap().json();
    assert_eq!(refused["error"]["code"], "token-in-use", "{refused}");
    // A page learns no more; a program of this machine is told who it may be.
    let bearer = format!("Bearer {}", program(&mut desk));
    let fields = [("Authorization", bearer.as_str()), ("Content-Type", "application/pdf")];
    let problem = http::ask(desk.service.address, "POST /ccsp/v1/signatures", &fields, &pdf()).json();
    assert_eq!(problem["code"], "token-in-use", "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("card_grabber"), "{problem}");
    let diagnosis = signer().args(["diagnose", "--json"]).output().unwrap();
    assert!(String::from_utf8_lossy(&diagnosis.stdout).contains("card_grabber"), "{diagnosis:?}");

    drop(grabber.stdin.take());
    assert!(grabber.wait().unwrap().success());
    desk.lists(1);
    desk.signs();
    drop(card);
}

/// Lets a program in; its token.
fn program(desk: &mut Desk) -> String {
    let body = json!({ "scopes": ["sign"] }).to_string();
    let fields = [("Content-Type", "application/json")];
    let address = desk.service.address;
    let asked =
        std::thread::spawn(move || http::ask(address, "POST /ccsp/v1/pairings", &fields, body.as_bytes()));
    let question = desk.agent.question();
    desk.agent.confirm_as(&question, question.shown, Lasting::Once, None);
    asked.join().unwrap().json()["token"].as_str().unwrap().to_owned()
}

#[test]
fn a_login_at_a_token_does_not_outlive_a_suspension() {
    let Some(reader) = Reader::connect() else { return };
    let Some(logind) = logind::Logind::start() else { return };
    let place = tempfile::tempdir().unwrap();
    let mut login = Login::new();
    login.set("DBUS_SYSTEM_BUS_ADDRESS", logind.address());
    login.configure(&format!("[tokens]\nknown_modules = false\nmodules = [{:?}]\n", reader.module()));
    let mut desk = Desk::of(login);
    let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &["--slow", "4"]);
    desk.lists(1);
    let items: Vec<_> = (0..3)
        .map(|number| json!({ "name": format!("{number}.pdf"), "document": desk.page.upload(&pdf()) }))
        .collect();
    let body = json!({ "format": "pades", "items": items }).to_string();
    let fields = [("Content-Type", "application/json"), ("Prefer", "wait=120")];
    let pending = desk.page.begin("POST /ccsp/v1/signatures", &fields, body.as_bytes());
    let question = desk.agent.question();
    desk.agent.confirm(&question, Some(PIN));
    logind.is_asked(Duration::from_secs(30));
    logind.suspend();
    let done = pending.answer().unwrap().json();
    let codes: Vec<_> = done["items"].as_array().unwrap().iter().map(|item| &item["error"]["code"]).collect();
    // What was begun is made; the next one finds no login.
    assert!(
        codes.contains(&&json!("token-login-ended")) || done["error"]["code"] == "token-login-ended",
        "{done}"
    );
    drop(card);
    let card = reader.insert(FIRST, PIN, &state(place.path(), "first"), &[]);
    desk.lists(1);
    desk.signs();
    drop(card);
}
