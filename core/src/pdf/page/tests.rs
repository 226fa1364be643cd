//! Page trees: honest, odd and hostile.

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::geometry::{Rectangle, Rotation};
use crate::pdf::limits::Limits;
use crate::pdf::object::Reference;
use crate::pdf::page::Direct;
use crate::pdf::sample::table;

const CATALOG: &str = "<< /Type /Catalog /Pages 2 0 R >>";

fn open(objects: &[&str]) -> Document<Vec<u8>> {
    Document::open(table(&[&[CATALOG], objects].concat(), ""), Limits::default()).unwrap()
}

/// The object numbers of all pages, as many as the count says.
fn pages(objects: &[&str]) -> Vec<u32> {
    let document = open(objects);
    let count = document.page_count().unwrap();
    assert!(
        matches!(document.page(count + 1), Err(PdfError::PageNotFound { count: found, .. }) if found == count)
    );
    assert!(matches!(document.page(0), Err(PdfError::PageNotFound { .. })));
    (1..=count).map(|number| document.page(number).unwrap().reference.number).collect()
}

#[test]
fn pages_are_found_in_order_whatever_the_counts_say() {
    let page = "<< /Type /Page >>";
    let tree = |root: i64, inner: i64| {
        let root = format!("<< /Type /Pages /Count {root} /Kids [3 0 R 4 0 R 5 0 R] >>");
        let inner = format!("<< /Type /Pages /Count {inner} /Kids [6 0 R 7 0 R] >>");
        pages(&[&root, page, &inner, page, page, page])
    };
    for (root, inner) in [(4, 2), (-4, 2), (0, 2), (2_147_483_647, 2), (3, 2), (4, 1), (4, 9), (9, 7)] {
        assert_eq!(tree(root, inner), [3, 6, 7, 5], "counts {root} and {inner}");
    }
}

#[test]
fn odd_trees_give_the_pages_that_are_there() {
    let page = "<< /Type /Page >>";
    let root = |kids: &str| format!("<< /Type /Pages /Count 2 /Kids [{kids}] >>");
    for (name, kids, third, expected) in [
        ("a missing kid", "9 0 R 3 0 R null", page, vec![3]),
        ("an empty node", "4 0 R 3 0 R", page, vec![3]),
        ("a node within itself", "2 0 R 3 0 R", page, vec![3]),
        ("no type", "3 0 R", "<< /Parent 2 0 R >>", vec![3]),
        ("a wrong type", "3 0 R", "<< /Type /Font >>", vec![3]),
        ("the same page twice", "3 0 R 3 0 R", page, vec![3, 3]),
    ] {
        assert_eq!(pages(&[&root(kids), third, "<< /Type /Pages /Kids [] /Count 0 >>"]), expected, "{name}");
    }
    assert_eq!(pages(&["<< /Type /Page >>"]), [2], "a page instead of a tree");
}

#[test]
fn a_page_within_its_parent_says_so() {
    let document = open(&[
        "<< /Type /Pages /Count 2 /Kids [<< /Type /Page /Rotate 90 >> 3 0 R] >>",
        "<< /Type /Page >>",
    ]);
    let page = document.page(1).unwrap();
    assert_eq!((page.reference.number, page.direct), (2, Some(Direct::Kid(0))));
    assert_eq!(page.geometry.rotation, Rotation::Quarter);
    assert_eq!(document.page(2).unwrap().direct, None);
    let nested = open(&[
        "<< /Type /Pages /Count 2 /Kids [<< /Type /Pages /Count 1 /Kids [<< /Type /Page >>] >> 3 0 R] >>",
        "<< /Type /Page >>",
    ]);
    let page = nested.page(1).unwrap();
    assert_eq!((page.reference.number, page.direct), (2, Some(Direct::Deeper)));
}

#[test]
fn attributes_are_inherited_and_mended() {
    for (above, own, expected) in [
        ("/MediaBox [0 0 300 400]", "", (Rectangle::between(0.0, 0.0, 300.0, 400.0), Rotation::None, 1.0)),
        (
            "/MediaBox [0 0 300 400] /Rotate 90",
            "/MediaBox [9 8 1 2] /Rotate -90 /UserUnit 2.5",
            (Rectangle::between(1.0, 2.0, 9.0, 8.0), Rotation::ThreeQuarters, 2.5),
        ),
        (
            "/CropBox [10 10 20 20]",
            "/MediaBox [0 0 15 15]",
            (Rectangle::between(10.0, 10.0, 15.0, 15.0), Rotation::None, 1.0),
        ),
        (
            "",
            "/MediaBox [0 0 9 9] /CropBox [50 50 60 60]",
            (Rectangle::between(0.0, 0.0, 9.0, 9.0), Rotation::None, 1.0),
        ),
        ("", "/MediaBox [0 0 0 0] /Rotate 45 /UserUnit -1", (Rectangle::LETTER, Rotation::None, 1.0)),
        ("", "/MediaBox 4 0 R /Rotate 450", (Rectangle::between(0.0, 0.0, 7.0, 8.0), Rotation::Quarter, 1.0)),
    ] {
        let root = format!("<< /Type /Pages /Count 1 /Kids [3 0 R] {above} >>");
        let geometry = open(&[&root, &format!("<< /Type /Page {own} >>"), "[0 0 5 0 R 8]", "7"])
            .page(1)
            .unwrap()
            .geometry;
        assert_eq!((geometry.crop_box, geometry.rotation, geometry.user_unit), expected, "{above} {own}");
    }
}

#[test]
fn a_tree_that_multiplies_itself_passes_a_limit() {
    // Thirty levels of two kids each would be a thousand million pages.
    let mut objects: Vec<String> = (2..32)
        .map(|number| format!("<< /Type /Pages /Count 0 /Kids [{0} 0 R {0} 0 R] >>", number + 1))
        .collect();
    objects.push("<< /Type /Page >>".to_owned());
    let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
    assert!(matches!(open(&objects).page_count(), Err(PdfError::Limit { .. })));
}

#[test]
fn the_page_of_a_field_is_the_one_it_names_or_that_lists_it() {
    let fields = |field: &str| {
        let catalog = "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] >> >>";
        let root = "<< /Type /Pages /Count 3 /Kids [3 0 R 4 0 R 5 0 R] >>";
        let (page, listing) = ("<< /Type /Page >>", "<< /Type /Page /Annots [6 0 R] >>");
        let objects = [catalog, root, page, listing, page, field];
        let document = Document::open(table(&objects, ""), Limits::default()).unwrap();
        let fields = document.fields().unwrap();
        document.page_of_field(&fields[0]).unwrap()
    };
    for (entry, expected) in [("/P 4 0 R", 2), ("/P 5 0 R", 3), ("/P 3 0 R", 1), ("", 2), ("/P 9 0 R", 2)] {
        let page = fields(&format!("<< /FT /Sig /T (s) /Subtype /Widget /Rect [0 0 1 1] {entry} >>"));
        assert_eq!(page.number, expected, "{entry}");
        assert_eq!(page.reference, Reference { number: expected + 2, generation: 0 });
    }
    assert_eq!(fields("<< /FT /Sig /T (no widget) >>").number, 1);
}

#[test]
fn a_large_tree_is_descended_and_a_lie_in_it_is_noticed() {
    // 70 pages: a node of 60, a page, a node of 9.
    let kids = |from: usize, count: usize| -> String {
        (from..from + count).map(|number| format!("{number} 0 R ")).collect()
    };
    let tree = |root: usize, first: usize| {
        let mut objects = vec![
            format!("<< /Type /Pages /Count {root} /Kids [3 0 R 4 0 R 5 0 R] >>"),
            format!("<< /Type /Pages /Count {first} /Kids [{}] >>", kids(10, 60)),
            "<< /Type /Page >>".to_owned(),
            format!("<< /Type /Pages /Count 9 /Kids [{}] >>", kids(70, 9)),
        ];
        objects.resize(78, "<< /Type /Page >>".to_owned());
        objects
    };
    let expected: Vec<u32> = (10..70).chain([4]).chain(70..79).collect();
    for (root, first) in [(70, 60), (71, 60), (69, 60), (70, 61), (100, 60)] {
        let objects = tree(root, first);
        let objects: Vec<&str> = objects.iter().map(String::as_str).collect();
        assert_eq!(pages(&objects), expected, "counts {root} and {first}");
    }
}
