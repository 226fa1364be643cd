//! Brings the screen together with the window system, the service and the screen readers.

mod window;

use std::time::{Duration, Instant};

use signer_ipc::invitation::Invitation;
use winit::{
    application::ApplicationHandler,
    error::{EventLoopError, OsError},
    event::{ElementState, KeyEvent, MouseButton, MouseScrollDelta, StartCause, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy},
    keyboard::{Key as WinitKey, ModifiersState, NamedKey},
    window::{Theme, WindowId},
};

use crate::{
    access,
    icon::TrayPicture,
    link::{Link, LinkError},
    os::{self, Appearance, Scheme},
    pin::{Pin, PinError},
    screen::{Action, Edit, Incoming, Input, Key, Screen},
    text::{Language, MenuEntry},
    view::fonts::Fonts,
};

use window::OpenWindow;

/// How far one notch of a wheel scrolls, in logical pixels.
const NOTCH: f32 = 60.0;

/// What wakes the loop from outside.
#[derive(Debug)]
pub(crate) enum Wake {
    /// A screen reader.
    Access(accesskit_winit::Event),
    /// Windows should look like this.
    Appearance(Appearance),
    /// Whether an icon can be shown.
    IconHost,
    /// The icon's menu.
    Menu(MenuEntry),
    /// The service, or the end of the connection to it.
    Service(Result<Incoming, LinkError>),
}

/// Why the program cannot go on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AppError {
    /// The connection failed.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The event loop failed.
    #[error(transparent)]
    Loop(#[from] EventLoopError),
    /// The secret cannot be sealed.
    #[error(transparent)]
    Pin(#[from] PinError),
    /// Nothing can be drawn.
    #[error("the window cannot be drawn: {0}")]
    Surface(#[from] softbuffer::SoftBufferError),
    /// No window can be opened.
    #[error("no window can be opened: {0}")]
    Window(#[from] OsError),
}

/// The program.
pub(crate) struct App {
    screen: Screen,
    link: Link,
    pin: Pin,
    fonts: Fonts,
    appearance: Appearance,
    window: Option<OpenWindow>,
    icon: Option<TrayPicture>,
    proxy: EventLoopProxy<Wake>,
    modifiers: ModifiersState,
    pointer: (f32, f32),
    began: Instant,
    error: Option<AppError>,
}

impl From<accesskit_winit::Event> for Wake {
    fn from(event: accesskit_winit::Event) -> Self {
        Self::Access(event)
    }
}

impl App {
    /// Connects to the service and greets it.
    ///
    /// # Errors
    /// Where the service is not there.
    pub(crate) fn new(
        events: &EventLoop<Wake>,
        invitation: &Invitation,
        pin: Pin,
        began: Instant,
    ) -> Result<Self, AppError> {
        let proxy = events.create_proxy();
        // A loop that has ended needs no more messages.
        let tell = |proxy: &EventLoopProxy<Wake>, wake| drop(proxy.send_event(wake));
        let to = proxy.clone();
        let link = Link::open(invitation, began, move |incoming| {
            tell(&to, Wake::Service(incoming));
        })?;
        let to = proxy.clone();
        os::watch_appearance(move |appearance| tell(&to, Wake::Appearance(appearance)));
        Ok(Self {
            screen: Screen::new(Language::of_invitation(&invitation.language), began.elapsed()),
            link,
            pin,
            fonts: Fonts::new(),
            appearance: Appearance::default(),
            window: None,
            icon: None,
            proxy,
            modifiers: ModifiersState::default(),
            pointer: (0.0, 0.0),
            began,
            error: None,
        })
    }

    /// Why the loop ended.
    ///
    /// # Errors
    /// Where it did not end by itself.
    pub(crate) fn ended(self) -> Result<(), AppError> {
        self.error.map_or(Ok(()), Err)
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn take(&mut self, events: &ActiveEventLoop, input: Input) {
        let actions = self.screen.take(input, self.now());
        self.act(events, actions);
    }

    fn act(&mut self, events: &ActiveEventLoop, actions: Vec<Action>) {
        for action in actions {
            match action {
                Action::Edit(Edit::Push(character)) => self.pin.push(character),
                Action::Edit(Edit::Erase) => self.pin.erase(),
                Action::Edit(Edit::Clear) => self.pin.clear(),
                Action::Leave => events.exit(),
                Action::Answer { message, key } => {
                    let sealed = key.map(|key| self.pin.seal(&key)).transpose();
                    let answered = sealed
                        .map_err(AppError::from)
                        .and_then(|secret| Ok(self.link.answer(&message, secret)?));
                    self.check(events, answered);
                }
            }
        }
        self.refresh(events);
    }

    /// Brings the window to what the screen shows.
    fn refresh(&mut self, events: &ActiveEventLoop) {
        if self.screen.shown().is_none() {
            self.window = None;
            return;
        }
        if self.window.is_none() {
            match OpenWindow::open(events, &self.proxy, self.screen.language()) {
                Ok(window) => self.window = Some(window),
                Err(error) => return self.check(events, Err(error)),
            }
            self.follow_theme();
        }
        let now = self.now();
        if let (Some(window), Some(request)) = (&mut self.window, self.screen.shown()) {
            let measured = window.lay_out(request, &mut self.fonts, self.appearance, now);
            // The screen only keeps its scrolling within these; nothing else follows from them.
            drop(self.screen.take(measured, now));
        }
    }

    fn check(&mut self, events: &ActiveEventLoop, result: Result<(), AppError>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
            events.exit();
        }
    }

    fn follow_theme(&mut self) {
        // Linux: the desktop's portal tells; the window system does not know.
        if cfg!(target_os = "linux") {
            return;
        }
        if let Some(theme) = self.window.as_ref().and_then(OpenWindow::theme) {
            self.appearance.scheme = scheme(theme);
        }
    }

    fn key(&mut self, events: &ActiveEventLoop, event: &KeyEvent) {
        if event.state != ElementState::Pressed {
            return;
        }
        let key = match &event.logical_key {
            WinitKey::Named(named) => named_key(*named, self.modifiers),
            WinitKey::Character(_) | WinitKey::Unidentified(_) | WinitKey::Dead(_) => None,
        };
        if let Some(key) = key {
            // A key that is held down since before answers nothing.
            let answers = matches!(key, Key::Enter | Key::Escape | Key::Space);
            if !(answers && event.repeat) {
                self.take(events, Input::Key(key));
                self.reveal(events);
            }
            return;
        }
        // AltGr is Control and Alt together on some systems.
        let command =
            self.modifiers.control_key() != self.modifiers.alt_key() && self.modifiers.control_key();
        if command || self.modifiers.super_key() {
            return;
        }
        if let Some(text) = &event.text {
            for character in text.chars() {
                self.take(events, Input::Typed(character));
            }
        }
    }

    /// Scrolls to a certificate that got the focus.
    fn reveal(&mut self, events: &ActiveEventLoop) {
        let place = self
            .window
            .as_ref()
            .zip(self.screen.shown())
            .and_then(|(window, request)| window.frame()?.place_in_body(request.focus, request.scroll));
        if let Some((top, bottom)) = place {
            self.take(events, Input::Reveal { top, bottom });
        }
    }

    fn draw(&mut self, events: &ActiveEventLoop) {
        let Some(window) = &mut self.window else { return };
        match window.draw(self.appearance) {
            Ok(()) => {
                // Laid out again only for what follows from it: else each frame asks for the next.
                let actions = self.screen.take(Input::Painted, self.now());
                if !actions.is_empty() {
                    self.act(events, actions);
                }
            }
            Err(error) => self.check(events, Err(error)),
        }
    }
}

impl ApplicationHandler<Wake> for App {
    fn new_events(&mut self, events: &ActiveEventLoop, cause: StartCause) {
        match cause {
            StartCause::ResumeTimeReached { .. } => self.take(events, Input::Elapsed),
            StartCause::Init => {
                let proxy = self.proxy.clone();
                let ask = move || {
                    if os::has_icon_host() {
                        drop(proxy.send_event(Wake::IconHost));
                    }
                };
                // Without the thread there is no icon, and the window does not need one.
                drop(std::thread::Builder::new().name("icon".into()).spawn(ask));
            }
            StartCause::Poll | StartCause::WaitCancelled { .. } => {}
        }
    }

    fn resumed(&mut self, events: &ActiveEventLoop) {
        self.refresh(events);
    }

    fn user_event(&mut self, events: &ActiveEventLoop, wake: Wake) {
        match wake {
            Wake::Service(Ok(incoming)) => {
                let actions = self.screen.receive(incoming, self.now());
                self.act(events, actions);
            }
            Wake::Service(Err(LinkError::Closed)) => events.exit(),
            Wake::Service(Err(error)) => self.check(events, Err(error.into())),
            Wake::Appearance(appearance) => {
                self.appearance = appearance;
                self.follow_theme();
                self.refresh(events);
            }
            Wake::IconHost => {
                let proxy = self.proxy.clone();
                let language: Language = self.screen.language();
                let icon =
                    TrayPicture::show(language, move |entry| drop(proxy.send_event(Wake::Menu(entry))));
                self.icon = icon.ok();
            }
            Wake::Menu(MenuEntry::View) => {
                if let Some(window) = &self.window {
                    window.raise();
                }
            }
            Wake::Menu(MenuEntry::Deny) => self.take(events, Input::Closed),
            Wake::Menu(MenuEntry::Quit) => {
                self.take(events, Input::Closed);
                events.exit();
            }
            Wake::Access(event) => match event.window_event {
                accesskit_winit::WindowEvent::ActionRequested(request) => {
                    if let Some(input) = access::input(&request) {
                        self.take(events, input);
                        self.reveal(events);
                    }
                }
                accesskit_winit::WindowEvent::InitialTreeRequested
                | accesskit_winit::WindowEvent::AccessibilityDeactivated => {}
            },
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "winit's events, of which few mean something here")]
    fn window_event(&mut self, events: &ActiveEventLoop, id: WindowId, event: WindowEvent) {
        let Some(window) = self.window.as_mut().filter(|window| window.id() == id) else { return };
        window.tell_access(&event);
        match event {
            WindowEvent::RedrawRequested => self.draw(events),
            WindowEvent::CloseRequested => self.take(events, Input::Closed),
            WindowEvent::Focused(true) => self.take(events, Input::FocusGained),
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            // A synthetic press is a key that was held down when the window got the keyboard.
            WindowEvent::KeyboardInput { event, is_synthetic: false, .. } => self.key(events, &event),
            WindowEvent::CursorMoved { position, .. } => self.pointer = window.logical(position),
            WindowEvent::MouseInput { state: ElementState::Pressed, button: MouseButton::Left, .. } => {
                let (x, y) = self.pointer;
                let target = window.frame().and_then(|frame| frame.target_at(x, y));
                if let Some(target) = target {
                    self.take(events, Input::Pressed(target));
                }
            }
            WindowEvent::MouseWheel { delta, .. } => {
                let by = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => -lines * NOTCH,
                    MouseScrollDelta::PixelDelta(position) => -window.logical(position).1,
                };
                self.take(events, Input::Scrolled(by));
            }
            WindowEvent::ScaleFactorChanged { .. } | WindowEvent::Resized(_) => self.refresh(events),
            WindowEvent::ThemeChanged(theme) if !cfg!(target_os = "linux") => {
                self.appearance.scheme = scheme(theme);
                self.refresh(events);
            }
            _ => {}
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let wakes = self.screen.wakes(self.now());
        let flow = self.began.checked_add(wakes).map_or(ControlFlow::Wait, ControlFlow::WaitUntil);
        events.set_control_flow(flow);
    }
}

const fn scheme(theme: Theme) -> Scheme {
    match theme {
        Theme::Dark => Scheme::Dark,
        Theme::Light => Scheme::Light,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "winit's keys, of which few mean something here")]
fn named_key(key: NamedKey, modifiers: ModifiersState) -> Option<Key> {
    Some(match key {
        NamedKey::Tab if modifiers.shift_key() => Key::BackTab,
        NamedKey::Tab => Key::Tab,
        NamedKey::Enter => Key::Enter,
        NamedKey::Escape => Key::Escape,
        NamedKey::Space => Key::Space,
        NamedKey::Backspace | NamedKey::Delete => Key::Backspace,
        NamedKey::ArrowUp => Key::Up,
        NamedKey::ArrowDown => Key::Down,
        NamedKey::PageUp => Key::PageUp,
        NamedKey::PageDown => Key::PageDown,
        NamedKey::Home => Key::Home,
        NamedKey::End => Key::End,
        _ => return None,
    })
}
