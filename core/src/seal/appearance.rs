//! The form XObject of a seal (ISO 32000-2, 8.10, 12.5.5): its drawing operators and its frame.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    pdf::{
        geometry::Rotation,
        object::{self, Dictionary, Object, Reference},
        update::Update,
    },
    seal::{
        SealError,
        embed::{Deflater, Subset},
        font::{Fonts, Weight},
        layout::{Ink, Layout, Mark, PlacedLine, paragraph::Run},
    },
};

/// How the seal is fitted into the rectangle of its widget.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    /// Width as the reader sees it, in units of user space.
    pub(super) width: f64,
    /// Height as the reader sees it, in units of user space.
    pub(super) height: f64,
    /// Points in a unit of user space.
    pub(super) unit: f64,
    /// How the page is turned.
    pub(super) rotation: Rotation,
}

/// A colour of sRGB.
type Colour = [u8; 3];

const PAPER: Colour = [0xff, 0xff, 0xff];
const ACCENT: Colour = [0x0b, 0x5c, 0xad];
const BORDER: Colour = [0xc4, 0xcd, 0xd6];
const STRONG: Colour = [0x17, 0x21, 0x2b];
const QUIET: Colour = [0x55, 0x61, 0x6e];

/// The mark in a square of 24 units, y upwards: a ring, and in it the nib of a pen, its slit
/// and hole left open. Not a tick: whether a signature is valid is for the reader's program
/// to say.
const RING: &[Step] = &[
    Step::Move(12.0, 23.5),
    Step::Curve(18.35, 23.5, 23.5, 18.35, 23.5, 12.0),
    Step::Curve(23.5, 5.65, 18.35, 0.5, 12.0, 0.5),
    Step::Curve(5.65, 0.5, 0.5, 5.65, 0.5, 12.0),
    Step::Curve(0.5, 18.35, 5.65, 23.5, 12.0, 23.5),
    Step::Close,
    Step::Move(12.0, 22.2),
    Step::Curve(17.63, 22.2, 22.2, 17.63, 22.2, 12.0),
    Step::Curve(22.2, 6.37, 17.63, 1.8, 12.0, 1.8),
    Step::Curve(6.37, 1.8, 1.8, 6.37, 1.8, 12.0),
    Step::Curve(1.8, 17.63, 6.37, 22.2, 12.0, 22.2),
    Step::Close,
];
const NIB: &[Step] = &[
    // The collar.
    Step::Move(9.2, 19.3),
    Step::Line(14.8, 19.3),
    Step::Line(14.8, 17.3),
    Step::Line(9.2, 17.3),
    Step::Close,
    // The nib, down to its point at the left of the slit and up again at its right.
    Step::Move(9.4, 16.3),
    Step::Line(14.6, 16.3),
    Step::Curve(15.0, 14.6, 16.0, 13.2, 16.4, 11.7),
    Step::Curve(15.2, 9.0, 13.6, 6.6, 12.35, 4.2),
    Step::Line(12.35, 9.6),
    Step::Curve(13.1, 9.75, 13.6, 10.35, 13.6, 11.1),
    Step::Curve(13.6, 12.0, 12.9, 12.7, 12.0, 12.7),
    Step::Curve(11.1, 12.7, 10.4, 12.0, 10.4, 11.1),
    Step::Curve(10.4, 10.35, 10.9, 9.75, 11.65, 9.6),
    Step::Line(11.65, 4.2),
    Step::Curve(10.4, 6.6, 8.8, 9.0, 7.6, 11.7),
    Step::Curve(8.0, 13.2, 9.0, 14.6, 9.4, 16.3),
    Step::Close,
];

#[derive(Debug, Clone, Copy)]
enum Step {
    Move(f64, f64),
    Line(f64, f64),
    Curve(f64, f64, f64, f64, f64, f64),
    Close,
}

/// Adds the form XObject of `layout` and its fonts to `update`.
///
/// # Errors
/// Where the built-in font cannot be cut or a stream cannot be compressed.
pub(super) fn write(
    layout: &Layout,
    fonts: &Fonts,
    frame: Frame,
    update: &mut Update,
) -> Result<Reference, SealError> {
    let subsets = [Weight::Regular, Weight::Bold]
        .map(|weight| Subset::of(weight, layout.lines.iter().flat_map(|placed| &placed.line.runs), fonts));
    let content = operators(layout, frame, &Cids::of(&subsets));
    let mut deflater = Deflater::new();
    let mut resources = Dictionary::new();
    for (subset, weight) in subsets.iter().zip([Weight::Regular, Weight::Bold]) {
        if !subset.is_empty() {
            resources.set(weight.resource(), Object::Reference(subset.write(fonts, &mut deflater, update)?));
        }
    }
    let form = Dictionary::new()
        .with("Type", Object::name("XObject"))
        .with("Subtype", Object::name("Form"))
        .with("BBox", numbers(&[0.0, 0.0, frame.width, frame.height]))
        .with("Matrix", numbers(&frame.matrix()))
        .with(
            "Resources",
            Object::Dictionary(
                Dictionary::new()
                    .with("ColorSpace", Object::Dictionary(Dictionary::new().with("S", colour_space())))
                    .with("Font", Object::Dictionary(resources)),
            ),
        );
    Ok(update.add(deflater.stream(form, content.as_bytes())?))
}

/// The numbers of the glyphs in the cut fonts.
struct Cids {
    regular: BTreeMap<u16, u16>,
    bold: BTreeMap<u16, u16>,
}

impl Cids {
    fn of([regular, bold]: &[Subset; 2]) -> Self {
        Self { regular: regular.cids(), bold: bold.cids() }
    }

    const fn of_weight(&self, weight: Weight) -> &BTreeMap<u16, u16> {
        match weight {
            Weight::Regular => &self.regular,
            Weight::Bold => &self.bold,
        }
    }
}

impl Frame {
    /// The form's `/Matrix`: turns the seal against `/Rotate`, back into the first quadrant, so
    /// that readers have nothing left to scale when they fit it into `/Rect`.
    const fn matrix(self) -> [f64; 6] {
        let Self { width, height, .. } = self;
        match self.rotation {
            Rotation::None => [1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            Rotation::Quarter => [0.0, 1.0, -1.0, 0.0, height, 0.0],
            Rotation::Half => [-1.0, 0.0, 0.0, -1.0, width, height],
            Rotation::ThreeQuarters => [0.0, -1.0, 1.0, 0.0, 0.0, width],
        }
    }
}

/// sRGB by its primaries, which needs no output intent: PDF/A permits it whatever the
/// document's own is (8.6.5.3).
fn colour_space() -> Object {
    let matrix = [0.4124, 0.2126, 0.0193, 0.3576, 0.7152, 0.1192, 0.1805, 0.0722, 0.9505];
    Object::Array(vec![
        Object::name("CalRGB"),
        Object::Dictionary(
            Dictionary::new()
                .with("WhitePoint", numbers(&[0.9505, 1.0, 1.089]))
                .with("Gamma", numbers(&[2.2, 2.2, 2.2]))
                .with("Matrix", numbers(&matrix)),
        ),
    ])
}

fn numbers(values: &[f64]) -> Object {
    Object::Array(values.iter().copied().map(Object::number).collect())
}

fn operators(layout: &Layout, frame: Frame, cids: &Cids) -> String {
    let mut out = String::new();
    let Layout { width, height, bar, border, .. } = *layout;
    out.push_str("q\n");
    let unit = 1.0 / frame.unit;
    if (unit - 1.0).abs() > f64::EPSILON {
        // Enough digits for any unit: two decimals are not.
        let _ = writeln!(out, "{unit:.12} 0 0 {unit:.12} 0 0 cm");
    }
    out.push_str("/S cs\n");
    fill(&mut out, PAPER);
    operator(&mut out, &[0.0, 0.0, width, height], "re f");
    if border > 0.0 {
        out.push_str("/S CS\n");
        colour(&mut out, BORDER, "SC");
        operator(&mut out, &[border], "w");
        operator(&mut out, &[border / 2.0, border / 2.0, width - border, height - border], "re S");
    }
    fill(&mut out, ACCENT);
    if bar > 0.0 {
        operator(&mut out, &[0.0, 0.0, bar, height], "re f");
    }
    if let Some(mark) = layout.mark {
        path(&mut out, RING, mark);
        path(&mut out, NIB, mark);
        out.push_str("f*\n");
    }
    if !layout.lines.is_empty() {
        out.push_str("BT\n");
        let mut ink = None;
        for line in &layout.lines {
            if ink.replace(line.ink) != Some(line.ink) {
                fill(
                    &mut out,
                    match line.ink {
                        Ink::Strong => STRONG,
                        Ink::Quiet => QUIET,
                    },
                );
            }
            show(&mut out, line, cids);
        }
        out.push_str("ET\n");
    }
    out.push_str("Q\n");
    out
}

fn fill(out: &mut String, rgb: Colour) {
    colour(out, rgb, "sc");
}

fn colour(out: &mut String, rgb: Colour, name: &str) {
    operator(out, &rgb.map(|component| f64::from(component) / 255.0), name);
}

/// An operator after its operands, to a thousandth of a point.
fn operator(out: &mut String, operands: &[f64], name: &str) {
    for &operand in operands {
        number(out, operand);
        out.push(' ');
    }
    out.push_str(name);
    out.push('\n');
}

/// A number with at most three decimals. Several times faster than the general way, and a seal
/// has hundreds of them.
fn number(out: &mut String, value: f64) {
    #[expect(clippy::cast_possible_truncation, reason = "clamped to what both types can hold")]
    let thousandths = (value * 1000.0).round().clamp(-1e15, 1e15) as i64;
    if thousandths < 0 {
        out.push('-');
    }
    let (whole, mut rest) = (thousandths.unsigned_abs() / 1000, thousandths.unsigned_abs() % 1000);
    // Writing to a string cannot fail.
    let _ = write!(out, "{whole}");
    if rest > 0 {
        let mut digits = 3;
        while rest % 10 == 0 {
            rest /= 10;
            digits -= 1;
        }
        let _ = write!(out, ".{rest:0digits$}");
    }
}

fn path(out: &mut String, steps: &[Step], mark: Mark) {
    let scale = mark.side / 24.0;
    let at = |x: f64, y: f64| [scale.mul_add(x, mark.x), scale.mul_add(y, mark.y)];
    for step in steps {
        match *step {
            Step::Move(x, y) => operator(out, &at(x, y), "m"),
            Step::Line(x, y) => operator(out, &at(x, y), "l"),
            Step::Curve(x1, y1, x2, y2, x3, y3) => {
                operator(out, &[at(x1, y1), at(x2, y2), at(x3, y3)].concat(), "c");
            }
            Step::Close => out.push_str("h\n"),
        }
    }
}

/// Shows one line. Where the font lacks a letter, `/ActualText` (14.9.4) says what was meant.
fn show(out: &mut String, placed: &PlacedLine, cids: &Cids) {
    let replaced = placed.line.has_missing();
    if replaced {
        let mut actual = Vec::new();
        object::write(&Object::text(&placed.line.text()), &mut actual);
        let _ = writeln!(out, "/Span << /ActualText {} >> BDC", String::from_utf8_lossy(&actual));
    }
    operator(out, &[1.0, 0.0, 0.0, 1.0, placed.x, placed.y], "Tm");
    for run in &placed.line.runs {
        show_run(out, run, placed.size, cids.of_weight(run.weight));
    }
    if replaced {
        out.push_str("EMC\n");
    }
}

fn show_run(out: &mut String, run: &Run, size: f64, cids: &BTreeMap<u16, u16>) {
    let _ = write!(out, "/{} ", run.weight.resource());
    operator(out, &[size], "Tf");
    out.push('<');
    for &glyph in &run.glyphs {
        let _ = write!(out, "{:04X}", cids.get(&glyph.id).copied().unwrap_or(0));
    }
    out.push_str("> Tj\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact_to_a_thousandth() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (12.0, "12"),
            (0.5, "0.5"),
            (1.05, "1.05"),
            (-3.0071, "-3.007"),
            (0.0004, "0"),
            (999.9996, "1000"),
            (f64::NAN, "0"),
        ] {
            let mut out = String::new();
            number(&mut out, value);
            assert_eq!(out, expected, "{value}");
        }
    }
}
