//! The colours, by what they are for. `tests` computes their contrasts.

use crate::os::{Appearance, Contrast, Scheme};

/// What a colour is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tint {
    /// The focus ring, the button that says yes, progress.
    Accent,
    /// The ground of the window.
    Background,
    /// The ground of cards, fields and other buttons.
    Card,
    /// The edges of what can be pressed or typed in.
    Control,
    /// Lines for the eye alone.
    Divider,
    /// What went wrong.
    Error,
    /// Words on the accent.
    OnAccent,
    /// Labels and remarks.
    Secondary,
    /// What went well.
    Success,
    /// Words.
    Text,
    /// What needs care.
    Warning,
}

/// A colour as red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Palette(Appearance);

impl Palette {
    /// The colours for what the person wants.
    pub(crate) const fn of(appearance: Appearance) -> Self {
        Self(appearance)
    }

    /// How thick the edges of controls are, in logical pixels.
    pub(crate) const fn edge(self) -> f32 {
        match self.0.contrast {
            Contrast::High => 2.0,
            Contrast::Normal => 1.0,
        }
    }

    /// A colour.
    pub(crate) const fn colour(self, tint: Tint) -> Colour {
        match (self.0.contrast, self.0.scheme) {
            (Contrast::Normal, Scheme::Light) => light(tint),
            (Contrast::Normal, Scheme::Dark) => dark(tint),
            (Contrast::High, Scheme::Light) => black_on_white(tint),
            (Contrast::High, Scheme::Dark) => white_on_black(tint),
        }
    }
}

const fn light(tint: Tint) -> Colour {
    match tint {
        Tint::Accent => Colour(0x0b, 0x5c, 0xad),
        Tint::Background => Colour(0xf6, 0xf8, 0xfa),
        Tint::Card | Tint::OnAccent => Colour(0xff, 0xff, 0xff),
        Tint::Control => Colour(0x7a, 0x87, 0x94),
        Tint::Divider => Colour(0xc4, 0xcd, 0xd6),
        Tint::Error => Colour(0xb3, 0x26, 0x1e),
        Tint::Secondary => Colour(0x55, 0x61, 0x6e),
        Tint::Success => Colour(0x1b, 0x7f, 0x4b),
        Tint::Text => Colour(0x17, 0x21, 0x2b),
        Tint::Warning => Colour(0x8a, 0x5a, 0x00),
    }
}

const fn dark(tint: Tint) -> Colour {
    match tint {
        Tint::Accent => Colour(0x4d, 0x9b, 0xff),
        Tint::Background => Colour(0x15, 0x19, 0x1e),
        Tint::Card => Colour(0x1e, 0x24, 0x2b),
        Tint::Control => Colour(0x7d, 0x8a, 0x97),
        Tint::Divider => Colour(0x3a, 0x44, 0x4f),
        Tint::Error => Colour(0xff, 0x8a, 0x80),
        Tint::OnAccent => Colour(0x06, 0x13, 0x1f),
        Tint::Secondary => Colour(0xa6, 0xb1, 0xbc),
        Tint::Success => Colour(0x4c, 0xc3, 0x8a),
        Tint::Text => Colour(0xec, 0xf0, 0xf4),
        Tint::Warning => Colour(0xf5, 0xb9, 0x4a),
    }
}

const fn black_on_white(tint: Tint) -> Colour {
    match tint {
        Tint::Accent => Colour(0x00, 0x00, 0x8b),
        Tint::Background | Tint::Card | Tint::OnAccent => Colour(0xff, 0xff, 0xff),
        Tint::Control | Tint::Divider | Tint::Secondary | Tint::Text => Colour(0x00, 0x00, 0x00),
        Tint::Error => Colour(0x8b, 0x00, 0x00),
        Tint::Success => Colour(0x00, 0x4b, 0x00),
        Tint::Warning => Colour(0x5a, 0x32, 0x00),
    }
}

const fn white_on_black(tint: Tint) -> Colour {
    match tint {
        Tint::Accent | Tint::Warning => Colour(0xff, 0xff, 0x00),
        Tint::Background | Tint::Card | Tint::OnAccent => Colour(0x00, 0x00, 0x00),
        Tint::Control | Tint::Divider | Tint::Secondary | Tint::Text => Colour(0xff, 0xff, 0xff),
        Tint::Error => Colour(0xff, 0xa0, 0xa0),
        Tint::Success => Colour(0x80, 0xff, 0x80),
    }
}
