//! The seal on pages of every kind, looked at by foreign programs: poppler reads where its
//! words stand, qpdf whether its objects are sound.
//!
//! With `SEAL_GALLERY` set to a folder the pages are kept there, to be looked at.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use signer_core::{
    moment::Moment,
    pdf::{
        geometry::{PageGeometry, Rectangle, Rotation},
        object::{self, Dictionary, Object, Reference, Stream},
        update::{Body, Update},
    },
    seal::{self, Corner, Language, Placement, SealText},
};
use signer_tests::left_out;

const ROTATIONS: [Rotation; 4] = [Rotation::None, Rotation::Quarter, Rotation::Half, Rotation::ThreeQuarters];
const CORNERS: [Corner; 4] = [Corner::TopLeft, Corner::TopRight, Corner::BottomLeft, Corner::BottomRight];
const A4: Rectangle = Rectangle { left: 0.0, bottom: 0.0, right: 595.0, top: 842.0 };

/// One page with one seal.
struct Case {
    name: String,
    page: PageGeometry,
    rectangle: Rectangle,
    text: SealText,
    /// What must be read from the seal; empty where it is too small for all of it.
    words: Vec<&'static str>,
}

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

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for rotation in ROTATIONS {
        for corner in CORNERS {
            cases.push(corner_case(rotation, corner));
        }
    }
    let upright = PageGeometry { media_box: A4, crop_box: A4, rotation: Rotation::None, user_unit: 1.0 };
    let at = Placement::at(Corner::BottomRight);
    let mut add = |name: &str,
                   page: PageGeometry,
                   rectangle: Option<Rectangle>,
                   text: SealText,
                   words: &[&'static str]| {
        let rectangle = rectangle.unwrap_or_else(|| seal::rectangle(&page, &at));
        cases.push(Case { name: name.to_owned(), page, rectangle, text, words: words.to_vec() });
    };

    add("plain", upright, None, maria(None, None), MARIA);
    add("short-name", upright, None, text("ANA LIMA", Some("***.456.789-**"), None, None), &[]);
    add(
        "company",
        upright,
        None,
        text("PADARIA SÃO JOSÉ COMÉRCIO DE ALIMENTOS LTDA", Some("12.ABC.345/01DE-35"), None, None),
        &[],
    );
    add(
        "no-identifier",
        upright,
        None,
        text("Maria da Silva", None, None, None),
        &[
            "Assinado",
            "digitalmente",
            "por",
            "Maria",
            "da",
            "Silva",
            "Data:",
            "30/11/2026",
            "18:49:28",
            "-03:00",
        ],
    );
    add(
        "long-reason",
        upright,
        None,
        maria(
            Some(
                "Aprovação do termo aditivo número 12 ao contrato de prestação de serviços de limpeza e conservação",
            ),
            Some("Palácio dos Bandeirantes, São Paulo – SP, Brasil"),
        ),
        &[],
    );
    add(
        "longest",
        upright,
        None,
        maria(Some(&"muito longo ".repeat(60)), Some(&"lugar distante ".repeat(60))),
        &[],
    );
    add(
        "long-name",
        upright,
        None,
        text(
            "PEDRO DE ALCÂNTARA JOÃO CARLOS LEOPOLDO SALVADOR BIBIANO FRANCISCO XAVIER DE PAULA LEOCÁDIO MIGUEL GABRIEL RAFAEL GONZAGA",
            Some("***.456.789-**"),
            Some("Lei Áurea"),
            Some("Petrópolis"),
        ),
        &[],
    );
    add("one-word", upright, None, text(&"X".repeat(200), None, None, None), &[]);
    add(
        "accents",
        upright,
        None,
        text("Łukasz Žižek Ñandú Ünal Đặng Ωμέγα Жанна", None, None, None),
        &[
            "Assinado",
            "digitalmente",
            "por",
            "Łukasz",
            "Žižek",
            "Ñandú",
            "Ünal",
            "Đặng",
            "Ωμέγα",
            "Жанна",
            "Data:",
            "30/11/2026",
            "18:49:28",
            "-03:00",
        ],
    );
    add(
        "not-in-the-font",
        upright,
        None,
        text("山田 太郎 Yamada 😀", None, None, None),
        &[
            "Assinado",
            "digitalmente",
            "por",
            "山田 太郎 Yamada 😀",
            "Data:",
            "30/11/2026",
            "18:49:28",
            "-03:00",
        ],
    );
    add(
        "english",
        upright,
        None,
        maria(Some("Approval"), Some("São Paulo")).in_language(Language::English),
        &[],
    );
    add(
        "spanish",
        upright,
        None,
        maria(Some("Aprobación"), Some("Montevideo")).in_language(Language::Spanish),
        &[],
    );

    let landscape =
        PageGeometry { media_box: Rectangle::between(0.0, 0.0, 842.0, 595.0), crop_box: A4, ..upright };
    add("landscape", landscape, None, maria(None, None), MARIA);
    for rotation in ROTATIONS {
        let media_box = Rectangle::between(-100.0, 50.0, 700.0, 1000.0);
        let crop_box = Rectangle::between(37.5, 120.0, 500.0, 777.0);
        let page = PageGeometry { media_box, crop_box, rotation, user_unit: 1.0 };
        add(&format!("crop-{}", rotation.degrees()), page, None, maria(None, None), MARIA);
    }
    for (name, width, height) in
        [("business-card", 240.0, 150.0), ("tiny", 100.0, 60.0), ("label", 60.0, 300.0), ("speck", 12.0, 9.0)]
    {
        let page = Rectangle::between(0.0, 0.0, width, height);
        add(
            name,
            PageGeometry { media_box: page, crop_box: page, ..upright },
            None,
            maria(Some("Aprovação"), None),
            &[],
        );
    }
    let poster = Rectangle::between(0.0, 0.0, 842.0, 1191.0);
    for rotation in [Rotation::None, Rotation::Quarter] {
        let page = PageGeometry { media_box: poster, crop_box: poster, rotation, user_unit: 2.0 };
        add(
            &format!("unit-2-{}", rotation.degrees()),
            page,
            None,
            maria(Some("Aprovação"), Some("Recife")),
            &[],
        );
    }

    for (width, height) in [
        (300.0, 120.0),
        (500.0, 300.0),
        (120.0, 180.0),
        (80.0, 300.0),
        (400.0, 20.0),
        (200.0, 12.0),
        (100.0, 20.0),
        (60.0, 60.0),
        (40.0, 15.0),
        (20.0, 8.0),
        (150.0, 40.0),
        (220.0, 50.0),
        (90.0, 45.0),
        (10.0, 200.0),
    ] {
        let rectangle = Rectangle::between(50.0, 400.0, 50.0 + width, 400.0 + height);
        add(
            &format!("field-{width}x{height}"),
            upright,
            Some(rectangle),
            maria(Some("Aprovação"), Some("São Paulo")),
            &[],
        );
    }
    cases
}

const MARIA: &[&str] = &[
    "Assinado",
    "digitalmente",
    "por",
    "MARIA",
    "APARECIDA",
    "DA",
    "CONCEIÇÃO",
    "DOS",
    "SANTOS",
    "CPF",
    "***.456.789-**",
    "Data:",
    "30/11/2026",
    "18:49:28",
    "-03:00",
];

fn corner_case(rotation: Rotation, corner: Corner) -> Case {
    let page = PageGeometry { media_box: A4, crop_box: A4, rotation, user_unit: 1.0 };
    let mut words = MARIA.to_vec();
    words.extend(["Motivo:", "Aprovação", "do", "contrato", "Local:", "São", "Paulo"]);
    Case {
        name: format!("turned-{}-{corner:?}", rotation.degrees()),
        page,
        rectangle: seal::rectangle(&page, &Placement::at(corner)),
        text: maria(Some("Aprovação do contrato"), Some("São Paulo")),
        words,
    }
}

fn maria(reason: Option<&str>, location: Option<&str>) -> SealText {
    text("MARIA APARECIDA DA CONCEIÇÃO DOS SANTOS", Some("***.456.789-**"), reason, location)
}

fn text(name: &str, identifier: Option<&str>, reason: Option<&str>, location: Option<&str>) -> SealText {
    let moment = Moment::new(1_796_075_368, -180).unwrap();
    SealText::signature(name, identifier, moment, reason, location)
}

impl Case {
    /// The page as a file of its own in `folder`.
    fn write(&self, folder: &Path) -> PathBuf {
        let catalog = Reference { number: 1, generation: 0 };
        let pages = Reference { number: 2, generation: 0 };
        let page = Reference { number: 3, generation: 0 };
        let mut update = Update::starting_at(4);
        let form = seal::draw(&self.text, &self.rectangle, &self.page, &mut update).unwrap();
        let name = Object::name;
        // Some readers draw a sign of their own where a field has no value.
        let value = update.add(
            Dictionary::new()
                .with("Type", name("Sig"))
                .with("Filter", name("Adobe.PPKLite"))
                .with("SubFilter", name("ETSI.CAdES.detached"))
                .with("ByteRange", Object::Array(vec![Object::Integer(0); 4]))
                .with("Contents", Object::String(vec![0])),
        );
        let widget = update.add(
            Dictionary::new()
                .with("Type", name("Annot"))
                .with("Subtype", name("Widget"))
                .with("FT", name("Sig"))
                .with("T", Object::text("Signature1"))
                .with("V", Object::Reference(value))
                .with("F", Object::Integer(132))
                .with("P", Object::Reference(page))
                .with("Rect", self.rectangle.to_object())
                .with("AP", Object::Dictionary(Dictionary::new().with("N", Object::Reference(form)))),
        );
        let contents = update.add(Stream { dictionary: Dictionary::new(), data: self.lines_on_the_page() });
        update.put(
            catalog,
            Dictionary::new().with("Type", name("Catalog")).with("Pages", Object::Reference(pages)).with(
                "AcroForm",
                Object::Dictionary(
                    Dictionary::new()
                        .with("Fields", Object::Array(vec![Object::Reference(widget)]))
                        .with("SigFlags", Object::Integer(3)),
                ),
            ),
        );
        update.put(
            pages,
            Dictionary::new()
                .with("Type", name("Pages"))
                .with("Kids", Object::Array(vec![Object::Reference(page)]))
                .with("Count", Object::Integer(1)),
        );
        update.put(
            page,
            Dictionary::new()
                .with("Type", name("Page"))
                .with("Parent", Object::Reference(pages))
                .with("MediaBox", self.page.media_box.to_object())
                .with("CropBox", self.page.crop_box.to_object())
                .with("Rotate", Object::Integer(i64::from(self.page.rotation.degrees())))
                .with("UserUnit", Object::number(self.page.user_unit))
                .with("Resources", Object::Dictionary(Dictionary::new()))
                .with("Contents", Object::Reference(contents))
                .with("Annots", Object::Array(vec![Object::Reference(widget)])),
        );
        let file_name = format!("{}.pdf", self.name);
        let file = folder.join(&file_name);
        fs::write(&file, whole_file(&update, catalog)).unwrap();
        if let Some(gallery) = std::env::var_os("SEAL_GALLERY") {
            fs::copy(&file, Path::new(&gallery).join(file_name)).unwrap();
        }
        file
    }

    /// Grey lines all over the page, so that a seal that does not cover them is noticed.
    fn lines_on_the_page(&self) -> Vec<u8> {
        let Rectangle { left, bottom, right, top } = self.page.media_box;
        let mut drawn = String::from("0.8 G 0.5 w\n");
        let mut y = bottom + 6.0;
        while y < top {
            drawn.push_str(&format!("{left} {y} m {right} {y} l S\n"));
            y += 12.0;
        }
        drawn.into_bytes()
    }

    fn height_as_seen(&self) -> f64 {
        let shown = self.page.shown();
        if self.page.rotation.swaps_sides() { shown.width() } else { shown.height() }
    }

    /// The rectangle as the reader sees it: in units from the bottom left corner of the page
    /// that is shown.
    fn rectangle_as_seen(&self) -> Rectangle {
        let shown = self.page.shown();
        let Rectangle { left, bottom, right, top } = self.rectangle;
        match self.page.rotation {
            Rotation::None => Rectangle::between(
                left - shown.left,
                bottom - shown.bottom,
                right - shown.left,
                top - shown.bottom,
            ),
            Rotation::Quarter => Rectangle::between(
                bottom - shown.bottom,
                shown.right - left,
                top - shown.bottom,
                shown.right - right,
            ),
            Rotation::Half => Rectangle::between(
                shown.right - left,
                shown.top - bottom,
                shown.right - right,
                shown.top - top,
            ),
            Rotation::ThreeQuarters => {
                Rectangle::between(shown.top - bottom, left - shown.left, shown.top - top, right - shown.left)
            }
        }
    }
}

/// A file with a cross-reference table around the objects of `update`.
fn whole_file(update: &Update, catalog: Reference) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = vec![0; update.next_number() as usize];
    for (reference, body) in update.objects() {
        offsets[reference.number as usize] = out.len();
        out.extend_from_slice(format!("{} 0 obj\n", reference.number).as_bytes());
        match body {
            Body::Object(object) => object::write(object, &mut out),
            Body::Stream(stream) => {
                let length = Object::Integer(i64::try_from(stream.data.len()).unwrap());
                object::write_dictionary(&stream.dictionary.clone().with("Length", length), &mut out);
                out.extend_from_slice(b"\nstream\n");
                out.extend_from_slice(&stream.data);
                out.extend_from_slice(b"\nendstream");
            }
        }
        out.extend_from_slice(b"\nendobj\n");
    }
    let xref = out.len();
    out.extend_from_slice(format!("xref\n0 {}\n0000000000 65535 f \n", offsets.len()).as_bytes());
    for offset in &offsets[1..] {
        out.extend_from_slice(format!("{offset:010} 00000 n \n").as_bytes());
    }
    let trailer = Dictionary::new()
        .with("Size", Object::Integer(i64::try_from(offsets.len()).unwrap()))
        .with("Root", Object::Reference(catalog));
    out.extend_from_slice(b"trailer\n");
    object::write_dictionary(&trailer, &mut out);
    out.extend_from_slice(format!("\nstartxref\n{xref}\n%%EOF\n").as_bytes());
    out
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
