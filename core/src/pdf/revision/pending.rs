//! A document as it will be: its objects with the changes of an update that is being built.

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::source::Source;
use crate::pdf::update::{Body, Update};

/// A document and the update that changes it. What one step changed the next one finds changed,
/// also where a damaged document uses one object for two things.
pub(super) struct PendingUpdate<'a, S: Source> {
    pub(super) document: &'a Document<S>,
    pub(super) update: &'a mut Update,
}

impl<S: Source> PendingUpdate<'_, S> {
    /// The object behind `reference`; `null` where there is none.
    pub(super) fn object(&self, reference: Reference) -> Result<Object, PdfError> {
        match self.update.get(reference) {
            Some(Body::Object(object)) => Ok(object.clone()),
            Some(Body::Stream(stream)) => Ok(Object::Dictionary(stream.dictionary.clone())),
            None => self.document.object(reference),
        }
    }

    /// Where the value behind `reference` stands, and the value.
    pub(super) fn last_hop(&self, reference: Reference) -> Result<(Reference, Object), PdfError> {
        let mut place = reference;
        for _ in 0..self.document.limits().reference_hops {
            let object = self.object(place)?;
            let Some(next) = object.as_reference() else { return Ok((place, object)) };
            place = next;
        }
        Err(PdfError::broken("references go in a circle"))
    }

    /// The value of `key`, references followed; `null` where it is absent.
    pub(super) fn entry(&self, dictionary: &Dictionary, key: &str) -> Result<Object, PdfError> {
        match dictionary.get(key) {
            Some(Object::Reference(reference)) => Ok(self.last_hop(*reference)?.1),
            Some(object) => Ok(object.clone()),
            None => Ok(Object::Null),
        }
    }

    /// The catalog.
    pub(super) fn catalog(&self) -> Result<Dictionary, PdfError> {
        let changed = self.update.get(self.document.root()).is_some();
        let changed = changed.then(|| self.object(self.document.root())).transpose()?;
        let changed = changed.and_then(Object::into_dictionary);
        Ok(changed.unwrap_or_else(|| self.document.catalog().clone()))
    }
}
