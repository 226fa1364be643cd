//! The shape of the workspace: members, arrows, owners, layers, form, documents.
//!
//! Each rule is a table that says why; a failure names the file and the rule.

#[path = "architecture/documents.rs"]
mod documents;
#[path = "architecture/form.rs"]
mod form;
#[path = "architecture/layers.rs"]
mod layers;
#[path = "architecture/owners.rs"]
mod owners;
#[path = "architecture/rust_file.rs"]
mod rust_file;

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
};

use serde_json::Value;
use signer_tests::repository;

/// Every member, and which of ours it may and does depend on.
const MEMBERS: [(&str, &str, Arrows); 6] = [
    ("core", "signer-core", Arrows::Exactly(&[])),
    ("ipc", "signer-ipc", Arrows::Exactly(&[])),
    ("packaging", "xtask", Arrows::Exactly(&[])),
    ("service", "signer-service", Arrows::Exactly(&["signer-core", "signer-ipc"])),
    ("tests", "signer-tests", Arrows::Any),
    ("tray", "signer-tray", Arrows::Exactly(&["signer-ipc"])),
];

enum Arrows {
    /// Tests look at everything.
    Any,
    /// These and no others: an arrow that is missing is news too.
    Exactly(&'static [&'static str]),
}

/// Proves A1.
#[test]
fn the_members_are_six() {
    let metadata = metadata(&["--no-deps"]);
    let root = repository();
    let found: BTreeMap<String, &str> = packages(&metadata)
        .map(|package| {
            let manifest = package["manifest_path"].as_str().unwrap();
            let folder = std::path::Path::new(manifest).parent().unwrap();
            let folder = folder.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
            (folder, package["name"].as_str().unwrap())
        })
        .collect();
    let expected = MEMBERS.iter().map(|(folder, name, _)| ((*folder).to_owned(), *name)).collect();
    assert_eq!(found, expected);
}

/// Proves A1.
#[test]
fn the_arrows_are_as_drawn() {
    let metadata = metadata(&["--no-deps"]);
    let ours: BTreeSet<&str> = MEMBERS.iter().map(|(_, name, _)| *name).collect();
    for package in packages(&metadata) {
        let name = package["name"].as_str().unwrap();
        let (_, _, arrows) = MEMBERS.iter().find(|(_, member, _)| *member == name).unwrap();
        let Arrows::Exactly(expected) = arrows else { continue };
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let found: BTreeSet<&str> =
            dependencies.map(|it| it["name"].as_str().unwrap()).filter(|it| ours.contains(it)).collect();
        assert_eq!(found, expected.iter().copied().collect(), "{name} depends on");
    }
}

/// `cargo metadata` without a network.
fn metadata(arguments: &[&str]) -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--locked"])
        .args(arguments)
        .current_dir(repository())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo answers in JSON")
}

fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().unwrap().iter()
}
