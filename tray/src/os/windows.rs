//! Windows: locked memory; winit knows how windows should look, and the task bar shows icons.

use std::io;

use windows_sys::Win32::System::Memory::VirtualLock;

use crate::{os::Appearance, pin::Page};

/// See [`crate::os::harden`]. Windows writes no core files by itself; what may read a process
/// is decided by its access list, which the service sets when it starts this program.
#[expect(clippy::unnecessary_wraps, reason = "the other systems can refuse")]
pub(super) const fn harden() -> io::Result<()> {
    Ok(())
}

/// See [`crate::os::keep_in_memory`].
#[expect(unsafe_code, reason = "VirtualLock takes an address")]
pub(super) fn keep_in_memory(page: &Page) -> io::Result<()> {
    // SAFETY: the range is one live object; locking changes nothing in it.
    let done = unsafe { VirtualLock(std::ptr::from_ref(page).cast(), size_of::<Page>()) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// See [`crate::os::watch_appearance`].
pub(super) fn watch_appearance(_tell: impl Fn(Appearance) + Send + 'static) {}

/// See [`crate::os::has_icon_host`].
pub(super) const fn has_icon_host() -> bool {
    true
}
