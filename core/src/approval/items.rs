//! What becomes of each document of one approval.

use crate::error::ErrorCode;

/// What became of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// It is not signed and will not be.
    Failed(ErrorCode),
    /// It is signed.
    Signed,
    /// Its turn has not come or not ended.
    Waiting,
}

/// The documents, in their order. The first that waits is the one whose turn it is.
pub(super) struct Items(Vec<Item>);

impl Items {
    pub(super) fn waiting(count: usize) -> Self {
        Self(vec![Item::Waiting; count])
    }

    /// Ends the turn of the current one.
    pub(super) fn end_current(&mut self, result: Item) {
        if let Some(current) = self.0.iter_mut().find(|item| **item == Item::Waiting) {
            *current = result;
        }
    }

    /// Marks all that wait.
    pub(super) fn give_up(&mut self, code: ErrorCode) {
        for item in &mut self.0 {
            if *item == Item::Waiting {
                *item = Item::Failed(code);
            }
        }
    }

    pub(super) fn as_slice(&self) -> &[Item] {
        &self.0
    }

    pub(super) fn current(&self) -> Option<u32> {
        let waiting = self.0.iter().position(|item| *item == Item::Waiting)?;
        u32::try_from(waiting).ok()
    }

    pub(super) fn untouched(&self) -> bool {
        self.0.iter().all(|item| *item == Item::Waiting)
    }

    /// Whether one at least is signed, or why the first is not.
    pub(super) fn verdict(&self) -> Result<(), ErrorCode> {
        let mut first = None;
        for item in &self.0 {
            match item {
                Item::Failed(code) => first = first.or(Some(*code)),
                Item::Signed => return Ok(()),
                Item::Waiting => {}
            }
        }
        Err(first.unwrap_or(ErrorCode::Internal))
    }

    /// What is told of each, where `whole` is the error of the approval: nothing leaves then.
    pub(super) fn results(&self, whole: Option<ErrorCode>) -> Vec<Result<(), ErrorCode>> {
        let result = |item: &Item| match item {
            Item::Failed(code) => Err(*code),
            Item::Signed => whole.map_or(Ok(()), Err),
            Item::Waiting => Err(whole.unwrap_or(ErrorCode::Internal)),
        };
        self.0.iter().map(result).collect()
    }
}
