//! What the signed revision refers to and does not hold: objects that were missing and data of
//! streams that did not end. Whoever appends them puts something into what was signed.

use std::collections::{BTreeSet, HashSet};

use crate::pdf::document::Document;
use crate::pdf::later::{Effort, Stop};
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::reader::Placed;
use crate::pdf::source::Source;
use crate::pdf::xref::Location;

/// Refuses a reference, anywhere in `old`, to one of the objects that were `added` later, and a
/// stream that does not end within `old`.
pub(super) fn none_beyond<S: Source>(
    old: &Document<S>,
    added: &BTreeSet<u32>,
    effort: &mut Effort,
) -> Result<(), Stop> {
    sections_end(old)?;
    let mut seen = HashSet::new();
    let mut containers = HashSet::new();
    let mut rest = vec![Object::Dictionary(old.trailer().clone())];
    while let Some(object) = rest.pop() {
        match object {
            Object::Reference(reference) => {
                if added.contains(&reference.number) {
                    return Err(Stop::Other("an object was added that the signed revision refers to"));
                }
                if seen.insert(reference) {
                    effort.spend(1)?;
                    container_ends(old, reference, &mut containers)?;
                    let (object, data) = old.object_and_data(reference)?;
                    if let (Some(dictionary), Some(data)) = (object.as_dictionary(), data) {
                        stream_ends(old, dictionary, data)?;
                    }
                    rest.push(object);
                }
            }
            Object::Array(items) => rest.extend(items.into_iter().filter(may_refer)),
            Object::Dictionary(entries) => {
                rest.extend(entries.iter().map(|(_, value)| value).filter(|value| may_refer(value)).cloned());
            }
            Object::Null
            | Object::Boolean(_)
            | Object::Integer(_)
            | Object::Real(_)
            | Object::String(_)
            | Object::Name(_) => {}
        }
    }
    Ok(())
}

const fn may_refer(object: &Object) -> bool {
    matches!(object, Object::Reference(_) | Object::Array(_) | Object::Dictionary(_))
}

/// The cross-reference streams, which no object refers to.
fn sections_end<S: Source>(old: &Document<S>) -> Result<(), Stop> {
    for section in &old.xref().sections {
        let hidden = section.trailer.get("XRefStm").and_then(Object::as_integer);
        let hidden = hidden.and_then(|offset| old.xref().base.checked_add(u64::try_from(offset).ok()?));
        for start in section.own.map(|_| section.start).into_iter().chain(hidden) {
            placed_ends(old, &old.reader().indirect_at(start)?)?;
        }
    }
    Ok(())
}

/// The object stream that holds `reference`, where one does.
fn container_ends<S: Source>(
    old: &Document<S>,
    reference: Reference,
    seen: &mut HashSet<u32>,
) -> Result<(), Stop> {
    if let Some(Location::Within { stream, .. }) = old.locate(reference.number)?
        && seen.insert(stream)
        && let Some(placed) = old.placed_as(stream)?
    {
        placed_ends(old, &placed)?;
    }
    Ok(())
}

fn placed_ends<S: Source>(old: &Document<S>, placed: &Placed) -> Result<(), Stop> {
    match (placed.object.as_dictionary(), placed.data) {
        (Some(dictionary), Some(data)) => stream_ends(old, dictionary, data),
        (Some(_) | None, _) => Ok(()),
    }
}

/// Refuses a stream whose data, which begin at `data`, some reader would read past the end of `old`.
fn stream_ends<S: Source>(old: &Document<S>, dictionary: &Dictionary, data: u64) -> Result<(), Stop> {
    // A reader that does not believe the length searches from the beginning.
    let mut lengths = vec![0];
    for (_, value) in dictionary.iter().filter(|(key, _)| key.0 == b"Length") {
        match old.resolve(value)? {
            Object::Integer(length) => lengths.extend(u64::try_from(length).ok()),
            // Some readers take any number.
            Object::Real(length) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a float that is too large or negative becomes the nearest bound"
                )]
                lengths.push(length.value().ceil() as u64);
            }
            Object::Null
            | Object::Boolean(_)
            | Object::String(_)
            | Object::Name(_)
            | Object::Array(_)
            | Object::Dictionary(_)
            | Object::Reference(_) => {}
        }
    }
    // Where the longest one leads to an end, the search from the beginning finds one too.
    let longest = lengths.into_iter().max().unwrap_or(0);
    if old.reader().ends_stream(data, longest)? {
        Ok(())
    } else {
        Err(Stop::Other("a stream of the signed revision does not end within it"))
    }
}
