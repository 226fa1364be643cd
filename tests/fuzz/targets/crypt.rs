//! Encrypted documents: whole ones, and skeletons whose encryption dictionary is the input.

use signer_core::pdf::{crypt::Password, document::Document, error::PdfError, limits::Limits};

use crate::targets::skeleton::{between, document, explore, known};

/// The password of documents that are not open to everybody: that of `tests/fixtures/pdf`.
const PASSWORD: &[u8] = b"senha";

/// A string and a stream that would have to be decrypted.
const SECRETS: [&[u8]; 2] = [
    b"<< /T (0123456789abcdef0123456789abcdef) /V <00112233445566778899aabbccddeeff> >>",
    b"<< /Length 32 >>\nstream\n0123456789abcdef0123456789abcdef\nendstream",
];

pub(super) fn run(input: &[u8]) {
    let whole = input.starts_with(b"%PDF");
    let bytes = if whole {
        input.to_vec()
    } else {
        // Object 4 is the dictionary; the identifier is a part of the key.
        let entries = b"/Encrypt 4 0 R /ID [<000102030405060708090a0b0c0d0e0f> <00>]";
        document(input, &SECRETS, entries)
    };
    let document = match Document::open(bytes.as_slice(), Limits::default()) {
        Err(PdfError::PasswordRequired) => {
            let password = Password::new(PASSWORD);
            Document::open_with_password(bytes.as_slice(), Limits::default(), &password)
        }
        other => other,
    };
    if let Some(document) = known(document) {
        explore(&document);
    }
}

/// Encrypted documents, and their encryption dictionaries.
pub(super) fn seeds(document: &[u8]) -> Vec<Vec<u8>> {
    if !document.windows(8).any(|window| window == b"/Encrypt") {
        return Vec::new();
    }
    let bodies = between(document, b" obj", b"endobj").into_iter();
    let handlers = bodies.filter(|body| body.windows(9).any(|window| window == b"/Standard"));
    let mut seeds: Vec<Vec<u8>> = handlers.take(4).map(<[u8]>::to_vec).collect();
    seeds.push(document.to_vec());
    seeds
}
