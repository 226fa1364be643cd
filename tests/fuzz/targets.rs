//! What is fuzzed: each target is a function over bytes that may not panic, whatever they are.
//!
//! libFuzzer calls them through `main.rs`, the ordinary tests through `tests/fuzz_replay.rs`.

#[path = "targets/cms.rs"]
mod cms;
#[path = "targets/crypt.rs"]
mod crypt;
#[path = "targets/object.rs"]
mod object;
#[path = "targets/open.rs"]
mod open;
#[path = "targets/recover.rs"]
mod recover;
#[path = "targets/sign.rs"]
pub mod sign;
#[path = "targets/skeleton.rs"]
mod skeleton;
#[path = "targets/xref.rs"]
mod xref;

/// A target.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does with an input.
    pub run: fn(&[u8]),
    /// The inputs that a document or a CMS structure gives.
    pub seeds: fn(&[u8]) -> Vec<Vec<u8>>,
    /// The longest input that is tried.
    pub longest: usize,
}

/// All targets.
pub const ALL: [Target; 7] = [
    Target { name: "cms", run: cms::run, seeds: cms::seeds, longest: 16 << 10 },
    Target { name: "crypt", run: crypt::run, seeds: crypt::seeds, longest: 32 << 10 },
    Target { name: "object", run: object::run, seeds: object::seeds, longest: 4 << 10 },
    Target { name: "open", run: open::run, seeds: open::seeds, longest: 32 << 10 },
    Target { name: "recover", run: recover::run, seeds: open::seeds, longest: 16 << 10 },
    Target { name: "sign", run: sign::run, seeds: open::seeds, longest: 32 << 10 },
    Target { name: "xref", run: xref::run, seeds: xref::seeds, longest: 8 << 10 },
];

/// The target of this name.
pub fn named(name: &str) -> Option<&'static Target> {
    static TARGETS: [Target; 7] = ALL;
    TARGETS.iter().find(|target| target.name == name)
}
