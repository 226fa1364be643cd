//! Letters: the two faces that the program carries, line breaking, and outlines.

use std::sync::Arc;

use parley::{
    Alignment, AlignmentOptions, FontContext, FontFamily, FontWeight, Layout, LayoutContext, LineHeight,
    OverflowWrap, PositionedLayoutItem, StyleProperty,
    fontique::{Blob, Collection, CollectionOptions, SourceCache},
};
use skrifa::{
    FontRef, GlyphId, MetadataProvider as _,
    instance::{LocationRef, Size},
    outline::{DrawSettings, OutlinePen},
};
use tiny_skia::{Path, PathBuilder};

const REGULAR: &[u8] = include_bytes!("../../fonts/NotoSans-Regular.ttf");
const BOLD: &[u8] = include_bytes!("../../fonts/NotoSans-Bold.ttf");
/// The family that both files name.
const FAMILY: &str = "Noto Sans";
/// What stands where the middle of a text was cut out.
const CUT: &str = "…";

/// How letters look: size, line height and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Controls and body.
    Body,
    /// Controls that are pressed, labels of fields.
    Bold,
    /// Facts and lists.
    Fact,
    /// Facts that matter most.
    FactBold,
    /// The host of a site.
    Site,
    /// The title of the window.
    Title,
}

/// Laid out words.
pub(crate) struct Block {
    layout: Box<Layout<()>>,
    scale: f32,
}

/// The faces, and the scratch memory of the layout.
pub(crate) struct Fonts {
    fonts: FontContext,
    scratch: LayoutContext<()>,
}

impl Style {
    const fn size(self) -> f32 {
        match self {
            Self::Body | Self::Bold => 14.0,
            Self::Fact | Self::FactBold => 13.0,
            Self::Site => 16.0,
            Self::Title => 20.0,
        }
    }

    /// The height of a line in logical pixels.
    pub(crate) const fn line(self) -> f32 {
        match self {
            Self::Body | Self::Bold => 19.0,
            Self::Fact | Self::FactBold => 18.0,
            Self::Site => 22.0,
            Self::Title => 27.0,
        }
    }

    const fn weight(self) -> FontWeight {
        match self {
            Self::Body | Self::Fact => FontWeight::NORMAL,
            Self::Bold | Self::FactBold | Self::Site | Self::Title => FontWeight::BOLD,
        }
    }
}

impl Fonts {
    /// Reads the faces that the program carries. No font of the system is looked at: what a
    /// name looks like does not depend on the machine.
    pub(crate) fn new() -> Self {
        let mut collection = Collection::new(CollectionOptions { shared: false, system_fonts: false });
        for face in [REGULAR, BOLD] {
            collection.register_fonts(Blob::new(Arc::new(face)), None);
        }
        Self {
            fonts: FontContext { collection, source_cache: SourceCache::default() },
            scratch: LayoutContext::new(),
        }
    }

    /// Lays out `text` in lines of at most `width` logical pixels. Characters that the faces
    /// lack are written by their number: two different names never look the same.
    pub(crate) fn block(&mut self, text: &str, style: Style, width: f32, scale: f32) -> Block {
        self.lay_out(&spelled(text), style, Some(width), scale)
    }

    /// As [`Fonts::block`], but at most `lines` lines: where it is longer, its middle is cut out,
    /// so that the ending of a file's name stays.
    pub(crate) fn cut(&mut self, text: &str, style: Style, width: f32, lines: usize, scale: f32) -> Block {
        let text = spelled(text);
        let whole = self.lay_out(&text, style, Some(width), scale);
        if whole.layout.len() <= lines {
            return whole;
        }
        let characters: Vec<char> = text.chars().collect();
        let (mut fits, mut longer) = (0, characters.len());
        while longer - fits > 1 {
            let kept = fits.midpoint(longer);
            let block = self.lay_out(&middle_cut(&characters, kept), style, Some(width), scale);
            if block.layout.len() <= lines {
                fits = kept;
            } else {
                longer = kept;
            }
        }
        self.lay_out(&middle_cut(&characters, fits), style, Some(width), scale)
    }

    /// The width of a text on one line, in logical pixels.
    pub(crate) fn width(&mut self, text: &str, style: Style, scale: f32) -> f32 {
        self.lay_out(text, style, None, scale).width()
    }

    fn lay_out(&mut self, text: &str, style: Style, width: Option<f32>, scale: f32) -> Block {
        let mut builder = self.scratch.ranged_builder(&mut self.fonts, text, scale, true);
        builder.push_default(FontFamily::named(FAMILY));
        builder.push_default(StyleProperty::FontSize(style.size()));
        builder.push_default(StyleProperty::FontWeight(style.weight()));
        builder.push_default(LineHeight::Absolute(style.line()));
        builder.push_default(StyleProperty::OverflowWrap(OverflowWrap::Anywhere));
        let mut layout = Box::new(builder.build(text));
        layout.break_all_lines(width.map(|width| width * scale));
        layout.align(Alignment::Start, AlignmentOptions::default());
        Block { layout, scale }
    }
}

impl Block {
    /// The width of the longest line in logical pixels.
    pub(crate) fn width(&self) -> f32 {
        self.layout.width() / self.scale
    }

    /// The height of all lines in logical pixels.
    pub(crate) fn height(&self) -> f32 {
        self.layout.height() / self.scale
    }

    /// The outlines of all letters in physical pixels, the first line's top left at `x`, `y`.
    pub(crate) fn outlines(&self, x: f32, y: f32) -> Option<Path> {
        let mut path = PathBuilder::new();
        for line in self.layout.lines() {
            for item in line.items() {
                let PositionedLayoutItem::GlyphRun(run) = item else { continue };
                let font = run.run().font();
                let size = run.run().font_size();
                let Ok(face) = FontRef::new(font.data.data()) else { continue };
                for glyph in run.positioned_glyphs() {
                    // Whole lines stand on whole pixels; letters may stand between them.
                    let origin = (x + glyph.x, (y + glyph.y).round());
                    add_glyph(&face, GlyphId::new(glyph.id), size, origin, &mut path);
                }
            }
        }
        path.finish()
    }
}

impl std::fmt::Debug for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Block({} x {})", self.width(), self.height())
    }
}

fn add_glyph(face: &FontRef<'_>, glyph: GlyphId, size: f32, origin: (f32, f32), path: &mut PathBuilder) {
    let Some(outline) = face.outline_glyphs().get(glyph) else { return };
    let settings = DrawSettings::unhinted(Size::new(size), LocationRef::default());
    // What cannot be drawn leaves nothing; the embedded faces have no such letter.
    drop(outline.draw(settings, &mut Pen { path, origin }));
}

struct Pen<'a> {
    path: &'a mut PathBuilder,
    origin: (f32, f32),
}

impl Pen<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.origin.0 + x, self.origin.1 - y)
    }
}

impl OutlinePen for Pen<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, cx0: f32, cy0: f32, x: f32, y: f32) {
        let ((cx, cy), (x, y)) = (self.at(cx0, cy0), self.at(x, y));
        self.path.quad_to(cx, cy, x, y);
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        let ((ax, ay), (bx, by), (x, y)) = (self.at(cx0, cy0), self.at(cx1, cy1), self.at(x, y));
        self.path.cubic_to(ax, ay, bx, by, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

/// Writes the characters that the faces lack by their number.
fn spelled(text: &str) -> String {
    let Ok(face) = FontRef::new(REGULAR) else { return text.to_owned() };
    let known = face.charmap();
    let mut spelled = String::with_capacity(text.len());
    for character in text.chars() {
        if known.map(character).is_some() {
            spelled.push(character);
        } else {
            spelled.push_str(&format!("‹U+{:04X}›", u32::from(character)));
        }
    }
    spelled
}

/// The first and the last characters, `kept` in all.
fn middle_cut(characters: &[char], kept: usize) -> String {
    let first = kept.div_ceil(2);
    let head = characters.iter().take(first);
    let tail = characters.iter().skip(characters.len() - (kept - first));
    head.chain(CUT.chars().collect::<Vec<_>>().iter()).chain(tail).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_in_its_middle() {
        let mut fonts = Fonts::new();
        let name = format!("{}.pdf", "contrato-".repeat(60));
        let block = fonts.cut(&name, Style::Fact, 300.0, 2, 1.0);
        assert!(block.layout.len() == 2 && block.width() <= 300.0);
        let characters: Vec<char> = "abcdefgh.pdf".chars().collect();
        assert_eq!(middle_cut(&characters, 6), "abc…pdf");
        assert_eq!(fonts.cut("short.pdf", Style::Fact, 300.0, 2, 1.0).layout.len(), 1);
    }

    #[test]
    fn letters_that_the_faces_lack_are_told_apart() {
        assert_eq!(spelled("ação Ω Ж"), "ação Ω Ж");
        assert_eq!(spelled("文"), "‹U+6587›");
        assert_ne!(spelled("文"), spelled("書"));
    }

    #[test]
    fn digits_have_one_width() {
        let mut fonts = Fonts::new();
        let widths: Vec<f32> =
            (0..10).map(|digit| fonts.width(&digit.to_string(), Style::Fact, 1.0)).collect();
        assert!(widths.iter().all(|width| (width - widths[0]).abs() < f32::EPSILON), "{widths:?}");
        assert!(widths[0] > 5.0, "the faces were not found");
    }
}
