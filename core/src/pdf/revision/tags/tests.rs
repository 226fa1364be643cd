//! Structures of each shape, sound and damaged, and what a new field makes of them.

use proptest::prelude::*;

use crate::pdf::document::Document;
use crate::pdf::geometry::Rectangle;
use crate::pdf::limits::Limits;
use crate::pdf::object::{Dictionary, Object, Reference, Stream};
use crate::pdf::revision::inspection::inspect;
use crate::pdf::revision::tests::{new, open, request};
use crate::pdf::revision::{Description, FieldChoice, SignatureRequest, begin, sign_revision};
use crate::pdf::sample::table;

const DESCRIPTION: Description<'_> = Description { text: "Assinatura de João", language: Some("pt-BR") };
/// Where the structure stands: the catalog, the pages and the page come before it.
const ROOT: Reference = Reference { number: 4, generation: 0 };

/// A tagged page, the structure's root in object 4 and what belongs to it from 5 on.
fn tagged(root: &str, more: &[&str]) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 4 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /StructParents 0 >>",
        root,
    ];
    table(&[objects.as_slice(), more].concat(), "")
}

/// The document with a field that is seen.
fn sealed(bytes: &[u8], field: FieldChoice<'_>) -> Vec<u8> {
    let document = open(bytes);
    let mut update = begin(&document).unwrap();
    let appearance = update.add(Stream { dictionary: Dictionary::new(), data: b"q Q".to_vec() });
    let wanted = SignatureRequest {
        rectangle: Rectangle::between(1.0, 1.0, 50.0, 20.0),
        appearance: Some(appearance),
        description: Some(DESCRIPTION),
        ..request(field)
    };
    let revision = sign_revision(&document, update, &wanted).unwrap();
    let signed = [bytes, revision.bytes.as_slice()].concat();
    inspect(&document, &open(&signed), &revision.field_name).unwrap();
    signed
}

fn dictionary(document: &Document<&[u8]>, place: Reference) -> Dictionary {
    document.object(place).unwrap().into_dictionary().unwrap()
}

fn entry(document: &Document<&[u8]>, dictionary: &Dictionary, key: &str) -> Object {
    document.resolve(dictionary.get(key).unwrap_or(&Object::Null)).unwrap()
}

/// The last field's widget, and where it stands.
fn widget(document: &Document<&[u8]>) -> (Reference, Dictionary) {
    let place = document.fields().unwrap().last().unwrap().reference.unwrap();
    (place, dictionary(document, place))
}

/// The kids of an element.
fn kids(document: &Document<&[u8]>, place: Reference) -> Vec<Object> {
    let owner = dictionary(document, place);
    let single = owner.get("K").cloned().into_iter().collect();
    entry(document, &owner, "K").into_array().unwrap_or(single)
}

/// All pairs of the parent tree, in order; keys within the limits of their node.
fn parent_tree(document: &Document<&[u8]>) -> Vec<(i64, Object)> {
    let root = dictionary(document, ROOT);
    let mut rest = vec![entry(document, &root, "ParentTree")];
    let mut pairs = Vec::new();
    while let Some(node) = rest.pop() {
        let node = node.into_dictionary().unwrap();
        let numbers = entry(document, &node, "Nums").into_array().unwrap_or_default();
        let found = numbers.chunks(2).map(|pair| (pair[0].as_integer().unwrap(), pair[1].clone()));
        let found: Vec<_> = found.collect();
        if let (Object::Array(limits), Some(first), Some(last)) =
            (entry(document, &node, "Limits"), found.first(), found.last())
        {
            assert_eq!(limits, [Object::Integer(first.0), Object::Integer(last.0)]);
        }
        pairs.extend(found);
        let kids = entry(document, &node, "Kids").into_array().unwrap_or_default();
        rest.extend(kids.iter().rev().map(|kid| document.resolve(kid).unwrap()));
    }
    assert!(pairs.is_sorted_by_key(|(key, _)| *key), "{pairs:?}");
    pairs
}

#[test]
fn a_seal_has_its_place_in_every_sound_structure() {
    let document = "<< /S /Document /P 4 0 R /K [0] >>";
    let section = "<< /S /Sect /P 4 0 R >>";
    for (name, root, more, parent, key) in [
        ("a flat tree", "<< /K [5 0 R] /ParentTree << /Nums [0 [5 0 R]] >> >>", &[document][..], 5, 1),
        ("one kid", "<< /K 5 0 R /ParentTree 6 0 R >>", &[document, "<< /Nums [0 [5 0 R] 3 5 0 R] >>"], 5, 4),
        (
            "arrays apart",
            "<< /K 7 0 R /ParentTree 6 0 R >>",
            &["<< /S /Document /P 4 0 R /K 8 0 R >>", "<< /Nums 9 0 R >>", "[5 0 R]", "[0 1]", "[0 [5 0 R]]"],
            5,
            1,
        ),
        (
            "a tree with kids",
            "<< /K [5 0 R] /ParentTree 6 0 R /ParentTreeNextKey 7 >>",
            &[
                document,
                "<< /Kids [7 0 R 8 0 R] >>",
                "<< /Limits [0 0] /Nums [0 [5 0 R]] >>",
                "<< /Limits [4 6] /Nums [4 5 0 R 6 5 0 R] >>",
            ],
            5,
            7,
        ),
        (
            "limits above the next key",
            "<< /K [5 0 R] /ParentTree << /Kids 6 0 R >> /ParentTreeNextKey 2 >>",
            &[document, "[7 0 R]", "<< /Limits [9 9] /Nums [9 5 0 R] >>"],
            5,
            10,
        ),
        ("an empty tree", "<< /K [5 0 R] /ParentTree << >> >>", &[document], 5, 1),
        ("no document element", "<< /K [5 0 R] /ParentTree << /Nums [] >> >>", &[section], 4, 1),
        ("a single section", "<< /K 5 0 R /ParentTree << /Nums [] >> >>", &[section], 4, 1),
        ("no element", "<< /ParentTree << /Nums [] >> >>", &[], 4, 1),
        (
            "a document by another name",
            "<< /K [5 0 R] /RoleMap << /Livro /Document >> /ParentTree << /Nums [] >> >>",
            &["<< /S /Livro /P 4 0 R /K 0 >>"],
            5,
            1,
        ),
        // The number of the widget.
        ("no tree", "<< /K [5 0 R] >>", &[document], 5, 8),
    ] {
        let bytes = tagged(root, more);
        let signed = sealed(&bytes, new());
        let (before, after) = (open(&bytes), open(&signed));
        let (place, widget) = widget(&after);
        assert_eq!(widget.get("StructParent"), Some(&Object::Integer(key)), "{name}");
        let root = dictionary(&after, ROOT);
        assert_eq!(root.get("ParentTreeNextKey"), Some(&Object::Integer(key + 1)), "{name}");

        let mut pairs = parent_tree(&after);
        let (last, element) = pairs.pop().unwrap();
        assert_eq!(last, key, "{name}");
        if dictionary(&before, ROOT).contains("ParentTree") {
            assert_eq!(pairs, parent_tree(&before), "{name}");
        }
        let parent = Reference { number: parent, generation: 0 };
        let mut siblings = kids(&after, parent);
        assert_eq!(siblings.pop(), Some(element.clone()), "{name}");
        assert_eq!(siblings, kids(&before, parent), "{name}");

        let element = dictionary(&after, element.as_reference().unwrap());
        assert_eq!(element.get("S"), Some(&Object::name("Form")), "{name}");
        assert_eq!(element.get("P"), Some(&Object::Reference(parent)), "{name}");
        assert_eq!(element.get("Lang"), Some(&Object::text("pt-BR")), "{name}");
        let content = element.get("K").and_then(Object::as_dictionary).unwrap();
        assert_eq!(content.get("Type"), Some(&Object::name("OBJR")), "{name}");
        assert_eq!(content.get("Obj"), Some(&Object::Reference(place)), "{name}");
        assert_eq!(content.get("Pg"), widget.get("P"), "{name}");
        assert_eq!(entry(&after, &after.page(1).unwrap().dictionary, "Tabs"), Object::name("S"), "{name}");
        numbers_are_without_gaps(name, &after);
    }
}

#[test]
fn a_structure_that_is_unsound_stays_as_it_is() {
    let document = "<< /S /Document /P 4 0 R >>";
    for (name, root, more) in [
        ("no root", "null", &[][..]),
        ("a root that is an array", "[4 0 R]", &[]),
        ("a root that is itself", "4 0 R", &[]),
        ("an odd number of values", "<< /ParentTree << /Nums [0 5 0 R 1] >> >>", &[document]),
        ("keys that are strings", "<< /ParentTree << /Nums [(0) 5 0 R] >> >>", &[document]),
        ("a negative key", "<< /ParentTree << /Nums [-1 5 0 R] >> >>", &[document]),
        ("kids and numbers", "<< /ParentTree << /Nums [] /Kids [] >> >>", &[document]),
        ("numbers that are none", "<< /ParentTree << /Nums 7 >> >>", &[document]),
        ("no kids", "<< /ParentTree << /Kids [] >> >>", &[document]),
        ("a kid without limits", "<< /ParentTree << /Kids [5 0 R] >> >>", &["<< /Nums [0 4 0 R] >>"]),
        ("a kid that is missing", "<< /ParentTree << /Kids [90 0 R] >> >>", &[]),
        ("limits in the wrong order", "<< /ParentTree << /Kids [5 0 R] >> >>", &["<< /Limits [9 3] >>"]),
        ("limits without end", "<< /ParentTree << /Kids [5 0 R] >> >>", &["<< /Limits [0 2147483647] >>"]),
        ("a tree that is a name", "<< /ParentTree /Tree >>", &[]),
        ("a tree that is missing", "<< /ParentTree 90 0 R >>", &[]),
        ("a tree that gets the number of what is added", "<< /ParentTree 5 0 R >>", &[]),
        ("a tree in a circle", "<< /ParentTree 5 0 R >>", &["5 0 R"]),
        ("a next key without end", "<< /ParentTree << >> /ParentTreeNextKey 2147483648 >>", &[]),
        ("elements that are a string", "<< /ParentTree << >> /K (x) >>", &[]),
        ("an element that is missing", "<< /ParentTree << >> /K 90 0 R >>", &[]),
        ("another meaning of Form", "<< /ParentTree << >> /RoleMap << /Form /Div >> >>", &[]),
    ] {
        let bytes = tagged(root, more);
        untouched(name, &bytes, &sealed(&bytes, new()));
    }
}

#[test]
fn a_structure_too_large_for_one_more_entry_stays_as_it_is() {
    let pairs: String = (0..60_000).map(|key| format!("{key} null ")).collect();
    let bytes = tagged(&format!("<< /ParentTree << /Nums [{pairs}] >> >>"), &[]);
    let signed = sealed(&bytes, new());
    untouched("a large leaf", &bytes, &signed);
    assert!(signed.len() < bytes.len() + 3000);
}

#[test]
fn what_somebody_signed_or_nobody_marked_stays_as_it_is() {
    let bytes = tagged("<< /K [5 0 R] /ParentTree << >> >>", &["<< /S /Document /P 4 0 R >>"]);
    let once = sealed(&bytes, new());
    untouched("signed", &once, &sealed(&once, new()));
    let text = String::from_utf8(bytes).unwrap();
    for (name, from, to) in [
        ("not marked", "/Marked true", "/Marked null"),
        ("suspect", "/Marked true", "/Marked (x) "),
        ("marked by a reference to nothing", "<< /Marked true >>", "90 0 R            "),
        ("certified", "/MarkInfo << /Marked true >>", "/MarkInfo<</Marked true>>/Perms<<>>"),
    ] {
        let bytes = text.replace(from, to);
        untouched(name, bytes.as_bytes(), &sealed(bytes.as_bytes(), new()));
    }
}

#[test]
fn a_field_that_is_not_seen_has_no_place_but_a_page_with_tabs() {
    let bytes = tagged("<< /ParentTree << >> >>", &[]);
    let document = open(&bytes);
    let revision = sign_revision(&document, begin(&document).unwrap(), &request(new())).unwrap();
    let signed = [bytes.as_slice(), &revision.bytes].concat();
    let after = open(&signed);
    assert_eq!(after.object(ROOT).unwrap(), document.object(ROOT).unwrap());
    assert!(!widget(&after).1.contains("StructParent"));
    assert_eq!(after.page(1).unwrap().dictionary.get("Tabs"), Some(&Object::name("S")));
    let text = String::from_utf8(bytes).unwrap();
    let offset = text.replace("[0 0 200 100] /StructParents 0", "[-9 -9 90 90]");
    let document = open(offset.as_bytes());
    let revision = sign_revision(&document, begin(&document).unwrap(), &request(new())).unwrap();
    let signed = [offset.as_bytes(), &revision.bytes].concat();
    let place = open(&signed).fields().unwrap()[0].rectangle;
    assert_eq!(place, Some(Rectangle::between(-9.0, -9.0, -9.0, -9.0)));
    let other = text.replace("/StructParents 0", "/Tabs /R");
    let signed = sealed(other.as_bytes(), new());
    assert_eq!(open(&signed).page(1).unwrap().dictionary.get("Tabs"), Some(&Object::name("R")));
}

/// The field says what it is, and nothing that was there before changed but the page.
fn untouched(name: &str, before: &[u8], after: &[u8]) {
    let (before, after) = (open(before), open(after));
    let (_, widget) = widget(&after);
    assert!(!widget.contains("StructParent"), "{name}");
    for key in ["TU", "Contents"] {
        assert_eq!(widget.get(key), Some(&Object::text(DESCRIPTION.text)), "{name}");
    }
    let place = |document: &Document<&[u8]>| document.page(1).unwrap().reference;
    assert_eq!(place(&after), place(&before), "{name}");
    for number in 1..before.next_number().unwrap() {
        let reference = Reference { number, generation: 0 };
        let form = before.catalog().get("AcroForm").and_then(Object::as_reference);
        if reference != place(&before) && reference != before.root() && Some(reference) != form {
            assert_eq!(
                after.object(reference).unwrap(),
                before.object(reference).unwrap(),
                "{name} {number}"
            );
        }
    }
    numbers_are_without_gaps(name, &after);
}

/// The size of the file is one more than its highest object, as validators expect.
fn numbers_are_without_gaps(name: &str, document: &Document<&[u8]>) {
    let size = document.trailer().get("Size").and_then(Object::as_integer).unwrap();
    assert_eq!(size, i64::from(document.xref().highest(u32::MAX)) + 1, "{name}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_damage_to_a_structure_stops_a_signature_or_panics(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = tagged(
            "<< /K [5 0 R] /ParentTree 6 0 R /ParentTreeNextKey 7 /RoleMap << /A /Document >> >>",
            &["<< /S /A /P 4 0 R /K 8 0 R >>", "<< /Kids [7 0 R] >>", "<< /Limits [0 0] /Nums [0 [5 0 R]] >>", "[0]"],
        );
        let from = bytes.windows(7).position(|window| window == b"4 0 obj").unwrap() + 8;
        let to = bytes.windows(4).rposition(|window| window == b"xref").unwrap() - 12;
        for (place, value) in changes {
            let place = from + place.index(to - from);
            if !matches!(value, b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'%') && !b"<>[]objend\n".contains(&bytes[place]) {
                bytes[place] = value;
            }
        }
        // An object that takes the number of the page is damage to the page, and a section that says
        // two things of one object is refused.
        if let Ok(document) = Document::open(bytes.as_slice(), Limits::default())
            && document.page(1).is_ok()
            && document.refuse_two_readings().is_ok()
        {
            let signed = sealed(&bytes, new());
            prop_assert!(widget(&open(&signed)).1.contains("V"));
        }
    }
}
