//! The whole way: curl asks, the real service starts the real window, a person answers at the
//! keyboard, and the signed document comes back, or the reason why not. As a user without rights.
#![cfg(target_os = "linux")]

#[path = "journey/person.rs"]
mod person;

use std::fs;

use serde_json::json;
use signer_core::{
    audit::{Event, Kind, Outcome},
    error::ErrorCode,
};
use signer_tests::{
    documents::{Layout, document},
    judges::{self, PyHanko},
};

use crate::person::{Journey, failed};

const ONE_CALL: &str = "/ccsp/v1/signatures?name=contrato.pdf";

#[test]
fn a_person_lets_a_program_in_and_signs_what_it_uploads() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let Some(mut journey) = Journey::begin() else { return };
    journey.pair();
    let original = document(Layout::Table, 2, 40_000);
    let uploaded = journey.send("/ccsp/v1/documents", "application/pdf", &original, &[]).answered();
    assert_eq!(uploaded.status, 201, "{}", uploaded.json());
    let item = json!({ "name": "contrato.pdf", "document": uploaded.json()["id"] });
    let request = json!({ "format": "pades", "items": [item] }).to_string();
    let wait = ["--header", "Prefer: wait=120"];
    let asked = journey.send("/ccsp/v1/signatures", "application/json", request.as_bytes(), &wait);
    let tray = journey.is_asked_to_sign("contrato.pdf");
    journey.assert_unprivileged(tray);
    journey.approves(tray);
    let done = asked.answered();
    assert_eq!(done.status, 200, "{}", done.json());
    assert_eq!(done.json()["state"], "completed", "{}", done.json());

    let content = done.json()["items"][0]["content"].as_str().unwrap().to_owned();
    let signed = journey.ask("GET", &content, &[]).answered();
    assert_eq!(signed.status, 200);
    assert!(signed.body.starts_with(&original) && signed.body.len() > original.len());
    let path = journey.path("home/signed.pdf");
    fs::write(&path, &signed.body).unwrap();
    let judgements = pyhanko.judge(&path, &judges::test_root()).unwrap();
    assert!(judgements.len() == 1 && judgements[0].ok && judgements[0].trusted, "{judgements:?}");
    if let Some(pdfsig) = judges::pdfsig(&path) {
        assert!(pdfsig.valid == 1 && pdfsig.total_document, "{pdfsig:?}");
    }
    let expected = [
        (Kind::Pairing, Event::Intent),
        (Kind::Pairing, Event::Outcome(Outcome::Approved)),
        (Kind::Signature, Event::Intent),
        (Kind::Signature, Event::Outcome(Outcome::Approved)),
    ];
    assert_eq!(journey.trail(), expected);
    journey.stop();
}

#[test]
fn what_is_not_approved_has_its_reason_and_no_document() {
    let Some(mut journey) = Journey::begin() else { return };
    journey.pair();
    let before = journey.trail().len();
    let original = document(Layout::Table, 1, 20_000);
    let mut expected = Vec::new();
    let ends: [(&str, End, u16, ErrorCode); 4] = [
        // First of all: the next request starts another window.
        ("killed", Journey::kill, 503, ErrorCode::TrayUnavailable),
        ("Escape", |journey, _| journey.desktop.press_keys(&["Escape"]), 403, ErrorCode::ApprovalDenied),
        ("closed", |journey, _| journey.desktop.press_keys(&["alt+F4"]), 403, ErrorCode::ApprovalDenied),
        ("button", press_no, 403, ErrorCode::ApprovalDenied),
    ];
    for (how, end, status, code) in ends {
        let asked = journey.send(ONE_CALL, "application/pdf", &original, &[]);
        let tray = journey.is_asked_to_sign("contrato.pdf");
        end(&journey, tray);
        let answered = asked.answered();
        assert_eq!((answered.status, answered.code()), (status, code.as_str().to_owned()), "{how}");
        assert_eq!(journey.spool(), [""; 0].map(std::path::PathBuf::from), "{how}");
        let outcome = match code {
            ErrorCode::ApprovalDenied => Event::Outcome(Outcome::Denied),
            other => failed(other),
        };
        expected.extend([(Kind::Signature, Event::Intent), (Kind::Signature, outcome)]);
        assert_eq!(journey.trail()[before..], expected, "{how}");
    }

    journey.start_with("[approval]\nanswer_seconds = 10\n");
    let asked = journey.send(ONE_CALL, "application/pdf", &original, &[]);
    journey.tray();
    let answered = asked.answered();
    assert_eq!((answered.status, answered.code()), (504, "approval-expired".to_owned()));
    assert_eq!(journey.spool(), [""; 0].map(std::path::PathBuf::from));
    expected.extend([(Kind::Signature, Event::Intent), (Kind::Signature, Event::Outcome(Outcome::Expired))]);
    assert_eq!(journey.trail()[before..], expected);
    journey.stop();
}

/// What ends a question, given the process that asks it.
type End = fn(&Journey, u32);

fn press_no(journey: &Journey, tray: u32) {
    journey.desktop.press_keys(&["Tab"]);
    // From the password to the no.
    journey.desktop.reads(tray, "the no has the keyboard", |reading| reading.has_focus("Deny"));
    journey.desktop.press_keys(&["space"]);
}
