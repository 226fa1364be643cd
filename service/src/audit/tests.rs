//! A trail that is written, torn, rotated and changed.

use std::os::unix::fs::PermissionsExt as _;

use signer_core::{
    approval::{
        Deadlines, Instant,
        summary::{Client, Scope, Subject, Summary},
    },
    audit::Fault,
};

use super::*;
use crate::audit::trail::Found;

struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    fn dirs(&self) -> Dirs {
        Dirs::within(self.directory.path())
    }

    fn file(&self, number: u32) -> PathBuf {
        trail::path(&self.dirs().audit_path(), number)
    }

    /// How many records, and everything that is not one.
    fn read(&self) -> (usize, Vec<Found>) {
        let (mut records, mut others) = (0, Vec::new());
        trail::read(&self.dirs().audit_path(), |found| match found {
            Found::Record(_) => records += 1,
            Found::Break { .. } | Found::Torn { .. } => others.push(found),
        })
        .unwrap();
        (records, others)
    }
}

fn append(ledger: &Ledger, number: u64) -> Result<(), LedgerError> {
    let client = Client::Site { origin: "https://a.example".into(), host: "a.example".into() };
    let summary = Summary::new(client, Subject::Pairing { scopes: vec![Scope::Sign] });
    let (approval, _) = Approval::open(summary, Deadlines::default(), Instant(0));
    ledger.append(&ledger.entry(&approval, number, Record::Intent).unwrap())
}

#[test]
fn the_chain_goes_on_across_files_and_runs_of_the_service() {
    let place = Place::new();
    for run in 0..3 {
        let ledger = Ledger::rotating(place.dirs(), 1000).unwrap();
        for number in 0..4 {
            append(&ledger, run * 10 + number).unwrap();
        }
    }
    let (records, others) = place.read();
    assert_eq!(records, 12);
    assert!(others.is_empty(), "{others:?}");
    assert!(place.file(3).exists(), "the files were rotated");
    assert_eq!(fs::metadata(place.file(1)).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_part_of_a_record_is_set_aside_and_the_chain_goes_on() {
    let place = Place::new();
    append(&Ledger::new(place.dirs()).unwrap(), 1).unwrap();
    let whole = fs::read(place.file(1)).unwrap();
    for cut in [1, 20, whole.len() / 2] {
        fs::write(place.file(1), [&whole[..], &whole[..cut]].concat()).unwrap();
        assert!(matches!(place.read().1[..], [Found::Torn { .. }]));
        append(&Ledger::new(place.dirs()).unwrap(), 2).unwrap();
        let (records, others) = place.read();
        assert_eq!(records, 2);
        assert!(others.is_empty(), "{others:?}");
    }
    let aside = fs::read(trail::torn_path(&place.dirs().audit_path(), 1)).unwrap();
    assert_eq!(aside.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count(), 3);
}

#[test]
fn a_whole_record_without_its_end_is_kept() {
    let place = Place::new();
    append(&Ledger::new(place.dirs()).unwrap(), 1).unwrap();
    let whole = fs::read(place.file(1)).unwrap();
    fs::write(place.file(1), &whole[..whole.len() - 1]).unwrap();
    append(&Ledger::new(place.dirs()).unwrap(), 2).unwrap();
    assert_eq!(place.read().0, 2);
}

#[test]
fn nothing_is_appended_to_what_is_not_ours() {
    let place = Place::new();
    place.dirs().audit().unwrap();
    fs::write(place.file(1), "hello\n").unwrap();
    let ledger = Ledger::new(place.dirs()).unwrap();
    assert!(matches!(ledger.check(), Err(LedgerError::Damaged(_))));
    assert!(append(&ledger, 1).is_err());
    assert_eq!(fs::read(place.file(1)).unwrap(), b"hello\n");
}

#[test]
fn a_trail_that_was_taken_away_is_noticed_and_one_that_cannot_be_opened_is_told() {
    let place = Place::new();
    let ledger = Ledger::new(place.dirs()).unwrap();
    append(&ledger, 1).unwrap();
    fs::remove_file(place.file(1)).unwrap();
    append(&ledger, 2).unwrap();
    assert_eq!(place.read().0, 1);
    fs::remove_file(place.file(1)).unwrap();
    fs::create_dir(place.file(1)).unwrap();
    assert_eq!(ledger.check().unwrap_err().code(), ErrorCode::AuditUnavailable);
    fs::remove_dir(place.file(1)).unwrap();
    ledger.check().unwrap();
}

#[test]
fn a_changed_line_is_found() {
    let place = Place::new();
    let ledger = Ledger::new(place.dirs()).unwrap();
    for number in 1..=3 {
        append(&ledger, number).unwrap();
    }
    let text = fs::read_to_string(place.file(1)).unwrap();
    fs::write(place.file(1), text.replacen("a.example", "b.example", 1)).unwrap();
    let (records, others) = place.read();
    assert_eq!(records, 2);
    let [Found::Break { fault, .. }] = &others[..] else { panic!("{others:?}") };
    assert_eq!((fault.line, &fault.fault), (2, &Fault::Previous));
}
