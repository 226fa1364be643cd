//! Documents written around an input, so that it is reached with right offsets, and a walk over
//! everything that a document's public face gives.

use signer_core::{
    error::ErrorCode,
    pdf::{document::Document, error::PdfError, limits::Limits, object::Reference, source::Source},
};

/// The objects that every skeleton has: a catalog, a page tree with one page.
pub(super) const OBJECTS: [&str; 3] = [
    "<< /Type /Catalog /Pages 2 0 R /AcroForm 4 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>",
];
/// The highest object number that is asked for one by one.
const NUMBERS: u32 = 48;

/// A document whose object 4 is `body`, and 5 on are `more`; `entries` go into its trailer.
pub(super) fn document(body: &[u8], more: &[&[u8]], entries: &[u8]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut rows = b"0000000000 65535 f \n".to_vec();
    let objects = OBJECTS.iter().map(|object| object.as_bytes());
    for (index, object) in objects.chain([body]).chain(more.iter().copied()).enumerate() {
        rows.extend(format!("{:010} 00000 n \n", bytes.len()).bytes());
        bytes.extend(format!("{} 0 obj\n", index + 1).bytes());
        bytes.extend_from_slice(object);
        bytes.extend_from_slice(b"\nendobj\n");
    }
    let start = bytes.len();
    let size = rows.len() / 20;
    bytes.extend(format!("xref\n0 {size}\n").bytes());
    bytes.extend_from_slice(&rows);
    bytes.extend(format!("trailer\n<< /Size {size} /Root 1 0 R ").bytes());
    bytes.extend_from_slice(entries);
    bytes.extend(format!(" >>\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}

/// Opens `bytes` as the product does.
pub(super) fn open(bytes: &[u8]) -> Option<Document<&[u8]>> {
    known(Document::open(bytes, Limits::default()))
}

/// The value; an error must be one that a person can be told.
pub(super) fn known<T>(result: Result<T, PdfError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert_ne!(error.code(), ErrorCode::Internal, "{error}");
            None
        }
    }
}

/// Asks a document for everything that it can be asked for.
pub(super) fn explore<S: Source>(document: &Document<S>) {
    let count = known(document.page_count());
    for number in [1, 2, count.unwrap_or(0), u32::MAX] {
        if let Some(page) = known(document.page(number)) {
            assert!(page.geometry.media_box.width() > 0.0 && page.geometry.media_box.height() > 0.0);
        }
    }
    if let Some(ends) = known(document.revision_ends()) {
        assert!(ends.is_sorted() && ends.iter().all(|end| *end <= document.len()));
    }
    for field in known(document.fields()).unwrap_or_default().iter().take(8) {
        known(document.page_of_field(field));
        if let Some(range) = field.value.as_ref().and_then(|value| value.byte_range.ok()) {
            assert!(range.end() <= document.len());
        }
    }
    for number in 1..=NUMBERS {
        let reference = Reference { number, generation: 0 };
        known(document.object(reference));
        known(document.stream_data(reference));
    }
    for (_, value) in document.trailer().iter() {
        known(document.resolve(value));
    }
}

/// The text between each `before` and the next `after`.
pub(super) fn between<'a>(bytes: &'a [u8], before: &[u8], after: &[u8]) -> Vec<&'a [u8]> {
    let find = |from: usize, word: &[u8]| {
        let rest = bytes.get(from..)?;
        rest.windows(word.len()).position(|window| window == word).map(|at| from + at)
    };
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = find(at, before) {
        let start = start + before.len();
        let Some(end) = find(start, after) else { break };
        found.extend(bytes.get(start..end));
        at = end + after.len();
    }
    found
}
