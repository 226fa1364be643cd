//! What certifications and locks permit, and how a signature says so.

use crate::error::ErrorCode;
use crate::moment::Moment;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::geometry::Rectangle;
use crate::pdf::limits::Limits;
use crate::pdf::permission::*;
use crate::pdf::revision::{FieldChoice, SignatureRequest, begin, sign_revision};
use crate::pdf::sample::{ONE_PAGE, packed, table};

const EMPTY: &str = "<< /T (s) /FT /Sig /Subtype /Widget /Rect [1 1 90 20] /P 3 0 R >>";

/// Who signs, in what and how.
#[derive(Clone, Copy)]
struct Wish {
    field: Option<&'static str>,
    kind: SignatureType,
    lock: Option<Permission>,
    seen: Seen,
}

#[derive(Clone, Copy, PartialEq)]
enum Seen {
    No,
    Yes,
}

const APPROVE: Wish = Wish { field: None, kind: SignatureType::Approval, lock: None, seen: Seen::No };

fn open(bytes: &[u8]) -> Document<&[u8]> {
    Document::open(bytes, Limits::default()).unwrap()
}

fn sign(bytes: &[u8], wish: Wish) -> Result<Vec<u8>, PdfError> {
    let document = open(bytes);
    let field = match wish.field {
        Some(name) => FieldChoice::Existing { name },
        None => FieldChoice::New { name: None },
    };
    let request = SignatureRequest {
        description: None,
        page: 1,
        field,
        rectangle: match wish.seen {
            Seen::Yes => Rectangle::between(1.0, 1.0, 50.0, 20.0),
            Seen::No => Rectangle::EMPTY,
        },
        appearance: None,
        signature_type: wish.kind,
        lock: wish.lock,
        reason: None,
        location: None,
        name: None,
        date: Moment::new(1_796_075_368, -180).unwrap(),
        contents_len: 32,
    };
    let mut revision = sign_revision(&document, begin(&document)?, &request)?;
    revision.fill(&[0x30, 0]).unwrap();
    Ok([bytes, revision.bytes.as_slice()].concat())
}

fn code(result: Result<Vec<u8>, PdfError>) -> Option<ErrorCode> {
    result.err().map(|error| error.code())
}

/// One page, and a form with these fields as objects from 5 on.
fn with_fields(fields: &[&str]) -> Vec<u8> {
    let places: Vec<String> = (5..5 + fields.len()).map(|number| format!("{number} 0 R")).collect();
    let places = places.join(" ");
    let catalog = "<< /Type /Catalog /Pages 2 0 R /AcroForm 4 0 R >>";
    let page = format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots [{places}] >>");
    let form = format!("<< /Fields [{places}] >>");
    table(&[&[catalog, ONE_PAGE[1], &page, &form], fields].concat(), "")
}

/// The signature reference of this method in the only signature.
fn reference(bytes: &[u8], method: &str) -> Option<Dictionary> {
    let document = open(bytes);
    let fields = document.fields().unwrap();
    let value = fields.iter().find_map(|field| field.value.as_ref()).unwrap();
    let references = document.entry(&value.dictionary, "Reference").unwrap().into_array().unwrap_or_default();
    let mut references = references.iter().map(|item| document.resolve(item).unwrap());
    let found = references.find(|item| {
        item.as_dictionary().and_then(|item| item.get("TransformMethod")) == Some(&Object::name(method))
    });
    let parameters = document.entry(found.as_ref()?.as_dictionary()?, "TransformParams").unwrap();
    parameters.into_dictionary()
}

#[test]
fn a_lock_covers_a_field_with_all_below_it() {
    let names = || vec!["a.b".to_owned(), "c".to_owned()];
    for (lock, name, expected) in [
        (FieldLock::All, "x", true),
        (FieldLock::Only(names()), "a.b", true),
        (FieldLock::Only(names()), "a.b.x", true),
        (FieldLock::Only(names()), "a.bx", false),
        (FieldLock::Only(names()), "a", false),
        (FieldLock::Except(names()), "c.d", false),
        (FieldLock::Except(names()), "d", true),
    ] {
        assert_eq!(lock.covers(name), expected, "{lock:?} {name}");
    }
}

#[test]
fn a_certification_stands_in_the_signature_and_in_the_catalog() {
    let rights = "<< /Type /Catalog /Pages 2 0 R /Perms << /UR3 << /Type /Sig >> >> >>";
    for original in [
        table(&ONE_PAGE, ""),
        packed(&ONE_PAGE),
        table(&[rights, ONE_PAGE[1], ONE_PAGE[2]], ""),
        with_fields(&[]),
    ] {
        for permission in [Permission::NoChanges, Permission::FormFilling, Permission::Annotations] {
            let kind = SignatureType::Certification(permission);
            let signed = sign(&original, Wish { kind, ..APPROVE }).unwrap();
            let parameters = reference(&signed, "DocMDP").unwrap();
            assert_eq!(parameters.get("P"), Some(&permission.to_object()));
            assert_eq!(parameters.get("V"), Some(&Object::name("1.2")));
            let document = open(&signed);
            assert_eq!(document.permission().unwrap(), Some(permission));
            let named = document.entry(document.catalog(), "Perms").unwrap().into_dictionary().unwrap();
            let fields = document.fields().unwrap();
            let value = fields.first().and_then(|field| field.value.as_ref()).unwrap();
            assert_eq!(named.get("DocMDP").and_then(Object::as_reference), value.reference);
            let before = open(&original).catalog().contains("Perms");
            assert_eq!(named.contains("UR3"), before);
        }
    }
    let approved = sign(&table(&ONE_PAGE, ""), APPROVE).unwrap();
    assert_eq!((reference(&approved, "DocMDP"), open(&approved).permission().unwrap()), (None, None));
    assert!(!open(&approved).catalog().contains("Perms"));
}

#[test]
fn the_form_that_iti_asks_for_is_a_reference_alone_by_indirect_references() {
    let kind = SignatureType::DocMdpReference;
    let signed = sign(&table(&ONE_PAGE, ""), Wish { kind, ..APPROVE }).unwrap();
    assert_eq!(reference(&signed, "DocMDP").unwrap().get("P"), Some(&Object::Integer(2)));
    let document = open(&signed);
    assert!(!document.catalog().contains("Perms"));
    let fields = document.fields().unwrap();
    let value = fields.first().and_then(|field| field.value.as_ref()).unwrap();
    let references = value.dictionary.get("Reference").and_then(Object::as_array).unwrap();
    let reference = references.first().and_then(Object::as_reference).unwrap();
    let reference = document.object(reference).unwrap().into_dictionary().unwrap();
    assert!(reference.get("TransformParams").and_then(Object::as_reference).is_some());
    assert_eq!(document.permission().unwrap(), Some(Permission::FormFilling));
}

#[test]
fn only_the_first_signature_certifies() {
    let once = sign(&with_fields(&[EMPTY]), APPROVE).unwrap();
    let stamped =
        with_fields(&["<< /T (carimbo) /FT /Sig /V << /Type /DocTimeStamp /Contents <00> >> >>", EMPTY]);
    let named = "<< /Type /Catalog /Pages 2 0 R /Perms << /DocMDP << /Type /Sig >> >> >>";
    let named = table(&[named, ONE_PAGE[1], ONE_PAGE[2]], "");
    for document in [once, stamped, named] {
        for kind in [SignatureType::Certification(Permission::Annotations), SignatureType::DocMdpReference] {
            let result = sign(&document, Wish { kind, ..APPROVE });
            assert_eq!(code(result), Some(ErrorCode::CertificationNotFirst));
        }
        assert!(sign(&document, APPROVE).is_ok());
    }
}

#[test]
fn what_a_certification_permits_is_done_and_nothing_else() {
    let certified = |kind| sign(&with_fields(&[EMPTY]), Wish { kind, ..APPROVE }).unwrap();
    let visible = Wish { seen: Seen::Yes, ..APPROVE };
    let existing = Wish { field: Some("s"), ..APPROVE };
    let none = certified(SignatureType::Certification(Permission::NoChanges));
    for wish in [APPROVE, visible, existing] {
        assert_eq!(code(sign(&none, wish)), Some(ErrorCode::DocumentChangesForbidden));
    }
    for kind in [
        SignatureType::Certification(Permission::FormFilling),
        SignatureType::Certification(Permission::Annotations),
        SignatureType::DocMdpReference,
    ] {
        let document = certified(kind);
        assert_eq!(code(sign(&document, APPROVE)), None);
        assert_eq!(code(sign(&document, existing)), None);
        assert_eq!(code(sign(&document, visible)), Some(ErrorCode::VisibleFieldForbidden));
    }
}

#[test]
fn what_says_p_restricts_wherever_it_stands_and_the_strictest_counts() {
    let transform = |method, parameters: &str| {
        format!(
            "/V << /Type /Sig /Contents <00> /Reference [<< /TransformMethod /{method} /TransformParams << {parameters} >> >>] >>"
        )
    };
    for (field, expected) in [
        (transform("DocMDP", "/P 1"), Some(Permission::NoChanges)),
        (transform("DocMDP", "/P 2"), Some(Permission::FormFilling)),
        (transform("DocMDP", "/P 3"), Some(Permission::Annotations)),
        (transform("DocMDP", ""), Some(Permission::FormFilling)),
        (transform("DocMDP", "/P 7"), Some(Permission::NoChanges)),
        (transform("FieldMDP", "/Action /Include /Fields [] /P 3"), Some(Permission::Annotations)),
        (transform("FieldMDP", "/Action /Include /Fields []"), None),
        (
            transform("DocMDP", "/P 3") + " /Lock << /Action /Include /Fields [] /P 2 >>",
            Some(Permission::FormFilling),
        ),
        (
            transform("DocMDP", "/P 2") + " /Lock << /Action /Include /Fields [] /P 3 >>",
            Some(Permission::FormFilling),
        ),
        (transform("X", "") + " /Lock << /Action /Include /Fields [] /P 1 >>", Some(Permission::NoChanges)),
        ("/Lock << /Action /Include /Fields [] /P 1 >>".to_owned(), None),
    ] {
        let signed = format!("<< /T (a) /FT /Sig {field} >>");
        let document = with_fields(&[&signed, EMPTY]);
        assert_eq!(open(&document).permission().unwrap(), expected, "{field}");
        let visible = match expected {
            Some(Permission::NoChanges) => Some(ErrorCode::DocumentChangesForbidden),
            Some(Permission::FormFilling | Permission::Annotations) => Some(ErrorCode::VisibleFieldForbidden),
            None => None,
        };
        assert_eq!(code(sign(&document, Wish { seen: Seen::Yes, ..APPROVE })), visible, "{field}");
    }
}

#[test]
fn a_lock_takes_effect_with_its_p_by_a_copy_in_the_signature() {
    let lock = |entries: &str| {
        format!("<< /T (a) /FT /Sig /Subtype /Widget /Rect [0 0 0 0] /P 3 0 R /Lock << {entries} >> >>")
    };
    let existing = Wish { field: Some("a"), ..APPROVE };
    for (entries, action, fields, p) in [
        ("/Action /All", "All", None, None),
        ("/Action /Include /Fields [(s)] /P 2", "Include", Some(1), Some(2)),
        ("/Action /Exclude /Fields [(s) (t)] /P 1", "Exclude", Some(2), Some(1)),
    ] {
        let signed = sign(&with_fields(&[&lock(entries), EMPTY]), existing).unwrap();
        let found = reference(&signed, "FieldMDP").unwrap();
        assert_eq!(found.get("Action"), Some(&Object::name(action)));
        assert_eq!(found.get("Fields").and_then(Object::as_array).map(<[Object]>::len), fields);
        assert_eq!(found.get("P").and_then(Object::as_integer), p);
        assert!(reference(&signed, "DocMDP").is_none());
        let next = code(sign(&signed, Wish { field: Some("s"), ..APPROVE }));
        let expected =
            if p == Some(1) { ErrorCode::DocumentChangesForbidden } else { ErrorCode::FieldLocked };
        assert_eq!(next, Some(expected), "{entries}");
    }
    // A certification that is stricter than the lock is what counts.
    let document = with_fields(&[&lock("/Action /Include /Fields [(s)] /P 3")]);
    let kind = SignatureType::Certification(Permission::FormFilling);
    let signed = sign(&document, Wish { kind, ..existing }).unwrap();
    assert_eq!(reference(&signed, "FieldMDP").unwrap().get("P"), Some(&Object::Integer(2)));
    assert_eq!(reference(&signed, "DocMDP").unwrap().get("P"), Some(&Object::Integer(2)));
}

#[test]
fn a_lock_is_made_or_made_stricter_where_that_is_asked_for() {
    let existing = Wish { field: Some("s"), lock: Some(Permission::NoChanges), ..APPROVE };
    let with_lock = EMPTY.replace(">>", "/Lock << /Action /Exclude /Fields [(t)] /P 2 >> >>");
    for (field, action) in [(EMPTY, "Include"), (&with_lock, "Exclude")] {
        let signed = sign(&with_fields(&[field]), existing).unwrap();
        let found = reference(&signed, "FieldMDP").unwrap();
        assert_eq!(found.get("Action"), Some(&Object::name(action)));
        assert_eq!(found.get("P").and_then(Object::as_integer), Some(1));
        let document = open(&signed);
        let fields = document.fields().unwrap();
        assert_eq!(document.lock_permission(fields.first().unwrap()).unwrap(), Some(Permission::NoChanges));
        assert_eq!(code(sign(&signed, APPROVE)), Some(ErrorCode::DocumentChangesForbidden));
    }
}
