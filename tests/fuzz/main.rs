//! The program that libFuzzer drives: one binary for all targets, chosen by the environment.
//!
//! `SIGNER_FUZZ_TARGET` names the target. Where `SIGNER_FUZZ_SEEDS` names a folder, the seeds of
//! the target are written there from the documents in the folders of `SIGNER_FUZZ_DOCUMENTS`
//! before libFuzzer reads it. Both are set by `cargo xtask fuzz`.

#![no_main]

mod heap;
mod seeds;
mod targets;

use std::{path::PathBuf, sync::OnceLock};

use libfuzzer_sys::fuzz_target;

use crate::targets::Target;

static CHOSEN: OnceLock<&'static Target> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("SIGNER_FUZZ_TARGET").expect("SIGNER_FUZZ_TARGET names the target");
        let target = targets::named(&name).expect("SIGNER_FUZZ_TARGET names one of the targets");
        if let Some(folder) = std::env::var_os("SIGNER_FUZZ_SEEDS") {
            let documents = std::env::var_os("SIGNER_FUZZ_DOCUMENTS").unwrap_or_default();
            let documents: Vec<PathBuf> = std::env::split_paths(&documents).collect();
            seeds::write(target, &documents, &PathBuf::from(folder));
        }
        // A panic is what libFuzzer takes for a finding; what it is about goes with it.
        let _ = CHOSEN.set(target);
    },
    |input: &[u8]| {
        let Some(target) = CHOSEN.get() else { return };
        let growth = heap::growth(|| (target.run)(input));
        assert!(growth <= heap::BYTES, "the input made the engine hold {growth} bytes");
    }
);
