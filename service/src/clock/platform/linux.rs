//! Linux: `CLOCK_BOOTTIME` counts while the machine sleeps, `CLOCK_MONOTONIC` does not.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// See [`super`].
pub(in crate::clock) fn slept() -> Duration {
    let since_start = |clock| Duration::try_from(clock_gettime(clock)).unwrap_or_default();
    since_start(ClockId::Boottime).saturating_sub(since_start(ClockId::Monotonic))
}
