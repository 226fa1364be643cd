//! Stream filters that the reader itself needs (ISO 32000-2, 7.4): what xref and object streams use.

use flate2::{Decompress, FlushDecompress, Status};

use crate::pdf::error::PdfError;
use crate::pdf::object::Dictionary;
use crate::pdf::predictor::Predictor;

const TOO_LARGE: PdfError = PdfError::Limit { what: "the decoded size of a stream" };

/// Undoes the filter `name`; more than `limit` bytes are an error. References in `parameters`
/// are resolved.
pub(crate) fn decode(
    name: &[u8],
    parameters: &Dictionary,
    data: &[u8],
    limit: usize,
) -> Result<Vec<u8>, PdfError> {
    match name {
        b"FlateDecode" | b"Fl" => Predictor::of(parameters)?.undo(inflate(data, limit)?),
        b"LZWDecode" | b"LZW" => {
            let early =
                parameters.get("EarlyChange").and_then(crate::pdf::object::Object::as_integer) != Some(0);
            Predictor::of(parameters)?.undo(lzw(data, usize::from(early), limit)?)
        }
        b"ASCIIHexDecode" | b"AHx" => ascii_hex(data, limit),
        b"ASCII85Decode" | b"A85" => ascii_85(data, limit),
        b"RunLengthDecode" | b"RL" => run_length(data, limit),
        // Its part is done before the filters are undone (7.4.10).
        b"Crypt" => Ok(data.to_vec()),
        _ => Err(PdfError::Unsupported { what: "a stream filter this reader does not undo" }),
    }
}

/// Whether `data` are whole zlib data and nothing else, so that no reader finds fault with them.
pub(crate) fn is_whole(data: &[u8]) -> bool {
    let mut state = Decompress::new(true);
    let mut out = vec![0; 32 << 10];
    loop {
        let (read, written) = (state.total_in(), state.total_out());
        let rest = data.get(usize::try_from(read).unwrap_or(usize::MAX)..).unwrap_or_default();
        match state.decompress(rest, &mut out, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return state.total_in() == data.len() as u64,
            Ok(Status::Ok | Status::BufError) if state.total_in() > read || state.total_out() > written => {}
            Ok(Status::Ok | Status::BufError) | Err(_) => return false,
        }
    }
}

/// Inflates zlib data; more than `limit` bytes are an error. Data that end early give what they hold.
fn inflate(data: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let mut state = Decompress::new(true);
    let mut out: Vec<u8> =
        Vec::with_capacity(data.len().saturating_mul(3).clamp(256, 1 << 16).min(limit.max(1)));
    loop {
        let read = usize::try_from(state.total_in()).unwrap_or(usize::MAX);
        let rest = data.get(read..).unwrap_or_default();
        let before = out.len();
        let status = state.decompress_vec(rest, &mut out, FlushDecompress::None);
        if out.len() > limit {
            return Err(TOO_LARGE);
        }
        let consumed = state.total_in() > read as u64;
        match status {
            Ok(Status::StreamEnd) => return Ok(out),
            Ok(Status::Ok | Status::BufError) if consumed || out.len() > before => {}
            // No progress with room to write: the data ended early.
            Ok(Status::Ok | Status::BufError) if out.len() < out.capacity() => return Ok(out),
            Ok(Status::Ok | Status::BufError) => {}
            // What came before the damage is used, as other readers do.
            Err(_) if out.is_empty() => return Err(PdfError::broken("compressed data cannot be inflated")),
            Err(_) => return Ok(out),
        }
        if out.len() == out.capacity() {
            if out.len() >= limit {
                // One more byte decides between an exact fit and too much.
                out.reserve(1);
            } else {
                // Exactly: a vector that doubles would take up to twice what a bomb is allowed.
                out.reserve_exact(out.len().clamp(256, 1 << 20));
            }
        }
    }
}

/// Undoes LZWDecode (7.4.4): codes of 9 to 12 bits, 256 clears the table, 257 ends the data.
fn lzw(data: &[u8], early: usize, limit: usize) -> Result<Vec<u8>, PdfError> {
    // Every entry is a stretch of the output: the one before it and one more byte.
    let mut table: Vec<(usize, usize)> = Vec::new();
    let mut out: Vec<u8> = Vec::new();
    let mut previous: Option<(usize, usize)> = None;
    let (mut bits, mut have) = (0u32, 0u32);
    let mut input = data.iter();
    loop {
        let width = match table.len() + 258 + early {
            0..=511 => 9,
            512..=1023 => 10,
            1024..=2047 => 11,
            _ => 12,
        };
        while have < width {
            let Some(&byte) = input.next() else { return Ok(out) };
            bits = bits << 8 & 0xff_ffff | u32::from(byte);
            have += 8;
        }
        have -= width;
        let code = (bits >> have & ((1 << width) - 1)) as usize;
        let start = out.len();
        match code {
            0..=255 => out.push(u8::try_from(code).unwrap_or(0)),
            256 => {
                table.clear();
                previous = None;
                continue;
            }
            257 => return Ok(out),
            _ => {
                let (from, len) = match (table.get(code - 258), previous) {
                    (Some(&entry), _) => entry,
                    (None, Some((from, len))) if code - 258 == table.len() => (from, len + 1),
                    (None, _) => return Ok(out),
                };
                for at in from..from + len {
                    let byte = out.get(at).copied().unwrap_or(0);
                    out.push(byte);
                }
            }
        }
        if out.len() > limit {
            return Err(TOO_LARGE);
        }
        if let Some((from, len)) = previous
            && table.len() < 4096 - 258
        {
            table.push((from, len + 1));
        }
        previous = Some((start, out.len() - start));
    }
}

/// Undoes RunLengthDecode (7.4.5).
fn run_length(data: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let mut out = Vec::new();
    let mut rest = data;
    while let Some((&len, tail)) = rest.split_first() {
        match len {
            0..=127 => {
                let (run, after) = tail.split_at(tail.len().min(usize::from(len) + 1));
                out.extend_from_slice(run);
                rest = after;
            }
            128 => break,
            129..=255 => {
                let Some((&byte, after)) = tail.split_first() else { break };
                out.extend(std::iter::repeat_n(byte, 257 - usize::from(len)));
                rest = after;
            }
        }
        if out.len() > limit {
            return Err(TOO_LARGE);
        }
    }
    Ok(out)
}

/// Undoes ASCII85Decode (7.4.3).
fn ascii_85(data: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let mut out = Vec::with_capacity((data.len() / 5 * 4).min(limit));
    let mut group: Vec<u8> = Vec::with_capacity(5);
    let flush = |group: &[u8], out: &mut Vec<u8>| {
        let digits = (0..5).map(|index| group.get(index).copied().unwrap_or(84));
        let value = digits.fold(0u64, |value, digit| value * 85 + u64::from(digit));
        let bytes = value.to_be_bytes();
        out.extend_from_slice(bytes.get(4..4 + group.len().saturating_sub(1)).unwrap_or_default());
    };
    for &byte in data {
        match byte {
            b'!'..=b'u' => group.push(byte - b'!'),
            b'z' if group.is_empty() => out.extend_from_slice(&[0; 4]),
            b'~' => break,
            _ if crate::pdf::lexer::is_space(byte) => continue,
            _ => return Err(PdfError::broken("ASCII base-85 data hold another character")),
        }
        if group.len() == 5 {
            flush(&group, &mut out);
            group.clear();
        }
        if out.len() > limit {
            return Err(TOO_LARGE);
        }
    }
    flush(&group, &mut out);
    Ok(out)
}

/// Undoes ASCIIHexDecode (7.4.2).
fn ascii_hex(data: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let digits = data.iter().take_while(|&&byte| byte != b'>');
    let mut digits =
        digits.filter_map(|&byte| (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
    let mut out = Vec::with_capacity((data.len() / 2).min(limit));
    while let Some(high) = digits.next() {
        if out.len() >= limit {
            return Err(TOO_LARGE);
        }
        out.push(high << 4 | digits.next().unwrap_or(0));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::pdf::object::Object;

    fn zlib(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn each_filter_gives_back_what_was_encoded() {
        let none = Dictionary::new();
        for (name, data, expected) in [
            ("ASCIIHexDecode", b"48 65 6C6c 6F7>".to_vec(), b"Hellop".to_vec()),
            ("ASCII85Decode", b"87cURD]i,\"Ebo80~>".to_vec(), b"Hello World!".to_vec()),
            ("ASCII85Decode", b"z87cUR~>".to_vec(), b"\0\0\0\0Hell".to_vec()),
            ("RunLengthDecode", vec![2, b'a', b'b', b'c', 254, b'x', 128, 9], b"abcxxx".to_vec()),
            // The example of 7.4.4.2.
            (
                "LZWDecode",
                vec![0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01],
                vec![45, 45, 45, 45, 45, 65, 45, 45, 45, 66],
            ),
            ("FlateDecode", zlib(b"some text"), b"some text".to_vec()),
        ] {
            assert_eq!(decode(name.as_bytes(), &none, &data, 100).unwrap(), expected, "{name}");
        }
    }

    #[test]
    fn cut_or_wrongly_summed_data_give_what_they_hold() {
        let text = vec![7u8; 5000];
        let mut wrong_sum = zlib(&text);
        *wrong_sum.last_mut().unwrap() ^= 1;
        assert_eq!(inflate(&wrong_sum, 10_000).unwrap(), text);
        let whole = zlib(&text);
        assert_eq!(inflate(&whole[..whole.len() - 4], 10_000).unwrap(), text);
        assert!(inflate(b"not zlib at all", 10_000).is_err());
    }

    #[test]
    fn growth_past_the_limit_is_refused() {
        let data = zlib(&vec![0; 1 << 20]);
        assert!(matches!(inflate(&data, 1 << 19), Err(PdfError::Limit { .. })));
        assert_eq!(inflate(&data, 1 << 20).unwrap().len(), 1 << 20);
        assert!(matches!(run_length(&[129, 0, 129, 0], 200), Err(PdfError::Limit { .. })));
        // Four bytes for one: the only filter of text that makes more of its data.
        assert!(matches!(ascii_85(&[b'z'; 100], 300), Err(PdfError::Limit { .. })));
        assert!(matches!(ascii_hex(&[b'4'; 100], 49), Err(PdfError::Limit { .. })));
    }

    #[test]
    fn predictors_are_undone_after_inflating() {
        let parameters =
            Dictionary::new().with("Predictor", Object::Integer(12)).with("Columns", Object::Integer(2));
        let rows = zlib(&[2, 1, 2, 2, 1, 1, 0, 9, 9]);
        assert_eq!(decode(b"FlateDecode", &parameters, &rows, 100).unwrap(), [1, 2, 2, 3, 9, 9]);
    }
}
