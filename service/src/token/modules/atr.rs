//! Answers to reset (ISO/IEC 7816-3, 8.2) and patterns of them: by these a card says what it is
//! before anybody speaks to it.

use std::fmt;

/// The fewest and the most bytes of an answer to reset (ISO/IEC 7816-3, 8.2.1).
const LENGTHS: std::ops::RangeInclusive<usize> = 2..=33;

/// A card's answer to reset.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atr(Vec<u8>);

/// Answers to reset that one kind of card gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtrPattern {
    value: Vec<u8>,
    /// The bits that count.
    mask: Vec<u8>,
}

impl Atr {
    /// Takes what a reader reports; nothing where its length is that of no answer to reset.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        LENGTHS.contains(&bytes.len()).then(|| Self(bytes.to_vec()))
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Atr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02X}"))
    }
}

impl AtrPattern {
    /// Takes hexadecimal digits, with spaces between bytes or not; a point stands for any digit.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
        let (pairs, rest) = digits.as_chunks::<2>();
        if !rest.is_empty() || !LENGTHS.contains(&pairs.len()) {
            return None;
        }
        let digit = |c: char| match c {
            '.' => Some((0, 0)),
            _ => Some((u8::try_from(c.to_digit(16)?).ok()?, 0xf)),
        };
        let byte = |[high, low]: &[char; 2]| {
            let ((high, high_mask), (low, low_mask)) = (digit(*high)?, digit(*low)?);
            Some((high << 4 | low, high_mask << 4 | low_mask))
        };
        let (value, mask) = pairs.iter().map(byte).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Self { value, mask })
    }

    /// Whether a card of this kind gives this answer.
    pub fn fits(&self, atr: &Atr) -> bool {
        let counted = self.value.iter().zip(&self.mask);
        atr.0.len() == self.value.len()
            && atr.0.iter().zip(counted).all(|(found, (value, mask))| found & mask == *value)
    }

    /// The answer where only one fits.
    #[cfg(test)]
    pub(super) fn only(&self) -> Option<&[u8]> {
        self.mask.iter().all(|mask| *mask == 0xff).then_some(&self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atr(text: &str) -> Atr {
        Atr::new(AtrPattern::parse(text).unwrap().only().unwrap()).unwrap()
    }

    #[test]
    fn a_pattern_fits_what_it_leaves_open_and_nothing_else() {
        let pattern = AtrPattern::parse("3B 7. .. 00").unwrap();
        assert!(pattern.fits(&atr("3B7F9600")) && pattern.fits(&atr("3B700000")));
        for other in ["3B8F9600", "3B7F9601", "3B7F960000", "3B7F96"] {
            assert!(!pattern.fits(&atr(other)), "{other}");
        }
    }

    #[test]
    fn what_no_card_answers_is_refused() {
        let long = "00".repeat(34);
        for text in ["", "3B", "3B7", "3B7F9", "3BXX", long.as_str()] {
            assert_eq!(AtrPattern::parse(text), None, "{text}");
        }
        assert_eq!(Atr::new(&[0x3b]), None);
        assert_eq!(Atr::new(&[0; 34]), None);
        assert_eq!(atr("3b0F").to_string(), "3B0F");
    }
}
