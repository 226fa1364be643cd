//! `bench`: measures the release build.

use crate::{
    command::{cargo, run},
    failure::Failure,
    setup::{self, Purpose},
};

/// Signing against hashing the same bytes: time and peak memory (`tests/benches/pdf.rs`).
pub(crate) fn pdf() -> Result<(), Failure> {
    setup::run(Purpose::Demo)?;
    run(&mut cargo(["build", "--release", "--locked", "--bins"]))?;
    run(&mut cargo(["bench", "--locked", "-p", "signer-tests", "--bench", "pdf"]))
}
