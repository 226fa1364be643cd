//! macOS: no core file and locked memory; winit knows how bright windows should be, the system
//! how clear.

use std::io;

use objc2_app_kit::NSWorkspace;
use rustix::{
    mm::mlock,
    process::{Resource, Rlimit, setrlimit},
};

use crate::{
    os::{Appearance, Contrast},
    pin::Page,
};

/// See [`crate::os::harden`].
pub(super) fn harden() -> io::Result<()> {
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(())
}

/// See [`crate::os::keep_in_memory`].
#[expect(unsafe_code, reason = "mlock takes an address")]
pub(super) fn keep_in_memory(page: &Page) -> io::Result<()> {
    let address = std::ptr::from_ref(page).cast_mut().cast();
    // SAFETY: the range is one live object; locking changes nothing in it.
    unsafe { mlock(address, size_of::<Page>()) }?;
    Ok(())
}

/// See [`crate::os::watch_appearance`].
pub(super) fn watch_appearance(tell: impl Fn(Appearance) + Send + 'static) {
    if NSWorkspace::sharedWorkspace().accessibilityDisplayShouldIncreaseContrast() {
        tell(Appearance { contrast: Contrast::High, ..Appearance::default() });
    }
}

/// See [`crate::os::has_icon_host`].
pub(super) const fn has_icon_host() -> bool {
    true
}
