//! Where the lines and the mark stand in a rectangle of any size. Lengths are in points.
//!
//! Plans are tried from the richest to the barest; of the first that fits, the largest
//! letters that fit are taken. What is arranged never leaves the rectangle.

use crate::seal::{
    font::{Fonts, Weight},
    layout::paragraph::{Line, Overlong, Paragraph},
    words::Words,
};

pub(super) mod paragraph;

/// Height of a line in em: room for accents on capitals above, and for descenders below.
const LEADING: f64 = 1.25;
/// From the top of a line to its baseline in em.
const ASCENT: f64 = 1.0;
/// Sizes at scale 1, in points.
const CAPTION: f64 = 6.6;
const NAME: f64 = 9.4;
const DETAIL: f64 = 7.2;
/// Space above the holder and below, at scale 1.
const GAP: f64 = 1.2;
/// Letters grow with the space, from this size on, up to 14-point details.
const USUAL_WIDTH: f64 = 172.0;
const USUAL_HEIGHT: f64 = 60.0;
const LARGEST: f64 = 2.0;
/// Details are never smaller than 4.2 points while a barer plan is left.
const SMALLEST: f64 = 0.58;
/// With less than this the mark makes way for the text.
const SMALLEST_BESIDE_MARK: f64 = 0.72;
/// In tiny rectangles letters shrink down to this: 1.4 points, still real text.
const TINIEST: f64 = 0.2;
/// Each try is this much smaller than the last.
const STEP: f64 = 0.96;

/// The colour of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    /// Strong.
    Strong,
    /// For the caption.
    Quiet,
}

/// A line and where its baseline begins, from the bottom left corner.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedLine {
    /// Left end of the baseline.
    pub(super) x: f64,
    /// Height of the baseline.
    pub(super) y: f64,
    /// Size of the letters.
    pub(super) size: f64,
    /// Their colour.
    pub(super) ink: Ink,
    /// The letters.
    pub(super) line: Line,
}

/// A square in which the mark is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mark {
    /// Left edge.
    pub(super) x: f64,
    /// Bottom edge.
    pub(super) y: f64,
    /// Width and height.
    pub(super) side: f64,
}

/// A seal with everything in its place, in a rectangle that begins at 0, 0.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    /// Width of the rectangle.
    pub(super) width: f64,
    /// Height of the rectangle.
    pub(super) height: f64,
    /// Width of the bar at the left edge.
    pub(super) bar: f64,
    /// Width of the border; 0 for none.
    pub(super) border: f64,
    /// The mark, where there is room for it.
    pub(super) mark: Option<Mark>,
    /// The lines from top to bottom.
    pub(super) lines: Vec<PlacedLine>,
}

/// The part of the rectangle that is left for the text.
#[derive(Debug, Clone, Copy)]
struct Space {
    left: f64,
    bottom: f64,
    width: f64,
    height: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Caption,
    Name,
    Identifier,
    Date,
    Reason,
    Location,
}

/// One way to say it.
struct Plan {
    parts: &'static [Part],
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// A paragraph for each part, nothing cut; only name, reason and location may break.
    Stacked,
    /// A paragraph for each part, nothing cut: for narrow rectangles.
    StackedNarrow,
    /// A paragraph for each part; reason and location have one line each and may be cut.
    StackedBrief,
    /// A paragraph for each part; the name has one line and may be cut.
    StackedNameCut,
    /// All in one paragraph, nothing cut.
    Running,
    /// All in one paragraph of one line, cut where it ends.
    RunningCut,
}

const ALL: &[Part] = &[Part::Caption, Part::Name, Part::Identifier, Part::Date, Part::Reason, Part::Location];
const NO_LOCATION: &[Part] = &[Part::Caption, Part::Name, Part::Identifier, Part::Date, Part::Reason];
const NO_REASON: &[Part] = &[Part::Caption, Part::Name, Part::Identifier, Part::Date];
const NO_CAPTION: &[Part] = &[Part::Name, Part::Identifier, Part::Date];
const NAME_AND_DATE: &[Part] = &[Part::Name, Part::Date];
const NAME_ONLY: &[Part] = &[Part::Name];

/// Who signed is what goes last; before it the time, then the number.
const PLANS: &[Plan] = &[
    Plan { parts: ALL, shape: Shape::Stacked },
    Plan { parts: ALL, shape: Shape::StackedBrief },
    Plan { parts: ALL, shape: Shape::StackedNarrow },
    Plan { parts: ALL, shape: Shape::Running },
    Plan { parts: NO_LOCATION, shape: Shape::StackedBrief },
    Plan { parts: NO_REASON, shape: Shape::Stacked },
    Plan { parts: NO_REASON, shape: Shape::Running },
    Plan { parts: NO_CAPTION, shape: Shape::Stacked },
    Plan { parts: NO_CAPTION, shape: Shape::Running },
    Plan { parts: NO_CAPTION, shape: Shape::StackedNameCut },
    Plan { parts: NAME_AND_DATE, shape: Shape::Stacked },
    Plan { parts: NAME_AND_DATE, shape: Shape::Running },
    Plan { parts: NAME_ONLY, shape: Shape::Stacked },
];

/// What is tried in rectangles in which nothing legible fits.
const TINY_PLANS: &[Plan] = &[
    Plan { parts: NO_CAPTION, shape: Shape::Running },
    Plan { parts: NAME_AND_DATE, shape: Shape::Running },
    Plan { parts: NAME_ONLY, shape: Shape::Running },
    Plan { parts: NAME_ONLY, shape: Shape::RunningCut },
];

/// Arranges `words` in a rectangle of `width` by `height`.
pub(super) fn arrange(words: &Words, width: f64, height: f64, fonts: &Fonts) -> Layout {
    let smaller = width.min(height);
    let border = if smaller >= 8.0 { 0.6 } else { 0.0 };
    let bar = if smaller >= 4.0 { (width * 0.02).clamp(0.4, 2.4) } else { 0.0 };
    let (pad_x, pad_y) = ((width * 0.04).min(7.0), (height * 0.09).min(5.0));
    let whole = Space {
        left: bar + pad_x,
        bottom: pad_y,
        width: 2.0f64.mul_add(-pad_x, width - bar),
        height: 2.0f64.mul_add(-pad_y, height),
    };
    let beside = mark_of(whole, width, height);
    let (mark, lines) = choose(words, whole, beside, fonts);
    Layout { width, height, bar, border, mark, lines }
}

/// The mark and the space beside it or below it; `None` where there is no room for both.
fn mark_of(space: Space, width: f64, height: f64) -> Option<(Mark, Space)> {
    if width >= 110.0 && height >= 34.0 && width >= height * 1.4 {
        let side = (height * 0.44).min(width * 0.16).min(64.0);
        let taken = side + (width * 0.04).min(8.0);
        let mark = Mark { x: space.left, y: (height - side) / 2.0, side };
        return Some((mark, Space { left: space.left + taken, width: space.width - taken, ..space }));
    }
    if width >= 60.0 && height >= width {
        let side = (width * 0.3).min(40.0);
        let taken = side + 6.0;
        let mark = Mark { x: space.left, y: space.bottom + space.height - side, side };
        return Some((mark, Space { height: space.height - taken, ..space }));
    }
    None
}

fn choose(
    words: &Words,
    whole: Space,
    beside: Option<(Mark, Space)>,
    fonts: &Fonts,
) -> (Option<Mark>, Vec<PlacedLine>) {
    let largest = (whole.width / USUAL_WIDTH).min(whole.height / USUAL_HEIGHT);
    let largest = (largest * 1.12).clamp(1.0, LARGEST);
    for plan in PLANS {
        let paragraphs = plan.paragraphs(words, fonts);
        if let Some((mark, space)) = beside
            && let Some(lines) = fit(&paragraphs, space, largest, SMALLEST_BESIDE_MARK)
        {
            return (Some(with_text(mark, space, &lines)), lines);
        }
        if let Some(lines) = fit(&paragraphs, whole, largest, SMALLEST) {
            return (None, lines);
        }
    }
    for plan in TINY_PLANS {
        if let Some(lines) = fit(&plan.paragraphs(words, fonts), whole, SMALLEST, TINIEST) {
            return (None, lines);
        }
    }
    (None, Vec::new())
}

/// A mark above the text goes where the text begins, not to the far end of a tall rectangle.
fn with_text(mark: Mark, space: Space, lines: &[PlacedLine]) -> Mark {
    let beside = space.left > mark.x;
    match lines.first() {
        Some(first) if !beside => {
            let top = ASCENT.mul_add(first.size, first.y);
            Mark { y: mark.y - (space.bottom + space.height - top), ..mark }
        }
        Some(_) | None => mark,
    }
}

impl Plan {
    fn paragraphs(&self, words: &Words, fonts: &Fonts) -> Vec<Paragraph> {
        let parts = self.parts.iter().filter_map(|part| Some((*part, part.text(words)?)));
        match self.shape {
            Shape::Stacked | Shape::StackedNarrow | Shape::StackedBrief | Shape::StackedNameCut => parts
                .map(|(part, text)| {
                    let (size, weight, ink, gap) = part.style();
                    let (most, overlong) = self.shape.lines(part);
                    Paragraph::new(size, ink, gap, most, overlong).with(text, weight, fonts)
                })
                .collect(),
            Shape::Running | Shape::RunningCut => {
                let (most, overlong) = self.shape.lines(Part::Name);
                let mut running = Paragraph::new(DETAIL, Ink::Strong, 0.0, most, overlong);
                let mut last = None;
                for (part, text) in parts {
                    if last.is_some_and(|last| last != Part::Caption) {
                        running = running.with("·", Weight::Regular, fonts);
                    }
                    let (_, weight, _, _) = part.style();
                    running = running.with(text, weight, fonts);
                    last = Some(part);
                }
                vec![running]
            }
        }
    }
}

impl Shape {
    /// How many lines a part may have, and what becomes of more.
    const fn lines(self, part: Part) -> (usize, Overlong) {
        match (self, part) {
            (Self::RunningCut, _) | (Self::StackedNameCut, Part::Name) => (1, Overlong::Cut),
            (Self::StackedBrief, Part::Reason | Part::Location) => (1, Overlong::Cut),
            (Self::Running, _) => (usize::MAX, Overlong::Refuse),
            (Self::StackedNarrow, Part::Name) => (6, Overlong::Refuse),
            (Self::StackedNarrow, _) | (_, Part::Name | Part::Reason) => (3, Overlong::Refuse),
            (_, Part::Location) => (2, Overlong::Refuse),
            (_, Part::Caption | Part::Identifier | Part::Date) => (1, Overlong::Refuse),
        }
    }
}

impl Part {
    fn text(self, words: &Words) -> Option<&str> {
        match self {
            Self::Caption => Some(words.caption),
            Self::Name => Some(words.name.as_str()).filter(|name| !name.is_empty()),
            Self::Identifier => words.identifier.as_deref(),
            Self::Date => Some(&words.date),
            Self::Reason => words.reason.as_deref(),
            Self::Location => words.location.as_deref(),
        }
    }

    /// Size, weight, colour and the space above, at scale 1.
    const fn style(self) -> (f64, Weight, Ink, f64) {
        match self {
            Self::Caption => (CAPTION, Weight::Regular, Ink::Quiet, 0.0),
            Self::Name => (NAME, Weight::Bold, Ink::Strong, 0.0),
            Self::Identifier => (DETAIL, Weight::Regular, Ink::Strong, GAP),
            Self::Date | Self::Reason | Self::Location => (DETAIL, Weight::Regular, Ink::Strong, 0.0),
        }
    }
}

/// The lines at the largest scale at which all of them fit, centred in height.
fn fit(paragraphs: &[Paragraph], space: Space, largest: f64, smallest: f64) -> Option<Vec<PlacedLine>> {
    if space.width <= 0.0 || space.height <= 0.0 {
        return None;
    }
    let mut scale = largest;
    while scale >= smallest {
        if fit_at(paragraphs, space, scale, Paragraph::lines).is_some() {
            return fit_at(paragraphs, space, scale, Paragraph::even_lines);
        }
        scale *= STEP;
    }
    None
}

fn fit_at(
    paragraphs: &[Paragraph],
    space: Space,
    scale: f64,
    broken: fn(&Paragraph, f64) -> Option<Vec<Line>>,
) -> Option<Vec<PlacedLine>> {
    let mut lines = Vec::new();
    // Counted downwards from the top of the block.
    let mut depth = 0.0;
    for (index, paragraph) in paragraphs.iter().enumerate() {
        let size = paragraph.size * scale;
        if index > 0 {
            depth = paragraph.gap.mul_add(scale, depth);
        }
        for line in broken(paragraph, space.width / size)? {
            let y = ASCENT.mul_add(size, depth);
            depth = LEADING.mul_add(size, depth);
            if depth > space.height {
                return None;
            }
            lines.push(PlacedLine { x: space.left, y, size, ink: paragraph.ink, line });
        }
    }
    if lines.is_empty() {
        return None;
    }
    let top = space.bottom + (space.height + depth) / 2.0;
    for line in &mut lines {
        line.y = top - line.y;
    }
    Some(lines)
}
