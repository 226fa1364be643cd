//! Hostile cross-references, and bytes that a scan for objects must look at.

use crate::{Hostile, writing::Writing};

pub(crate) fn all() -> Vec<Hostile> {
    vec![
        Hostile::new("sections-4-000", sections(4_000, "")),
        Hostile::new("sections-20-000", sections(20_000, "")),
        Hostile::new("sections-4-000-and-pages", sections_and_pages(4_000, 20_000)),
        Hostile::new("sections-in-a-circle", sections_in_a_circle()),
        Hostile::new("sections-with-irregular-rows", sections_with_irregular_rows(4, 500_000)),
        Hostile::new("sections-of-many-parts", sections_of_many_parts(3, 300_000)),
        Hostile::new("size-that-lies", size_that_lies()),
        Hostile::new("updates-2-000", updates(2_000)),
        Hostile::new("trailers-100-000", repeated("trailer << /Root 1 0 R /Size 9 >>\n", 100_000)),
        Hostile::new("trailers-that-never-end", repeated("trailer << /Root 1 0 R /Size [\n", 400_000)),
        Hostile::new("obj-obj-obj", repeated("1 0 obj", 1_500_000)),
        Hostile::new("obj-with-a-million-numbers", numbered(1_200_000)),
        Hostile::new("obj-after-blanks", repeated("1                   0                  obj ", 400_000)),
        Hostile::new("words-that-nearly-match", repeated("ob/Ob/Xtr%%/C", 2_500_000)),
        Hostile::new("ends-of-file", repeated("%%EOF\r\n", 3_000_000)),
        Hostile::new("catalogs-100-000", repeated("1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj ", 100_000)),
        Hostile::new("catalogs-that-never-end", repeated("7 0 obj<</Type/Catalog/X[", 500_000)),
        Hostile::new(
            "object-streams-100-000",
            repeated("7 0 obj<</Type/ObjStm/N 1/First 4>>stream\n", 100_000),
        ),
        Hostile::new("cross-reference-streams-100-000", repeated("7 0 obj<</Type/XRef>>stream\n", 100_000)),
        Hostile::new("objects-at-wrong-places", objects_at_wrong_places(60_000)),
        Hostile::new("startxref-100-000", startxref()),
    ]
}

/// A page, and then the same text many times; no cross-reference.
fn repeated(text: &str, times: usize) -> Vec<u8> {
    let mut writing = Writing::with_page();
    writing.text(&text.repeat(times));
    writing.bytes
}

fn numbered(count: u32) -> Vec<u8> {
    let mut writing = Writing::with_page();
    for number in 0..count {
        writing.text(&format!("{} 0 obj", 4 + number));
    }
    writing.bytes
}

fn sections(count: usize, entries: &str) -> Vec<u8> {
    let mut writing = Writing::with_page();
    let mut start = writing.table("");
    for _ in 0..count {
        let prev = start;
        start = writing.bytes.len();
        writing.text(&format!("xref\n0 0\ntrailer\n<< /Size 4 /Root 1 0 R /Prev {prev} {entries} >>\n"));
    }
    writing.end(start);
    writing.bytes
}

/// Every look-up of a page asks every section.
fn sections_and_pages(count: usize, pages: u32) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    let kids: String = (3..3 + pages).map(|number| format!("{number} 0 R ")).collect();
    writing.object(2, &format!("<< /Type /Pages /Kids [{kids}] /Count 1 >>"));
    for number in 3..3 + pages {
        writing.object(number, "<< /Type /Page >>");
    }
    let mut start = writing.table("");
    for _ in 0..count {
        let prev = start;
        start = writing.bytes.len();
        writing.text(&format!(
            "xref\n900000 1\n0000000000 00000 f \ntrailer\n<< /Size 4 /Root 1 0 R /Prev {prev} >>\n"
        ));
    }
    writing.end(start);
    writing.bytes
}

fn sections_in_a_circle() -> Vec<u8> {
    let mut writing = Writing::with_page();
    let first = writing.bytes.len();
    let second = first + 54;
    let text = format!("xref\n0 0\ntrailer\n<< /Root 1 0 R /Prev {second:010} >>");
    writing.text(&format!("{text:<54}"));
    writing.text(&format!("xref\n0 0\ntrailer\n<< /Root 1 0 R /Prev {first:010} >>\n"));
    writing.end(second);
    writing.bytes
}

/// Rows of different lengths cannot be found by arithmetic.
fn sections_with_irregular_rows(count: usize, rows: usize) -> Vec<u8> {
    let mut writing = Writing::with_page();
    let mut start = writing.table("");
    let text = "0000000009 0 n \n0000000009 00 n \n".repeat(rows / 2);
    for _ in 0..count {
        let prev = start;
        start = writing.bytes.len();
        writing.text(&format!("xref\n9 {rows}\n{text}trailer\n<< /Size 4 /Root 1 0 R /Prev {prev} >>\n"));
    }
    writing.end(start);
    writing.bytes
}

fn sections_of_many_parts(count: usize, parts: usize) -> Vec<u8> {
    let mut writing = Writing::with_page();
    let mut start = writing.table("");
    let text: String = (0..parts).map(|part| format!("{} 1\n0000000009 00000 n \n", 9 + part * 2)).collect();
    for _ in 0..count {
        let prev = start;
        start = writing.bytes.len();
        writing.text(&format!("xref\n{text}trailer\n<< /Size 4 /Root 1 0 R /Prev {prev} >>\n"));
    }
    writing.end(start);
    writing.bytes
}

fn size_that_lies() -> Vec<u8> {
    let mut writing = Writing::with_page();
    writing.table("/Size 8388606");
    writing.bytes
}

fn updates(count: u32) -> Vec<u8> {
    let mut writing = Writing::with_page();
    let mut start = writing.table("");
    for update in 0..count {
        writing.object(4 + update, "<< /X (y) >>");
        start = writing.table(&format!("/Prev {start}"));
    }
    writing.bytes
}

/// The table names places where other objects stand.
fn objects_at_wrong_places(count: u32) -> Vec<u8> {
    let mut writing = Writing::empty();
    writing.object(1, "<< /Type /Catalog /Pages 2 0 R >>");
    let kids: String = (3..3 + count).map(|number| format!("{number} 0 R ")).collect();
    writing.object(2, &format!("<< /Type /Pages /Kids [{kids}] /Count 1 >>"));
    let first = writing.bytes.len();
    for number in 3..3 + count {
        writing.object(number, "<< /Type /Page >>");
    }
    for (number, place) in &mut writing.places {
        if *number > 2 {
            *place = first + 30;
        }
    }
    writing.table("");
    writing.bytes
}

fn startxref() -> Vec<u8> {
    let mut writing = Writing::with_page();
    writing.table("");
    writing.text(&"startxref\nx\n".repeat(100_000));
    writing.bytes
}
