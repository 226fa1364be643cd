//! Core's layers, and what core never touches.

use std::collections::BTreeSet;

use signer_tests::repository;

use crate::rust_file::{self, RustFile};

/// Core's modules, lowest layer first. A module uses layers below its own, never a sibling.
const LAYERS: &[&[&str]] = &[
    &["error", "json", "moment"],
    &["digest"],
    &["algorithm"],
    &["cms", "pdf"],
    &["credential", "seal", "trust"],
    &["pades"],
    &["audit"],
    &["approval"],
];

/// What core takes as arguments instead: bytes through `Source`, time and randomness as values.
const BANNED: &[&[&str]] = &[
    &["std", "env"],
    &["std", "fs"],
    &["std", "net"],
    &["std", "os"],
    &["std", "process"],
    &["std", "thread"],
    &["std", "time", "Instant"],
    &["std", "time", "SystemTime"],
    &["getrandom"],
    &["rand"],
    &["rand_core"],
    &["ring", "rand"],
    &["serde"],
];

/// Proves A2.
#[test]
fn core_uses_only_lower_layers() {
    let wrong: Vec<String> = rust_file::core().iter().flat_map(climbs).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Proves A2.
#[test]
fn every_module_of_core_has_its_layer() {
    let declared: BTreeSet<String> = rust_file::core()
        .iter()
        .filter_map(|file| file.modules().first().map(|&module| module.to_owned()))
        .collect();
    let placed: BTreeSet<String> =
        LAYERS.iter().copied().flatten().map(|&module| module.to_owned()).collect();
    assert_eq!(declared, placed);
}

/// Proves A3.
#[test]
fn core_touches_nothing_outside() {
    let wrong: Vec<String> = rust_file::core().iter().flat_map(touches).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Proves A3. Clippy reads one `clippy.toml` per package: core's replaces the root's.
#[test]
fn core_repeats_the_rules_of_the_root() {
    let read = |name: &str| std::fs::read_to_string(repository().join(name)).expect("the file is there");
    let core = read("core/clippy.toml");
    for line in read("clippy.toml").lines() {
        assert!(core.lines().any(|other| other == line), "core/clippy.toml lacks: {line}");
    }
    let library = read("core/src/lib.rs");
    for line in
        ["#![forbid(unsafe_code)]", "#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]"]
    {
        assert!(library.contains(line), "core/src/lib.rs lacks: {line}");
    }
}

#[test]
fn planted_climbs_and_touches_are_caught() {
    let file = |text: &str| RustFile::parse("core/src/pdf/planted.rs", text.into());
    assert_eq!(climbs(&file("use crate::{error::ErrorCode, pades::verify};")).len(), 1);
    assert_eq!(climbs(&file("fn f() { g(vec![crate::cms::x]) }")).len(), 1);
    assert_eq!(climbs(&file("use super::super::pades;")).len(), 1);
    assert_eq!(climbs(&file("mod tests { use super::super::object; }")).len(), 0);
    assert_eq!(touches(&file("fn f() { std::fs::read(p) }")).len(), 1);
    assert_eq!(touches(&file("use std::{io::Read, time::{Duration, SystemTime}};")).len(), 1);
}

fn climbs(file: &RustFile) -> Vec<String> {
    let modules = file.modules();
    let Some(&module) = modules.first() else { return Vec::new() };
    let own = layer(module);
    let mut wrong = Vec::new();
    for path in file.paths() {
        let named = || format!("{}: {}", file.name, path.segments.join("::"));
        let up = path.segments.iter().take_while(|segment| *segment == "super").count();
        if up >= path.depth {
            wrong.push(format!("{} climbs out of {module}; between modules write crate::", named()));
        }
        let [first, target, ..] = &path.segments[..] else { continue };
        if first != "crate" || target == module {
            continue;
        }
        let target = layer(target);
        if target.is_none() || target >= own {
            wrong.push(format!("{} is not in a layer below {module}", named()));
        }
    }
    wrong
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|modules| modules.contains(&module))
}

fn touches(file: &RustFile) -> Vec<String> {
    let banned = |segments: &[String]| {
        BANNED.iter().any(|ban| segments.len() >= ban.len() && ban.iter().zip(segments).all(|(a, b)| a == b))
    };
    file.paths()
        .iter()
        .filter(|path| banned(&path.segments))
        .map(|path| format!("{}: {} is outside of core", file.name, path.segments.join("::")))
        .collect()
}
