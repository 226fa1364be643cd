//! Where a seal stands on a page, as the reader sees it: beside its edges or at a distance from
//! them, told in words or in numbers.

use std::str::FromStr;

use crate::{
    pdf::geometry::{PageGeometry, Rectangle, Rotation},
    seal::{HEIGHT, SealError, WIDTH},
};

/// Distance from the edges of the page in points: 8 mm, more than printers leave blank.
const MARGIN: f64 = 24.0;
/// Points in a millimetre.
const MILLIMETRE: f64 = 72.0 / 25.4;
/// The largest length in points: the side of the largest page that ISO 32000 knows (annex C).
const LARGEST: f64 = 14_400.0;
/// A seal is not smaller than this, in points.
const SMALLEST: f64 = 1.0;
/// What adding lengths up may be off by, in points.
const TOLERANCE: f64 = 0.01;

/// Where on a page a seal stands, and how large it is. All of it is meant as the reader sees the
/// page: after `/Rotate`, within the crop box, in points (1/72 inch) on paper whatever `/UserUnit`
/// says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Placement {
    position: Position,
    size: Option<Size>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Position {
    /// Beside edges of the page, or in the middle between them.
    Beside {
        across: Side,
        up: Side,
        /// From the edges at the sides and from those at top and bottom; the usual ones where
        /// nothing is said, less on tiny pages.
        margins: Option<(f64, f64)>,
    },
    /// With its left edge and its top edge so far from those of the page.
    At { left: f64, top: f64 },
}

/// One direction of a position: left or right, top or bottom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Left, or bottom.
    Near,
    Middle,
    /// Right, or top.
    Far,
}

/// A corner of the page as the reader sees it, after `/Rotate`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corner {
    /// Top left.
    TopLeft,
    /// Top right.
    TopRight,
    /// Bottom left.
    BottomLeft,
    /// Bottom right.
    BottomRight,
}

/// Width and height in points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    width: f64,
    height: f64,
}

/// The words for the places beside edges.
const BESIDE: [(&str, Side, Side); 9] = [
    ("top-left", Side::Near, Side::Far),
    ("top", Side::Middle, Side::Far),
    ("top-right", Side::Far, Side::Far),
    ("left", Side::Near, Side::Middle),
    ("center", Side::Middle, Side::Middle),
    ("right", Side::Far, Side::Middle),
    ("bottom-left", Side::Near, Side::Near),
    ("bottom", Side::Middle, Side::Near),
    ("bottom-right", Side::Far, Side::Near),
];

/// Why a text names no place or size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    /// The place is none of those that are known.
    #[error(
        "the place is not known: one of top-left, top, top-right, left, center, right, bottom-left, bottom, \
         bottom-right, with distances as in 'bottom-right 10mm', or X,Y or X,Y,WIDTH,HEIGHT as in '20mm,30mm'"
    )]
    Unknown,
    /// A length is not one.
    #[error("a length is a number with its unit, mm, cm, in or pt, from 0 to 14400pt, as in 12.5mm")]
    Length,
    /// A size is not two lengths.
    #[error("a size is a width and a height of 1pt at least, as in 67mm,25mm")]
    Size,
    /// The size is told twice.
    #[error("the size is told twice")]
    SizeTwice,
}

impl Default for Placement {
    /// At the bottom right.
    fn default() -> Self {
        Self::at(Corner::BottomRight)
    }
}

impl FromStr for Placement {
    type Err = PlacementError;

    /// Reads a place: `bottom-right`, `bottom-right 10mm` with its distance from the edges,
    /// `bottom-right 10mm 20mm` with those from the sides and from top or bottom, `20mm,30mm` with
    /// the distances of its left and top edges from those of the page, or `20mm,30mm,67mm,25mm`
    /// with its width and height behind.
    fn from_str(text: &str) -> Result<Self, PlacementError> {
        if text.contains(',') {
            let mut lengths = text.split(',').map(length);
            let mut next = || lengths.next().transpose();
            let (left, top) = (next()?, next()?);
            let size = match (next()?, next()?) {
                (None, None) => None,
                (Some(width), Some(height)) => Some(Size::of(width, height)?),
                (Some(_), None) | (None, Some(_)) => return Err(PlacementError::Unknown),
            };
            let (Some(left), Some(top), None) = (left, top, next()?) else {
                return Err(PlacementError::Unknown);
            };
            return Ok(Self { position: Position::At { left, top }, size });
        }
        let mut words = text.split_whitespace();
        let place = words.next().unwrap_or_default();
        let (_, across, up) =
            *BESIDE.iter().find(|(name, ..)| *name == place).ok_or(PlacementError::Unknown)?;
        let mut next = || words.next().map(length).transpose();
        let margins = match (next()?, next()?, next()?) {
            (None, ..) => None,
            (Some(both), None, _) => Some((both, both)),
            (Some(sides), Some(ends), None) => Some((sides, ends)),
            (Some(_), Some(_), Some(_)) => return Err(PlacementError::Unknown),
        };
        Ok(Self::beside(across, up, margins))
    }
}

impl FromStr for Size {
    type Err = PlacementError;

    /// Reads a width and a height, as in `67mm,25mm`.
    fn from_str(text: &str) -> Result<Self, PlacementError> {
        let (width, height) = text.split_once(',').ok_or(PlacementError::Size)?;
        Self::of(length(width)?, length(height)?)
    }
}

impl Size {
    fn of(width: f64, height: f64) -> Result<Self, PlacementError> {
        if width < SMALLEST || height < SMALLEST {
            return Err(PlacementError::Size);
        }
        Ok(Self { width, height })
    }
}

/// A length in points.
fn length(text: &str) -> Result<f64, PlacementError> {
    let text = text.trim();
    let units = [("mm", MILLIMETRE), ("cm", 10.0 * MILLIMETRE), ("in", 72.0), ("pt", 1.0)];
    let (digits, unit) = units
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?.trim_end(), unit)))
        .ok_or(PlacementError::Length)?;
    // No signs, exponents or names of numbers.
    if !digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Err(PlacementError::Length);
    }
    let value = digits.parse::<f64>().map_err(|_| PlacementError::Length)? * unit;
    if value <= LARGEST { Ok(value) } else { Err(PlacementError::Length) }
}

impl Placement {
    const fn beside(across: Side, up: Side, margins: Option<(f64, f64)>) -> Self {
        Self { position: Position::Beside { across, up, margins }, size: None }
    }

    /// In a corner of the page, the usual distance away from both edges.
    pub const fn at(corner: Corner) -> Self {
        let (across, up) = match corner {
            Corner::TopLeft => (Side::Near, Side::Far),
            Corner::TopRight => (Side::Far, Side::Far),
            Corner::BottomLeft => (Side::Near, Side::Near),
            Corner::BottomRight => (Side::Far, Side::Near),
        };
        Self::beside(across, up, None)
    }

    /// The same with a size.
    ///
    /// # Errors
    /// Where it has one already.
    pub fn sized(self, size: Size) -> Result<Self, PlacementError> {
        match self.size {
            None => Ok(Self { size: Some(size), ..self }),
            Some(_) => Err(PlacementError::SizeTwice),
        }
    }

    /// Refuses a place that is not within a page of that width and height in points, as the reader
    /// sees it.
    ///
    /// # Errors
    /// [`SealError::OutsidePage`].
    pub fn check(&self, width: f64, height: f64) -> Result<(), SealError> {
        self.within(width, height).map(drop)
    }

    /// The rectangle in the frame of the reader: x to the right, y up, in points.
    fn within(&self, page_width: f64, page_height: f64) -> Result<Rectangle, SealError> {
        let usual = MARGIN.min(page_width.min(page_height) / 20.0);
        let (margins, told) = match self.position {
            Position::Beside { margins: Some(margins), .. } => (margins, true),
            Position::Beside { margins: None, .. } => ((usual, usual), false),
            Position::At { .. } => ((0.0, 0.0), true),
        };
        let Size { width, height } = self.size.unwrap_or_else(|| {
            let room = |side: f64, margin: f64| 2.0f64.mul_add(-margin, side);
            let shrink = (room(page_width, margins.0) / WIDTH).min(room(page_height, margins.1) / HEIGHT);
            // A place that was told is kept or refused; only the usual one makes room for itself.
            let shrink = if told { 1.0 } else { shrink.min(1.0) };
            Size { width: WIDTH * shrink, height: HEIGHT * shrink }
        });
        let along = |side: Side, page: f64, seal: f64, margin: f64| match side {
            Side::Near => margin,
            Side::Middle => (page - seal) / 2.0,
            Side::Far => page - margin - seal,
        };
        let (x, y) = match self.position {
            Position::Beside { across, up, .. } => {
                (along(across, page_width, width, margins.0), along(up, page_height, height, margins.1))
            }
            Position::At { left, top } => (left, page_height - top - height),
        };
        let inside = x >= -TOLERANCE
            && y >= -TOLERANCE
            && x + width <= page_width + TOLERANCE
            && y + height <= page_height + TOLERANCE;
        if !inside {
            return Err(SealError::OutsidePage { width: page_width, height: page_height });
        }
        Ok(Rectangle::between(x, y, x + width, y + height))
    }
}

/// The rectangle of a seal in the page's default user space.
///
/// It lies within what is shown of the page and has the same size on paper whatever `/UserUnit`
/// says. A seal of which neither size nor distance was told shrinks on pages too small for it.
///
/// # Errors
/// [`SealError::OutsidePage`] where the place that was told is not on this page.
pub fn rectangle(page: &PageGeometry, placement: &Placement) -> Result<Rectangle, SealError> {
    let shown = page.shown();
    let unit = page.unit();
    let (page_width, page_height) = if page.rotation.swaps_sides() {
        (shown.height() * unit, shown.width() * unit)
    } else {
        (shown.width() * unit, shown.height() * unit)
    };
    let seen = placement.within(page_width, page_height)?;

    // Back to user space: `/Rotate` turns the page clockwise, so the seal turns the other way.
    let (x, y, width, height) =
        (seen.left / unit, seen.bottom / unit, seen.width() / unit, seen.height() / unit);
    let (left, bottom, across, up) = match page.rotation {
        Rotation::None => (shown.left + x, shown.bottom + y, width, height),
        Rotation::Quarter => (shown.right - y - height, shown.bottom + x, height, width),
        Rotation::Half => (shown.right - x - width, shown.top - y - height, width, height),
        Rotation::ThreeQuarters => (shown.left + y, shown.top - x - width, height, width),
    };
    Ok(Rectangle::between(left, bottom, left + across, bottom + up))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A4: (f64, f64) = (595.0, 842.0);

    fn place(text: &str) -> Placement {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn places_are_told_in_words_or_numbers() {
        let mm = MILLIMETRE;
        for (text, left, bottom, width, height) in [
            ("bottom-right", 595.0 - 24.0 - 190.0, 24.0, 190.0, 70.0),
            ("top", (595.0 - 190.0) / 2.0, 842.0 - 24.0 - 70.0, 190.0, 70.0),
            ("center", (595.0 - 190.0) / 2.0, (842.0 - 70.0) / 2.0, 190.0, 70.0),
            ("bottom-right 10mm", 595.0 - 10.0 * mm - 190.0, 10.0 * mm, 190.0, 70.0),
            ("top-left  0pt 1in ", 0.0, 842.0 - 72.0 - 70.0, 190.0, 70.0),
            ("left 12.5 mm", 0.0, 0.0, 0.0, 0.0),
            ("20mm,30mm", 20.0 * mm, 842.0 - 30.0 * mm - 70.0, 190.0, 70.0),
            ("20mm, 3cm, 40mm, 15mm", 20.0 * mm, 842.0 - 45.0 * mm, 40.0 * mm, 15.0 * mm),
            ("0pt,0pt,595pt,842pt", 0.0, 0.0, 595.0, 842.0),
        ] {
            let Ok(placement) = text.parse::<Placement>() else {
                assert_eq!(width, 0.0, "{text}");
                continue;
            };
            let rectangle = placement.within(A4.0, A4.1).unwrap();
            let expected = Rectangle::between(left, bottom, left + width, bottom + height);
            for (found, expected) in [
                (rectangle.left, expected.left),
                (rectangle.bottom, expected.bottom),
                (rectangle.right, expected.right),
                (rectangle.top, expected.top),
            ] {
                assert!((found - expected).abs() < 1e-9, "{text}: {rectangle:?} {expected}");
            }
        }
    }

    #[test]
    fn what_is_no_place_is_refused() {
        for (text, error) in [
            ("", PlacementError::Unknown),
            ("middle", PlacementError::Unknown),
            ("bottom-right 10", PlacementError::Length),
            ("bottom-right -1mm", PlacementError::Length),
            ("bottom-right 1e3mm", PlacementError::Length),
            ("bottom-right nanmm", PlacementError::Length),
            ("bottom-right mm", PlacementError::Length),
            ("bottom-right 99999mm", PlacementError::Length),
            ("bottom-right 1mm 2mm 3mm", PlacementError::Unknown),
            ("1mm", PlacementError::Unknown),
            ("1mm,", PlacementError::Length),
            ("1mm,2mm,3mm", PlacementError::Unknown),
            ("1mm,2mm,3mm,0mm", PlacementError::Size),
            ("1mm,2mm,3mm,4mm,5mm", PlacementError::Unknown),
        ] {
            assert_eq!(text.parse::<Placement>(), Err(error), "{text:?}");
        }
        assert_eq!("67mm".parse::<Size>(), Err(PlacementError::Size));
        let size = "67mm,25mm".parse::<Size>().unwrap();
        assert_eq!(place("1mm,2mm,3mm,4mm").sized(size), Err(PlacementError::SizeTwice));
    }

    #[test]
    fn only_the_usual_place_makes_room_for_itself() {
        let (width, height) = (100.0, 50.0);
        assert!(place("bottom-right").check(width, height).is_ok());
        for told in ["bottom-right 10mm", "0pt,0pt", "80pt,0pt,30pt,10pt", "0pt,45pt,30pt,10pt"] {
            assert!(matches!(place(told).check(width, height), Err(SealError::OutsidePage { .. })), "{told}");
        }
        let large = place("center").sized("101pt,10pt".parse().unwrap()).unwrap();
        assert!(large.check(width, height).is_err());
        let fits = place("bottom-right 0pt").sized("100pt,50pt".parse().unwrap()).unwrap();
        assert!(fits.check(width, height).is_ok());
    }
}
