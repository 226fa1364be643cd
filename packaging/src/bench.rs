//! `bench`: measures the release build.

use crate::{
    command::{cargo, run, target},
    failure::Failure,
    setup::{self, Purpose},
};

/// Signing against hashing the same bytes: time and peak memory (`tests/benches/pdf.rs`).
pub(crate) fn pdf() -> Result<(), Failure> {
    setup::run(Purpose::Test)?;
    run(&mut cargo(["build", "--release", "--locked", "--bins"]))?;
    let program = target().join("release/cybercore-signer");
    // Without it the bench would build and measure the program as the tests use it.
    run(cargo(["bench", "--locked", "-p", "signer-tests", "--bench", "pdf"]).env("SIGNER_PROGRAM", program))
}

/// Documents of many gibibytes, signed and judged (`tests/benches/huge.rs`): minutes, and 11 GB of disk.
pub(crate) fn huge() -> Result<(), Failure> {
    setup::run(Purpose::Test)?;
    run(&mut cargo(["build", "--release", "--locked", "--bins"]))?;
    let program = target().join("release/cybercore-signer");
    run(cargo(["bench", "--locked", "-p", "signer-tests", "--bench", "huge"]).env("SIGNER_PROGRAM", program))
}

/// Listing what can sign, beside others on the same module; readers while nobody asks
/// (`tests/benches/tokens.rs`).
pub(crate) fn tokens() -> Result<(), Failure> {
    setup::run(Purpose::Test)?;
    run(&mut cargo(["build", "--release", "--locked", "--bins"]))?;
    run(&mut cargo(["build", "--release", "--locked", "-p", "signer-tests", "--example", "bare_lister"]))?;
    let program = target().join("release/cybercore-signer");
    let bare = target().join("release/examples/bare_lister");
    let bench = ["bench", "--locked", "-p", "signer-tests", "--bench", "tokens"];
    run(cargo(bench).env("SIGNER_PROGRAM", program).env("BARE_LISTER", bare))
}

/// Drawing a seal (`tests/benches/seal.rs`).
pub(crate) fn seal() -> Result<(), Failure> {
    run(&mut cargo(["bench", "--locked", "-p", "signer-tests", "--bench", "seal"]))
}

/// The service from its start to its first answer, and while nobody asks (`tests/benches/service.rs`).
pub(crate) fn service() -> Result<(), Failure> {
    setup::run(Purpose::Demo)?;
    run(&mut cargo(["build", "--release", "--locked", "--bins"]))?;
    run(&mut cargo(["build", "--release", "--locked", "-p", "signer-tests", "--example", "bare_axum"]))?;
    let program = target().join("release/cybercore-signer");
    let bare = target().join("release/examples/bare_axum");
    let bench = ["bench", "--locked", "-p", "signer-tests", "--bench", "service"];
    run(cargo(bench).env("SIGNER_PROGRAM", program).env("BARE_AXUM", bare))
}
