//! Pixels: fills a pixmap from a frame.

use tiny_skia::{
    FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, PixmapMut, Rect as SkiaRect, Stroke,
    Transform,
};

use crate::{
    screen::Target,
    view::{
        Frame, Layer, Node, Rect, Shape, WIDTH,
        palette::{Palette, Tint},
    },
};

/// The distance of the focus ring from what has the focus.
const RING_GAP: f32 = 3.0;
/// The thickness of the focus ring.
const RING: f32 = 2.0;
const SCROLLBAR: f32 = 4.0;

/// Draws `frame` into `pixels`, whose size is the window's in physical pixels.
pub(crate) fn paint(frame: &Frame, palette: Palette, pixels: &mut PixmapMut<'_>) {
    let mut brush = Brush { pixels, palette, scale: frame.scale };
    brush.pixels.fill(colour(palette, Tint::Background));
    let layer = |layer: Layer| frame.nodes.iter().filter(move |node| node.layer == layer);
    for node in layer(Layer::Body) {
        brush.node(node, frame.focus);
    }
    // What the body left outside its place is painted over.
    let above = Rect::new(0.0, 0.0, WIDTH, frame.viewport.y);
    let below = Rect::new(0.0, frame.viewport.bottom(), WIDTH, frame.height - frame.viewport.bottom());
    for rest in [above, below] {
        brush.fill(rest, 0.0, Tint::Background);
    }
    for node in layer(Layer::Fixed) {
        brush.node(node, frame.focus);
    }
    brush.scrollbar(frame);
}

struct Brush<'a, 'b> {
    pixels: &'a mut PixmapMut<'b>,
    palette: Palette,
    scale: f32,
}

impl Brush<'_, '_> {
    fn node(&mut self, node: &Node, focus: Option<Target>) {
        for shape in &node.shapes {
            match shape {
                Shape::Edge { rect, radius, thickness, tint } => self.edge(*rect, *radius, *thickness, *tint),
                Shape::Fill { rect, radius, tint } => self.fill(*rect, *radius, *tint),
                Shape::Tick { rect, tint } => self.tick(*rect, *tint),
                Shape::Words { x, y, block, tint } => {
                    let outlines = block.outlines(x * self.scale, (y * self.scale).round());
                    if let Some(path) = outlines {
                        self.fill_path(&path, *tint);
                    }
                }
            }
        }
        if node.target().is_some() && node.target() == focus {
            let ring = node.rect.grown(RING_GAP);
            self.edge(ring, 8.0, RING, Tint::Accent);
        }
    }

    fn scrollbar(&mut self, frame: &Frame) {
        let Rect { y, height, .. } = frame.viewport;
        if frame.whole <= height {
            return;
        }
        let first = frame.nodes.iter().filter(|node| node.layer == Layer::Body).map(|node| node.rect.y);
        let scrolled = (y - first.fold(f32::INFINITY, f32::min)).max(0.0);
        let track = Rect::new(WIDTH - 10.0, y + 2.0, SCROLLBAR, height - 4.0);
        let part = height / frame.whole;
        let thumb = Rect {
            y: track.y + track.height * (scrolled / frame.whole).min(1.0 - part),
            height: track.height * part,
            ..track
        };
        self.fill(track, SCROLLBAR / 2.0, Tint::Divider);
        self.fill(thumb, SCROLLBAR / 2.0, Tint::Control);
        let line = |y: f32| Rect::new(0.0, y, WIDTH, 1.0);
        self.fill(line(y), 0.0, Tint::Divider);
        self.fill(line(y + height - 1.0), 0.0, Tint::Divider);
        if frame.focus == Some(Target::Body) {
            self.edge(frame.viewport.grown(-2.0), 4.0, RING, Tint::Accent);
        }
    }

    fn fill(&mut self, rect: Rect, radius: f32, tint: Tint) {
        if let Some(path) = rounded(self.snapped(rect), radius * self.scale) {
            self.fill_path(&path, tint);
        }
    }

    fn edge(&mut self, rect: Rect, radius: f32, thickness: f32, tint: Tint) {
        let width = (thickness * self.scale).round().max(1.0);
        let inside = self.snapped(rect).grown(-width / 2.0);
        let Some(path) = rounded(inside, radius * self.scale - width / 2.0) else { return };
        self.stroke_path(&path, width, tint);
    }

    fn tick(&mut self, rect: Rect, tint: Tint) {
        let Rect { x, y, width, height } = self.snapped(rect);
        let mut path = PathBuilder::new();
        path.move_to(x + width * 0.24, y + height * 0.53);
        path.line_to(x + width * 0.43, y + height * 0.72);
        path.line_to(x + width * 0.77, y + height * 0.32);
        if let Some(path) = path.finish() {
            self.stroke_path(&path, 2.2 * self.scale, tint);
        }
    }

    fn fill_path(&mut self, path: &Path, tint: Tint) {
        let paint = self.ink(tint);
        self.pixels.fill_path(path, &paint, FillRule::Winding, Transform::identity(), None);
    }

    fn stroke_path(&mut self, path: &Path, width: f32, tint: Tint) {
        let paint = self.ink(tint);
        let stroke =
            Stroke { width, line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
        self.pixels.stroke_path(path, &paint, &stroke, Transform::identity(), None);
    }

    fn ink(&self, tint: Tint) -> Paint<'static> {
        let mut paint = Paint::default();
        paint.set_color(colour(self.palette, tint));
        paint
    }

    /// In physical pixels, with edges between pixels.
    fn snapped(&self, rect: Rect) -> Rect {
        let (left, top) = ((rect.x * self.scale).round(), (rect.y * self.scale).round());
        let right = (rect.right() * self.scale).round().max(left + 1.0);
        let bottom = (rect.bottom() * self.scale).round().max(top + 1.0);
        Rect::new(left, top, right - left, bottom - top)
    }
}

/// The icon of the program: a sheet with a seal, for a tray of `size` physical pixels.
pub(crate) fn icon(size: u32, palette: Palette) -> Option<Vec<u8>> {
    let mut pixmap = Pixmap::new(size, size)?;
    let unit = f32::from(u16::try_from(size).ok()?) / 24.0;
    let mut pixels = pixmap.as_mut();
    let mut brush = Brush { pixels: &mut pixels, palette, scale: unit };
    brush.fill(Rect::new(4.0, 2.0, 16.0, 20.0), 3.0, Tint::Accent);
    for y in [6.0, 10.0] {
        brush.fill(Rect::new(7.0, y, 10.0, 2.0), 1.0, Tint::OnAccent);
    }
    brush.fill(Rect::new(12.0, 14.0, 6.0, 6.0), 3.0, Tint::OnAccent);
    Some(pixmap.take_demultiplied())
}

fn colour(palette: Palette, tint: Tint) -> tiny_skia::Color {
    let colour = palette.colour(tint);
    tiny_skia::Color::from_rgba8(colour.0, colour.1, colour.2, 255)
}

fn rounded(rect: Rect, radius: f32) -> Option<Path> {
    let Rect { x, y, width, height } = rect;
    let radius = radius.min(width / 2.0).min(height / 2.0).max(0.0);
    if radius <= 0.0 {
        return SkiaRect::from_xywh(x, y, width, height).map(PathBuilder::from_rect);
    }
    // The distance of a cubic's handles that comes closest to a quarter of a circle.
    let handle = radius * (1.0 - 0.552_285);
    let (right, bottom) = (rect.right(), rect.bottom());
    let mut path = PathBuilder::new();
    path.move_to(x + radius, y);
    path.line_to(right - radius, y);
    path.cubic_to(right - handle, y, right, y + handle, right, y + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(right, bottom - handle, right - handle, bottom, right - radius, bottom);
    path.line_to(x + radius, bottom);
    path.cubic_to(x + handle, bottom, x, bottom - handle, x, bottom - radius);
    path.line_to(x, y + radius);
    path.cubic_to(x, y + handle, x + handle, y, x + radius, y);
    path.close();
    path.finish()
}
