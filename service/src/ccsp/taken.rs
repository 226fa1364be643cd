//! Documents that a request takes from the shelf: used up where the person is asked, put back
//! where it does not come to that.

use std::sync::Arc;

use signer_core::error::ErrorCode;

use crate::ccsp::{
    dto,
    id::Id,
    order::{self, Item},
    pairing::PairingNumber,
    problem::Problem,
    shelf::{Kept, Shelf},
    spool::Spooled,
};

/// What was taken. Dropped, it goes back with the end that it had.
pub(super) struct Taken<'a> {
    shelf: &'a Shelf<Spooled>,
    documents: Vec<(Id, Kept<Spooled>)>,
}

impl<'a> Taken<'a> {
    /// Takes every document that a request names, or none.
    ///
    /// # Errors
    /// `resource-not-found` where one is not there, somebody else's, or named twice.
    pub(super) fn new(
        shelf: &'a Shelf<Spooled>,
        request: &dto::SignatureRequest,
        owner: PairingNumber,
    ) -> Result<Self, ErrorCode> {
        let named = request.items.iter().filter_map(|item| item.document.as_deref());
        let ids = named.map(Id::parse).collect::<Option<Vec<_>>>().ok_or(ErrorCode::ResourceNotFound)?;
        let documents = shelf.take_all(&ids, owner).ok_or(ErrorCode::ResourceNotFound)?;
        Ok(Self { shelf, documents })
    }

    /// The items of the request, in its order.
    ///
    /// # Errors
    /// `request-malformed` where a digest is none.
    pub(super) fn items(&self, request: &dto::SignatureRequest) -> Result<Vec<Item>, Problem> {
        let mut documents = self.documents.iter();
        let mut items = Vec::new();
        for (index, item) in request.items.iter().enumerate() {
            let name = order::shown(&item.name);
            items.push(match &item.digest {
                Some(digest) => {
                    let wrong = || order::malformed(format!("items[{index}].digest has another length"));
                    Item::Digest { name, digest: digest.parse().ok_or_else(wrong)? }
                }
                None => {
                    let (_, kept) = documents.next().ok_or(ErrorCode::Internal)?;
                    Item::Document { name, document: Arc::clone(&kept.value) }
                }
            });
        }
        Ok(items)
    }

    /// They are used up.
    pub(super) fn use_up(mut self) {
        self.documents.clear();
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        for (id, kept) in self.documents.drain(..) {
            self.shelf.put_back(id, kept);
        }
    }
}
