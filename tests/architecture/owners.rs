//! Who may name which outside crate, and which crates must never be reachable.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{metadata, packages, rust_file};

/// An outside crate by its name in code, the folders or files that may name it, and why.
const OWNERS: &[(&[&str], &[&str], &str)] = &[
    (&["cms"], &["core/src/cms"], "one place for CMS; its types do not leak"),
    (
        &["const_oid", "der", "spki", "x509_cert"],
        &["core/src/cms", "core/src/credential", "core/src/trust", "service/src/token"],
        "one place for ASN.1",
    ),
    (
        &["cryptoki"],
        &["service/src/token", "tests/benches"],
        "a vendor's module is loaded in a token host only",
    ),
    (&["pcsc"], &["service/src/token/reader", "tests/fixtures"], "one watcher of readers"),
    (
        &["des", "hmac", "pkcs12", "pkcs5", "pkcs8", "rc2"],
        &["service/src/token"],
        "private keys are in memory in a token host only",
    ),
    (&["cbc"], &["core/src/pdf/crypt", "service/src/token"], "documents, and private keys in a token host"),
    (
        &["aes", "md5", "rc4", "stringprep"],
        &["core/src/pdf/crypt"],
        "what encrypted documents need is weak elsewhere or not needed",
    ),
    (
        &["p256", "p384", "p521"],
        &["core/src/cms", "core/src/algorithm", "service/src/token"],
        "curves: verified in core, used in a token host",
    ),
    (&["flate2"], &["core/src/pdf", "core/src/seal", "tests/"], "streams are written by core"),
    (&["subsetter", "ttf_parser"], &["core/src/seal"], "fonts are a matter of the seal"),
    (
        &["clap", "indicatif", "rpassword"],
        &["service/src/cli", "service/src/main.rs"],
        "only the command line speaks to a terminal",
    ),
    (&["interprocess", "widestring"], &["ipc/src"], "one transport between our processes"),
    (&["directories"], &["service/src/dirs.rs"], "one place for paths"),
    (&["listenfd"], &["service/src/serve"], "sockets are inherited once"),
    (&["jiff"], &["service/src/clock.rs"], "one clock"),
    (
        &["axum", "http_body_util", "hyper", "hyper_util", "tower", "utoipa"],
        &["service/src/ccsp", "tests/benches"],
        "one place for HTTP",
    ),
    (&["tokio"], &["service/src", "tests/"], "only the service waits for many at once"),
    (
        &[
            "accesskit",
            "accesskit_winit",
            "parley",
            "skrifa",
            "softbuffer",
            "tiny_skia",
            "tray_icon",
            "winit",
        ],
        &["tray/src"],
        "one window",
    ),
    (
        &["zbus"],
        &["service/src/token/host/absence", "tests/readers", "tray/src/os"],
        "one place that asks the desktop, one that asks whether the person is there",
    ),
    (&["lopdf", "proptest", "syn"], &["tests/", "core/"], "for tests; never a part of the programs"),
];

/// From a member, these are never reachable, on any system: and why.
const UNREACHABLE: &[(&str, &[&str], &str)] = &[
    ("signer-core", &["cryptoki", "pcsc", "rustix", "tokio", "clap", "tempfile"], "core is pure"),
    ("signer-ipc", &["cms", "cryptoki", "pcsc", "ring", "tokio"], "the protocol decides nothing"),
    ("signer-tray", &["cms", "cryptoki", "pcsc", "ring", "tokio"], "the tray holds nothing"),
    ("xtask", &["ring", "cryptoki", "pcsc", "tokio", "syn"], "builds before anything is installed"),
];

/// Proves A4.
#[test]
fn outside_crates_are_named_by_their_owners_only() {
    let mut wrong = Vec::new();
    for file in rust_file::all() {
        let crates = file.crates();
        for (names, places, why) in OWNERS {
            if !places.iter().any(|place| file.name.starts_with(place)) {
                let named = names.iter().filter(|name| crates.contains(**name));
                wrong.extend(named.map(|name| format!("{} names {name}: {why}", file.name)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Proves A4.
#[test]
fn forbidden_crates_are_out_of_reach() {
    for target in ["x86_64-unknown-linux-gnu", "x86_64-pc-windows-gnu", "aarch64-apple-darwin"] {
        let metadata = metadata(&["--filter-platform", target]);
        for (member, forbidden, why) in UNREACHABLE {
            let reached = reachable(&metadata, member);
            for name in *forbidden {
                assert!(!reached.contains(*name), "{member} reaches {name} on {target}: {why}");
            }
        }
    }
}

/// A row about a crate that nobody uses any more is news too.
#[test]
fn the_tables_are_not_stale() {
    let metadata = metadata(&[]);
    // A library may have another name than its package.
    let targets = |package: &Value| package["targets"].as_array().unwrap().clone();
    let known: BTreeSet<String> = packages(&metadata)
        .flat_map(|package| [vec![package.clone()], targets(package)].concat())
        .map(|named| named["name"].as_str().unwrap().replace('-', "_"))
        .collect();
    // Kept out before anybody thinks of them.
    let absent = ["lopdf", "proptest"];
    let named = OWNERS.iter().flat_map(|(names, ..)| *names).chain(UNREACHABLE.iter().flat_map(|row| row.1));
    for name in named {
        assert!(known.contains(*name) || absent.contains(name), "{name} is in no Cargo.toml any more");
    }
}

/// The names of all packages that a member needs to run or to be built, tests aside.
fn reachable(metadata: &Value, member: &str) -> BTreeSet<String> {
    let names: BTreeMap<&str, &str> = packages(metadata)
        .map(|package| (package["id"].as_str().unwrap(), package["name"].as_str().unwrap()))
        .collect();
    let nodes: BTreeMap<&str, &Value> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node))
        .collect();
    let start = names.iter().find(|(_, name)| **name == member).map(|(id, _)| *id).unwrap();
    let mut found = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(id) = waiting.pop() {
        if !found.insert(names[id].to_owned()) {
            continue;
        }
        for dependency in nodes[id]["deps"].as_array().unwrap() {
            let kinds = dependency["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                waiting.push(dependency["pkg"].as_str().unwrap());
            }
        }
    }
    found
}
