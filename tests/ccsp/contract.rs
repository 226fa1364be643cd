//! The stored contract against the code. `SIGNER_UPDATE_DOCUMENTS=1` writes it anew.

use std::collections::BTreeSet;

use serde_json::Value;
use signer_core::error::ErrorCode;
use signer_service::ccsp;
use signer_tests::repository;

use crate::server::Server;

fn compare(name: &str, text: &str) {
    let path = repository().join("docs/ccsp").join(name);
    if std::env::var_os("SIGNER_UPDATE_DOCUMENTS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        stored == text,
        "docs/ccsp/{name} is not what the program says: run with SIGNER_UPDATE_DOCUMENTS=1"
    );
}

#[test]
fn the_stored_contract_is_the_programs() {
    compare("openapi.json", &ccsp::openapi_document().unwrap());
    compare("errors.md", &ccsp::errors_document());
}

#[test]
fn every_code_has_a_row() {
    let text = std::fs::read_to_string(repository().join("docs/ccsp/errors.md")).unwrap();
    let rows: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let codes: BTreeSet<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(rows, codes);
}

#[test]
fn the_served_contract_is_openapi_3_1_and_names_every_resource() {
    let server = Server::start();
    let answer = server.ask("GET /ccsp/v1/openapi.json", &[], b"");
    assert_eq!((answer.status, answer.field("content-type")), (200, Some("application/json")));
    assert_eq!(String::from_utf8(answer.body.clone()).unwrap(), ccsp::openapi_document().unwrap());
    let contract: Value = answer.json();
    assert!(contract["openapi"].as_str().unwrap().starts_with("3.1"), "{}", contract["openapi"]);
    for (path, item) in contract["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            // What the contract lists exists: it is refused for want of a pairing, or answers.
            let path = path.replace("{id}", "x").replace("{number}", "1");
            let media = if path.ends_with("documents") { "application/pdf" } else { "application/json" };
            let line = format!("{} {path}", method.to_uppercase());
            let status = server.ask(&line, &[("Content-Type", media)], b"").status;
            assert!(matches!(status, 200 | 400 | 401), "{line}: {status}");
        }
    }
    assert_eq!(contract["paths"].as_object().unwrap().len(), 12);
}
