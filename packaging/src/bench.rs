//! `bench`: measures the release build.

use crate::{
    command::{cargo, run, target},
    failure::Failure,
    setup::{self, Purpose},
};

/// Signing against hashing the same bytes: time and peak memory (`tests/benches/pdf.rs`).
pub(crate) fn pdf() -> Result<(), Failure> {
    setup::run(Purpose::Demo)?;
    run(&mut cargo(["build", "--release", "--locked", "--bins"]))?;
    let program = target().join("release/cybercore-signer");
    // Without it the bench would build and measure the program as the tests use it.
    run(cargo(["bench", "--locked", "-p", "signer-tests", "--bench", "pdf"]).env("SIGNER_PROGRAM", program))
}
