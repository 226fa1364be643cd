//! A document unlocked, and further states of it opened with the same key.

use std::cell::OnceCell;

use crate::pdf::crypt::{Access, Act, Crypt, Password};
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::limits::Limits;
use crate::pdf::source::Source;

impl<S: Source> Document<S> {
    /// As [`Document::open`], with the password of the user or of the owner; a document that is
    /// not encrypted needs none.
    ///
    /// # Errors
    /// As [`Document::open`]; [`PdfError::PasswordWrong`].
    pub fn open_with_password(source: S, limits: Limits, password: &Password) -> Result<Self, PdfError> {
        Self::open_as(source, limits, &Access::Password(Some(password)))
    }

    /// Opens another state of this document, in which something was appended or is not there yet:
    /// within the same limits and with the same key, which is not derived again.
    ///
    /// # Errors
    /// As [`Document::open`]; [`PdfError::Ambiguous`] where it is not encrypted in the same way.
    pub fn reopen<T: Source>(&self, source: T) -> Result<Document<T>, PdfError> {
        Document::open_as(source, *self.limits(), &Access::Same(self.crypt.as_ref()))
    }

    /// The key, where the document is encrypted.
    pub(crate) fn crypt(&self) -> Option<&Crypt> {
        self.crypt.as_deref()
    }

    /// Whether who opened the document may do `act` with it.
    ///
    /// # Errors
    /// [`PdfError::PermissionDenied`] with the permission bits that are missing.
    pub fn permit(&self, act: Act) -> Result<(), PdfError> {
        self.crypt().map_or(Ok(()), |crypt| crypt.permit(act))
    }

    /// Whether `act` may be done, and the permissions leave it out all the same.
    pub(crate) fn is_against_permissions(&self, act: Act) -> bool {
        self.crypt().is_some_and(|crypt| crypt.is_against_permissions(act))
    }

    /// Finds the key by the trailer, which was just read.
    pub(super) fn unlock(&mut self, access: &Access<'_>) -> Result<(), PdfError> {
        self.crypt = None;
        let Some(encrypt) = self.trailer.get("Encrypt") else {
            let mut older = self.xref.sections.iter().map(|section| &section.trailer);
            if older.any(|trailer| trailer.contains("Encrypt")) {
                return Err(PdfError::Ambiguous {
                    what: "only an earlier revision says that it is encrypted",
                });
            }
            return match access {
                Access::Password(_) | Access::Same(None) => Ok(()),
                Access::Same(Some(_)) => {
                    Err(PdfError::Ambiguous { what: "only one of its revisions is encrypted" })
                }
            };
        };
        self.crypt = Some(Crypt::open(self, encrypt, access)?);
        // What was read before the key was there may be unreadable only for that.
        self.streams.borrow_mut().clear();
        self.salvage = OnceCell::new();
        Ok(())
    }
}
