//! What stands where: the title and who asks at the top, the facts in the body, the secret and
//! the buttons at the bottom.
//!
//! The body scrolls where the window would be higher than the screen allows; top and bottom
//! always stand.

mod body;
mod foot;
mod head;

use std::time::Duration;

use crate::{
    screen::Request,
    text::{Language, Sentence},
    view::{
        Frame, Layer, Means, Node, Rect, Shape, WIDTH,
        fonts::{Block, Fonts, Style},
        palette::Tint,
    },
};

/// The distance of everything from the window's edges.
const MARGIN: f32 = 20.0;
/// The distance between parts.
const GAP: f32 = 12.0;
/// The body is never seen through a smaller hole.
const LEAST_BODY: f32 = 80.0;
/// The corners of cards.
const CARD_RADIUS: f32 = 8.0;
/// The corners of controls.
const RADIUS: f32 = 6.0;
/// The width between the margins.
const CONTENT: f32 = WIDTH - 2.0 * MARGIN;

/// What the layout depends on besides the request.
pub(crate) struct Setting<'a> {
    /// The letters.
    pub(crate) fonts: &'a mut Fonts,
    /// The person's language.
    pub(crate) language: Language,
    /// Physical pixels for each logical one.
    pub(crate) scale: f32,
    /// How high the window may be, in logical pixels.
    pub(crate) highest: f32,
    /// How thick the edges of controls are.
    pub(crate) edge: f32,
    /// The time.
    pub(crate) now: Duration,
}

/// Lays out a request.
pub(crate) fn compose(request: &Request, setting: &mut Setting<'_>) -> Frame {
    let mut head = Column::new(setting, Layer::Fixed);
    head::fill(&mut head, request);
    let (head_nodes, head_height) = head.finish();
    let mut body = Column::new(setting, Layer::Body);
    body::fill(&mut body, request);
    let (body_nodes, whole) = body.finish();
    let mut foot = Column::new(setting, Layer::Fixed);
    foot::fill(&mut foot, request);
    let (foot_nodes, foot_height) = foot.finish();

    let fixed = head_height + foot_height;
    let height = (fixed + whole).min(setting.highest).max(fixed + whole.min(LEAST_BODY)).ceil();
    let viewport = Rect::new(0.0, head_height, WIDTH, height - fixed);
    let scroll = request.scroll.min(whole - viewport.height).max(0.0);
    let mut nodes = head_nodes;
    nodes.extend(body_nodes.into_iter().map(|node| node.moved(head_height - scroll)));
    nodes.extend(foot_nodes.into_iter().map(|node| node.moved(height - foot_height)));
    Frame { height, scale: setting.scale, nodes, viewport, whole, focus: Some(request.focus) }
}

/// Nodes one below the other.
struct Column<'a, 'b> {
    setting: &'a mut Setting<'b>,
    layer: Layer,
    nodes: Vec<Node>,
    y: f32,
}

impl<'a, 'b> Column<'a, 'b> {
    const fn new(setting: &'a mut Setting<'b>, layer: Layer) -> Self {
        Self { setting, layer, nodes: Vec::new(), y: 0.0 }
    }

    fn finish(self) -> (Vec<Node>, f32) {
        (self.nodes, self.y.ceil())
    }

    fn say(&self, sentence: Sentence<'_>) -> String {
        sentence.say(self.setting.language)
    }

    const fn gap(&mut self, height: f32) {
        self.y += height;
    }

    fn block(&mut self, text: &str, style: Style, width: f32) -> Block {
        self.setting.fonts.block(text, style, width, self.setting.scale)
    }

    fn cut(&mut self, text: &str, style: Style, width: f32, lines: usize) -> Block {
        self.setting.fonts.cut(text, style, width, lines, self.setting.scale)
    }

    fn width(&mut self, text: &str, style: Style) -> f32 {
        self.setting.fonts.width(text, style, self.setting.scale)
    }

    /// A node at the column's place, as high as it is; the column goes on below.
    fn add(&mut self, height: f32, means: Means, shapes: Vec<Shape>) {
        let rect = Rect::new(MARGIN, self.y, CONTENT, height);
        self.put(rect, means, shapes);
        self.y += height;
    }

    /// A node anywhere.
    fn put(&mut self, rect: Rect, means: Means, shapes: Vec<Shape>) {
        self.nodes.push(Node { rect, layer: self.layer, means, shapes });
    }

    /// Lines of words over the whole width.
    fn words(&mut self, text: &str, style: Style, tint: Tint, means: Means) {
        let block = self.block(text, style, CONTENT);
        let height = block.height();
        let shape = Shape::Words { x: MARGIN, y: self.y, block, tint };
        self.add(height, means, vec![shape]);
    }
}
