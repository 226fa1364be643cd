//! The bytes of an update: its objects, the hole, and a section of the same kind as the last one.

use std::ops::Range;

use crate::digest::{DigestAlgorithm, RunningDigest};
use crate::pdf::byte_range::ByteRange;
use crate::pdf::crypt::Crypt;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::object::{self, Dictionary, Object, Reference, Stream};
use crate::pdf::places::{Place, Places};
use crate::pdf::revision::{SignatureRequest, write_object};
use crate::pdf::source::Source;
use crate::pdf::update::{Body, Update};
use crate::pdf::xref::{Location, SectionKind};

/// Digits reserved for each number of the byte range.
const RANGE_DIGITS: usize = 12;
/// The highest offset a row of a table can hold.
const TABLE_END: u64 = 9_999_999_999;
/// The highest offset that is written: the numbers of the byte range have room for no more.
const FILE_END: u64 = 999_999_999_999;
/// No update is as large; where a table might not reach its end, a stream is written.
const UPDATE_BYTES: u64 = 64 << 20;

/// An update as bytes.
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    /// The digits of `/Contents`, counted in `bytes`.
    pub(super) contents: Range<usize>,
    pub(super) byte_range: ByteRange,
}

/// Writes `update` and the signature dictionary, which stands at `signature`.
pub(super) fn write<S: Source>(
    document: &Document<S>,
    mut update: Update,
    signature: Reference,
    dictionary: &Dictionary,
    request: &SignatureRequest<'_>,
) -> Result<Written, PdfError> {
    let mut out = Output {
        start: document.len(),
        base: document.xref().base,
        bytes: Vec::new(),
        entries: inherited(document)?,
    };
    let last = document.reader().window(document.len().saturating_sub(1), 1)?;
    if !matches!(last.as_slice(), [b'\n' | b'\r']) {
        out.bytes.push(b'\n');
    }
    let kind = kind(document, &out.entries);
    let own = (kind == SectionKind::Stream).then(|| update.reserve());
    for (reference, body) in update.objects() {
        out.begin(*reference)?;
        let encrypted = encrypted(document, *reference, body)?;
        match encrypted.as_ref().unwrap_or(body) {
            Body::Object(object) => write_object(*reference, object, &mut out.bytes),
            Body::Stream(stream) => write_stream(*reference, stream, &mut out.bytes),
        }
    }
    out.begin(signature)?;
    // The range and the contents, which stay in clear, are written beside it.
    let entries = Body::from(dictionary.clone());
    let entries = match encrypted(document, signature, &entries)?.unwrap_or(entries) {
        Body::Object(object) => object.into_dictionary().unwrap_or_default(),
        Body::Stream(stream) => stream.dictionary,
    };
    let (numbers, contents) = write_signature(signature, &entries, request.contents_len, &mut out.bytes);

    let mut trailer = Dictionary::new().with("Size", Object::Integer(i64::from(update.next_number())));
    if let Some(section) = document.xref().sections.first().filter(|_| !document.is_repaired()) {
        // As the file itself names it: validators compare it with the last `startxref`.
        trailer.set("Prev", Object::Integer(i64::try_from(section.named).unwrap_or(i64::MAX)));
    }
    trailer.set("Root", Object::Reference(document.root()));
    if let Some(information @ Object::Reference(_)) = document.trailer().get("Info") {
        trailer.set("Info", information.clone());
    }
    if let Some(encrypt) = document.trailer().get("Encrypt") {
        trailer.set("Encrypt", encrypt.clone());
    }
    trailer.set("ID", identifier(document, request, &out.bytes)?);
    let start = out.position();
    match own {
        Some(own) => out.stream_section(own, trailer)?,
        None => out.table_section(&trailer)?,
    }
    out.bytes.extend_from_slice(format!("startxref\n{start}\n%%EOF\n").as_bytes());

    let byte_range = range(document.len(), &contents, out.bytes.len())?;
    let [_, first, second, third] = byte_range.numbers();
    let text = format!("{first} {second} {third}");
    if let Some(place) = out.bytes.get_mut(numbers.start..numbers.start + text.len()) {
        place.copy_from_slice(text.as_bytes());
    }
    Ok(Written { bytes: out.bytes, contents, byte_range })
}

/// `body` as an encrypted document gets it; `None` where it is not encrypted.
fn encrypted<S: Source>(
    document: &Document<S>,
    reference: Reference,
    body: &Body,
) -> Result<Option<Body>, PdfError> {
    let Some(crypt) = document.crypt() else { return Ok(None) };
    crypt.encrypt(reference, body, document.len(), |object| document.resolve(object)).map(Some)
}

/// The entries that a section without `/Prev` must repeat: none unless the chain is unusable.
fn inherited<S: Source>(document: &Document<S>) -> Result<Places, PdfError> {
    if !document.is_repaired() {
        return Ok(Places::default());
    }
    let base = document.xref().base;
    let found = document.salvage()?.objects.iter().map(|place| {
        let location = match place.location() {
            Location::At(offset) => {
                let before = PdfError::damaged("an object stands before the header", offset);
                Location::At(offset.checked_sub(base).ok_or(before)?)
            }
            location @ (Location::Free | Location::Within { .. }) => location,
        };
        Ok(Place::new(place.number, place.generation, location))
    });
    found.collect::<Result<_, _>>().map(Places::last_of)
}

/// Whether a file of `len` bytes may have offsets that do not fit into the rows of a table.
pub(super) const fn is_past_tables(len: u64) -> bool {
    len > TABLE_END - UPDATE_BYTES
}

/// The kind of the last section, which a reader expects again; a repaired file gets what its
/// objects need, and one that outgrew the ten digits of a table's rows a stream.
fn kind<S: Source>(document: &Document<S>, inherited: &Places) -> SectionKind {
    if is_past_tables(document.len()) {
        return SectionKind::Stream;
    }
    if document.is_repaired() {
        let within = inherited.iter().any(|place| matches!(place.location(), Location::Within { .. }));
        return if within { SectionKind::Stream } else { SectionKind::Table };
    }
    document.xref().sections.first().map_or(SectionKind::Table, |section| section.kind)
}

/// `/ID`: the first string stays, the second one changes (14.4).
fn identifier<S: Source>(
    document: &Document<S>,
    request: &SignatureRequest<'_>,
    update: &[u8],
) -> Result<Object, PdfError> {
    let old = document.entry(document.trailer(), "ID")?;
    let first =
        old.as_array().and_then(<[Object]>::first).map(|first| document.resolve(first)).transpose()?;
    let first = first.as_ref().and_then(Object::as_string).filter(|first| !first.is_empty());
    // The key of an encrypted file depends on it, even where it is not there.
    let first = document.crypt().map(Crypt::identifier).or(first);
    let mut digest = RunningDigest::new(DigestAlgorithm::Sha256);
    digest.update(first.unwrap_or_default());
    digest.update(&document.len().to_be_bytes());
    digest.update(request.date.to_pdf_date().as_bytes());
    digest.update(update);
    let digest = digest.finish();
    let second = digest.as_bytes().get(..16).unwrap_or_default().to_vec();
    let first = first.map_or_else(|| second.clone(), <[u8]>::to_vec);
    Ok(Object::Array(vec![Object::String(first), Object::String(second)]))
}

fn write_stream(reference: Reference, stream: &Stream, out: &mut Vec<u8>) {
    let length = i64::try_from(stream.data.len()).unwrap_or(i64::MAX);
    let dictionary = stream.dictionary.clone().with("Length", Object::Integer(length));
    out.extend_from_slice(format!("{} {} obj\n", reference.number, reference.generation).as_bytes());
    object::write_dictionary(&dictionary, out);
    out.extend_from_slice(b"\nstream\n");
    out.extend_from_slice(&stream.data);
    out.extend_from_slice(b"\nendstream\nendobj\n");
}

/// Writes the signature dictionary; returns where the numbers of the byte range after the first
/// one, and the digits of the contents, stand.
fn write_signature(
    reference: Reference,
    dictionary: &Dictionary,
    contents_len: usize,
    out: &mut Vec<u8>,
) -> (Range<usize>, Range<usize>) {
    let head = format!(
        "{} {} obj\n<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /ByteRange [0 ",
        reference.number, reference.generation
    );
    out.extend_from_slice(head.as_bytes());
    let numbers = out.len();
    // Three numbers and two blanks, padded with blanks: their length is not known yet.
    out.resize(numbers + 3 * RANGE_DIGITS + 2, b' ');
    let numbers = numbers..out.len();
    out.extend_from_slice(b"] /Contents <");
    let contents = out.len();
    out.resize(contents + contents_len * 2, b'0');
    let contents = contents..out.len();
    out.push(b'>');
    for (key, value) in dictionary.iter() {
        out.push(b' ');
        object::write(&Object::Name(key.clone()), out);
        out.push(b' ');
        object::write(value, out);
    }
    out.extend_from_slice(b" >>\nendobj\n");
    (numbers, contents)
}

fn range(original: u64, contents: &Range<usize>, update: usize) -> Result<ByteRange, PdfError> {
    let too_large = || PdfError::Limit { what: "the size of the file" };
    let number = |inside: usize| {
        let place = original.checked_add(inside as u64).and_then(|place| i64::try_from(place).ok());
        place.ok_or_else(too_large)
    };
    let first = number(contents.start.saturating_sub(1))?;
    let second = number(contents.end + 1)?;
    let end = number(update)?;
    let widest = u64::try_from(end).map_err(|_| too_large())?;
    if widest.to_string().len() > RANGE_DIGITS {
        return Err(too_large());
    }
    ByteRange::new([0, first, second, end - second], widest).map_err(|_| too_large())
}

/// The bytes so far, and where the objects in them stand.
struct Output {
    /// The length of the original.
    start: u64,
    base: u64,
    bytes: Vec<u8>,
    /// Where the objects stand, for the section: offsets count from the header.
    entries: Places,
}

impl Output {
    /// Where the next byte comes to stand, counted as offsets are.
    fn position(&self) -> u64 {
        self.start.saturating_add(self.bytes.len() as u64).saturating_sub(self.base)
    }

    fn begin(&mut self, reference: Reference) -> Result<(), PdfError> {
        let offset = self.position();
        if offset > FILE_END {
            return Err(PdfError::Limit { what: "the size of the file" });
        }
        self.entries.set(Place::new(reference.number, reference.generation, Location::At(offset)));
        Ok(())
    }

    /// The entries of the section. One that stands alone begins at object 0 and has no gaps where
    /// they are few: some readers expect one run there.
    fn take_entries(&mut self, alone: bool) -> Places {
        let mut entries = std::mem::take(&mut self.entries);
        if alone {
            entries.set(Place::new(0, 65535, Location::Free));
            entries.fill_gaps();
        }
        entries
    }

    fn table_section(&mut self, trailer: &Dictionary) -> Result<(), PdfError> {
        self.bytes.extend_from_slice(b"xref\n");
        for run in self.take_entries(!trailer.contains("Prev")).runs() {
            let first = run.first().map_or(0, |place| place.number);
            self.bytes.extend_from_slice(format!("{first} {}\n", run.len()).as_bytes());
            for place in run {
                let (offset, kind) = match place.location() {
                    Location::At(offset) => (offset, 'n'),
                    Location::Free => (0, 'f'),
                    Location::Within { .. } => {
                        return Err(PdfError::Unsupported {
                            what: "object streams without a cross-reference stream",
                        });
                    }
                };
                self.bytes
                    .extend_from_slice(format!("{offset:010} {:05} {kind}\r\n", place.generation).as_bytes());
            }
        }
        self.bytes.extend_from_slice(b"trailer\n");
        object::write_dictionary(trailer, &mut self.bytes);
        self.bytes.push(b'\n');
        Ok(())
    }

    fn stream_section(&mut self, own: Reference, trailer: Dictionary) -> Result<(), PdfError> {
        self.begin(own)?;
        let mut data = Vec::new();
        let mut index = Vec::new();
        for run in self.take_entries(!trailer.contains("Prev")).runs() {
            let first = run.first().map_or(0, |place| place.number);
            index.push(Object::Integer(i64::from(first)));
            index.push(Object::Integer(i64::try_from(run.len()).unwrap_or(i64::MAX)));
            for place in run {
                let generation = u32::from(place.generation);
                let (kind, second, third) = match place.location() {
                    Location::At(offset) => (1u8, offset, generation),
                    Location::Free => (0, 0, generation),
                    Location::Within { stream, index } => (2, u64::from(stream), index),
                };
                data.push(kind);
                // Five bytes hold every offset that `begin` lets through.
                data.extend_from_slice(second.to_be_bytes().get(3..).unwrap_or_default());
                data.extend_from_slice(&third.to_be_bytes());
            }
        }
        let mut dictionary = Dictionary::new().with("Type", Object::name("XRef"));
        for (key, value) in trailer.iter() {
            dictionary.push(key.clone(), value.clone());
        }
        dictionary.set("W", Object::Array([1, 5, 4].map(Object::Integer).to_vec()));
        dictionary.set("Index", Object::Array(index));
        write_stream(own, &Stream { dictionary, data }, &mut self.bytes);
        Ok(())
    }
}
