//! An update just written, inspected before the document is released: every row of its section
//! leads exactly to its object, the trailer continues the original's, and nothing of the original
//! is lost. Readers mend small faults in silence; here none is mended.

mod growth;
#[cfg(test)]
mod tests;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::lexer::is_space;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::reader::Placed;
use crate::pdf::revision::inspection::growth::Growth;
use crate::pdf::revision::section;
use crate::pdf::source::Source;
use crate::pdf::xref::{Location, Section, SectionKind};

/// What a row of the update leads to.
#[derive(Debug, Clone, Copy)]
enum Written {
    Object(Reference),
    Stream,
}

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
    let (old, own) = pages_and_fields(original, signed, field)?;
    let growth = Growth::new(original, signed, own, old);
    rows(original, signed, section, &growth)?;
    if !growth.is_complete() {
        return Err(flaw("the new field has a key in the structure and no place there"));
    }
    if old.iter().all(|old| old.reference != own.reference) && !listed(signed, own)? {
        return Err(flaw("the new field is on no page"));
    }
    certification(signed, own)?;
    Ok(own.clone())
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
    let text = |item: Option<Object>| item.as_ref().and_then(Object::as_string).map(<[u8]>::to_vec);
    let old = match original.crypt() {
        // As it was before anything was decrypted: no string of it is encrypted (7.6.2).
        Some(crypt) => Some(crypt.identifier().to_vec()),
        None => {
            let old = first(&readable(original.entry(old, "ID"))?);
            text(old.map(|item| readable(original.resolve(&item))).transpose()?)
        }
    };
    let new = text(new.get("ID").and_then(first));
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
    growth: &Growth<'_, O, N>,
) -> Result<(), Flaw> {
    let base = signed.xref().base;
    if let Some(own) = section.own
        && section.locate(signed.reader(), base, own.number)? != Some(Location::At(section.start))
    {
        return Err(flaw("its cross-reference stream does not lead exactly to itself"));
    }
    let present = |location: &Location| *location != Location::Free;
    for number in section.numbers() {
        let was = original.locate(number)?.filter(present);
        let is = section.locate(signed.reader(), base, number)?.filter(present);
        match (was, is) {
            (Some(_), None) => return Err(flaw("an object of the original is gone")),
            (was, is) if was == is => {}
            (_, Some(Location::At(offset))) if offset >= original.len() => {
                let place = written(signed, number, offset)?;
                if was.is_some() {
                    replaced(original, signed, place, growth)?;
                }
            }
            (_, Some(_) | None) => return Err(flaw("a row leads to another object of the original")),
        }
    }
    Ok(())
}

/// The object `number` of the update, which stands exactly at `offset`.
fn written<N: Source>(signed: &Document<N>, number: u32, offset: u64) -> Result<Written, Flaw> {
    // Not the object itself: it may be large, and is read again with its strings decrypted.
    let Placed { reference, range, data, object: _ } = signed.reader().indirect_at(offset)?;
    // Glued to what stands before it, the object is lost to readers that look for it.
    let before = signed.reader().window(offset.saturating_sub(1), 1)?;
    if reference.number != number || range.start != offset || !before.iter().copied().all(is_space) {
        return Err(flaw("a row does not lead exactly to its object"));
    }
    Ok(if data.is_some() { Written::Stream } else { Written::Object(reference) })
}

/// What `written` replaces of the original: it is still there, with what signing gives it.
fn replaced<O: Source, N: Source>(
    original: &Document<O>,
    signed: &Document<N>,
    written: Written,
    growth: &Growth<'_, O, N>,
) -> Result<(), Flaw> {
    let Written::Object(place) = written else { return Err(flaw("a stream of the original was replaced")) };
    let permitted = if place == original.root() {
        // Both are at hand.
        growth.dictionary(place, original.catalog(), signed.catalog())?
    } else {
        growth.permits(place, &readable(original.object(place))?, &signed.object(place)?)?
    };
    if permitted { Ok(()) } else { Err(flaw("an object of the original is not what signing makes of it")) }
}

/// A certification is named in the catalog, and nothing else is.
fn certification<N: Source>(signed: &Document<N>, own: &SignatureField) -> Result<(), Flaw> {
    let permissions = signed.entry(signed.catalog(), "Perms")?.into_dictionary().unwrap_or_default();
    let named = permissions.get("DocMDP").and_then(Object::as_reference);
    let value = own.value.as_ref().and_then(|value| value.reference);
    if growth::certifies(own) && named != value {
        return Err(flaw("the certification is not named in the catalog"));
    }
    Ok(())
}

/// What could be read; of what is too damaged nothing can be lost.
fn readable<T: Default>(found: Result<T, PdfError>) -> Result<T, PdfError> {
    match found {
        Err(error) if error.is_damage() => Ok(T::default()),
        other => other,
    }
}

/// The pages are as many as before and the old fields are there; returns these, and the signed one.
fn pages_and_fields<'a, O: Source, N: Source>(
    original: &'a Document<O>,
    signed: &'a Document<N>,
    field: &str,
) -> Result<(&'a [SignatureField], &'a SignatureField), Flaw> {
    // Where objects are looked for, others may be found now; elsewhere nothing of the page tree changes
    // but what `Growth` permits.
    let looked_for = original.is_repaired() || original.is_salvaged() || signed.is_salvaged();
    if looked_for && readable(original.page_count())? != readable(signed.page_count())? {
        return Err(flaw("the number of pages is another one"));
    }
    let (old, new) = (original.fields()?, signed.fields()?);
    for was in old {
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
    let own = new.iter().find(|own| own.name == field && covers(own));
    let own = own.ok_or(flaw("no field of that name covers the document"))?;
    Ok((old, own))
}

/// Whether the page that the widget names is in the page tree, and lists it.
fn listed<N: Source>(signed: &Document<N>, field: &SignatureField) -> Result<bool, PdfError> {
    let widget = field.widget.as_ref();
    let Some((widget, place)) = widget.and_then(|widget| widget.reference.zip(widget.page)) else {
        return Ok(false);
    };
    let page = signed.object(place)?.into_dictionary().unwrap_or_default();
    let annotations = signed.entry(&page, "Annots")?;
    let listed = annotations.as_array().unwrap_or_default().contains(&Object::Reference(widget));
    Ok(listed && signed.is_in_page_tree(place, &page)?)
}
