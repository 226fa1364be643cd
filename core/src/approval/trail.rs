//! What the audit trail says of an approval: ids and digests, nothing personal.

use crate::{
    approval::{
        Approval, Item, Outcome, Record,
        summary::{Client, Subject, clean},
    },
    audit,
    moment::Moment,
};

impl Approval {
    /// The entry for a record that [`Effect::Record`](crate::approval::Effect::Record) asks for.
    /// The number and the boot name the approval, the moment is when it is written down.
    pub fn entry(&self, record: Record, number: u64, boot: audit::Boot, time: Moment) -> audit::Entry {
        let summary = self.summary();
        let chosen = self.choice().and_then(|choice| usize::try_from(choice).ok());
        let certificate = chosen.and_then(|choice| summary.certificates().get(choice));
        let documents = summary.documents().iter().zip(self.items());
        audit::Entry {
            approval: number,
            boot,
            certificate: certificate.map(|certificate| certificate.id.clone()),
            client: client(summary.client()),
            documents: documents
                .map(|(document, item)| audit::Document {
                    code: match item {
                        Item::Failed(code) => Some(*code),
                        Item::Signed | Item::Waiting => None,
                    },
                    digest: document.digest.clone(),
                })
                .collect(),
            event: match record {
                Record::Intent => audit::Event::Intent,
                Record::Outcome(outcome) => audit::Event::Outcome(told(outcome)),
            },
            kind: match summary.subject() {
                Subject::Pairing { .. } => audit::Kind::Pairing,
                Subject::Selection { .. } => audit::Kind::Selection,
                Subject::Signature { .. } => audit::Kind::Signature,
            },
            time,
        }
    }
}

/// A path would tell the name of the login; the file name does not.
fn client(client: &Client) -> audit::Client {
    match client {
        Client::Program { name, path: _, process: _ } => {
            audit::Client::Program { name: name.as_deref().map(clean) }
        }
        Client::Site { origin, host: _ } => audit::Client::Site { origin: clean(origin) },
    }
}

const fn told(outcome: Outcome) -> audit::Outcome {
    match outcome {
        Outcome::Approved { choice: _ } => audit::Outcome::Approved,
        Outcome::Cancelled => audit::Outcome::Cancelled,
        Outcome::Denied => audit::Outcome::Denied,
        Outcome::Expired => audit::Outcome::Expired,
        Outcome::Failed(code) => audit::Outcome::Failed(code),
    }
}
