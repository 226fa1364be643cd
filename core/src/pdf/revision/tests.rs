//! Signing revisions over small documents of each shape.

use proptest::prelude::*;

use crate::error::ErrorCode;
use crate::moment::Moment;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::geometry::Rectangle;
use crate::pdf::limits::Limits;
use crate::pdf::object::{Dictionary, Object, Reference, Stream};
use crate::pdf::permission::SignatureType;
use crate::pdf::revision::{FieldChoice, SignatureRequest, SignedRevision, begin, inspection, sign_revision};
use crate::pdf::sample::{ONE_PAGE, packed, replace, table};
use crate::pdf::xref::SectionKind;

pub(super) fn request(field: FieldChoice<'_>) -> SignatureRequest<'_> {
    SignatureRequest {
        page: 1,
        field,
        rectangle: Rectangle::EMPTY,
        appearance: None,
        description: None,
        signature_type: SignatureType::Approval,
        lock: None,
        reason: Some("De acordo"),
        location: None,
        name: Some("João (teste)"),
        date: Moment::new(1_796_075_368, -180).unwrap(),
        contents_len: 64,
    }
}

pub(super) fn open(bytes: &[u8]) -> Document<&[u8]> {
    Document::open(bytes, Limits::default()).unwrap()
}

pub(super) fn sign(bytes: &[u8], field: FieldChoice<'_>) -> Result<SignedRevision, PdfError> {
    let document = open(bytes);
    sign_revision(&document, begin(&document)?, &request(field))
}

/// Signs in a new field and checks what every signed document must be; returns it.
pub(super) fn check(name: &str, bytes: &[u8], field: FieldChoice<'_>) -> Vec<u8> {
    let before = open(bytes);
    let mut revision = sign(bytes, field).unwrap_or_else(|error| panic!("{name}: {error}"));
    revision.fill(&[0x30, 1, 0xff]).unwrap();
    let signed = [bytes, revision.bytes.as_slice()].concat();

    let [first, second] = revision.byte_range.spans();
    assert_eq!(second.end, signed.len() as u64, "{name}");
    let hole = &signed[usize::try_from(first.end).unwrap()..usize::try_from(second.start).unwrap()];
    assert!(hole.starts_with(b"<3001ff000") && hole.ends_with(b"0>") && hole.len() == 130, "{name}");
    let hashed = [[bytes].as_slice(), revision.hashed_parts().as_slice()].concat().concat();
    assert_eq!(hashed.len() + hole.len(), signed.len(), "{name}");

    let after = open(&signed);
    assert!(!after.is_repaired(), "{name}");
    if !before.is_repaired() {
        assert_eq!(kind(&after), kind(&before), "{name}");
        assert!(after.trailer().contains("Prev"), "{name}");
    }
    inspection::inspect(&before, &after, &revision.field_name)
        .unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
    assert_eq!(after.page_count().unwrap(), before.page_count().unwrap(), "{name}");
    let fields = after.fields().unwrap();
    let own = fields.iter().find(|field| field.name == revision.field_name).unwrap();
    let value = own.value.as_ref().unwrap();
    assert_eq!(value.byte_range, Ok(revision.byte_range), "{name}");
    assert_eq!(value.contents[..4], [0x30, 1, 0xff, 0], "{name}");
    assert_eq!(value.claimed_time.as_deref(), Some("D:20261130184928-03'00'"), "{name}");
    assert!(after.revision_ends().unwrap().contains(&(signed.len() as u64)), "{name}");
    let widget = own.widget.as_ref().unwrap().reference.unwrap();
    let page = after.page_of_field(own).unwrap();
    assert!(
        after
            .resolve(page.dictionary.get("Annots").unwrap())
            .unwrap()
            .as_array()
            .unwrap()
            .contains(&Object::Reference(widget)),
        "{name}"
    );
    let form = after.resolve(after.catalog().get("AcroForm").unwrap()).unwrap();
    let flags = form.as_dictionary().unwrap().get("SigFlags").and_then(Object::as_integer);
    assert_eq!(flags.map(|flags| flags & 3), Some(3), "{name}");
    signed
}

fn kind(document: &Document<&[u8]>) -> SectionKind {
    document.xref().sections.first().unwrap().kind
}

pub(super) const fn new<'a>() -> FieldChoice<'a> {
    FieldChoice::New { name: None }
}

pub(super) fn with_form(form: &str, page: &str, more: &[&str]) -> Vec<u8> {
    let catalog = format!("<< /Type /Catalog /Pages 2 0 R /AcroForm {form} >>");
    let page = format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] {page} >>");
    table(&[&[catalog.as_str(), ONE_PAGE[1], page.as_str()], more].concat(), "/Info 3 0 R /ID [<0102> <03>]")
}

#[test]
fn every_shape_of_form_page_and_cross_reference_is_signed() {
    let plain = table(&ONE_PAGE, "");
    let text = "<< /T (Signature1) /FT /Tx >>";
    for (name, bytes) in [
        ("a table", plain.clone()),
        ("an object stream", packed(&ONE_PAGE)),
        ("no final end of line", plain.strip_suffix(b"\n").unwrap().to_vec()),
        ("junk before", [b"junk\n", plain.as_slice()].concat()),
        ("junk after", [plain.as_slice(), &[0; 3000]].concat()),
        ("damaged", replace(&plain, "startxref", "start")),
        ("damaged, with an object stream", replace(&packed(&ONE_PAGE), "startxref", "start")),
        ("a form within the catalog", with_form("<< /Fields [] >>", "", &[])),
        ("a form of its own", with_form("4 0 R", "", &["<< /Fields [5 0 R] /SigFlags 0 >>", text])),
        (
            "fields and annotations apart",
            with_form("4 0 R", "/Annots 5 0 R", &["<< /Fields 6 0 R >>", "[7 0 R]", "[7 0 R]", text]),
        ),
        ("no fields", with_form("<< /NeedAppearances true >>", "/Annots []", &[])),
        ("a form that is missing", with_form("9 0 R", "/Annots 9 0 R", &[])),
        ("a page within its parent", replace(&plain, "/Kids [3 0 R]", "/Kids [<</Parent 2 0 R>>]")),
    ] {
        let once = check(name, &bytes, new());
        let twice = check(name, &once, new());
        let last = open(&twice);
        let fields = last.fields().unwrap();
        assert_eq!(fields.len(), 2, "{name}");
        let first = fields[0].value.as_ref().unwrap().byte_range.unwrap();
        assert_eq!(first.end(), once.len() as u64, "{name}");
        assert!(open(&twice).revision_ends().unwrap().contains(&first.end()), "{name}");
    }
}

#[test]
fn only_what_must_change_is_written() {
    let objects = ["<< /Fields 6 0 R /SigFlags 3 >>", "[7 0 R]", "[7 0 R]", "<< /T (a) /FT /Tx >>"];
    let bytes = with_form("4 0 R", "/Annots 5 0 R", &objects);
    let revision = sign(&bytes, new()).unwrap();
    let text = String::from_utf8(revision.bytes).unwrap();
    let written: Vec<&str> = text.lines().filter(|line| line.ends_with(" obj")).collect();
    // The page, the appearance, the field, the list of fields, the signature.
    assert_eq!(written, ["3 0 obj", "10 0 obj", "9 0 obj", "6 0 obj", "8 0 obj"]);
}

#[test]
fn the_trailer_keeps_its_identity() {
    let once = check("identified", &with_form("<< >>", "", &[]), new());
    let twice = check("identified", &once, new());
    let identity = |bytes: &[u8]| {
        let document = open(bytes);
        assert_eq!(document.trailer().get("Info").and_then(Object::as_reference).unwrap().number, 3);
        document.trailer().get("ID").unwrap().as_array().unwrap().to_vec()
    };
    let (first, second) = (identity(&once), identity(&twice));
    assert_eq!(first[0], Object::String(vec![1, 2]));
    assert_eq!(second[0], first[0]);
    assert_ne!(second[1], first[1]);
    assert_eq!(first[1].as_string().unwrap().len(), 16);
    // The same request gives the same bytes.
    let bytes = with_form("<< >>", "", &[]);
    assert_eq!(sign(&bytes, new()).unwrap(), sign(&bytes, new()).unwrap());
    assert!(open(&check("without", &table(&ONE_PAGE, ""), new())).trailer().contains("ID"));
}

#[test]
fn the_dictionary_of_the_signature_holds_what_pades_asks_for() {
    let text = String::from_utf8(sign(&table(&ONE_PAGE, ""), new()).unwrap().bytes).unwrap();
    let at = text.find("<< /Type /Sig ").unwrap();
    assert!(
        text[at..].starts_with(
            "<< /Type /Sig /Filter /Adobe.PPKLite /SubFilter /ETSI.CAdES.detached /ByteRange [0 "
        )
    );
    assert!(text.contains("> /M (D:20261130184928-03'00') /Reason (De acordo) /Name <FEFF004A006F00E3006F"));
    assert!(!text.contains("/Cert"));
    assert!(text.contains("/F 132 /Rect [0 0 0 0] /P 3 0 R"));
}

#[test]
fn an_existing_field_keeps_its_place_and_gets_its_appearance() {
    let merged = ["<< /T (s) /FT /Sig /Subtype /Widget /Rect [1 1 9 9] /P 3 0 R /F 4 >>"];
    let apart =
        ["<< /T (s) /FT /Sig /Kids [5 0 R] >>", "<< /Subtype /Widget /Rect [1 1 9 9] /Parent 4 0 R >>"];
    for (objects, widget) in [(merged.as_slice(), 4), (apart.as_slice(), 5)] {
        let bytes = with_form("<< /Fields [4 0 R] >>", &format!("/Annots [{widget} 0 R]"), objects);
        let document = open(&bytes);
        let mut update = begin(&document).unwrap();
        let picture = update.add(Stream { dictionary: Dictionary::new(), data: b"q Q".to_vec() });
        let wanted =
            SignatureRequest { appearance: Some(picture), ..request(FieldChoice::Existing { name: "s" }) };
        let revision = sign_revision(&document, update, &wanted).unwrap();
        let signed = [bytes.as_slice(), &revision.bytes].concat();
        let after = open(&signed);
        let Object::Dictionary(found) = after.object(Reference { number: widget, generation: 0 }).unwrap()
        else {
            panic!("the widget is gone")
        };
        let normal = found.get("AP").and_then(Object::as_dictionary).and_then(|states| states.get("N"));
        assert_eq!(normal, Some(&Object::Reference(picture)));
        assert_eq!(after.stream_data(picture).unwrap().1, b"q Q");
        assert_eq!(after.page(1).unwrap().dictionary, document.page(1).unwrap().dictionary);
        assert!(after.fields().unwrap()[0].value.is_some());
    }
}

#[test]
fn names_are_free_or_refused() {
    let bytes = with_form(
        "<< /Fields [4 0 R 5 0 R] >>",
        "",
        &["<< /T (Signature1) /FT /Tx >>", "<< /T (s) /FT /Sig >>"],
    );
    assert_eq!(sign(&bytes, new()).unwrap().field_name, "Signature2");
    assert_eq!(sign(&bytes, FieldChoice::New { name: Some("Visto") }).unwrap().field_name, "Visto");
    for name in ["", "a.b", "Signature1", "s"] {
        let error = sign(&bytes, FieldChoice::New { name: Some(name) }).unwrap_err();
        assert!(matches!(error, PdfError::FieldNameUnusable { .. }), "{name}");
    }
    for name in ["Signature1", "missing"] {
        let error = sign(&bytes, FieldChoice::Existing { name }).unwrap_err();
        assert_eq!(error.code(), ErrorCode::FieldNotFound, "{name}");
    }
    let signed = [bytes.clone(), sign(&bytes, FieldChoice::Existing { name: "s" }).unwrap().bytes].concat();
    assert_eq!(
        sign(&signed, FieldChoice::Existing { name: "s" }).unwrap_err().code(),
        ErrorCode::FieldAlreadySigned
    );
    let mut elsewhere = request(new());
    elsewhere.page = 2;
    let document = open(&bytes);
    let error = sign_revision(&document, begin(&document).unwrap(), &elsewhere).unwrap_err();
    assert_eq!(error.code(), ErrorCode::PageNotFound);
}

#[test]
fn earlier_signatures_are_obeyed() {
    let signature = |extra: &str| format!("<< /Type /Sig /Contents <00> /Reference [<< {extra} >>] >>");
    for (lock, reference, expected) in [
        (
            "",
            "/TransformMethod /DocMDP /TransformParams << /P 1 >>",
            Some(ErrorCode::DocumentChangesForbidden),
        ),
        ("", "/TransformMethod /DocMDP /TransformParams << /P 2 >>", None),
        ("", "/TransformMethod /DocMDP /TransformParams << /P 3 >>", None),
        ("", "/TransformMethod /DocMDP", None),
        ("/Lock << /Action /All /P 1 >>", "", Some(ErrorCode::DocumentChangesForbidden)),
        ("/Lock << /Action /Include /Fields [(s)] >>", "", Some(ErrorCode::FieldLocked)),
        ("/Lock << /Action /Exclude /Fields [(s)] >>", "", None),
        ("", "/TransformMethod /FieldMDP /TransformParams << /Action /All >>", Some(ErrorCode::FieldLocked)),
    ] {
        let fields = [
            format!("<< /T (a) /FT /Sig /V 6 0 R {lock} >>"),
            "<< /T (s) /FT /Sig >>".to_owned(),
            signature(reference),
        ];
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let bytes = with_form("<< /Fields [4 0 R 5 0 R] >>", "", &fields);
        let code = sign(&bytes, FieldChoice::Existing { name: "s" }).err().map(|error| error.code());
        assert_eq!(code, expected, "{lock} {reference}");
    }
    let certified = "<< /Type /Catalog /Pages 2 0 R /Perms << /DocMDP 4 0 R >> >>";
    let signature = signature("/TransformMethod /DocMDP /TransformParams << /P 1 >>");
    let bytes = table(&[certified, ONE_PAGE[1], ONE_PAGE[2], &signature], "");
    assert_eq!(sign(&bytes, new()).unwrap_err().code(), ErrorCode::DocumentChangesForbidden);
}

#[test]
fn the_lock_of_a_field_takes_effect_when_it_is_signed() {
    let fields = [
        "<< /T (s) /FT /Sig /Subtype /Widget /Rect [0 0 0 0] /Lock << /Type /SigFieldLock /Action /Include /Fields [(x)] >> >>",
    ];
    let bytes = with_form("<< /Fields [4 0 R] >>", "/Annots [4 0 R]", &fields);
    let signed = check("locking", &bytes, FieldChoice::Existing { name: "s" });
    assert!(String::from_utf8_lossy(&signed).contains("/TransformMethod /FieldMDP"));
    assert_eq!(
        sign(&signed, FieldChoice::New { name: Some("x") }).unwrap_err().code(),
        ErrorCode::FieldLocked
    );
    assert!(sign(&signed, FieldChoice::New { name: Some("y") }).is_ok());
}

#[test]
fn a_cms_that_does_not_fit_is_refused() {
    let mut revision = sign(&table(&ONE_PAGE, ""), new()).unwrap();
    let before = revision.clone();
    assert!(matches!(revision.fill(&[1; 65]), Err(PdfError::ContentsTooLarge { needed: 65, reserved: 64 })));
    assert_eq!(revision, before);
    revision.fill(&[1; 64]).unwrap();
}

#[test]
fn a_size_that_lies_allocates_nothing() {
    let bytes = replace(&table(&ONE_PAGE, ""), "/Size 4", "/Size 2147483647");
    let signed = check("a huge size", &bytes, new());
    assert!(signed.len() < bytes.len() + 2000);
    check("a small size", &replace(&table(&ONE_PAGE, ""), "/Size 4", "/Size 1"), new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_original_is_the_prefix_and_all_but_the_hole_is_covered(
        filler in proptest::collection::vec(any::<u8>(), 0..3000),
        len in 0..300usize,
        reason in ".{0,40}",
        stream: bool,
    ) {
        let mut bytes = if stream { packed(&ONE_PAGE) } else { table(&ONE_PAGE, "") };
        bytes.extend(filler.iter().map(|byte| if byte.is_ascii_alphanumeric() { b' ' } else { *byte }));
        let document = open(&bytes);
        let wanted = SignatureRequest { contents_len: len, reason: Some(&reason), ..request(new()) };
        let revision = sign_revision(&document, begin(&document).unwrap(), &wanted).unwrap();
        let [_, a, b, c] = revision.byte_range.numbers();
        prop_assert_eq!(b - a, 2 * len as u64 + 2);
        prop_assert_eq!(b + c, (bytes.len() + revision.bytes.len()) as u64);
        let signed = [bytes.as_slice(), &revision.bytes].concat();
        prop_assert_eq!(signed[usize::try_from(a).unwrap()], b'<');
        prop_assert_eq!(signed[usize::try_from(b).unwrap() - 1], b'>');
        let after = open(&signed);
        prop_assert!(!after.is_repaired());
        let fields = after.fields().unwrap();
        let value = fields[0].value.as_ref().unwrap();
        prop_assert_eq!(value.byte_range, Ok(revision.byte_range));
        let found = value.dictionary.get("Reason").and_then(Object::as_string).map(crate::pdf::text::decode);
        prop_assert_eq!(found, Some(reason));
    }

    #[test]
    fn no_damage_makes_the_writer_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = with_form("4 0 R", "/Annots [5 0 R]", &["<< /Fields [5 0 R] >>", "<< /T (s) /FT /Sig /V 6 0 R >>", "<< /Contents <00> >>"]);
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Ok(document) = Document::open(bytes.as_slice(), Limits::default())
            && let Ok(update) = begin(&document)
        {
            let _ = sign_revision(&document, update.clone(), &request(new()));
            let _ = sign_revision(&document, update, &request(FieldChoice::Existing { name: "s" }));
        }
    }
}

/// A field of the document refers to a signature that there is not, its page to an appearance.
#[test]
fn what_is_added_is_not_what_something_else_refers_to() {
    let bytes = table(
        &[
            "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /MediaBox [0 0 200 100] /Contents [6 0 R 9 0 R] >>",
            "<< /T (outro) /FT /Sig /V 5 0 R /AA << /X [7 0 R 99999999 0 R] >> >>",
        ],
        "/Info 8 0 R",
    );
    let signed = check("dangling references", &bytes, FieldChoice::New { name: None });
    let (before, after) = (open(&bytes), open(&signed));
    let other = after.fields().unwrap().iter().find(|field| field.name == "outro").unwrap();
    assert_eq!(other.value, None);
    for number in 5..=8 {
        let place = Reference { number, generation: 0 };
        assert_eq!(after.object(place).unwrap(), before.object(place).unwrap(), "{number}");
    }
}

/// The cross-reference names an object stream that there is not: what is added must not become it.
#[test]
fn what_is_added_holds_no_objects_of_others() {
    let bytes = packed(&[ONE_PAGE[0], ONE_PAGE[1], ONE_PAGE[2], "(four)"]);
    // The row of object 4: kind 2, stream 5, place 3; stream 7 is the first number that is free.
    let at = bytes.windows(4).rposition(|row| row == [2, 0, 5, 3]).unwrap();
    let mut lying = bytes;
    lying[at + 2] = 7;
    let signed = check("a missing object stream", &lying, new());
    let place = Reference { number: 4, generation: 0 };
    assert_eq!(open(&lying).object(place).unwrap(), Object::Null);
    assert_eq!(open(&signed).object(place).unwrap(), Object::Null);
}

/// Offsets count from the header: what stands before it would be lost.
#[test]
fn a_damaged_document_with_objects_before_its_header_is_refused() {
    let mut bytes = b"4 0 obj (four) endobj\n%PDF-1.7\n".to_vec();
    for (number, object) in (1..).zip(ONE_PAGE) {
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    assert!(matches!(sign(&bytes, new()), Err(PdfError::Damaged { .. })));
}

/// A page that is the object stream in which other objects lie.
#[test]
fn a_stream_of_objects_is_not_replaced_by_a_dictionary() {
    for (entries, expected) in [
        ("/Type /Page", None),
        ("/Type /Page /N 1 /First 4", Some(ErrorCode::DocumentUnreadable)),
        ("/Type /XRef", Some(ErrorCode::DocumentUnreadable)),
    ] {
        let page = format!("<< {entries} /MediaBox [0 0 200 100] /Length 3 >>\nstream\n0 g\nendstream");
        let bytes = table(&[ONE_PAGE[0], ONE_PAGE[1], &page], "");
        assert_eq!(sign(&bytes, new()).err().map(|error| error.code()), expected, "{entries}");
    }
}
