//! The bytes after a signed revision: what a reader would find there by looking for itself.

use crate::pdf::document::Document;
use crate::pdf::later::{Effort, Stop};
use crate::pdf::lexer::is_space;
use crate::pdf::reader::Reader;
use crate::pdf::recover;
use crate::pdf::source::{Source, SourceError};
use crate::pdf::xref::{Location, Section};

/// Appended bytes that are looked through.
const BYTES: u64 = 32 << 20;
/// Bytes that count as one object's worth of work.
const BLOCK: u64 = 256;

/// The rest of a source from `start` on.
struct Tail<'a, S> {
    source: &'a S,
    start: u64,
}

impl<S: Source> Source for Tail<'_, S> {
    fn len(&self) -> u64 {
        self.source.len().saturating_sub(self.start)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        self.source.read_at(self.start.saturating_add(offset), buffer)
    }
}

/// Refuses an object or a trailer after `end` that no section lists or is: readers that mend files
/// take the last one they find.
pub(super) fn holds_only_listed_objects<S: Source>(
    new: &Document<S>,
    sections: &[Section],
    end: u64,
    effort: &mut Effort,
) -> Result<(), Stop> {
    let tail = Tail { source: new.source(), start: end };
    if tail.len() > BYTES {
        return Err(Stop::Other("there is too much to compare"));
    }
    effort.spend(tail.len() / BLOCK)?;
    let marks = recover::notice(&Reader::new(&tail, *new.limits()))?;
    effort.spend((marks.objects.len() * sections.len()) as u64)?;
    for &(reference, at) in &marks.objects {
        let place = end.saturating_add(at);
        let mut listed = false;
        for section in sections {
            let own = section.own == Some(reference) && section.start == place;
            listed |= own
                || section.locate(new.reader(), new.xref().base, reference.number)?
                    == Some(Location::At(place));
        }
        if !listed {
            return Err(Stop::Other("an object was added that the cross-reference does not list"));
        }
    }
    // What follows the last revision is no part of any: a reader may take it for something.
    let last = new.revision_ends()?.last().copied().unwrap_or(end).max(end);
    let rest = new.reader().window(last, 64)?;
    if last.saturating_add(rest.len() as u64) < new.len() || !rest.iter().copied().all(is_space) {
        return Err(Stop::Other("bytes were added that are no revision"));
    }
    let within = |at: u64| sections.iter().any(|section| section.start <= at && at < section.end);
    if marks.trailers.iter().any(|at| !within(end.saturating_add(*at))) {
        return Err(Stop::Other("a trailer was added that is not part of the chain"));
    }
    Ok(())
}
