//! What holds for every document that was signed, however strange it was before.

use std::collections::BTreeSet;

use signer_core::{
    pades::{
        range_digests::RangeDigests,
        verdict::{Indication, Verdict},
        verify,
    },
    pdf::{
        document::Document,
        limits::Limits,
        object::{Dictionary, Object, Reference},
    },
};

use crate::targets::{sign::verdicts, skeleton::known};

/// Object numbers that are compared.
const NUMBERS: u32 = 256;
/// Entries of dictionaries that a signature changes: of the catalog, the form, a page, its parent,
/// a field or its widget, or the logical structure.
const ENTRIES: &[&str] = &[
    "AcroForm",
    "Annots",
    "AP",
    "Fields",
    "K",
    "Kids",
    "Lock",
    "Nums",
    "ParentTree",
    "ParentTreeNextKey",
    "SigFlags",
    "Tabs",
    "V",
];

/// The original is the prefix, the result opens as it is, our own check accepts the signature,
/// and no object differs but those that a signature changes.
pub(super) fn hold(before: &Document<&[u8]>, input: &[u8], bytes: &[u8], field: &str) {
    assert!(bytes.starts_with(input));
    let after = Document::open(bytes, Limits::default()).expect("what was signed opens");
    assert!(!after.is_repaired(), "what was signed opens without repair");
    let mut digests = RangeDigests::new(bytes);
    let mut digest_of = |range: &_, algorithm| digests.digest(range, algorithm);
    verify::check_own(before, &after, field, &mut digest_of).expect("the signature is accepted");
    assert_eq!(after.root(), before.root());
    let numbers: BTreeSet<u32> = (1..=NUMBERS).chain([before.root().number]).collect();
    for number in numbers {
        for generation in [0, 1] {
            unchanged(before, &after, Reference { number, generation });
        }
    }
}

/// Signatures that passed still pass, and no other does now.
pub(super) fn keep(before: &[Verdict], bytes: &[u8], field: &str) {
    let Some(after) = known(verdicts(bytes)) else { panic!("what was signed is judged") };
    let passed = |verdicts: &[Verdict]| -> Vec<String> {
        let passed = verdicts.iter().filter(|verdict| verdict.indication == Indication::TotalPassed);
        passed.map(|verdict| verdict.field.clone()).collect()
    };
    let mut now = passed(&after);
    // Of fields of one name the new one may be any: what counts is that one more passes.
    let own = now.iter().position(|name| name == field);
    let own = own.unwrap_or_else(|| panic!("our own signature passes: {after:#?}"));
    now.remove(own);
    assert_eq!(now, passed(before), "{before:#?} {after:#?}");
}

fn unchanged(before: &Document<&[u8]>, after: &Document<&[u8]>, place: Reference) {
    let Ok(was) = before.object(place) else { return };
    let is = after.object(place).unwrap_or_else(|error| panic!("{place:?} was readable: {error}"));
    if was == is || permitted(&was, &is) {
        return;
    }
    // A number without an object is free for what is added.
    assert_eq!(was, Object::Null, "{place:?} became {is:?}");
}

fn permitted(was: &Object, is: &Object) -> bool {
    match (was, is) {
        (Object::Dictionary(was), Object::Dictionary(is)) => {
            let entry = |key: &str| match (key, was.get(key), is.get(key)) {
                ("AP" | "SigFlags" | "V", ..) => true,
                // What is written within the dictionary changes there.
                (_, Some(was @ (Object::Array(_) | Object::Dictionary(_))), Some(is)) => {
                    was == is || permitted(was, is)
                }
                // What was no array, or a reference that led to none, gives way to one.
                (..) => true,
            };
            rest(was) == rest(is) && ENTRIES.iter().all(|key| entry(key))
        }
        (Object::Array(was), Object::Array(is)) => appended(was, is),
        _ => false,
    }
}

/// The old items with new ones after them, or one kid that became an object of its own.
fn appended(was: &[Object], is: &[Object]) -> bool {
    let replaced = || {
        let other: Vec<_> = was.iter().zip(is).filter(|(was, is)| was != is).collect();
        was.len() == is.len() && matches!(other[..], [(Object::Dictionary(_), Object::Reference(_))])
    };
    is.starts_with(was) || replaced()
}

fn rest(dictionary: &Dictionary) -> Vec<(&[u8], &Object)> {
    let entries = dictionary.iter().filter(|(key, _)| !ENTRIES.iter().any(|name| name.as_bytes() == key.0));
    entries.map(|(key, value)| (key.0.as_slice(), value)).collect()
}
