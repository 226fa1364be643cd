//! Predictors of the Flate and LZW filters (ISO 32000-2, 7.4.4.4): TIFF and PNG.

use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object};

/// What `/DecodeParms` say of prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Predictor {
    predictor: i64,
    colors: usize,
    bits: usize,
    columns: usize,
}

impl Predictor {
    /// What `parameters` say, references resolved.
    pub(crate) fn of(parameters: &Dictionary) -> Result<Self, PdfError> {
        let number = |key: &str, default: i64| parameters.get(key).map_or(Some(default), Object::as_integer);
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
        // A row longer than the data needs no more room than they do.
        let row = (self.colors * self.bits * self.columns).div_ceil(8).min(data.len()).max(1);
        match self.predictor {
            2 if self.bits == 8 => Ok(undo_tiff(data, row, pixel)),
            2 => Err(PdfError::Unsupported { what: "a TIFF predictor that is not of 8 bits" }),
            10..=15 => undo_png(data, row, pixel),
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

/// In place: what is written never passes what is still to be read, as every row loses its first byte.
fn undo_png(mut data: Vec<u8>, row: usize, pixel: usize) -> Result<Vec<u8>, PdfError> {
    let mut above = vec![0u8; row];
    let mut line = Vec::with_capacity(row);
    let (mut read, mut written) = (0, 0);
    while let Some((&kind, rest)) = data.get(read..).and_then(<[u8]>::split_first) {
        line.clear();
        for (index, &byte) in rest.iter().take(row).enumerate() {
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
        read += 1 + line.len();
        if let Some(place) = data.get_mut(written..written + line.len()) {
            place.copy_from_slice(&line);
        }
        written += line.len();
        line.resize(row, 0);
        std::mem::swap(&mut above, &mut line);
    }
    data.truncate(written);
    Ok(data)
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
