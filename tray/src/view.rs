//! From a request to pixels: what stands where, in which letters and colours.
//!
//! [`page::compose`] makes a [`Frame`] of nodes in logical pixels; [`paint::paint`] fills a
//! pixmap from it, and `access` tells screen readers the same nodes.

pub(crate) mod fonts;
pub(crate) mod page;
pub(crate) mod paint;
pub(crate) mod palette;
#[cfg(test)]
mod tests;

use crate::{
    screen::Target,
    view::{fonts::Block, palette::Tint},
};

/// The width of the window in logical pixels.
pub(crate) const WIDTH: f32 = 520.0;

/// A rectangle in logical pixels, from the top left corner of the window.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Rect {
    /// Its left edge.
    pub(crate) x: f32,
    /// Its upper edge.
    pub(crate) y: f32,
    /// Its width.
    pub(crate) width: f32,
    /// Its height.
    pub(crate) height: f32,
}

/// Everything that is on the screen at one moment.
#[derive(Debug)]
pub(crate) struct Frame {
    /// The height of the window in logical pixels; its width is [`WIDTH`].
    pub(crate) height: f32,
    /// Physical pixels for each logical one.
    pub(crate) scale: f32,
    /// In the order in which they are read.
    pub(crate) nodes: Vec<Node>,
    /// Where the body is seen.
    pub(crate) viewport: Rect,
    /// The height of all of the body.
    pub(crate) whole: f32,
    /// What has the focus.
    pub(crate) focus: Option<Target>,
}

/// A part of the window that means one thing.
#[derive(Debug)]
pub(crate) struct Node {
    /// Where it is.
    pub(crate) rect: Rect,
    /// Whether it moves with the body.
    pub(crate) layer: Layer,
    /// What it means.
    pub(crate) means: Means,
    /// How it looks.
    pub(crate) shapes: Vec<Shape>,
}

/// Whether a node stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    /// It moves with the body and is cut off at its edges.
    Body,
    /// It stands still.
    Fixed,
}

/// What a node is to somebody who does not see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Means {
    /// A message that must be heard at once.
    Alert(String),
    /// A button.
    Button {
        /// Which.
        target: Target,
        /// Its words.
        label: String,
        /// Whether it works.
        state: Liveness,
    },
    /// One of several.
    Choice {
        /// Which.
        target: Target,
        /// Its words.
        label: String,
        /// Whether it is the chosen one.
        mark: Mark,
    },
    /// A box to tick.
    Check {
        /// Its words.
        label: String,
        /// Whether it is ticked.
        mark: Mark,
    },
    /// Nothing: it is for the eye.
    Decoration,
    /// A heading within the window.
    Heading(String),
    /// An element of a list.
    Item(String),
    /// How far something is.
    Progress {
        /// Its words.
        label: String,
        /// How much is done.
        done: u32,
        /// Of how much.
        of: u32,
    },
    /// The field of the secret.
    Secret {
        /// Its label.
        label: String,
        /// The hint in it.
        hint: String,
        /// How much is typed, in words; nothing where nothing is.
        length: Option<String>,
    },
    /// Words.
    Text(String),
    /// The time that is left, in words and in seconds.
    Timer(String, u64),
    /// The title of the window.
    Title(String),
}

/// Whether a button works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Liveness {
    /// Not now.
    Dead,
    /// It does.
    Live,
}

/// Whether something is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It is not.
    Off,
    /// It is.
    On,
}

/// Something to draw.
#[derive(Debug)]
pub(crate) enum Shape {
    /// The edge of a rounded rectangle, drawn inside it.
    Edge {
        /// Its outer bounds.
        rect: Rect,
        /// Of its corners.
        radius: f32,
        /// Of the line.
        thickness: f32,
        /// Its colour.
        tint: Tint,
    },
    /// A rounded rectangle.
    Fill {
        /// Its bounds.
        rect: Rect,
        /// Of its corners.
        radius: f32,
        /// Its colour.
        tint: Tint,
    },
    /// A tick in a box.
    Tick {
        /// The bounds of the box.
        rect: Rect,
        /// Its colour.
        tint: Tint,
    },
    /// Words.
    Words {
        /// Their left edge.
        x: f32,
        /// Their upper edge.
        y: f32,
        /// Their letters.
        block: Block,
        /// Their colour.
        tint: Tint,
    },
}

impl Rect {
    /// A rectangle by its corner and size.
    pub(crate) const fn new(x: f32, y: f32, width: f32, height: f32) -> Self {
        Self { x, y, width, height }
    }

    /// The lower edge.
    pub(crate) fn bottom(&self) -> f32 {
        self.y + self.height
    }

    /// The right edge.
    pub(crate) fn right(&self) -> f32 {
        self.x + self.width
    }

    /// Whether a point is in it.
    pub(crate) fn holds(&self, x: f32, y: f32) -> bool {
        (self.x..self.right()).contains(&x) && (self.y..self.bottom()).contains(&y)
    }

    /// The rectangle made larger on all sides.
    pub(crate) fn grown(&self, by: f32) -> Self {
        Self::new(self.x - by, self.y - by, self.width + 2.0 * by, self.height + 2.0 * by)
    }

    fn moved(&self, by: f32) -> Self {
        Self { y: self.y + by, ..*self }
    }
}

impl Frame {
    /// What is at a point and can be pressed.
    pub(crate) fn target_at(&self, x: f32, y: f32) -> Option<Target> {
        self.nodes
            .iter()
            .filter(|node| node.rect.holds(x, y))
            .filter(|node| node.layer == Layer::Fixed || self.viewport.holds(x, y))
            .find_map(|node| node.target())
    }

    /// Where a target is, from the top of the body where it is in there.
    pub(crate) fn place_in_body(&self, target: Target, scroll: f32) -> Option<(f32, f32)> {
        let node =
            self.nodes.iter().find(|node| node.layer == Layer::Body && node.target() == Some(target))?;
        let top = node.rect.y - self.viewport.y + scroll;
        Some((top, top + node.rect.height))
    }
}

impl Node {
    /// What is pressed with it.
    pub(crate) const fn target(&self) -> Option<Target> {
        match &self.means {
            Means::Button { target, .. } | Means::Choice { target, .. } => Some(*target),
            Means::Check { .. } => Some(Target::Remember),
            Means::Secret { .. } => Some(Target::Secret),
            Means::Alert(_)
            | Means::Decoration
            | Means::Heading(_)
            | Means::Item(_)
            | Means::Progress { .. }
            | Means::Text(_)
            | Means::Timer(..)
            | Means::Title(_) => None,
        }
    }

    fn moved(mut self, by: f32) -> Self {
        self.rect = self.rect.moved(by);
        for shape in &mut self.shapes {
            match shape {
                Shape::Edge { rect, .. } | Shape::Fill { rect, .. } | Shape::Tick { rect, .. } => {
                    *rect = rect.moved(by);
                }
                Shape::Words { y, .. } => *y += by,
            }
        }
        self
    }
}
