//! The signature dictionary (ISO 32000-2, 12.8.1, table 255): the value of a signature field.

use std::ops::Range;

use crate::pdf::byte_range::{ByteRange, ByteRangeError};
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::lexer::hex_digit;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::source::Source;
use crate::pdf::text;

/// A signature dictionary as it stands in the file. Nothing of it is believed yet.
#[derive(Debug, Clone, PartialEq)]
pub struct SignatureValue {
    /// Where it stands; `None` when it is written within the field itself.
    pub reference: Option<Reference>,
    /// All of its entries.
    pub dictionary: Dictionary,
    /// `/SubFilter` without the slash.
    pub sub_filter: Option<String>,
    /// `/M` as it stands there: the time that the signer claims.
    pub claimed_time: Option<String>,
    /// `/ByteRange`, checked against the length of the file. Its hole is exactly the hexadecimal
    /// string of this `/Contents`.
    pub byte_range: Result<ByteRange, ByteRangeError>,
    /// `/Contents` decoded, the padding included; empty when absent.
    pub contents: Vec<u8>,
}

impl SignatureValue {
    /// Whether this is a document time-stamp (12.8.5) rather than a signature.
    pub fn is_document_timestamp(&self) -> bool {
        let by_type = self.dictionary.get("Type").and_then(Object::as_name) == Some(b"DocTimeStamp");
        by_type || self.sub_filter.as_deref() == Some("ETSI.RFC3161")
    }

    /// Reads the dictionary `dictionary`, which stands at `reference` or within the object `holder`.
    pub(crate) fn read<S: Source>(
        document: &Document<S>,
        reference: Option<Reference>,
        holder: Option<Reference>,
        dictionary: Dictionary,
    ) -> Result<Self, PdfError> {
        let entry = |key: &str| document.resolve(dictionary.get(key).unwrap_or(&Object::Null));
        let sub_filter = entry("SubFilter")?;
        let sub_filter = sub_filter.as_name().map(|name| String::from_utf8_lossy(name).into_owned());
        let claimed_time = entry("M")?.as_string().map(text::decode);
        let mut numbers = entry("ByteRange")?;
        if let Object::Array(items) = &mut numbers {
            // Longer arrays are refused by their length; there is no need to resolve them.
            for item in items.iter_mut().take(4) {
                *item = document.resolve(item)?;
            }
        }
        let contents = entry("Contents")?.as_string().unwrap_or_default().to_vec();
        let byte_range = match (ByteRange::parse(&numbers, document.len()), reference.or(holder)) {
            (Ok(range), Some(place)) => {
                let inside = document.extent(place)?.is_some_and(|extent| encloses(&extent, &range.hole()));
                let whole = inside && hole_holds(document.source(), &range.hole(), &contents)?;
                if whole { Ok(range) } else { Err(ByteRangeError::HoleNotContents) }
            }
            (Ok(_), None) => Err(ByteRangeError::HoleNotContents),
            (Err(error), _) => Err(error),
        };
        Ok(Self { reference, dictionary, sub_filter, claimed_time, byte_range, contents })
    }
}

fn encloses(outer: &Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Whether the bytes at `hole` are `contents` in hexadecimal between angle brackets, without a gap.
fn hole_holds<S: Source>(source: &S, hole: &Range<u64>, contents: &[u8]) -> Result<bool, PdfError> {
    let Ok(len) = usize::try_from(hole.end.saturating_sub(hole.start)) else { return Ok(false) };
    // An odd number of digits is completed by a zero (7.3.4.3).
    let digits = len.saturating_sub(2);
    if len < 2 || digits.div_ceil(2) != contents.len() {
        return Ok(false);
    }
    let mut raw = vec![0; len];
    if source.read_at(hole.start, &mut raw)? != len {
        return Ok(false);
    }
    let [b'<', digits @ .., b'>'] = raw.as_slice() else { return Ok(false) };
    Ok(digits.chunks(2).zip(contents).all(|(pair, &byte)| {
        let high = pair.first().copied().and_then(hex_digit);
        let low = pair.get(1).map_or(Some(0), |&digit| hex_digit(digit));
        matches!((high, low), (Some(high), Some(low)) if high << 4 | low == byte)
    }))
}
