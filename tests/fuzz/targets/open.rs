//! Whole documents: opened, and asked for everything.

use crate::targets::skeleton::{explore, open};

pub(super) fn run(input: &[u8]) {
    if let Some(document) = open(input) {
        explore(&document);
    }
}

/// The document itself.
pub(super) fn seeds(document: &[u8]) -> Vec<Vec<u8>> {
    if document.starts_with(b"%PDF") { vec![document.to_vec()] } else { Vec::new() }
}
