//! The entries of one section, found by object number where they stand: as spans of consecutive numbers.

use crate::pdf::error::PdfError;
use crate::pdf::reader::Reader;
use crate::pdf::source::Source;
use crate::pdf::xref::{Entry, Location, stream, table};

/// Numbers that are compared because two rows list them.
const REPEATED: u32 = 1 << 16;

/// The entries of a section, as spans of consecutive object numbers.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// In the order of their first numbers.
    pub(super) spans: Vec<Span>,
    /// Entries of a table whose rows are not all of the same length, by number.
    pub(super) listed: Vec<Listed>,
    /// The decoded rows of a stream, and the widths of their fields.
    pub(super) packed: Vec<u8>,
    pub(super) widths: [usize; 3],
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) first: u32,
    pub(super) count: u32,
    pub(super) place: Place,
}

/// One entry that stands alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed {
    pub(super) number: u32,
    pub(super) generation: u32,
    pub(super) location: Location,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// Rows of a table: where the first one begins, and their length.
    File { start: u64, row: u64 },
    /// Rows of a stream: the number of the first one.
    Packed { row: usize },
}

impl Span {
    const fn end(&self) -> u32 {
        self.first.saturating_add(self.count)
    }
}

impl Listed {
    const fn entry(&self) -> Entry {
        Entry { location: self.location, generation: self.generation }
    }
}

impl Rows {
    pub(super) fn sort(&mut self) {
        self.spans.sort_by_key(|span| span.first);
        self.listed.sort_by_key(|listed| listed.number);
    }

    /// The memory they take.
    pub(super) fn weight(&self) -> usize {
        self.packed.len() + self.listed.len() * size_of::<Listed>() + self.spans.len() * size_of::<Span>()
    }

    /// The highest object number up to `limit` that they list, or say to hold others.
    pub(super) fn highest(&self, limit: u32) -> u32 {
        let spans = self.spans.iter().map(|span| span.first.saturating_add(span.count).saturating_sub(1));
        let holders = self.spans.iter().flat_map(|span| {
            let rows = match span.place {
                Place::File { .. } => 0..0,
                Place::Packed { row } => row..row.saturating_add(span.count as usize),
            };
            rows.filter_map(|row| match stream::row_at(&self.packed, self.widths, row, 0) {
                Some(Entry { location: Location::Within { stream, .. }, .. }) if stream <= limit => {
                    Some(stream)
                }
                Some(_) | None => None,
            })
        });
        let listed = self.listed.last().map(|listed| listed.number);
        spans.chain(listed).chain(holders).max().unwrap_or(0)
    }

    pub(super) fn locate<S: Source>(
        &self,
        reader: &Reader<S>,
        base: u64,
        number: u32,
    ) -> Result<Option<Entry>, PdfError> {
        reader.step()?;
        if let Ok(at) = self.listed.binary_search_by_key(&number, |listed| listed.number) {
            return Ok(self.listed.get(at).map(Listed::entry));
        }
        let after = self.spans.partition_point(|span| span.first <= number);
        let span = after.checked_sub(1).and_then(|at| self.spans.get(at));
        let Some(span) = span.filter(|span| number - span.first < span.count) else { return Ok(None) };
        self.entry(reader, base, *span, number - span.first)
    }

    /// The entry at `index` of `span`.
    fn entry<S: Source>(
        &self,
        reader: &Reader<S>,
        base: u64,
        span: Span,
        index: u32,
    ) -> Result<Option<Entry>, PdfError> {
        match span.place {
            Place::File { start, row } => {
                table::row_at(reader, start + u64::from(index) * row, row, base).map(Some)
            }
            Place::Packed { row } => {
                Ok(stream::row_at(&self.packed, self.widths, row + index as usize, base))
            }
        }
    }

    /// Whether two rows say different things of one number: readers take the one or the other.
    pub(super) fn contradict<S: Source>(&self, reader: &Reader<S>, base: u64) -> Result<bool, PdfError> {
        for pair in self.listed.windows(2) {
            if let [one, other] = pair
                && one.number == other.number
                && one.entry() != other.entry()
            {
                return Ok(true);
            }
        }
        let mut left = REPEATED;
        let mut compared = || {
            left = left.checked_sub(1).ok_or(PdfError::Limit { what: "the number of repeated objects" })?;
            reader.step()
        };
        if !self.spans.is_empty() {
            for listed in &self.listed {
                let after = self.spans.partition_point(|span| span.first <= listed.number);
                let span = after.checked_sub(1).and_then(|at| self.spans.get(at));
                let Some(span) = span.filter(|span| listed.number - span.first < span.count) else {
                    continue;
                };
                compared()?;
                let entry = self.entry(reader, base, *span, listed.number - span.first)?;
                if entry != Some(listed.entry()) {
                    return Ok(true);
                }
            }
        }
        // Of the spans so far the one that reaches furthest: it holds whatever a later one repeats.
        let mut widest: Option<Span> = None;
        for span in &self.spans {
            if let Some(widest) = widest {
                for number in span.first..span.end().min(widest.end()) {
                    compared()?;
                    let one = self.entry(reader, base, widest, number - widest.first)?;
                    let other = self.entry(reader, base, *span, number - span.first)?;
                    if one != other {
                        return Ok(true);
                    }
                }
            }
            if widest.is_none_or(|widest| widest.end() < span.end()) {
                widest = Some(*span);
            }
        }
        Ok(false)
    }
}
