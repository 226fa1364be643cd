//! Cross-reference tables (ISO 32000-2, 7.5.4): rows addressed by arithmetic where they allow it.

use crate::pdf::error::PdfError;
use crate::pdf::lexer::{Lexer, SyntaxError, Token, is_space};
use crate::pdf::object::Dictionary;
use crate::pdf::parser;
use crate::pdf::reader::Reader;
use crate::pdf::source::Source;
use crate::pdf::xref::rows::{Listed, Place, Rows, Span};
use crate::pdf::xref::{Entry, Location};

/// Entries of irregular tables that are kept in memory.
const LISTED: usize = 1 << 20;
/// Subsections of one table.
const SPANS: usize = 1 << 19;
/// Longest text a row or a subsection's header is looked for in.
const ROW_WINDOW: usize = 96;

/// A row as it is written, white space after it included.
struct Row {
    location: Location,
    generation: u64,
    offset: u64,
    len: usize,
}

impl Row {
    fn entry(&self) -> Entry {
        let generation = match self.location {
            Location::At(_) => u32::try_from(self.generation).unwrap_or(u32::MAX),
            Location::Free | Location::Within { .. } => 0,
        };
        Entry { location: self.location, generation }
    }
}

/// A buffer over the table, so that small pieces cost no reads of their own.
struct Text<'a, S> {
    reader: &'a Reader<S>,
    start: u64,
    bytes: Vec<u8>,
}

impl<S: Source> Text<'_, S> {
    /// At least [`ROW_WINDOW`] bytes from `offset`, fewer only at the end of the file.
    fn at(&mut self, offset: u64) -> Result<&[u8], PdfError> {
        let inside = |start: u64, len: usize| {
            let index = usize::try_from(offset.checked_sub(start)?).ok()?;
            (index.checked_add(ROW_WINDOW)? <= len).then_some(index)
        };
        if let Some(index) = inside(self.start, self.bytes.len()) {
            return Ok(self.bytes.get(index..).unwrap_or_default());
        }
        self.reader.step()?;
        self.bytes = self.reader.window(offset, 4 << 10)?;
        self.start = offset;
        Ok(&self.bytes)
    }
}

/// The table whose keyword `xref` stands at `start`: its rows, its trailer and where that ends.
pub(super) fn read<S: Source>(
    reader: &Reader<S>,
    start: u64,
    base: u64,
) -> Result<(Rows, Dictionary, u64), PdfError> {
    let mut rows = Rows::default();
    let mut text = Text { reader, start: 0, bytes: Vec::new() };
    let mut at = start.saturating_add(4);
    while let Some((first, count, len)) = header(text.at(at)?) {
        at += len as u64;
        if rows.spans.len() >= SPANS || first.saturating_add(count) > u64::from(reader.limits().objects) + 1 {
            return Err(PdfError::Limit { what: "the number of objects" });
        }
        let (Ok(mut first), Ok(count)) = (u32::try_from(first), u32::try_from(count)) else {
            return Err(PdfError::Limit { what: "the number of objects" });
        };
        // Some writers count the head of the free list, which is object 0, as object 1.
        if first == 1 && row(text.at(at)?, base).is_some_and(|row| row.offset == 0 && row.generation == 65535)
        {
            first = 0;
        }
        if count == 0 {
            continue;
        }
        at = match regular(&mut text, at, count, base)? {
            Some((row, end)) => {
                rows.spans.push(Span { first, count, place: Place::File { start: at, row } });
                end
            }
            None => listed(&mut text, at, first, base, &mut rows.listed)?,
        };
    }
    let (trailer, end) = trailer(reader, at)?;
    Ok((rows, trailer, end))
}

/// The entry in the row of `len` bytes at `start`.
pub(super) fn row_at<S: Source>(
    reader: &Reader<S>,
    start: u64,
    len: u64,
    base: u64,
) -> Result<Entry, PdfError> {
    let bytes = reader.window(start, usize::try_from(len).unwrap_or(ROW_WINDOW).min(ROW_WINDOW))?;
    row(&bytes, base).map(|row| row.entry()).ok_or(PdfError::damaged("a cross-reference row is wrong", start))
}

/// `trailer` and its dictionary, which stand at `at`.
pub(crate) fn trailer<S: Source>(reader: &Reader<S>, at: u64) -> Result<(Dictionary, u64), PdfError> {
    let (object, len) = reader.parse_at(at, |lexer: &mut Lexer<'_>| {
        lexer.skip_space()?;
        let start = lexer.at();
        if lexer.token()? != Token::Keyword(b"trailer") {
            return Err(SyntaxError::Malformed(start));
        }
        let object = parser::object(lexer, reader.limits())?;
        Ok((object, lexer.at()))
    })?;
    let dictionary = object.into_dictionary().ok_or(PdfError::damaged("the trailer is no dictionary", at))?;
    Ok((dictionary, at.saturating_add(len as u64)))
}

/// `first count` and the white space around it; `None` where something else stands.
fn header(bytes: &[u8]) -> Option<(u64, u64, usize)> {
    let at = blanks(bytes, 0);
    let (first, at) = digits(bytes, at)?;
    let gap = blanks(bytes, at);
    let (count, end) = digits(bytes, gap)?;
    // A comment or a row may follow; a third number means that this was a row.
    if gap == at || !bytes.get(end).copied().is_some_and(is_space) {
        return None;
    }
    Some((first, count, blanks(bytes, end)))
}

/// A row at the beginning of `bytes`.
fn row(bytes: &[u8], base: u64) -> Option<Row> {
    let (offset, at) = digits(bytes, blanks(bytes, 0))?;
    let (generation, at) = digits(bytes, blanks(bytes, at))?;
    let at = blanks(bytes, at);
    let location = match bytes.get(at)? {
        b'n' => Location::At(offset.checked_add(base)?),
        b'f' => Location::Free,
        _ => return None,
    };
    let end = blanks(bytes, at + 1);
    // Offset 0 is the header: no object stands there (an entry that was never filled).
    let location = if offset == 0 { Location::Free } else { location };
    Some(Row { location, generation, offset, len: end })
}

fn blanks(bytes: &[u8], at: usize) -> usize {
    at + bytes.iter().skip(at).take_while(|&&byte| is_space(byte)).count()
}

fn digits(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let count = bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count();
    let text = std::str::from_utf8(bytes.get(at..at + count)?).ok()?;
    Some((text.parse().ok()?, at + count))
}

/// The length that all of the `count` rows at `start` seem to have, and where they end; `None`
/// where their lengths differ.
fn regular<S: Source>(
    text: &mut Text<'_, S>,
    start: u64,
    count: u32,
    base: u64,
) -> Result<Option<(u64, u64)>, PdfError> {
    let Some(first) = row(text.at(start)?, base) else { return Ok(None) };
    let len = first.len as u64;
    if !(18..=24).contains(&len) && count > 1 {
        return Ok(None);
    }
    // The last row and what follows it stand where equal rows put them.
    let last = start + len * u64::from(count - 1);
    if last >= text.reader.len() {
        return Ok(None);
    }
    let Some(found) = row(text.at(last)?, base) else { return Ok(None) };
    // The blanks after the last row may differ.
    let next = last + found.len as u64;
    let bytes = text.at(next)?;
    let fits = bytes.starts_with(b"trailer") || header(bytes).is_some_and(|_| row(bytes, base).is_none());
    // Rows that begin with blanks shift against their numbers only if their length is not the same.
    let middle = start + len * u64::from(count / 2);
    let fits = fits
        && row(text.at(middle)?, base).is_some_and(|row| count / 2 + 1 == count || row.len as u64 == len);
    Ok(fits.then_some((len, next)))
}

/// Reads rows one after the other, whatever their length, and returns where they end.
fn listed<S: Source>(
    text: &mut Text<'_, S>,
    start: u64,
    first: u32,
    base: u64,
    entries: &mut Vec<Listed>,
) -> Result<u64, PdfError> {
    let mut at = start;
    let mut number = first;
    while let Some(row) = row(text.at(at)?, base) {
        if entries.len() >= LISTED || number > text.reader.limits().objects {
            return Err(PdfError::Limit { what: "the number of objects" });
        }
        let Entry { location, generation } = row.entry();
        entries.push(Listed { number, generation, location });
        number = number.saturating_add(1);
        at += row.len as u64;
    }
    Ok(at)
}
