//! The subset of a font that goes into the file: a Type 0 font whose CIDs are the glyphs of
//! the cut TrueType file (ISO 32000-2, 9.7), with the way back to text (9.10.3).

use std::{collections::BTreeMap, fmt::Write as _, io::Write as _};

use flate2::{Compression, write::ZlibEncoder};
use subsetter::GlyphRemapper;
use ttf_parser::Face;

use crate::{
    pdf::{
        object::{Dictionary, Object, Reference, Stream},
        update::Update,
    },
    seal::{
        SealError,
        font::{Fonts, Glyph, Weight},
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

/// The glyphs of one weight that a seal uses, and their numbers in the cut font.
pub(super) struct Subset {
    weight: Weight,
    remapper: GlyphRemapper,
    /// By number in the cut font: the character that is read from it, and its width in
    /// thousandths of an em.
    cids: BTreeMap<u16, (char, f64)>,
}

impl Subset {
    /// An empty subset of one weight.
    pub(super) fn of(weight: Weight) -> Self {
        Self { weight, remapper: GlyphRemapper::new(), cids: BTreeMap::new() }
    }

    /// The CID of a glyph, which is in the subset from now on.
    pub(super) fn cid(&mut self, glyph: Glyph) -> u16 {
        let cid = self.remapper.remap(glyph.id);
        self.cids.entry(cid).or_insert((glyph.shown, glyph.advance * 1000.0));
        cid
    }

    /// Whether no glyph is used.
    pub(super) fn is_empty(&self) -> bool {
        self.cids.is_empty()
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
        let file = subsetter::subset(self.weight.file(), 0, &self.remapper)?;
        let name = format!("{}+{}", tag(&file), self.weight.name());
        let glyphs = Face::parse(&file, 0)?.number_of_glyphs();
        let cid_set = update.add(deflater.stream(Dictionary::new(), &cid_set(glyphs))?);
        let length = i64::try_from(file.len()).unwrap_or(i64::MAX);
        let file =
            update.add(deflater.stream(Dictionary::new().with("Length1", Object::Integer(length)), &file)?);
        let descriptor = self.descriptor(&name, file, fonts).with("CIDSet", Object::Reference(cid_set));
        let descriptor = update.add(descriptor);
        let cid_font = update.add(
            Dictionary::new()
                .with("Type", Object::name("Font"))
                .with("Subtype", Object::name("CIDFontType2"))
                .with("BaseFont", Object::name(&name))
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
        let to_unicode = update.add(deflater.stream(Dictionary::new(), self.to_unicode().as_bytes())?);
        Ok(update.add(
            Dictionary::new()
                .with("Type", Object::name("Font"))
                .with("Subtype", Object::name("Type0"))
                .with("BaseFont", Object::name(&name))
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
        let first = self.cids.keys().next().map_or(1, |cid| i64::from(*cid));
        let widths = self.cids.values().map(|(_, width)| Object::number(width.round())).collect();
        Object::Array(vec![Object::Integer(first), Object::Array(widths)])
    }

    /// The CMap from CIDs to UTF-16BE.
    fn to_unicode(&self) -> String {
        let mut map = String::from(
            "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
             /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
             /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
             1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
        );
        let entries: Vec<_> = self.cids.iter().collect();
        // A block of a CMap may hold a hundred entries.
        for block in entries.chunks(100) {
            // Writing to a string cannot fail.
            let _ = writeln!(map, "{} beginbfchar", block.len());
            for (cid, (character, _)) in block {
                let _ = write!(map, "<{cid:04X}> <");
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(map, "{unit:04X}");
                }
                map.push_str(">\n");
            }
            map.push_str("endbfchar\n");
        }
        map.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
        map
    }
}

/// `/CIDSet` (9.8.3.2): a bit for each CID of the cut font, the parts of letters that are put
/// together included. PDF/A-1 asks for it, PDF/A-2 and 3 for its being complete.
fn cid_set(glyphs: u16) -> Vec<u8> {
    let mut bits = vec![0xff; usize::from(glyphs.div_ceil(8))];
    if let (Some(last), unused @ 1..) = (bits.last_mut(), glyphs.wrapping_neg() % 8) {
        *last <<= unused;
    }
    bits
}

/// Six capitals that differ between subsets (9.9.2), made from the bytes: the same seal gives
/// the same file. FNV-1a is enough, nothing rests on it.
fn tag(file: &[u8]) -> String {
    let mut state = file.iter().fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| {
        (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (0..6)
        .map(|_| {
            let letter = u8::try_from(state % 26).unwrap_or(0);
            state /= 26;
            char::from(b'A' + letter)
        })
        .collect()
}
