//! The encrypted documents of other projects, with the passwords that they are known to have.

use std::{fs, path::PathBuf};

use signer_tests::{judges::PyHanko, shared};

use crate::{Desk, accepted, code, tells_nothing};

/// Documents that encrypt attachments only, or nothing.
const IN_CLEAR: [&str; 2] = ["qpdf--nontrivial-crypt-filter.pdf", "safedocs--unicode-test.pdf"];

struct Row {
    file: String,
    password: String,
    expected: String,
}

fn rows() -> Option<(PathBuf, Vec<Row>)> {
    let Some(corpus) = shared().map(|shared| shared.join("corpus")).filter(|corpus| corpus.is_dir()) else {
        println!("left out: the corpus is not beside this repository");
        return None;
    };
    let manifest = fs::read_to_string(corpus.join("manifest.tsv")).unwrap();
    let rows = manifest.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let encrypted =
        rows.filter(|cells| cells[1].starts_with("encrypted") || cells[2].contains("; encrypted"));
    let row = |cells: Vec<&str>| Row {
        file: cells[0].to_owned(),
        password: cells[3].to_owned(),
        expected: cells[4].to_owned(),
    };
    let rows = encrypted.map(row).collect();
    Some((corpus, rows))
}

#[test]
fn documents_of_others_sign_with_their_passwords() {
    let Some((corpus, rows)) = rows() else { return };
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let mut signed = 0;
    for row in rows {
        let desk = Desk::new();
        let (input, output) = (corpus.join(&row.file), desk.path("out.pdf"));
        let given = Some(row.password.as_str()).filter(|password| !password.is_empty());
        let must = row.expected.starts_with("must sign");
        if let Err(json) = desk.sign(&input, &output, given, &["--seal", "default"]) {
            let named = row.expected.contains("naming the permission bits")
                && code(&json) == "document-permission-denied";
            assert!(!must || named, "{}: {json}", row.file);
            assert!(!["internal", "no error"].contains(&code(&json)), "{}: {json}", row.file);
            continue;
        }
        assert!(!row.expected.starts_with("must refuse"), "{}", row.file);
        if must {
            accepted(&mut pyhanko, &desk, &input, &output, &row.password);
            if !IN_CLEAR.contains(&row.file.as_str()) {
                tells_nothing(&input, &output);
            }
            signed += 1;
        }
    }
    assert!(signed >= 10, "{signed} documents signed");
}

#[test]
fn documents_for_recipients_say_so() {
    let Some((corpus, rows)) = rows() else { return };
    let desk = Desk::new();
    let mut refused = 0;
    for row in rows.iter().filter(|row| row.expected.contains("public-key encryption")) {
        assert_eq!(desk.refusal(&corpus.join(&row.file), None, &[]), "document-encrypted", "{}", row.file);
        assert_eq!(
            desk.refusal(&corpus.join(&row.file), Some("x"), &[]),
            "document-encrypted",
            "{}",
            row.file
        );
        refused += 1;
    }
    assert!(refused > 0);
}
