//! `cybercore-signer approve` on a terminal of its own, with a person of the test at the keyboard.
#![cfg(target_os = "linux")]

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use signer_core::audit::{Event, Outcome};
use signer_ipc::message::Lasting;
use signer_tests::{
    agent::Agent,
    documents::{Layout, document},
    http::Answer,
    judges,
    keyboard::Terminal,
    page::{Page, Pending},
    service::{Login, Service, send_signal},
    signing::PASSWORD,
    softhsm::{SoftHsm, faulty_module},
};

const KEY: &str = "ecpf-a1-moderno.p12";
const WORD: &str = "Type 'approve' or 'deny': ";
const PAIRING_WORD: &str = "Type 'approve' or 'deny'; with 'always' after it, the answer is remembered: ";
const SECRET: &str = "Certificate password: ";

const RISK: &str = "Type 'risk' to use the last try, or 'deny': ";

/// The one-call form: the answer is the signed document.
fn ask_to_sign(page: &Page) -> Pending {
    let document = document(Layout::Table, 2, 20_000);
    let line = "POST /ccsp/v1/signatures?name=contrato.pdf&seal=default&reason=Aprovo";
    page.begin(line, &[("Content-Type", "application/pdf")], &document)
}

fn answer(pending: Pending) -> Answer {
    pending.answer().expect("an answer")
}

/// A service with a terminal agent, and a page that the person let in there.
fn seated(login: &Login) -> (Service, Terminal, Page) {
    let service = login.start();
    let terminal = Terminal::open(login, &[]);
    terminal.wait_for("Ready: ");
    let pending = Page::ask_to_pair(&service);
    terminal.wait_for(PAIRING_WORD);
    terminal.enter("approve");
    let page = Page::of(&service, &answer(pending));
    terminal.wait_for("Approved and done.");
    (service, terminal, page)
}

fn outcomes(login: &Login) -> Vec<Outcome> {
    let outcome = |event| match event {
        Event::Intent => None,
        Event::Outcome(outcome) => Some(outcome),
    };
    login.trail().iter().filter_map(|record| outcome(record.entry.event)).collect()
}

/// Proves A20.
#[test]
fn a_person_sees_the_facts_types_the_word_and_the_secret_and_others_accept_the_result() {
    let login = Login::with_key(KEY);
    let (_service, terminal, page) = seated(&login);
    let pending = ask_to_sign(&page);
    let shown = terminal.wait_for(WORD);
    for fact in [
        "Site: erp.example (https://erp.example)",
        "wants to sign a document",
        "Reason: “Aprovo”",
        "Document 1: “contrato.pdf”",
        "2 pages, seal on page 2",
        "SHA-256 ",
        "Certificate 1: ANA FICTICIA DE TESTE DA SILVA, ***.456.789-**",
        "A1 (file) “ecpf-a1-moderno.p12”",
        "Will be denied in 120 s",
    ] {
        assert!(shown.contains(fact), "{fact}: {shown}");
    }
    // Neither an abbreviation nor the word of another language.
    for other in ["", "y", "aprovar", "approve always"] {
        terminal.enter(other);
        terminal.wait_for("Not understood");
        terminal.wait_for(WORD);
    }
    terminal.enter("approve");
    terminal.wait_for(SECRET);
    terminal.enter("marker-of-a-wrong-one");
    terminal.wait_for("Incorrect.");
    terminal.wait_for(SECRET);
    terminal.enter(PASSWORD);
    let answer = answer(pending);
    assert_eq!((answer.status, answer.field("content-type")), (200, Some("application/pdf")));
    terminal.wait_for("Approved and done.");

    let signed = tempfile::NamedTempFile::new().unwrap();
    signed.as_file().write_all(&answer.body).unwrap();
    if let Some(verdict) = judges::pdfsig(signed.path()) {
        assert_eq!((verdict.valid, verdict.signatures, verdict.total_document), (1, 1, true));
    }
    let screen = terminal.screen();
    assert!(!screen.contains(PASSWORD) && !screen.contains("marker-of-a-wrong-one"), "{screen}");
    assert_eq!(outcomes(&login), [Outcome::Approved, Outcome::Approved]);
}

#[test]
fn every_other_end_is_a_no() {
    let login = Login::with_key(KEY);
    let (service, terminal, page) = seated(&login);
    // The word, Ctrl-C at the word, Ctrl-C at the secret.
    for keys in [&["deny\n"][..], &["\u{3}"], &["approve\n", "\u{3}"]] {
        let pending = ask_to_sign(&page);
        for (question, key) in [WORD, SECRET].iter().zip(keys) {
            terminal.wait_for(question);
            terminal.type_keys(key);
        }
        assert_eq!(answer(pending).refusal(), (403, "approval-denied".to_owned()));
        terminal.wait_for("Denied.");
    }
    // The keyboard ends: a no, and the agent goes.
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    let status = terminal.close();
    assert_eq!(answer(pending).refusal(), (403, "approval-denied".to_owned()));
    assert!(status.success(), "{status}");
    assert_eq!(outcomes(&login), [vec![Outcome::Approved], vec![Outcome::Denied; 4]].concat());
    drop(service);
}

/// Proves A32.
#[test]
fn the_last_try_takes_a_word_of_its_own() {
    const PIN: &str = "482915";
    let place = tempfile::tempdir().unwrap();
    let Some(token) = SoftHsm::new(&place.path().join("hsm"), KEY, PIN) else { return };
    let module = faulty_module(place.path(), "last-try");
    let mut login = Login::new();
    login.set("SOFTHSM2_CONF", token.configuration());
    login.configure(&format!("[tokens]\nknown_modules = false\nmodules = [{module:?}]\n"));
    let (_service, terminal, page) = seated(&login);

    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    terminal.enter("approve");
    terminal.wait_for("CAUTION: ONE try is left. If the PIN is wrong, the token locks");
    for other in ["", "y", "approve", "arriscar"] {
        terminal.wait_for(RISK);
        terminal.enter(other);
        terminal.wait_for("Not understood");
    }
    terminal.wait_for(RISK);
    terminal.enter("deny");
    assert_eq!(answer(pending).refusal(), (403, "approval-denied".to_owned()));
    assert!(!place.path().join("faulty-last-try.so.logins").exists());

    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    terminal.enter("approve");
    terminal.wait_for(RISK);
    terminal.enter("risk");
    terminal.wait_for("Certificate PIN: ");
    terminal.enter(PIN);
    assert_eq!(answer(pending).status, 200);
}

#[test]
fn a_terminal_that_is_closed_at_a_question_is_a_no() {
    let login = Login::with_key(KEY);
    let (_service, terminal, page) = seated(&login);
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    drop(terminal);
    assert_eq!(answer(pending).refusal(), (403, "approval-denied".to_owned()));
}

/// Proves A20.
#[test]
fn a_secret_that_is_being_typed_when_the_request_ends_is_not_shown() {
    let login = Login::with_key(KEY);
    let (_service, terminal, page) = seated(&login);
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    terminal.enter("approve");
    terminal.wait_for(SECRET);
    terminal.type_keys("half-of");
    drop(pending);
    terminal.wait_for("Press Enter.");
    terminal.enter("-a-marker");
    terminal.wait_for("The request was withdrawn.");
    // The next one is asked as ever.
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    terminal.enter("deny");
    assert_eq!(answer(pending).refusal(), (403, "approval-denied".to_owned()));
    let screen = terminal.screen();
    assert!(!screen.contains("half-of") && !screen.contains("marker"), "{screen}");
}

/// Proves A20.
#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let login = Login::with_key(KEY);
    let (_service, terminal, page) = seated(&login);
    // Whole lines and a part of one, before anything is asked.
    terminal.type_keys("approve\napprove\nappro");
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    terminal.enter("ve");
    terminal.wait_for("Not understood");
    terminal.wait_for(WORD);
    terminal.type_keys("\u{3}");
    assert_eq!(answer(pending).refusal(), (403, "approval-denied".to_owned()));
}

/// Proves A23.
#[test]
fn a_killed_agent_is_nobody_and_not_a_no() {
    let login = Login::with_key(KEY);
    let (_service, terminal, page) = seated(&login);
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    send_signal(terminal.agent(), nix::sys::signal::Signal::SIGKILL);
    assert_eq!(answer(pending).refusal(), (503, "tray-unavailable".to_owned()));
    assert_eq!(ask_to_sign(&page).answer().unwrap().refusal(), (503, "tray-unavailable".to_owned()));
}

#[test]
fn a_request_that_is_taken_back_leaves_the_terminal() {
    let login = Login::with_key(KEY);
    let (_service, terminal, page) = seated(&login);
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    drop(pending);
    terminal.wait_for("The request was withdrawn.");
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    terminal.enter("deny");
    assert_eq!(answer(pending).refusal(), (403, "approval-denied".to_owned()));
}

/// Proves A20.
#[test]
fn a_pipe_cannot_answer() {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut command = Command::new("setsid");
    command.arg("--wait").arg(login.command().get_program()).arg("approve");
    login.surround(&mut command);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"approve\napprove\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("[tray-unavailable]") && said.contains("no terminal"), "{said}");
    assert!(!login.log().contains("somebody can ask the person"), "{}", login.log());
    drop(service);
}

#[test]
fn the_exit_code_tells_how_one_request_ended() {
    let login = Login::with_key(KEY);
    let alone = Terminal::open(&login, &["--once"]);
    alone.wait_for("[service-unavailable]");
    assert_eq!(alone.ended().code(), Some(1));

    let service = login.start();
    for (word, code) in [("approve always", 0), ("deny", 1)] {
        let terminal = Terminal::open(&login, &["--once"]);
        terminal.wait_for("Ready: ");
        let pending = Page::ask_to_pair(&service);
        terminal.wait_for(PAIRING_WORD);
        terminal.enter(word);
        answer(pending);
        assert_eq!(terminal.ended().code(), Some(code), "{word}");
    }
    // An agent ends well when the service does.
    let terminal = Terminal::open(&login, &[]);
    terminal.wait_for("Ready: ");
    assert!(service.stop().success());
    terminal.wait_for("The service has ended.");
    assert!(terminal.ended().success());
}

#[test]
fn who_was_let_in_for_good_is_listed_and_taken_back() {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    Page::let_in(&service, &mut agent, Lasting::Always);
    let run = |words: &[&str]| {
        let output = login.command().args(words).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let (code, listed) = run(&["pairings", "list", "--json"]);
    assert_eq!(code, Some(0), "{listed}");
    assert!(listed.contains("https://erp.example"), "{listed}");
    let (code, said) = run(&["status", "--json"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("\"running\": true") && said.contains(&service.address.port().to_string()),
        "{said}"
    );
    let (code, said) = run(&["pairings", "remove", "https://erp.example"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("[service-running]"), "{said}");

    assert!(service.stop().success());
    assert_eq!(run(&["pairings", "remove", "https://other.example"]).0, Some(1));
    assert_eq!(run(&["pairings", "remove", "https://erp.example"]).0, Some(0));
    let (_, listed) = run(&["pairings", "list", "--json"]);
    assert!(!listed.contains("https://erp.example"), "{listed}");
    assert_eq!(run(&["status"]).0, Some(1));
}

#[test]
fn a_changed_line_of_the_trail_is_found() {
    let login = Login::with_key(KEY);
    let (service, terminal, page) = seated(&login);
    let pending = ask_to_sign(&page);
    terminal.wait_for(WORD);
    terminal.enter("deny");
    answer(pending);
    assert!(service.stop().success());
    let run = |words: &[&str]| {
        let output = login.command().args(words).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let (code, said) = run(&["audit", "verify"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("4 records, chain intact"), "{said}");
    let (code, said) = run(&["audit", "list", "--last", "1"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("denied") && !said.contains("intent"), "{said}");

    let file = login.audit().join("trail-000001.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("erp.example", "erq.example", 1)).unwrap();
    for words in [["audit", "verify"], ["audit", "list"]] {
        let (code, said) = run(&words);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("[audit-broken]") && said.contains("trail-000001.jsonl:2"), "{said}");
    }
}
