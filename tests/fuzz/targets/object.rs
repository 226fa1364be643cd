//! One object: lexer, parser and writer. What is written is read back as the same value.

use signer_core::pdf::object::{self, Object, Reference};

use crate::targets::skeleton::{between, document, known, open};

/// Where the input stands in each skeleton.
const PLACE: Reference = Reference { number: 4, generation: 0 };

pub(super) fn run(input: &[u8]) {
    for form in [in_file, in_stream] {
        let Some(value) = read(form, input) else { continue };
        let mut text = Vec::new();
        object::write(&value, &mut text);
        let again = read(form, &text);
        assert_eq!(again.as_ref(), Some(&value), "{}", String::from_utf8_lossy(&text));
    }
}

/// The objects of a document, as they stand there.
pub(super) fn seeds(document: &[u8]) -> Vec<Vec<u8>> {
    let bodies = between(document, b" obj", b"endobj");
    bodies.into_iter().filter(|body| body.len() < 2048).take(40).map(<[u8]>::to_vec).collect()
}

fn read(form: fn(&[u8]) -> Vec<u8>, text: &[u8]) -> Option<Object> {
    let bytes = form(text);
    let document = open(&bytes)?;
    if document.is_repaired() {
        return None;
    }
    known(document.object(PLACE))
}

fn in_file(text: &[u8]) -> Vec<u8> {
    document(text, &[], b"")
}

/// The same as the only object of an object stream.
fn in_stream(text: &[u8]) -> Vec<u8> {
    let head = format!("<< /Type /ObjStm /N 1 /First 4 /Length {} >>\nstream\n4 0 ", text.len() + 4);
    let mut body = head.into_bytes();
    body.extend_from_slice(text);
    body.extend_from_slice(b"\nendstream");
    packed(&body)
}

/// A document whose object 4 lies in the object stream `body`, which is object 5.
fn packed(body: &[u8]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut rows = vec![[0u8, 0, 0, 0, 0]];
    let row = |kind: u8, second: usize| {
        let [.., a, b, c] = second.to_be_bytes();
        [kind, a, b, c, 0]
    };
    let objects = super::skeleton::OBJECTS.iter().map(|object| object.as_bytes());
    for (number, object) in (1..).zip(objects) {
        rows.push(row(1, bytes.len()));
        bytes.extend(format!("{number} 0 obj\n").bytes());
        bytes.extend_from_slice(object);
        bytes.extend_from_slice(b"\nendobj\n");
    }
    rows.push(row(2, 5));
    rows.push(row(1, bytes.len()));
    bytes.extend_from_slice(b"5 0 obj\n");
    bytes.extend_from_slice(body);
    bytes.extend_from_slice(b"\nendobj\n");
    let start = bytes.len();
    rows.push(row(1, start));
    let data = rows.concat();
    let head =
        format!("6 0 obj\n<< /Type /XRef /Size 7 /W [1 3 1] /Root 1 0 R /Length {} >>\nstream\n", data.len());
    bytes.extend(head.bytes());
    bytes.extend_from_slice(&data);
    bytes.extend(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}
