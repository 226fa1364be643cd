//! The seal on pages of every kind, looked at by foreign programs: poppler reads where its
//! words stand, qpdf whether its objects are sound.
//!
//! With `SEAL_GALLERY` set to a folder the pages are kept there, to be looked at.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has found what it looked for"
)]

#[path = "seal/cases.rs"]
mod cases;
#[path = "seal/page.rs"]
mod page;

use std::{path::Path, process::Command};

use signer_core::{
    pdf::geometry::{Rectangle, Rotation},
    seal::Corner,
};
use signer_tests::left_out;

use crate::cases::{cases, corner_case, told_cases};

#[test]
fn every_word_stands_upright_within_the_rectangle() {
    if !has("pdftotext") {
        return left_out("pdftotext is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    for case in cases() {
        let file = case.write(folder.path());
        let words = words_seen(&file, case.height_as_seen());
        let seal = case.rectangle_as_seen();
        assert!(!words.is_empty(), "{}: no text", case.name);
        for (word, place) in &words {
            // Poppler makes a word as high as the font's ascent and descent, which no letter
            // here fills: half a point beyond the edge is still inside.
            let inside = place.left >= seal.left - 0.5
                && place.right <= seal.right + 0.5
                && place.bottom >= seal.bottom - 0.5
                && place.top <= seal.top + 0.5;
            assert!(inside, "{}: {word} at {place:?} leaves {seal:?}", case.name);
            // A word of some letters that lies on its side is higher than it is wide.
            let upright = word.chars().count() < 5 || place.width() > place.height();
            assert!(upright, "{}: {word} is not upright: {place:?}", case.name);
        }
        let read: Vec<_> = words.iter().map(|(word, _)| word.as_str()).collect();
        if !case.words.is_empty() {
            assert_eq!(read, case.words, "{}", case.name);
        }
    }
}

/// The numbers are the test's own: where the words must be, in millimetres from the left and the top
/// edge of the page as poppler shows it, `None` for what counts from the far edge.
#[test]
fn a_told_place_is_where_the_reader_finds_the_words() {
    if !has("pdftotext") {
        return left_out("pdftotext is not installed");
    }
    const MILLIMETRE: f64 = 72.0 / 25.4;
    let folder = tempfile::tempdir().unwrap();
    for (told, from_left, from_top, width, height) in [
        ("20mm,30mm,80mm,25mm", Some(20.0), Some(30.0), 80.0, 25.0),
        ("top-left 5mm 12mm", Some(5.0), Some(12.0), 190.0 / MILLIMETRE, 70.0 / MILLIMETRE),
        ("bottom-right 10mm", None, None, 190.0 / MILLIMETRE, 70.0 / MILLIMETRE),
        ("1.5cm,0.5in,150pt,60pt", Some(15.0), Some(12.7), 150.0 / MILLIMETRE, 60.0 / MILLIMETRE),
    ] {
        for case in told_cases(told) {
            let unit = case.page.user_unit;
            let file = case.write(folder.path());
            let words = words_seen(&file, case.height_as_seen());
            let read: Vec<_> = words.iter().map(|(word, _)| word.as_str()).collect();
            assert_eq!(read, case.words, "{}", case.name);
            let points = |millimetres: f64| millimetres * MILLIMETRE;
            let (page_width, page_height) = (case.width_as_seen() * unit, case.height_as_seen() * unit);
            let left = from_left.map_or(page_width - points(10.0 + width), points);
            let top = page_height - from_top.map_or(page_height - points(10.0 + height), points);
            let place = Rectangle::between(left, top - points(height), left + points(width), top);
            for (word, seen) in &words {
                // As in the other cases, half a point beyond the edge is still inside.
                let inside = seen.left * unit >= place.left - 0.5
                    && seen.right * unit <= place.right + 0.5
                    && seen.bottom * unit >= place.bottom - 0.5
                    && seen.top * unit <= place.top + 0.5;
                assert!(inside, "{}: {word} at {seen:?} leaves {place:?}", case.name);
            }
            // It fills its place: the words reach over most of its height.
            let lowest = words.iter().map(|(_, seen)| seen.bottom * unit).fold(f64::INFINITY, f64::min);
            let highest = words.iter().map(|(_, seen)| seen.top * unit).fold(0.0, f64::max);
            assert!(
                highest - lowest > place.height() * 0.5,
                "{}: {lowest} to {highest} of {place:?}",
                case.name
            );
        }
    }
}

#[test]
fn pages_with_a_seal_are_sound() {
    if !has("qpdf") {
        return left_out("qpdf is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    for case in cases() {
        let file = case.write(folder.path());
        let output = Command::new("qpdf").arg("--check").arg(&file).output().unwrap();
        let said =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !said.contains("WARNING"), "{}: {said}", case.name);
    }
}

#[test]
fn the_fonts_are_embedded_subsets_that_give_their_text_back() {
    if !has("pdffonts") {
        return left_out("pdffonts is not installed");
    }
    let folder = tempfile::tempdir().unwrap();
    let case = corner_case(Rotation::None, Corner::BottomRight);
    let output = Command::new("pdffonts").arg(case.write(folder.path())).output().unwrap();
    let listed = String::from_utf8_lossy(&output.stdout).into_owned();
    let fonts: Vec<_> = listed.lines().skip(2).filter(|line| line.contains("+NotoSans")).collect();
    assert_eq!(fonts.len(), 2, "{listed}");
    for font in fonts {
        // Type, encoding, embedded, subset, with ToUnicode.
        let fields: Vec<_> = font.split_whitespace().skip(1).collect();
        assert_eq!(fields[..7], ["CID", "TrueType", "Identity-H", "yes", "yes", "yes", fields[6]], "{font}");
    }
}

/// The words poppler finds on the first page and where, y upwards from the bottom of a page of
/// that height: what poppler says of the page's size leaves `/Rotate` out.
fn words_seen(file: &Path, height: f64) -> Vec<(String, Rectangle)> {
    let output = Command::new("pdftotext").args(["-bbox", "-cropbox"]).arg(file).arg("-").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = String::from_utf8(output.stdout).unwrap();
    page.lines()
        .filter_map(|line| {
            let (attributes, word) = line.trim().strip_prefix("<word ")?.split_once('>')?;
            let at = |name: &str| attribute(attributes, name).unwrap();
            let place = Rectangle::between(at("xMin"), height - at("yMin"), at("xMax"), height - at("yMax"));
            Some((word.strip_suffix("</word>")?.to_owned(), place))
        })
        .collect()
}

fn attribute(tag: &str, name: &str) -> Option<f64> {
    tag.split_once(&format!("{name}=\""))?.1.split_once('"')?.0.parse().ok()
}

fn has(program: &str) -> bool {
    Command::new(program).arg("-v").output().is_ok()
}
