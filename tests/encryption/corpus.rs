//! The encrypted documents of other projects, with the passwords that they are known to have.

use std::path::{Path, PathBuf};

use signer_tests::{
    judges::PyHanko,
    manifest::{self, Refusal, Row, Signing},
};

use crate::{Desk, accepted, code, inputs::qpdf, tells_nothing};

/// The corpus, and those of its rows that are about encryption.
fn encrypted() -> Option<(PathBuf, Vec<Row>)> {
    let corpus = manifest::folder()?;
    let mut rows = manifest::rows(&corpus);
    rows.retain(|row| row.kind.starts_with("encrypted") || row.special.contains("; encrypted"));
    Some((corpus, rows))
}

/// Whether the strings of a document are in clear: it encrypts attachments only, or nothing.
fn is_in_clear(path: &Path, password: &str) -> Option<bool> {
    let shown = qpdf(&["--show-encryption", &format!("--password={password}")], &[path])?;
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    Some(
        ["File is not encrypted", "string encryption method: none"].iter().any(|words| shown.contains(words)),
    )
}

#[test]
fn documents_of_others_sign_with_their_passwords() {
    let Some((corpus, rows)) = encrypted() else { return };
    let Some(mut pyhanko) = PyHanko::start() else { return };
    for row in rows {
        let desk = Desk::new();
        let (input, output) = (corpus.join(&row.file), desk.path("out.pdf"));
        let given = Some(row.password.as_str()).filter(|password| !password.is_empty());
        let must = matches!(
            row.expected.signing,
            Signing::Must | Signing::MustUnlessForbidden | Signing::MustWithWarning
        );
        if let Err(json) = desk.sign(&input, &output, given, &["--seal", "default"]) {
            let named = row.expected.signing == Signing::MustUnlessForbidden
                && code(&json) == "document-permission-denied";
            assert!(!must || named, "{}: {json}", row.file);
            assert!(!["internal", "no error"].contains(&code(&json)), "{}: {json}", row.file);
            continue;
        }
        assert!(!matches!(row.expected.signing, Signing::Refuse(_)), "{}", row.file);
        if must {
            accepted(&mut pyhanko, &desk, &input, &output, &row.password);
            if is_in_clear(&input, &row.password) == Some(false) {
                tells_nothing(&input, &output);
            }
        }
    }
}

#[test]
fn documents_for_recipients_say_so() {
    let Some((corpus, rows)) = encrypted() else { return };
    let desk = Desk::new();
    for row in rows.iter().filter(|row| row.expected.signing == Signing::Refuse(Refusal::Recipients)) {
        assert_eq!(desk.refusal(&corpus.join(&row.file), None, &[]), "document-encrypted", "{}", row.file);
        assert_eq!(
            desk.refusal(&corpus.join(&row.file), Some("x"), &[]),
            "document-encrypted",
            "{}",
            row.file
        );
    }
}
