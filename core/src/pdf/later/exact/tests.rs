//! Signed documents with an update that one reader mends and another reads otherwise. Their signed
//! bytes hold a second object of a number that readers find when they look for themselves.

use crate::pdf::later::tests::{CONTENT, TEXT, append, later, new, objects, open, sign};
use crate::pdf::later::{Effort, Later};
use crate::pdf::object;
use crate::pdf::sample::{append_table, packed, replace, table};

/// A signed document, and where in it both objects of number 4 stand, the listed one first.
fn shadowed() -> (Vec<u8>, [usize; 2]) {
    let shadow = "4 0 obj\n<< /Length 3 >>\nstream\n1 g\nendstream\nendobj\n";
    let original = table(&objects(), "/Info 9 0 R");
    let listed = find(&original, b"4 0 obj");
    let mut bytes = original[..find(&original, b"xref\n")].to_vec();
    let at = bytes.len();
    bytes.extend_from_slice(shadow.as_bytes());
    let section = &original[find(&original, b"xref\n")..];
    let mut section = String::from_utf8(section.to_vec()).unwrap();
    section = section.replace(&format!("startxref\n{at}"), &format!("startxref\n{}", bytes.len()));
    bytes.extend_from_slice(section.as_bytes());
    (sign(&bytes, new()), [listed, at])
}

fn find(bytes: &[u8], text: &[u8]) -> usize {
    bytes.windows(text.len()).position(|window| window == text).unwrap()
}

/// The number after the last `startxref`.
fn last_section(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap()
}

/// `signed` with a table of these rows, `/Prev` right but for `shift`, and `entries` in the trailer.
fn with_rows(signed: &[u8], rows: &str, shift: isize, entries: &str) -> Vec<u8> {
    let previous = last_section(signed).checked_add_signed(shift).unwrap();
    let start = signed.len();
    let update = format!(
        "xref\n{rows}trailer\n<< /Size 90 /Root 1 0 R /Info 9 0 R {entries} /Prev {previous} >>\nstartxref\n{start}\n%%EOF\n"
    );
    [signed, update.as_bytes()].concat()
}

/// `signed` with a cross-reference stream of these rows, each one byte, four bytes and two.
fn with_stream(signed: &[u8], index: &str, rows: &[(u8, usize, u16)], entries: &str) -> Vec<u8> {
    let previous = last_section(signed);
    let mut data = Vec::new();
    for (kind, second, third) in rows {
        data.push(*kind);
        data.extend(u32::try_from(*second).unwrap().to_be_bytes());
        data.extend(third.to_be_bytes());
    }
    let start = signed.len();
    let head = format!(
        "80 0 obj\n<< /Type /XRef /Size 90 /W [1 4 2] /Index [{index}] /Root 1 0 R /Info 9 0 R {entries} /Prev {previous} /Length {} >>\nstream\n",
        data.len()
    );
    let tail = format!("\nendstream\nendobj\nstartxref\n{start}\n%%EOF\n");
    [signed, head.as_bytes(), &data, tail.as_bytes()].concat()
}

/// Proves A15.
#[test]
fn a_table_that_is_not_exact_is_not_permitted() {
    let (once, [listed, shadow]) = shadowed();
    const FREE: &str = "0 1\n0000000000 65535 f \n";
    let row = |at: usize| format!("{at:010} 00000 n \n");
    assert_eq!(later(&once, &with_rows(&once, FREE, 0, "")), Later::Permitted);
    assert_eq!(later(&once, &with_rows(&once, &format!("4 1\n{}", row(listed)), 0, "")), Later::Permitted);
    for (name, rows, shift, entries) in [
        ("a number twice", format!("4 1\n{}4 1\n{}", row(shadow), row(listed)), 0, ""),
        ("a short row twice", format!("4 1\n{}4 1\n{:010} 00000 n\n", row(shadow), listed), 0, ""),
        ("a place after the link", FREE.to_owned(), -2, ""),
        ("a place before the link", FREE.to_owned(), 2, ""),
        ("a blank before the link", FREE.to_owned(), -1, ""),
        ("a count that is too high", format!("4 2\n{}", row(listed)), 0, ""),
        ("a count that is too low", format!("4 1\n{}{}", row(listed), row(listed)), 0, ""),
        ("a list that begins at 1", "1 1\n0000000000 65535 f \n".to_owned(), 0, ""),
        ("short rows", format!("4 1\n{listed} 0 n\n"), 0, ""),
        ("a row of 19 bytes", format!("4 1\n{listed:010} 00000 n\n"), 0, ""),
        ("no rows", String::new(), 0, ""),
        ("a subsection without rows", "0 0\n".to_owned(), 0, ""),
        ("a comment", format!("% rows\n{FREE}"), 0, ""),
        ("another generation", format!("4 1\n{listed:010} 00001 n \n"), 0, ""),
        ("object 0 in use", format!("0 1\n{}", row(listed)), 0, ""),
        ("two links", FREE.to_owned(), 0, "/Prev 9"),
        ("two catalogs", FREE.to_owned(), 0, "/Root 3 0 R /Root 1 0 R"),
        ("a key without a value", FREE.to_owned(), 0, "/X /Y /Z"),
        ("a stream beside it", FREE.to_owned(), 0, "/XRefStm 9.0"),
        ("a second size", FREE.to_owned(), 0, "/Size 3"),
    ] {
        let now = with_rows(&once, &rows, shift, entries);
        assert!(!is_permitted(&once, &now), "{name}");
    }
    let exact = with_rows(&once, FREE, 0, "");
    for (name, from, to) in [
        ("a size that is too small", "/Size 90", "/Size 5 "),
        ("a size past what readers hold", "/Size 90", "/Size 2147483647"),
        ("an entry that is none", "/Root", "/X [] /Root"),
        ("an identifier that is none", "/Root", "/ID [[]] /Root"),
        ("a place that is not exact", "\nstartxref", "\nstartxref\n1\n%startxref"),
        ("a comment before the mark", "%%EOF", "%\n%%EOF"),
        ("a mark that goes on", "%%EOF\n", "%%EOFF\n"),
    ] {
        let at = once.len();
        let now = [once.as_slice(), &replace(&exact[at..], from, to)].concat();
        assert!(!is_permitted(&once, &now), "{name}");
    }
    // Writers name the end of line before a table.
    let blank = replace_last(&exact, &once.len().to_string(), &(once.len() - 1).to_string());
    assert_eq!(later(&once, &blank), Later::Permitted);
    let blank = replace_last(&exact, &once.len().to_string(), &(once.len() - 3).to_string());
    assert!(!is_permitted(&once, &blank));
    // Writers leave their name between the trailer and the mark.
    let named = [once.as_slice(), &replace(&exact[once.len()..], "startxref", "% writer 1.0\nstartxref")];
    assert_eq!(later(&once, &named.concat()), Later::Permitted);
}

/// Proves A15.
#[test]
fn a_cross_reference_stream_that_is_not_exact_is_not_permitted() {
    let (once, [listed, shadow]) = shadowed();
    let own = (1, once.len(), 0);
    let exact = with_stream(&once, "4 1 80 1", &[(1, listed, 0), own], "");
    assert_eq!(later(&once, &exact), Later::Permitted);
    let filtered = "/Filter /FlateDecode";
    for (name, index, rows, entries) in [
        ("a number twice", "4 1 4 1 80 1", &[(1, shadow, 0), (1, listed, 0), own][..], ""),
        ("spans that overlap", "3 2 4 1 80 1", &[(0, 0, 0), (1, shadow, 0), (1, listed, 0), own], ""),
        ("another generation", "4 1 80 1", &[(1, listed, 1), own], ""),
        ("an unknown kind", "85 1 80 1", &[(3, listed, 0), own], ""),
        ("more rows", "4 1", &[(1, listed, 0), own], ""),
        ("fewer rows", "4 1 80 3", &[(1, listed, 0), own], ""),
        ("a span without rows", "4 1 70 0 80 1", &[(1, listed, 0), own], ""),
        ("a small size", "4 1 80 1", &[(1, listed, 0), own], "/Size 80"),
        ("a repeated key", "4 1 80 1", &[(1, listed, 0), own], "/Index [4 1]"),
        ("data that are not compressed", "4 1 80 1", &[(1, listed, 0), own], filtered),
        ("a row that leads into a stream", "4 1 80 1", &[(2, 80, 0), own], ""),
    ] {
        let now = with_stream(&once, index, rows, entries);
        assert!(!is_permitted(&once, &now), "{name}");
    }
    let at = once.len();
    for (name, from, to) in [
        ("another length", "/Length 14", "/Length 13"),
        ("a lone carriage return", "stream\n", "stream\r"),
        ("no end of the object", "endobj", "      "),
    ] {
        let now = [once.as_slice(), &replace(&exact[at..], from, to)].concat();
        assert!(!is_permitted(&once, &now), "{name}");
    }
}

/// Proves A15.
#[test]
fn objects_that_are_not_exact_are_not_permitted() {
    let once = sign(&table(&objects(), "/Info 9 0 R"), new());
    let catalog = "<< /Type /Catalog /Pages 2 0 R /AcroForm 5 0 R /DSS 60 0 R >>";
    let data = "<< /Type /DSS /Certs [61 0 R] >>";
    let all = |catalog: &str, data: &str, stream: &str| {
        append(&once, &[(1, catalog), (60, data), (61, stream)], "/Info 9 0 R")
    };
    assert_eq!(later(&once, &all(catalog, data, CONTENT)), Later::Permitted);
    let deep = format!("{}{}", "[".repeat(60), "]".repeat(60));
    let trees = catalog.replace("/Pages", "/Pages 60 0 R /Pages");
    let escaped = catalog.replace("/Pages", "/P#61ges 60 0 R /Pages");
    for (name, now) in [
        ("two page trees", all(&trees, data, CONTENT)),
        ("two page trees, one of them escaped", all(&escaped, data, CONTENT)),
        ("two lists", all(catalog, &data.replace("/Certs", "/Certs [] /Certs"), CONTENT)),
        ("a deep one", all(catalog, &data.replace("/DSS", &format!("/DSS /VRI {}", deep)), CONTENT)),
        ("a word", all(catalog, &data.replace("/DSS", "/DSS word /X"), CONTENT)),
        ("a short length", all(catalog, data, &CONTENT.replace("/Length 3", "/Length 2"))),
        ("a long length", all(catalog, data, &CONTENT.replace("/Length 3", "/Length 300"))),
        ("no length", all(catalog, data, &CONTENT.replace("/Length 3", ""))),
        ("a comment", all(catalog, data, &format!("{CONTENT}\nendobj\n% 4 0 obj"))),
        ("more than an object", all(catalog, &format!("{data} 1"), CONTENT)),
        ("a second object", all(catalog, &format!("{data}\nendobj\n4 % \n 0 obj\n{TEXT}"), CONTENT)),
    ] {
        assert!(!is_permitted(&once, &now), "{name}");
    }
    let twice = sign(&once, new());
    let (old, added) = twice.split_at(once.len());
    let glued = [old.strip_suffix(b"\n").unwrap(), b" ", added].concat();
    assert!(is_permitted(&once, &glued));
}

/// Proves A15.
#[test]
fn object_streams_that_are_not_exact_are_not_permitted() {
    let catalog = "<< /Type /Catalog /Pages 2 0 R >>";
    let pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    let original = packed(&[catalog, pages, "<< /Type /Page /Parent 2 0 R >>"]);
    let once = sign(&original, new());
    let root = {
        let document = open(&once);
        let mut text = Vec::new();
        object::write_dictionary(document.catalog(), &mut text);
        String::from_utf8(text).unwrap()
    };
    let changed = format!("{} /DSS 60 0 R >>", root.strip_suffix(">>").unwrap());
    // The catalog and the validation data in one object stream, number 70.
    let with = |head: &str, count: usize, body: &str, rows: &[(u8, usize, u16)], index: &str| {
        let stream = format!(
            "70 0 obj\n<< /Type /ObjStm /N {count} /First {} /Length {} >>\nstream\n{head}{body}\nendstream\nendobj\n",
            head.len(),
            head.len() + body.len()
        );
        let at = once.len();
        let bytes = [once.as_slice(), stream.as_bytes()].concat();
        let mut rows = rows.to_vec();
        rows.extend([(1, at, 0), (1, bytes.len(), 0)]);
        // The link is to the section before, which the helper finds by the last `startxref`.
        let with = with_stream(&bytes, &format!("{index} 70 1 80 1"), &rows, "");
        replace_last(&with, "/Info 9 0 R", "")
    };
    let body = format!("{changed} << /Type /DSS >>");
    let second = changed.len() + 1;
    let head = format!("1 0 60 {second} ");
    let rows = [(2, 70, 0), (2, 70, 1)];
    assert_eq!(later(&once, &with(&head, 2, &body, &rows, "1 1 60 1")), Later::Permitted);
    let twice = format!("1 0 1 {second} ");
    let before = format!("1 0 60 {} ", second + 500);
    for (name, now) in [
        ("a number twice", with(&twice, 2, &body, &rows[..1], "1 1")),
        ("a number that is not listed", with(&head, 2, &body, &rows[..1], "1 1")),
        ("another index", with(&head, 2, &body, &[(2, 70, 1), (2, 70, 0)], "1 1 60 1")),
        ("fewer than there are", with(&head, 1, &body, &rows, "1 1 60 1")),
        ("more than there are", with(&head, 3, &body, &rows, "1 1 60 1")),
        ("a place past the end", with(&before, 2, &body, &rows, "1 1 60 1")),
        ("rubbish between", with(&head, 2, &body.replace(">> <<", ">>)<<"), &rows, "1 1 60 1")),
    ] {
        assert!(!is_permitted(&once, &now), "{name}");
    }
}

/// Proves A15.
#[test]
fn streams_that_grow_later_are_not_permitted() {
    for (name, length, tail) in [
        ("past the end", "9000", ""),
        ("behind a reference", "7 0 R", "9000"),
        ("the first of two", "9000 /Length 3", ""),
        ("a number that is no integer", "9000.0", ""),
    ] {
        let mut all = objects();
        let content = format!("<< /Length {length} >>\nstream\n0 g\nendstream");
        all[3] = &content;
        if !tail.is_empty() {
            all[6] = tail;
        }
        let once = sign(&table(&all, "/Info 9 0 R"), new());
        assert_eq!(later(&once, &once), GROWS, "{name}");
        assert_eq!(later(&once, &sign(&once, new())), GROWS, "{name}");
    }
    let original = table(&objects(), "/Info 9 0 R");
    // Wrong lengths that readers mend within the signed bytes stay what they are.
    let short = replace(&original, "/Length 3", "/Length 1");
    let once = sign(&short, new());
    assert_eq!(later(&once, &sign(&once, new())), Later::Permitted);
}

/// Proves A15.
#[test]
fn objects_that_were_promised_after_the_end_are_not_permitted() {
    let original = table(&objects(), "/Info 9 0 R");
    let once = sign(&original, new());
    // The row of the content promises a place that the update will fill.
    let row = format!("{:010} 00000 n", find(&original, b"4 0 obj"));
    for more in [0, 40] {
        let place = once.len() + more;
        let promised = replace(&original, &row, &format!("{place:010} 00000 n"));
        let once = sign(&promised, new());
        let mut now = once.clone();
        now.resize(place, b'\n');
        let previous = last_section(&once);
        append_table(&mut now, &[(4, CONTENT)], &format!("/Info 9 0 R /Prev {previous} /Size 90"), 0);
        assert!(!is_permitted(&once, &now), "{more}");
    }
}

/// Proves A15. An update that keeps one of two readings takes the other one away.
#[test]
fn what_had_two_readings_when_it_was_signed_is_not_permitted_to_have_one() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots 6 0 R /Contents 4 0 R >>";
    let other = page.replace("/Contents", "/Contents 7 0 R /Contents");
    let same = page.replace("/Contents", "/Contents 4 0 R /Contents");
    for (name, before, permitted) in
        [("one", page, true), ("the same twice", &same, true), ("two contents", &other, false)]
    {
        let mut all = objects();
        all[2] = before;
        let once = sign(&table(&all, "/Info 9 0 R"), new());
        let mut text = Vec::new();
        object::write_dictionary(&open(&once).page(1).unwrap().dictionary, &mut text);
        let text = String::from_utf8(text).unwrap();
        let (before, after) = text.split_once("/Contents").unwrap();
        let kept = format!("{before}/Contents{}", after.rsplit("/Contents").next().unwrap());
        let now = append(&once, &[(3, &kept), (60, TEXT)], "/Info 9 0 R");
        assert_eq!(is_permitted(&once, &now), permitted, "{name}");
    }
    let mut all = objects();
    all[0] = "<< /Type /Catalog /Xages 3 0 R /Pages 2 0 R /AcroForm 5 0 R >>";
    let once = sign(&table(&all, "/Info 9 0 R"), new());
    let twice = sign(&once, new());
    assert!(is_permitted(&once, &twice));
    let [once, twice] = [once, twice].map(|bytes| replace(&bytes, "/Xages", "/Pages"));
    assert!(!is_permitted(&once, &twice));
}

const GROWS: Later = Later::Other { what: "a stream of the signed revision does not end within it" };

fn replace_last(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    let at = bytes.windows(old.len()).rposition(|window| window == old.as_bytes()).unwrap();
    [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat()
}

/// Whether the update is permitted; a document that cannot be opened is not.
fn is_permitted(signed: &[u8], now: &[u8]) -> bool {
    let limits = crate::pdf::limits::Limits::default();
    let Ok(document) = crate::pdf::document::Document::open(now, limits) else { return false };
    let signed_document = open(signed);
    let field = signed_document.fields().unwrap().iter().find(|field| field.value.is_some()).unwrap();
    document.later_changes(field, signed.len() as u64, &mut Effort::default()).unwrap() == Later::Permitted
}
