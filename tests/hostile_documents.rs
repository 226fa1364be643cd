//! Documents made to cost more than an honest one may: each ends with success or a code, within
//! bounds that are counted and not timed.

#[path = "fuzz/heap.rs"]
mod heap;
#[path = "hostile/scans.rs"]
mod scans;
#[path = "hostile/streams.rs"]
mod streams;
#[path = "hostile/structure.rs"]
mod structure;
#[path = "hostile/writing.rs"]
mod writing;

use std::{
    cell::Cell,
    fs,
    path::Path,
    process::{Command, Output},
    sync::Mutex,
};

use serde_json::Value;
use signer_core::{
    error::ErrorCode,
    pades::{range_digests::RangeDigests, verify},
    pdf::{
        document::Document,
        limits::Limits,
        source::{Source, SourceError},
    },
};
use signer_tests::{signer_program, targets::sign};

/// Bytes that one act may read of a document, in all: what its budgets let through, and half of what
/// the shipped program reads and parses in a second (270 MiB of trailers or objects without an end
/// take it a quarter of one). The clock itself would measure the machine's other work.
const READ_BYTES: u64 = 512 << 20;
/// Reads that one act may do: half of those that fit into a second at a microsecond each.
const READS: u64 = 500_000;
/// Address space that a document may add to what the program takes for a small one.
const GROWTH_BYTES: u64 = 64 << 20;

/// One test at a time makes documents.
static ALONE: Mutex<()> = Mutex::new(());

/// A document that is not honest.
pub(crate) struct Hostile {
    name: &'static str,
    bytes: Vec<u8>,
}

/// A source that counts what is read.
struct Counted<'a> {
    bytes: &'a [u8],
    read: Cell<u64>,
    reads: Cell<u64>,
}

impl Hostile {
    pub(crate) fn new(name: &'static str, bytes: Vec<u8>) -> Self {
        Self { name, bytes }
    }
}

impl Source for &Counted<'_> {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        self.read.set(self.read.get() + buffer.len() as u64);
        self.reads.set(self.reads.get() + 1);
        self.bytes.read_at(offset, buffer)
    }
}

/// Proves A13. Alone, as the allocator counts for the whole process.
#[test]
fn no_hostile_document_passes_the_bounds_of_memory_and_work() {
    let _alone = ALONE.lock().unwrap();
    let mut failures = Vec::new();
    for makers in [structure::all, streams::all, scans::all] {
        for Hostile { name, bytes } in makers() {
            let mut note = |what: &str, growth: usize, [read, reads]: [u64; 2]| {
                let cost = format!("held {} KiB, read {} KiB in {reads} reads", growth >> 10, read >> 10);
                println!("{name}: {what} {cost}");
                if growth > heap::BYTES || read > READ_BYTES || reads > READS {
                    failures.push(format!("{name}: {what} {cost}"));
                }
            };
            for (what, act) in [
                ("reading", look as fn(&Counted<'_>)),
                ("signing unseen", |source| sign_and_check(source, sign::Way::Invisible)),
                ("signing", |source| sign_and_check(source, sign::Way::Visible)),
                ("validating", |source| {
                    if let Ok(document) = Document::open(source, Limits::default()) {
                        drop(sign::verdicts_from(&document, &source));
                    }
                }),
            ] {
                let source = Counted { bytes: &bytes, read: Cell::new(0), reads: Cell::new(0) };
                let growth = heap::growth(|| act(&source));
                note(what, growth, [source.read.get(), source.reads.get()]);
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The program within an address space that is a little larger than a small document needs.
#[test]
fn the_program_ends_with_a_verdict_or_a_code_in_little_memory() {
    let _alone = ALONE.lock().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("document.pdf");
    fs::write(&file, writing::Writing::with_page().finished()).unwrap();
    let steps = (1..64).map(|step| step * (8 << 20));
    let least = steps.into_iter().find(|bytes| known(&validate(&file, *bytes)).is_ok()).unwrap();
    let mut failures = Vec::new();
    for makers in [structure::all, streams::all, scans::all] {
        for Hostile { name, bytes } in makers() {
            fs::write(&file, bytes).unwrap();
            if let Err(reason) = known(&validate(&file, least + GROWTH_BYTES)) {
                failures.push(format!("{name}: {reason}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Signs, and checks the result as before a release. What is read of it counts too.
fn sign_and_check(source: &Counted<'_>, way: sign::Way) {
    let Ok(document) = Document::open(source, Limits::default()) else { return };
    let Some((update, field)) = sign::signed_from(&document, source.bytes, way) else { return };
    let bytes = [source.bytes, &update].concat();
    let result = Counted { bytes: &bytes, read: Cell::new(0), reads: Cell::new(0) };
    let signed = document.reopen(&result).expect("what was signed opens");
    let mut digests = RangeDigests::new(bytes.as_slice());
    let checked = verify::check_own(&document, &signed, &field, &mut |range, algorithm| {
        // Hashed while it is copied, and not read once more.
        digests.digest(range, algorithm)
    });
    checked.expect("what was signed is as it was meant");
    source.read.set(source.read.get() + result.read.get());
    source.reads.set(source.reads.get() + result.reads.get());
}

/// Asks for what signing and validating ask for.
fn look(source: &Counted<'_>) {
    let check = |code: ErrorCode| assert_ne!(code, ErrorCode::Internal);
    let document = match Document::open(source, Limits::default()) {
        Ok(document) => document,
        Err(error) => return check(error.code()),
    };
    for code in [
        document.page_count().err().map(|error| error.code()),
        document.page(1).err().map(|error| error.code()),
        document.fields().err().map(|error| error.code()),
        document.revision_ends().err().map(|error| error.code()),
    ] {
        code.into_iter().for_each(check);
    }
}

fn validate(file: &Path, address_space: u64) -> Output {
    let mut command = Command::new("prlimit");
    command.arg(format!("--as={address_space}")).arg(signer_program()).args(["validate", "--json"]).arg(file);
    command.env("LC_ALL", "en_US.UTF-8").output().unwrap()
}

/// An answer in JSON: verdicts, or a code that is not our own fault.
fn known(output: &Output) -> Result<(), String> {
    let json: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    if matches!(output.status.code(), Some(0..=2)) && json.is_object() && json["error"]["code"] != "internal"
    {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{} {}", output.status, said.chars().take(300).collect::<String>()))
}
