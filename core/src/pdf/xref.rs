//! Cross-reference sections (ISO 32000-2, 7.5.4 to 7.5.8): looked up where they stand, not loaded.

mod rows;
mod stream;
pub(crate) mod table;

use std::collections::HashSet;

use crate::pdf::error::PdfError;
use crate::pdf::lexer::is_space;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::reader::{Placed, Reader, position};
use crate::pdf::source::Source;
use crate::pdf::xref::rows::Rows;

/// How far from its place a section is looked for.
const SLACK: u64 = 128;
/// Memory that the entries of all sections of one file may take.
const ROW_BYTES: usize = 24 << 20;

/// Where an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Location {
    /// At this byte of the file.
    At(u64),
    /// Free: the object is null.
    Free,
    /// In the object stream of this number, at this place of it.
    Within { stream: u32, index: u32 },
}

/// What a row says of its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) location: Location,
    /// 0 for what is free or in an object stream.
    pub(crate) generation: u32,
}

/// The form of a section, which the next update must have too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionKind {
    /// A table, with or without a stream beside it (hybrid).
    Table,
    /// A cross-reference stream.
    Stream,
}

/// One section of the chain.
#[derive(Debug)]
pub(crate) struct Section {
    pub(crate) kind: SectionKind,
    /// Where it begins, from byte 0 of the file.
    pub(crate) start: u64,
    /// The offset by which it was found, counted from the base: `startxref` or a `/Prev`. White
    /// space may stand between that place and the section.
    pub(crate) named: u64,
    /// Where its dictionary ends.
    pub(crate) end: u64,
    pub(crate) trailer: Dictionary,
    /// The object that a stream is.
    pub(crate) own: Option<Reference>,
    rows: Rows,
    /// The stream of a hybrid file, asked after the table (7.5.8.4).
    hidden: Option<Rows>,
}

/// What offsets count from, where the header does not stand at byte 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OffsetOrigin {
    /// What this reader counts from: the place of the header, or byte 0.
    pub(crate) counted: u64,
    /// What others may count from.
    pub(crate) other: Option<u64>,
}

/// Where a section begins.
enum Beginning {
    Stream(Placed),
    Table {
        start: u64,
        /// As [`Section::named`].
        named: u64,
    },
}

/// The chain of sections, newest first.
#[derive(Debug)]
pub(crate) struct Xref {
    pub(crate) sections: Vec<Section>,
    /// What offsets count from: the place of the header, or byte 0.
    pub(crate) base: u64,
}

impl Xref {
    /// Reads the chain that begins with the section at `start`.
    ///
    /// # Errors
    /// [`PdfError::Ambiguous`] where a link leads to two sections, otherwise as for a document.
    pub(crate) fn read<S: Source>(
        reader: &Reader<S>,
        origin: OffsetOrigin,
        start: u64,
    ) -> Result<Self, PdfError> {
        let mut xref = Self { sections: Vec::new(), base: origin.counted };
        let mut seen = HashSet::new();
        let mut next = Some(start);
        let mut weight = 0;
        while let Some(offset) = next {
            let section = Section::read(reader, origin, offset)?;
            if !seen.insert(section.start) {
                // A chain that comes back to itself has been read whole.
                break;
            }
            weight += section.rows.weight() + section.hidden.as_ref().map_or(0, Rows::weight);
            if xref.sections.len() >= reader.limits().xref_sections || weight > ROW_BYTES {
                return Err(PdfError::Limit { what: "the cross-reference chain" });
            }
            next = match section.trailer.get("Prev") {
                None | Some(Object::Integer(0)) => None,
                Some(value) => {
                    // Some writers store the offset as a real number or a reference; readers differ there.
                    let offset = value.as_integer().and_then(|value| u64::try_from(value).ok());
                    Some(offset.ok_or(PdfError::damaged("the chain of sections breaks", section.start))?)
                }
            };
            xref.sections.push(section);
        }
        Ok(xref)
    }

    /// What the newest section that knows `number` says of it.
    pub(crate) fn locate<S: Source>(
        &self,
        reader: &Reader<S>,
        number: u32,
    ) -> Result<Option<Location>, PdfError> {
        Ok(self.entry(reader, number)?.map(|entry| entry.location))
    }

    /// As [`Xref::locate`], with the generation.
    pub(crate) fn entry<S: Source>(
        &self,
        reader: &Reader<S>,
        number: u32,
    ) -> Result<Option<Entry>, PdfError> {
        for section in &self.sections {
            let found = section.rows.locate(reader, self.base, number)?;
            match (found.map(|entry| entry.location), &section.hidden) {
                (Some(Location::At(_) | Location::Within { .. }), _) => return Ok(found),
                (Some(Location::Free) | None, Some(hidden)) => {
                    if let Some(entry) = hidden.locate(reader, self.base, number)?.or(found) {
                        return Ok(Some(entry));
                    }
                }
                (Some(Location::Free), None) => return Ok(found),
                (None, None) => {}
            }
        }
        Ok(None)
    }

    /// Whether one section says two different things of one number.
    pub(crate) fn contradicts_itself<S: Source>(&self, reader: &Reader<S>) -> Result<bool, PdfError> {
        for section in &self.sections {
            for rows in [Some(&section.rows), section.hidden.as_ref()].into_iter().flatten() {
                if rows.contradict(reader, self.base)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The highest object number up to `limit` that a section lists, names as a holder of others, or is.
    pub(crate) fn highest(&self, limit: u32) -> u32 {
        let numbers = self.sections.iter().flat_map(|section| {
            let hidden = section.hidden.as_ref().map_or(0, |rows| rows.highest(limit));
            [section.rows.highest(limit), hidden, section.own.map_or(0, |own| own.number)]
        });
        numbers.max().unwrap_or(0)
    }
}

impl Section {
    /// The object numbers that it has entries for, one by one.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> {
        let spans = self.rows.spans.iter();
        let spans = spans.flat_map(|span| span.first..span.first.saturating_add(span.count));
        spans.chain(self.rows.listed.iter().map(|listed| listed.number))
    }

    /// Whether a stream stands beside its table, which not every reader asks.
    pub(crate) const fn is_hybrid(&self) -> bool {
        self.hidden.is_some()
    }

    /// What its own rows say of `number`.
    pub(crate) fn locate<S: Source>(
        &self,
        reader: &Reader<S>,
        base: u64,
        number: u32,
    ) -> Result<Option<Location>, PdfError> {
        Ok(self.rows.locate(reader, base, number)?.map(|entry| entry.location))
    }

    /// The entries of a stream's rows, in their order, where the rows are all that its dictionary
    /// promises; `None` where they are not, or where it is a table.
    pub(crate) fn packed_entries(&self, base: u64) -> Option<Vec<(u32, Entry)>> {
        stream::exact_entries(&self.trailer, &self.rows, base)
    }

    fn read<S: Source>(reader: &Reader<S>, origin: OffsetOrigin, offset: u64) -> Result<Self, PdfError> {
        let found = Beginning::find(reader, origin.counted, offset)?;
        origin.check(found.start(), |other| {
            Beginning::find(reader, other, offset).map(|found| found.start())
        })?;
        match found {
            Beginning::Stream(placed) => Self::stream(reader, placed, offset),
            Beginning::Table { start, named } => {
                if named != offset {
                    reader.displaced();
                }
                Self::table(reader, origin, start, named)
            }
        }
    }

    fn table<S: Source>(
        reader: &Reader<S>,
        origin: OffsetOrigin,
        start: u64,
        named: u64,
    ) -> Result<Self, PdfError> {
        let (mut rows, trailer, end) = table::read(reader, start, origin.counted)?;
        rows.sort();
        let hidden = match trailer.get("XRefStm").and_then(Object::as_integer) {
            Some(offset) => Some(hidden_rows(reader, origin, offset, start)?),
            None => None,
        };
        Ok(Self { kind: SectionKind::Table, start, named, end, trailer, own: None, rows, hidden })
    }

    fn stream<S: Source>(reader: &Reader<S>, placed: Placed, named: u64) -> Result<Self, PdfError> {
        let mut rows = stream::read(reader, &placed)?;
        rows.sort();
        let Object::Dictionary(trailer) = placed.object else {
            return Err(PdfError::damaged("a cross-reference stream has no dictionary", placed.range.start));
        };
        Ok(Self {
            kind: SectionKind::Stream,
            start: placed.range.start,
            named,
            end: placed.range.end,
            trailer,
            own: Some(placed.reference),
            rows,
            hidden: None,
        })
    }
}

impl OffsetOrigin {
    /// Refuses an offset by which others find something elsewhere than at `start`. `find` looks as
    /// leniently as for this reader itself.
    fn check(self, start: u64, find: impl Fn(u64) -> Result<u64, PdfError>) -> Result<(), PdfError> {
        match self.other.map(find).transpose() {
            Ok(Some(other)) if other != start => {
                Err(PdfError::Ambiguous { what: "offsets from the header and from byte 0 both fit" })
            }
            Err(error) if !error.is_damage() => Err(error),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

impl Beginning {
    /// Looks for the section that `offset`, counted from `base`, should lead to.
    fn find<S: Source>(reader: &Reader<S>, base: u64, offset: u64) -> Result<Self, PdfError> {
        let place = base.checked_add(offset).filter(|&place| place < reader.len());
        let place = place.ok_or(PdfError::damaged("a cross-reference section is past the end", offset))?;
        let head = reader.window(place, 64)?;
        let blank = head.iter().take_while(|&&byte| is_space(byte)).count();
        let word = head.get(blank..).unwrap_or_default();
        if word.starts_with(b"xref") {
            return Ok(Self::Table { start: place + blank as u64, named: offset });
        }
        let numbered = word.first().is_some_and(u8::is_ascii_digit);
        if numbered
            && let Ok(placed) = reader.indirect_at(place)
            && is_xref_stream(&placed)
        {
            return Ok(Self::Stream(placed));
        }
        let near = find_table_near(reader, place)?;
        let start = near.ok_or(PdfError::damaged("no cross-reference section here", place))?;
        Ok(Self::Table { start, named: start.saturating_sub(base) })
    }

    const fn start(&self) -> u64 {
        match self {
            Self::Stream(placed) => placed.range.start,
            Self::Table { start, .. } => *start,
        }
    }
}

/// The rows of the stream of a hybrid file, at `offset` as its table at `table` says.
fn hidden_rows<S: Source>(
    reader: &Reader<S>,
    origin: OffsetOrigin,
    offset: i64,
    table: u64,
) -> Result<Rows, PdfError> {
    let missing = PdfError::damaged("the stream of a hybrid file is missing", table);
    let offset = u64::try_from(offset).map_err(|_| missing)?;
    let find = |base: u64| {
        let place = offset.checked_add(base);
        let place = place.ok_or(PdfError::damaged("the stream of a hybrid file is missing", table))?;
        let placed = reader.indirect_at(place)?;
        if is_xref_stream(&placed) {
            return Ok(placed);
        }
        Err(PdfError::damaged("the stream of a hybrid file is none", place))
    };
    let placed = find(origin.counted)?;
    origin.check(placed.range.start, |other| find(other).map(|placed| placed.range.start))?;
    let mut rows = stream::read(reader, &placed)?;
    rows.sort();
    Ok(rows)
}

pub(crate) fn is_xref_stream(placed: &Placed) -> bool {
    let kind = placed.object.as_dictionary().and_then(|dictionary| dictionary.get("Type"));
    placed.data.is_some() && kind.and_then(Object::as_name) == Some(b"XRef")
}

/// The keyword `xref` close to `place`, where a section should be.
fn find_table_near<S: Source>(reader: &Reader<S>, place: u64) -> Result<Option<u64>, PdfError> {
    let from = place.saturating_sub(SLACK);
    let bytes = reader.window(from, 256 + 8)?;
    let mut best: Option<u64> = None;
    let mut at = 0;
    while let Some(found) = position(bytes.get(at..).unwrap_or_default(), b"xref") {
        let index = at + found;
        let before = index.checked_sub(1).and_then(|before| bytes.get(before)).copied();
        let here = from + index as u64;
        if before.is_none_or(is_space) && best.is_none_or(|best| here.abs_diff(place) < best.abs_diff(place))
        {
            best = Some(here);
        }
        at = index + 4;
    }
    Ok(best)
}
