//! A document opened lazily (ISO 32000-2, 7.5): trailer and catalog are read, everything else on demand.

mod ambiguity;
mod encryption;
mod objects;
#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

use crate::pdf::crypt::{Access, Crypt};
use crate::pdf::error::PdfError;
use crate::pdf::field::Form;
use crate::pdf::lexer::{Lexer, SyntaxError, Token, is_space};
use crate::pdf::limits::Limits;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::object_stream::ObjectStream;
use crate::pdf::page::KnownPages;
use crate::pdf::reader::{Reader, position};
use crate::pdf::recover::{self, Salvage};
use crate::pdf::source::Source;
use crate::pdf::xref::{OffsetOrigin, SectionKind, Xref};

/// Where a header may begin (Acrobat's rule).
const HEADER_WINDOW: usize = 1024;
/// How far from the end `startxref` is looked for, in two steps.
const TAIL_WINDOWS: [usize; 2] = [1 << 10, 64 << 10];

/// Objects that one update may add.
const ADDED: u32 = 4096;

/// An open document. Reads through its source whenever something is asked for, and may block then.
pub struct Document<S: Source> {
    reader: Reader<S>,
    version: (u8, u8),
    xref: Xref,
    /// Whether the chain of sections is unusable, so that all objects are found by a scan.
    repaired: bool,
    salvage: OnceCell<Salvage>,
    /// The number of pages of a large tree, if its counts agree; asked for once.
    pub(in crate::pdf) large_count: OnceCell<Option<u32>>,
    /// What walks through the page tree have found.
    pub(in crate::pdf) known_pages: RefCell<KnownPages>,
    /// The fields, once they were asked for.
    pub(in crate::pdf) form: OnceCell<Form>,
    streams: RefCell<HashMap<u32, Arc<ObjectStream>>>,
    /// The key, if the document is encrypted.
    pub(in crate::pdf) crypt: Option<Arc<Crypt>>,
    trailer: Dictionary,
    root: Reference,
    catalog: Dictionary,
}

impl<S: Source> Document<S> {
    /// Opens the document with a few positioned reads; nothing is proportional to the file
    /// unless it is damaged and must be scanned. One that is encrypted is opened with the empty
    /// password.
    ///
    /// # Errors
    /// [`PdfError::NotAPdf`], [`PdfError::Damaged`], [`PdfError::Encrypted`],
    /// [`PdfError::PasswordRequired`], [`PdfError::Ambiguous`], [`PdfError::Limit`] or
    /// [`PdfError::Source`].
    pub fn open(source: S, limits: Limits) -> Result<Self, PdfError> {
        Self::open_as(source, limits, &Access::Password(None))
    }

    fn open_as(source: S, limits: Limits, access: &Access<'_>) -> Result<Self, PdfError> {
        let reader = Reader::new(source, limits);
        let (header, version) = header(&reader)?;
        let xref = match read_chain(&reader, header) {
            Ok(xref) => Some(xref),
            Err(error) if error.is_damage() => None,
            Err(error) => return Err(error),
        };
        let repaired = xref.is_none();
        let mut document = Self {
            reader,
            version,
            xref: xref.unwrap_or(Xref { sections: Vec::new(), base: header }),
            repaired,
            salvage: OnceCell::new(),
            large_count: OnceCell::new(),
            known_pages: RefCell::default(),
            form: OnceCell::new(),
            streams: RefCell::default(),
            crypt: None,
            trailer: Dictionary::new(),
            root: Reference { number: 0, generation: 0 },
            catalog: Dictionary::new(),
        };
        match document.find_catalog(access) {
            Ok(()) => {}
            Err(error) if error.is_damage() && !document.repaired => {
                document.repaired = true;
                document.streams.borrow_mut().clear();
                document.find_catalog(access)?;
            }
            Err(error) => return Err(error),
        }
        document.raise_version();
        Ok(document)
    }

    /// The source.
    pub const fn source(&self) -> &S {
        self.reader.source()
    }

    /// The length of the file in bytes.
    pub fn len(&self) -> u64 {
        self.reader.len()
    }

    /// Whether the file is empty: never, once it was opened.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The limits it was opened with.
    pub const fn limits(&self) -> &Limits {
        self.reader.limits()
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

    /// Whether the cross-reference was unusable and the objects were found by a scan.
    pub const fn is_repaired(&self) -> bool {
        self.repaired
    }

    /// Whether an object was looked for by a scan, because it is not where it should be.
    pub(crate) fn is_salvaged(&self) -> bool {
        self.salvage.get().is_some()
    }

    /// Where revisions end, in ascending order: after the end-of-file mark behind every
    /// cross-reference section that the chain reaches, with and without its end of line.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn revision_ends(&self) -> Result<Vec<u64>, PdfError> {
        if self.repaired {
            return Ok(self.salvage()?.ends.clone());
        }
        let names: Vec<u64> = self.xref.sections.iter().map(|section| section.named).collect();
        let mut ends = Vec::new();
        for section in &self.xref.sections {
            // After a stream's dictionary come its data; after a trailer, `startxref` at once.
            let from = match section.kind {
                SectionKind::Table => Some(section.end),
                SectionKind::Stream => {
                    let bound = section.end.saturating_add(self.limits().stream_bytes as u64).min(self.len());
                    self.reader.find(b"startxref", section.end..bound)?
                }
            };
            let Some(from) = from else { continue };
            let bytes = self.reader.window(from, 256)?;
            let Some((target, end)) = end_mark(&bytes) else { continue };
            // A linearized file's first section is followed by a mark that ends no revision.
            if target == 0 || !names.contains(&target) {
                continue;
            }
            let end = from + end as u64;
            ends.push(end);
            match self.reader.window(end, 2)?.as_slice() {
                [b'\r', b'\n'] => ends.extend([end + 1, end + 2]),
                [b'\r' | b'\n', ..] => ends.push(end + 1),
                _ => {}
            }
        }
        ends.sort_unstable();
        ends.dedup();
        Ok(ends)
    }

    pub(crate) const fn reader(&self) -> &Reader<S> {
        &self.reader
    }

    pub(crate) const fn xref(&self) -> &Xref {
        &self.xref
    }

    /// The objects that a scan of the whole file finds; it is done once.
    pub(crate) fn salvage(&self) -> Result<&Salvage, PdfError> {
        if let Some(salvage) = self.salvage.get() {
            return Ok(salvage);
        }
        let found = recover::scan(&self.reader, self.crypt())?;
        Ok(self.salvage.get_or_init(|| found))
    }

    /// A number above those of all objects, as far as they are known, and of all references that
    /// were read: one that leads nowhere must not lead to what is added.
    pub(crate) fn next_number(&self) -> Result<u32, PdfError> {
        let listed = if self.repaired {
            self.salvage()?.objects.highest()
        } else {
            self.xref.highest(self.limits().objects)
        };
        let sizes = self.xref.sections.iter().map(|section| &section.trailer).chain([&self.trailer]);
        let sizes = sizes.filter_map(|trailer| trailer.get("Size").and_then(Object::as_integer));
        // A size past every limit is a lie. What is added stays below it too.
        let limit = self.limits().objects.saturating_sub(ADDED);
        let sizes = sizes.filter_map(|size| u32::try_from(size).ok().filter(|&size| size <= limit));
        // Of the trailer only what an update repeats: nobody follows the rest of an older one.
        ["Encrypt", "ID", "Info", "Root"].iter().filter_map(|key| self.trailer.get(key)).for_each(|value| {
            self.reader.refers(value);
        });
        let known = listed.max(self.reader.referred());
        let next = sizes.max().unwrap_or(0).max(known.saturating_add(1)).max(1);
        if next > limit {
            return Err(PdfError::Limit { what: "the number of objects" });
        }
        Ok(next)
    }

    /// Finds trailer and catalog by the chain or, where that is unusable, by the scan.
    fn find_catalog(&mut self, access: &Access<'_>) -> Result<(), PdfError> {
        self.trailer = if self.repaired {
            self.salvage()?.trailer.clone()
        } else {
            let newest = self.xref.sections.first().map(|section| section.trailer.clone());
            newest.ok_or(PdfError::broken("the trailer is missing"))?
        };
        self.unlock(access)?;
        if self.repaired && self.crypt.is_some() {
            // The catalog may be in an object stream, which can be read now.
            self.trailer = self.salvage()?.trailer.clone();
        }
        let root = self.trailer.get("Root").and_then(Object::as_reference);
        self.root = root.ok_or(PdfError::broken("the trailer names no catalog"))?;
        let Object::Dictionary(catalog) = self.object(self.root)? else {
            return Err(PdfError::broken("the catalog is missing"));
        };
        let pages = self.resolve(catalog.get("Pages").unwrap_or(&Object::Null))?;
        if pages.as_dictionary().is_none() {
            return Err(PdfError::broken("the page tree is missing"));
        }
        self.catalog = catalog;
        Ok(())
    }

    /// Takes the catalog's version where it is the higher one (7.7.2).
    fn raise_version(&mut self) {
        let name = self.catalog.get("Version").and_then(Object::as_name);
        if let Some(version) = name.and_then(version_of) {
            self.version = self.version.max(version);
        }
    }
}

/// Where the header begins, and its version.
fn header<S: Source>(reader: &Reader<S>) -> Result<(u64, (u8, u8)), PdfError> {
    let bytes = reader.window(0, HEADER_WINDOW + 16)?;
    let at = position(&bytes, b"%PDF-").filter(|&at| at < HEADER_WINDOW).ok_or(PdfError::NotAPdf)?;
    // A version that cannot be read counts as 1.4: nothing depends on it but what is written.
    let version = version_of(bytes.get(at + 5..).unwrap_or_default()).unwrap_or((1, 4));
    Ok((at as u64, version))
}

fn version_of(text: &[u8]) -> Option<(u8, u8)> {
    let digit = |byte: &u8| (*byte as char).to_digit(10).and_then(|digit| u8::try_from(digit).ok());
    match text {
        [major, b'.', minor, ..] => Some((digit(major)?, digit(minor)?)),
        _ => None,
    }
}

/// Reads the chain of sections, and decides what offsets count from.
fn read_chain<S: Source>(reader: &Reader<S>, header: u64) -> Result<Xref, PdfError> {
    let start = start_of_chain(reader)?;
    if header == 0 {
        return Xref::read(reader, OffsetOrigin { counted: 0, other: None }, start);
    }
    // Where only one reading leads exactly to a section, it is that one. Whether the other leads to
    // another section, with the leniency of readers, is seen at every link.
    let at_zero = !stands_at(reader, header.saturating_add(start))? && stands_at(reader, start)?;
    let origin = match at_zero {
        true => OffsetOrigin { counted: 0, other: Some(header) },
        false => OffsetOrigin { counted: header, other: Some(0) },
    };
    Xref::read(reader, origin, start)
}

/// Whether exactly at `offset` something stands that begins a section.
fn stands_at<S: Source>(reader: &Reader<S>, offset: u64) -> Result<bool, PdfError> {
    let bytes = reader.window(offset, 32)?;
    let mut lexer = Lexer::new(&bytes, 0, true);
    let object = matches!(
        (lexer.token(), lexer.token(), lexer.token()),
        (Ok(Token::Integer(_)), Ok(Token::Integer(_)), Ok(Token::Keyword(b"obj")))
    );
    Ok(bytes.starts_with(b"xref") || (object && bytes.first().is_some_and(u8::is_ascii_digit)))
}

/// The number after the last `startxref`.
fn start_of_chain<S: Source>(reader: &Reader<S>) -> Result<u64, PdfError> {
    for len in TAIL_WINDOWS {
        let offset = reader.len().saturating_sub(len as u64);
        let bytes = reader.window(offset, len)?;
        let mut end = bytes.len();
        while let Some(at) = bytes.get(..end).and_then(last_startxref) {
            let mut lexer = Lexer::new(&bytes, at + 9, true);
            if let Ok(Token::Integer(start)) = lexer.token() {
                let start = u64::try_from(start).ok();
                return start.ok_or(PdfError::damaged("startxref is negative", offset + at as u64));
            }
            end = at;
        }
    }
    Err(PdfError::broken("startxref is missing"))
}

fn last_startxref(bytes: &[u8]) -> Option<usize> {
    bytes.windows(9).rposition(|window| window == b"startxref")
}

/// The number after `startxref` and the place after `%%EOF`, when nothing but comments and
/// white space stands before them.
fn end_mark(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut lexer = Lexer::new(bytes, 0, true);
    let number = match (lexer.token(), lexer.token()) {
        (Ok(Token::Keyword(b"startxref")), Ok(Token::Integer(number))) => u64::try_from(number).ok()?,
        (Ok(_), Ok(_)) | (Err::<_, SyntaxError>(_), _) | (_, Err(_)) => return None,
    };
    let mut at = lexer.at();
    while bytes.get(at).copied().is_some_and(is_space) {
        at += 1;
    }
    bytes.get(at..)?.starts_with(b"%%EOF").then_some((number, at + 5))
}
