//! Summaries and events for the tests of approvals.

use crate::{
    approval::{
        Event, Outcome, Record,
        summary::{Certificate, Client, Content, Document, Scope, Storage, Subject, Summary},
    },
    credential::CredentialId,
    digest::DigestAlgorithm,
    error::ErrorCode,
    pdf::permission::SignatureType,
};

/// What of a summary must not be in the audit trail.
pub(super) const PERSONAL: [&str; 6] =
    ["MARIA DA SILVA", "***.456.789-**", "contrato", "maria.p12", "/home/maria", "CONCORDO"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Pairing,
    Selection,
    Signature,
}

pub(super) fn summary(kind: Kind, documents: usize) -> Summary {
    let certificates = vec![certificate("11"), certificate("22")];
    Summary::new(
        Client::Program {
            name: Some("firefox".into()),
            path: Some("/home/maria/firefox".into()),
            process: Some(4711),
        },
        match kind {
            Kind::Pairing => Subject::Pairing { scopes: vec![Scope::Certificates, Scope::Sign] },
            Kind::Selection => Subject::Selection { certificates },
            Kind::Signature => Subject::Signature {
                certificates,
                documents: (0..documents).map(document).collect(),
                reason: Some("CONCORDO".into()),
                signature_type: SignatureType::Approval,
            },
        },
    )
}

pub(super) fn certificate(byte: &str) -> Certificate {
    Certificate {
        id: CredentialId::parse(&byte.repeat(32)).unwrap(),
        holder: "MARIA DA SILVA".into(),
        number: Some("***.456.789-**".into()),
        issuer: "AC Exemplo".into(),
        not_after: 1_800_000_000,
        storage: Storage::A1,
        place: Some("maria.p12".into()),
    }
}

pub(super) fn document(index: usize) -> Document {
    Document {
        name: format!("contrato {index}.pdf"),
        content: Content::Pades { size: 1_000, pages: 2, seal_page: None, lock: None },
        digest: DigestAlgorithm::Sha256.digest(&index.to_be_bytes()),
    }
}

pub(super) fn confirmed(summary: &Summary, choice: Option<u32>) -> Event {
    Event::Confirmed { shown: summary.digest().clone(), choice }
}

pub(super) fn outcomes() -> impl Iterator<Item = Outcome> {
    [
        Outcome::Approved { choice: None },
        Outcome::Approved { choice: Some(0) },
        Outcome::Approved { choice: Some(1) },
        Outcome::Cancelled,
        Outcome::Denied,
        Outcome::Expired,
    ]
    .into_iter()
    .chain(ErrorCode::ALL.iter().copied().map(Outcome::Failed))
}

/// Every event, with a right confirmation, for a summary of three documents.
pub(super) fn events(summary: &Summary) -> Vec<Event> {
    let mut events = vec![
        Event::ClientGone,
        confirmed(summary, Some(1)),
        Event::Denied,
        Event::Recorded(Record::Intent),
        Event::RecordFailed(Record::Intent),
        Event::SecretGiven,
        Event::SecretIncorrect { tries_left: None },
        Event::SecretIncorrect { tries_left: Some(2) },
        Event::SecretNeeded,
        Event::ShuttingDown,
        Event::Tick,
        Event::TokenAbsent,
        Event::TokenFailed { code: ErrorCode::ModuleCrashed },
        Event::TokenPresent,
        Event::TrayGone,
        Event::TrayReady,
        Event::Unlocked,
    ];
    for item in 0..4 {
        events.push(Event::ItemSigned { item });
        events.push(Event::ItemFailed { item, code: ErrorCode::FieldLocked });
    }
    for outcome in [Outcome::Approved { choice: Some(1) }, Outcome::Denied, Outcome::Expired] {
        events.push(Event::Recorded(Record::Outcome(outcome)));
        events.push(Event::RecordFailed(Record::Outcome(outcome)));
    }
    events
}
