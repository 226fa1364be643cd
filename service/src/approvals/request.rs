//! From what a client asks to what the person is shown.

use signer_core::{
    approval::{
        LastTry, SecretReason,
        summary::{Certificate, Client, Document, Subject, Summary},
    },
    pdf::permission::SignatureType,
};
use signer_ipc::{message, token_host};

use crate::ports::{ListedCredential, RequestSubject, SigningJob};

/// What remains of a request once its documents went to the worker.
pub(super) enum Wish {
    /// To be let in.
    Pairing(Summary),
    /// To be told one certificate.
    Selection { client: Client },
    /// To have documents signed.
    Signature {
        client: Client,
        documents: Vec<Document>,
        reason: Option<String>,
        signature_type: SignatureType,
    },
}

/// Takes a request apart: what the person is shown, and what is signed.
pub(super) fn split(client: Client, subject: RequestSubject) -> (Wish, Vec<SigningJob>) {
    match subject {
        RequestSubject::Pairing { scopes } => {
            (Wish::Pairing(Summary::new(client, Subject::Pairing { scopes })), Vec::new())
        }
        RequestSubject::Selection => (Wish::Selection { client }, Vec::new()),
        RequestSubject::Signature { certificate: _, jobs, reason, signature_type } => {
            let documents = jobs.iter().map(|job| job.document.clone()).collect();
            (Wish::Signature { client, documents, reason, signature_type }, jobs)
        }
    }
}

impl Wish {
    /// The summary, with the certificates that can be chosen.
    pub(super) fn into_summary(self, credentials: &[ListedCredential]) -> Summary {
        let certificates = credentials.iter().map(certificate).collect();
        match self {
            Self::Pairing(summary) => summary,
            Self::Selection { client } => Summary::new(client, Subject::Selection { certificates }),
            Self::Signature { client, documents, reason, signature_type } => {
                Summary::new(client, Subject::Signature { certificates, documents, reason, signature_type })
            }
        }
    }
}

/// A credential as the person sees it.
fn certificate(credential: &ListedCredential) -> Certificate {
    Certificate {
        id: credential.id.clone(),
        holder: credential.holder.name.clone(),
        number: credential.holder.identifier.as_ref().map(|identifier| identifier.masked()),
        issuer: credential.certificate.issuer_common_name().unwrap_or_default().to_owned(),
        not_after: credential.certificate.not_after(),
        storage: credential.storage,
        place: credential.place.clone(),
    }
}

/// A reason as it travels.
pub(super) const fn reason(reason: SecretReason) -> message::SecretReason {
    match reason {
        SecretReason::EverySignature => message::SecretReason::EverySignature,
        SecretReason::First => message::SecretReason::First,
        SecretReason::Incorrect => message::SecretReason::Incorrect,
        SecretReason::LastTry => message::SecretReason::LastTry,
    }
}

/// What the person said of the last try, as it came.
pub(super) const fn last_try(said: token_host::LastTry) -> LastTry {
    match said {
        token_host::LastTry::Confirmed => LastTry::Confirmed,
        token_host::LastTry::NotConfirmed => LastTry::NotConfirmed,
    }
}

/// What the token host is told of the last try.
pub(super) const fn last_try_to_host(decided: LastTry) -> token_host::LastTry {
    match decided {
        LastTry::Confirmed => token_host::LastTry::Confirmed,
        LastTry::NotConfirmed => token_host::LastTry::NotConfirmed,
    }
}
