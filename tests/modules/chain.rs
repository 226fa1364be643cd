//! `diagnose` over the whole chain, with a real smart card service, a virtual card and OpenSC:
//! each link that may be missing, and what is said of it.

use serde_json::Value;
use signer_tests::{card::Reader, service::Login, signer_program};

use crate::{PIN, json, text};

/// The answer to reset of a SafeNet eToken 5100.
const ETOKEN: &str = "3BD518008131FE7D8073C82110F4";

fn login(reader: &Reader) -> Login {
    let login = Login::new();
    login.configure(&format!("[tokens]\nknown_modules = false\nmodules = [{:?}]\n", reader.module()));
    login
}

fn diagnose(login: &Login) -> Value {
    json(&login.command().args(["diagnose", "--json"]).output().unwrap())
}

fn findings(diagnosis: &Value) -> Vec<&str> {
    diagnosis["findings"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect()
}

#[test]
fn a_card_is_followed_to_its_certificates() {
    let Some(reader) = Reader::connect() else { return };
    let login = login(&reader);
    assert_eq!(findings(&diagnose(&login)), ["no-card"]);
    let state = login.path("card.json");
    let card = reader.insert("ecpf-a1-moderno.p12", PIN, &state, &[]);

    let seen = diagnose(&login);
    assert_eq!(findings(&seen), ["can-sign"], "{seen:#}");
    assert_eq!(seen["cardService"]["state"], "running");
    let with_card = |it: &&Value| !it["card"].is_null();
    let of_card = seen["readers"].as_array().unwrap().iter().find(with_card).unwrap();
    assert!(of_card["name"].as_str().unwrap().contains("Virtual PCD"), "{seen:#}");
    assert!(of_card["card"]["atr"].as_str().unwrap().starts_with("3B"), "{seen:#}");
    let module = &seen["modules"][0];
    assert_eq!((&module["product"], &module["state"]), (&"OpenSC".into(), &"works".into()), "{seen:#}");
    let token = &module["tokens"][0];
    assert_eq!(token["pin"]["state"], "usable", "{seen:#}");
    let certificate = &token["certificates"][0];
    assert_eq!(certificate["maySign"], true, "{seen:#}");
    assert!(certificate["identifier"].as_str().unwrap().contains("***"), "{seen:#}");

    let shown = text(&login.command().arg("diagnose").output().unwrap());
    for words in ["Virtual PCD", "OpenSC", "valid until", "may sign", "Certificates that may sign: 1."] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // Nothing of it costs a try.
    assert!(!state.exists() || tries(&state) == 3);
    drop(card);
}

#[test]
fn a_certificate_that_may_not_sign_says_why() {
    let Some(reader) = Reader::connect() else { return };
    let login = login(&reader);
    let card = reader.insert("expirado.p12", PIN, &login.path("card.json"), &[]);
    let seen = diagnose(&login);
    assert_eq!(findings(&seen), ["none-may-sign"], "{seen:#}");
    assert_eq!(seen["findings"][0]["facts"]["error"], "credential-expired");
    assert_eq!(
        seen["modules"][0]["tokens"][0]["certificates"][0]["reason"], "credential-expired",
        "{seen:#}"
    );
    drop(card);
}

#[test]
fn a_known_card_without_its_module_says_what_to_install() {
    let Some(reader) = Reader::connect() else { return };
    let login = Login::new();
    let card = reader.insert("ecpf-a1-moderno.p12", PIN, &login.path("card.json"), &["--atr", ETOKEN]);
    let seen = diagnose(&login);
    assert_eq!(findings(&seen), ["module-not-installed"], "{seen:#}");
    let shown = text(&login.command().arg("diagnose").env("LC_ALL", "pt_BR.UTF-8").output().unwrap());
    for words in
        ["é um SafeNet eToken, e o seu módulo não está instalado", "Instale SafeNet Authentication Client"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    drop(card);
    // Of a card that nobody knows nothing more can be said.
    let card = reader.insert("ecpf-a1-moderno.p12", PIN, &login.path("card.json"), &[]);
    assert_eq!(findings(&diagnose(&login)), ["no-module"]);
    drop(card);
}

#[test]
fn without_a_smart_card_service_the_remedy_is_to_start_it() {
    let mut login = Login::new();
    login.set("PCSCLITE_CSOCK_NAME", login.path("no-such-socket"));
    let seen = diagnose(&login);
    let expected =
        if std::path::Path::new("/usr/sbin/pcscd").exists() { "not-running" } else { "not-installed" };
    assert_eq!(seen["cardService"]["state"], expected, "{seen:#}");
    assert_eq!(findings(&seen), [format!("card-service-{expected}")]);
    for (language, words) in [("pt_BR", "não precisam"), ("en_US", "do not need"), ("es_ES", "no lo")] {
        let shown = login.command().arg("diagnose").env("LC_ALL", language).output().unwrap();
        assert!(text(&shown).contains(words), "{language}: {}", text(&shown));
    }
}

#[test]
fn in_a_sandbox_nothing_else_is_blamed() {
    let mut login = Login::new();
    login.set("SNAP", "/snap/other/1");
    assert!(!findings(&diagnose(&login)).contains(&"sandboxed"));
    login.set("SNAP", signer_program().parent().unwrap());
    assert_eq!(findings(&diagnose(&login)), ["sandboxed"]);
}

#[test]
fn it_says_whether_a_service_runs() {
    let login = Login::new();
    assert_eq!(diagnose(&login)["service"]["running"], false);
    let service = login.start();
    let seen = diagnose(&login);
    assert_eq!(seen["service"]["process"], service.process(), "{seen:#}");
    assert_eq!(seen["service"]["ports"][0], service.address.port(), "{seen:#}");
}

fn tries(state: &std::path::Path) -> i64 {
    let state: Value = serde_json::from_slice(&std::fs::read(state).unwrap()).unwrap();
    state["tries"].as_i64().unwrap()
}
