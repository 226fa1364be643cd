//! What was appended after a signed revision, judged (ISO 32000-2, 12.8.2.2 and 12.8.4).
//!
//! Permitted is what signing appends: signature fields with their widgets, signatures in fields
//! that were empty, document time-stamps and validation data. Everything else is told apart and
//! not judged further: it may be harmless. The last state of the file is compared with the
//! signed one object by object; what both share is neither read nor trusted to be harmless, and what
//! was appended must be exact to the byte: readers that mend it may show something else. After
//! a certification or a lock with `/P 1`, validation data and document time-stamps alone are
//! permitted.

mod appended;
mod change;
mod exact;
mod reference;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::object::Reference;
use crate::pdf::source::{Source, SourceError};
use crate::pdf::xref::{Entry, Location, Section};

/// Entries that the appended sections may list together.
const LISTED: usize = 1 << 16;

/// What was found after a signed revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    /// Something else than signing appends, or more than can be judged.
    Other {
        /// What it is, for engineers.
        what: &'static str,
    },
    /// Only what signing appends.
    Permitted,
}

/// Work that the judgements on one document may take together.
#[derive(Debug)]
pub struct Effort {
    /// Objects read, and blocks of appended bytes.
    left: u64,
}

/// Why a judgement ended early.
#[derive(Debug)]
enum Stop {
    Failed(PdfError),
    Other(&'static str),
}

/// The objects that differ between the signed revision and the last one.
#[derive(Debug, Default)]
struct Difference {
    /// Numbers that had no object when it was signed.
    added: BTreeSet<u32>,
    /// Numbers whose object is another one now.
    changed: BTreeSet<u32>,
}

/// The beginning of a source: the file as it was signed.
struct Prefix<'a, S> {
    source: &'a S,
    len: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { left: 2_000_000 }
    }
}

impl Effort {
    fn spend(&mut self, amount: u64) -> Result<(), Stop> {
        self.left = self.left.checked_sub(amount).ok_or(Stop::Other("there is too much to compare"))?;
        Ok(())
    }
}

impl From<PdfError> for Stop {
    fn from(error: PdfError) -> Self {
        Self::Failed(error)
    }
}

impl<S: Source> Source for Prefix<'_, S> {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        let rest = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let len = rest.min(buffer.len());
        self.source.read_at(offset, buffer.get_mut(..len).unwrap_or_default())
    }
}

impl<S: Source> Document<S> {
    /// What stands after the revision that ends at `end`, which the signature in `field` covers.
    ///
    /// # Errors
    /// [`PdfError::Source`] only: what cannot be read or compared is [`Later::Other`].
    pub fn later_changes(
        &self,
        field: &SignatureField,
        end: u64,
        effort: &mut Effort,
    ) -> Result<Later, PdfError> {
        match judge(self, field, end, effort) {
            Ok(()) => Ok(Later::Permitted),
            Err(Stop::Other(what)) => Ok(Later::Other { what }),
            Err(Stop::Failed(error @ PdfError::Source(_))) => Err(error),
            Err(Stop::Failed(_)) => Ok(Later::Other { what: "the revisions cannot be read and compared" }),
        }
    }
}

fn judge<S: Source>(
    new: &Document<S>,
    field: &SignatureField,
    end: u64,
    effort: &mut Effort,
) -> Result<(), Stop> {
    let signed = Prefix { source: new.source(), len: end.min(new.len()) };
    let old = new.reopen(&signed)?;
    // Whoever repeats one of two readings in an update takes the other one away.
    if let Err(PdfError::Ambiguous { .. }) = old.refuse_two_readings() {
        return Err(Stop::Other("readers understand the signed revision differently"));
    }
    let sections = appended_sections(&old, new, end)?;
    appended::holds_only_listed_objects(new, sections, end, effort)?;
    let difference = difference(&old, new, sections, effort)?;
    one_reading(&old, &difference, effort)?;
    reference::none_beyond(&old, &difference.added, effort)?;
    change::all_permitted(&old, new, field, end, &difference)?;
    exact::revisions(&old, new, sections, end, effort)?;
    // A reader that looks for objects by itself may find others than the cross-reference tells.
    if old.is_salvaged() || new.is_salvaged() {
        return Err(Stop::Other("objects are not where the cross-reference says"));
    }
    Ok(())
}

/// The sections that the signed revision does not have: the rest of the chain must be its own.
fn appended_sections<'a, O: Source, N: Source>(
    old: &Document<O>,
    new: &'a Document<N>,
    end: u64,
) -> Result<&'a [Section], Stop> {
    if old.is_repaired() || new.is_repaired() || old.xref().base != new.xref().base {
        return Err(Stop::Other("the cross-reference is damaged"));
    }
    let all = new.xref().sections.as_slice();
    let split = all.iter().take_while(|section| section.start >= end).count();
    let (appended, kept) = all.split_at_checked(split).unwrap_or_default();
    let starts = |sections: &[Section]| sections.iter().map(|section| section.start).collect::<Vec<_>>();
    if starts(kept) != starts(&old.xref().sections) {
        return Err(Stop::Other("the cross-reference does not continue that of the signed revision"));
    }
    if appended.iter().any(Section::is_hybrid) {
        return Err(Stop::Other("a cross-reference that readers understand differently was added"));
    }
    Ok(appended)
}

/// Compares where each object that the appended sections list is, and was.
fn difference<O: Source, N: Source>(
    old: &Document<O>,
    new: &Document<N>,
    sections: &[Section],
    effort: &mut Effort,
) -> Result<Difference, Stop> {
    let listed: BTreeSet<u32> = sections.iter().flat_map(Section::numbers).take(LISTED + 1).collect();
    if listed.len() > LISTED {
        return Err(Stop::Other("there is too much to compare"));
    }
    effort.spend(listed.len() as u64)?;
    let present = |entry: Option<Entry>| entry.filter(|entry| entry.location != Location::Free);
    // What stands after the end was not there when it was signed.
    let held = |entry: &Entry| !matches!(entry.location, Location::At(place) if place >= old.len());
    let mut difference = Difference::default();
    for number in listed {
        let was = present(old.xref().entry(old.reader(), number)?).filter(held);
        let is = present(new.xref().entry(new.reader(), number)?);
        match (was, is) {
            (None, Some(_)) => {
                difference.added.insert(number);
            }
            (Some(_), None) => return Err(Stop::Other("an object of the signed revision was deleted")),
            (Some(was), Some(is)) if was.generation != is.generation => {
                return Err(Stop::Other("an object of the signed revision got another generation"));
            }
            (Some(was), Some(is)) if was.location != is.location => {
                difference.changed.insert(number);
            }
            (Some(_), Some(_)) | (None, None) => {}
        }
    }
    Ok(difference)
}

/// Refuses a change of an object that gave one key two values: of two, readers take the first or the
/// last, and an update that keeps the one changes the document for who saw the other.
fn one_reading<S: Source>(
    old: &Document<S>,
    difference: &Difference,
    effort: &mut Effort,
) -> Result<(), Stop> {
    effort.spend(difference.changed.len() as u64)?;
    for &number in &difference.changed {
        let entry = old.xref().entry(old.reader(), number)?;
        let generation = entry.and_then(|entry| u16::try_from(entry.generation).ok()).unwrap_or(0);
        if old.object(Reference { number, generation })?.contradicts_itself() {
            return Err(Stop::Other("readers understand an object of the signed revision differently"));
        }
    }
    Ok(())
}
