//! Laws of the seal: nothing leaves the rectangle, whatever the text, the page and the size.

use std::io::Read as _;

use proptest::prelude::*;

use super::*;
use crate::{
    pdf::{
        geometry::Rotation,
        object::{Object, Stream},
        update::Body,
    },
    seal::layout::Layout,
};

const A4: Rectangle = Rectangle { left: 0.0, bottom: 0.0, right: 595.0, top: 842.0 };

fn page(shown: Rectangle, rotation: Rotation, user_unit: f64) -> PageGeometry {
    PageGeometry { media_box: shown, crop_box: shown, rotation, user_unit }
}

fn upright() -> PageGeometry {
    page(A4, Rotation::None, 1.0)
}

fn moment() -> Moment {
    Moment::new(1_796_075_368, -180).unwrap()
}

fn maria(reason: Option<&str>, location: Option<&str>) -> SealText {
    SealText::signature(
        "MARIA APARECIDA DA CONCEIÇÃO DOS SANTOS",
        Some("***.456.789-**"),
        moment(),
        reason,
        location,
    )
}

fn arranged(text: &SealText, width: f64, height: f64) -> Layout {
    layout::arrange(&words::say(text), width, height, &font::Fonts::built_in().unwrap())
}

fn lines(layout: &Layout) -> Vec<String> {
    layout.lines.iter().map(|placed| placed.line.text()).collect()
}

#[test]
fn the_usual_seal_says_all_of_it() {
    let layout = arranged(&maria(Some("Aprovação"), Some("São Paulo")), WIDTH, HEIGHT);
    assert!(layout.mark.is_some());
    assert_eq!(
        lines(&layout),
        [
            "Assinado digitalmente por",
            "MARIA APARECIDA DA",
            "CONCEIÇÃO DOS SANTOS",
            "CPF ***.456.789-**",
            "Data: 30/11/2026 18:49:28 -03:00",
            "Motivo: Aprovação",
            "Local: São Paulo",
        ]
    );
}

#[test]
fn a_seal_speaks_the_language_it_is_told() {
    for (language, expected) in [
        (
            Language::Portuguese,
            ["Assinado digitalmente por", "Data: 30/11/2026 18:49:28 -03:00", "Motivo: R", "Local: L"],
        ),
        (
            Language::English,
            ["Digitally signed by", "Date: 2026-11-30 18:49:28 -03:00", "Reason: R", "Location: L"],
        ),
        (
            Language::Spanish,
            ["Firmado digitalmente por", "Fecha: 30/11/2026 18:49:28 -03:00", "Motivo: R", "Lugar: L"],
        ),
    ] {
        let text = SealText::signature("N", None, moment(), Some("R"), Some("L")).in_language(language);
        let [caption, date, reason, location] = expected;
        assert_eq!(lines(&arranged(&text, WIDTH, HEIGHT)), [caption, "N", date, reason, location]);
    }
}

#[test]
fn a_seal_is_described_in_each_language() {
    let text = maria(None, None);
    for (tag, expected) in [
        ("pt-BR", Some("Assinatura digital de MARIA APARECIDA DA CONCEIÇÃO DOS SANTOS")),
        ("PT", Some("Assinatura digital de MARIA APARECIDA DA CONCEIÇÃO DOS SANTOS")),
        ("en-US", Some("Digital signature of MARIA APARECIDA DA CONCEIÇÃO DOS SANTOS")),
        ("es", Some("Firma digital de MARIA APARECIDA DA CONCEIÇÃO DOS SANTOS")),
        ("de-DE", None),
        ("eng", None),
        ("", None),
    ] {
        let said = Language::of_tag(tag).map(|language| text.description(language));
        assert_eq!(said.as_deref(), expected, "{tag}");
    }
    for language in [Language::Portuguese, Language::English, Language::Spanish] {
        assert_eq!(Language::of_tag(language.tag()), Some(language));
    }
}

#[test]
fn the_holder_is_what_goes_last() {
    let text = maria(Some("Aprovação"), Some("São Paulo"));
    for (width, height, kept, gone) in [
        (WIDTH, HEIGHT, "São Paulo", "…"),
        (100.0, 20.0, "30/11/2026", "Motivo"),
        (200.0, 12.0, "30/11/2026", "CPF"),
        (12.0, 9.0, "MA", "Data"),
    ] {
        let said = lines(&arranged(&text, width, height)).join(" ");
        assert!(said.contains(kept) && !said.contains(gone), "{width}×{height}: {said}");
    }
    assert!(arranged(&text, 0.5, 0.5).lines.is_empty());
}

#[test]
fn a_corner_is_the_readers_corner() {
    // Of a page of 595 by 842 points: left, bottom, right, top in user space.
    for (rotation, corner, expected) in [
        (Rotation::None, Corner::BottomRight, [381.0, 24.0, 571.0, 94.0]),
        (Rotation::None, Corner::TopLeft, [24.0, 748.0, 214.0, 818.0]),
        (Rotation::Quarter, Corner::BottomRight, [501.0, 628.0, 571.0, 818.0]),
        (Rotation::Quarter, Corner::TopLeft, [24.0, 24.0, 94.0, 214.0]),
        (Rotation::Half, Corner::BottomRight, [24.0, 748.0, 214.0, 818.0]),
        (Rotation::ThreeQuarters, Corner::BottomRight, [24.0, 24.0, 94.0, 214.0]),
        (Rotation::ThreeQuarters, Corner::TopLeft, [501.0, 628.0, 571.0, 818.0]),
    ] {
        let Rectangle { left, bottom, right, top } =
            rectangle(&page(A4, rotation, 1.0), &Placement::at(corner)).unwrap();
        assert_eq!([left, bottom, right, top], expected, "{rotation:?} {corner:?}");
    }
}

#[test]
fn a_seal_has_the_same_size_on_paper_whatever_the_unit() {
    let placed = rectangle(&page(A4, Rotation::None, 2.0), &Placement::at(Corner::BottomLeft)).unwrap();
    assert_eq!([placed.left, placed.bottom, placed.width(), placed.height()], [12.0, 12.0, 95.0, 35.0]);
}

#[test]
fn a_seal_is_small_and_always_the_same() {
    let text = maria(Some("Aprovação do contrato de prestação de serviços"), Some("São Paulo – SP"));
    let drawn = || {
        let mut update = Update::starting_at(10);
        let place = rectangle(&upright(), &Placement::at(Corner::BottomRight)).unwrap();
        let form = draw(&text, &place, &upright(), &mut update).unwrap();
        (form, update)
    };
    let (form, update) = drawn();
    let bytes: usize = update.objects().iter().map(|(_, body)| body_len(body)).sum();
    assert!(bytes < 25_000, "{bytes} bytes of streams");
    assert_eq!((form, update), drawn());
}

#[test]
fn every_glyph_of_a_cut_font_is_listed() {
    // Letters with accents are put together from parts that no character stands for.
    for name in ["A", "ÇÃÉÍÕ", "ABCDEFG", "ABCDEFGH", "João da Conceição Gonçalves"] {
        let text = SealText::signature(name, None, moment(), None, None);
        let mut update = Update::starting_at(1);
        draw(&text, &Rectangle::between(0.0, 0.0, 190.0, 70.0), &upright(), &mut update).unwrap();
        let mut fonts = 0;
        for (_, body) in update.objects() {
            let Body::Object(Object::Dictionary(descriptor)) = body else { continue };
            let Some(Object::Reference(file)) = descriptor.get("FontFile2") else { continue };
            let Some(Object::Reference(set)) = descriptor.get("CIDSet") else { panic!("no set of CIDs") };
            let font = inflated(&update, *file);
            let glyphs = usize::from(ttf_parser::Face::parse(&font, 0).unwrap().number_of_glyphs());
            let set = inflated(&update, *set);
            let listed = (0..set.len() * 8).map(|cid| set[cid / 8] & (0x80 >> (cid % 8)) != 0);
            let expected = (0..glyphs.div_ceil(8) * 8).map(|cid| cid < glyphs);
            assert!(listed.eq(expected), "{name}: {set:x?} for {glyphs} glyphs");
            fonts += 1;
        }
        assert_eq!(fonts, 2, "{name}");
    }
}

#[test]
fn the_form_turns_against_the_page() {
    let place = Rectangle::between(10.0, 20.0, 110.0, 60.0);
    for (rotation, bounds, matrix) in [
        (Rotation::None, [0.0, 0.0, 100.0, 40.0], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        (Rotation::Quarter, [0.0, 0.0, 40.0, 100.0], [0.0, 1.0, -1.0, 0.0, 100.0, 0.0]),
        (Rotation::Half, [0.0, 0.0, 100.0, 40.0], [-1.0, 0.0, 0.0, -1.0, 100.0, 40.0]),
        (Rotation::ThreeQuarters, [0.0, 0.0, 40.0, 100.0], [0.0, -1.0, 1.0, 0.0, 0.0, 40.0]),
    ] {
        let mut update = Update::starting_at(1);
        let form = draw(&maria(None, None), &place, &page(A4, rotation, 1.0), &mut update).unwrap();
        let Some(Body::Stream(Stream { dictionary, .. })) = update.get(form) else { panic!("no stream") };
        let numbers = |key: &str| -> Vec<f64> {
            let array = dictionary.get(key).and_then(Object::as_array).unwrap();
            array.iter().filter_map(Object::as_number).collect()
        };
        assert_eq!((numbers("BBox"), numbers("Matrix")), (bounds.to_vec(), matrix.to_vec()), "{rotation:?}");
        // Turned, the box begins at 0, 0 and is as large as the rectangle (12.5.5).
        let [a, b, c, d, e, f] = matrix;
        let [_, _, x, y] = bounds;
        let corners =
            [(0.0, 0.0), (x, 0.0), (0.0, y), (x, y)].map(|(x, y)| (a * x + c * y + e, b * x + d * y + f));
        let least =
            corners.iter().fold((f64::MAX, f64::MAX), |least, at| (least.0.min(at.0), least.1.min(at.1)));
        let most = corners.iter().fold((0.0f64, 0.0f64), |most, at| (most.0.max(at.0), most.1.max(at.1)));
        assert_eq!((least, most), ((0.0, 0.0), (100.0, 40.0)));
    }
}

fn body_len(body: &Body) -> usize {
    match body {
        Body::Object(_) => 0,
        Body::Stream(stream) => stream.data.len(),
    }
}

fn inflated(update: &Update, stream: Reference) -> Vec<u8> {
    let Some(Body::Stream(stream)) = update.get(stream) else { panic!("no stream") };
    let mut bytes = Vec::new();
    flate2::read::ZlibDecoder::new(stream.data.as_slice()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn any_rotation() -> impl Strategy<Value = Rotation> {
    (0..4i64).prop_map(|quarters| Rotation::from_degrees(quarters * 90))
}

fn any_corner() -> impl Strategy<Value = Corner> {
    prop_oneof![
        Just(Corner::TopLeft),
        Just(Corner::TopRight),
        Just(Corner::BottomLeft),
        Just(Corner::BottomRight)
    ]
}

/// Names as they are, and texts as an attacker would have them.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["[A-ZÀ-Ü]{1,12}( [A-ZÀ-Ü]{1,12}){0,8}", "\\PC{0,300}", any::<String>(), "W{0,400}"]
}

fn any_side() -> impl Strategy<Value = f64> {
    prop_oneof![0.0..20.0, 0.0..300.0, 0.0..15_000.0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_leaves_the_rectangle(
        name in any_text(),
        identifier in proptest::option::of(any_text()),
        reason in proptest::option::of(any_text()),
        location in proptest::option::of(any_text()),
        width in any_side(),
        height in any_side(),
    ) {
        let text = SealText::signature(
            &name, identifier.as_deref(), moment(), reason.as_deref(), location.as_deref(),
        );
        let layout = arranged(&text, width, height);
        const SLACK: f64 = 1e-6;
        for placed in &layout.lines {
            prop_assert!(placed.x >= 0.0 && placed.size > 0.0);
            prop_assert!(placed.line.width.mul_add(placed.size, placed.x) <= width + SLACK);
            prop_assert!(placed.y - 0.25 * placed.size >= -SLACK);
            prop_assert!(placed.y + placed.size <= height + SLACK);
        }
        for pair in layout.lines.windows(2) {
            prop_assert!(pair[0].y - 0.25 * pair[0].size >= pair[1].y + pair[1].size - SLACK, "lines overlap");
        }
        if let Some(mark) = layout.mark {
            prop_assert!(mark.x >= 0.0 && mark.x + mark.side <= width);
            prop_assert!(mark.y >= -SLACK && mark.y + mark.side <= height + SLACK);
            for placed in &layout.lines {
                let beside = placed.x >= mark.x + mark.side;
                prop_assert!(beside || placed.y + placed.size <= mark.y + SLACK, "text under the mark");
            }
        }
        prop_assert!(layout.bar <= width);
    }

    #[test]
    fn a_seal_stands_within_what_is_shown(
        (left, bottom) in (-2000.0..2000.0f64, -2000.0..2000.0f64),
        (width, height) in (1.0..15_000.0f64, 1.0..15_000.0f64),
        rotation in any_rotation(),
        corner in any_corner(),
        user_unit in 0.01..100.0f64,
    ) {
        let shown = Rectangle::between(left, bottom, left + width, bottom + height);
        let placed = rectangle(&page(shown, rotation, user_unit), &Placement::at(corner)).unwrap();
        prop_assert!(placed.width() > 0.0 && placed.height() > 0.0);
        prop_assert!(placed.left >= shown.left - 1e-6 && placed.right <= shown.right + 1e-6);
        prop_assert!(placed.bottom >= shown.bottom - 1e-6 && placed.top <= shown.top + 1e-6);
    }

    #[test]
    fn any_page_and_rectangle_gets_a_seal(
        sides in any::<[f64; 4]>(),
        frame in any::<[f64; 4]>(),
        user_unit in any::<f64>(),
        rotation in any_rotation(),
        corner in any_corner(),
        name in any_text(),
    ) {
        let of = |[x1, y1, x2, y2]: [f64; 4]| Rectangle::between(x1, y1, x2, y2);
        let page = page(of(frame), rotation, user_unit);
        let text = SealText::signature(&name, None, moment(), None, None);
        for place in [of(sides), rectangle(&page, &Placement::at(corner)).unwrap()] {
            let mut update = Update::starting_at(u32::MAX - 3);
            prop_assert!(draw(&text, &place, &page, &mut update).is_ok());
        }
    }
}
