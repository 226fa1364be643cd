//! Pages, rectangles and texts of every kind, one seal each.

use signer_core::{
    moment::Moment,
    pdf::geometry::{PageGeometry, Rectangle, Rotation},
    seal::{self, Corner, Language, Placement, SealText},
};

const ROTATIONS: [Rotation; 4] = [Rotation::None, Rotation::Quarter, Rotation::Half, Rotation::ThreeQuarters];
const CORNERS: [Corner; 4] = [Corner::TopLeft, Corner::TopRight, Corner::BottomLeft, Corner::BottomRight];
const A4: Rectangle = Rectangle { left: 0.0, bottom: 0.0, right: 595.0, top: 842.0 };

/// One page with one seal.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) page: PageGeometry,
    pub(crate) rectangle: Rectangle,
    pub(crate) text: SealText,
    /// What must be read from the seal; empty where it is too small for all of it.
    pub(crate) words: Vec<&'static str>,
}

/// All of them.
pub(crate) fn cases() -> Vec<Case> {
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
        let rectangle = rectangle.unwrap_or_else(|| seal::rectangle(&page, &at).unwrap());
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

/// An A4 page, turned, with a seal in a corner.
pub(crate) fn corner_case(rotation: Rotation, corner: Corner) -> Case {
    let page = PageGeometry { media_box: A4, crop_box: A4, rotation, user_unit: 1.0 };
    let mut words = MARIA.to_vec();
    words.extend(["Motivo:", "Aprovação", "do", "contrato", "Local:", "São", "Paulo"]);
    Case {
        name: format!("turned-{}-{corner:?}", rotation.degrees()),
        page,
        rectangle: seal::rectangle(&page, &Placement::at(corner)).unwrap(),
        text: maria(Some("Aprovação do contrato"), Some("São Paulo")),
        words,
    }
}

/// A page of every turn, with a crop box that begins anywhere, of ordinary and of double units, with
/// a seal where `told` says.
pub(crate) fn told_cases(told: &str) -> Vec<Case> {
    let placement = told.parse().unwrap();
    let boxes = [
        (A4, A4),
        (Rectangle::between(-100.0, 50.0, 700.0, 1000.0), Rectangle::between(37.5, 120.0, 500.0, 777.0)),
    ];
    let mut cases = Vec::new();
    for rotation in ROTATIONS {
        for (media_box, crop_box) in boxes {
            for user_unit in [1.0, 2.0] {
                let page = PageGeometry { media_box, crop_box, rotation, user_unit };
                cases.push(Case {
                    name: format!("told-{}-{}-{user_unit}-{told}", rotation.degrees(), crop_box.left),
                    page,
                    rectangle: seal::rectangle(&page, &placement).unwrap(),
                    text: maria(None, None),
                    words: MARIA.to_vec(),
                });
            }
        }
    }
    cases
}

fn maria(reason: Option<&str>, location: Option<&str>) -> SealText {
    text("MARIA APARECIDA DA CONCEIÇÃO DOS SANTOS", Some("***.456.789-**"), reason, location)
}

fn text(name: &str, identifier: Option<&str>, reason: Option<&str>, location: Option<&str>) -> SealText {
    let moment = Moment::new(1_796_075_368, -180).unwrap();
    SealText::signature(name, identifier, moment, reason, location)
}
