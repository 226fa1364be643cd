//! Memory that an input makes the engine take, counted by the allocator: exact, whatever the machine.

use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// What one input may make the engine hold at any time, the input itself not counted.
pub(crate) const BYTES: usize = 64 << 20;

/// The most bytes that `run` held at one time, above what was held before. Other threads count.
pub(crate) fn growth(run: impl FnOnce()) -> usize {
    HEAP.reset_peak_usage();
    let before = HEAP.current_usage();
    run();
    HEAP.peak_usage().saturating_sub(before)
}
