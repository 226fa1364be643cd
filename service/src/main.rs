//! The `cybercore-signer` program.
fn main() {}
