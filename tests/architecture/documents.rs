//! The documents against the code: every invariant proved, every error code worded.

use std::collections::{BTreeMap, BTreeSet};

use signer_core::error::ErrorCode;
use signer_service::text::Language;
use signer_tests::repository;

use crate::rust_file;

/// An invariant of ARCHITECTURE.md names its tests (`file.rs` :: `function`), and each of them
/// says which invariant it proves. Neither may be alone.
#[test]
fn every_invariant_is_proved() {
    let promised = promised();
    let proofs = proofs();
    assert!(promised.len() >= 10, "the invariants were found: {promised:?}");
    let numbers: Vec<u32> = promised.keys().copied().collect();
    let expected: Vec<u32> = (1..).take(numbers.len()).collect();
    assert_eq!(numbers, expected, "the invariants are numbered without gaps");
    for (number, tests) in &promised {
        assert!(!tests.is_empty(), "A{number} names no test");
        for test in tests {
            assert!(
                proofs.get(number).is_some_and(|proofs| proofs.contains(test)),
                "A{number} names {} in {}, where no test of this name says \"Proves A{number}.\"",
                test.1,
                test.0
            );
        }
    }
    for number in proofs.keys() {
        assert!(
            promised.contains_key(number),
            "a test proves A{number}, which ARCHITECTURE.md does not know"
        );
    }
}

/// Proves A14.
#[test]
fn every_code_speaks_three_languages() {
    for &code in ErrorCode::ALL {
        let spoken = [Language::Portuguese, Language::English, Language::Spanish];
        for texts in [spoken.map(|it| it.error(code)), spoken.map(|it| it.remedy(code.remedy()))] {
            assert!(texts.iter().all(|text| text.ends_with('.') && text.len() > 5), "{code}: {texts:?}");
            assert_eq!(BTreeSet::from(texts).len(), 3, "{code} says the same in two languages: {texts:?}");
        }
    }
}

/// Proves A14. `ErrorCode::ALL` is written by hand.
#[test]
fn the_list_of_codes_is_complete() {
    let files = rust_file::core();
    let file = files.iter().find(|file| file.name == "core/src/error.rs").unwrap();
    let variants = file.syntax.items.iter().find_map(|item| match item {
        syn::Item::Enum(item) if item.ident == "ErrorCode" => Some(item.variants.len()),
        _ => None,
    });
    assert_eq!(variants, Some(ErrorCode::ALL.len()));
}

/// A file and a function in it.
type Test = (String, String);

/// The invariants, which begin a line with `**A1**`, and the tests that each names: `file.rs`
/// and `function` in backquotes, joined by `::`.
fn promised() -> BTreeMap<u32, BTreeSet<Test>> {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the document is there");
    let mut found: BTreeMap<u32, BTreeSet<Test>> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        if line.starts_with('#') {
            current = None;
        }
        if let Some(rest) = line.strip_prefix("**A") {
            let number = rest.split_once("**").and_then(|(number, _)| number.parse().ok());
            current = Some(number.expect("an invariant has a number"));
            found.entry(current.unwrap()).or_default();
        }
        if let Some(number) = current {
            let quoted = line.split('`').skip(1).step_by(2);
            let tests = quoted.filter_map(|quoted| quoted.split_once(".rs::"));
            let tests = tests.map(|(file, function)| (format!("{file}.rs"), function.to_owned()));
            found.entry(number).or_default().extend(tests);
        }
    }
    found
}

/// The test functions whose comment says "Proves A1.".
fn proofs() -> BTreeMap<u32, BTreeSet<Test>> {
    let mut found: BTreeMap<u32, BTreeSet<Test>> = BTreeMap::new();
    for file in rust_file::all() {
        let mut numbers: Vec<u32> = Vec::new();
        let mut is_test = false;
        for line in file.text.lines().map(str::trim) {
            if line.starts_with("//") {
                numbers.extend(line.split("Proves A").skip(1).map(|rest| {
                    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
                    digits.parse::<u32>().unwrap_or(0)
                }));
            } else if line.starts_with("#[") {
                is_test |= line == "#[test]";
            } else if let Some((_, rest)) = line.split_once("fn ").filter(|_| is_test) {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                for number in numbers.drain(..) {
                    found.entry(number).or_default().insert((file.name.clone(), name.clone()));
                }
                is_test = false;
            } else {
                numbers.clear();
                is_test = false;
            }
        }
    }
    // Number 0 is what the comments of this file leave, which name no number.
    found.remove(&0);
    found
}
