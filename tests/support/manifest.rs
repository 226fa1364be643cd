//! The corpus of documents beside the repository, and what its manifest expects of each.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{left_out, shared};

/// One document.
pub struct Row {
    /// Its file.
    pub file: String,
    /// What kind of document it is.
    pub kind: String,
    /// What is special about it, in words.
    pub special: String,
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
    /// It can be read in two ways.
    Ambiguous,
    /// An earlier signature allows no changes.
    Changes,
    /// It is no document.
    NotAPdf,
    /// Its password is not known.
    Password,
    /// The permissions of its encryption leave signing out.
    Permissions,
    /// It is encrypted for certain recipients.
    Recipients,
}

/// The reasons for a refusal, by words of which one is said of the document. The first counts.
const REASONS: [(Refusal, &[&str]); 6] = [
    (Refusal::Recipients, &["public-key", "recipient"]),
    (Refusal::Password, &["password"]),
    (Refusal::Permissions, &["permission"]),
    (Refusal::Changes, &["changes", "certified"]),
    (Refusal::Ambiguous, &["offset", "ambiguous", "two readings"]),
    (Refusal::NotAPdf, &["not a PDF"]),
];

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
///
/// # Panics
/// Where it is not there and `CI` is set.
pub fn folder() -> Option<PathBuf> {
    let corpus = shared().map(|shared| shared.join("corpus")).filter(|corpus| corpus.is_dir());
    if corpus.is_none() {
        left_out("the corpus is not beside this repository, nor where SIGNER_SHARED says");
    }
    corpus
}

/// Every row of the manifest in `corpus`.
///
/// # Panics
/// Where the manifest is not what it should be, has no rows, or expects something that is not
/// understood: what nobody checks does not pass.
pub fn rows(corpus: &Path) -> Vec<Row> {
    let manifest = fs::read_to_string(corpus.join("manifest.tsv")).expect("the corpus has a manifest");
    let mut lines = manifest.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().expect("the manifest has a head");
    let column = |name: &str| head.iter().position(|cell| *cell == name).expect(name);
    let [file, kind, special, password, expected] =
        ["file", "kind", "special", "password", "expected"].map(column);
    let rows: Vec<Row> = lines
        .map(|cells| Row {
            file: cells[file].to_owned(),
            kind: cells[kind].to_owned(),
            special: cells[special].to_owned(),
            password: cells[password].to_owned(),
            expected: Expected::parse(cells[expected], cells[special])
                .unwrap_or_else(|clause| panic!("{}: nothing checks {clause:?}", cells[file])),
        })
        .collect();
    assert!(!rows.is_empty(), "the manifest has rows");
    rows
}

impl Expected {
    /// Understands `text`, clause by clause; where it names no reason, `special` may. Fails with a
    /// clause that means nothing here.
    fn parse(text: &str, special: &str) -> Result<Self, String> {
        let mut signing = None;
        let mut validation = Validation::Free;
        for clause in text.split(';').map(str::trim) {
            let says = |words: &str| clause.contains(words);
            match () {
                () if clause.starts_with("must refuse") => {
                    let reason = reason(clause).or_else(|| reason(special));
                    signing = Some(Signing::Refuse(reason.ok_or(clause)?));
                }
                () if clause.starts_with("must sign") => {
                    signing = Some(match () {
                        () if says("permission") => Signing::MustUnlessForbidden,
                        () if says("XFA") => Signing::MustWithWarning,
                        () => Signing::Must,
                    });
                }
                () if clause.starts_with("should sign") => signing = Some(Signing::Should),
                () if says("must not say valid") => validation = Validation::NotValid,
                () if says("does not cover the whole file") => validation = Validation::NotWholeFile,
                // These leave the answer free, or hold of every document.
                () if clause.starts_with("may ") => {}
                () if ["must not crash", "must not drop XFA", "bounded", "tolerated"]
                    .into_iter()
                    .any(says) => {}
                () => return Err(clause.to_owned()),
            }
        }
        Ok(Self { text: text.to_owned(), signing: signing.unwrap_or(Signing::May), validation })
    }
}

/// The reason for a refusal that `text` names.
fn reason(text: &str) -> Option<Refusal> {
    let named = REASONS.iter().find(|(_, words)| words.iter().any(|word| text.contains(word)));
    named.map(|(refusal, _)| *refusal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signing(text: &str, special: &str) -> Result<Signing, String> {
        Expected::parse(text, special).map(|expected| expected.signing)
    }

    #[test]
    fn what_is_expected_is_understood_or_nothing_passes() {
        for (text, special, expected) in [
            ("must sign", "", Signing::Must),
            ("must sign; must not crash, bounded time and memory", "", Signing::Must),
            (
                "must sign, or refuse with clear error naming the permission bits",
                "",
                Signing::MustUnlessForbidden,
            ),
            (
                "must sign or refuse with clear error (XFA); must not drop XFA silently",
                "",
                Signing::MustWithWarning,
            ),
            ("should sign (pyHanko refuses); a clear error is tolerated", "", Signing::Should),
            ("must not crash; may refuse with clear error", "", Signing::May),
            ("must refuse with clear error (password not known)", "", Signing::Refuse(Refusal::Password)),
            ("must refuse: offsets from byte 0 and from the header", "", Signing::Refuse(Refusal::Ambiguous)),
            (
                "validator must not say valid; must refuse to sign",
                "certified P=1",
                Signing::Refuse(Refusal::Changes),
            ),
        ] {
            assert_eq!(signing(text, special), Ok(expected), "{text}");
        }
        for text in ["", "must refuse with clear error", "ought to sign", "must sign; must sing"] {
            assert!(signing(text, "").is_err(), "{text}");
        }
    }
}
