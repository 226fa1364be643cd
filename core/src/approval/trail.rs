//! What the audit trail says of an approval: ids and digests, nothing personal.

use crate::{
    approval::{
        Approval, Item, Outcome, Record,
        summary::{Client, Subject, Summary, clean},
    },
    audit,
    error::ErrorCode,
    moment::Moment,
};

impl Approval {
    /// The entry for a record that [`Effect::Record`](crate::approval::Effect::Record) asks for.
    /// The number and the boot name the approval, the moment is when it is written down.
    pub fn entry(&self, record: Record, number: u64, boot: audit::Boot, time: Moment) -> audit::Entry {
        let summary = self.summary();
        let chosen = self.choice().and_then(|choice| usize::try_from(choice).ok());
        let certificate = chosen.and_then(|choice| summary.certificates().get(choice));
        let codes = self.items().iter().map(|item| match item {
            Item::Failed(code) => Some(*code),
            Item::Signed | Item::Waiting => None,
        });
        audit::Entry {
            approval: number,
            boot,
            certificate: certificate.map(|certificate| certificate.id.clone()),
            client: client(summary.client()),
            documents: documents(summary, codes),
            event: match record {
                Record::Intent => audit::Event::Intent,
                Record::Outcome(outcome) => audit::Event::Outcome(told(outcome)),
            },
            kind: kind(summary),
            time,
        }
    }
}

impl Summary {
    /// The entry for a request that was refused before anybody was asked. It is an outcome
    /// without an intent: nothing was shown, no key was touched.
    pub fn refusal(&self, code: ErrorCode, number: u64, boot: audit::Boot, time: Moment) -> audit::Entry {
        audit::Entry {
            approval: number,
            boot,
            certificate: None,
            client: client(self.client()),
            // Why is the same for all of them and stands in the outcome.
            documents: documents(self, std::iter::repeat(None)),
            event: audit::Event::Outcome(audit::Outcome::Failed(code)),
            kind: kind(self),
            time,
        }
    }
}

const fn kind(summary: &Summary) -> audit::Kind {
    match summary.subject() {
        Subject::Pairing { .. } => audit::Kind::Pairing,
        Subject::Selection { .. } => audit::Kind::Selection,
        Subject::Signature { .. } => audit::Kind::Signature,
    }
}

fn documents(summary: &Summary, codes: impl Iterator<Item = Option<ErrorCode>>) -> Vec<audit::Document> {
    let documents = summary.documents().iter().zip(codes);
    documents.map(|(document, code)| audit::Document { code, digest: document.digest.clone() }).collect()
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
