//! The tray program.
fn main() {}
