//! Positioned reads with the budgets of one document: windows, indirect objects, stream data.

use std::cell::Cell;
use std::ops::Range;

use crate::pdf::error::PdfError;
use crate::pdf::filter;
use crate::pdf::lexer::{Lexer, SyntaxError};
use crate::pdf::limits::Limits;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::parser;
use crate::pdf::source::Source;

/// The first window an object is read with; most objects fit.
const FIRST_WINDOW: usize = 1 << 10;
/// The second one; all but few fit. Up to here nothing is charged.
const SECOND_WINDOW: usize = 4 << 10;
/// How much is searched at a time.
const SEARCH_WINDOW: usize = 64 << 10;

/// A source with the budgets of the document that is read from it.
pub(crate) struct Reader<S> {
    source: S,
    limits: Limits,
    decoded: Cell<u64>,
    parsed: Cell<u64>,
    steps: Cell<u64>,
    /// The highest object number that a value read so far refers to.
    referred: Cell<u32>,
    displaced: Cell<bool>,
}

/// An indirect object and where it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    pub(crate) reference: Reference,
    pub(crate) object: Object,
    /// Where a stream's data begin.
    pub(crate) data: Option<u64>,
    /// From the object number to the end of the object's own text.
    pub(crate) range: Range<u64>,
}

impl<S: Source> Reader<S> {
    pub(crate) const fn new(source: S, limits: Limits) -> Self {
        Self {
            source,
            limits,
            decoded: Cell::new(0),
            parsed: Cell::new(0),
            steps: Cell::new(0),
            referred: Cell::new(0),
            displaced: Cell::new(false),
        }
    }

    pub(crate) const fn source(&self) -> &S {
        &self.source
    }

    pub(crate) const fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn len(&self) -> u64 {
        self.source.len()
    }

    /// The highest object number that a value read so far refers to, whether there is such an
    /// object or not.
    pub(crate) const fn referred(&self) -> u32 {
        self.referred.get()
    }

    /// Whether something did not stand where the file says, and was found close by.
    pub(crate) const fn found_displaced(&self) -> bool {
        self.displaced.get()
    }

    /// Takes note that something was found close by.
    pub(crate) fn displaced(&self) {
        self.displaced.set(true);
    }

    /// Takes note of what `object` refers to. Numbers past every limit are nobody's.
    pub(crate) fn refers(&self, object: &Object) {
        let highest = object.highest_reference(self.limits.objects);
        self.referred.set(self.referred.get().max(highest));
    }

    /// Counts one step of a search that hostile files could make endless.
    pub(crate) fn step(&self) -> Result<(), PdfError> {
        let steps = self.steps.get().saturating_add(1);
        self.steps.set(steps);
        if steps > self.limits.lookups {
            return Err(PdfError::Limit { what: "the number of look-ups" });
        }
        Ok(())
    }

    /// Counts `len` bytes of an object's text, unless that is small.
    pub(crate) fn charge(&self, len: usize) -> Result<(), PdfError> {
        let parsed = self.parsed.get().saturating_add(if len > SECOND_WINDOW { len as u64 } else { 0 });
        self.parsed.set(parsed);
        if parsed > self.limits.parsed_bytes {
            return Err(PdfError::Limit { what: "the size of all objects" });
        }
        Ok(())
    }

    /// Up to `len` bytes from `offset`; fewer at the end of the file.
    pub(crate) fn window(&self, offset: u64, len: usize) -> Result<Vec<u8>, PdfError> {
        let rest = self.len().saturating_sub(offset);
        let len = usize::try_from(rest).unwrap_or(usize::MAX).min(len);
        let mut bytes = vec![0; len];
        let mut filled = 0;
        while let Some(free) = bytes.get_mut(filled..).filter(|free| !free.is_empty()) {
            let count = self.source.read_at(offset.saturating_add(filled as u64), free)?;
            if count == 0 {
                break;
            }
            filled += count;
        }
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// What `parse` makes of a window at `offset`, which grows until it suffices.
    pub(crate) fn parse_at<T>(
        &self,
        offset: u64,
        parse: impl Fn(&mut Lexer<'_>) -> Result<T, SyntaxError>,
    ) -> Result<T, PdfError> {
        let mut len = FIRST_WINDOW;
        self.step()?;
        loop {
            let bytes = self.window(offset, len)?;
            let last = bytes.len() < len || offset.saturating_add(len as u64) >= self.len();
            let mut lexer = Lexer::new(&bytes, 0, last);
            match parse(&mut lexer) {
                Ok(value) => return Ok(value),
                Err(SyntaxError::Incomplete) if !last && len < self.limits.object_bytes => {
                    let next = if len < SECOND_WINDOW { SECOND_WINDOW } else { len.saturating_mul(8) };
                    len = next.min(self.limits.object_bytes);
                    self.charge(len)?;
                }
                Err(SyntaxError::Incomplete) if !last => {
                    return Err(PdfError::Limit { what: "the size of an object" });
                }
                Err(error) => return Err(syntax(error, offset)),
            }
        }
    }

    /// The indirect object whose number stands at `offset`, white space before it skipped.
    pub(crate) fn indirect_at(&self, offset: u64) -> Result<Placed, PdfError> {
        if offset >= self.len() {
            return Err(PdfError::damaged("an object stands after the end of the file", offset));
        }
        let (start, found) = self.parse_at(offset, |lexer| {
            lexer.skip_space()?;
            let start = lexer.at();
            parser::indirect(lexer, &self.limits).map(|found| (start, found))
        })?;
        let place = |at: usize| offset.saturating_add(at as u64);
        self.refers(&found.object);
        Ok(Placed {
            reference: found.reference,
            object: found.object,
            data: found.stream.map(place),
            range: place(start)..place(found.end),
        })
    }

    /// The first place of `needle` in `range`.
    pub(crate) fn find(&self, needle: &[u8], range: Range<u64>) -> Result<Option<u64>, PdfError> {
        let mut offset = range.start;
        while offset < range.end {
            let left = usize::try_from(range.end - offset).unwrap_or(usize::MAX);
            let bytes = self.window(offset, SEARCH_WINDOW.min(left))?;
            self.charge(bytes.len())?;
            if let Some(at) = position(&bytes, needle) {
                return Ok(Some(offset + at as u64));
            }
            // What begins at the end of this window is found in the next one.
            let advance = bytes.len().saturating_sub(needle.len().saturating_sub(1));
            if advance == 0 || bytes.len() < SEARCH_WINDOW {
                break;
            }
            offset += advance as u64;
        }
        Ok(None)
    }

    /// The encoded bytes of a stream whose data begin at `start`. A length that is missing or does
    /// not lead to `endstream` gives way to a search.
    pub(crate) fn stream_bytes(&self, start: u64, length: Option<u64>) -> Result<Vec<u8>, PdfError> {
        let too_large = PdfError::Limit { what: "the size of a stream" };
        let limit = self.limits.stream_bytes as u64;
        let said = length.and_then(|length| start.checked_add(length)).filter(|&end| end <= self.len());
        if let Some(end) = said {
            let tail = self.window(end, 32)?;
            let blank = tail.iter().take_while(|&&byte| crate::pdf::lexer::is_space(byte)).count();
            let tail = tail.get(blank..).unwrap_or_default();
            if tail.starts_with(b"endstream") || tail.starts_with(b"endobj") {
                if end - start > limit {
                    return Err(too_large);
                }
                return self.stretch(start..end);
            }
        }
        let bound = self.len().min(start.saturating_add(limit));
        let end = match self.find(b"endstream", start..bound)? {
            Some(end) => end,
            None if bound < self.len() => return Err(too_large),
            // A file that was cut off within its last stream.
            None => bound,
        };
        let mut bytes = self.stretch(start..end)?;
        for newline in [b'\n', b'\r'] {
            if bytes.last() == Some(&newline) {
                bytes.pop();
            }
        }
        Ok(bytes)
    }

    /// Whether data of a stream that begin at `start` end in this source, wherever a reader looks for
    /// their end: where `length` leads, or by a search from the beginning or from there.
    pub(crate) fn ends_stream(&self, start: u64, length: u64) -> Result<bool, PdfError> {
        const KEYWORD: &[u8] = b"endstream";
        let Some(end) = start.checked_add(length).filter(|&end| end <= self.len()) else { return Ok(false) };
        let tail = self.window(end, KEYWORD.len() + 2)?;
        let blank = tail.iter().take_while(|&&byte| crate::pdf::lexer::is_space(byte)).count();
        if tail.get(blank..).unwrap_or_default().starts_with(KEYWORD) {
            return Ok(true);
        }
        Ok(self.find(KEYWORD, end..self.len())?.is_some())
    }

    /// The bytes in `range`, counted: many streams may claim the same ones.
    pub(crate) fn stretch(&self, range: Range<u64>) -> Result<Vec<u8>, PdfError> {
        let len = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        self.charge(len)?;
        self.window(range.start, len)
    }

    /// Undoes the filters that `dictionary` names; `resolve` follows references.
    pub(crate) fn decode(
        &self,
        dictionary: &Dictionary,
        data: Vec<u8>,
        resolve: impl Fn(&Object) -> Result<Object, PdfError>,
    ) -> Result<Vec<u8>, PdfError> {
        let list = |key: &str| {
            let value = resolve(dictionary.get(key).unwrap_or(&Object::Null))?;
            Ok::<_, PdfError>(if let Object::Array(items) = value { items } else { vec![value] })
        };
        let (filters, parameters) = (list("Filter")?, list("DecodeParms")?);
        if filters.len() > 8 {
            return Err(PdfError::Limit { what: "the number of filters of a stream" });
        }
        let mut data = data;
        for (index, name) in filters.iter().enumerate() {
            let name = resolve(name)?;
            let Some(name) = name.as_name() else { continue };
            let mut settings = Dictionary::new();
            if let Object::Dictionary(found) = resolve(parameters.get(index).unwrap_or(&Object::Null))? {
                for (key, value) in found.iter() {
                    settings.push(key.clone(), resolve(value)?);
                }
            }
            data = filter::decode(name, &settings, &data, self.limits.stream_bytes)?;
            let decoded = self.decoded.get().saturating_add(data.len() as u64);
            self.decoded.set(decoded);
            if decoded > self.limits.decoded_bytes {
                return Err(PdfError::Limit { what: "the decoded size of all streams" });
            }
        }
        Ok(data)
    }
}

/// The first place of `needle` in `bytes`.
pub(crate) fn position(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    let (&first, _) = needle.split_first()?;
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        let at = from + rest.iter().position(|&byte| byte == first)?;
        if bytes.get(at..)?.starts_with(needle) {
            return Some(at);
        }
        from = at + 1;
    }
}

pub(crate) const fn syntax(error: SyntaxError, offset: u64) -> PdfError {
    match error {
        SyntaxError::Incomplete => PdfError::damaged("an object is cut off", offset),
        SyntaxError::Malformed(at) => {
            PdfError::damaged("the syntax is not that of a PDF", offset.saturating_add(at as u64))
        }
        SyntaxError::TooMuch => PdfError::Limit { what: "the nesting or number of values in an object" },
    }
}
