//! The one window: opened for a request, sized by it, closed after it.

use std::{
    num::NonZeroU32,
    rc::Rc,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use accesskit::{ActivationHandler, TreeUpdate};
use accesskit_winit::Adapter;
use softbuffer::{Context, Surface};
use tiny_skia::Pixmap;
use winit::{
    dpi::{LogicalSize, PhysicalPosition, PhysicalSize},
    event::WindowEvent,
    event_loop::{ActiveEventLoop, EventLoopProxy},
    window::{Theme, UserAttentionType, Window, WindowButtons, WindowId, WindowLevel},
};

use crate::{
    access,
    app::{AppError, Wake},
    os::Appearance,
    screen::{Input, Request},
    text::{Language, Sentence},
    view::{
        Frame, WIDTH,
        fonts::Fonts,
        page::{self, Setting},
        paint,
        palette::Palette,
    },
};

/// The part of the screen's height that the window may take.
const SHARE: f32 = 0.9;
/// Where the system does not say how high the screen is, in logical pixels.
const UNKNOWN_SCREEN: f32 = 768.0;
/// Before the first layout.
const FIRST_HEIGHT: f32 = 480.0;

/// A window on the screen. Dropping it closes it.
pub(super) struct OpenWindow {
    surface: Surface<Rc<Window>, Rc<Window>>,
    adapter: Adapter,
    tree: Tree,
    frame: Option<Frame>,
    language: Language,
    title: String,
    asked: Option<PhysicalSize<u32>>,
    window: Rc<Window>,
}

/// The newest tree, for a screen reader that comes later; on any thread.
#[derive(Clone, Default)]
struct Tree(Arc<Mutex<Option<TreeUpdate>>>);

impl ActivationHandler for Tree {
    fn request_initial_tree(&mut self) -> Option<TreeUpdate> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl OpenWindow {
    /// Opens a window that is not seen before its first layout.
    pub(super) fn open(
        events: &ActiveEventLoop,
        proxy: &EventLoopProxy<Wake>,
        language: Language,
    ) -> Result<Self, AppError> {
        let attributes = named(
            Window::default_attributes()
                .with_title("CyberCore Signer")
                .with_visible(false)
                .with_resizable(false)
                .with_enabled_buttons(WindowButtons::CLOSE)
                .with_window_level(WindowLevel::AlwaysOnTop)
                .with_content_protected(true)
                .with_inner_size(LogicalSize::new(WIDTH, FIRST_HEIGHT)),
        );
        let window = Rc::new(events.create_window(attributes)?);
        let tree = Tree::default();
        // The adapter wants a window that is not seen yet.
        let adapter = Adapter::with_mixed_handlers(events, &window, tree.clone(), proxy.clone());
        let surface = Surface::new(&Context::new(window.clone())?, window.clone())?;
        Ok(Self { surface, adapter, tree, frame: None, language, title: String::new(), asked: None, window })
    }

    /// Lays out `request`, gives the window its size and has it drawn. Tells how much of the
    /// body is seen.
    pub(super) fn lay_out(
        &mut self,
        request: &Request,
        fonts: &mut Fonts,
        appearance: Appearance,
        now: Duration,
    ) -> Input {
        let scale = narrow(self.window.scale_factor());
        let palette = Palette::of(appearance);
        let mut setting = Setting {
            fonts,
            language: self.language,
            scale,
            highest: self.highest(scale),
            edge: palette.edge(),
            now,
        };
        let frame = page::compose(request, &mut setting);
        let title = Sentence::Title(request.summary.kind).say(self.language);
        if self.title != title {
            self.window.set_title(&format!("{title} – CyberCore Signer"));
            self.title = title;
        }
        let tree = access::tree(&frame, &self.title, self.language);
        *self.tree.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(tree.clone());
        self.adapter.update_if_active(|| tree);
        let size = PhysicalSize::new(pixels(WIDTH * scale), pixels(frame.height * scale));
        if self.asked != Some(size) {
            // Both, because a window that cannot be resized by hand keeps its limits.
            self.window.set_min_inner_size(Some(size));
            self.window.set_max_inner_size(Some(size));
            // Where the system answers at once there is nothing to wait for either.
            let _ = self.window.request_inner_size(size);
            self.asked = Some(size);
        }
        let measured = Input::Measured { seen: frame.viewport.height, whole: frame.whole };
        let first = self.frame.replace(frame).is_none();
        if first {
            self.window.set_visible(true);
            self.raise();
        }
        self.window.request_redraw();
        measured
    }

    /// Draws the last layout.
    pub(super) fn draw(&mut self, appearance: Appearance) -> Result<(), AppError> {
        let Some(frame) = &self.frame else { return Ok(()) };
        let size = self.window.inner_size();
        let (Some(width), Some(height)) = (NonZeroU32::new(size.width), NonZeroU32::new(size.height)) else {
            return Ok(());
        };
        let Some(mut pixmap) = Pixmap::new(size.width, size.height) else { return Ok(()) };
        paint::paint(frame, Palette::of(appearance), &mut pixmap.as_mut());
        self.surface.resize(width, height)?;
        let mut buffer = self.surface.buffer_mut()?;
        for (to, from) in buffer.iter_mut().zip(pixmap.pixels()) {
            *to = u32::from_be_bytes([0, from.red(), from.green(), from.blue()]);
        }
        self.window.pre_present_notify();
        buffer.present()?;
        Ok(())
    }

    /// Brings the window to the front, as far as the system lets a program do that.
    pub(super) fn raise(&self) {
        self.window.focus_window();
        self.window.request_user_attention(Some(UserAttentionType::Critical));
    }

    pub(super) fn tell_access(&mut self, event: &WindowEvent) {
        self.adapter.process_event(&self.window, event);
    }

    pub(super) fn id(&self) -> WindowId {
        self.window.id()
    }

    pub(super) fn theme(&self) -> Option<Theme> {
        self.window.theme()
    }

    pub(super) const fn frame(&self) -> Option<&Frame> {
        self.frame.as_ref()
    }

    /// A position in logical pixels.
    pub(super) fn logical(&self, position: PhysicalPosition<f64>) -> (f32, f32) {
        let position = position.to_logical::<f32>(self.window.scale_factor());
        (position.x, position.y)
    }

    fn highest(&self, scale: f32) -> f32 {
        let monitor = self.window.current_monitor().or_else(|| self.window.primary_monitor());
        let height = monitor.map(|monitor| monitor.size().height).filter(|height| *height > 0);
        height.map_or(UNKNOWN_SCREEN, |height| narrow(f64::from(height)) / scale) * SHARE
    }
}

#[cfg(target_os = "linux")]
fn named(attributes: winit::window::WindowAttributes) -> winit::window::WindowAttributes {
    use winit::platform::{
        wayland::WindowAttributesExtWayland,
        x11::{WindowAttributesExtX11, WindowType},
    };
    const NAME: &str = "cybercore-signer-tray";
    let attributes = WindowAttributesExtX11::with_x11_window_type(attributes, vec![WindowType::Dialog]);
    let attributes = WindowAttributesExtX11::with_name(attributes, NAME, NAME);
    WindowAttributesExtWayland::with_name(attributes, NAME, NAME)
}

#[cfg(not(target_os = "linux"))]
const fn named(attributes: winit::window::WindowAttributes) -> winit::window::WindowAttributes {
    attributes
}

/// Sizes of screens are far from the limits of either type.
#[expect(clippy::cast_possible_truncation, reason = "a size or a scale of a screen")]
const fn narrow(number: f64) -> f32 {
    number as f32
}

/// Whole pixels that cover a length.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size of a screen")]
fn pixels(length: f32) -> u32 {
    length.ceil().max(1.0) as u32
}
