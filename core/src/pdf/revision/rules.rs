//! What a document says against signatures of it: its form, its earlier signatures, its encryption.
//! Asked before a person is, and again when the signature is made.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::pdf::crypt::Act;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::NAME_BYTES;
use crate::pdf::permission::{Permission, Restrictions, SignatureType};
use crate::pdf::revision::FieldChoice;
use crate::pdf::source::Source;

/// Whether a signature is to be seen on its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// It has an appearance with an extent.
    Seen,
    /// Nothing of it is shown.
    Unseen,
}

/// A signature field by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldState {
    Empty,
    Signed,
}

/// The rules of one document as they stand in it. Holds copies of all names: the document may be
/// closed.
#[derive(Debug, Clone)]
pub struct SigningRules {
    restrictions: Restrictions,
    /// What the permissions of an encrypted document leave out.
    denied: Vec<(Act, &'static str)>,
    fields: Vec<(String, FieldState)>,
    top_names: HashSet<String>,
    /// Whether the catalog names a certification.
    certified: bool,
}

impl SigningRules {
    /// Reads them from `document`.
    ///
    /// # Errors
    /// [`PdfError::Ambiguous`] where readers would understand the document differently, otherwise as
    /// [`Document::open`].
    pub fn of<S: Source>(document: &Document<S>) -> Result<Self, PdfError> {
        document.refuse_two_readings()?;
        let form = document.form()?;
        let denied =
            [Act::MakeField, Act::SignField].into_iter().filter_map(|act| match document.permit(act) {
                Err(PdfError::PermissionDenied { what }) => Some((act, what)),
                Err(_) | Ok(()) => None,
            });
        let state = |signed| if signed { FieldState::Signed } else { FieldState::Empty };
        let fields = form.signatures.iter().map(|field| (field.name.clone(), state(field.value.is_some())));
        Ok(Self {
            restrictions: document.restrictions(form)?,
            denied: denied.collect(),
            fields: fields.collect(),
            top_names: form.top_names.clone(),
            certified: document.names_certification()?,
        })
    }

    /// What the signatures permit together; `None` where none says anything.
    pub const fn permission(&self) -> Option<Permission> {
        self.restrictions.permission
    }

    /// The name of the field that such a signature would be in: the one asked for, or a free one.
    ///
    /// # Errors
    /// Why there can be none: [`PdfError::ChangesForbidden`], [`PdfError::CertificationNotFirst`],
    /// [`PdfError::FieldNotFound`], [`PdfError::FieldAlreadySigned`], [`PdfError::FieldLocked`],
    /// [`PdfError::FieldNameUnusable`], [`PdfError::PermissionDenied`] or
    /// [`PdfError::VisibleFieldForbidden`].
    pub fn check(
        &self,
        field: FieldChoice<'_>,
        signature_type: SignatureType,
        visibility: Visibility,
    ) -> Result<String, PdfError> {
        if let Some(what) = self.restrictions.forbidden() {
            return Err(PdfError::ChangesForbidden { what });
        }
        // Document time-stamps are signed fields too, and a certification is in the first of all
        // (12.8.2.2.1).
        if signature_type != SignatureType::Approval && (self.is_signed() || self.certified) {
            return Err(PdfError::CertificationNotFirst);
        }
        match field {
            FieldChoice::Existing { name } => self.existing(name),
            FieldChoice::New { name } => {
                self.permit(Act::MakeField)?;
                if self.restrictions.permission.is_some() && visibility == Visibility::Seen {
                    return Err(PdfError::VisibleFieldForbidden { by: self.restrictions.by });
                }
                match name {
                    Some(name) => self.asked_for(name),
                    None => self.free(),
                }
            }
        }
    }

    /// Whether there is a signature in a field.
    pub(super) fn is_signed(&self) -> bool {
        self.fields.iter().any(|(_, state)| *state == FieldState::Signed)
    }

    fn permit(&self, act: Act) -> Result<(), PdfError> {
        let denied = self.denied.iter().find(|(denied, _)| *denied == act);
        denied.map_or(Ok(()), |(_, what)| Err(PdfError::PermissionDenied { what }))
    }

    /// The empty field `name`.
    fn existing(&self, name: &str) -> Result<String, PdfError> {
        let name = name.to_owned();
        match self.fields.iter().find(|(known, _)| *known == name) {
            None => return Err(PdfError::FieldNotFound { name }),
            Some((_, FieldState::Signed)) => return Err(PdfError::FieldAlreadySigned { name }),
            Some((_, FieldState::Empty)) => {}
        }
        if self.restrictions.locks(&name) {
            return Err(PdfError::FieldLocked { name });
        }
        self.permit(Act::SignField)?;
        Ok(name)
    }

    /// The name that was asked for.
    fn asked_for(&self, name: &str) -> Result<String, PdfError> {
        let name = name.to_owned();
        if name.is_empty() || name.len() > NAME_BYTES || name.contains('.') || self.top_names.contains(&name)
        {
            return Err(PdfError::FieldNameUnusable { name });
        }
        if self.restrictions.locks(&name) {
            return Err(PdfError::FieldLocked { name });
        }
        Ok(name)
    }

    /// The first of `Signature1`, `Signature2`, … that is neither taken nor locked.
    fn free(&self) -> Result<String, PdfError> {
        let locked = self.restrictions.locked_names();
        // One more number than there are names in the way is enough to find a free one.
        let most = self.top_names.len().saturating_add(locked.len()).saturating_add(1);
        let names = (1..=most).map(|number| format!("Signature{number}"));
        let mut names = names.filter(|name| !self.top_names.contains(name));
        let free = names.clone().find(|name| locked.permit(name));
        free.ok_or_else(|| PdfError::FieldLocked { name: names.next().unwrap_or_default() })
    }
}
