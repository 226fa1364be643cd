//! The seal: the visible mark of a signature on a page. It proves nothing, the signature does.
//!
//! `words` holds what it says, `font` the letters and their widths, `layout` where lines
//! stand in the rectangle, `appearance` the form XObject (ISO 32000-2, 12.5.5), `embed`
//! the font subset that goes with it, and `place` where the seal stands on a page.

mod appearance;
mod embed;
mod font;
mod layout;
mod place;
mod words;

use crate::{
    error::ErrorCode,
    moment::Moment,
    pdf::{
        geometry::{PageGeometry, Rectangle},
        object::Reference,
        update::Update,
    },
};

pub use place::{Corner, Placement, PlacementError, Size, rectangle};

/// Width of a seal in points (1/72 inch): 67 mm.
const WIDTH: f64 = 190.0;
/// Height of a seal in points: 25 mm.
const HEIGHT: f64 = 70.0;
/// What a seal says.
#[derive(Debug, Clone, PartialEq)]
pub struct SealText {
    name: String,
    identifier: Option<String>,
    moment: Moment,
    reason: Option<String>,
    location: Option<String>,
    language: Language,
}

/// The language of a seal's own words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// Brazilian Portuguese: what readers of ICP-Brasil signatures expect.
    #[default]
    Portuguese,
    /// English.
    English,
    /// Spanish.
    Spanish,
}

/// Why a seal could not be drawn. All but a place that is not on the page are defects of this
/// program, never of the text.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The font that is built in cannot be read.
    #[error("the built-in font cannot be read")]
    Font(#[from] ttf_parser::FaceParsingError),
    /// The font could not be cut to the letters in use.
    #[error("the built-in font cannot be cut")]
    Subset(#[from] subsetter::Error),
    /// The place that was told is not on the page.
    #[error("the seal would leave the page, which is {width:.0} by {height:.0} points as the reader sees it")]
    OutsidePage {
        /// Width of the page in points, as the reader sees it.
        width: f64,
        /// Height of the page in points.
        height: f64,
    },
    /// A stream could not be compressed.
    #[error("a stream of the seal cannot be compressed")]
    Compression(#[from] std::io::Error),
}

impl SealText {
    /// The text of a signature's seal, in Portuguese unless [`SealText::in_language`] follows.
    ///
    /// `identifier` is the CPF or CNPJ as it may be shown: mask it before. Texts may be
    /// anything: line breaks and runs of spaces become one space, characters that steer
    /// (bidirectional marks, zero widths) vanish, and what is too long for any seal is cut.
    pub fn signature(
        name: &str,
        identifier: Option<&str>,
        moment: Moment,
        reason: Option<&str>,
        location: Option<&str>,
    ) -> Self {
        let optional = |text: Option<&str>| text.map(words::clean).filter(|text| !text.is_empty());
        Self {
            name: words::clean(name),
            identifier: optional(identifier),
            moment,
            reason: optional(reason),
            location: optional(location),
            language: Language::default(),
        }
    }

    /// The same in another language.
    #[must_use]
    pub const fn in_language(mut self, language: Language) -> Self {
        self.language = language;
        self
    }

    /// The language of its own words.
    pub const fn language(&self) -> Language {
        self.language
    }

    /// What the seal is, for who cannot see it: in `language`, which may be another one.
    pub fn description(&self, language: Language) -> String {
        words::describe(&self.name, language)
    }
}

impl Language {
    /// The language of a tag such as `pt-BR` (RFC 5646), if it is one of these.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split('-').next().unwrap_or_default();
        match primary.to_ascii_lowercase().as_str() {
            "en" => Some(Self::English),
            "es" => Some(Self::Spanish),
            "pt" => Some(Self::Portuguese),
            _ => None,
        }
    }

    /// The tag of the language.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Portuguese => "pt-BR",
            Self::Spanish => "es",
        }
    }
}

impl SealError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::OutsidePage { .. } => ErrorCode::SealOutsidePage,
            Self::Font(_) | Self::Subset(_) | Self::Compression(_) => ErrorCode::Internal,
        }
    }
}

/// Adds the seal's appearance and its fonts to `update` and returns the form XObject, to be
/// the `/AP /N` of a widget whose `/Rect` is `rectangle`.
///
/// The seal stands upright as the reader sees the page, and nothing of it leaves the
/// rectangle: letters shrink, lines break, and what does not fit even then is left out.
///
/// # Errors
/// Only on defects of the built-in font.
pub fn draw(
    text: &SealText,
    rectangle: &Rectangle,
    page: &PageGeometry,
    update: &mut Update,
) -> Result<Reference, SealError> {
    let fonts = font::Fonts::built_in()?;
    let unit = page.unit();
    let (across, up) = (sound(rectangle.width()), sound(rectangle.height()));
    let (width, height) = if page.rotation.swaps_sides() { (up, across) } else { (across, up) };
    let layout = layout::arrange(&words::say(text), width * unit, height * unit, &fonts);
    appearance::write(
        &layout,
        &fonts,
        appearance::Frame { width, height, unit, rotation: page.rotation },
        update,
    )
}

/// A side that can be computed with; 0 for all that is none.
fn sound(side: f64) -> f64 {
    if side.is_finite() { side.clamp(0.0, 1e6) } else { 0.0 }
}

#[cfg(test)]
mod tests;
