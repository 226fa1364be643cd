//! Letting clients in, and what they see then.

use std::io::Write as _;

use serde_json::{Value, json};
use signer_core::error::ErrorCode;
use signer_ipc::message::Lasting;
use signer_service::ccsp::Limits;

use crate::{
    hostile::wait_until,
    http::connect,
    person::Reaction,
    server::{SITE, Server},
};

fn refusal(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[test]
fn a_client_is_let_in_once_by_the_person() {
    let server = Server::start();
    server.person.will(&[Reaction::Yes(Lasting::Always)]);
    let answer = server.ask_to_pair(Some(SITE), &json!(["sign", "certificates", "sign"]));
    assert_eq!(answer.status, 201);
    let granted = answer.json();
    let token = granted["token"].as_str().unwrap();
    assert!(token.len() >= 43 && token.starts_with("ccsp_"));
    assert_eq!(granted["client"], SITE);
    assert_eq!(granted["scopes"], json!(["certificates", "sign"]));
    assert!(granted["expiresAt"].as_str().unwrap() > granted["createdAt"].as_str().unwrap());
    assert_eq!(*server.person.asked.lock().unwrap(), ["https://erp.example pairs for [Certificates, Sign]"]);
    let stored = std::fs::read_to_string(server.directory.path().join("pairings.json")).unwrap();
    assert!(stored.contains(SITE) && !stored.contains(token));
}

#[test]
fn requests_that_do_not_fit_are_refused_before_anybody_is_asked() {
    let server = Server::start();
    let json = ("Content-Type", "application/json");
    for body in [
        "",
        "{",
        "null",
        r#"{"scopes":[]}"#,
        r#"{"scopes":["sign"],"origin":"https://bank.example"}"#,
        r#"{"scopes":["sign"],"pin":"1234"}"#,
        r#"{"scopes":["admin"]}"#,
        r#"{"scopes":["sign"]}{}"#,
        "\u{feff}{\"scopes\":[\"sign\"]}",
    ] {
        let answer = server.ask("POST /ccsp/v1/pairings", &[("Origin", SITE), json], body.as_bytes());
        assert_eq!(answer.refusal(), refusal(400, "request-malformed"), "{body}");
        assert!(answer.json()["detail"].is_string());
    }
    let not_text = server.ask("POST /ccsp/v1/pairings", &[json], b"{\"scopes\":[\"\xff\"]}");
    assert_eq!(not_text.refusal(), refusal(400, "request-malformed"));
    server.assert_untouched();
}

#[test]
fn a_no_is_remembered_without_a_window() {
    let server = Server::start();
    let never = "https://never.example";
    server.person.will(&[Reaction::No(Lasting::Once), Reaction::No(Lasting::Always)]);
    for origin in [SITE, SITE, never, never] {
        let answer = server.ask_to_pair(Some(origin), &json!(["sign"]));
        assert_eq!(answer.refusal(), refusal(403, "approval-denied"));
    }
    assert_eq!(server.person.questions(), 2);
    assert_eq!(server.pairings.list(0).unwrap().1.len(), 1);
    let forgetful = Server::with(
        "ecpf-a1-moderno.p12",
        Limits { refusal: std::time::Duration::ZERO, ..Limits::default() },
    );
    forgetful.person.will(&[Reaction::No(Lasting::Once), Reaction::No(Lasting::Once)]);
    for _ in 0..2 {
        forgetful.ask_to_pair(Some(SITE), &json!(["sign"]));
    }
    assert_eq!(forgetful.person.questions(), 2);
}

#[test]
fn every_end_of_a_question_has_its_code() {
    let server = Server::start();
    for (reaction, status, code) in [
        (Reaction::Nothing, 504, "approval-expired"),
        (Reaction::Nobody(ErrorCode::TrayUnavailable), 503, "tray-unavailable"),
        (Reaction::Nobody(ErrorCode::ApprovalBusy), 429, "approval-busy"),
        (Reaction::Nobody(ErrorCode::AuditUnavailable), 503, "audit-unavailable"),
        (Reaction::Failure(ErrorCode::TrayUnavailable), 503, "tray-unavailable"),
        (Reaction::Failure(ErrorCode::PinLocked), 403, "pin-locked"),
        (Reaction::No(Lasting::Once), 403, "approval-denied"),
    ] {
        server.person.will(&[reaction]);
        let answer = server.ask_to_pair(Some(SITE), &json!(["sign"]));
        assert_eq!(answer.refusal(), refusal(status, code));
    }
    assert_eq!(server.pairings.list(0).unwrap().0, []);
}

#[test]
fn a_client_that_goes_takes_its_question_along() {
    let server = Server::start();
    server.person.will(&[Reaction::Look]);
    let body = r#"{"scopes":["sign"]}"#;
    let mut stream = connect(server.address);
    let request = format!(
        "POST /ccsp/v1/pairings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    wait_until(|| server.person.questions() == 1);
    drop(stream);
    wait_until(|| server.person.withdrawn() == 1);
    assert_eq!(server.pairings.list(0).unwrap().0, []);
}

#[test]
fn answers_speak_the_language_of_who_asks() {
    let server = Server::start();
    let title = |languages: &str| {
        let answer = server.ask("GET /nothing", &[("Accept-Language", languages)], b"");
        (answer.field("content-language").unwrap().to_owned(), answer.json()["title"].to_string())
    };
    let (portuguese, english) = (title("pt-BR,pt;q=0.9,en;q=0.8"), title("en-GB"));
    assert_eq!((portuguese.0.as_str(), english.0.as_str()), ("pt-BR", "en"));
    assert_ne!(portuguese.1, english.1);
    assert_eq!(title("ja"), portuguese);
}

#[test]
fn certificates_are_told_masked_and_marked() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let answer = site.ask("GET /ccsp/v1/certificates");
    let text = String::from_utf8(answer.body.clone()).unwrap();
    assert!(!text.contains("12345678909") && !text.contains("do-not-tell"), "{text}");
    let list = answer.json();
    let [valid, expired] = list["certificates"].as_array().unwrap().as_slice() else { panic!("{list}") };
    assert_eq!((&valid["state"], &valid["kind"]), (&json!("valid"), &json!("a1")));
    assert_eq!((&expired["state"], &expired["kind"]), (&json!("expired"), &json!("a3")));
    assert_eq!(valid["holder"]["identifier"], "***.456.789-**");
    assert_eq!(valid["algorithms"][0], "RSA-SHA-256");
    assert!(valid["notAfter"].as_str().unwrap().ends_with("+00:00"));

    let id = valid["id"].as_str().unwrap();
    let single = site.ask(&format!("GET /ccsp/v1/certificates/{id}")).json();
    assert_eq!(single["id"], id);
    let chain = single["chain"].as_array().unwrap();
    assert!(chain.len() > 1 && chain.iter().all(|der| der.as_str().unwrap().starts_with("MII")));
    for other in ["x", &id[..16], "selection", "%FF", "..%2f..%2fetc%2fpasswd"] {
        let status = site.ask(&format!("GET /ccsp/v1/certificates/{other}")).status;
        assert!(matches!(status, 404 | 405 | 400), "{other}: {status}");
    }
    let answer = site.ask("GET /ccsp/v1/certificates/x");
    assert_eq!(answer.refusal(), refusal(404, "credential-not-found"));
}

#[test]
fn a_selection_tells_the_chosen_one_only() {
    let server = Server::start();
    let site = server.paired_for(Some(SITE), &json!(["sign"]));
    server.person.will(&[Reaction::Yes(Lasting::Once), Reaction::No(Lasting::Once)]);
    let chosen = site.ask("POST /ccsp/v1/certificates/selection").json();
    assert_eq!(chosen["state"], "valid");
    assert_ne!(chosen["chain"], Value::Null);
    let answer = site.ask("POST /ccsp/v1/certificates/selection");
    assert_eq!(answer.refusal(), refusal(403, "approval-denied"));
}
