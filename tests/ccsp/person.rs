//! The person of a test: answers as it was told, and signs with a real key where it says yes.

use std::{
    collections::VecDeque,
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use signer_core::{
    approval::{Outcome, summary},
    cms::certificate::{Certificate, from_pem_or_der},
    credential::{CredentialId, Holder},
    error::ErrorCode,
    trust,
};
use signer_ipc::{message::Lasting, secret::Secret};
use signer_service::{
    clock,
    ports::{
        ApprovalHandle, ApprovalRequest, ApprovalState, Approvals, CancelHandle, CredentialState,
        Credentials, Ended, ListedCredential, RequestSubject, SigningJob,
    },
    sign::Signer,
    token::client::TokenHost,
};
use signer_tests::{
    signer_program,
    signing::{PASSWORD, a1},
};
use tokio::sync::watch;

/// What the person does with the next question.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reaction {
    /// Says yes, for so long.
    Yes(Lasting),
    /// Says no, for so long.
    No(Lasting),
    /// Does not answer in time.
    Nothing,
    /// Looks at it until it is taken back.
    Look,
    /// Nobody is there: the question cannot be asked.
    Nobody(ErrorCode),
    /// It fails after it was asked.
    Failure(ErrorCode),
    /// The service's own code fails.
    Defect,
    /// Whoever answers is gone.
    Vanish,
}

/// The person, their keys, and what they were asked.
pub(crate) struct Person {
    reactions: Mutex<VecDeque<Reaction>>,
    /// What was asked, in a few words.
    pub(crate) asked: Mutex<Vec<String>>,
    /// What was refused before it could be asked, and why.
    pub(crate) refused: Mutex<Vec<String>>,
    withdrawn: &'static AtomicUsize,
    /// The A1 file they sign with.
    key: PathBuf,
}

impl Person {
    pub(crate) fn new(key: &str) -> Self {
        Self {
            reactions: Mutex::default(),
            asked: Mutex::default(),
            refused: Mutex::default(),
            // Cancelling outlives the person; a test's memory is its process's.
            withdrawn: Box::leak(Box::default()),
            key: a1(key),
        }
    }

    /// What happens with the next questions, in order; after them nobody is there.
    pub(crate) fn will(&self, reactions: &[Reaction]) {
        self.reactions.lock().unwrap().extend(reactions);
    }

    pub(crate) fn questions(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    /// How many questions were taken back.
    pub(crate) fn withdrawn(&self) -> usize {
        self.withdrawn.load(Ordering::SeqCst)
    }

    /// A token host with the key unlocked.
    fn unlocked(&self) -> (TokenHost, Signer) {
        let mut host = TokenHost::spawn(signer_program()).unwrap();
        host.open_file(&self.key).unwrap();
        host.unlock(None, &Secret::from_bytes(PASSWORD.as_bytes().to_vec()).unwrap()).unwrap();
        let credential = host.credentials(None).unwrap().remove(0);
        let certificate = Certificate::from_der(&credential.certificate_der).unwrap();
        let pool: Vec<_> =
            credential.chain_der.iter().filter_map(|der| Certificate::from_der(der).ok()).collect();
        let chain = trust::order_chain(&certificate, &pool);
        (host, Signer { credential, certificate, chain })
    }

    fn listed(&self) -> ListedCredential {
        let (_, signer) = self.unlocked();
        listed(&signer)
    }
}

fn listed(signer: &Signer) -> ListedCredential {
    ListedCredential {
        id: CredentialId::of(&signer.certificate),
        certificate: signer.certificate.clone(),
        chain: signer.chain.clone(),
        holder: Holder::of(&signer.certificate),
        storage: summary::Storage::A1,
        place: Some("do-not-tell.p12".to_owned()),
        state: CredentialState::Valid,
    }
}

fn describe(request: &ApprovalRequest) -> String {
    let client = match &request.client {
        summary::Client::Site { origin, .. } => origin.clone(),
        summary::Client::Program { name, .. } => format!("program {}", name.as_deref().unwrap_or("?")),
    };
    match &request.subject {
        RequestSubject::Pairing { scopes } => format!("{client} pairs for {scopes:?}"),
        RequestSubject::Selection => format!("{client} wants a certificate"),
        RequestSubject::Signature { jobs, reason, signature_type, .. } => {
            let names: Vec<_> = jobs.iter().map(|job| job.document.name.as_str()).collect();
            let certified = signature_type.as_str().map_or_else(String::new, |name| format!(" as {name}"));
            let locks = jobs.iter().filter_map(|job| match job.document.content {
                summary::Content::Pades { lock, .. } => lock,
                summary::Content::Raw => None,
            });
            let locked = locks.min().map_or_else(String::new, |lock| format!(" locked to {}", lock.as_str()));
            format!("{client} signs {names:?}{certified}{locked} because {reason:?}")
        }
    }
}

impl Approvals for Person {
    fn open(&self, request: ApprovalRequest) -> Result<ApprovalHandle, ErrorCode> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(describe(&request));
        let number = asked.len() as u64;
        drop(asked);
        let next = self.reactions.lock().unwrap().pop_front();
        let reaction = next.unwrap_or(Reaction::Nobody(ErrorCode::TrayUnavailable));
        let (sender, state) = watch::channel(ApprovalState::Waiting);
        let end = |outcome, lasting| {
            let ended = Ended { outcome, lasting, items: Vec::new(), certificate: None };
            sender.send_replace(ApprovalState::Ended(ended));
        };
        let mut cancel = CancelHandle::new(|| {});
        match reaction {
            Reaction::Yes(lasting) => {
                let (jobs, choice) = match request.subject {
                    RequestSubject::Pairing { .. } => (Vec::new(), None),
                    RequestSubject::Selection => (Vec::new(), Some(0)),
                    RequestSubject::Signature { jobs, .. } => (jobs, Some(0)),
                };
                let outcome = Outcome::Approved { choice };
                if choice.is_none() {
                    end(outcome, lasting);
                } else {
                    let (host, signer) = self.unlocked();
                    std::thread::spawn(move || sign(jobs, host, signer, lasting, &sender));
                }
            }
            Reaction::No(lasting) => end(Outcome::Denied, lasting),
            Reaction::Nothing => end(Outcome::Expired, Lasting::Once),
            Reaction::Failure(code) => end(Outcome::Failed(code), Lasting::Once),
            Reaction::Look => {
                sender.send_replace(ApprovalState::Presented);
                let withdrawn = self.withdrawn;
                cancel = CancelHandle::new(move || {
                    withdrawn.fetch_add(1, Ordering::SeqCst);
                    let outcome = Outcome::Cancelled;
                    let (items, certificate) = (Vec::new(), None);
                    let ended = Ended { outcome, lasting: Lasting::Once, items, certificate };
                    sender.send_replace(ApprovalState::Ended(ended));
                });
            }
            Reaction::Nobody(code) => return Err(code),
            Reaction::Defect => panic!("a defect on purpose"),
            Reaction::Vanish => drop(sender),
        }
        Ok(ApprovalHandle { number, state, cancel })
    }

    fn refused(&self, request: ApprovalRequest, code: ErrorCode) {
        self.refused.lock().unwrap().push(format!("{}: {code}", describe(&request)));
    }

    fn can_ask(&self) -> bool {
        !self.reactions.lock().unwrap().is_empty()
    }
}

fn sign(
    jobs: Vec<SigningJob>,
    mut host: TokenHost,
    signer: Signer,
    lasting: Lasting,
    sender: &watch::Sender<ApprovalState>,
) {
    let of = u32::try_from(jobs.len()).unwrap();
    let mut items = Vec::new();
    for (done, job) in (0..).zip(jobs) {
        sender.send_replace(ApprovalState::Signing { done, of });
        let result = job.work.sign(&mut host, &signer, clock::now().unwrap());
        items.push(result.map_err(|error| error.code()));
    }
    let outcome = Outcome::Approved { choice: Some(0) };
    let ended = Ended { outcome, lasting, items, certificate: Some(listed(&signer)) };
    sender.send_replace(ApprovalState::Ended(ended));
}

impl Credentials for Person {
    fn card_programs(&self) -> Pin<Box<dyn Future<Output = Vec<String>> + Send + '_>> {
        Box::pin(async { Vec::new() })
    }

    fn list(&self) -> Pin<Box<dyn Future<Output = Arc<[ListedCredential]>> + Send + '_>> {
        Box::pin(async {
            let valid = self.listed();
            let path = signer_tests::repository().join("tests/fixtures/pki/certificates/expirado.pem");
            let expired = from_pem_or_der(&std::fs::read(path).unwrap()).unwrap().remove(0);
            let other = ListedCredential {
                id: CredentialId::of(&expired),
                holder: Holder::of(&expired),
                certificate: expired,
                chain: Vec::new(),
                storage: summary::Storage::A3,
                state: CredentialState::Expired,
                place: None,
            };
            Arc::from([valid, other])
        })
    }
}
