//! `/ByteRange` (ISO 32000-2, 12.8.1): the two spans a signature covers, and the hole between them.

use std::ops::Range;

use crate::pdf::object::Object;

/// The byte range `[0 a b c]` of a signature: the file from 0 to `a` and from `b` for `c` bytes.
/// Both spans lie within the file and do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByteRange {
    first_len: u64,
    second_start: u64,
    second_len: u64,
}

/// Why an array is no usable byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ByteRangeError {
    /// What the spans leave out is not exactly the `/Contents` of this signature: bytes that it does
    /// not cover could hide there.
    #[error("the byte range leaves out something else than its contents")]
    HoleNotContents,
    /// The entry is absent.
    #[error("the byte range is missing")]
    Missing,
    /// The first span does not begin at byte 0.
    #[error("the byte range does not begin at byte 0")]
    NotAtStart,
    /// The entry is not an array of exactly four integers that are not negative.
    #[error("the byte range is not an array of four numbers")]
    NotFourNumbers,
    /// The second span begins within the first one.
    #[error("the spans of the byte range overlap")]
    Overlap,
    /// A span ends after the end of the file.
    #[error("the byte range ends after the file")]
    PastEnd,
}

impl ByteRange {
    /// The byte range with these four numbers in a file of `file_len` bytes.
    ///
    /// # Errors
    /// [`ByteRangeError`] unless it is `[0 a b c]` with `a <= b` and `b + c <= file_len`.
    pub fn new(numbers: [i64; 4], file_len: u64) -> Result<Self, ByteRangeError> {
        let mut values = [0u64; 4];
        for (value, number) in values.iter_mut().zip(numbers) {
            *value = u64::try_from(number).map_err(|_| ByteRangeError::NotFourNumbers)?;
        }
        let [start, first_len, second_start, second_len] = values;
        if start != 0 {
            return Err(ByteRangeError::NotAtStart);
        }
        if second_start < first_len {
            return Err(ByteRangeError::Overlap);
        }
        match second_start.checked_add(second_len) {
            Some(end) if end <= file_len => Ok(Self { first_len, second_start, second_len }),
            Some(_) | None => Err(ByteRangeError::PastEnd),
        }
    }

    /// The byte range that stands in `object`, references already resolved.
    ///
    /// # Errors
    /// As [`ByteRange::new`]; [`ByteRangeError::Missing`] for `null`.
    pub fn parse(object: &Object, file_len: u64) -> Result<Self, ByteRangeError> {
        if matches!(object, Object::Null) {
            return Err(ByteRangeError::Missing);
        }
        let items = object.as_array().ok_or(ByteRangeError::NotFourNumbers)?;
        let numbers: Option<Vec<i64>> = items.iter().map(Object::as_integer).collect();
        let numbers: [i64; 4] =
            numbers.and_then(|numbers| numbers.try_into().ok()).ok_or(ByteRangeError::NotFourNumbers)?;
        Self::new(numbers, file_len)
    }

    /// The four numbers as they stand in the file.
    pub const fn numbers(&self) -> [u64; 4] {
        [0, self.first_len, self.second_start, self.second_len]
    }

    /// The two spans, in order.
    pub const fn spans(&self) -> [Range<u64>; 2] {
        [0..self.first_len, self.second_start..self.end()]
    }

    /// What is not covered between the spans: `<`, the hexadecimal digits of `/Contents`, and `>`.
    pub const fn hole(&self) -> Range<u64> {
        self.first_len..self.second_start
    }

    /// Where the second span ends: the end of the revision that was signed.
    pub const fn end(&self) -> u64 {
        // Cannot overflow: the constructor checked the sum against a file's length.
        self.second_start.saturating_add(self.second_len)
    }

    /// Whether nothing follows what is covered, in a file of `file_len` bytes.
    pub const fn covers_entire_file(&self, file_len: u64) -> bool {
        self.end() == file_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_spans_from_byte_zero_within_the_file_are_accepted() {
        for (numbers, expected) in [
            ([0, 10, 20, 80], Ok([0, 10, 20, 80])),
            ([0, 10, 10, 90], Ok([0, 10, 10, 90])),
            ([1, 10, 20, 80], Err(ByteRangeError::NotAtStart)),
            ([0, 21, 20, 80], Err(ByteRangeError::Overlap)),
            ([0, 10, 20, 81], Err(ByteRangeError::PastEnd)),
            ([0, 10, i64::MAX, i64::MAX], Err(ByteRangeError::PastEnd)),
            ([0, -10, 20, 80], Err(ByteRangeError::NotFourNumbers)),
        ] {
            assert_eq!(ByteRange::new(numbers, 100).map(|range| range.numbers()), expected, "{numbers:?}");
        }
    }

    #[test]
    fn arrays_of_another_shape_are_refused() {
        let numbers =
            |numbers: &[i64]| Object::Array(numbers.iter().map(|&number| Object::Integer(number)).collect());
        assert_eq!(ByteRange::parse(&Object::Null, 9), Err(ByteRangeError::Missing));
        assert_eq!(ByteRange::parse(&numbers(&[0, 1, 2]), 9), Err(ByteRangeError::NotFourNumbers));
        assert_eq!(ByteRange::parse(&numbers(&[0, 1, 2, 3, 4]), 9), Err(ByteRangeError::NotFourNumbers));
        let range = ByteRange::parse(&numbers(&[0, 1, 2, 7]), 9).unwrap();
        assert_eq!(range.hole(), 1..2);
        assert!(range.covers_entire_file(9));
        assert!(!range.covers_entire_file(10));
    }
}
