//! Signatures end to end: uploaded, confirmed, made by a real token host, accepted by others.

use std::{io::Write as _, process::Command};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::{Value, json};
use signer_core::{
    cms::certificate::Certificate,
    digest::{Digest, DigestAlgorithm},
    error::ErrorCode,
};
use signer_ipc::message::Lasting;
use signer_service::ccsp::Limits;
use signer_tests::{
    documents::{Layout, document},
    judges::{self, PyHanko},
};

use crate::{
    hostile::wait_until,
    http::connect,
    person::Reaction,
    server::{Client, SITE, Server, names},
};

const YES: Reaction = Reaction::Yes(Lasting::Once);

fn refusal(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

fn pades(items: &[&Value]) -> Value {
    let items: Vec<_> = items.iter().map(|id| json!({ "name": "contrato.pdf", "document": id })).collect();
    json!({ "format": "pades", "items": items })
}

/// Sends a request and waits for its end.
pub(crate) fn finished(client: &Client<'_>, request: &Value) -> Value {
    let fields = [("Content-Type", "application/json"), ("Prefer", "respond-async, wait=30")];
    let answer = client.ask_with("POST /ccsp/v1/signatures", &fields, request.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.field("preference-applied"), Some("wait=30"));
    assert!(answer.field("location").unwrap().starts_with("/ccsp/v1/signatures/"));
    answer.json()
}

#[test]
fn an_uploaded_document_is_signed_where_it_lies_and_others_accept_it() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    for (key, layout) in [
        ("ecpf-a1-moderno.p12", Layout::Table),
        ("ecdsa-p384.p12", Layout::ObjectStreams),
        ("ecdsa-p256.p12", Layout::Table),
    ] {
        let server = Server::with(key, Limits::default());
        let site = server.paired(Some(SITE));
        let original = document(layout, 3, 300_000);
        let uploaded = site.upload(&original);
        assert_eq!(uploaded["size"], original.len());
        assert_eq!(uploaded["pages"], 3);
        assert_eq!(uploaded["pageSizes"][2], json!({ "width": 595.0, "height": 842.0 }));
        let digest = DigestAlgorithm::Sha256.digest(&original);
        let told = json!({ "algorithm": "SHA-256", "value": BASE64_STANDARD.encode(digest.as_bytes()) });
        assert_eq!(uploaded["digest"], told);
        let shown = site.ask(&format!("GET /ccsp/v1/documents/{}", uploaded["id"].as_str().unwrap()));
        assert_eq!(shown.json(), uploaded);

        server.person.will(&[YES]);
        let done = finished(&site, &pades(&[&uploaded["id"]]));
        assert_eq!(done["state"], "completed", "{done}");
        let item = &done["items"][0];
        assert_eq!((&item["state"], &item["field"]), (&json!("signed"), &json!("Signature1")));
        assert!(done["certificate"]["chain"].as_array().unwrap().len() > 1);
        let content = site.ask(&format!("GET {}", item["content"].as_str().unwrap()));
        assert_eq!(content.field("content-type"), Some("application/pdf"));
        assert_eq!(item["size"], content.body.len());
        assert!(content.body.starts_with(&original), "the original is the prefix");

        let path = server.directory.path().join("signed.pdf");
        std::fs::write(&path, &content.body).unwrap();
        let judgements = pyhanko.judge(&path, &judges::test_root()).unwrap();
        assert!(judgements[0].ok && judgements[0].trusted, "{key}: {judgements:?}");
        let pdfsig = judges::pdfsig(&path).unwrap();
        assert!(pdfsig.total_document && pdfsig.valid == 1, "{key}: {pdfsig:?}");

        // One request consumes one document.
        let again = site.send("POST /ccsp/v1/signatures", &pades(&[&uploaded["id"]]));
        assert_eq!(again.refusal(), refusal(404, "resource-not-found"));
        assert_eq!(names(&server.spool()), [""; 0]);
    }
}

#[test]
fn what_is_odd_about_a_document_is_told_with_its_signature() {
    let server = Server::with("ecpf-a1-moderno.p12", Limits::default());
    let site = server.paired(Some(SITE));
    let whole = document(Layout::Table, 1, 5_000);
    let mut damaged = whole.clone();
    let end = whole.windows(9).rposition(|window| window == b"startxref").unwrap();
    damaged[end..end + 9].fill(b' ');
    for (uploaded, expected) in [(whole, None), (damaged, Some("document-recovered"))] {
        let uploaded = site.upload(&uploaded);
        server.person.will(&[YES]);
        let done = finished(&site, &pades(&[&uploaded["id"]]));
        let item = &done["items"][0];
        assert_eq!(item["state"], "signed", "{done}");
        assert_eq!(item["warnings"][0]["code"].as_str(), expected, "{done}");
        assert_eq!(item["warnings"][0]["title"].as_str().is_some(), expected.is_some(), "{done}");
    }
}

#[test]
fn a_bare_digest_is_signed_by_every_kind_of_key() {
    for (key, algorithm) in [
        ("ecpf-a1-moderno.p12", "RSA"),
        ("rsa-4096.p12", "RSA"),
        ("ecdsa-p256.p12", "ECDSA"),
        ("ecdsa-p384.p12", "ECDSA"),
    ] {
        let server = Server::with(key, Limits::default());
        let program = server.paired(None);
        let message = b"what nobody here has seen";
        let digests = [DigestAlgorithm::Sha256, DigestAlgorithm::Sha384, DigestAlgorithm::Sha512]
            .map(|algorithm| algorithm.digest(message));
        let item = |digest: &Digest| {
            let value = BASE64_STANDARD.encode(digest.as_bytes());
            json!({ "name": "hash", "digest": { "algorithm": digest.algorithm().name(), "value": value } })
        };
        let items: Vec<_> = digests.iter().map(item).collect();
        server.person.will(&[YES]);
        let done = finished(&program, &json!({ "format": "raw", "items": items }));
        let chain = done["certificate"]["chain"][0].as_str().unwrap();
        let certificate = Certificate::from_der(&BASE64_STANDARD.decode(chain).unwrap()).unwrap();
        for (item, digest) in done["items"].as_array().unwrap().iter().zip(&digests) {
            let name = digest.algorithm().name();
            assert_eq!(item["algorithm"], format!("{algorithm}-{name}"), "{item}");
            let value = BASE64_STANDARD.decode(item["value"].as_str().unwrap()).unwrap();
            assert_eq!(item["content"], Value::Null);
            openssl_accepts(&server, &certificate, name, message, &value);
        }
    }
}

/// OpenSSL hashes the message itself and verifies.
fn openssl_accepts(server: &Server, certificate: &Certificate, digest: &str, message: &[u8], value: &[u8]) {
    let path = |name: &str| server.directory.path().join(name);
    std::fs::write(path("certificate.der"), certificate.to_der()).unwrap();
    std::fs::write(path("message"), message).unwrap();
    std::fs::write(path("value"), value).unwrap();
    let key = Command::new("openssl")
        .args(["x509", "-inform", "DER", "-pubkey", "-noout", "-in"])
        .arg(path("certificate.der"))
        .output()
        .unwrap();
    std::fs::write(path("key.pem"), key.stdout).unwrap();
    let output = Command::new("openssl")
        .args(["dgst", &format!("-{}", digest.replace('-', "").to_lowercase()), "-verify"])
        .arg(path("key.pem"))
        .arg("-signature")
        .arg(path("value"))
        .arg(path("message"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_batch_is_one_question_and_each_item_has_its_end() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let [first, second] = [5000, 9000].map(|len| site.upload(&document(Layout::Table, 1, len))["id"].clone());
    let mut request = pades(&[&first, &second]);
    request["items"][1]["name"] = "anexo.pdf".into();
    request["options"] = json!({ "reason": "Concordo", "newField": "Aprovacao", "seal": "none" });
    server.person.will(&[YES]);
    let done = finished(&site, &request);
    assert_eq!(
        server.person.asked.lock().unwrap()[1],
        r#"https://erp.example signs ["contrato.pdf", "anexo.pdf"] because Some("Concordo")"#
    );
    for item in done["items"].as_array().unwrap() {
        assert_eq!((&item["state"], &item["field"]), (&json!("signed"), &json!("Aprovacao")));
    }
    let id = done["id"].as_str().unwrap();
    for (number, status) in [("1", 200), ("2", 200), ("0", 404), ("3", 404), ("x", 404), ("-1", 404)] {
        let line = format!("GET /ccsp/v1/signatures/{id}/items/{number}/content");
        assert_eq!(site.ask(&line).status, status, "{number}");
    }
    assert_eq!(site.ask(&format!("DELETE /ccsp/v1/signatures/{id}")).status, 204);
    assert_eq!(site.ask(&format!("GET /ccsp/v1/signatures/{id}")).status, 404);
}

#[test]
fn what_is_one_clients_does_not_exist_for_another() {
    let server = Server::start();
    let (site, other) = (server.paired(Some(SITE)), server.paired(Some("https://other.example")));
    let same_site = server.paired(Some(SITE));
    let id = site.upload(&document(Layout::Table, 1, 5000))["id"].clone();
    server.person.will(&[YES]);
    let second = site.upload(&document(Layout::Table, 1, 6000))["id"].clone();
    let done = finished(&site, &pades(&[&second]));
    let request = format!("/ccsp/v1/signatures/{}", done["id"].as_str().unwrap());
    let uploaded = format!("/ccsp/v1/documents/{}", id.as_str().unwrap());
    for stranger in [&other, &same_site] {
        for line in [
            format!("GET {uploaded}"),
            format!("DELETE {uploaded}"),
            format!("GET {request}"),
            format!("DELETE {request}"),
            format!("GET {request}/items/1/content"),
        ] {
            assert_eq!(stranger.ask(&line).refusal(), refusal(404, "resource-not-found"), "{line}");
        }
        let answer = stranger.send("POST /ccsp/v1/signatures", &pades(&[&id]));
        assert_eq!(answer.refusal(), refusal(404, "resource-not-found"));
    }
    assert_eq!(site.ask(&format!("GET {uploaded}")).status, 200);
    assert_eq!(site.ask(&format!("GET {request}/items/1/content")).status, 200);
    assert_eq!(site.ask(&format!("DELETE {uploaded}")).status, 204);
    assert_eq!(site.ask(&format!("GET {uploaded}")).status, 404);
    // A pairing that ends takes all of it along.
    assert_eq!(site.ask("DELETE /ccsp/v1/pairings/current").status, 204);
    assert_eq!(same_site.ask(&format!("GET {request}")).status, 404);
}

#[test]
fn what_can_be_refused_is_refused_before_the_person_is_asked() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let asked = server.person.questions();
    let id = site.upload(&document(Layout::Table, 2, 5000))["id"].clone();
    let digest = json!({ "algorithm": "SHA-256", "value": BASE64_STANDARD.encode([7; 32]) });
    let item = json!({ "name": "a", "document": id });
    let raw = json!({ "name": "a", "digest": digest });
    let with = |options: Value| json!({ "format": "pades", "items": [item], "options": options });
    for (request, status, code) in [
        (json!({}), 400, "request-malformed"),
        (json!({ "format": "pades", "items": [] }), 400, "request-malformed"),
        (json!({ "format": "cades", "items": [item] }), 400, "request-malformed"),
        (json!({ "format": "pades", "items": [raw] }), 400, "request-malformed"),
        (json!({ "format": "raw", "items": [item] }), 400, "request-malformed"),
        (json!({ "format": "raw", "items": [raw], "options": {} }), 400, "request-malformed"),
        (json!({ "format": "pades", "items": [item], "pin": "1234" }), 400, "request-malformed"),
        (json!({ "format": "pades", "items": [item], "module": "/lib/x.so" }), 400, "request-malformed"),
        (
            json!({ "format": "pades", "items": [{ "name": "a", "path": "/etc/passwd" }] }),
            400,
            "request-malformed",
        ),
        (
            json!({ "format": "pades", "items": [{ "name": "a", "url": "http://x" }] }),
            400,
            "request-malformed",
        ),
        (json!({ "format": "pades", "items": [{ "name": " ", "document": id }] }), 400, "request-malformed"),
        (
            json!({ "format": "pades", "items": [{ "name": "\u{202e}", "document": id }] }),
            400,
            "request-malformed",
        ),
        (
            json!({ "format": "pades", "items": [{ "name": "a".repeat(256), "document": id }] }),
            400,
            "request-malformed",
        ),
        (json!({ "format": "pades", "items": vec![item.clone(); 101] }), 400, "request-malformed"),
        (
            json!({ "format": "raw", "items": [{ "name": "a", "digest": { "algorithm": "SHA-1", "value": "AAAA" } }] }),
            400,
            "request-malformed",
        ),
        (
            json!({ "format": "raw", "items": [{ "name": "a", "digest": { "algorithm": "MD5", "value": "AAAA" } }] }),
            400,
            "request-malformed",
        ),
        (
            json!({ "format": "raw", "items": [{ "name": "a", "digest": { "algorithm": "SHA-512", "value": digest["value"] } }] }),
            400,
            "request-malformed",
        ),
        (with(json!({ "level": "b-lt" })), 400, "request-malformed"),
        (with(json!({ "field": "A", "newField": "B" })), 400, "request-malformed"),
        (with(json!({ "reason": "a".repeat(256) })), 400, "request-malformed"),
        (with(json!({ "field": "Missing" })), 422, "field-not-found"),
        (with(json!({ "sealPage": 3 })), 422, "page-not-found"),
        (with(json!({ "sealPage": 0 })), 422, "page-not-found"),
        (with(json!({ "sealPage": -3 })), 422, "page-not-found"),
        (with(json!({ "sealAt": "900mm,10mm" })), 422, "seal-outside-page"),
        (with(json!({ "sealSize": "900mm,10mm" })), 422, "seal-outside-page"),
        (with(json!({ "sealAt": "somewhere" })), 400, "request-malformed"),
        (with(json!({ "sealAt": "1mm,1mm,9mm,9mm", "sealSize": "9mm,9mm" })), 400, "request-malformed"),
        (
            json!({ "format": "pades", "items": [{ "name": "a", "document": "nothing" }] }),
            404,
            "resource-not-found",
        ),
        (json!({ "format": "pades", "items": [item, item] }), 404, "resource-not-found"),
        (json!({ "format": "pades", "items": [item], "certificate": "00" }), 404, "credential-not-found"),
    ] {
        let answer = site.send("POST /ccsp/v1/signatures", &request);
        assert_eq!(answer.refusal(), refusal(status, code), "{request}");
    }
    let list = site.ask("GET /ccsp/v1/certificates").json();
    let expired = json!({ "format": "pades", "items": [item], "certificate": list["certificates"][1]["id"] });
    let answer = site.send("POST /ccsp/v1/signatures", &expired);
    assert_eq!(answer.refusal(), refusal(422, "credential-expired"));
    assert_eq!(server.person.questions(), asked);
    // The document is still there: nothing of this used it up.
    server.person.will(&[Reaction::Nobody(ErrorCode::TrayUnavailable), YES]);
    let request = json!({ "format": "pades", "items": [item], "certificate": list["certificates"][0]["id"] });
    assert_eq!(site.send("POST /ccsp/v1/signatures", &request).refusal(), refusal(503, "tray-unavailable"));
    assert_eq!(finished(&site, &request)["state"], "completed");
}

#[test]
fn a_no_releases_nothing() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    for (reaction, state, code) in [
        (Reaction::No(Lasting::Once), "denied", "approval-denied"),
        (Reaction::Nothing, "expired", "approval-expired"),
        (Reaction::Failure(ErrorCode::PinLocked), "failed", "pin-locked"),
        (Reaction::Vanish, "failed", "internal"),
    ] {
        let id = site.upload(&document(Layout::Table, 1, 5000))["id"].clone();
        server.person.will(&[reaction]);
        let done = finished(&site, &pades(&[&id]));
        assert_eq!((&done["state"], &done["error"]["code"]), (&json!(state), &json!(code)), "{done}");
        assert_eq!(done["items"][0]["state"], "failed");
        let line = format!("GET /ccsp/v1/signatures/{}/items/1/content", done["id"].as_str().unwrap());
        assert_eq!(site.ask(&line).code(), code);
    }
}

#[test]
fn a_request_is_watched_and_taken_back() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    let id = site.upload(&document(Layout::Table, 1, 5000))["id"].clone();
    server.person.will(&[Reaction::Look]);
    let answer = site.send("POST /ccsp/v1/signatures", &pades(&[&id]));
    assert_eq!((answer.status, answer.field("retry-after")), (202, Some("1")));
    let location = answer.field("location").unwrap().to_owned();
    assert_eq!(answer.json()["state"], "presented");
    let pending = site.ask(&format!("GET {location}/items/1/content"));
    assert_eq!(pending.refusal(), refusal(409, "signature-pending"));
    let waited = site.ask_with(&format!("GET {location}"), &[("Prefer", "wait=0")], b"");
    assert_eq!(waited.json()["items"][0]["state"], "pending");
    assert_eq!(site.ask(&format!("DELETE {location}")).status, 204);
    let done = site.ask_with(&format!("GET {location}"), &[("Prefer", "wait=30")], b"").json();
    assert_eq!((&done["state"], server.person.withdrawn()), (&json!("cancelled"), 1));
}

#[test]
fn a_repeated_request_is_the_same_one() {
    let server = Server::start();
    let (site, other) = (server.paired(Some(SITE)), server.paired(Some("https://other.example")));
    let asked = server.person.questions();
    let id = site.upload(&document(Layout::Table, 1, 5000))["id"].clone();
    server.person.will(&[YES]);
    let send = |client: &Client<'_>, key: &str, request: &Value| {
        let fields = [("Content-Type", "application/json"), ("Idempotency-Key", key)];
        client.ask_with("POST /ccsp/v1/signatures", &fields, request.to_string().as_bytes())
    };
    let request = pades(&[&id]);
    let first = send(&site, "k1", &request);
    let second = send(&site, "k1", &request);
    assert_eq!(first.json()["id"], second.json()["id"]);
    assert_eq!(server.person.questions(), asked + 1);
    let mut changed = request.clone();
    changed["items"][0]["name"] = "other.pdf".into();
    assert_eq!(send(&site, "k1", &changed).refusal(), refusal(422, "idempotency-conflict"));
    // Another client's key is another key.
    assert_eq!(send(&other, "k1", &request).refusal(), refusal(404, "resource-not-found"));
    assert_eq!(send(&site, &"k".repeat(256), &request).refusal(), refusal(400, "request-malformed"));
    assert_eq!(server.person.questions(), asked + 1);
}

#[test]
fn one_call_takes_a_document_and_gives_the_signed_one() {
    let server = Server::start();
    let program = server.paired(None);
    let original = document(Layout::ObjectStreams, 2, 50_000);
    let pdf = [("Content-Type", "application/pdf")];
    server.person.will(&[YES, Reaction::No(Lasting::Once)]);
    let line = "POST /ccsp/v1/signatures?name=nota%20fiscal.pdf&reason=Aprovado&sealAt=top-left&sealPage=1";
    let answer = program.ask_with(line, &pdf, &original);
    assert_eq!((answer.status, answer.field("content-type")), (200, Some("application/pdf")));
    assert!(answer.body.starts_with(&original) && answer.body.len() > original.len());
    assert!(
        server.person.asked.lock().unwrap()[1].contains(r#"["nota fiscal.pdf"] because Some("Aprovado")"#)
    );
    let path = server.directory.path().join("signed.pdf");
    std::fs::write(&path, &answer.body).unwrap();
    if let Some(pdfsig) = judges::pdfsig(&path) {
        assert!(pdfsig.total_document && pdfsig.valid == 1, "{pdfsig:?}");
    }
    let answer = program.ask_with("POST /ccsp/v1/signatures", &pdf, &original);
    assert_eq!(answer.refusal(), refusal(403, "approval-denied"));
    for query in ["pin=1234", "seal=maybe", "sealPage=x", "name=%00", "unknown"] {
        let answer = program.ask_with(&format!("POST /ccsp/v1/signatures?{query}"), &pdf, &original);
        assert_eq!(answer.refusal(), refusal(400, "request-malformed"), "{query}");
    }
    let answer = program.ask_with("POST /ccsp/v1/signatures", &pdf, b"%PDF-1.7 and nothing else");
    assert_eq!(answer.refusal(), refusal(422, "document-unreadable"));
    assert_eq!(names(&server.spool()), [""; 0]);
}

#[test]
fn one_call_whose_client_goes_is_taken_back() {
    let server = Server::start();
    let site = server.paired(Some(SITE));
    server.person.will(&[Reaction::Look]);
    let original = document(Layout::Table, 1, 5000);
    let head = format!(
        "POST /ccsp/v1/signatures HTTP/1.1\r\nHost: localhost\r\nOrigin: {SITE}\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/pdf\r\nContent-Length: {}\r\n\r\n",
        site.token,
        original.len()
    );
    let mut stream = connect(server.address);
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&original).unwrap();
    wait_until(|| server.person.questions() == 2);
    drop(stream);
    wait_until(|| server.person.withdrawn() == 1);
}

#[test]
fn documents_and_results_go_after_their_time() {
    let keep = std::time::Duration::from_millis(200);
    let limits = Limits { keep, documents: 2, ..Limits::default() };
    let server = Server::with("ecpf-a1-moderno.p12", limits);
    let site = server.paired(Some(SITE));
    let pdf = document(Layout::Table, 1, 5000);
    let id = site.upload(&pdf)["id"].clone();
    server.person.will(&[YES]);
    let done = finished(&site, &pades(&[&id]));
    let id = site.upload(&pdf)["id"].clone();
    let gone = |path: String| wait_until(|| site.ask(&format!("GET {path}")).status == 404);
    gone(format!("/ccsp/v1/documents/{}", id.as_str().unwrap()));
    gone(format!("/ccsp/v1/signatures/{}", done["id"].as_str().unwrap()));

    let server = Server::with("ecpf-a1-moderno.p12", Limits { documents: 2, ..Limits::default() });
    let site = server.paired(Some(SITE));
    site.upload(&pdf);
    site.upload(&pdf);
    let answer = site.ask_with("POST /ccsp/v1/documents", &[("Content-Type", "application/pdf")], &pdf);
    assert_eq!(answer.refusal(), refusal(429, "too-many-requests"));
}
