//! What a client's words become: shown, told and written the same, and never a part of a field;
//! and what becomes of clients that do not take what they asked for.

use std::{io::Write as _, time::Duration};

use serde_json::json;
use signer_ipc::message::Lasting;
use signer_service::ccsp::Limits;
use signer_tests::documents::{Layout, document};

use crate::{
    hostile::wait_until,
    http::connect,
    person::Reaction,
    server::{SITE, Server},
};

const YES: Reaction = Reaction::Yes(Lasting::Once);
const PDF: [(&str, &str); 1] = [("Content-Type", "application/pdf")];

fn contains(document: &[u8], text: &str) -> bool {
    document.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn what_is_written_is_what_was_shown() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let id = site.upload(&document(Layout::Table, 1, 5000))["id"].clone();
    server.person.will(&[YES]);
    // Hidden: a direction that turns, a zero width, control characters.
    let request = json!({
        "format": "pades",
        "items": [{ "name": "../con\u{202e}trato\r\n\".pdf", "document": id }],
        "options": { "reason": "Con\u{200b}cor\u{7}do", "location": "Bra\u{202e}silia", "seal": "none" },
    });
    let fields = [("Content-Type", "application/json"), ("Prefer", "wait=120")];
    let done = site.ask_with("POST /ccsp/v1/signatures", &fields, request.to_string().as_bytes()).json();
    assert_eq!(done["state"], "completed", "{done}");
    assert_eq!(done["items"][0]["name"], "../contrato\".pdf");
    assert!(
        server.person.asked.lock().unwrap()[1]
            .ends_with(r#"signs ["../contrato\".pdf"] because Some("Concordo")"#),
        "{:?}",
        server.person.asked
    );
    let content = site.ask(&format!("GET {}", done["items"][0]["content"].as_str().unwrap()));
    // Whatever a document is called, nothing of it stands in a field.
    assert_eq!(content.field("content-disposition"), Some("attachment; filename=\"signed.pdf\""));
    assert!(contains(&content.body, "/Reason (Concordo)"));
    assert!(contains(&content.body, "/Location (Brasilia)"));
}

#[test]
fn a_reason_of_which_nothing_can_be_seen_is_none() {
    let server = Server::start();
    let program = server.paired(None);
    server.person.will(&[YES]);
    let line = "POST /ccsp/v1/signatures?reason=%E2%80%8B%20&seal=none";
    let answer = program.ask_with(line, &PDF, &document(Layout::Table, 1, 5000));
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(!contains(&answer.body, "/Reason"));
    assert!(server.person.asked.lock().unwrap()[1].ends_with("because None"));
}

#[test]
fn an_error_says_in_one_word_what_to_do() {
    let server = Server::start();
    let fields = [("Accept-Language", "pt-BR")];
    for (line, code, remedy) in [
        ("GET /ccsp/v1/nothing", "resource-not-found", "nothing"),
        ("GET /ccsp/v1/certificates", "pairing-required", "nothing"),
    ] {
        let problem = server.ask(line, &fields, b"").json();
        assert_eq!((&problem["code"], &problem["remedy"]), (&json!(code), &json!(remedy)));
    }
}

#[test]
fn the_one_call_form_has_no_idempotency_key() {
    let server = Server::start();
    let program = server.paired(None);
    let questions = server.person.questions();
    let fields = [PDF[0], ("Idempotency-Key", "k1")];
    let answer = program.ask_with("POST /ccsp/v1/signatures", &fields, &document(Layout::Table, 1, 5000));
    assert_eq!(answer.refusal(), (400, "request-malformed".to_owned()));
    assert_eq!(server.person.questions(), questions);
}

#[test]
fn a_client_that_does_not_take_its_document_loses_its_place() {
    let limits = Limits { requests: 1, body_pause: Duration::from_millis(500), ..Limits::default() };
    let server = Server::with("ecdsa-p256.p12", limits);
    let site = server.paired(Some(SITE));
    // More than the system holds for a connection.
    let id = site.upload(&document(Layout::Table, 1, 48 << 20))["id"].clone();
    server.person.will(&[YES]);
    let request = json!({ "format": "pades", "items": [{ "name": "a", "document": id }] });
    let fields = [("Content-Type", "application/json"), ("Prefer", "wait=120")];
    let done = site.ask_with("POST /ccsp/v1/signatures", &fields, request.to_string().as_bytes()).json();
    assert_eq!(done["state"], "completed", "{done}");
    let mut stream = connect(server.address);
    let head = format!(
        "GET {} HTTP/1.1\r\nHost: localhost\r\nOrigin: {SITE}\r\nAuthorization: Bearer {}\r\n\r\n",
        done["items"][0]["content"].as_str().unwrap(),
        site.token
    );
    stream.write_all(head.as_bytes()).unwrap();
    let current = || site.ask("GET /ccsp/v1/pairings/current").status;
    wait_until(|| current() == 429);
    wait_until(|| current() == 200);
    drop(stream);
}
