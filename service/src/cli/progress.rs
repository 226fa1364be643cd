//! A progress bar on the terminal for documents that take longer than half a second.

use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

/// Shorter work shows nothing: a bar that flashes by says less than none.
const PATIENCE: Duration = Duration::from_millis(500);

/// The bar, drawn on standard error once patience is over and if that is a terminal.
pub(super) struct Progress {
    total: u64,
    started: Instant,
    bar: Option<ProgressBar>,
    shown: bool,
}

impl Progress {
    /// A bar for `total` bytes; `quiet` shows nothing at all.
    pub(super) fn new(total: u64, quiet: Quiet) -> Self {
        let shown = quiet == Quiet::No && std::io::stderr().is_terminal();
        Self { total, started: Instant::now(), bar: None, shown }
    }

    /// `done` bytes of the total are done.
    pub(super) fn advance(&mut self, done: u64) {
        if !self.shown || (self.bar.is_none() && self.started.elapsed() < PATIENCE) {
            return;
        }
        let total = self.total;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new(total);
            if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3}% {bytes}/{total_bytes}") {
                bar.set_style(style);
            }
            bar
        });
        bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Whether the bar may be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quiet {
    /// It may.
    No,
    /// It may not: the output is for a program.
    Yes,
}
