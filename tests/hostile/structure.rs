//! Hostile page trees, forms and objects: deep, wide, circular.

use crate::{Hostile, writing::Writing};

/// Items of one array, references in a circle, trees that never end.
pub(crate) fn all() -> Vec<Hostile> {
    vec![
        Hostile::new("pages-deep", pages_deep(100_000)),
        Hostile::new("pages-wide", pages_wide(150_000)),
        Hostile::new("pages-in-a-circle", pages_in_a_circle()),
        Hostile::new("pages-by-powers-of-ten", pages_by_powers(64, 10)),
        Hostile::new("pages-with-a-lying-count", pages_with_a_lying_count()),
        Hostile::new("fields-100-000", fields(100_000, "/FT /Sig")),
        Hostile::new("fields-of-text-100-000", fields(100_000, "/FT /Tx")),
        Hostile::new("fields-deep", fields_deep(2_000)),
        Hostile::new("fields-by-powers-of-ten", fields_by_powers(64, 10)),
        Hostile::new("fields-of-long-names", fields_of_long_names()),
        Hostile::new("fields-with-one-signature", fields_with_one_signature(20_000)),
        Hostile::new("fields-within-one-array", fields_within_one_array(60_000)),
        Hostile::new("references-in-a-circle", references_in_a_circle()),
        Hostile::new("references-in-a-chain", references_in_a_chain(20_000)),
        Hostile::new("everything-wide", everything_wide(240_000)),
        Hostile::new("annotations-on-every-page", annotations_on_every_page(2_000, 20_000)),
        Hostile::new("locks-of-many-names", locks_of_many_names()),
        Hostile::new("string-of-megabytes", catalog_entry(&format!("/X ({})", "a".repeat(15 << 20)))),
        Hostile::new("name-of-megabytes", catalog_entry(&format!("/X /{}", "a".repeat(15 << 20)))),
        Hostile::new("string-that-never-ends", catalog_entry(&format!("/X ({}", "(".repeat(20 << 20)))),
        Hostile::new("comment-of-megabytes", catalog_entry(&format!("% {}\n", "a".repeat(20 << 20)))),
        Hostile::new("dictionary-of-100-000-keys", dictionary_of_many_keys(100_000)),
        Hostile::new("number-of-megabytes", catalog_entry(&format!("/X {}", "1".repeat(15 << 20)))),
        Hostile::new("arrays-in-arrays", catalog_entry(&format!("/X {}", "[".repeat(10 << 20)))),
        Hostile::new("kids-that-are-one-huge-object", kids_that_are_one_huge_object()),
    ]
}

fn catalog_entry(entry: &str) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, &format!("<< /Type /Catalog /Pages 2 0 R {entry} >>"));
    writing.object(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    writing.object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>");
    writing.table("");
    writing.bytes
}

fn pages_deep(depth: u32) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    for number in 2..2 + depth {
        writing.object(number, &format!("<< /Type /Pages /Kids [{} 0 R] /Count 1 >>", number + 1));
    }
    writing.object(2 + depth, "<< /Type /Page /MediaBox [0 0 200 100] >>");
    writing.table("");
    writing.bytes
}

fn pages_wide(count: u32) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    writing.object(2, &format!("<< /Type /Pages /Kids [{}] /Count 7 >>", references(3..3 + count)));
    for number in 3..3 + count {
        writing.object(number, "<< /Type /Page /MediaBox [0 0 200 100] >>");
    }
    writing.table("");
    writing.bytes
}

fn pages_in_a_circle() -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    writing.object(2, "<< /Type /Pages /Kids [3 0 R 4 0 R 2 0 R] /Count 99 /Parent 3 0 R >>");
    writing.object(3, "<< /Type /Pages /Kids [2 0 R 4 0 R] /Count 98 /Parent 4 0 R >>");
    writing.object(4, "<< /Type /Pages /Kids [3 0 R 2 0 R 5 0 R] /Count 97 /Parent 2 0 R >>");
    writing.object(5, "<< /Type /Page /MediaBox [0 0 200 100] /Parent 5 0 R >>");
    writing.table("");
    writing.bytes
}

/// Each node names the next one several times: as many ways as there are atoms.
fn pages_by_powers(levels: u32, times: usize) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    for number in 2..2 + levels {
        let kids = format!("{} 0 R ", number + 1).repeat(times);
        writing.object(number, &format!("<< /Type /Pages /Kids [{kids}] /Count 4294967295 >>"));
    }
    writing.object(2 + levels, "<< /Type /Page /MediaBox [0 0 200 100] >>");
    writing.table("");
    writing.bytes
}

fn pages_with_a_lying_count() -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    writing.object(2, "<< /Type /Pages /Kids [3 0 R] /Count 4294967295 >>");
    writing.object(3, "<< /Type /Pages /Kids [4 0 R] /Count 4294967295 >>");
    writing.object(4, "<< /Type /Page /MediaBox [0 0 200 100] >>");
    writing.table("");
    writing.bytes
}

fn fields(count: u32, entries: &str) -> Vec<u8> {
    let mut writing = form(&references(5..5 + count));
    for number in 5..5 + count {
        writing.object(number, &format!("<< {entries} /T (f{number}) /Rect [0 0 9 9] /P 3 0 R >>"));
    }
    writing.table("");
    writing.bytes
}

fn fields_deep(depth: u32) -> Vec<u8> {
    let mut writing = form("5 0 R");
    for number in 5..5 + depth {
        writing
            .object(number, &format!("<< /T (n) /Parent {} 0 R /Kids [{} 0 R] >>", number - 1, number + 1));
    }
    writing.object(5 + depth, "<< /T (n) /FT /Sig >>");
    writing.table("");
    writing.bytes
}

fn fields_by_powers(levels: u32, times: usize) -> Vec<u8> {
    let mut writing = form("5 0 R");
    for number in 5..5 + levels {
        let kids = format!("{} 0 R ", number + 1).repeat(times);
        writing.object(number, &format!("<< /T (n) /Kids [{kids}] >>"));
    }
    writing.object(5 + levels, "<< /T (n) /FT /Sig >>");
    writing.table("");
    writing.bytes
}

fn fields_of_long_names() -> Vec<u8> {
    let mut writing = form(&references(5..1005));
    for number in 5..1005 {
        writing.object(number, &format!("<< /FT /Sig /T ({}{number}) >>", "n".repeat(30_000)));
    }
    writing.table("");
    writing.bytes
}

fn fields_with_one_signature(count: u32) -> Vec<u8> {
    let mut writing = form(&references(6..6 + count));
    writing.object(
        5,
        &format!(
            "<< /Type /Sig /SubFilter /ETSI.CAdES.detached /ByteRange [0 9 99 9] /Contents <{}> >>",
            "30".repeat(16 << 10)
        ),
    );
    for number in 6..6 + count {
        writing.object(number, &format!("<< /FT /Sig /T (f{number}) /V 5 0 R >>"));
    }
    writing.table("");
    writing.bytes
}

fn fields_within_one_array(count: usize) -> Vec<u8> {
    let mut writing =
        form(&"<< /FT /Sig /T (f) /V << /Contents <00> /ByteRange [0 1 2 3] >> >>".repeat(count));
    writing.table("");
    writing.bytes
}

fn references_in_a_circle() -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm 5 0 R /Perms 5 0 R >>");
    writing.object(2, "<< /Type /Pages /Kids 4 0 R /Count 5 0 R >>");
    writing.object(4, "5 0 R");
    writing.object(5, "4 0 R");
    writing.table("/Info 4 0 R /ID 5 0 R");
    writing.bytes
}

fn references_in_a_chain(length: u32) -> Vec<u8> {
    let mut writing = form(&references(5..5 + length));
    for number in 5..5 + length {
        writing.object(number, &format!("{} 0 R", number + 1));
    }
    writing.object(5 + length, "<< /FT /Sig /T (f) >>");
    writing.table("");
    writing.bytes
}

/// Every object that signing reads holds as many values as it may.
fn everything_wide(values: usize) -> Vec<u8> {
    let wide = "0 ".repeat(values);
    let mut writing = Writing::empty();
    writing.object(1, &format!("<< /Type /Catalog /Pages 2 0 R /AcroForm 4 0 R /X [{wide}] >>"));
    writing.object(2, &format!("<< /Type /Pages /Kids [3 0 R] /Count 1 /X [{wide}] >>"));
    writing.object(3, &format!("<< /Type /Page /MediaBox [0 0 200 100] /Annots 5 0 R /X [{wide}] >>"));
    writing.object(4, &format!("<< /Fields 6 0 R /X [{wide}] >>"));
    writing.object(5, &format!("[{wide}]"));
    writing.object(6, &format!("[7 0 R {wide}]"));
    writing.object(7, &format!("<< /FT /Sig /T (f) /Rect [0 0 9 9] /P 3 0 R /X [{wide}] >>"));
    writing.table("");
    writing.bytes
}

fn annotations_on_every_page(pages: u32, annotations: usize) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>");
    writing.object(2, &format!("<< /Type /Pages /Kids [{}] /Count {pages} >>", references(6..6 + pages)));
    writing.object(4, "<< /FT /Sig /T (f) /Rect [0 0 9 9] >>");
    writing.object(5, &format!("[{}]", "9 0 R ".repeat(annotations)));
    for number in 6..6 + pages {
        writing.object(number, "<< /Type /Page /MediaBox [0 0 200 100] /Annots 5 0 R >>");
    }
    writing.table("");
    writing.bytes
}

fn locks_of_many_names() -> Vec<u8> {
    let mut writing = form(&references(6..506));
    let names = "(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)".repeat(30_000);
    writing.object(5, &format!("<< /Action /Include /Fields [{names}] >>"));
    for number in 6..506 {
        writing.object(number, &format!("<< /FT /Sig /T (f{number}) /Lock 5 0 R >>"));
    }
    writing.table("");
    writing.bytes
}

fn dictionary_of_many_keys(count: usize) -> Vec<u8> {
    let keys: String = (0..count).map(|key| format!("/K{key} {key} ")).collect();
    catalog_entry(&keys)
}

fn kids_that_are_one_huge_object() -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>");
    writing.object(2, &format!("<< /Type /Pages /Kids [{}] /Count 2000 >>", "5 0 R ".repeat(2000)));
    writing.object(4, &format!("<< /T (f) /Kids [{}] >>", "5 0 R ".repeat(2000)));
    writing.object(5, &format!("<< /Type /Page /X ({}) >>", "x".repeat(4 << 20)));
    writing.table("");
    writing.bytes
}

/// A document with one page and a form, object 4, of these fields.
fn form(fields: &str) -> Writing {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm 4 0 R >>");
    writing.object(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>");
    writing.object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>");
    writing.object(4, &format!("<< /Fields [{fields}] >>"));
    writing
}

fn references(numbers: std::ops::Range<u32>) -> String {
    numbers.map(|number| format!("{number} 0 R ")).collect()
}
