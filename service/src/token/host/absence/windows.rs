//! What Windows tells: the computer is about to sleep.
#![expect(unsafe_code, reason = "Windows calls back through a C interface")]

use std::{
    ffi::c_void,
    sync::mpsc::{self, SyncSender},
};

use windows_sys::Win32::{
    Foundation::{ERROR_SUCCESS, HANDLE},
    System::Power::{
        DEVICE_NOTIFY_SUBSCRIBE_PARAMETERS, PowerRegisterSuspendResumeNotification,
        PowerUnregisterSuspendResumeNotification,
    },
    UI::WindowsAndMessaging::{DEVICE_NOTIFY_CALLBACK, PBT_APMSUSPEND},
};

/// Blocks until the computer is about to sleep; false where that will not be told.
pub(super) fn wait() -> bool {
    let (tell, told) = mpsc::sync_channel::<()>(1);
    let mut parameters = DEVICE_NOTIFY_SUBSCRIBE_PARAMETERS {
        Callback: Some(heard),
        Context: (&raw const tell).cast::<c_void>().cast_mut(),
    };
    let mut registered = std::ptr::null_mut();
    // SAFETY: `parameters` and the sender that it points to outlive the registration, which ends
    // below; the callback only sends.
    let result = unsafe {
        PowerRegisterSuspendResumeNotification(
            DEVICE_NOTIFY_CALLBACK,
            (&raw mut parameters).cast::<c_void>() as HANDLE,
            &raw mut registered,
        )
    };
    if result != ERROR_SUCCESS {
        return false;
    }
    let slept = told.recv().is_ok();
    // SAFETY: it was registered above and is unregistered once.
    unsafe { PowerUnregisterSuspendResumeNotification(registered as isize) };
    slept
}

/// Hears of a power event.
///
/// # Safety
/// `context` points to the sender of [`wait`].
unsafe extern "system" fn heard(context: *const c_void, kind: u32, _: *const c_void) -> u32 {
    if kind == PBT_APMSUSPEND {
        // SAFETY: the sender lives while the callback is registered.
        let tell = unsafe { &*context.cast::<SyncSender<()>>() };
        let _ = tell.try_send(());
    }
    ERROR_SUCCESS
}
