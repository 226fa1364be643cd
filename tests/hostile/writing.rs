//! Documents written piece by piece, with right offsets where they shall be right.

use std::io::Write as _;

use flate2::{Compression, write::ZlibEncoder};

/// A document in the making.
pub(crate) struct Writing {
    pub(crate) bytes: Vec<u8>,
    /// Object numbers and where they stand.
    pub(crate) places: Vec<(u32, usize)>,
}

impl Writing {
    /// The header, and a catalog and page tree with one page as objects 1 to 3.
    pub(crate) fn with_page() -> Self {
        let mut writing = Self::empty();
        writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
        writing.object(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
        writing.object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>");
        writing
    }

    /// The header.
    pub(crate) fn empty() -> Self {
        Self { bytes: b"%PDF-1.7\n".to_vec(), places: Vec::new() }
    }

    /// Appends text.
    pub(crate) fn text(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// An object that the cross-reference will list.
    pub(crate) fn object(&mut self, number: u32, body: &str) {
        self.places.push((number, self.bytes.len()));
        self.text(&format!("{number} 0 obj\n{body}\nendobj\n"));
    }

    /// A stream with a right length.
    pub(crate) fn stream(&mut self, number: u32, entries: &str, data: &[u8]) {
        self.places.push((number, self.bytes.len()));
        self.text(&format!("{number} 0 obj\n<< {entries} /Length {} >>\nstream\n", data.len()));
        self.bytes.extend_from_slice(data);
        self.text("\nendstream\nendobj\n");
    }

    /// The table of all objects so far, and the end of a revision.
    pub(crate) fn table(&mut self, entries: &str) -> usize {
        let start = self.bytes.len();
        let mut places = std::mem::take(&mut self.places);
        places.sort_unstable();
        self.text("xref\n");
        for run in places.chunk_by(|(left, _), (right, _)| left + 1 == *right) {
            self.text(&format!("{} {}\n", run[0].0, run.len()));
            for (_, place) in run {
                self.text(&format!("{place:010} 00000 n \n"));
            }
        }
        let size = places.last().map_or(1, |(number, _)| number + 1);
        self.text(&format!("trailer\n<< /Size {size} /Root 1 0 R {entries} >>\n"));
        self.end(start);
        start
    }

    /// A cross-reference stream of rows `[1 4 2]` with these entries beside those of `rows`.
    pub(crate) fn section(&mut self, number: u32, entries: &str, within: &[(u32, u32, u32)]) {
        let start = self.bytes.len();
        let mut rows: Vec<(u32, [u8; 7])> = Vec::new();
        let row = |kind: u8, second: u32, third: u32| {
            let ([a, b, c, d], [.., e, f]) = (second.to_be_bytes(), third.to_be_bytes());
            [kind, a, b, c, d, e, f]
        };
        for (number, place) in &self.places {
            rows.push((*number, row(1, u32::try_from(*place).unwrap(), 0)));
        }
        rows.extend(within.iter().map(|(number, stream, index)| (*number, row(2, *stream, *index))));
        rows.sort_unstable();
        let index = rows.chunk_by(|(left, _), (right, _)| left + 1 == *right);
        let index: Vec<_> = index.map(|run| format!("{} {}", run[0].0, run.len())).collect();
        let data = deflate(&rows.iter().flat_map(|(_, row)| *row).collect::<Vec<u8>>());
        let entries = format!(
            "/Type /XRef /Size {} /W [1 4 2] /Root 1 0 R /Index [{}] /Filter /FlateDecode {entries}",
            number + 1,
            index.join(" ")
        );
        self.stream(number, &entries, &data);
        self.end(start);
    }

    /// The bytes, with a table.
    pub(crate) fn finished(mut self) -> Vec<u8> {
        self.table("");
        self.bytes
    }

    /// `startxref` to `start`.
    pub(crate) fn end(&mut self, start: usize) {
        self.text(&format!("startxref\n{start}\n%%EOF\n"));
    }
}

/// The zlib form of `bytes`.
pub(crate) fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap()
}
