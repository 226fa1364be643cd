//! Every fuzz target over all seeds, over what it once tripped on, and over mutations that are the
//! same each time: what `cargo xtask fuzz` found stays found.

#[path = "fuzz/heap.rs"]
mod heap;

use std::{collections::BTreeSet, fs, panic, path::PathBuf, sync::Mutex};

use signer_core::pades::verdict::Indication;
use signer_tests::{
    repository, seeds, shared,
    targets::{self, sign},
};

/// The allocator counts for the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());
/// Mutations of each target's seeds, all targets together some thousands.
const MUTATIONS: usize = 700;
/// Longer seeds are replayed as they are and not mutated.
const MUTATED_BYTES: usize = 24 << 10;
/// Words that a mutation puts in.
const WORDS: [&[u8]; 16] = [
    b"<<",
    b">>",
    b"[",
    b"]",
    b"(",
    b"endobj",
    b"stream\n",
    b" 0 R",
    b"/Kids",
    b"/V",
    b"/Prev 9",
    b"-1",
    b"4294967295",
    b"9223372036854775807",
    b"\x30\x80",
    b"\xff\xff\xff\xff",
];

/// Numbers that are the same each time (xorshift64).
struct Noise(u64);

impl Noise {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % end.max(1)
    }

    /// One to four changes of `input`.
    fn mutated(&mut self, input: &[u8]) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(40)).min(bytes.len());
            match self.below(6) {
                0 | 1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                2 => drop(bytes.drain(at..end)),
                3 => bytes.splice(at..at, WORDS[self.below(WORDS.len())].iter().copied()).for_each(drop),
                4 => bytes.splice(at..end, WORDS[self.below(WORDS.len())].iter().copied()).for_each(drop),
                _ => {
                    let copy = bytes[at.min(end)..end].to_vec();
                    let to = self.below(bytes.len());
                    bytes.splice(to..to, copy).for_each(drop);
                }
            }
        }
        bytes
    }
}

/// One test, as the allocator counts for the whole process.
#[test]
fn nothing_trips_a_target() {
    let _alone = ALONE.lock().unwrap();
    let mut folders = vec![repository().join("tests/fixtures")];
    match shared() {
        Some(shared) => folders.push(shared.join("corpus")),
        None => println!("the corpus is not beside this repository: its seeds are left out"),
    }
    let mut failures = BTreeSet::new();
    for target in &targets::ALL {
        let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
        let seeds = seeds::of(target, &folders);
        assert!(!seeds.is_empty(), "{} has seeds", target.name);
        let once: Vec<PathBuf> = seeds::files(&repository().join("tests/fixtures/fuzz").join(target.name));
        let short: Vec<&Vec<u8>> = seeds.iter().filter(|seed| seed.len() <= MUTATED_BYTES).collect();
        let mutated = (0..MUTATIONS).map(|index| {
            let seed = short[noise.below(short.len())];
            (format!("mutation {index}"), noise.mutated(seed))
        });
        let seeds = seeds.iter().enumerate().map(|(index, seed)| (format!("seed {index}"), seed.clone()));
        let once = once.iter().map(|file| (file.display().to_string(), fs::read(file).unwrap()));
        for (name, input) in once.chain(seeds).chain(mutated) {
            let run = panic::catch_unwind(|| heap::growth(|| (target.run)(&input)));
            if run.is_err() || run.is_ok_and(|growth| growth > heap::BYTES) {
                let file = repository()
                    .join("target/fuzz")
                    .join(format!("{}-{name}", target.name).replace('/', "-"));
                let _ = fs::create_dir_all(file.parent().unwrap()).and_then(|()| fs::write(&file, input));
                failures.insert(format!("{} {name}: written to {}", target.name, file.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// What is beside this repository adds seeds, and no target depends on it.
#[test]
fn every_target_has_seeds_of_our_own() {
    let folders = [repository().join("tests/fixtures")];
    for target in &targets::ALL {
        let seeds = seeds::of(target, &folders);
        assert!(seeds.iter().any(|seed| seed.len() <= MUTATED_BYTES), "{}", target.name);
    }
}

/// Proves A15. Every byte of a small document that was signed twice, changed in one bit.
#[test]
fn no_signature_passes_with_a_signed_byte_changed() {
    let _alone = ALONE.lock().unwrap();
    let first = signed(PAGE);
    let second = signed(&first);
    let names = |bytes: &[u8]| -> Vec<String> {
        let verdicts = sign::verdicts(bytes).unwrap_or_default().into_iter();
        let passed = verdicts.filter(|verdict| verdict.indication == Indication::TotalPassed);
        passed.map(|verdict| verdict.field).collect()
    };
    assert_eq!(names(&second), ["Signature1", "Signature2"]);
    let mut noise = Noise(0x2545_f491_4f6c_dd1d);
    let ranges: Vec<_> = sign::verdicts(&second)
        .unwrap()
        .iter()
        .zip([first.len(), second.len()])
        .map(|(verdict, end)| (verdict.field.clone(), end))
        .collect();
    let holes = holes(&second);
    for at in 0..second.len() {
        let mut changed = second.clone();
        changed[at] ^= 1 << noise.below(8);
        let passed = names(&changed);
        for ((field, end), hole) in ranges.iter().zip(&holes) {
            let signed = at < *end && !hole.contains(&at);
            assert!(!(signed && passed.contains(field)), "byte {at} of {field} was changed, and it passed");
        }
        let all = holes.iter().all(|hole| !hole.contains(&at));
        assert!(!(all && passed.len() == ranges.len()), "byte {at} was changed, and everything passed");
    }
}

/// A document of one page.
const PAGE: &[u8] =
    b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages \
/Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>\nendobj\n\
xref\n0 4\n0000000000 65535 f \n0000000009 00000 n \n0000000058 00000 n \n0000000115 00000 n \n\
trailer\n<< /Size 4 /Root 1 0 R >>\nstartxref\n186\n%%EOF\n";

fn signed(bytes: &[u8]) -> Vec<u8> {
    let (update, _) = sign::signed(bytes, sign::Way::Invisible).expect("the document is signed");
    [bytes, &update].concat()
}

/// The digits of each `/Contents`, with their brackets.
fn holes(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let starts = bytes.windows(11).enumerate().filter(|(_, window)| *window == b"/Contents <");
    let hole = |start: usize| {
        start + 10..start + 11 + bytes[start..].iter().position(|byte| *byte == b'>').unwrap_or(0)
    };
    starts.map(|(start, _)| hole(start)).collect()
}
