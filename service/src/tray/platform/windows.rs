//! Windows: a handle of its own to wait on.

use std::{
    io,
    os::windows::io::{AsHandle as _, AsRawHandle as _, OwnedHandle},
    process::Child,
    sync::Arc,
};

use windows_sys::Win32::{
    Foundation::WAIT_OBJECT_0,
    System::Threading::{INFINITE, WaitForSingleObject},
};

/// The end of a process.
#[derive(Debug, Clone)]
pub(in crate::tray) struct End(Arc<OwnedHandle>);

impl End {
    /// Of a process.
    pub(in crate::tray) fn of(child: &Child) -> io::Result<Self> {
        Ok(Self(Arc::new(child.as_handle().try_clone_to_owned()?)))
    }

    /// Blocks until it has ended. Its number stays its own as long as this is kept.
    #[expect(unsafe_code, reason = "the standard library waits for a child through its one owner only")]
    pub(in crate::tray) fn wait(&self) -> io::Result<()> {
        // SAFETY: the handle is open.
        let waited = unsafe { WaitForSingleObject(self.0.as_raw_handle(), INFINITE) };
        if waited == WAIT_OBJECT_0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}
