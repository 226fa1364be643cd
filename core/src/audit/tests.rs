//! What a line looks like, that it is read back, and that every meddling shows.

use proptest::prelude::*;

use super::*;

#[test]
fn a_line_is_canonical_json() {
    let entry = Entry { event: Event::Intent, certificate: None, ..entry(7) };
    let line = next(&Position::start(), &entry);
    let zeros = "0".repeat(64);
    let digest = DigestAlgorithm::Sha256.digest(b"document").to_hex();
    let expected = format!(
        "{{\"approval\":7,\"boot\":\"000102030405060708090a0b0c0d0e0f\",\"certificate\":null,\
         \"client\":{{\"kind\":\"site\",\"origin\":\"https://example.com.br\"}},\"code\":null,\
         \"documents\":[{{\"algorithm\":\"SHA-256\",\"code\":null,\"digest\":\"{digest}\"}}],\
         \"event\":\"intent\",\"kind\":\"signature\",\"outcome\":null,\"previous\":\"{zeros}\",\
         \"sequence\":1,\"time\":\"2026-11-30T18:49:28-03:00\",\"version\":1}}"
    );
    assert_eq!(line.as_str(), expected);
    assert_eq!(line.position().sequence(), 1);
    assert_eq!(*line.position().hash(), DigestAlgorithm::Sha256.digest(expected.as_bytes()));
}

#[test]
fn every_kind_of_record_is_read_back() {
    let outcomes = [Outcome::Approved, Outcome::Cancelled, Outcome::Denied, Outcome::Expired]
        .into_iter()
        .chain(ErrorCode::ALL.iter().copied().map(Outcome::Failed));
    let mut position = Position::start();
    for event in outcomes.map(Event::Outcome).chain([Event::Intent]) {
        for kind in [Kind::Pairing, Kind::Selection, Kind::Signature] {
            for client in [
                Client::Program { name: Some("firefox \"\u{1}é".into()) },
                Client::Program { name: None },
                Client::Site { origin: "http://127.0.0.1:8080".into() },
            ] {
                let entry = Entry { event, kind, client, ..entry(position.sequence()) };
                let line = next(&position, &entry);
                let record = Record::parse(line.as_str().as_bytes()).unwrap();
                assert_eq!(record.entry, entry);
                assert_eq!((record.sequence, &record.previous), (position.sequence() + 1, position.hash()));
                assert_eq!(Position::after(line.as_str().as_bytes()).as_ref(), Ok(line.position()));
                position = line.position().clone();
            }
        }
    }
}

#[test]
fn other_spellings_and_other_lines_are_told_apart() {
    let line = next(&Position::start(), &entry(1)).as_str().to_owned();
    for (from, to, error) in [
        ("{\"approval\"", "{ \"approval\"", LineError::NotCanonical),
        ("\"version\":1", "\"version\":1,\"zeal\":2", LineError::NotCanonical),
        ("\"code\":null,\"documents\"", "\"code\":\"internal\",\"documents\"", LineError::NotCanonical),
        ("https", "http\\u0073", LineError::NotCanonical),
        ("0001020304", "+001020304", LineError::NotCanonical),
        ("\"version\":1", "\"version\":2", LineError::Unreadable),
        ("\"approved\"", "\"allowed\"", LineError::Unreadable),
        ("\"approved\"", "\"failed\"", LineError::Unreadable),
        ("\"outcome\":\"approved\"", "\"outcome\":null", LineError::Unreadable),
        ("\"event\":\"outcome\"", "\"event\":\"intent\"", LineError::Unreadable),
        ("\"approval\":1,", "", LineError::Unreadable),
        ("\"approval\":1,", "\"approval\":-1,", LineError::Unreadable),
        ("SHA-256", "SHA-512", LineError::Unreadable),
        ("2026-11-30", "2026-11-31", LineError::Unreadable),
        ("\"version\":1}", "\"version\":1", LineError::Unreadable),
    ] {
        let changed = line.replacen(from, to, 1);
        assert_ne!(changed, line, "{from}");
        assert_eq!(Record::parse(changed.as_bytes()), Err(error), "{changed}");
    }
    assert_eq!(Record::parse(b"\xff"), Err(LineError::Unreadable));
    assert_eq!(Record::parse(b""), Err(LineError::Unreadable));
}

#[test]
fn an_unbroken_chain_is_taken_over_several_files() {
    let lines = chain(6);
    let mut verifier = Verifier::from_start();
    for (index, line) in lines.iter().enumerate() {
        if index == 3 {
            verifier.begin_file();
        }
        assert_eq!(verifier.take(line.as_bytes()).unwrap().entry.approval, index as u64);
    }
    assert_eq!(verifier.position(), Some(&Position::after(lines[5].as_bytes()).unwrap()));

    let mut verifier = Verifier::from_first_line();
    assert!(lines[2..].iter().all(|line| verifier.take(line.as_bytes()).is_ok()));
    let mut verifier = Verifier::from_start();
    let fault = Fault::Sequence { expected: 1, found: 3 };
    assert_eq!(verifier.take(lines[2].as_bytes()), Err(Break { line: 1, fault }));
}

#[test]
fn every_meddling_shows_at_its_line() {
    let gap = |found| Fault::Sequence { expected: 3, found };
    shows("nothing", None, |_| ());
    shows("changed", Some((4, Fault::Previous)), |lines| {
        lines[2] = lines[2].replace("approved", "cancelled");
    });
    shows("spelt anew", Some((3, Fault::Line(LineError::NotCanonical))), |lines| {
        lines[2] = lines[2].replace(',', ", ");
    });
    shows("torn", Some((3, Fault::Line(LineError::Unreadable))), |lines| lines[2].truncate(40));
    shows("taken out", Some((3, gap(4))), |lines| drop(lines.remove(2)));
    shows("repeated", Some((3, gap(2))), |lines| lines.insert(2, lines[1].clone()));
    shows("exchanged", Some((3, gap(4))), |lines| lines.swap(2, 3));
    shows("put in the place of another", Some((3, Fault::Previous)), |lines| {
        let start = Position { sequence: 2, ..Position::start() };
        lines[2] = next(&start, &entry(2)).as_str().to_owned();
    });
}

#[test]
fn it_goes_on_behind_a_break() {
    let mut lines = chain(8);
    lines[1].truncate(10);
    lines.remove(5);
    let mut verifier = Verifier::from_start();
    let breaks: Vec<u64> = lines
        .iter()
        .filter_map(|line| verifier.take(line.as_bytes()).err())
        .map(|broken| broken.line)
        .collect();
    assert_eq!(breaks, [2, 3, 6]);
}

proptest! {
    /// One changed byte in any line but the last shows at that line or at the one behind it.
    #[test]
    fn one_changed_byte_shows(line in 0_usize..5, at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut lines: Vec<Vec<u8>> = chain(6).into_iter().map(String::into_bytes).collect();
        let at = at.index(lines[line].len());
        prop_assume!(lines[line][at] != byte);
        lines[line][at] = byte;
        let mut verifier = Verifier::from_start();
        let broken = lines.iter().find_map(|line| verifier.take(line).err()).unwrap();
        prop_assert!([line as u64 + 1, line as u64 + 2].contains(&broken.line));
    }
}

fn shows(name: &str, expected: Option<(u64, Fault)>, meddle: impl Fn(&mut Vec<String>)) {
    let mut lines = chain(6);
    meddle(&mut lines);
    let mut verifier = Verifier::from_start();
    let found = lines.iter().find_map(|line| verifier.take(line.as_bytes()).err());
    assert_eq!(found, expected.map(|(line, fault)| Break { line, fault }), "{name}");
}

fn chain(length: u64) -> Vec<String> {
    let mut position = Position::start();
    (0..length)
        .map(|approval| {
            let line = next(&position, &entry(approval));
            position = line.position().clone();
            line.as_str().to_owned()
        })
        .collect()
}

fn entry(approval: u64) -> Entry {
    Entry {
        approval,
        boot: Boot([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
        certificate: CredentialId::parse(&"5a".repeat(32)),
        client: Client::Site { origin: "https://example.com.br".into() },
        documents: vec![Document { code: None, digest: DigestAlgorithm::Sha256.digest(b"document") }],
        event: Event::Outcome(Outcome::Approved),
        kind: Kind::Signature,
        time: Moment::new(1_796_075_368, -180).unwrap(),
    }
}
