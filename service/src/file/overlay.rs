//! A document and the update appended to it, read as one without writing it anywhere.

use signer_core::pdf::source::{Source, SourceError};

/// The bytes of `original` followed by those of `update`.
#[derive(Debug)]
pub struct Overlay<'a, S> {
    original: &'a S,
    update: &'a [u8],
}

impl<'a, S: Source> Overlay<'a, S> {
    /// Puts `update` behind `original`.
    pub const fn new(original: &'a S, update: &'a [u8]) -> Self {
        Self { original, update }
    }
}

impl<S: Source> Source for Overlay<'_, S> {
    fn len(&self) -> u64 {
        self.original.len().saturating_add(self.update.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        let boundary = self.original.len();
        let Some(before) = boundary.checked_sub(offset).filter(|&before| before > 0) else {
            return self.update.read_at(offset - boundary, buffer);
        };
        let split = usize::try_from(before).unwrap_or(usize::MAX).min(buffer.len());
        let (head, tail) = buffer.split_at_mut(split);
        let count = self.original.read_at(offset, head)?;
        if count < head.len() {
            return Ok(count);
        }
        Ok(count + self.update.read_at(0, tail)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_cross_the_boundary() {
        let original = b"abcdef".to_vec();
        let overlay = Overlay::new(&original, b"XYZ");
        let mut buffer = [0; 4];
        for (offset, expected) in [(0, "abcd"), (4, "efXY"), (6, "XYZ"), (8, "Z"), (9, ""), (99, "")] {
            let count = overlay.read_at(offset, &mut buffer).unwrap();
            assert_eq!(&buffer[..count], expected.as_bytes(), "at {offset}");
        }
        assert_eq!(overlay.len(), 9);
    }
}
