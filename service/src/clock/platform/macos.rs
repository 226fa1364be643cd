//! macOS: an [`Instant`] stands still while the machine sleeps; `CLOCK_MONOTONIC` does not.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, Timespec, clock_gettime};

static START: LazyLock<(Timespec, Instant)> =
    LazyLock::new(|| (clock_gettime(ClockId::Monotonic), Instant::now()));

/// See [`super`].
pub(in crate::clock) fn slept() -> Duration {
    let (clock, instant) = &*START;
    let all = Duration::try_from(clock_gettime(ClockId::Monotonic) - *clock).unwrap_or_default();
    all.saturating_sub(instant.elapsed())
}
