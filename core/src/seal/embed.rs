//! The subset of a font that goes into the file: a Type 0 font whose CIDs are the glyphs of
//! the cut TrueType file (ISO 32000-2, 9.7).

mod cut;

use std::{collections::BTreeMap, io::Write as _};

use flate2::{Compression, write::ZlibEncoder};

use crate::{
    pdf::{
        object::{Dictionary, Object, Reference, Stream},
        update::Update,
    },
    seal::{
        SealError,
        embed::cut::CutFont,
        font::{Fonts, Glyph, Weight},
        layout::paragraph::Run,
    },
};

/// Deflates the streams of a seal one after the other with the same working memory.
pub(super) struct Deflater(ZlibEncoder<Vec<u8>>);

/// Outlines gain 2 % above this level and take a third longer.
const LEVEL: u32 = 2;

impl Deflater {
    /// Working memory for a seal.
    pub(super) fn new() -> Self {
        Self(ZlibEncoder::new(Vec::new(), Compression::new(LEVEL)))
    }

    /// A stream of `data`.
    ///
    /// # Errors
    /// Where the compressor fails.
    pub(super) fn stream(&mut self, dictionary: Dictionary, data: &[u8]) -> Result<Stream, SealError> {
        self.0.write_all(data)?;
        let data = self.0.reset(Vec::new())?;
        Ok(Stream { dictionary: dictionary.with("Filter", Object::name("FlateDecode")), data })
    }
}

/// The glyphs of one weight that a seal uses.
pub(super) struct Subset {
    weight: Weight,
    /// The glyphs, what is read from each, and its width in thousandths of an em.
    glyphs: BTreeMap<u16, (char, f64)>,
}

impl Subset {
    /// The glyphs of one weight among those of `lines`. Where there is a digit all of them are, so that
    /// the seals of one holder have one subset whatever the time.
    pub(super) fn of<'a>(weight: Weight, runs: impl Iterator<Item = &'a Run>, fonts: &Fonts) -> Self {
        let mut glyphs = BTreeMap::new();
        let mut add = |glyph: Glyph| {
            // The one for what is missing is in every font, as number 0.
            if glyph.id != 0 {
                glyphs.entry(glyph.id).or_insert((glyph.shown, glyph.advance * 1000.0));
            }
        };
        let mut digit = false;
        for glyph in runs.filter(|run| run.weight == weight).flat_map(|run| &run.glyphs) {
            digit |= glyph.shown.is_ascii_digit();
            add(*glyph);
        }
        if digit {
            ('0'..='9').for_each(|digit| add(fonts.glyph(weight, digit)));
        }
        Self { weight, glyphs }
    }

    /// Whether no glyph is used.
    pub(super) fn is_empty(&self) -> bool {
        self.glyphs.is_empty()
    }

    /// The CIDs of the glyphs in the cut font: their places in the order of their numbers, from 1.
    pub(super) fn cids(&self) -> BTreeMap<u16, u16> {
        self.glyphs.keys().copied().zip(1..).collect()
    }

    /// Adds the font and all that belongs to it; returns the Type 0 font.
    ///
    /// # Errors
    /// Where the built-in font cannot be cut or a stream cannot be compressed.
    pub(super) fn write(
        &self,
        fonts: &Fonts,
        deflater: &mut Deflater,
        update: &mut Update,
    ) -> Result<Reference, SealError> {
        let CutFont { name, file, cid_set, to_unicode } = &*cut::font(self, deflater)?;
        let cid_set = update.add(cid_set.clone());
        let file = update.add(file.clone());
        let descriptor = self.descriptor(name, file, fonts).with("CIDSet", Object::Reference(cid_set));
        let descriptor = update.add(descriptor);
        let cid_font = update.add(
            Dictionary::new()
                .with("Type", Object::name("Font"))
                .with("Subtype", Object::name("CIDFontType2"))
                .with("BaseFont", Object::name(name))
                .with(
                    "CIDSystemInfo",
                    Object::Dictionary(
                        Dictionary::new()
                            .with("Registry", Object::text("Adobe"))
                            .with("Ordering", Object::text("Identity"))
                            .with("Supplement", Object::Integer(0)),
                    ),
                )
                .with("FontDescriptor", Object::Reference(descriptor))
                .with("CIDToGIDMap", Object::name("Identity"))
                .with("W", self.widths()),
        );
        let to_unicode = update.add(to_unicode.clone());
        Ok(update.add(
            Dictionary::new()
                .with("Type", Object::name("Font"))
                .with("Subtype", Object::name("Type0"))
                .with("BaseFont", Object::name(name))
                .with("Encoding", Object::name("Identity-H"))
                .with("DescendantFonts", Object::Array(vec![Object::Reference(cid_font)]))
                .with("ToUnicode", Object::Reference(to_unicode)),
        ))
    }

    /// The font descriptor (9.8); its glyphs are symbolic, as every font without a cmap is.
    fn descriptor(&self, name: &str, file: Reference, fonts: &Fonts) -> Dictionary {
        let face = fonts.face(self.weight);
        let scale = 1000.0 / f64::from(face.units_per_em()).max(1.0);
        let scaled = |units: i16| Object::number((f64::from(units) * scale).round());
        let bounds = face.global_bounding_box();
        let corners = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max];
        let stem = match self.weight {
            Weight::Regular => 88,
            Weight::Bold => 148,
        };
        Dictionary::new()
            .with("Type", Object::name("FontDescriptor"))
            .with("FontName", Object::name(name))
            .with("Flags", Object::Integer(4))
            .with("FontBBox", Object::Array(corners.map(scaled).to_vec()))
            .with("ItalicAngle", Object::Integer(0))
            .with("Ascent", scaled(face.ascender()))
            .with("Descent", scaled(face.descender()))
            .with("CapHeight", scaled(face.capital_height().unwrap_or(714)))
            .with("StemV", Object::Integer(stem))
            .with("FontFile2", Object::Reference(file))
    }

    /// `/W` (9.7.4.3): CIDs are consecutive from 1, so one list holds all widths.
    fn widths(&self) -> Object {
        let widths = self.glyphs.values().map(|(_, width)| Object::number(width.round())).collect();
        Object::Array(vec![Object::Integer(1), Object::Array(widths)])
    }
}
