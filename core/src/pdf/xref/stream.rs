//! Cross-reference streams (ISO 32000-2, 7.5.8): rows of binary fields.

use crate::pdf::error::PdfError;
use crate::pdf::object::Object;
use crate::pdf::reader::{Placed, Reader};
use crate::pdf::source::Source;
use crate::pdf::xref::{Location, Place, Rows, Span};

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
pub(super) fn row_at(packed: &[u8], widths: [usize; 3], index: usize, base: u64) -> Option<Location> {
    let row: usize = widths.iter().sum();
    let mut rest = packed.get(index.checked_mul(row)?..)?.get(..row)?;
    let mut fields = [0u64; 3];
    for (field, width) in fields.iter_mut().zip(widths) {
        let (bytes, after) = rest.split_at_checked(width)?;
        *field = bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
        rest = after;
    }
    let [kind, second, third] = fields;
    // An absent first field means type 1.
    match if widths.first() == Some(&0) { 1 } else { kind } {
        1 => second.checked_add(base).map(Location::At),
        2 => Some(Location::Within {
            stream: u32::try_from(second).ok()?,
            index: u32::try_from(third).unwrap_or(u32::MAX),
        }),
        // Free, or of a later version, which is to be taken as null.
        _ => Some(Location::Free),
    }
}
