//! One request for signatures: what was asked, how it stands, what came of it.

use signer_core::{
    algorithm::SignatureAlgorithm,
    approval::Outcome,
    digest::{Digest, DigestAlgorithm},
    error::ErrorCode,
    pdf::{permission::Permission, warning::DocumentWarning},
};
use tokio::sync::watch;

use crate::{
    ccsp::{
        asking, certificates, dto,
        id::Id,
        rule,
        work::{Made, Signed, Slot},
    },
    ports::{ApprovalState, CancelHandle, Ended},
    text::Language,
};

/// One request for signatures.
pub(super) struct Batch {
    /// The name and the product of each item.
    pub(super) items: Vec<(String, Slot)>,
    /// How the question to the person stands.
    pub(super) state: watch::Receiver<ApprovalState>,
    /// Takes it back.
    pub(super) cancel: CancelHandle,
    /// What makes a repeated request the same one.
    pub(super) key: Option<IdempotencyKey>,
}

/// `Idempotency-Key` and what came with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IdempotencyKey {
    /// The field's value.
    pub(super) key: String,
    /// The digest of the body.
    pub(super) body: Digest,
}

/// How a batch stands.
enum Standing {
    Ended(Ended),
    Lost,
    UnderWay(dto::SignaturesState),
}

impl Batch {
    /// Whether nothing changes any more.
    pub(super) fn is_over(&self) -> bool {
        match self.standing() {
            Standing::Ended(_) | Standing::Lost => true,
            Standing::UnderWay(_) => false,
        }
    }

    /// The signed document of an item.
    ///
    /// # Errors
    /// `signature-pending` before the end; then why there is none.
    pub(super) fn document(&self, number: usize) -> Result<Signed, ErrorCode> {
        let (_, slot) = self.items.get(number).ok_or(ErrorCode::ResourceNotFound)?;
        let ended = match self.standing() {
            Standing::UnderWay(_) => return Err(ErrorCode::SignaturePending),
            Standing::Lost => return Err(ErrorCode::Internal),
            Standing::Ended(ended) => ended,
        };
        match made(&ended, number, slot)? {
            Made::Document(signed) => Ok(signed),
            // A bare value stands in the request itself.
            Made::Value(_) => Err(ErrorCode::ResourceNotFound),
        }
    }

    /// The request as its client sees it.
    pub(super) fn told(&self, id: Id, language: Language) -> dto::Signatures {
        let failure = |code: ErrorCode| dto::Failure {
            code: code.to_string(),
            title: language.error(code).to_owned(),
            remedy: code.remedy().as_str(),
            detail: None,
        };
        let (state, error, ended) = match self.standing() {
            Standing::UnderWay(state) => (state, None, None),
            Standing::Lost => (dto::SignaturesState::Failed, Some(ErrorCode::Internal), None),
            Standing::Ended(ended) => {
                let state = match ended.outcome {
                    Outcome::Approved { .. } => dto::SignaturesState::Completed,
                    Outcome::Cancelled => dto::SignaturesState::Cancelled,
                    Outcome::Denied => dto::SignaturesState::Denied,
                    Outcome::Expired => dto::SignaturesState::Expired,
                    Outcome::Failed(_) => dto::SignaturesState::Failed,
                };
                (state, asking::refusal(&ended.outcome), Some(ended))
            }
        };
        let noted = |warning: DocumentWarning| dto::Warning {
            code: warning.as_str(),
            title: language.document_warning(warning),
        };
        let items = self.items.iter().enumerate().map(|(number, (name, slot))| {
            let mut item = dto::SignedItem {
                name: name.clone(),
                state: dto::ItemState::Pending,
                error: None,
                content: None,
                size: None,
                field: None,
                ignored_seed_values: Vec::new(),
                lock: None,
                value: None,
                algorithm: None,
                warnings: Vec::new(),
            };
            let result = match (&ended, error) {
                (Some(ended), _) => made(ended, number, slot),
                (None, Some(code)) => Err(code),
                (None, None) => return item,
            };
            match result {
                Err(code) => {
                    item.state = dto::ItemState::Failed;
                    item.error = Some(dto::Failure { detail: slot.unmet(code), ..failure(code) });
                }
                Ok(Made::Document(signed)) => {
                    item.state = dto::ItemState::Signed;
                    item.content = Some(format!("{}/{id}/items/{}/content", rule::SIGNATURES, number + 1));
                    item.size = Some(signed.len);
                    item.field = Some(signed.field);
                    item.warnings = signed.warnings.into_iter().map(noted).collect();
                    item.ignored_seed_values = signed.ignored;
                    item.lock = signed.lock.map(Permission::as_str);
                }
                Ok(Made::Value(value)) => {
                    item.state = dto::ItemState::Signed;
                    item.value = Some(dto::base64(&value.bytes));
                    item.algorithm = Some(name_of(value.algorithm));
                }
            }
            item
        });
        let items = items.collect();
        let certificate = ended.as_ref().and_then(|ended| ended.certificate.as_ref());
        dto::Signatures {
            id: id.to_string(),
            state,
            error: error.map(failure),
            certificate: certificate.map(certificates::with_chain),
            items,
        }
    }

    fn standing(&self) -> Standing {
        // The last value stays readable after its sender is gone.
        let is_lost = self.state.has_changed().is_err();
        match &*self.state.borrow() {
            ApprovalState::Ended(ended) => Standing::Ended(ended.clone()),
            _ if is_lost => Standing::Lost,
            ApprovalState::Waiting => Standing::UnderWay(dto::SignaturesState::Waiting),
            ApprovalState::Presented => Standing::UnderWay(dto::SignaturesState::Presented),
            ApprovalState::Signing { .. } => Standing::UnderWay(dto::SignaturesState::Signing),
        }
    }
}

/// What came of an item, once all is over. Nothing is released that was not approved.
pub(super) fn made(ended: &Ended, number: usize, slot: &Slot) -> Result<Made, ErrorCode> {
    if let Some(code) = asking::refusal(&ended.outcome) {
        return Err(code);
    }
    match ended.items.get(number) {
        Some(Ok(())) => slot.made().ok_or(ErrorCode::Internal),
        Some(Err(code)) => Err(*code),
        None => Err(ErrorCode::Internal),
    }
}

/// Waits until the question is over; what was not approved is destroyed.
pub(super) async fn settle(mut state: watch::Receiver<ApprovalState>, slots: Vec<Slot>) {
    let approved = match asking::ended(&mut state).await {
        Ok(ended) => asking::refusal(&ended.outcome).is_none(),
        Err(_) => false,
    };
    if !approved {
        for slot in slots {
            slot.clear();
        }
    }
}

impl IdempotencyKey {
    /// The key of a request with this body.
    pub(super) fn new(key: &str, body: &[u8]) -> Self {
        Self { key: key.to_owned(), body: DigestAlgorithm::Sha256.digest(body) }
    }
}

const fn name_of(algorithm: SignatureAlgorithm) -> &'static str {
    match algorithm {
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256) => "RSA-SHA-256",
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha384) => "RSA-SHA-384",
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha512) => "RSA-SHA-512",
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256) => "ECDSA-SHA-256",
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha384) => "ECDSA-SHA-384",
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha512) => "ECDSA-SHA-512",
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha1)
        | SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha1) => "none",
    }
}
