//! Rectangles and the frame of a page (ISO 32000-2, 7.9.5, 14.11.2): where things stand.

use crate::pdf::object::Object;

/// A rectangle in default user space, in points times the page's user unit; left ≤ right, bottom ≤ top.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Left edge.
    pub left: f64,
    /// Bottom edge.
    pub bottom: f64,
    /// Right edge.
    pub right: f64,
    /// Top edge.
    pub top: f64,
}

/// How far the page is turned clockwise when it is shown (`/Rotate`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Rotation {
    /// Upright.
    #[default]
    None,
    /// 90° clockwise.
    Quarter,
    /// 180°.
    Half,
    /// 270° clockwise.
    ThreeQuarters,
}

/// What a viewer needs to show a page, and a seal to stand on it upright.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PageGeometry {
    /// The media box, inherited values resolved.
    pub media_box: Rectangle,
    /// The crop box within the media box: what is shown.
    pub crop_box: Rectangle,
    /// The page's rotation.
    pub rotation: Rotation,
    /// `/UserUnit`: the size of a unit in 1/72 inch; 1 where absent.
    pub user_unit: f64,
}

impl Rectangle {
    /// The rectangle between two opposite corners, in any order.
    pub const fn between(x1: f64, y1: f64, x2: f64, y2: f64) -> Self {
        Self { left: x1.min(x2), bottom: y1.min(y2), right: x1.max(x2), top: y1.max(y2) }
    }

    /// US Letter, what readers take where a page has no usable media box.
    pub const LETTER: Self = Self { left: 0.0, bottom: 0.0, right: 612.0, top: 792.0 };

    /// No extent: the rectangle of an invisible signature field.
    pub const EMPTY: Self = Self { left: 0.0, bottom: 0.0, right: 0.0, top: 0.0 };

    /// Width.
    pub const fn width(&self) -> f64 {
        self.right - self.left
    }

    /// Height.
    pub const fn height(&self) -> f64 {
        self.top - self.bottom
    }

    /// The part shared with `other`; `None` where nothing is shared.
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let shared = Self {
            left: self.left.max(other.left),
            bottom: self.bottom.max(other.bottom),
            right: self.right.min(other.right),
            top: self.top.min(other.top),
        };
        (shared.width() > 0.0 && shared.height() > 0.0).then_some(shared)
    }

    /// The array that stands for it in a file.
    pub fn to_object(&self) -> Object {
        Object::Array([self.left, self.bottom, self.right, self.top].map(Object::number).to_vec())
    }
}

impl Rotation {
    /// From degrees clockwise, reduced modulo 360; values that are no multiple of 90 count as upright,
    /// as readers take them.
    pub const fn from_degrees(degrees: i64) -> Self {
        match degrees.rem_euclid(360) {
            90 => Self::Quarter,
            180 => Self::Half,
            270 => Self::ThreeQuarters,
            _ => Self::None,
        }
    }

    /// Degrees clockwise.
    pub const fn degrees(self) -> u16 {
        match self {
            Self::None => 0,
            Self::Quarter => 90,
            Self::Half => 180,
            Self::ThreeQuarters => 270,
        }
    }

    /// Whether width and height change places when the page is shown.
    pub const fn swaps_sides(self) -> bool {
        matches!(self, Self::Quarter | Self::ThreeQuarters)
    }
}

impl PageGeometry {
    /// What a reader shows of the page: the crop box within the media box (14.11.2.2). A box
    /// without extent counts as absent, and US Letter stands in where none is left.
    pub fn shown(&self) -> Rectangle {
        let sound = |rectangle: &Rectangle| {
            let [width, height] = [rectangle.width(), rectangle.height()];
            width.is_finite() && height.is_finite() && width > 0.0 && height > 0.0
        };
        let media_box = if sound(&self.media_box) { self.media_box } else { Rectangle::LETTER };
        self.crop_box.intersection(&media_box).filter(sound).unwrap_or(media_box)
    }

    /// The size of a unit of user space in points (1/72 inch); 1 where `/UserUnit` is no
    /// positive number.
    pub fn unit(&self) -> f64 {
        if self.user_unit.is_finite() && self.user_unit > 0.0 { self.user_unit } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_show_the_crop_box_within_the_media_box() {
        let page = |media_box, crop_box| PageGeometry {
            media_box,
            crop_box,
            rotation: Rotation::None,
            user_unit: 1.0,
        };
        let media = Rectangle::between(0.0, 0.0, 600.0, 800.0);
        for (media_box, crop_box, shown) in [
            (media, media, media),
            (
                media,
                Rectangle::between(500.0, -50.0, 900.0, 100.0),
                Rectangle::between(500.0, 0.0, 600.0, 100.0),
            ),
            (media, Rectangle::EMPTY, media),
            (media, Rectangle::between(700.0, 0.0, 900.0, 100.0), media),
            (Rectangle::EMPTY, Rectangle::EMPTY, Rectangle::LETTER),
            (
                Rectangle::between(f64::NEG_INFINITY, 0.0, f64::INFINITY, 1.0),
                media,
                Rectangle::between(0.0, 0.0, 600.0, 792.0),
            ),
        ] {
            assert_eq!(page(media_box, crop_box).shown(), shown, "{media_box:?} {crop_box:?}");
        }
    }

    #[test]
    fn a_unit_is_always_a_positive_number() {
        for (user_unit, unit) in [(1.0, 1.0), (2.5, 2.5), (0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0)] {
            let page = PageGeometry {
                media_box: Rectangle::LETTER,
                crop_box: Rectangle::LETTER,
                rotation: Rotation::None,
                user_unit,
            };
            assert_eq!(page.unit(), unit);
        }
    }
}
