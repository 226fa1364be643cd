//! A document opened lazily (ISO 32000-2, 7.5): trailer and catalog are read, everything else on demand.

use std::ops::Range;

use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::limits::Limits;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::page::Page;
use crate::pdf::source::Source;

/// An open document. Reads through its source whenever something is asked for, and may block then.
pub struct Document<S: Source> {
    source: S,
    limits: Limits,
    version: (u8, u8),
    trailer: Dictionary,
    root: Reference,
    catalog: Dictionary,
}

impl<S: Source> Document<S> {
    /// Opens the document with a few positioned reads; nothing is proportional to the file
    /// unless it is damaged and must be scanned.
    ///
    /// # Errors
    /// [`PdfError::NotAPdf`], [`PdfError::Damaged`], [`PdfError::Encrypted`],
    /// [`PdfError::Ambiguous`], [`PdfError::Limit`] or [`PdfError::Source`].
    pub fn open(source: S, limits: Limits) -> Result<Self, PdfError> {
        let root = Reference { number: 1, generation: 0 };
        let _ = Self {
            source,
            limits,
            version: (1, 4),
            trailer: Dictionary::new(),
            root,
            catalog: Dictionary::new(),
        };
        Err(PdfError::NotAPdf)
    }
    /// The source.
    pub const fn source(&self) -> &S {
        &self.source
    }
    /// The length of the file in bytes.
    pub fn len(&self) -> u64 {
        self.source.len()
    }
    /// Whether the file is empty: never, once it was opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The limits it was opened with.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }
    /// Major and minor version: the higher one of the header's and the catalog's.
    pub const fn version(&self) -> (u8, u8) {
        self.version
    }
    /// The trailer dictionary of the newest section.
    pub const fn trailer(&self) -> &Dictionary {
        &self.trailer
    }
    /// Where the catalog stands.
    pub const fn root(&self) -> Reference {
        self.root
    }
    /// The catalog.
    pub const fn catalog(&self) -> &Dictionary {
        &self.catalog
    }
    /// The object behind `reference`; `null` if it is free or missing, its dictionary if it is a stream.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn object(&self, reference: Reference) -> Result<Object, PdfError> {
        let _ = reference;
        Ok(Object::Null)
    }
    /// The dictionary and the decoded bytes of a stream.
    ///
    /// # Errors
    /// [`PdfError::Unsupported`] for filters other than Flate and ASCIIHex, otherwise as [`Document::open`].
    pub fn stream_data(&self, reference: Reference) -> Result<(Dictionary, Vec<u8>), PdfError> {
        let _ = reference;
        Err(PdfError::NotAPdf)
    }
    /// `object`, or what it refers to.
    ///
    /// # Errors
    /// As [`Document::open`]; [`PdfError::Damaged`] when references go in a circle.
    pub fn resolve(&self, object: &Object) -> Result<Object, PdfError> {
        Ok(object.clone())
    }
    /// How many pages there are.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn page_count(&self) -> Result<u32, PdfError> {
        Err(PdfError::NotAPdf)
    }
    /// The page `number`, from 1.
    ///
    /// # Errors
    /// [`PdfError::PageNotFound`], otherwise as [`Document::open`].
    pub fn page(&self, number: u32) -> Result<Page, PdfError> {
        let _ = number;
        Err(PdfError::NotAPdf)
    }
    /// Every signature field, in the order of the form.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn fields(&self) -> Result<Vec<SignatureField>, PdfError> {
        Err(PdfError::NotAPdf)
    }
    /// Where revisions end, in ascending order: after the end-of-file mark behind every
    /// cross-reference section that the chain reaches.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn revision_ends(&self) -> Result<Vec<u64>, PdfError> {
        Err(PdfError::NotAPdf)
    }
    /// The bytes of the file that hold an object which stands there itself, not in an object stream.
    pub(crate) fn extent(&self, reference: Reference) -> Result<Option<Range<u64>>, PdfError> {
        let _ = reference;
        Ok(None)
    }
    pub(crate) fn next_number(&self) -> Result<u32, PdfError> {
        Ok(1)
    }
}
