//! The corpus of documents beside the repository, and what its manifest expects of each.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::shared;

/// One document.
pub struct Row {
    /// Its file.
    pub file: String,
    /// What kind of document it is.
    pub kind: String,
    /// The password that opens it; empty for none.
    pub password: String,
    /// What is expected.
    pub expected: Expected,
}

/// What the manifest says in words, understood.
pub struct Expected {
    /// The words.
    pub text: String,
    /// Whether it is signed.
    pub signing: Signing,
    /// What the validator says of the signatures that it has.
    pub validation: Validation,
}

/// Whether a document is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signing {
    /// It may be signed, or refused with a code.
    May,
    /// It must be signed.
    Must,
    /// It must be signed, or refused because of what its permissions say.
    MustUnlessForbidden,
    /// It must be signed, and the form that is drawn from XML must neither be lost nor go unsaid.
    MustWithWarning,
    /// It must be refused, for this reason.
    Refuse(Refusal),
    /// It should be signed where that can be done.
    Should,
}

/// Why a document is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// An earlier signature allows no changes.
    Changes,
    /// It is encrypted for certain recipients.
    Recipients,
    /// Its password is not known.
    Password,
    /// Any other reason: a code all the same.
    Other,
}

/// What the validator must not or must say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validation {
    /// Anything.
    Free,
    /// That no signature of it is valid as it is.
    NotValid,
    /// That a signature does not cover the whole file.
    NotWholeFile,
}

/// The folder of the corpus; `None`, said aloud, where it is not there.
pub fn folder() -> Option<PathBuf> {
    let corpus = shared().map(|shared| shared.join("corpus")).filter(|corpus| corpus.is_dir());
    if corpus.is_none() {
        println!("left out: the corpus is not beside this repository");
    }
    corpus
}

/// Every row of the manifest in `corpus`.
///
/// # Panics
/// Where the manifest is not what it should be.
pub fn rows(corpus: &Path) -> Vec<Row> {
    let manifest = fs::read_to_string(corpus.join("manifest.tsv")).expect("the corpus has a manifest");
    let mut lines = manifest.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().expect("the manifest has a head");
    let column = |name: &str| head.iter().position(|cell| *cell == name).expect(name);
    let [file, kind, password, expected] = ["file", "kind", "password", "expected"].map(column);
    lines
        .map(|cells| Row {
            file: cells[file].to_owned(),
            kind: cells[kind].to_owned(),
            password: cells[password].to_owned(),
            expected: Expected::parse(cells[expected]),
        })
        .collect()
}

impl Expected {
    fn parse(text: &str) -> Self {
        let says = |words: &str| text.contains(words);
        let refusal = || match () {
            () if says("public-key") => Refusal::Recipients,
            () if says("password") => Refusal::Password,
            () if says("changes") || says("certified") => Refusal::Changes,
            () => Refusal::Other,
        };
        let signing = match () {
            () if says("must refuse to sign") => Signing::Refuse(Refusal::Other),
            () if text.starts_with("must refuse") => Signing::Refuse(refusal()),
            () if text.starts_with("must sign") && says("permission") => Signing::MustUnlessForbidden,
            () if text.starts_with("must sign") && says("XFA") => Signing::MustWithWarning,
            () if text.starts_with("must sign") => Signing::Must,
            () if text.starts_with("should sign") => Signing::Should,
            () => Signing::May,
        };
        let validation = match () {
            () if says("must not say valid") => Validation::NotValid,
            () if says("does not cover the whole file") => Validation::NotWholeFile,
            () => Validation::Free,
        };
        Self { text: text.to_owned(), signing, validation }
    }
}
