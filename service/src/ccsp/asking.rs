//! Questions to the person, from the side of whoever waits for the answer.

use signer_core::{approval::Outcome, error::ErrorCode};
use tokio::sync::watch;

use crate::{
    ccsp::{
        Shared,
        client::{Client, Counted, UnderWay},
    },
    ports::{ApprovalHandle, ApprovalRequest, ApprovalState, CancelHandle, Ended, RequestSubject},
};

/// A question under way.
pub(super) struct Question {
    /// How it stands.
    pub(super) state: watch::Receiver<ApprovalState>,
    /// Takes it back.
    pub(super) cancel: CancelHandle,
    /// Counts against the client's limit as long as it is kept.
    pub(super) under_way: UnderWay,
}

/// Takes a question back when it is dropped: whoever waits for the answer is gone.
pub(super) struct Withdrawal(CancelHandle);

impl Question {
    /// Asks.
    ///
    /// # Errors
    /// `approval-busy`, `tray-unavailable` or `audit-unavailable`, at once.
    pub(super) fn ask(shared: &Shared, client: &Client, subject: RequestSubject) -> Result<Self, ErrorCode> {
        let request = ApprovalRequest { client: client.shown(), subject };
        let counted = shared.tally.begin(&client.binding(), Counted::Approvals, shared.limits.approvals);
        let under_way = match counted {
            Ok(under_way) => under_way,
            Err(code) => {
                shared.approvals.refused(request, code);
                return Err(code);
            }
        };
        let ApprovalHandle { number: _, state, cancel } = shared.approvals.open(request)?;
        Ok(Self { state, cancel, under_way })
    }

    /// Waits for the answer. Dropped before, the question is taken back.
    ///
    /// # Errors
    /// `internal` where nobody answers any more.
    pub(super) async fn answered(mut self) -> Result<Ended, ErrorCode> {
        let _withdrawal = Withdrawal::new(&self.cancel);
        ended(&mut self.state).await
    }
}

impl Withdrawal {
    /// For the question that `cancel` takes back. After its end that does nothing.
    pub(super) fn new(cancel: &CancelHandle) -> Self {
        Self(cancel.clone())
    }
}

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Waits for the end.
///
/// # Errors
/// `internal` where nobody answers any more.
pub(super) async fn ended(state: &mut watch::Receiver<ApprovalState>) -> Result<Ended, ErrorCode> {
    let last = state.wait_for(|state| matches!(state, ApprovalState::Ended(_))).await;
    match last.as_deref() {
        Ok(ApprovalState::Ended(ended)) => Ok(ended.clone()),
        Ok(ApprovalState::Waiting | ApprovalState::Presented | ApprovalState::Signing { .. }) | Err(_) => {
            Err(ErrorCode::Internal)
        }
    }
}

/// Why an answer is no yes.
pub(super) const fn refusal(outcome: &Outcome) -> Option<ErrorCode> {
    match outcome {
        Outcome::Approved { .. } => None,
        Outcome::Cancelled => Some(ErrorCode::ApprovalCancelled),
        Outcome::Denied => Some(ErrorCode::ApprovalDenied),
        Outcome::Expired => Some(ErrorCode::ApprovalExpired),
        Outcome::Failed(code) => Some(*code),
    }
}
