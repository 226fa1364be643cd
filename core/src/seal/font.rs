//! The built-in letters: which glyph stands for a character, and how wide it is.

use ttf_parser::Face;

use crate::seal::SealError;

static REGULAR: &[u8] = include_bytes!("../../fonts/NotoSans-Regular.ttf");
static BOLD: &[u8] = include_bytes!("../../fonts/NotoSans-Bold.ttf");

/// A weight of the built-in font.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// For everything but the holder.
    Regular,
    /// For the holder.
    Bold,
}

/// A character and the glyph that stands for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Glyph {
    /// What was asked for.
    pub(super) character: char,
    /// What is seen: the character, or U+FFFD where the font lacks it.
    pub(super) shown: char,
    /// The glyph in the built-in font.
    pub(super) id: u16,
    /// Its advance in em.
    pub(super) advance: f64,
}

/// Both weights, read.
pub(super) struct Fonts {
    regular: Face<'static>,
    bold: Face<'static>,
}

impl Fonts {
    /// Reads the built-in font: its tables are found, nothing is copied.
    ///
    /// # Errors
    /// Where the font that was built in is damaged.
    pub(super) fn built_in() -> Result<Self, SealError> {
        Ok(Self { regular: Face::parse(REGULAR, 0)?, bold: Face::parse(BOLD, 0)? })
    }

    /// The tables of one weight.
    pub(super) const fn face(&self, weight: Weight) -> &Face<'static> {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }

    /// The glyph of a character; U+FFFD's where the font has none, so that a reader sees
    /// that something is missing.
    pub(super) fn glyph(&self, weight: Weight, character: char) -> Glyph {
        let face = self.face(weight);
        let (shown, id) = [character, char::REPLACEMENT_CHARACTER, '?']
            .into_iter()
            .find_map(|candidate| Some((candidate, face.glyph_index(candidate)?)))
            .unwrap_or(('?', ttf_parser::GlyphId(0)));
        let units = f64::from(face.units_per_em()).max(1.0);
        let advance = f64::from(face.glyph_hor_advance(id).unwrap_or(0)) / units;
        Glyph { character, shown, id: id.0, advance }
    }
}

impl Weight {
    /// The bytes of the font file.
    pub(super) const fn file(self) -> &'static [u8] {
        match self {
            Self::Regular => REGULAR,
            Self::Bold => BOLD,
        }
    }

    /// The PostScript name of the font.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Regular => "NotoSans-Regular",
            Self::Bold => "NotoSans-Bold",
        }
    }

    /// The name under which the seal's resources know it.
    pub(super) const fn resource(self) -> &'static str {
        match self {
            Self::Regular => "R",
            Self::Bold => "B",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_the_letters_of_brazilian_names() {
        let fonts = Fonts::built_in().unwrap();
        for weight in [Weight::Regular, Weight::Bold] {
            for character in "ÁÂÃÀÇÉÊÍÓÔÕÚÜÑáâãàçéêíóôõúüñ0123456789*./-:·…ŁŽőßΩЖẵ".chars()
            {
                assert_eq!(fonts.glyph(weight, character).shown, character, "{character}");
            }
        }
    }

    #[test]
    fn a_missing_letter_is_seen_to_be_missing() {
        let fonts = Fonts::built_in().unwrap();
        for character in ['山', 'ع', '😀', '\u{10ffff}'] {
            let glyph = fonts.glyph(Weight::Regular, character);
            assert_eq!((glyph.shown, glyph.character), ('\u{fffd}', character));
            assert!(glyph.id != 0 && glyph.advance > 0.0);
        }
    }

    #[test]
    fn digits_are_equally_wide() {
        let fonts = Fonts::built_in().unwrap();
        let widths: Vec<_> = ('0'..='9').map(|digit| fonts.glyph(Weight::Regular, digit).advance).collect();
        assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{widths:?}");
    }
}
