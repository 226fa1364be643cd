//! Windows: the tick count goes on while the machine sleeps; the unbiased interrupt time does not.
#![expect(unsafe_code, reason = "two system calls that std does not offer")]

use std::time::Duration;

use windows_sys::Win32::System::{
    SystemInformation::GetTickCount64, WindowsProgramming::QueryUnbiasedInterruptTime,
};

/// See [`super`].
pub(in crate::clock) fn slept() -> Duration {
    let mut awake = 0;
    // SAFETY: the first takes nothing, the second a place for one number.
    let (all, known) = unsafe { (GetTickCount64(), QueryUnbiasedInterruptTime(&raw mut awake)) };
    if known == 0 {
        return Duration::ZERO;
    }
    Duration::from_millis(all).saturating_sub(Duration::from_nanos(awake.saturating_mul(100)))
}
