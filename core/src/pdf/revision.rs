//! One incremental update that signs a document (ISO 32000-2, 7.5.6, 12.8): the original's bytes
//! stay as they are, and what is appended holds a hole for the CMS structure.

use std::ops::Range;

use crate::moment::Moment;
use crate::pdf::byte_range::ByteRange;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::geometry::Rectangle;
use crate::pdf::object::Reference;
use crate::pdf::source::Source;
use crate::pdf::update::Update;

/// What the signature dictionary and its field shall say.
#[derive(Debug, Clone)]
pub struct SignatureRequest<'a> {
    /// The page of a new field, from 1. An existing field stays where it is.
    pub page: u32,
    /// Which field is signed.
    pub field: FieldChoice<'a>,
    /// Where a new field stands, and how the field looks.
    pub placement: Placement,
    /// The dialect of the signature dictionary.
    pub format: SignatureFormat,
    /// `/Reason`.
    pub reason: Option<&'a str>,
    /// `/Location`.
    pub location: Option<&'a str>,
    /// `/Name`: the signatory.
    pub name: Option<&'a str>,
    /// `/ContactInfo`.
    pub contact: Option<&'a str>,
    /// `/TU` of a new field: what a screen reader says.
    pub tooltip: Option<&'a str>,
    /// `/M`, and the seed of the file identifier. A document time-stamp gets no `/M`.
    pub date: Moment,
    /// Bytes reserved for the CMS structure (twice as many digits are written).
    pub contents_len: usize,
}

/// The field that is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldChoice<'a> {
    /// The empty signature field of this fully qualified name.
    Existing {
        /// The fully qualified name.
        name: &'a str,
    },
    /// A new field.
    New {
        /// Its name, without periods; `None` picks the first free `Signature1`, `Signature2`, …
        name: Option<&'a str>,
    },
}

/// Where a new field stands, and how the field looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    /// `/Rect` of a new field; [`Rectangle::EMPTY`] is an invisible one.
    pub rectangle: Rectangle,
    /// The form XObject, already in the update, that becomes `/AP /N`.
    pub appearance: Option<Reference>,
}

/// The dialects of a signature dictionary; they exclude each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SignatureFormat {
    /// PAdES: `/Adobe.PPKLite`, `/ETSI.CAdES.detached` (EN 319 142-1).
    #[default]
    Cades,
    /// A document time-stamp: `/Adobe.PPKLite`, `/ETSI.RFC3161`.
    DocumentTimeStamp,
    /// ICP-Brasil's own: `/PBAD_PAdES`, `/PBAD.PAdES` (DOC-ICP-15.03).
    Pbad,
}

/// The bytes that sign a document, complete but for the CMS structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRevision {
    /// What is appended right after the original.
    pub bytes: Vec<u8>,
    /// The byte range, counted from byte 0 of the original; already written in `bytes`.
    pub byte_range: ByteRange,
    /// Where in `bytes` the hexadecimal digits of `/Contents` stand, without the brackets.
    pub contents: Range<usize>,
    /// The fully qualified name of the signed field.
    pub field_name: String,
}

impl SignatureFormat {
    /// `/Type`.
    pub const fn type_name(self) -> &'static str {
        match self {
            Self::Cades | Self::Pbad => "Sig",
            Self::DocumentTimeStamp => "DocTimeStamp",
        }
    }

    /// `/Filter`.
    pub const fn filter(self) -> &'static str {
        match self {
            Self::Cades | Self::DocumentTimeStamp => "Adobe.PPKLite",
            Self::Pbad => "PBAD_PAdES",
        }
    }

    /// `/SubFilter`.
    pub const fn sub_filter(self) -> &'static str {
        match self {
            Self::Cades => "ETSI.CAdES.detached",
            Self::DocumentTimeStamp => "ETSI.RFC3161",
            Self::Pbad => "PBAD.PAdES",
        }
    }
}

impl SignedRevision {
    /// Writes the CMS structure into the hole; the rest of it stays zero.
    ///
    /// # Errors
    /// [`PdfError::ContentsTooLarge`] when it does not fit; nothing is written then.
    pub fn fill(&mut self, cms: &[u8]) -> Result<(), PdfError> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let reserved = self.contents.len() / 2;
        let hole = self.bytes.get_mut(self.contents.clone()).unwrap_or_default();
        if cms.len() > reserved || hole.len() / 2 != reserved {
            return Err(PdfError::ContentsTooLarge { needed: cms.len(), reserved });
        }
        hole.fill(b'0');
        let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0');
        for (pair, byte) in hole.chunks_exact_mut(2).zip(cms) {
            if let [high, low] = pair {
                (*high, *low) = (digit(byte >> 4), digit(byte & 15));
            }
        }
        Ok(())
    }
}

/// An empty update of `document`: its new objects get numbers that are free there.
///
/// # Errors
/// [`PdfError::Limit`] when the numbers are used up.
pub fn begin<S: Source>(document: &Document<S>) -> Result<Update, PdfError> {
    document.next_number().map(Update::starting_at)
}

/// The revision that signs `document` with what is in `update` already.
///
/// # Errors
/// [`PdfError::FieldNotFound`], [`PdfError::FieldAlreadySigned`], [`PdfError::FieldLocked`],
/// [`PdfError::FieldNameUnusable`] or [`PdfError::PageNotFound`] by the request,
/// [`PdfError::ChangesForbidden`] by a certification, and what reading the document gives.
pub fn sign_revision<S: Source>(
    document: &Document<S>,
    update: Update,
    request: &SignatureRequest<'_>,
) -> Result<SignedRevision, PdfError> {
    let _ = (document, update, request);
    Err(PdfError::Unsupported { what: "signing" })
}
