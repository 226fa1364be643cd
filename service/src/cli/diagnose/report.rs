//! A diagnosis for programs. docs/modules.md says what each field holds.

use serde_json::{Map, Value, json};

use crate::{
    cli::{
        credential,
        diagnose::{
            Diagnosis,
            findings::{self, Facts, Finding},
            show,
            surroundings::{CardService, Sandbox},
        },
        examine::{Examined, Outcome, SeenToken},
        json, modules, screen,
    },
    token::{
        client::{PinEntry, PinState},
        error::TokenError,
        modules::{atr::Atr, known},
        reader::Reader,
    },
};

pub(super) fn show(diagnosis: &Diagnosis) {
    let facts = &diagnosis.facts;
    screen::json(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "time": diagnosis.facts.now.map(signer_core::moment::Moment::to_rfc3339),
        "configurationFault": diagnosis.config_fault,
        "sandbox": facts.sandbox.map(Sandbox::as_str),
        "service": {
            "running": diagnosis.service.is_some(),
            "process": diagnosis.service.as_ref().map(|service| service.process),
            "ports": diagnosis.service.as_ref().map(|service| &service.ports),
        },
        "cardService": {
            "state": facts.card_service.as_str(),
            "detail": match &facts.card_service {
                CardService::Failed(words) => Some(words),
                CardService::NotInstalled
                | CardService::NotPermitted
                | CardService::NotRunning
                | CardService::Running => None,
            },
        },
        "usbTokens": facts.plugged.iter().map(|product| &product.name).collect::<Vec<_>>(),
        "readers": facts.readers.iter().map(reader).collect::<Vec<_>>(),
        "modules": facts.modules.iter().map(|examined| module(facts, examined)).collect::<Vec<_>>(),
        "leftOut": facts.left_out.iter().map(modules::left_out_json).collect::<Vec<_>>(),
        "findings": diagnosis.findings.iter().map(finding).collect::<Vec<_>>(),
    }));
}

fn reader(reader: &Reader) -> Value {
    let card = reader.card.as_deref().map(|bytes| {
        let atr = Atr::new(bytes);
        let products: Vec<_> = atr.iter().flat_map(known::of_card).map(|product| &product.name).collect();
        json!({ "atr": atr.map(|atr| atr.to_string()), "products": products })
    });
    json!({ "name": reader.name, "card": card })
}

fn module(facts: &Facts, examined: &Examined) -> Value {
    let (state, held) = match &examined.outcome {
        Outcome::Failed(TokenError::Crashed { .. }) => ("crashed", None),
        Outcome::Failed(TokenError::TimedOut { .. }) => ("hung", None),
        Outcome::Failed(_) => ("failed", None),
        Outcome::Quarantined(held) => ("quarantined", Some(held.clone())),
        Outcome::Works(_) => ("works", None),
    };
    let mut value = modules::installed_json(&examined.module, held);
    let error = match &examined.outcome {
        Outcome::Failed(error) => failure(error),
        Outcome::Quarantined(_) | Outcome::Works(_) => Value::Null,
    };
    if let Some(fields) = value.as_object_mut() {
        fields.insert("state".to_owned(), state.into());
        fields.insert("error".to_owned(), error);
        fields.insert("tokens".to_owned(), examined.tokens().map(|seen| token(facts, seen)).collect());
    }
    value
}

fn token(facts: &Facts, seen: &SeenToken) -> Value {
    let token = &seen.token;
    let certificates: Vec<_> = findings::certificates(seen, facts.now)
        .map(|(signer, verdict)| {
            let mut value = json::certificate(&signer.certificate);
            if let Some(fields) = value.as_object_mut() {
                fields.insert("maySign".to_owned(), verdict.is_ok().into());
                fields.insert("reason".to_owned(), verdict.err().map(|code| code.as_str()).into());
            }
            value
        })
        .collect();
    json!({
        "label": token.label,
        "serial": token.serial,
        "manufacturer": token.manufacturer,
        "model": token.model,
        "pin": {
            "state": match token.pin {
                PinState::Locked => "locked",
                PinState::NotNeeded => "not-needed",
                PinState::Usable => "usable",
            },
            "entry": match token.pin_entry {
                PinEntry::Program => "program",
                PinEntry::Reader => "reader",
            },
            "triesLeft": credential::tries_left(token.tries_left).1,
        },
        "error": seen.credentials.as_ref().err().map(failure),
        "certificates": certificates,
    })
}

fn failure(error: &TokenError) -> Value {
    json!({ "code": error.code().as_str(), "detail": error.to_string() })
}

fn finding(finding: &Finding) -> Value {
    let told = show::words(finding);
    json!({
        "step": finding.link().as_str(),
        "code": finding.as_str(),
        "fault": finding.is_fault(),
        "title": told.what,
        "remedy": told.remedy,
        "facts": facts_of(finding),
    })
}

fn facts_of(finding: &Finding) -> Map<String, Value> {
    let pairs: Vec<(&str, Value)> = match finding {
        Finding::CanSign { count } => vec![("count", json!(count))],
        Finding::CardService(_) | Finding::NoCard => Vec::new(),
        Finding::CardInUse { reader, programs } => {
            vec![("programs", json!(programs)), ("reader", json!(reader))]
        }
        Finding::CardSilent { reader } => vec![("reader", json!(reader))],
        Finding::ModuleFailed { product, path, code } => {
            vec![("product", json!(product)), ("path", json!(path)), ("error", json!(code.as_str()))]
        }
        Finding::ModuleNotInstalled { reader, product, software } => {
            vec![("reader", json!(reader)), ("product", json!(product)), ("software", json!(software))]
        }
        Finding::ModuleUnusable(left) => vec![
            ("product", json!(left.product)),
            ("path", json!(left.path)),
            ("error", json!(left.reason.code().map(|code| code.as_str()))),
        ],
        Finding::NoCertificate { token } | Finding::PinLocked { token } => vec![("token", json!(token))],
        Finding::NoModule { reader, atr } | Finding::NoToken { reader, atr } => {
            vec![("reader", json!(reader)), ("atr", json!(atr.to_string()))]
        }
        Finding::NoReader { plugged } => vec![("plugged", json!(plugged))],
        Finding::NoneMaySign { token, code } => {
            vec![("token", json!(token)), ("error", json!(code.as_str()))]
        }
        Finding::Sandboxed(sandbox) => vec![("sandbox", json!(sandbox.as_str()))],
    };
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
