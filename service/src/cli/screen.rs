//! The only place that writes to standard output and standard error, and what may be written.

use std::io::Write as _;

/// A line on standard output. A reader that went away is not an error of ours.
pub(super) fn line(text: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{}", printable(text));
}

/// A line on standard error.
pub(super) fn error_line(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(text));
}

/// A question on standard error, whose answer is typed on the same line.
pub(super) fn question(text: &str) {
    let mut stream = std::io::stderr().lock();
    let _ = write!(stream, "{}", printable(text)).and_then(|()| stream.flush());
}

/// A JSON document on standard output.
pub(super) fn json(value: &serde_json::Value) {
    let _ = writeln!(std::io::stdout().lock(), "{value:#}");
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
