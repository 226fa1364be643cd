//! Windows: locked memory; winit knows how bright windows should be, the system how clear, and
//! the task bar shows icons.

use std::io;

use windows_sys::Win32::{
    System::Memory::VirtualLock,
    UI::{
        Accessibility::{HCF_HIGHCONTRASTON, HIGHCONTRASTW},
        WindowsAndMessaging::{SPI_GETHIGHCONTRAST, SystemParametersInfoW},
    },
};

use crate::{
    os::{Appearance, Contrast},
    pin::Page,
};

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
pub(super) fn watch_appearance(tell: impl Fn(Appearance) + Send + 'static) {
    if wishes_contrast() {
        tell(Appearance { contrast: Contrast::High, ..Appearance::default() });
    }
}

#[expect(unsafe_code, reason = "SystemParametersInfoW fills a structure")]
fn wishes_contrast() -> bool {
    let Ok(size) = u32::try_from(size_of::<HIGHCONTRASTW>()) else { return false };
    let mut found = HIGHCONTRASTW { cbSize: size, ..HIGHCONTRASTW::default() };
    // SAFETY: the structure says how long it is and lives for the call; the name of the scheme,
    // which the system owns, is not read.
    let done = unsafe { SystemParametersInfoW(SPI_GETHIGHCONTRAST, size, (&raw mut found).cast(), 0) };
    done != 0 && found.dwFlags & HCF_HIGHCONTRASTON != 0
}

/// See [`crate::os::has_icon_host`].
pub(super) const fn has_icon_host() -> bool {
    true
}
