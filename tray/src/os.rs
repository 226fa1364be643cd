//! What differs between operating systems: memory, hardening, the desktop's wishes.
//!
//! Every system has the functions `harden`, `keep_in_memory`, `watch_appearance` and
//! `has_icon_host`.

#[cfg(target_os = "linux")]
#[path = "os/linux.rs"]
mod platform;
#[cfg(target_os = "macos")]
#[path = "os/macos.rs"]
mod platform;
#[cfg(windows)]
#[path = "os/windows.rs"]
mod platform;

use std::io;

use crate::pin::Page;

/// What the person wants all windows to look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Appearance {
    /// How bright.
    pub(crate) scheme: Scheme,
    /// How clear.
    pub(crate) contrast: Contrast,
}

/// How bright windows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Scheme {
    /// Dark text on light ground, also where nobody says.
    #[default]
    Light,
    /// Light text on dark ground.
    Dark,
}

/// How clear edges and texts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Contrast {
    /// Black, white and thick edges.
    High,
    /// As designed.
    #[default]
    Normal,
}

/// Closes the process against others before anything is typed: no core file, no reading of its
/// memory by programs of the same login, as far as the system can.
///
/// # Errors
/// Where the system refuses.
pub(crate) fn harden() -> io::Result<()> {
    platform::harden()
}

/// Keeps `page` out of the swap and out of dumps.
///
/// # Errors
/// Where the system refuses, such as for a limit of locked memory.
pub(crate) fn keep_in_memory(page: &Page) -> io::Result<()> {
    platform::keep_in_memory(page)
}

/// Tells how windows should look, as far as winit does not know. Linux tells now and at each
/// change, from a thread of its own; the others tell once, and of the contrast alone.
pub(crate) fn watch_appearance(tell: impl Fn(Appearance) + Send + 'static) {
    platform::watch_appearance(tell);
}

/// Whether somebody shows icons. May block for the desktop's answer: not for the main thread.
pub(crate) fn has_icon_host() -> bool {
    platform::has_icon_host()
}
