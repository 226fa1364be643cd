//! One incremental update that signs a document (ISO 32000-2, 7.5.6, 12.8): the original's bytes
//! stay as they are, and what is appended holds a hole for the CMS structure.

mod form;
#[cfg(test)]
mod huge;
pub(crate) mod inspection;
mod pending;
mod reference;
pub mod rules;
mod section;
mod tags;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::moment::Moment;
use crate::pdf::byte_range::ByteRange;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::geometry::Rectangle;
use crate::pdf::object::{self, Dictionary, Object, Reference};
use crate::pdf::permission::{Permission, SignatureType};
use crate::pdf::revision::pending::PendingUpdate;
use crate::pdf::revision::reference::NewLock;
use crate::pdf::revision::rules::{SigningRules, Visibility};
use crate::pdf::source::Source;
use crate::pdf::update::{Body, Update};

/// Values of an object that is written anew, with a share of its texts: it is in memory several
/// times then.
const REWRITTEN: usize = 200_000;

/// What the signature dictionary and its field shall say.
#[derive(Debug, Clone)]
pub struct SignatureRequest<'a> {
    /// The page of a new field, from 1. An existing field stays where it is.
    pub page: u32,
    /// Which field is signed.
    pub field: FieldChoice<'a>,
    /// `/Rect` of a new field; [`Rectangle::EMPTY`] is an invisible one, which stands where
    /// what is shown of the page begins.
    pub rectangle: Rectangle,
    /// The form XObject, already in the update, that becomes `/AP /N`.
    pub appearance: Option<Reference>,
    /// What a new field is, in words for who cannot see it; an invisible field has none.
    pub description: Option<Description<'a>>,
    /// What the signature is to the document.
    pub signature_type: SignatureType,
    /// `/P` that the lock of the field gets beside what it says itself.
    pub lock: Option<Permission>,
    /// `/Reason`.
    pub reason: Option<&'a str>,
    /// `/Location`.
    pub location: Option<&'a str>,
    /// `/Name`: the signatory.
    pub name: Option<&'a str>,
    /// `/M`, and part of the seed of the file identifier.
    pub date: Moment,
    /// Bytes reserved for the CMS structure (twice as many digits are written).
    pub contents_len: usize,
}

/// The words for a field that readers speak (ISO 32000-2, 12.7.4.1, `/TU`, and 14.9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Description<'a> {
    /// The words.
    pub text: &'a str,
    /// Their language (RFC 5646), where it is not that of the document.
    pub language: Option<&'a str>,
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

/// Whether a new field may have its place in the document's logical structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structure {
    /// The document is not tagged, and nobody signed it yet.
    Absent,
    /// The document is tagged, and nobody signed it yet.
    Open,
    /// Somebody signed: the structure stays as it is, and so do the pages.
    Signed,
}

/// The objects of a revision, before they are written.
struct Built {
    update: Update,
    /// Where the signature dictionary comes to stand.
    signature: Reference,
    dictionary: Dictionary,
    field_name: String,
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

    /// The parts of `bytes` that are signed, in order; the whole original comes before them.
    pub fn hashed_parts(&self) -> [&[u8]; 2] {
        // The brackets around the digits belong to the hole.
        let before = self.contents.start.saturating_sub(1);
        let after = self.contents.end.saturating_add(1);
        [self.bytes.get(..before).unwrap_or_default(), self.bytes.get(after..).unwrap_or_default()]
    }
}

impl Built {
    fn write<S: Source>(
        self,
        document: &Document<S>,
        request: &SignatureRequest<'_>,
    ) -> Result<SignedRevision, PdfError> {
        let Self { update, signature, dictionary, field_name } = self;
        let section::Written { bytes, contents, byte_range } =
            section::write(document, update, signature, &dictionary, request)?;
        Ok(SignedRevision { bytes, byte_range, contents, field_name })
    }
}

/// An empty update of `document`: its new objects get numbers that are free there, and that
/// nothing refers to that was read until now.
///
/// # Errors
/// [`PdfError::Limit`] when the numbers are used up, otherwise as [`Document::open`].
pub fn begin<S: Source>(document: &Document<S>) -> Result<Update, PdfError> {
    // Fields and page are read first: a field of the document may refer to a signature that there
    // is not, and ours would become its value too.
    document.form()?;
    document.next_number().map(Update::starting_at)
}

/// The revision that signs `document` with what is in `update` already.
///
/// # Errors
/// As [`SigningRules::check`]; [`PdfError::PageNotFound`] by the request, and what reading the
/// document gives.
pub fn sign_revision<S: Source>(
    document: &Document<S>,
    update: Update,
    request: &SignatureRequest<'_>,
) -> Result<SignedRevision, PdfError> {
    build(document, update, request)?.write(document, request)
}

/// The objects of the revision, with all that the request asks for.
fn build<S: Source>(
    document: &Document<S>,
    mut update: Update,
    request: &SignatureRequest<'_>,
) -> Result<Built, PdfError> {
    if document.catalog().weight() > REWRITTEN {
        return Err(too_large_to_change());
    }
    let visible = request.rectangle.width() > 0.0 && request.rectangle.height() > 0.0;
    let visibility = if visible { Visibility::Seen } else { Visibility::Unseen };
    let rules = SigningRules::of(document)?;
    let field_name = rules.check(request.field, request.signature_type, visibility)?;
    let signature = update.reserve();
    let mut pending = PendingUpdate { document, update: &mut update };
    let lock = match request.field {
        FieldChoice::Existing { name } => {
            let field = document.fields()?.iter().find(|field| field.name == name);
            let field = field.ok_or_else(|| PdfError::FieldNotFound { name: name.to_owned() })?;
            let lock = reference::lock(document, field, request)?;
            form::sign_existing(&mut pending, field, signature, &lock, request)?;
            lock
        }
        FieldChoice::New { .. } => {
            let structure = match rules.is_signed() || document.catalog().contains("Perms") {
                true => Structure::Signed,
                false if document.is_tagged()? => Structure::Open,
                false => Structure::Absent,
            };
            form::add_field(&mut pending, &field_name, signature, structure, request)?;
            NewLock::default()
        }
    };
    let references = reference::signature_references(document, &mut update, &lock, request);
    if let SignatureType::Certification(_) = request.signature_type {
        reference::permissions(document, &mut update, signature)?;
    }
    for (replaced, body) in update.objects() {
        if matches!(body, Body::Object(object) if object.weight() > REWRITTEN) {
            return Err(too_large_to_change());
        }
        // Its data would be lost, and the objects in them.
        if document.holds_objects(*replaced)? {
            return Err(PdfError::broken(
                "a stream of objects stands where a dictionary of the form or a page should be",
            ));
        }
    }
    let dictionary = signature_dictionary(request, references);
    Ok(Built { update, signature, dictionary, field_name })
}

const fn too_large_to_change() -> PdfError {
    PdfError::Limit { what: "the size of an object that a signature changes" }
}

/// All entries of the signature dictionary but `/ByteRange` and `/Contents`, which are written
/// with it: `/Type` to `/SubFilter` come before them.
fn signature_dictionary(request: &SignatureRequest<'_>, references: Vec<Object>) -> Dictionary {
    let mut dictionary = Dictionary::new().with("M", Object::String(request.date.to_pdf_date().into_bytes()));
    for (key, value) in [("Reason", request.reason), ("Location", request.location), ("Name", request.name)] {
        if let Some(value) = value {
            dictionary.set(key, Object::text(value));
        }
    }
    if !references.is_empty() {
        dictionary.set("Reference", Object::Array(references));
    }
    dictionary
}

/// Writes `N G obj`, `body`, `endobj`.
fn write_object(reference: Reference, body: &Object, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{} {} obj\n", reference.number, reference.generation).as_bytes());
    object::write(body, out);
    out.extend_from_slice(b"\nendobj\n");
}
