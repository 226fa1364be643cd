//! Signed documents with something appended: what signing appends, and what attackers append.

use crate::moment::Moment;
use crate::pdf::document::Document;
use crate::pdf::geometry::Rectangle;
use crate::pdf::later::{Effort, Later};
use crate::pdf::limits::Limits;
use crate::pdf::object::{self, Dictionary, Object, Stream};
use crate::pdf::permission::{Permission, SignatureType};
use crate::pdf::revision::{Description, FieldChoice, SignatureRequest, begin, sign_revision};
use crate::pdf::sample::{append_table, packed, replace, table};

const PAGES: &str = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const PAGE: &str =
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots 6 0 R /Contents [4 0 R 90 0 R] >>";
pub(super) const CONTENT: &str = "<< /Length 3 >>\nstream\n0 g\nendstream";
pub(super) const TEXT: &str = "<< /T (valor) /FT /Tx /V (100) >>";

/// Objects 1 to 8: a page that refers to an object that there is not, a form with a text field
/// and an empty signature field.
pub(super) fn objects() -> [&'static str; 8] {
    [
        "<< /Type /Catalog /Pages 2 0 R /AcroForm 5 0 R >>",
        PAGES,
        PAGE,
        CONTENT,
        "<< /Fields [7 0 R 8 0 R] >>",
        "[8 0 R]",
        TEXT,
        "<< /T (vazio) /FT /Sig /Type /Annot /Subtype /Widget /Rect [10 10 60 30] /P 3 0 R >>",
    ]
}

fn base() -> Vec<u8> {
    table(&objects(), "/Info 9 0 R")
}

pub(super) fn open(bytes: &[u8]) -> Document<&[u8]> {
    Document::open(bytes, Limits::default()).unwrap()
}

/// `bytes` signed in a field, with an appearance.
pub(super) fn sign(bytes: &[u8], field: FieldChoice<'_>) -> Vec<u8> {
    sign_as(SignatureType::Approval, bytes, field)
}

fn sign_as(signature_type: SignatureType, bytes: &[u8], field: FieldChoice<'_>) -> Vec<u8> {
    signed_in(Rectangle::between(1.0, 1.0, 50.0, 20.0), signature_type, bytes, field)
}

fn sign_unseen(bytes: &[u8], field: FieldChoice<'_>) -> Vec<u8> {
    signed_in(Rectangle::EMPTY, SignatureType::Approval, bytes, field)
}

fn signed_in(
    rectangle: Rectangle,
    signature_type: SignatureType,
    bytes: &[u8],
    field: FieldChoice<'_>,
) -> Vec<u8> {
    let document = open(bytes);
    let mut update = begin(&document).unwrap();
    let appearance = update.add(Stream {
        dictionary: Dictionary::new().with("Subtype", Object::name("Form")),
        data: b"0 0 9 9 re f".to_vec(),
    });
    let request = SignatureRequest {
        page: 1,
        field,
        rectangle,
        appearance: Some(appearance),
        description: Some(Description { text: "Assinatura de João", language: None }),
        signature_type,
        lock: None,
        reason: None,
        location: None,
        name: None,
        date: Moment::new(1_796_075_368, -180).unwrap(),
        contents_len: 32,
    };
    let mut revision = sign_revision(&document, update, &request).unwrap();
    revision.fill(&[0x30, 1, 0xff]).unwrap();
    [bytes, revision.bytes.as_slice()].concat()
}

fn signed() -> Vec<u8> {
    sign(&base(), new())
}

pub(super) const fn new<'a>() -> FieldChoice<'a> {
    FieldChoice::New { name: None }
}

/// Appends objects with a section that continues the chain.
pub(super) fn append(bytes: &[u8], objects: &[(u32, &str)], extra: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let previous = text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().to_owned();
    let mut bytes = bytes.to_vec();
    append_table(&mut bytes, objects, &format!("/Prev {previous} {extra}"), 0);
    bytes
}

/// What is said of the first signature, whose revision is `signed`, in the file `now`.
pub(super) fn later(signed: &[u8], now: &[u8]) -> Later {
    let signed_document = open(signed);
    let field = signed_document.fields().unwrap().iter().find(|field| field.value.is_some()).unwrap();
    open(now).later_changes(field, signed.len() as u64, &mut Effort::default()).unwrap()
}

/// The number of the object that holds the field of the first signature.
fn field_number(signed: &[u8]) -> u32 {
    let document = open(signed);
    let fields = document.fields().unwrap();
    fields.iter().find(|field| field.value.is_some()).unwrap().reference.unwrap().number
}

/// Proves A11.
#[test]
fn further_signatures_are_permitted() {
    let packed = packed(&["<< /Type /Catalog /Pages 2 0 R >>", PAGES, "<< /Type /Page /Parent 2 0 R >>"]);
    for original in [base(), packed] {
        let once = sign(&original, new());
        assert_eq!(later(&once, &once), Later::Permitted);
        let twice = sign(&once, new());
        assert_eq!(later(&once, &twice), Later::Permitted);
        assert_eq!(later(&once, &sign(&twice, new())), Later::Permitted);
    }
    let once = signed();
    assert_eq!(later(&once, &sign(&once, FieldChoice::Existing { name: "vazio" })), Later::Permitted);
}

/// A value that leads to no signature is none, for whoever signs there later too.
#[test]
fn a_field_whose_value_means_nothing_is_signed_as_an_empty_one_is() {
    for value in ["()", "null", "80 0 R", "[]"] {
        let field = format!("<< /T (vazio) /FT /Sig /Subtype /Widget /Rect [1 1 9 9] /P 3 0 R /V {value} >>");
        let mut all = objects();
        all[7] = &field;
        let once = sign(&table(&all, "/Info 9 0 R"), new());
        let twice = sign(&once, FieldChoice::Existing { name: "vazio" });
        assert_eq!(later(&once, &twice), Later::Permitted, "{value}");
    }
}

#[test]
fn validation_data_are_permitted() {
    let once = signed();
    let dss = [
        (1, "<< /Type /Catalog /Pages 2 0 R /AcroForm 5 0 R /DSS 60 0 R >>"),
        (60, "<< /Type /DSS /Certs [61 0 R] >>"),
        (61, CONTENT),
    ];
    let with_data = append(&once, &dss, "/Info 9 0 R");
    assert_eq!(later(&once, &with_data), Later::Permitted);
    let more =
        append(&with_data, &[(60, "<< /Type /DSS /Certs [61 0 R 62 0 R] >>"), (62, CONTENT)], "/Info 9 0 R");
    assert_eq!(later(&once, &more), Later::Permitted);
}

/// A certification that permits signing is still valid after it; one that permits nothing is after
/// validation data and a time-stamp only.
#[test]
fn certifications_are_obeyed() {
    let certify = |kind| sign_as(kind, &base(), new());
    for kind in [
        SignatureType::Certification(Permission::FormFilling),
        SignatureType::Certification(Permission::Annotations),
        SignatureType::DocMdpReference,
    ] {
        let once = certify(kind);
        let twice = sign(&once, FieldChoice::Existing { name: "vazio" });
        assert_eq!(later(&once, &twice), Later::Permitted, "{kind:?}");
    }
    let once = certify(SignatureType::Certification(Permission::NoChanges));
    let catalog = open(&once).catalog().clone().with("DSS", Object::name("60"));
    let mut text = Vec::new();
    object::write_dictionary(&catalog, &mut text);
    let text = String::from_utf8(text).unwrap().replace("/DSS /60", "/DSS 60 0 R");
    let data = [(1, text.as_str()), (60, "<< /Type /DSS /Certs [61 0 R] >>"), (61, CONTENT)];
    assert_eq!(later(&once, &append(&once, &data, "/Info 9 0 R")), Later::Permitted);
    // A time-stamp instead of a signature is no change, unless it is seen.
    let permitting = certify(SignatureType::Certification(Permission::FormFilling));
    let forbidden = Later::Other { what: "a signature forbids every change" };
    for (field, of_stamp) in [(new(), Later::Permitted), (FieldChoice::Existing { name: "vazio" }, forbidden)]
    {
        let after = sign_unseen(&permitting, field);
        let after = replace(&after, "/P 2 /V", "/P 1 /V");
        let signed = after.get(..permitting.len()).unwrap().to_vec();
        assert_eq!(later(&signed, &after), forbidden);
        let at = signed.len();
        let stamp = replace(&after[at..], "/ETSI.CAdES.detached", "/ETSI.RFC3161       ");
        assert_eq!(later(&signed, &[signed.as_slice(), &stamp].concat()), of_stamp);
    }
    let field = field_number(&once);
    let list = format!("<< /Fields [7 0 R 8 0 R {field} 0 R 60 0 R] /SigFlags 3 >>");
    let annotations = format!("[8 0 R {field} 0 R 60 0 R]");
    for (value, filled) in [("/V 61 0 R", "a signature forbids every change"), ("", "a signature forbids")] {
        let empty =
            format!("<< /Type /Annot /Subtype /Widget /FT /Sig /T (x) /Rect [0 0 0 0] /P 3 0 R {value} >>");
        let objects = [(5, list.as_str()), (6, &annotations), (60, &empty), (61, "<< /Type /Sig >>")];
        match later(&once, &append(&once, &objects, "/Info 9 0 R")) {
            Later::Other { what } => assert!(what.contains(filled), "{value}: {what}"),
            Later::Permitted => panic!("{value} is permitted"),
        }
    }
}

/// Proves A15.
#[test]
fn other_changes_are_not_permitted() {
    let once = signed();
    let field = field_number(&once);
    let list = format!("<< /Fields [7 0 R 8 0 R {field} 0 R 60 0 R] /SigFlags 3 >>");
    let annotations = format!("[8 0 R {field} 0 R 60 0 R]");
    let copy = format!("<< /T (copia) /FT /Sig /V {} 0 R >>", field - 1);
    for (name, objects, extra, expected) in [
        ("content", &[(4, "<< /Length 3 >>\nstream\n1 g\nendstream")][..], "", "signing does not change"),
        ("a box", &[(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Annots 6 0 R >>")], "", "a page"),
        ("the pages", &[(2, "<< /Type /Pages /Kids [] /Count 0 >>")], "", "signing does not change"),
        (
            "an action",
            &[(1, "<< /Type /Catalog /Pages 2 0 R /AcroForm 5 0 R /OpenAction 60 0 R >>")],
            "",
            "the catalog",
        ),
        ("another catalog", &[(60, objects()[0])], "/Root 60 0 R", "the catalog"),
        ("a value", &[(7, "<< /T (valor) /FT /Tx /V (900) >>")], "", "signing does not change"),
        ("a title", &[(60, "<< /Title (outro) >>")], "/Info 60 0 R", "the document information"),
        ("what was missing", &[(90, CONTENT)], "", "refers to"),
        ("an annotation", &[(6, &annotations), (60, "<< /Subtype /Stamp >>")], "", "signing does not change"),
        ("a text field", &[(5, &list), (60, "<< /T (novo) /FT /Tx >>")], "", "no signature"),
        (
            "a field with an action",
            &[(5, &list), (60, "<< /T (novo) /FT /Sig /A << /S /JavaScript >> >>")],
            "",
            "no signature",
        ),
        (
            "an empty field that shows something",
            &[(5, &list), (60, "<< /T (novo) /FT /Sig /AP << >> >>")],
            "",
            "no signature",
        ),
        ("the same signature again", &[(5, &list), (60, &copy)], "", "no signature of its own"),
        ("fields in another order", &[(5, "<< /Fields [8 0 R 7 0 R] /SigFlags 3 >>")], "", "a list"),
        ("an empty field moved", &[(8, "<< /T (vazio) /FT /Sig /Rect [0 0 200 100] >>")], "", "not signed"),
        (
            "appearances to be made anew",
            &[(5, "<< /Fields [7 0 R 8 0 R] /NeedAppearances true >>")],
            "",
            "the form",
        ),
    ] {
        let extra = if extra.contains("Info") { extra.to_owned() } else { format!("/Info 9 0 R {extra}") };
        let now = append(&once, objects, &extra);
        match later(&once, &now) {
            Later::Other { what } => assert!(what.contains(expected), "{name}: {what}"),
            Later::Permitted => panic!("{name} is permitted"),
        }
    }
}

#[test]
fn what_the_cross_reference_does_not_tell_is_not_permitted() {
    let once = signed();
    let hidden = [once.as_slice(), b"4 0 obj\n<< /Length 3 >>\nstream\n1 g\nendstream\nendobj\n"].concat();
    let now = sign(&hidden, new());
    assert_eq!(
        later(&once, &now),
        Later::Other { what: "an object was added that the cross-reference does not list" }
    );
    let comment = [once.as_slice(), b"% more\n"].concat();
    assert_eq!(later(&once, &comment), Later::Other { what: "bytes were added that are no revision" });
    let trailer = [once.as_slice(), b"trailer\n<< /Root 60 0 R >>\n"].concat();
    assert!(matches!(later(&once, &sign(&trailer, new())), Later::Other { .. }));
}

#[test]
fn a_replaced_object_stream_is_not_permitted() {
    let original = packed(&["<< /Type /Catalog /Pages 2 0 R >>", PAGES, "<< /Type /Page /Parent 2 0 R >>"]);
    let once = sign(&original, new());
    // Object 4 is the stream that holds the page tree, object 2, which no signature touches.
    let pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 9 9] >>";
    let stream = format!(
        "<< /Type /ObjStm /N 1 /First 4 /Length {} >>\nstream\n2 0 {pages}\nendstream",
        pages.len() + 4
    );
    let now = append(&once, &[(4, &stream)], "");
    assert_eq!(
        later(&once, &now),
        Later::Other { what: "an object was changed that signing does not change" }
    );
}
