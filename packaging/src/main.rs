//! The `cargo xtask` commands.
fn main() {}
