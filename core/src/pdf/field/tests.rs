//! Field trees: names, inheritance, widgets, loops, and what signatures say.

use crate::pdf::byte_range::ByteRangeError;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::limits::Limits;
use crate::pdf::sample::{ONE_PAGE, replace, table};

fn document(fields: &str, objects: &[&str]) -> Document<Vec<u8>> {
    let catalog = format!("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields {fields} >> >>");
    let all = [&[catalog.as_str(), ONE_PAGE[1], ONE_PAGE[2]], objects].concat();
    Document::open(table(&all, ""), Limits::default()).unwrap()
}

fn fields(fields: &str, objects: &[&str]) -> Vec<SignatureField> {
    document(fields, objects).fields().unwrap().to_vec()
}

fn names(roots: &str, objects: &[&str]) -> Vec<String> {
    fields(roots, objects).into_iter().map(|field| field.name).collect()
}

#[test]
fn names_are_qualified_and_types_inherited() {
    let objects = [
        "<< /T (form) /FT /Sig /Kids [5 0 R 6 0 R 7 0 R] >>",
        "<< /T (first) /Parent 4 0 R >>",
        "<< /T <FEFF00E7> /Parent 4 0 R >>",
        "<< /T (text) /FT /Tx /Parent 4 0 R >>",
    ];
    assert_eq!(names("[4 0 R]", &objects), ["form.first", "form.ç"]);
    assert_eq!(names("4 0 R", &["[5 0 R]", "<< /T (a) /FT /Sig >>"]), ["a"]);
    assert_eq!(names("[null 9 0 R (x) << /T (direct) /FT /Sig >>]", &[]), ["direct"]);
}

#[test]
fn kids_without_names_are_widgets() {
    let objects = [
        "<< /T (s) /FT /Sig /Kids [5 0 R 6 0 R] >>",
        "<< /Rect [9 8 1 2] /P 3 0 R >>",
        "<< /Rect [0 0 1 1] >>",
    ];
    let found = fields("[4 0 R]", &objects);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].rectangle.map(|rectangle| rectangle.left), Some(1.0));
    let widget = found[0].widget.as_ref().unwrap();
    assert_eq!((widget.reference.unwrap().number, widget.page.unwrap().number), (5, 3));
    assert_eq!(fields("[4 0 R]", &["<< /T (s) /FT /Sig >>"])[0].widget, None);
}

#[test]
fn loops_and_repetitions_end() {
    assert_eq!(names("[4 0 R 4 0 R]", &["<< /T (a) /FT /Sig >>"]), ["a"]);
    let around = ["<< /T (a) /FT /Sig /Kids [5 0 R] >>", "<< /T (b) /Kids [4 0 R 6 0 R] >>", "<< /T (c) >>"];
    assert_eq!(names("[4 0 R]", &around), ["a.b.c"]);
    assert!(names("[4 0 R]", &["<< /T (a) /FT /Sig /Kids [4 0 R] >>"]).is_empty());
}

#[test]
fn long_names_and_deep_trees_pass_a_limit() {
    let long = format!("<< /T ({}) /FT /Sig >>", "x".repeat(40_000));
    assert!(matches!(document("[4 0 R]", &[&long]).fields(), Err(PdfError::Limit { .. })));
    let deep: Vec<String> =
        (4..400).map(|number| format!("<< /T (a) /Kids [{} 0 R] >>", number + 1)).collect();
    let deep: Vec<&str> = deep.iter().map(String::as_str).chain(["<< /T (a) >>"]).collect();
    assert!(matches!(document("[4 0 R]", &deep).fields(), Err(PdfError::Limit { .. })));
}

/// A document with one signature whose byte range is right.
fn signed() -> Vec<u8> {
    let value = "<< /Type /Sig /SubFilter /adbe.pkcs7.detached /M (D:2026) /ByteRange [0 AAAA BBBB CCCC] /Contents <30AB> >>";
    let catalog = "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>";
    let objects = [catalog, ONE_PAGE[1], ONE_PAGE[2], "<< /T (s) /FT /Sig /V 5 0 R >>", value];
    let bytes = table(&objects, "");
    let start = bytes.windows(6).position(|window| window == b"<30AB>").unwrap();
    let bytes = replace(&bytes, "AAAA", &format!("{start:04}"));
    let bytes = replace(&bytes, "BBBB", &format!("{:04}", start + 6));
    let left = bytes.len() - start - 6;
    replace(&bytes, "CCCC", &format!("{left:04}"))
}

fn value(bytes: Vec<u8>) -> crate::pdf::signature::SignatureValue {
    let document = Document::open(bytes, Limits::default()).unwrap();
    document.fields().unwrap()[0].value.clone().unwrap()
}

#[test]
fn a_signature_is_read_with_its_range() {
    let bytes = signed();
    let found = value(bytes.clone());
    assert_eq!(found.sub_filter.as_deref(), Some("adbe.pkcs7.detached"));
    assert_eq!(found.claimed_time.as_deref(), Some("D:2026"));
    assert_eq!(found.contents, [0x30, 0xab]);
    assert!(found.byte_range.unwrap().covers_entire_file(bytes.len() as u64));
    assert!(!found.dictionary.is_empty());
}

#[test]
fn a_range_that_leaves_out_something_else_is_refused() {
    let bytes = signed();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let range = text.split("/ByteRange ").nth(1).unwrap().split(" /Contents").next().unwrap();
    let numbers: Vec<usize> =
        range[1..range.len() - 1].split(' ').map(|number| number.parse().unwrap()).collect();
    let with = |a: usize, b: usize, c: usize| replace(&bytes, range, &format!("[0 {a:04} {b:04} {c:04}]"));
    let [_, a, b, c] = numbers[..] else { panic!("{range}") };
    for (name, changed) in [
        ("a byte before the hole", with(a - 1, b, c)),
        ("a byte after the hole", with(a, b + 1, c - 1)),
        ("brackets left in", with(a + 1, b - 1, c + 1)),
        ("another place", with(9, 15, bytes.len() - 15)),
        ("contents elsewhere", replace(&bytes, "/Contents <30AB>", "/Contentz <30AB>")),
        ("other white space", replace(&bytes, "<30AB>", "<3 AB>")),
    ] {
        assert_eq!(value(changed).byte_range, Err(ByteRangeError::HoleNotContents), "{name}");
    }
    assert_eq!(value(replace(&bytes, "/ByteRange", "/BiteRange")).byte_range, Err(ByteRangeError::Missing));
    assert_eq!(value(with(b, a, c)).byte_range, Err(ByteRangeError::Overlap));
}
