//! The digests of byte ranges of one source. The signatures of a document all begin with its first
//! byte: what they share is hashed once, and what they do not share is bounded.

use std::ops::Range;

use crate::{
    digest::{Digest, DigestAlgorithm, RunningDigest},
    pdf::{
        byte_range::ByteRange,
        source::{Source, SourceError},
    },
};

/// Reading buffer.
const BUFFER_BYTES: usize = 256 << 10;
/// Bytes that are hashed of any source.
const LEAST_BUDGET: u64 = 1 << 30;
/// Bytes that are hashed beyond that, as a multiple of the source's length.
const BUDGET: u64 = 4;

/// Why there is no digest.
#[derive(Debug, thiserror::Error)]
pub enum DigestError {
    /// The bytes could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The ranges of this source cost more than those of an honest document.
    #[error("there is too much to hash")]
    TooMuch,
}

/// Digests of byte ranges, best asked for in the order in which the ranges end. Blocks while it reads.
pub struct RangeDigests<'a, S: ?Sized> {
    source: &'a S,
    left: u64,
    /// What is hashed from byte 0 on, and up to where: once for each algorithm.
    prefixes: Vec<(RunningDigest, u64)>,
}

impl<'a, S: Source + ?Sized> RangeDigests<'a, S> {
    /// Nothing is read yet.
    pub fn new(source: &'a S) -> Self {
        let left = source.len().saturating_mul(BUDGET).saturating_add(LEAST_BUDGET);
        Self { source, left, prefixes: Vec::new() }
    }

    /// The digest of the two spans of `range`.
    ///
    /// # Errors
    /// [`DigestError::Source`] where the bytes cannot be read, [`DigestError::TooMuch`] where all
    /// ranges together cost too much.
    pub fn digest(&mut self, range: &ByteRange, algorithm: DigestAlgorithm) -> Result<Digest, DigestError> {
        let [first, second] = range.spans();
        let known = self.prefixes.iter().position(|(digest, _)| digest.algorithm() == algorithm);
        let known = known.map(|index| self.prefixes.swap_remove(index));
        let known = known.filter(|(_, end)| *end <= first.end);
        let (mut prefix, known) = known.unwrap_or_else(|| (RunningDigest::new(algorithm), 0));
        self.read(known..first.end, &mut prefix)?;
        let mut digest = prefix.clone();
        self.prefixes.push((prefix, first.end));
        self.read(second, &mut digest)?;
        Ok(digest.finish())
    }

    fn read(&mut self, span: Range<u64>, digest: &mut RunningDigest) -> Result<(), DigestError> {
        let len = span.end.saturating_sub(span.start);
        self.left = self.left.checked_sub(len).ok_or(DigestError::TooMuch)?;
        let mut buffer = vec![0; usize::try_from(len).unwrap_or(usize::MAX).min(BUFFER_BYTES)];
        let mut offset = span.start;
        while offset < span.end {
            let wanted = usize::try_from(span.end - offset).unwrap_or(usize::MAX).min(BUFFER_BYTES);
            let window = buffer.get_mut(..wanted).unwrap_or_default();
            let count = self.source.read_at(offset, window)?;
            if count == 0 {
                return Err(SourceError(std::io::ErrorKind::UnexpectedEof.into()).into());
            }
            digest.update(window.get(..count).unwrap_or_default());
            offset += count as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    /// A long source of one byte that counts what is read.
    struct Counted {
        len: u64,
        read: Cell<u64>,
    }

    impl Source for Counted {
        fn len(&self) -> u64 {
            self.len
        }

        fn read_at(&self, _offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
            self.read.set(self.read.get() + buffer.len() as u64);
            Ok(buffer.len())
        }
    }

    fn range(numbers: [u64; 3], len: u64) -> ByteRange {
        let [first, second, count] = numbers.map(|number| i64::try_from(number).unwrap());
        ByteRange::new([0, first, second, count], len).unwrap()
    }

    #[test]
    fn what_signatures_share_is_read_once() {
        let source = Counted { len: 100_000, read: Cell::new(0) };
        let mut digests = RangeDigests::new(&source);
        for end in (1..=100).map(|number| number * 1_000) {
            digests.digest(&range([end - 200, end - 100, 100], source.len), DigestAlgorithm::Sha256).unwrap();
        }
        // The file, and the last hundred bytes of each revision a second time.
        assert!(source.read.get() <= source.len + 100 * 100, "{}", source.read.get());
    }

    #[test]
    fn signatures_of_two_digests_cost_the_file_twice() {
        let source = Counted { len: 1_600_000, read: Cell::new(0) };
        let mut digests = RangeDigests::new(&source);
        let step = source.len / 16;
        for number in 1..=15 {
            let end = step * number;
            let algorithm =
                [DigestAlgorithm::Sha256, DigestAlgorithm::Sha512][usize::try_from(number % 2).unwrap()];
            digests.digest(&range([end - 200, end - 100, 100], source.len), algorithm).unwrap();
        }
        assert!(source.read.get() <= 2 * source.len, "{}", source.read.get());
    }

    #[test]
    fn many_signatures_that_share_nothing_are_too_much() {
        let source = Counted { len: 1 << 30, read: Cell::new(0) };
        let mut digests = RangeDigests::new(&source);
        let mut attempt =
            || digests.digest(&range([10, 20, source.len - 20], source.len), DigestAlgorithm::Sha256);
        let made = (0..20).take_while(|_| attempt().is_ok()).count();
        assert!((4..=5).contains(&made), "{made}");
        assert!(matches!(attempt(), Err(DigestError::TooMuch)));
    }

    proptest! {
        #[test]
        fn ranges_in_any_order_have_the_digests_of_their_bytes(
            bytes in proptest::collection::vec(any::<u8>(), 1..400),
            places in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<bool>()), 1..8),
        ) {
            let mut digests = RangeDigests::new(bytes.as_slice());
            for (one, other, long) in places {
                let (one, other) = (one.index(bytes.len()), other.index(bytes.len()));
                let (first, second) = (one.min(other), one.max(other));
                let algorithm = if long { DigestAlgorithm::Sha512 } else { DigestAlgorithm::Sha256 };
                let numbers = [first, second, bytes.len() - second].map(|number| number as u64);
                let found = digests.digest(&range(numbers, bytes.len() as u64), algorithm).unwrap();
                let expected = algorithm.digest(&[&bytes[..first], &bytes[second..]].concat());
                prop_assert_eq!(found, expected);
            }
        }
    }
}
