//! Bugs planted in the writer: each one must keep the document from being released.

mod additions;
mod forms;

use crate::pdf::document::Document;
use crate::pdf::limits::Limits;
use crate::pdf::object::{Dictionary, Object, Reference, Stream};
use crate::pdf::revision::inspection::{Flaw, inspect};
use crate::pdf::revision::tests::request;
use crate::pdf::revision::{FieldChoice, SignatureRequest, begin, build};
use crate::pdf::sample::{packed, table};
use crate::pdf::update::{Body, Update};

const OBJECTS: [&str; 9] = [
    "<< /Type /Catalog /Pages 2 0 R /AcroForm 4 0 R /Lang (pt-BR) >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Rotate 90 /Annots 5 0 R >>",
    "<< /Fields 6 0 R /SigFlags 1 >>",
    "[7 0 R]",
    "[7 0 R 8 0 R]",
    "<< /T (texto) /FT /Tx /Subtype /Widget /Rect [0 0 9 9] >>",
    "<< /T (anterior) /FT /Sig /V 9 0 R >>",
    "<< /Type /Sig /SubFilter /ETSI.CAdES.detached /Contents <3000> /ByteRange [0 1 2 3] >>",
];
const EXTRA: &str = "/Info 7 0 R /ID [<0102> <03>]";

/// Places where the writer can go wrong.
#[derive(Clone, Copy)]
enum Fault {
    /// In what is to be written.
    Update(fn(&mut Update)),
    /// In the bytes that were written: the first text, in the update, becomes the second one.
    Bytes(&'static str, &'static str),
    /// In the bytes after the original.
    Tail(fn(&mut Vec<u8>)),
}

fn reference(number: u32) -> Reference {
    Reference { number, generation: 0 }
}

/// Changes the dictionary that the update puts at `number`.
fn edit(update: &mut Update, number: u32, change: impl FnOnce(&mut Dictionary)) {
    let Some(Body::Object(Object::Dictionary(dictionary))) = update.get(reference(number)) else {
        panic!("the update has no dictionary at {number}")
    };
    let mut dictionary = dictionary.clone();
    change(&mut dictionary);
    update.put(reference(number), dictionary);
}

fn list(update: &mut Update, number: u32, change: impl FnOnce(&mut Vec<Object>)) {
    let Some(Body::Object(Object::Array(items))) = update.get(reference(number)) else {
        panic!("the update has no array at {number}")
    };
    let mut items = items.clone();
    change(&mut items);
    update.put(reference(number), Object::Array(items));
}

/// Changes the list of annotations that the page has now.
fn annotations(update: &mut Update, change: impl FnOnce(&mut Vec<Object>)) {
    edit(update, 3, |page| {
        let mut items = page.get("Annots").and_then(Object::as_array).unwrap().to_vec();
        change(&mut items);
        page.set("Annots", Object::Array(items));
    });
}

/// Signs `original` in a new field with `fault` planted, and inspects the result.
fn release(original: &[u8], fault: Option<Fault>) -> Result<(), Flaw> {
    let document = Document::open(original, Limits::default()).unwrap();
    release_as(&document, &request(FieldChoice::New { name: Some("nova") }), fault)
}

/// Signs `document` as it is asked for with `fault` planted, and inspects the result.
fn release_as(
    document: &Document<&[u8]>,
    wanted: &SignatureRequest<'_>,
    fault: Option<Fault>,
) -> Result<(), Flaw> {
    let mut update = begin(document).unwrap();
    let seen = wanted.rectangle.width() > 0.0;
    let appearance = seen.then(|| update.add(Stream::default()));
    let wanted = SignatureRequest { appearance, ..wanted.clone() };
    let mut built = build(document, update, &wanted).unwrap();
    if let Some(Fault::Update(plant)) = fault {
        plant(&mut built.update);
    }
    let revision = built.write(document, &wanted).unwrap();
    let (field, mut bytes) = (revision.field_name, revision.bytes);
    match fault {
        Some(Fault::Bytes(old, new)) => {
            let at = bytes.windows(old.len()).rposition(|window| window == old.as_bytes());
            let at = at.unwrap_or_else(|| panic!("the update has no {old}"));
            bytes.splice(at..at + old.len(), new.bytes());
        }
        Some(Fault::Tail(plant)) => plant(&mut bytes),
        Some(Fault::Update(_)) | None => {}
    }
    let signed = [*document.source(), bytes.as_slice()].concat();
    let signed = document.reopen(signed.as_slice()).map_err(Flaw::Pdf)?;
    inspect(document, &signed, &field).map(drop)
}

/// Every one of `faults` keeps what is asked for from being released, which without one is.
fn none_is_released(document: &Document<&[u8]>, wanted: &SignatureRequest<'_>, faults: &[(&str, Fault)]) {
    release_as(document, wanted, None).unwrap();
    for (name, fault) in faults {
        assert!(release_as(document, wanted, Some(*fault)).is_err(), "{name}");
    }
}

/// The number after `word`, changed by one where it stands.
fn off_by_one(bytes: &mut [u8], word: &str) {
    let at = bytes.windows(word.len()).rposition(|window| window == word.as_bytes()).unwrap() + word.len();
    let digit = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count() - 1;
    bytes[digit] = if bytes[digit] == b'9' { b'8' } else { bytes[digit] + 1 };
}

/// The first row of the section, changed by one.
fn wrong_row(bytes: &mut [u8]) {
    let at = bytes.windows(9).position(|window| window == b" 00000 n\r").unwrap();
    bytes[at - 1] = if bytes[at - 1] == b'0' { b'1' } else { bytes[at - 1] - 1 };
}

/// Two rows, each with the offset of the other.
fn swapped_rows(bytes: &mut [u8]) {
    let rows: Vec<usize> =
        (0..bytes.len() - 9).filter(|&at| bytes[at..].starts_with(b" 00000 n\r")).collect();
    for index in 1..=10 {
        bytes.swap(rows[0] - index, rows[1] - index);
    }
}

#[test]
fn a_sound_update_is_released() {
    release(&table(&OBJECTS, EXTRA), None).unwrap();
    release(&packed(&OBJECTS), None).unwrap();
    release(table(&OBJECTS, EXTRA).trim_ascii_end(), None).unwrap();
    let damaged = [table(&OBJECTS, EXTRA).as_slice(), b"startxref\n7\n%%EOF\n"].concat();
    release(&damaged, None).unwrap();
}

#[test]
fn names_of_any_bytes_and_repeated_keys_are_compared() {
    let mut objects = OBJECTS;
    objects[0] = "<< /Type /Catalog /Pages 2 0 R /AcroForm 4 0 R /#ff#fe (x) /Lang (en) /Lang (pt) >>";
    release(&table(&objects, EXTRA), None).unwrap();
    release(&packed(&objects), None).unwrap();
}

/// Proves A28.
#[test]
fn every_planted_bug_keeps_the_document_from_being_released() {
    let original = table(&OBJECTS, EXTRA);
    let faults: [(&str, Fault); 21] = [
        ("a row that misses its object", Fault::Tail(|bytes| wrong_row(bytes))),
        ("rows that are mixed up", Fault::Tail(|bytes| swapped_rows(bytes))),
        ("startxref that misses", Fault::Tail(|bytes| off_by_one(bytes, "startxref\n"))),
        ("Prev that misses", Fault::Tail(|bytes| off_by_one(bytes, "/Prev "))),
        ("Prev that is missing", Fault::Bytes("/Prev ", "/Pref ")),
        ("Size that is too small", Fault::Tail(|bytes| off_by_one(bytes, "/Size "))),
        ("another root", Fault::Bytes("/Root 1 0 R", "/Root 2 0 R")),
        ("the information is lost", Fault::Bytes("/Info", "/Onfi")),
        ("another identifier", Fault::Bytes("/ID [<0102>", "/ID [<0103>")),
        ("no end-of-file mark", Fault::Bytes("%%EOF\n", "")),
        ("bytes after the end", Fault::Tail(|bytes| bytes.extend(b"more"))),
        ("no fresh line", Fault::Bytes("\n10 0 obj", " 10 0obj")),
        ("an older field is lost", Fault::Update(|update| list(update, 6, |items| drop(items.remove(0))))),
        (
            "an earlier signature is lost",
            Fault::Update(|update| update.put(reference(8), Dictionary::new().with("T", Object::text("x")))),
        ),
        ("an annotation is lost", Fault::Update(|update| annotations(update, |items| drop(items.remove(0))))),
        (
            "the new field is on no page",
            Fault::Update(|update| annotations(update, |items| drop(items.pop()))),
        ),
        (
            "a flag is lost",
            Fault::Update(|update| edit(update, 4, |form| form.set("SigFlags", Object::Integer(2)))),
        ),
        (
            "the page is turned",
            Fault::Update(|update| {
                let page = "Rotate";
                update.put(
                    reference(3),
                    Dictionary::new().with("Type", Object::name("Page")).with(page, Object::Integer(0)),
                );
            }),
        ),
        (
            "the catalog loses its language",
            Fault::Update(|update| {
                let catalog = Dictionary::new()
                    .with("Pages", Object::Reference(reference(2)))
                    .with("AcroForm", Object::Reference(reference(4)));
                update.put(reference(1), catalog);
            }),
        ),
        (
            "an object's number is used again",
            Fault::Update(|update| update.put(reference(7), Stream::default())),
        ),
        (
            "another value for an earlier signature",
            Fault::Update(|update| {
                let value = Dictionary::new().with("Contents", Object::String(vec![0x30, 1]));
                update.put(reference(9), value);
            }),
        ),
    ];
    for (name, fault) in faults {
        assert!(release(&original, Some(fault)).is_err(), "{name}");
    }
}

#[test]
fn a_section_of_another_kind_is_not_released() {
    let (tables, streams) = (table(&OBJECTS, ""), packed(&OBJECTS));
    let document = Document::open(streams.as_slice(), Limits::default()).unwrap();
    let mut bytes = streams.clone();
    let start = bytes.len();
    let previous = document.xref().sections[0].named;
    bytes.extend_from_slice(
        format!(
            "xref\n0 0\ntrailer\n<< /Size 12 /Root 1 0 R /ID [<00> <00>] /Prev {previous} >>\nstartxref\n{start}\n%%EOF\n"
        )
        .as_bytes(),
    );
    let signed = Document::open(bytes.as_slice(), Limits::default()).unwrap();
    let flaw = inspect(&document, &signed, "nova").unwrap_err();
    assert!(flaw.to_string().contains("kind"), "{flaw}");
    // A document is not an update of another one.
    let other = Document::open(tables.as_slice(), Limits::default()).unwrap();
    assert!(inspect(&document, &other, "nova").is_err());
}
