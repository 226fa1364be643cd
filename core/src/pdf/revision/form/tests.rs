//! Forms and pages that are written in unusual ways, and what a new field leaves of them.

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::permission::{Permission, SignatureType};
use crate::pdf::revision::inspection::inspect;
use crate::pdf::revision::tests::{check, new, open, request, sign, with_form};
use crate::pdf::revision::{FieldChoice, SignatureRequest, begin, sign_revision};
use crate::pdf::sample::{ONE_PAGE, table};

const PAGES: &str = "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 300 400] >>";

/// One page and a catalog with these further entries.
fn with_catalog(entries: &str, pages: &str, page: &str, more: &[&str]) -> Vec<u8> {
    let catalog = format!("<< /Type /Catalog /Pages 2 0 R {entries} >>");
    table(&[&[catalog.as_str(), pages, page], more].concat(), "")
}

fn dictionary(document: &Document<&[u8]>, number: u32) -> Dictionary {
    document.object(Reference { number, generation: 0 }).unwrap().into_dictionary().unwrap()
}

/// The widget of the only field that is signed.
fn widget(document: &Document<&[u8]>) -> (Reference, Dictionary) {
    let fields = document.fields().unwrap();
    let mut signed = fields.iter().filter(|field| field.value.is_some());
    let place = signed.next().unwrap().widget.as_ref().unwrap().reference.unwrap();
    assert!(signed.next().is_none());
    (place, dictionary(document, place.number))
}

#[test]
fn a_form_that_is_none_gives_way_to_one() {
    for (name, form) in [
        ("null", "/AcroForm null"),
        ("a number", "/AcroForm 7"),
        ("an array", "/AcroForm [3 0 R]"),
        ("a reference to nothing", "/AcroForm 90 0 R"),
        ("a reference to a page", "/AcroForm 3 0 R"),
        ("a reference to an array", "/AcroForm 4 0 R"),
        ("a form whose fields are none", "/AcroForm << /Fields 7 >>"),
        ("a form whose fields are null", "/AcroForm << /Fields null >>"),
    ] {
        check(name, &with_catalog(form, PAGES, ONE_PAGE[2], &["[3 0 R]"]), new());
    }
}

#[test]
fn what_a_form_holds_stays() {
    let form = "<< /Fields [6 0 R] /XFA [(template) 5 0 R] /DA (/Helv 0 Tf) /CO [6 0 R] /DR << >> /Q 1 >>";
    let bytes = with_form("4 0 R", "", &[form, "<< >>", "<< /T (a) /FT /Tx >>"]);
    let signed = check("kept", &bytes, new());
    let (before, after) = (dictionary(&open(&bytes), 4), dictionary(&open(&signed), 4));
    for (key, value) in before.iter().filter(|(key, _)| key.0 != b"Fields") {
        assert_eq!(after.get(std::str::from_utf8(&key.0).unwrap()), Some(value));
    }
    assert_eq!(after.len(), before.len() + 1, "{after:?}");
}

#[test]
fn pages_are_signed_whatever_they_lack() {
    let page = "<< /Type /Page /Parent 2 0 R >>";
    for (name, pages, page) in [
        ("an inherited box, no resources", PAGES, page),
        ("no box at all", ONE_PAGE[1], page),
        ("a box of strings", ONE_PAGE[1], "<< /Parent 2 0 R /MediaBox [(a) (b) 1 2] >>"),
        ("annotations that are none", PAGES, "<< /Type /Page /Parent 2 0 R /Annots 7 >>"),
        ("annotations that are null", PAGES, "<< /Type /Page /Parent 2 0 R /Annots null >>"),
        ("annotations that are a page", PAGES, "<< /Type /Page /Parent 2 0 R /Annots 3 0 R >>"),
    ] {
        check(name, &with_catalog("", pages, page, &[]), new());
    }
}

#[test]
fn a_shared_list_of_annotations_is_changed_for_one_page_only() {
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Annots 5 0 R >>";
    let bytes = with_catalog(
        "",
        "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
        page,
        &[page, "[6 0 R]", "<< /Subtype /Link >>"],
    );
    let signed = check("shared", &bytes, new());
    let document = open(&signed);
    let (widget, _) = widget(&document);
    let annotations = |number| {
        let page = document.page(number).unwrap().dictionary;
        document.resolve(page.get("Annots").unwrap()).unwrap().into_array().unwrap()
    };
    let link = Object::Reference(Reference { number: 6, generation: 0 });
    assert_eq!(annotations(1), [link.clone(), Object::Reference(widget)]);
    assert_eq!(annotations(2), [link]);
    let second = check("shared, again", &signed, new());
    assert_eq!(open(&second).page(2).unwrap().dictionary, document.page(2).unwrap().dictionary);
}

/// What ISO 19005 asks of a widget, at every level of it.
#[test]
fn a_new_widget_prints_is_not_hidden_and_has_one_appearance() {
    let signed = check("new", &table(&ONE_PAGE, ""), new());
    let document = open(&signed);
    let (_, widget) = widget(&document);
    // Print, and none of Invisible, Hidden, NoZoom, NoRotate, NoView, ToggleNoView.
    let flags = widget.get("F").and_then(Object::as_integer).unwrap();
    assert_eq!(flags & (1 | 2 | 4 | 8 | 16 | 32 | 256), 4);
    let states = widget.get("AP").and_then(Object::as_dictionary).unwrap();
    assert_eq!(states.len(), 1);
    let normal = states.get("N").and_then(Object::as_reference).unwrap();
    let (appearance, drawing) = document.stream_data(normal).unwrap();
    assert!(drawing.is_empty());
    assert_eq!(appearance.get("Subtype"), Some(&Object::name("Form")));
    assert_eq!(appearance.get("BBox"), Some(&Object::Array(vec![Object::Integer(0); 4])));
    assert!(appearance.contains("Resources") && !appearance.contains("Group"));
    for unwanted in ["A", "AA", "C", "CA", "MK"] {
        assert!(!widget.contains(unwanted), "{unwanted}");
    }
}

#[test]
fn an_existing_field_keeps_its_flags_and_its_looks() {
    let field =
        "<< /T (s) /FT /Sig /Subtype /Widget /Rect [1 1 9 9] /F 6 /MK << /R 90 >> /DA (x) /P 3 0 R >>";
    let bytes = with_form("<< /Fields [4 0 R] >>", "/Annots [4 0 R]", &[field]);
    let revision = sign(&bytes, FieldChoice::Existing { name: "s" }).unwrap();
    let signed = [bytes.as_slice(), &revision.bytes].concat();
    let (before, mut after) = (dictionary(&open(&bytes), 4), dictionary(&open(&signed), 4));
    assert!(after.contains("V"));
    after.remove("V");
    assert_eq!(after, before);
}

/// Entries that a signature replaces, with values that mean nothing.
#[test]
fn what_means_nothing_gives_way_and_the_result_is_released() {
    for value in ["90 0 R", "()", "null", "[]", "7", "[3 0 R]", "3"] {
        let field = format!("<< /T (s) /FT /Sig /Subtype /Widget /Rect [1 1 9 9] /P 3 0 R /V {value} >>");
        let bytes = with_form("<< /Fields [4 0 R] >>", "/Annots [4 0 R]", &[&field]);
        check(value, &bytes, FieldChoice::Existing { name: "s" });
    }
    let existing = FieldChoice::Existing { name: "s" };
    for lock in ["true", "90 0 R", "[]", "<< /Action /All >>", "<< /Action /All /P 2 >>", "4 0 R"] {
        let field = format!("<< /T (s) /FT /Sig /Subtype /Widget /Rect [1 1 9 9] /P 3 0 R /Lock {lock} >>");
        let more = ["<< /Action /Include /Fields [(x)] /P 3 >>", &field];
        let bytes = with_form("<< /Fields [5 0 R] >>", "/Annots [5 0 R]", &more);
        released(lock, &bytes, &SignatureRequest { lock: Some(Permission::NoChanges), ..request(existing) });
    }
    for permissions in ["[]", "90 0 R", "true", "<< >>", "<< /UR3 3 0 R >>", "4 0 R"] {
        let catalog = format!("<< /Type /Catalog /Pages 2 0 R /Perms {permissions} >>");
        let bytes = table(&[&catalog, ONE_PAGE[1], ONE_PAGE[2], "<< /UR3 3 0 R >>"], "");
        let signature_type = SignatureType::Certification(Permission::FormFilling);
        released(permissions, &bytes, &SignatureRequest { signature_type, ..request(new()) });
    }
}

/// Signs as it is asked for, and inspects the result as before a release.
fn released(name: &str, bytes: &[u8], request: &SignatureRequest<'_>) {
    let document = open(bytes);
    let revision = sign_revision(&document, begin(&document).unwrap(), request)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let signed = [bytes, revision.bytes.as_slice()].concat();
    inspect(&document, &open(&signed), &revision.field_name)
        .map(drop)
        .unwrap_or_else(|flaw| panic!("{name}: {flaw}"));
}

/// A page that is no object of its own becomes one, as long as nobody signed what must be changed
/// for that.
#[test]
fn a_page_within_others_is_signed_where_it_can_be_referred_to() {
    let page = "<< /Type /Page /MediaBox [0 0 200 100] >>";
    let two = format!("<< /Type /Pages /Count 2 /Kids [{page} {page}] >>");
    let bytes = table(&[ONE_PAGE[0], &two], "");
    let on_second = SignatureRequest { page: 2, ..request(new()) };
    released("in its parent", &bytes, &on_second);
    let once = check("the first of two", &bytes, new());
    let document = open(&once);
    let refused = sign_revision(&document, begin(&document).unwrap(), &on_second).unwrap_err();
    assert!(matches!(refused, PdfError::Unsupported { .. }), "{refused}");
    check("the first of two, again", &once, new());

    let nested = format!(
        "<< /Type /Pages /Count 3 /Kids [<< /Type /Pages /Count 2 /Kids [{page} {page}] >> {page}] >>"
    );
    let document_bytes = table(&[ONE_PAGE[0], &nested], "");
    let document = open(&document_bytes);
    for page in 1..=2 {
        let request = SignatureRequest { page, ..request(new()) };
        let refused = sign_revision(&document, begin(&document).unwrap(), &request).unwrap_err();
        assert!(matches!(refused, PdfError::Unsupported { .. }), "{page}: {refused}");
    }
    released("beside a nested node", &document_bytes, &SignatureRequest { page: 3, ..request(new()) });
}

#[test]
fn a_field_below_others_is_signed_by_its_whole_name() {
    let objects = [
        "<< /T <FEFF00C1> /FT /Sig /Kids 5 0 R >>",
        "[6 0 R]",
        "<< /T <FEFF00E7> /Parent 4 0 R /Subtype /Widget /Rect [0 0 9 9] /P 3 0 R >>",
    ];
    let bytes = with_form("<< /Fields [4 0 R] >>", "/Annots [6 0 R]", &objects);
    let signed = check("below", &bytes, FieldChoice::Existing { name: "Á.ç" });
    let (place, widget) = widget(&open(&signed));
    assert_eq!((place.number, widget.get("FT")), (6, None));
    // A new field stands beside its top.
    assert_eq!(sign(&signed, new()).unwrap().field_name, "Signature1");
}
