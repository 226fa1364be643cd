//! Stream filters that the reader itself needs (ISO 32000-2, 7.4): Flate, ASCIIHex, predictors.

use flate2::{Decompress, FlushDecompress, Status};

use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object};

/// One filter with its parameters, references resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Predictor {
    predictor: i64,
    colors: usize,
    bits: usize,
    columns: usize,
}

impl Predictor {
    /// What `/DecodeParms` says; its own values must be direct.
    pub(crate) fn of(parameters: Option<&Dictionary>) -> Result<Self, PdfError> {
        let number = |key: &str, default: i64| {
            let value = parameters.and_then(|dictionary| dictionary.get(key));
            value.map_or(Some(default), Object::as_integer)
        };
        let sized = |key: &str, default: i64, limit: i64| {
            let value = number(key, default).filter(|value| (1..=limit).contains(value));
            let value = value.and_then(|value| usize::try_from(value).ok());
            value.ok_or(PdfError::broken("the parameters of a filter are out of range"))
        };
        Ok(Self {
            predictor: number("Predictor", 1).unwrap_or(1),
            colors: sized("Colors", 1, 64)?,
            bits: sized("BitsPerComponent", 8, 16)?,
            columns: sized("Columns", 1, 1 << 24)?,
        })
    }

    /// Undoes the prediction (7.4.4.4).
    pub(crate) fn undo(self, data: Vec<u8>) -> Result<Vec<u8>, PdfError> {
        let pixel = (self.colors * self.bits).div_ceil(8).max(1);
        let row = (self.colors * self.bits * self.columns).div_ceil(8);
        match self.predictor {
            2 if self.bits == 8 => Ok(undo_tiff(data, row, pixel)),
            2 => Err(PdfError::Unsupported { what: "a TIFF predictor that is not of 8 bits" }),
            10..=15 => undo_png(&data, row, pixel),
            _ => Ok(data),
        }
    }
}

fn undo_tiff(mut data: Vec<u8>, row: usize, pixel: usize) -> Vec<u8> {
    for line in data.chunks_mut(row) {
        for index in pixel..line.len() {
            let left = index.checked_sub(pixel).and_then(|left| line.get(left)).copied().unwrap_or(0);
            if let Some(byte) = line.get_mut(index) {
                *byte = byte.wrapping_add(left);
            }
        }
    }
    data
}

fn undo_png(data: &[u8], row: usize, pixel: usize) -> Result<Vec<u8>, PdfError> {
    let mut out: Vec<u8> = Vec::with_capacity(data.len());
    let mut above = vec![0u8; row];
    let mut line = Vec::with_capacity(row);
    for chunk in data.chunks(row + 1) {
        let Some((&kind, bytes)) = chunk.split_first() else { break };
        line.clear();
        for (index, &byte) in bytes.iter().enumerate() {
            let earlier = index.checked_sub(pixel);
            let left = earlier.and_then(|at| line.get(at)).copied().unwrap_or(0);
            let up = above.get(index).copied().unwrap_or(0);
            let corner = earlier.and_then(|at| above.get(at)).copied().unwrap_or(0);
            let guess = match kind {
                0 => 0,
                1 => left,
                2 => up,
                3 => u8::midpoint(left, up),
                4 => paeth(left, up, corner),
                _ => return Err(PdfError::broken("a predictor is unknown")),
            };
            line.push(byte.wrapping_add(guess));
        }
        out.extend_from_slice(&line);
        line.resize(row, 0);
        std::mem::swap(&mut above, &mut line);
    }
    Ok(out)
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let estimate = i16::from(left) + i16::from(up) - i16::from(corner);
    let distance = |value: u8| (estimate - i16::from(value)).abs();
    if distance(left) <= distance(up) && distance(left) <= distance(corner) {
        left
    } else if distance(up) <= distance(corner) {
        up
    } else {
        corner
    }
}

/// Inflates zlib data; more than `limit` bytes are an error. Data that end early give what they hold.
pub(crate) fn inflate(data: &[u8], limit: usize) -> Result<Vec<u8>, PdfError> {
    let mut state = Decompress::new(true);
    let mut out: Vec<u8> = Vec::with_capacity(data.len().saturating_mul(3).clamp(256, 1 << 16).min(limit.max(1)));
    loop {
        let read = usize::try_from(state.total_in()).unwrap_or(usize::MAX);
        let rest = data.get(read..).unwrap_or_default();
        let before = out.len();
        let status = state.decompress_vec(rest, &mut out, FlushDecompress::None);
        if out.len() > limit {
            return Err(PdfError::Limit { what: "the decoded size of a stream" });
        }
        let consumed = state.total_in() > read as u64;
        match status {
            Ok(Status::StreamEnd) => return Ok(out),
            Ok(Status::Ok | Status::BufError) if consumed || out.len() > before => {}
            // No progress with room to write: the data ended early.
            Ok(Status::Ok | Status::BufError) if out.len() < out.capacity() => return Ok(out),
            Ok(Status::Ok | Status::BufError) => {}
            Err(_) => return Err(PdfError::broken("compressed data cannot be inflated")),
        }
        if out.len() == out.capacity() {
            if out.len() >= limit {
                // One more byte decides between an exact fit and too much.
                out.reserve(1);
            } else {
                out.reserve(out.len().clamp(256, 1 << 20));
            }
        }
    }
}

/// Undoes ASCIIHexDecode (7.4.2).
pub(crate) fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().take_while(|&&byte| byte != b'>');
    let digits = digits.filter_map(|&byte| (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok()));
    let digits: Vec<u8> = digits.collect();
    let pairs = digits.chunks(2);
    pairs.map(|pair| pair.first().map_or(0, |high| high << 4) | pair.get(1).copied().unwrap_or(0)).collect()
}
