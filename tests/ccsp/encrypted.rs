//! Encrypted documents: one that everyone can open is signed like others; a password is not taken here.

use std::process::Command;

use serde_json::{Value, json};
use signer_ipc::message::Lasting;
use signer_tests::{
    documents::{Layout, document},
    judges::{self, PyHanko},
    left_out,
};

use crate::{
    person::Reaction,
    server::{SITE, Server},
};

/// A document encrypted by qpdf with AES-256, and qpdf's options.
fn encrypted(directory: &std::path::Path, user: &str, options: &[&str]) -> Option<Vec<u8>> {
    let (plain, output) = (directory.join("plain.pdf"), directory.join("encrypted.pdf"));
    std::fs::write(&plain, document(Layout::ObjectStreams, 2, 20_000)).unwrap();
    let mut qpdf = Command::new("qpdf");
    qpdf.args(["--encrypt", user, "owner", "256"]).args(options).arg("--").arg(&plain).arg(&output);
    match qpdf.status() {
        Ok(status) => assert!(status.success()),
        Err(error) => {
            left_out(&format!("qpdf did not start ({error})"));
            return None;
        }
    }
    Some(std::fs::read(output).unwrap())
}

fn request(document: &Value) -> Value {
    let items = json!([{ "name": "contrato.pdf", "document": document }]);
    json!({ "format": "pades", "options": { "reason": "Aprovo" }, "items": items })
}

fn finished(client: &crate::server::Client<'_>, request: &Value) -> Value {
    let fields = [("Content-Type", "application/json"), ("Prefer", "respond-async, wait=30")];
    client.ask_with("POST /ccsp/v1/signatures", &fields, request.to_string().as_bytes()).json()
}

#[test]
fn a_document_that_everyone_can_open_is_signed_like_others() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let Some(original) = encrypted(server.directory.path(), "", &[]) else { return };
    let uploaded = site.upload(&original);
    assert_eq!(uploaded["pages"], 2);
    server.person.will(&[Reaction::Yes(Lasting::Once)]);
    let done = finished(&site, &request(&uploaded["id"]));
    assert_eq!(done["items"][0]["state"], "signed", "{done}");
    let content = site.ask(&format!("GET {}", done["items"][0]["content"].as_str().unwrap()));
    assert!(content.body.starts_with(&original), "the original is the prefix");
    assert!(!content.body.windows(6).any(|window| window == b"Aprovo"), "the reason is encrypted");
    let path = server.directory.path().join("signed.pdf");
    std::fs::write(&path, &content.body).unwrap();
    let judgements = pyhanko.judge(&path, &judges::test_root()).unwrap();
    assert!(judgements[0].ok && judgements[0].coverage == "ENTIRE_FILE", "{judgements:?}");
}

/// Proves A26.
#[test]
fn a_document_that_needs_a_password_is_refused_and_none_is_taken() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let Some(original) = encrypted(server.directory.path(), "user", &[]) else { return };
    let upload = |line: &str, more: &[(&str, &str)]| {
        let fields = [&[("Content-Type", "application/pdf")], more].concat();
        site.ask_with(line, &fields, &original)
    };
    for (line, more) in [
        ("POST /ccsp/v1/documents", &[][..]),
        ("POST /ccsp/v1/documents?name=a.pdf", &[("Document-Password", "user"), ("PDF-Password", "user")]),
    ] {
        let refused = upload(line, more);
        assert_eq!(refused.refusal(), (422, "document-password-required".to_owned()), "{line}");
        assert_eq!(refused.json()["remedy"], "unlock-document");
    }
    for name in ["password", "documentPassword"] {
        let line = format!("POST /ccsp/v1/documents?{name}=user");
        let refused = upload(&line, &[]).refusal();
        assert_ne!(refused.0, 201, "{line}: {refused:?}");
        let clear = site.upload(&document(Layout::Table, 1, 5_000));
        let mut asked = request(&clear["id"]);
        asked["items"][0][name] = json!("user");
        let refused = site.send("POST /ccsp/v1/signatures", &asked).refusal();
        assert_eq!(refused, (400, "request-malformed".to_owned()), "{name}");
    }
}

/// Nobody is asked about what cannot be done.
#[test]
fn what_the_permissions_do_not_include_is_refused_before_the_person_is_asked() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let Some(original) = encrypted(server.directory.path(), "", &["--modify=none"]) else { return };
    let uploaded = site.upload(&original);
    let refused = site.send("POST /ccsp/v1/signatures", &request(&uploaded["id"]));
    assert_eq!(refused.refusal(), (422, "document-permission-denied".to_owned()));
    assert_eq!(refused.json()["remedy"], "unlock-document");
}
