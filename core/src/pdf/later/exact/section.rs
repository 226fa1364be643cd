//! An appended cross-reference section to the letter (ISO 32000-2, 7.5.4, 7.5.5 and 7.5.8): where
//! it is, the section that it follows, its rows, and the mark after it.

use crate::pdf::document::Document;
use crate::pdf::later::exact::Entries;
use crate::pdf::later::{LISTED, Stop};
use crate::pdf::lexer::{Lexer, Token, is_space};
use crate::pdf::object::{Dictionary, Object};
use crate::pdf::parser::{self, Reading};
use crate::pdf::reader::Reader;
use crate::pdf::source::Source;
use crate::pdf::xref::{Entry, Location, Section, SectionKind};

/// Length of a row of a table, its end of line included.
const ROW: usize = 20;
/// The text of one table with its trailer.
const TABLE: u64 = 4 << 20;
/// Entries of an appended trailer (table 15), and those of a cross-reference stream (table 17);
/// others only as the signed revision has them.
const KEYS: &[&str] = &[
    "Size",
    "Prev",
    "Root",
    "Encrypt",
    "Info",
    "ID",
    "Type",
    "Index",
    "W",
    "Length",
    "Filter",
    "DecodeParms",
];
/// Object numbers that one update may add.
const NUMBERS: i64 = 1 << 16;
/// The longest end of line.
const END_OF_LINE: u64 = 2;
/// What stands between a trailer and the end of its end-of-file mark.
const MARK: usize = 1 << 10;

/// Rows as they are written.
type Rows = Vec<(u32, Entry)>;

const fn inexact() -> Stop {
    Stop::Other("a cross-reference was added that is not written as it must be")
}

/// Refuses a second `startxref` in one revision: readers look for the last one by its letters.
pub(super) fn one_mark_for_each<S: Source>(
    reader: &Reader<S>,
    sections: &[Section],
    end: u64,
) -> Result<(), Stop> {
    const KEYWORD: &[u8] = b"startxref";
    let (mut at, mut count) = (end, 0);
    while let Some(found) = reader.find(KEYWORD, at..reader.len())? {
        count += 1;
        if count > sections.len() {
            return Err(inexact());
        }
        at = found.saturating_add(KEYWORD.len() as u64);
    }
    Ok(())
}

/// Refuses a section that is not exactly where it is said to be, or continues something else than
/// the one before it: `previous` or, for the first one, the last of the signed revision.
pub(super) fn continues<O: Source, N: Source>(
    old: &Document<O>,
    new: &Document<N>,
    section: &Section,
    previous: Option<&Section>,
) -> Result<(), Stop> {
    let base = new.xref().base;
    let trailer = &section.trailer;
    let number = |key: &str| trailer.get(key).and_then(Object::as_integer).map(u64::try_from);
    let prev = match number("Prev") {
        Some(Ok(prev)) => prev,
        Some(Err(_)) | None => return Err(inexact()),
    };
    let before = previous.or(old.xref().sections.first()).ok_or(inexact())?;
    // Some writers name the end of line before their table, which every reader skips.
    let skipped = match section.kind {
        SectionKind::Stream => 0,
        SectionKind::Table => END_OF_LINE,
    };
    let named = base.saturating_add(section.named);
    let near = named <= section.start && section.start <= named.saturating_add(skipped);
    if !near || prev != before.named {
        return Err(Stop::Other("a cross-reference was added that is not exactly where it is looked for"));
    }
    let known = trailer.iter().all(|(key, value)| {
        let name = String::from_utf8_lossy(&key.0);
        KEYS.contains(&name.as_ref()) || old.trailer().get(&name) == Some(value)
    });
    if !known
        || !is_identifier(trailer, old.trailer())
        || trailer.get("Root") != Some(&Object::Reference(old.root()))
        || trailer.get("Encrypt") != old.trailer().get("Encrypt")
        || (old.crypt().is_some() && first_identifier(trailer) != first_identifier(old.trailer()))
    {
        return Err(Stop::Other("a trailer was added that does not continue that of the signed revision"));
    }
    // Objects past the size are missing to readers that obey it (table 15); a size past what they
    // can hold makes them look for objects themselves.
    let size = |trailer: &Dictionary| trailer.get("Size").and_then(Object::as_integer);
    let limit = i64::from(old.limits().objects).saturating_add(1);
    let highest = i64::from(old.xref().highest(old.limits().objects));
    let least = size(&before.trailer).unwrap_or(0);
    let reach = least.max(highest.saturating_add(1));
    let listed = section.numbers().max().map_or(0, i64::from);
    let fits =
        |size: i64| size >= least && size > listed && size > highest && size <= reach.saturating_add(NUMBERS);
    if reach <= limit && size(trailer).is_some_and(fits) {
        Ok(())
    } else {
        Err(Stop::Other("a trailer was added whose size is not that of the document"))
    }
}

/// Whether `/ID` is absent, that of `old`, or two strings (14.4).
fn is_identifier(trailer: &Dictionary, old: &Dictionary) -> bool {
    match trailer.get("ID") {
        Some(Object::Array(items)) => {
            (items.len() == 2 && items.iter().all(|item| item.as_string().is_some()))
                || trailer.get("ID") == old.get("ID")
        }
        value => value.is_none() || value == old.get("ID"),
    }
}

fn first_identifier(trailer: &Dictionary) -> Option<&Object> {
    trailer.get("ID").and_then(Object::as_array).and_then(<[Object]>::first)
}

/// What the rows say, each number once.
pub(super) fn entries<S: Source, N: Source>(
    reader: &Reader<S>,
    new: &Document<N>,
    section: &Section,
) -> Result<Entries, Stop> {
    let base = new.xref().base;
    let rows = match section.kind {
        SectionKind::Stream => section.packed_entries(base),
        SectionKind::Table => {
            let len = section.end.checked_sub(section.start).filter(|&len| len <= TABLE);
            let len = len.and_then(|len| usize::try_from(len).ok()).ok_or(inexact())?;
            let text = reader.window(section.start, len)?;
            table(&text, base).filter(|(_, rest)| is_trailer(rest, section, new)).map(|(rows, _)| rows)
        }
    };
    let rows = rows.ok_or(inexact())?;
    let count = rows.len();
    let entries: Entries = rows.into_iter().collect();
    if entries.len() != count {
        return Err(Stop::Other("a cross-reference was added that lists an object twice"));
    }
    if count > LISTED {
        return Err(Stop::Other("there is too much to compare"));
    }
    // The judgement on what changed must have seen the same.
    for (&number, entry) in &entries {
        if section.locate(new.reader(), base, number)? != Some(entry.location) {
            return Err(inexact());
        }
    }
    if section.numbers().count() == count { Ok(entries) } else { Err(inexact()) }
}

/// The rows of the table that `text` begins with, and the rest from `trailer` on.
fn table(text: &[u8], base: u64) -> Option<(Rows, &[u8])> {
    let mut rest = end_of_line(text.strip_prefix(b"xref")?)?;
    let mut rows = Vec::new();
    while !rest.starts_with(b"trailer") {
        let (first, after) = digits(rest)?;
        let (count, after) = digits(after.strip_prefix(b" ")?)?;
        rest = end_of_line(after)?;
        if count == 0 {
            return None;
        }
        for index in 0..count {
            let (row, after) = rest.split_at_checked(ROW)?;
            rows.push((u32::try_from(first.checked_add(index)?).ok()?, entry(row, base)?));
            rest = after;
        }
    }
    (!rows.is_empty()).then_some((rows, rest))
}

/// `nnnnnnnnnn ggggg n` or `f` with an end of line of two bytes.
fn entry(row: &[u8], base: u64) -> Option<Entry> {
    let (offset, generation) = (row.get(..10)?, row.get(11..16)?);
    let (offset, []) = digits(offset)? else { return None };
    let (generation, []) = digits(generation)? else { return None };
    let blanks = row.get(10) == Some(&b' ') && row.get(16) == Some(&b' ');
    if !blanks || !matches!(row.get(18..)?, b" \r" | b" \n" | b"\r\n") {
        return None;
    }
    match row.get(17)? {
        b'n' => {
            let location = Location::At(base.checked_add(offset)?);
            Some(Entry { location, generation: u32::try_from(generation).ok()? })
        }
        b'f' => Some(Entry { location: Location::Free, generation: 0 }),
        _ => None,
    }
}

/// Whether `text` is `trailer` and a dictionary without faults, the one that was read.
fn is_trailer<N: Source>(text: &[u8], section: &Section, new: &Document<N>) -> bool {
    let mut lexer = Lexer::new(text, 0, true);
    lexer.token() == Ok(Token::Keyword(b"trailer"))
        && parser::object_as(&mut lexer, new.limits(), Reading::Exact)
            .is_ok_and(|object| object.as_dictionary() == Some(&section.trailer))
}

/// The place after the end-of-file mark that ends the section, whose own text ends at `at`.
pub(super) fn mark<S: Source>(reader: &Reader<S>, section: &Section, at: u64) -> Result<u64, Stop> {
    let bytes = reader.window(at, MARK)?;
    let after = after_mark(&bytes, section.named).ok_or(inexact())?;
    Ok(at.saturating_add((bytes.len() - after.len()) as u64))
}

fn after_mark(bytes: &[u8], named: u64) -> Option<&[u8]> {
    let mut rest = blank(bytes);
    // Writers leave their name here.
    while rest.first() == Some(&b'%') && !rest.starts_with(b"%%EOF") {
        let end = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
        rest = blank(rest.get(end..)?);
    }
    let (number, rest) = digits(blank(end_of_line(rest.strip_prefix(b"startxref")?)?))?;
    let rest = end_of_line(rest)?.strip_prefix(b"%%EOF")?;
    let ends = rest.first().copied().is_none_or(is_space);
    (number == named && ends).then_some(rest)
}

fn blank(bytes: &[u8]) -> &[u8] {
    let count = bytes.iter().take_while(|&&byte| is_space(byte)).count();
    bytes.get(count..).unwrap_or_default()
}

/// What follows the end of line, blanks before which occur.
fn end_of_line(bytes: &[u8]) -> Option<&[u8]> {
    let count = bytes.iter().take_while(|&&byte| byte == b' ').count();
    match bytes.get(count..)? {
        [b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// A number of up to twelve digits, and what follows it.
fn digits(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let count = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (text, rest) = bytes.split_at_checked(count).filter(|_| (1..=12).contains(&count))?;
    Some((std::str::from_utf8(text).ok()?.parse().ok()?, rest))
}
