//! A1 credentials, with the shipped program: every file of the test PKI, the private store, the
//! keystore of the system, the watched folder.
#![cfg(target_os = "linux")]

#[path = "a1/desk.rs"]
mod desk;
#[path = "a1/folder.rs"]
mod folder;
#[path = "a1/hostile.rs"]
mod hostile;
#[path = "a1/import.rs"]
mod import;
#[path = "a1/index.rs"]
mod index;
#[path = "a1/keystore.rs"]
mod keystore;
#[path = "a1/killed.rs"]
mod killed;
#[path = "a1/secrecy.rs"]
mod secrecy;
#[path = "a1/service.rs"]
mod service;
#[path = "a1/typed.rs"]
mod typed;

use signer_tests::documents::{Layout, document};

/// A key that signs fast.
const KEY: &str = "ecdsa-p256.p12";

fn pdf() -> Vec<u8> {
    document(Layout::Table, 1, 20_000)
}
