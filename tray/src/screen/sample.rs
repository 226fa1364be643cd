//! Requests for the tests of the screen, the layout and the tree.

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use signer_ipc::{
    message::{Entry, Outcome, SecretReason, Unlock},
    sealed::KEY_LEN,
    summary::Summary,
    token_host::TriesLeft,
};

use crate::{
    screen::{Incoming, Input, Presented, Screen},
    text::Language,
};

/// The approval of every sample.
pub(crate) const APPROVAL: u64 = 7;
/// When the samples are presented.
pub(crate) const BEGAN: Duration = Duration::from_secs(1);

const SITE: &str = r#"{"kind":"site","origin":"https://portal.prefeitura.exemplo.gov.br","host":"portal.prefeitura.exemplo.gov.br"}"#;

/// How a certificate of a sample is unlocked.
pub(crate) fn unlock(entry: Entry, tries_left: TriesLeft) -> Unlock {
    let key = match entry {
        Entry::Password | Entry::Pin => Some([9; KEY_LEN]),
        Entry::Locked | Entry::Nothing | Entry::Reader | Entry::TokenAbsent => None,
    };
    Unlock { entry, tries_left, key }
}

/// A summary as JSON.
pub(crate) fn summary(kind: &str, client: &str, certificates: usize, documents: &[String]) -> String {
    let certificates: Vec<String> = (0..certificates).map(certificate).collect();
    let (scopes, reason) = match kind {
        "pairing" => (r#"["certificates","sign"]"#, "null"),
        "signature" => ("[]", r#""Aprovo o contrato""#),
        _ => ("[]", "null"),
    };
    format!(
        r#"{{"kind":"{kind}","client":{client},"certificates":[{}],"documents":[{}],"reason":{reason},"scopes":{scopes}}}"#,
        certificates.join(","),
        documents.join(",")
    )
}

/// A document as JSON.
pub(crate) fn document(name: &str, seal: &str) -> String {
    let digest = "3f7a91c2".repeat(8);
    format!(
        r#"{{"name":"{name}","format":"pades","size":84312,"pages":12,"sealPage":{seal},"digest":"{digest}","digestAlgorithm":"SHA-256"}}"#
    )
}

/// A digest alone as JSON.
pub(crate) fn digest(name: &str) -> String {
    let digest = "0b4dc91e".repeat(8);
    format!(
        r#"{{"name":"{name}","format":"raw","size":null,"pages":null,"sealPage":null,"digest":"{digest}","digestAlgorithm":"SHA-256"}}"#
    )
}

fn certificate(place: usize) -> String {
    let (holder, number, storage, token) = match place % 3 {
        0 => ("MARIA APARECIDA DA CONCEIÇÃO", r#""***.456.789-**""#, "a3", r#""SafeNet 5110""#),
        1 => (
            "EMPRESA BRASILEIRA DE EXEMPLOS E DEMONSTRAÇÕES LTDA",
            r#""12.***.***/0001-**""#,
            "a1",
            r#""empresa.pfx""#,
        ),
        _ => ("JOÃO D'ÁVILA", "null", "a3", "null"),
    };
    format!(
        r#"{{"id":"{place:064x}","holder":"{holder}","number":{number},"issuer":"AC EXEMPLO RFB v5","notAfter":1804809600,"storage":"{storage}","place":{token}}}"#
    )
}

/// A request for `json` whose certificates are all unlocked in one way.
pub(crate) fn presented(json: &str, entry: Entry) -> Presented {
    presented_with(json, entry, TriesLeft::Unknown)
}

/// As [`presented`], with tries.
pub(crate) fn presented_with(json: &str, entry: Entry, tries_left: TriesLeft) -> Presented {
    let summary = Summary::parse(json.as_bytes()).expect("a sample is a summary");
    Presented {
        approval: APPROVAL,
        unlocks: vec![unlock(entry, tries_left); summary.certificates.len()],
        digest: Sha256::digest(json).into(),
        summary,
        deadline: BEGAN + Duration::from_secs(60),
        waiting: 0,
    }
}

/// One document that is certified.
pub(crate) fn certified(certification: &str) -> String {
    let plain = single();
    plain.replacen('{', &format!(r#"{{"certification":"{certification}","#), 1)
}

/// One document whose field has a lock.
pub(crate) fn locked(lock: &str) -> String {
    single().replacen(r#""sealPage""#, &format!(r#""lock":"{lock}","sealPage""#), 1)
}

/// One document, one certificate.
pub(crate) fn single() -> String {
    summary("signature", SITE, 1, &[document("Contrato de prestação de serviços.pdf", "12")])
}

/// A screen that shows `presented` and is armed.
pub(crate) fn screen(language: Language, presented: Presented) -> Screen {
    let mut screen = Screen::new(language, Duration::ZERO);
    screen.receive(Incoming::Present(Box::new(presented)), BEGAN);
    screen.take(Input::Painted, BEGAN);
    screen
}

/// Every kind of page, with a name for it.
pub(crate) fn pages(language: Language) -> Vec<(&'static str, Screen)> {
    let show = |presented| screen(language, presented);
    let after = |presented, message| {
        let mut screen = screen(language, presented);
        screen.receive(message, BEGAN);
        screen
    };
    let batch = |count: usize| {
        let documents: Vec<String> = (1..=count)
            .map(|n| match n % 3 {
                0 => digest("recibo-2027-003.xml"),
                1 => document(&format!("Anexo {n} — Descrição técnica.pdf"), "null"),
                _ => document(&format!("{}-{n}.pdf", "nome-muito-longo".repeat(12)), "2"),
            })
            .collect();
        summary("signature", SITE, 1, &documents)
    };
    let long_host = format!("{}.exemplo.gov.br", ["subdominio-bem-longo"; 9].join("."));
    let long = format!(r#"{{"kind":"site","origin":"https://{long_host}:8443","host":"{long_host}"}}"#);
    let program = r#"{"kind":"program","name":"curl","path":"/usr/bin/curl","process":4711}"#;
    let unknown = r#"{"kind":"program","name":null,"path":null,"process":null}"#;
    let long_name = document(&format!("{}.pdf", "Relatório anual de atividades ".repeat(12)), "1");
    let failed = Outcome::Failed {
        code: "pin-locked".into(),
        words: "O PIN está bloqueado. Desbloqueie-o com o programa do token e peça de novo.".into(),
    };
    let ask = |reason, entry, tries| Incoming::AskSecret {
        approval: APPROVAL,
        deadline: BEGAN + Duration::from_secs(60),
        reason,
        unlock: unlock(entry, tries),
    };
    let dismiss = |outcome| Incoming::Dismiss { approval: APPROVAL, outcome };
    let mut queue = presented(&single(), Entry::Pin);
    queue.waiting = 2;
    vec![
        ("pairing", show(presented(&summary("pairing", SITE, 0, &[]), Entry::Nothing))),
        ("pairing-program", show(presented(&summary("pairing", program, 0, &[]), Entry::Nothing))),
        ("pairing-unknown", show(presented(&summary("pairing", unknown, 0, &[]), Entry::Nothing))),
        ("selection", show(presented(&summary("selection", SITE, 3, &[]), Entry::Nothing))),
        ("selection-many", show(presented(&summary("selection", SITE, 12, &[]), Entry::Nothing))),
        ("single-pin", show(queue)),
        ("single-password", show(presented(&single(), Entry::Password))),
        ("single-certified", show(presented(&certified("no-changes"), Entry::Pin))),
        ("single-iti", show(presented(&certified("iti-reference"), Entry::Pin))),
        ("single-field-locks", show(presented(&locked("no-changes"), Entry::Pin))),
        ("single-reader", show(presented(&single(), Entry::Reader))),
        ("single-nothing", show(presented(&single(), Entry::Nothing))),
        ("single-locked", show(presented(&single(), Entry::Locked))),
        ("single-absent", show(presented(&single(), Entry::TokenAbsent))),
        ("single-low", show(presented_with(&single(), Entry::Pin, TriesLeft::Last))),
        ("single-raw", show(presented(&summary("signature", program, 1, &[digest("a.xml")]), Entry::Pin))),
        (
            "single-choice",
            show(presented(&summary("signature", SITE, 2, &[document("a.pdf", "1")]), Entry::Pin)),
        ),
        ("single-long", show(presented(&summary("signature", &long, 1, &[long_name]), Entry::Pin))),
        ("batch-5", show(presented(&batch(5), Entry::Pin))),
        ("batch-50", show(presented(&batch(50), Entry::Pin))),
        (
            "wrong-pin",
            after(
                presented(&single(), Entry::Pin),
                ask(SecretReason::Incorrect, Entry::Pin, TriesLeft::Exactly(2)),
            ),
        ),
        (
            "wrong-pin-reader",
            after(
                presented(&single(), Entry::Reader),
                ask(SecretReason::Incorrect, Entry::Reader, TriesLeft::Last),
            ),
        ),
        (
            "insert-token",
            after(
                presented(&single(), Entry::TokenAbsent),
                Incoming::AwaitToken { approval: APPROVAL, deadline: BEGAN + Duration::from_secs(60) },
            ),
        ),
        (
            "first-pin",
            after(
                presented(&single(), Entry::TokenAbsent),
                ask(SecretReason::First, Entry::Pin, TriesLeft::Low),
            ),
        ),
        (
            "signing",
            after(presented(&batch(5), Entry::Pin), Incoming::Signing { approval: APPROVAL, done: 2, of: 5 }),
        ),
        (
            "signing-one",
            after(presented(&single(), Entry::Pin), Incoming::Signing { approval: APPROVAL, done: 0, of: 1 }),
        ),
        ("done", after(presented(&single(), Entry::Pin), dismiss(Outcome::Approved))),
        ("expired", after(presented(&single(), Entry::Pin), dismiss(Outcome::Expired))),
        ("cancelled", after(presented(&single(), Entry::Pin), dismiss(Outcome::Cancelled))),
        ("failed", after(presented(&single(), Entry::Pin), dismiss(failed))),
    ]
}
