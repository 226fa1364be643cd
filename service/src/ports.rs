//! What the HTTP interface needs from the rest of the service: somebody who asks the person,
//! and what can sign here. No HTTP and no window are known on this side of it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use signer_core::{
    approval::{
        Outcome,
        summary::{Client, Document, Scope, Storage},
    },
    cms::certificate::Certificate,
    credential::{CredentialId, Holder},
    error::ErrorCode,
    moment::Moment,
    pdf::permission::SignatureType,
};
use signer_ipc::message::{ApprovalNumber, Lasting};
use tokio::sync::watch;

use crate::{
    sign::{SignError, Signer},
    token::client::TokenHost,
};

/// Asks the person, through whoever can, and does what was approved.
pub trait Approvals: Send + Sync + 'static {
    /// Queues a request and returns at once; never blocks.
    ///
    /// # Errors
    /// `approval-busy`, `tray-unavailable` (nobody can ask) or `audit-unavailable`.
    fn open(&self, request: ApprovalRequest) -> Result<ApprovalHandle, ErrorCode>;

    /// Takes note of a request that was refused with `code` before it came to [`Approvals::open`].
    /// Never blocks.
    fn refused(&self, request: ApprovalRequest, code: ErrorCode);

    /// Whether somebody could be asked now, by a display or a terminal agent. Cheap.
    fn can_ask(&self) -> bool;
}

/// What is asked, and for whom.
pub struct ApprovalRequest {
    /// Who asks, as the service found out.
    pub client: Client,
    /// For what.
    pub subject: RequestSubject,
}

/// What a client asks for.
pub enum RequestSubject {
    /// To be let in.
    Pairing {
        /// What it may do then.
        scopes: Vec<Scope>,
    },
    /// To be told one certificate; those to choose from are the usable ones.
    Selection,
    /// To have documents signed.
    Signature {
        /// With which certificate; `None` lets the person choose.
        certificate: Option<CredentialId>,
        /// What is signed. Never empty.
        jobs: Vec<SigningJob>,
        /// `/Reason`.
        reason: Option<String>,
        /// What each signature says of later changes to its document.
        signature_type: SignatureType,
    },
}

/// One document to sign. Dropped unsigned, it leaves its document as it was.
pub struct SigningJob {
    /// What the person is shown of it.
    pub document: Document,
    /// The signing itself.
    pub work: Box<dyn SignWork>,
}

/// The signing of one document.
pub trait SignWork: Send {
    /// Makes the signature; called once, after the confirmation, with the unlocked host. Blocks:
    /// never called on an async thread.
    ///
    /// # Errors
    /// Why this document is not signed; it is as it was then.
    fn sign(self: Box<Self>, host: &mut TokenHost, signer: &Signer, now: Moment) -> Result<(), SignError>;
}

/// The live view of one approval. Dropping it cancels nothing.
pub struct ApprovalHandle {
    /// Which.
    pub number: ApprovalNumber,
    /// How it stands. The sender sends [`ApprovalState::Ended`] before it is dropped.
    pub state: watch::Receiver<ApprovalState>,
    /// Takes it back.
    pub cancel: CancelHandle,
}

/// Takes an approval back: what has not begun does not begin. Later calls do nothing.
#[derive(Clone)]
pub struct CancelHandle(Arc<dyn Fn() + Send + Sync>);

/// How an approval stands.
#[derive(Debug, Clone)]
pub enum ApprovalState {
    /// Nobody sees it yet.
    Waiting,
    /// The person sees it.
    Presented,
    /// It was confirmed, and the key works.
    Signing {
        /// How many documents are done.
        done: u32,
        /// Of how many.
        of: u32,
    },
    /// It is over.
    Ended(Ended),
}

/// How an approval ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// In one word.
    pub outcome: Outcome,
    /// For how long a yes or no to a pairing holds.
    pub lasting: Lasting,
    /// For each document in its order whether it is signed; empty where none was begun.
    pub items: Vec<Result<(), ErrorCode>>,
    /// The certificate that was chosen.
    pub certificate: Option<ListedCredential>,
}

/// What can sign here.
pub trait Credentials: Send + Sync + 'static {
    /// All of it, most useful first: starts token hosts where needed; the same one seen twice is
    /// listed once; expired ones are marked, not hidden.
    fn list(&self) -> BoxFuture<'_, Arc<[ListedCredential]>>;

    /// Programs of this login that may keep a card for themselves, by their file names.
    fn card_programs(&self) -> BoxFuture<'_, Vec<String>>;
}

/// A credential as it can be told.
#[derive(Debug, Clone)]
pub struct ListedCredential {
    /// Which.
    pub id: CredentialId,
    /// Its certificate.
    pub certificate: Certificate,
    /// Its issuers in order.
    pub chain: Vec<Certificate>,
    /// The holder.
    pub holder: Holder,
    /// Where its key is.
    pub storage: Storage,
    /// The label of its token or the name of its file.
    pub place: Option<String>,
    /// Whether it can sign.
    pub state: CredentialState,
}

/// Whether a credential can sign now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CredentialState {
    /// Its validity has ended.
    Expired,
    /// Its key usage or its key does not permit signatures.
    NotForSigning,
    /// Its validity has not begun.
    NotYetValid,
    /// Its token is not there.
    TokenAbsent,
    /// It can.
    Valid,
}

impl CancelHandle {
    /// `cancel` may be called any number of times, from any thread, and must not block.
    pub fn new(cancel: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(cancel))
    }

    /// Takes the approval back.
    pub fn cancel(&self) {
        (self.0)();
    }
}
