//! Documents of many gibibytes that hold almost nothing: signed without being anywhere.

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::limits::Limits;
use crate::pdf::revision::inspection::inspect;
use crate::pdf::revision::tests::request;
use crate::pdf::revision::{FieldChoice, SignedRevision, begin, sign_revision};
use crate::pdf::source::{Source, SourceError};
use crate::pdf::xref::SectionKind;

/// A file of blanks with a text at its beginning and one at its end.
struct Sparse {
    head: Vec<u8>,
    tail: Vec<u8>,
    tail_at: u64,
}

impl Source for Sparse {
    fn len(&self) -> u64 {
        self.tail_at + self.tail.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SourceError> {
        let count = usize::try_from(self.len().saturating_sub(offset)).unwrap().min(buffer.len());
        for (place, byte) in (offset..).zip(&mut buffer[..count]) {
            let head = usize::try_from(place).ok().and_then(|place| self.head.get(place));
            let tail = place.checked_sub(self.tail_at).and_then(|place| usize::try_from(place).ok());
            let tail = tail.and_then(|place| self.tail.get(place));
            *byte = head.or(tail).copied().unwrap_or(b' ');
        }
        Ok(count)
    }
}

/// Catalog and page tree at the beginning, the page and the section after `gap` bytes.
fn sparse(gap: u64, kind: SectionKind) -> Sparse {
    let catalog = "<< /Type /Catalog /Pages 2 0 R >>";
    let pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    let head = format!("%PDF-1.7\n1 0 obj\n{catalog}\nendobj\n2 0 obj\n{pages}\nendobj\n");
    let second = head.find("2 0 obj").unwrap();
    let page = "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>\nendobj\n";
    let start = gap + page.len() as u64;
    let section = match kind {
        SectionKind::Table => format!(
            "xref\n0 4\n0000000000 65535 f \n{:010} 00000 n \n{second:010} 00000 n \n{gap:010} 00000 n \n\
             trailer\n<< /Size 4 /Root 1 0 R >>\n",
            9
        )
        .into_bytes(),
        SectionKind::Stream => {
            let rows: Vec<u8> = [(1, 9), (1, second as u64), (1, gap), (1, start)]
                .into_iter()
                .flat_map(|(kind, offset): (u8, u64)| [&[kind], &offset.to_be_bytes()[2..]].concat())
                .collect();
            let head = format!(
                "4 0 obj\n<< /Type /XRef /Size 5 /W [1 6 0] /Index [1 4] /Root 1 0 R /Length {} >>\nstream\n",
                rows.len()
            );
            [head.as_bytes(), &rows, b"\nendstream\nendobj\n"].concat()
        }
    };
    let end = format!("startxref\n{start}\n%%EOF\n");
    let tail = [page.as_bytes(), &section, end.as_bytes()].concat();
    Sparse { head: head.into_bytes(), tail, tail_at: gap }
}

fn sign(document: &Document<&Sparse>) -> Result<SignedRevision, PdfError> {
    let request = request(FieldChoice::New { name: None });
    sign_revision(document, begin(document)?, &request)
}

#[test]
fn documents_of_any_size_are_signed_where_offsets_have_room() {
    use SectionKind::{Stream, Table};
    for (gap, kind, expected) in [
        (5 << 30, Table, Table),
        (5 << 30, Stream, Stream),
        // Ten digits are the most that a row of a table holds.
        (9_932_000_000, Table, Table),
        (9_999_999_000, Table, Stream),
        (12 << 30, Stream, Stream),
        (900 << 30, Stream, Stream),
    ] {
        let mut file = sparse(gap, kind);
        let before = sparse(gap, kind);
        let document = Document::open(&before, Limits::default()).unwrap();
        let revision = sign(&document).unwrap();
        file.tail.extend(&revision.bytes);
        let signed = Document::open(&file, Limits::default()).unwrap();
        inspect(&document, &signed, &revision.field_name).unwrap_or_else(|flaw| panic!("{gap}: {flaw}"));
        assert_eq!(signed.xref().sections[0].kind, expected, "{gap}");
        assert_eq!(revision.byte_range.end(), file.len(), "{gap}");
        let fields = signed.fields().unwrap();
        assert_eq!(fields[0].value.as_ref().unwrap().byte_range, Ok(revision.byte_range), "{gap}");
    }
}

#[test]
fn a_document_past_the_digits_of_the_byte_range_is_refused() {
    let file = sparse(1 << 40, SectionKind::Stream);
    let document = Document::open(&file, Limits::default()).unwrap();
    assert!(matches!(sign(&document), Err(PdfError::Limit { .. })));
}
