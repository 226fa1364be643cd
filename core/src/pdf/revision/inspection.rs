//! An update just written, inspected before the document is released: every row of its section
//! leads exactly to its object, the trailer continues the original's, and nothing of the original
//! is lost. Readers mend small faults in silence; here none is mended.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::lexer::is_space;
use crate::pdf::object::{Dictionary, Object};
use crate::pdf::reader::Placed;
use crate::pdf::revision::section;
use crate::pdf::source::Source;
use crate::pdf::xref::{Location, Section, SectionKind};

/// Entries that a signature may give another value.
const REPLACED: &[&str] = &["AP", "Limits"];
/// Numbers that may only become larger.
const COUNTERS: &[&str] = &["ParentTreeNextKey"];
/// Flags that may only be added to.
const FLAGS: &[&str] = &["SigFlags"];
/// Lists that may become another object: a copy of a shared one, or one where no list was.
const LISTS: &[&str] = &["Annots", "Fields"];
/// Likewise, but a dictionary.
const FORM: &[u8] = b"AcroForm";

/// Why an update is not released.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Flaw {
    #[error("the update has a flaw: {what}")]
    Found { what: &'static str },
    #[error(transparent)]
    Pdf(#[from] PdfError),
}

const fn flaw(what: &'static str) -> Flaw {
    Flaw::Found { what }
}

/// Compares `signed` with the `original` that it begins with, and returns `field`, which was just
/// signed.
pub(crate) fn inspect<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    field: &str,
) -> Result<SignatureField, Flaw> {
    if signed.is_repaired() {
        return Err(flaw("its cross-reference is not readable"));
    }
    let section = signed.xref().sections.first().ok_or(flaw("it has no cross-reference section"))?;
    if section.start < original.len() || signed.xref().base != original.xref().base {
        return Err(flaw("its cross-reference section is not its own"));
    }
    chain(original, signed, section)?;
    trailer(original, signed, section)?;
    rows(original, signed, section)?;
    pages_and_fields(original, signed, field)
}

/// The sections: exactly one more than before, named where it stands, of the right kind.
fn chain<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    section: &Section,
) -> Result<(), Flaw> {
    if section.start != signed.xref().base.saturating_add(section.named) {
        return Err(flaw("startxref does not lead exactly to its section"));
    }
    if signed.revision_ends()?.last() != Some(&signed.len()) {
        return Err(flaw("it does not end with its end-of-file mark"));
    }
    let starts = |sections: &[Section]| sections.iter().map(|section| section.start).collect::<Vec<_>>();
    let previous = section.trailer.get("Prev").and_then(Object::as_integer);
    let (before, named) = match original.xref().sections.first().filter(|_| !original.is_repaired()) {
        Some(last) => (starts(&original.xref().sections), i64::try_from(last.named).ok()),
        None => (Vec::new(), None),
    };
    if previous != named {
        return Err(flaw("Prev does not name the original's last section"));
    }
    let (_, rest) = signed.xref().sections.split_first().unwrap_or((section, &[]));
    if starts(rest) != before {
        return Err(flaw("the original's sections do not follow its own"));
    }
    let kind = original.xref().sections.first().filter(|_| !original.is_repaired()).map(|last| last.kind);
    // A table has no room for offsets of more than ten digits.
    let wide = section.kind == SectionKind::Stream && section::is_past_tables(signed.len());
    if kind.is_some_and(|kind| kind != section.kind && !wide) || section.is_hybrid() {
        return Err(flaw("its section is not of the original's kind"));
    }
    Ok(())
}

fn trailer<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    section: &Section,
) -> Result<(), Flaw> {
    let (old, new) = (original.trailer(), &section.trailer);
    if signed.root() != original.root() {
        return Err(flaw("Root is another object"));
    }
    if new.get("Encrypt") != old.get("Encrypt") {
        return Err(flaw("Encrypt is another one"));
    }
    let information = |trailer: &Dictionary| trailer.get("Info").and_then(Object::as_reference);
    if information(new) != information(old) {
        return Err(flaw("Info is another object"));
    }
    let size = new.get("Size").and_then(Object::as_integer);
    if size != Some(i64::from(signed.xref().highest(signed.limits().objects).saturating_add(1))) {
        return Err(flaw("Size is not one more than the highest object number"));
    }
    let first = |object: &Object| object.as_array().and_then(<[Object]>::first).cloned();
    let (old, new) = (first(&readable(original.entry(old, "ID"))?), first(&signed.entry(new, "ID")?));
    let text = |item: Option<Object>| item.as_ref().and_then(Object::as_string).map(<[u8]>::to_vec);
    let old = old.map(|item| readable(original.resolve(&item))).transpose()?;
    let (old, new) = (text(old), text(new));
    if new.is_none() || old.is_some_and(|old| !old.is_empty() && Some(old) != new) {
        return Err(flaw("ID does not keep its first part"));
    }
    Ok(())
}

/// Every row: an object of the original where it was, or one of the update exactly where it is.
fn rows<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    section: &Section,
) -> Result<(), Flaw> {
    let base = signed.xref().base;
    let present = |location: &Location| *location != Location::Free;
    for number in section.numbers() {
        let was = original.locate(number)?.filter(present);
        let is = section.locate(signed.reader(), base, number)?.filter(present);
        match (was, is) {
            (Some(_), None) => return Err(flaw("an object of the original is gone")),
            (was, is) if was == is => {}
            (_, Some(Location::At(offset))) if offset >= original.len() => {
                written(original, signed, number, offset, was.is_some())?;
            }
            (_, Some(_) | None) => return Err(flaw("a row leads to another object of the original")),
        }
    }
    Ok(())
}

/// The object `number` of the update, which `replaces` one of the original or is new.
fn written<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    number: u32,
    offset: u64,
    replaces: bool,
) -> Result<(), Flaw> {
    // Not the object itself: it may be large, and is read again with its strings decrypted.
    let Placed { reference, range, data, object: _ } = signed.reader().indirect_at(offset)?;
    // Glued to what stands before it, the object is lost to readers that look for it.
    let before = signed.reader().window(offset.saturating_sub(1), 1)?;
    if reference.number != number || range.start != offset || !before.iter().copied().all(is_space) {
        return Err(flaw("a row does not lead exactly to its object"));
    }
    if !replaces {
        return Ok(());
    }
    if data.is_some() {
        return Err(flaw("a stream of the original was replaced"));
    }
    let kept = if reference == original.root() {
        // Both are at hand.
        dictionary_grows(original, signed, original.catalog(), signed.catalog())?
    } else {
        let (old, new) = (readable(original.object(reference))?, signed.object(reference)?);
        grows(original, signed, &old, &new, b"")?
    };
    if kept { Ok(()) } else { Err(flaw("an object of the original lost something")) }
}

/// Whether `new` holds all that `old` holds, under the key `key`.
fn grows<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    old: &Object,
    new: &Object,
    key: &[u8],
) -> Result<bool, Flaw> {
    let any_of = |keys: &[&str]| keys.iter().any(|name| name.as_bytes() == key);
    if old == new || matches!(old, Object::Null) || any_of(REPLACED) {
        return Ok(true);
    }
    match (old, new) {
        // One kid became the first of several.
        (old, Object::Array(new)) if key == b"K" && new.first() == Some(old) => return Ok(true),
        (Object::Reference(_), Object::Reference(_)) if !any_of(LISTS) && key != FORM => return Ok(false),
        // Written within its parent before, an object now, or the other way round.
        (Object::Reference(_), _) | (_, Object::Reference(_)) => {
            let (old, new) = (readable(original.resolve(old))?, signed.resolve(new)?);
            if matches!((&old, &new), (Object::Reference(_), _) | (_, Object::Reference(_))) {
                return Ok(false);
            }
            return grows(original, signed, &old, &new, key);
        }
        _ => {}
    }
    match (old, new) {
        (Object::Dictionary(old), Object::Dictionary(new)) => dictionary_grows(original, signed, old, new),
        (Object::Array(old), Object::Array(new)) => {
            for (index, item) in old.iter().enumerate() {
                let kept = new.get(index).unwrap_or(&Object::Null);
                if !grows(original, signed, item, kept, b"")? {
                    return Ok(false);
                }
            }
            Ok(old.len() <= new.len())
        }
        // A lock made stricter.
        (Object::Integer(old), Object::Integer(new)) if key == b"P" => Ok(new <= old),
        (Object::Integer(old), Object::Integer(new)) if any_of(COUNTERS) => Ok(new >= old),
        (_, Object::Integer(_)) if any_of(COUNTERS) => Ok(true),
        (Object::Integer(old), Object::Integer(new)) if any_of(FLAGS) => Ok(new & old == *old),
        (_, Object::Integer(_)) if any_of(FLAGS) => Ok(true),
        (old, Object::Array(_)) if any_of(LISTS) => Ok(old.as_array().is_none()),
        (old, Object::Dictionary(_)) if key == FORM => Ok(old.as_dictionary().is_none()),
        _ => Ok(false),
    }
}

fn dictionary_grows<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    old: &Dictionary,
    new: &Dictionary,
) -> Result<bool, Flaw> {
    let new = entries(new);
    for (name, value) in entries(old) {
        let kept = new.get(name).copied().unwrap_or(&Object::Null);
        if !grows(original, signed, value, kept, name)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The entries of a dictionary by their names; of repeated ones the last.
fn entries(dictionary: &Dictionary) -> HashMap<&[u8], &Object> {
    dictionary.iter().map(|(name, value)| (name.0.as_slice(), value)).collect()
}

/// What could be read; of what is too damaged nothing can be lost.
fn readable<T: Default>(found: Result<T, PdfError>) -> Result<T, PdfError> {
    match found {
        Err(error) if error.is_damage() => Ok(T::default()),
        other => other,
    }
}

/// The pages are as many as before, the old fields are there, and the new field is on its page.
fn pages_and_fields<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    field: &str,
) -> Result<SignatureField, Flaw> {
    if readable(original.page_count())? != readable(signed.page_count())? {
        return Err(flaw("the number of pages is another one"));
    }
    let (old, new) = (original.fields()?, signed.fields()?);
    for was in &old {
        let Some(value) = &was.value else { continue };
        let is = new.iter().find(|is| is.reference == was.reference && is.name == was.name);
        // Not the byte range: one that ended after the file may end within it now.
        let kept = is.and_then(|is| is.value.as_ref()).is_some_and(|kept| {
            kept.reference == value.reference
                && kept.dictionary == value.dictionary
                && kept.contents == value.contents
        });
        if !kept {
            return Err(flaw("an earlier signature is not what it was"));
        }
    }
    // Damaged documents have several fields of one name: the one that was signed covers all.
    let covers = |field: &SignatureField| {
        let range = field.value.as_ref().map(|value| value.byte_range);
        range.is_some_and(|range| range.is_ok_and(|range| range.end() == signed.len()))
    };
    let own = new.into_iter().find(|own| own.name == field && covers(own));
    let own = own.ok_or(flaw("no field of that name covers the document"))?;
    if old.iter().any(|old| old.name == field) {
        return Ok(own);
    }
    if listed(signed, &own)? { Ok(own) } else { Err(flaw("the new field is on no page")) }
}

/// Whether the page that the widget names lists it: other pages may be damaged.
fn listed<N: Source>(signed: &Document<N>, field: &SignatureField) -> Result<bool, PdfError> {
    let widget = field.widget.as_ref();
    let Some((widget, page)) = widget.and_then(|widget| widget.reference.zip(widget.page)) else {
        return Ok(false);
    };
    let page = signed.object(page)?.into_dictionary().unwrap_or_default();
    let annotations = signed.entry(&page, "Annots")?;
    Ok(annotations.as_array().unwrap_or_default().contains(&Object::Reference(widget)))
}
