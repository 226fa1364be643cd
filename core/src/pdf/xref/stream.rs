//! Cross-reference streams (ISO 32000-2, 7.5.8): rows of binary fields.

use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object};
use crate::pdf::reader::{Placed, Reader};
use crate::pdf::source::Source;
use crate::pdf::xref::rows::{Place, Rows, Span};
use crate::pdf::xref::{Entry, Location};

/// The entries of the stream `placed`, whose own dictionary holds no references.
pub(super) fn read<S: Source>(reader: &Reader<S>, placed: &Placed) -> Result<Rows, PdfError> {
    let broken = |what| PdfError::damaged(what, placed.range.start);
    let (Some(dictionary), Some(data)) = (placed.object.as_dictionary(), placed.data) else {
        return Err(broken("a cross-reference stream is none"));
    };
    let widths: Option<Vec<usize>> = dictionary.get("W").and_then(Object::as_array).and_then(|items| {
        let widths =
            items.iter().map(|item| usize::try_from(item.as_integer()?).ok().filter(|&width| width <= 8));
        widths.collect()
    });
    let Some([kind, second, third, ..]) = widths.as_deref() else {
        return Err(broken("the field widths of a cross-reference stream are wrong"));
    };
    let widths = [*kind, *second, *third];
    let row = widths.iter().sum::<usize>();
    if *second == 0 || row == 0 {
        return Err(broken("the field widths of a cross-reference stream are wrong"));
    }
    let length = dictionary.get("Length").and_then(Object::as_integer);
    let raw = reader.stream_bytes(data, length.and_then(|length| u64::try_from(length).ok()))?;
    let packed = reader.decode(dictionary, raw, |object| Ok(object.clone()))?;

    let whole = [Object::Integer(0), dictionary.get("Size").cloned().unwrap_or(Object::Integer(i64::MAX))];
    let index = dictionary.get("Index").and_then(Object::as_array).unwrap_or(&whole);
    let mut spans = Vec::new();
    let mut left = packed.len() / row;
    let mut at = 0;
    for pair in index.chunks_exact(2) {
        let numbers = pair.iter().map(|item| item.as_integer().and_then(|number| u64::try_from(number).ok()));
        let [Some(first), Some(count)] = numbers.collect::<Vec<_>>()[..] else {
            return Err(broken("the index of a cross-reference stream is wrong"));
        };
        // Rows that are promised and not there are no entries.
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(left);
        let beyond = first.saturating_add(count as u64) > u64::from(reader.limits().objects) + 1;
        let (Ok(first), Ok(rows), false) = (u32::try_from(first), u32::try_from(count), beyond) else {
            return Err(PdfError::Limit { what: "the number of objects" });
        };
        if rows > 0 {
            spans.push(Span { first, count: rows, place: Place::Packed { row: at } });
        }
        left -= count;
        at += count;
    }
    Ok(Rows { spans, listed: Vec::new(), packed, widths })
}

/// The entry in row `index`; `None` where it means nothing.
pub(super) fn row_at(packed: &[u8], widths: [usize; 3], index: usize, base: u64) -> Option<Entry> {
    let [kind, second, third] = fields(packed, widths, index)?;
    let (location, generation) = match kind {
        1 => (Location::At(second.checked_add(base)?), u32::try_from(third).unwrap_or(u32::MAX)),
        2 => {
            let index = u32::try_from(third).unwrap_or(u32::MAX);
            (Location::Within { stream: u32::try_from(second).ok()?, index }, 0)
        }
        // Free, or of a later version, which is to be taken as null.
        _ => (Location::Free, 0),
    };
    Some(Entry { location, generation })
}

/// The entries of `rows`, where they are as many as `dictionary` promises, and of known kinds.
pub(super) fn exact_entries(dictionary: &Dictionary, rows: &Rows, base: u64) -> Option<Vec<(u32, Entry)>> {
    let integers = |object: &Object| -> Option<Vec<u64>> {
        object.as_array()?.iter().map(|item| u64::try_from(item.as_integer()?).ok()).collect()
    };
    let size = u64::try_from(dictionary.get("Size")?.as_integer()?).ok()?;
    let index = dictionary.get("Index").map_or(Some(vec![0, size]), integers)?;
    if integers(dictionary.get("W")?)?.len() != 3 || index.len() % 2 != 0 {
        return None;
    }
    let mut entries = Vec::new();
    let total = rows.packed.len() / rows.widths.iter().sum::<usize>().max(1);
    for pair in index.chunks_exact(2) {
        let &[first, count] = pair else { return None };
        // More than there are rows is found out before it costs anything.
        if count == 0 || count > (total.checked_sub(entries.len())?) as u64 {
            return None;
        }
        for number in first..first.checked_add(count)? {
            let row = entries.len();
            if fields(&rows.packed, rows.widths, row)?[0] > 2 {
                return None;
            }
            entries.push((u32::try_from(number).ok()?, row_at(&rows.packed, rows.widths, row, base)?));
        }
    }
    let whole = rows.widths.iter().sum::<usize>().checked_mul(entries.len()) == Some(rows.packed.len());
    whole.then_some(entries)
}

/// The three fields of row `index`.
fn fields(packed: &[u8], widths: [usize; 3], index: usize) -> Option<[u64; 3]> {
    let row: usize = widths.iter().sum();
    let mut rest = packed.get(index.checked_mul(row)?..)?.get(..row)?;
    let mut fields = [0u64; 3];
    for (field, width) in fields.iter_mut().zip(widths) {
        let (bytes, after) = rest.split_at_checked(width)?;
        *field = bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        rest = after;
    }
    // An absent first field means type 1.
    if widths.first() == Some(&0) {
        fields[0] = 1;
    }
    Some(fields)
}
