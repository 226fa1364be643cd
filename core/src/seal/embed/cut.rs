//! A font cut to the glyphs of a seal, and the way back to text (ISO 32000-2, 9.10.3): what costs most
//! of a seal, and is the same for all seals of a holder, so the last ones are kept.

use std::{
    fmt::Write as _,
    sync::{Arc, Mutex, PoisonError},
};

use subsetter::GlyphRemapper;
use ttf_parser::Face;

use crate::{
    pdf::object::{Dictionary, Object, Stream},
    seal::{
        SealError,
        embed::{Deflater, Subset},
        font::Weight,
    },
};

/// How many cut fonts are kept: both weights of a few holders. Each takes some ten kilobytes.
const KEPT: usize = 8;

/// The streams of a cut font, compressed.
pub(super) struct CutFont {
    /// With the tag of the subset (9.9.2).
    pub(super) name: String,
    pub(super) file: Stream,
    pub(super) cid_set: Stream,
    pub(super) to_unicode: Stream,
}

/// What a cut font is made of: the weight, the glyphs in their order, and what is read from each.
type Key = (Weight, Vec<(u16, char)>);

/// The last cut fonts, the latest last.
static LAST: Mutex<Vec<(Key, Arc<CutFont>)>> = Mutex::new(Vec::new());

/// The font that is cut to `subset`.
///
/// # Errors
/// Where the built-in font cannot be cut or a stream cannot be compressed.
pub(super) fn font(subset: &Subset, deflater: &mut Deflater) -> Result<Arc<CutFont>, SealError> {
    let glyphs = subset.glyphs.iter().map(|(glyph, (character, _))| (*glyph, *character)).collect();
    let key = (subset.weight, glyphs);
    {
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = last.iter().position(|(known, _)| *known == key) {
            let found = last.remove(place);
            let cut = Arc::clone(&found.1);
            last.push(found);
            return Ok(cut);
        }
    }
    let cut = Arc::new(cut(subset.weight, &key.1, deflater)?);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.len() >= KEPT {
        last.remove(0);
    }
    last.push((key, Arc::clone(&cut)));
    Ok(cut)
}

fn cut(weight: Weight, glyphs: &[(u16, char)], deflater: &mut Deflater) -> Result<CutFont, SealError> {
    let mut remapper = GlyphRemapper::new();
    for (glyph, _) in glyphs {
        remapper.remap(*glyph);
    }
    let file = subsetter::subset(weight.file(), 0, &remapper)?;
    let name = format!("{}+{}", tag(&file), weight.name());
    let count = Face::parse(&file, 0)?.number_of_glyphs();
    let length = i64::try_from(file.len()).unwrap_or(i64::MAX);
    Ok(CutFont {
        name,
        cid_set: deflater.stream(Dictionary::new(), &cid_set(count))?,
        file: deflater.stream(Dictionary::new().with("Length1", Object::Integer(length)), &file)?,
        to_unicode: deflater.stream(Dictionary::new(), to_unicode(glyphs).as_bytes())?,
    })
}

/// The CMap from CIDs, which count from 1, to UTF-16BE.
fn to_unicode(glyphs: &[(u16, char)]) -> String {
    let mut map = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
         /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
         1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n",
    );
    let entries: Vec<_> = (1_u16..).zip(glyphs).collect();
    // A block of a CMap may hold a hundred entries.
    for block in entries.chunks(100) {
        // Writing to a string cannot fail.
        let _ = writeln!(map, "{} beginbfchar", block.len());
        for (cid, (_, character)) in block {
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
