//! The only place that writes to standard output and standard error, and what may be written.

use std::{
    fmt,
    io::{self, Write as _},
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether something that was said reached nobody.
static LOST: AtomicBool = AtomicBool::new(false);

/// A line on standard output.
pub(super) fn line(text: &str) {
    say(&printable(text));
}

/// A line on standard error.
pub(super) fn error_line(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// A question on standard error, whose answer is typed on the same line.
pub(super) fn question(text: &str) {
    let mut stream = io::stderr().lock();
    let _ = write!(stream, "{}", printable(text)).and_then(|()| stream.flush());
}

/// A JSON document on standard output.
pub(super) fn json(value: &serde_json::Value) {
    say(&format_args!("{value:#}"));
}

/// Whether an answer was lost: what was asked for may be done, but nobody was told.
pub(super) fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// A reader that went away has heard enough; a full disk is an error.
fn say(text: &dyn fmt::Display) {
    let mut stream = io::stdout().lock();
    let said = writeln!(stream, "{text}").and_then(|()| stream.flush());
    if said.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Text that cannot drive the terminal: names come from certificates and files that anybody may
/// have made, and their control characters and bidirectional overrides are replaced.
pub(super) fn printable(text: &str) -> String {
    let hostile = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if hostile(c) { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn text_cannot_drive_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c\nd"), "a\u{fffd}[2Jb\u{fffd}c\nd");
    }
}
