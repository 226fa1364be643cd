//! What the access permissions of an encrypted document leave out (ISO 32000-2, 7.6.4.2, table 22).
//! What signatures permit is another matter ([`crate::pdf::permission`]).
//!
//! They bind whoever opens the document without a password, as anybody can. The owner may do
//! everything. To whom the user's password was given, the document was entrusted: that person is
//! told what the permissions leave out, and decides.

use crate::pdf::crypt::Crypt;
use crate::pdf::crypt::dictionary::Verifier;
use crate::pdf::crypt::standard::Holder;
use crate::pdf::error::PdfError;

/// Bit 4: change the document.
const MODIFY: u32 = 1 << 3;
/// Bit 6: annotate and fill in forms; with bit 4, make form fields.
const ANNOTATE: u32 = 1 << 5;
/// Bit 9, from revision 3 on: fill in the form fields that are there.
const FILL_IN: u32 = 1 << 8;

/// What a signature does to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Makes a signature field.
    MakeField,
    /// Signs in a field that is there.
    SignField,
}

impl Crypt {
    /// Whether `act` may be done.
    pub(crate) fn permit(&self, act: Act) -> Result<(), PdfError> {
        match (self.holder, self.left_out(act)) {
            (Holder::Anybody, Some(what)) => Err(PdfError::PermissionDenied { what }),
            (Holder::Anybody | Holder::Owner | Holder::User, _) => Ok(()),
        }
    }

    /// Whether `act` may be done, and the permissions leave it out all the same.
    pub(crate) fn is_against_permissions(&self, act: Act) -> bool {
        self.holder == Holder::User && self.left_out(act).is_some()
    }

    fn left_out(&self, act: Act) -> Option<&'static str> {
        let has = |bits: u32| self.access_permissions() & bits == bits;
        let second = match &self.dictionary.verifier {
            Verifier::Old(entries) => entries.revision >= 3,
            Verifier::New(_) => true,
        };
        match act {
            Act::MakeField => match (has(MODIFY), has(ANNOTATE)) {
                (true, true) => None,
                (false, true) => Some("to make a signature field (permission bit 4 is not set)"),
                (true, false) => Some("to make a signature field (permission bit 6 is not set)"),
                (false, false) => Some("to make a signature field (permission bits 4 and 6 are not set)"),
            },
            Act::SignField => match (has(ANNOTATE), second && has(FILL_IN)) {
                (false, false) if second => Some("to sign in a field (permission bits 6 and 9 are not set)"),
                (false, false) => Some("to sign in a field (permission bit 6 is not set)"),
                (true, _) | (_, true) => None,
            },
        }
    }
}
