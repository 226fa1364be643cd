//! One request whose turn it is: its machine, its worker, and whoever asks the person.

use std::time::Instant as Moment;

use signer_core::approval::Approval;
use signer_ipc::{
    message::{ApprovalNumber, Lasting, Unlock},
    sealed::SealedSecret,
};
use tokio::sync::watch;

use crate::{
    agents::AgentId,
    approvals::{
        request::Wish,
        worker::{Handle, Task},
    },
    ports::{ApprovalState, ListedCredential},
};

pub(super) struct Asking {
    pub(super) number: ApprovalNumber,
    pub(super) state: watch::Sender<ApprovalState>,
    pub(super) stage: Stage,
    /// The worker; a pairing has none. It ends when this is dropped.
    pub(super) worker: Option<Handle>,
    pub(super) asker: Asker,
    /// What can be chosen, in the order of the summary.
    pub(super) credentials: Vec<ListedCredential>,
    pub(super) unlocks: Vec<Unlock>,
    /// How the next secret is given.
    pub(super) next_unlock: Option<Unlock>,
    /// The secret on its way from whoever asked to the token host.
    pub(super) secret: Option<SealedSecret>,
    pub(super) lasting: Lasting,
}

/// How far a request is.
pub(super) enum Stage {
    /// Its certificates are being looked for.
    Preparing { wish: Option<Wish>, withdrawn: Withdrawn },
    /// The machine decides.
    Open(Approval),
}

/// Whether a request was taken back before its machine began.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Withdrawn {
    ByClient,
    ByTheEnd,
    No,
}

/// Who asks the person.
pub(super) enum Asker {
    /// This one.
    Agent(AgentId),
    /// Nobody yet.
    Nobody,
    /// The tray that this start will bring, or a terminal where that takes too long.
    Starting { start: u64, fall_back_at: Option<Moment> },
}

impl Asking {
    pub(super) fn new(
        number: ApprovalNumber,
        state: watch::Sender<ApprovalState>,
        wish: Wish,
        worker: Option<Handle>,
    ) -> Self {
        Self {
            number,
            state,
            stage: Stage::Preparing { wish: Some(wish), withdrawn: Withdrawn::No },
            worker,
            asker: Asker::Nobody,
            credentials: Vec::new(),
            unlocks: Vec::new(),
            next_unlock: None,
            secret: None,
            lasting: Lasting::Once,
        }
    }

    /// Whether this one asks the person for it.
    pub(super) fn is_asked_by(&self, agent: AgentId) -> bool {
        match self.asker {
            Asker::Agent(asker) => asker == agent,
            Asker::Nobody | Asker::Starting { .. } => false,
        }
    }

    /// Hands a task to the worker.
    pub(super) fn work(&self, task: Task) {
        if let Some(worker) = &self.worker {
            worker.work(task);
        }
    }

    /// The program that unlocks the token of the chosen certificate, where it is known.
    pub(super) fn unlock_tool(&self) -> Option<&str> {
        let choice = usize::try_from(self.approval()?.choice()?).ok()?;
        self.unlocks.get(choice)?.unlock_tool.as_deref()
    }

    pub(super) const fn approval(&self) -> Option<&Approval> {
        match &self.stage {
            Stage::Open(approval) => Some(approval),
            Stage::Preparing { .. } => None,
        }
    }
}
