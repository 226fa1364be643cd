//! The cross-reference: a section as text where `startxref` leads, or rows of a stream.

use crate::targets::skeleton::{self, OBJECTS, between, explore};

pub(super) fn run(input: &[u8]) {
    for bytes in [as_section(input), as_rows(input)].into_iter().flatten() {
        if let Some(document) = skeleton::open(&bytes) {
            explore(&document);
        }
    }
}

/// The tables and streams of a document, each with its trailer.
pub(super) fn seeds(document: &[u8]) -> Vec<Vec<u8>> {
    let tables = between(document, b"\nxref", b"startxref");
    let tables = tables.into_iter().map(|table| [b"xref", table].concat());
    let streams = between(document, b" obj", b"endstream");
    let streams = streams.into_iter().filter(|text| text.windows(5).any(|window| window == b"/XRef"));
    let streams = streams.map(|text| [b"9 0 obj", text, b"endstream endobj\n"].concat());
    tables.chain(streams).filter(|seed| seed.len() < 4096).take(20).collect()
}

/// Everything before the section.
fn objects() -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    for (number, object) in (1..).zip(OBJECTS) {
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    bytes.extend_from_slice(b"4 0 obj\n<< /Fields [] >>\nendobj\n");
    bytes
}

fn as_section(input: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = objects();
    let start = bytes.len();
    bytes.extend_from_slice(input);
    bytes.extend(format!("\nstartxref\n{start}\n%%EOF\n").bytes());
    Some(bytes)
}

/// The first bytes are `/W` and `/Index`, what follows are the rows.
fn as_rows(input: &[u8]) -> Option<Vec<u8>> {
    let ([kind, second, third, first, count, predictor], rows) = input.split_first_chunk::<6>()?;
    let mut bytes = objects();
    let start = bytes.len();
    let head = format!(
        "5 0 obj\n<< /Type /XRef /Size 300 /Root 1 0 R /W [{} {} {}] /Index [{first} {count} 0 9] \
         /DecodeParms << /Predictor {predictor} /Columns {} >> /Length {} >>\nstream\n",
        kind % 10,
        second % 10,
        third % 10,
        u32::from(kind % 10) + u32::from(second % 10) + u32::from(third % 10),
        rows.len()
    );
    bytes.extend(head.bytes());
    bytes.extend_from_slice(rows);
    bytes.extend(format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    Some(bytes)
}
