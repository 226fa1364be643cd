//! Many requests at once for one token: each gets its turn in the order in which they came.

use std::fs;

use serde_json::json;
use signer_ipc::message::Lasting;
use signer_tests::{agent::Agent, page::Page, service::Login, softhsm::SoftHsm};

use crate::{PIN, pdf};

/// How many pages ask.
const PAGES: usize = 16;
/// How many requests each has under way: as many as it may.
const EACH: usize = 4;

#[test]
fn requests_at_once_are_served_in_their_order_and_none_is_lost() {
    let place = tempfile::tempdir().unwrap();
    let Some(token) = SoftHsm::new(place.path(), crate::FIRST, PIN) else { return };
    let mut login = Login::new();
    login.set("SOFTHSM2_CONF", token.configuration());
    login.configure(&format!("[tokens]\nknown_modules = false\nmodules = [{:?}]\n", token.module()));
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let pages: Vec<_> = (0..PAGES)
        .map(|number| {
            let site = format!("https://site-{number}.example");
            Page::let_in_from(&site, &service, &mut agent, Lasting::Once)
        })
        .collect();

    let mut pending = Vec::new();
    for turn in 0..EACH {
        for (number, page) in pages.iter().enumerate() {
            let item = json!({ "name": format!("{turn}-{number}.pdf"), "document": page.upload(&pdf()) });
            let body = json!({ "format": "pades", "items": [item] }).to_string();
            let fields = [("Content-Type", "application/json"), ("Prefer", "respond-async")];
            let answer = page.begin("POST /ccsp/v1/signatures", &fields, body.as_bytes()).answer().unwrap();
            assert_eq!(answer.status, 202, "{answer:?}");
            pending.push((page, format!("GET {}", answer.field("location").unwrap())));
        }
    }
    for turn in 0..EACH {
        for number in 0..PAGES {
            let question = agent.question();
            assert_eq!(question.summary.documents[0].name, format!("{turn}-{number}.pdf"));
            agent.confirm(&question, Some(PIN));
        }
    }
    for (page, line) in pending {
        let done = page.begin(&line, &[("Prefer", "wait=120")], b"").answer().unwrap().json();
        assert_eq!(done["state"], "completed", "{done}");
        let content = page.ask(&format!("GET {}", done["items"][0]["content"].as_str().unwrap()));
        assert!(content.body.starts_with(&pdf()));
    }
    // One login of the token each, and no host stays with a secret.
    drop(pages);
    assert!(service.stop().success());
    assert!(fs::read_dir(login.spool()).map_or(true, |mut left| left.next().is_none()));
}
