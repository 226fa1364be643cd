//! Bugs of the writer that lose nothing and add something: no signature asks for it.

use super::*;
use crate::pdf::geometry::Rectangle;
use crate::pdf::permission::{Permission, SignatureType};

/// Two pages, the first with its own content, and a form with a number under a key that says
/// something else in other dictionaries.
const OBJECTS: [&str; 7] = [
    "<< /Type /Catalog /Pages 2 0 R /AcroForm 5 0 R >>",
    "<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents [6 0 R] >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] >>",
    "<< /Fields 7 0 R /P 3 >>",
    "<< /Length 3 >>\nstream\n0 g\nendstream",
    "[]",
];

/// The same with a structure, whose parent tree has leaves.
const TAGGED: [&str; 8] = [
    "<< /Type /Catalog /Pages 2 0 R /MarkInfo << /Marked true >> /StructTreeRoot 4 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /StructParents 0 >>",
    "<< /K [5 0 R] /ParentTree 6 0 R /ParentTreeNextKey 7 >>",
    "<< /S /Document /P 4 0 R /K [0] >>",
    "<< /Kids [7 0 R 8 0 R] >>",
    "<< /Limits [0 0] /Nums [0 [5 0 R]] >>",
    "<< /Limits [4 6] /Nums [4 5 0 R 6 5 0 R] >>",
];

fn open(bytes: &[u8]) -> Document<&[u8]> {
    Document::open(bytes, Limits::default()).unwrap()
}

fn new<'a>() -> SignatureRequest<'a> {
    request(FieldChoice::New { name: None })
}

/// Sets an entry of the dictionary that the update puts at `number`.
fn entry(update: &mut Update, number: u32, key: &str, value: Object) {
    edit(update, number, |dictionary| dictionary.set(key, value));
}

/// The catalog of [`OBJECTS`], written anew with an entry.
fn catalog(update: &mut Update, key: &str, value: Object) {
    let catalog = Dictionary::new()
        .with("Type", Object::name("Catalog"))
        .with("Pages", Object::Reference(reference(2)))
        .with("AcroForm", Object::Reference(reference(5)));
    update.put(reference(1), catalog.with(key, value));
}

/// The field that was added last to the list at 7.
fn own(update: &mut Update) -> Object {
    let mut found = Object::Null;
    list(update, 7, |items| found = items.last().unwrap().clone());
    found
}

fn numbers(numbers: &[i64]) -> Object {
    Object::Array(numbers.iter().copied().map(Object::Integer).collect())
}

/// Proves A28.
#[test]
fn what_nobody_asked_for_is_not_released() {
    let bytes = table(&OBJECTS, "");
    let faults = [
        (
            "an action when it is opened",
            Fault::Update(|update| catalog(update, "OpenAction", Object::Reference(reference(6)))),
        ),
        (
            "a certification",
            Fault::Update(|update| {
                let value = Object::Reference(reference(8));
                catalog(update, "Perms", Object::Dictionary(Dictionary::new().with("DocMDP", value)));
            }),
        ),
        (
            "appearances to be made anew",
            Fault::Update(|update| entry(update, 5, "NeedAppearances", Object::Boolean(true))),
        ),
        ("a flag too many", Fault::Update(|update| entry(update, 5, "SigFlags", Object::Integer(7)))),
        ("a lower number", Fault::Update(|update| entry(update, 5, "P", Object::Integer(1)))),
        (
            "another field",
            Fault::Update(|update| list(update, 7, |items| items.push(Object::Reference(reference(6))))),
        ),
        (
            "the field twice",
            Fault::Update(|update| {
                let field = own(update);
                list(update, 7, |items| items.push(field));
            }),
        ),
        (
            "a stream behind the content",
            Fault::Update(|update| {
                let stream = update.add(Stream::default());
                let content = [reference(6), stream].map(Object::Reference).to_vec();
                entry(update, 3, "Contents", Object::Array(content));
            }),
        ),
        ("an order of tabs", Fault::Update(|update| entry(update, 3, "Tabs", Object::name("R")))),
        (
            "another annotation",
            Fault::Update(|update| annotations(update, |items| items.push(Object::Reference(reference(6))))),
        ),
        (
            "the widget on a second page",
            Fault::Update(|update| {
                let widget = own(update);
                let page = Dictionary::new()
                    .with("Type", Object::name("Page"))
                    .with("Parent", Object::Reference(reference(2)))
                    .with("MediaBox", numbers(&[0, 0, 200, 100]));
                update.put(reference(4), page.with("Annots", Object::Array(vec![widget])));
            }),
        ),
        (
            "a page less",
            Fault::Update(|update| {
                let kids = Object::Array(vec![Object::Reference(reference(3)); 2]);
                let pages = Dictionary::new().with("Type", Object::name("Pages")).with("Kids", kids);
                update.put(reference(2), pages.with("Count", Object::Integer(2)));
            }),
        ),
    ];
    none_is_released(&open(&bytes), &new(), &faults);
}

/// Proves A28.
#[test]
fn a_structure_grows_by_one_element_and_its_key() {
    let bytes = table(&TAGGED, "");
    let seen = SignatureRequest { rectangle: Rectangle::between(1.0, 1.0, 50.0, 20.0), ..new() };
    let faults = [
        (
            "another limit",
            Fault::Update(|update| {
                let leaf = Dictionary::new().with("Limits", numbers(&[0, 3]));
                let first = Object::Array(vec![Object::Reference(reference(5))]);
                let pairs = Object::Array(vec![Object::Integer(0), first]);
                update.put(reference(7), leaf.with("Nums", pairs));
            }),
        ),
        (
            "a kid more",
            Fault::Update(|update| {
                let kids = [7, 8, 7].map(|number| Object::Reference(reference(number))).to_vec();
                entry(update, 6, "Kids", Object::Array(kids));
            }),
        ),
        (
            "a key that is used again",
            Fault::Update(|update| entry(update, 4, "ParentTreeNextKey", Object::Integer(7))),
        ),
        (
            "an element that no key leads to",
            Fault::Update(|update| {
                let kids = [7, 8].map(|number| Object::Reference(reference(number))).to_vec();
                entry(update, 6, "Kids", Object::Array(kids));
            }),
        ),
        ("an element that is nowhere", Fault::Update(|update| entry(update, 5, "K", numbers(&[0])))),
        (
            "roles of other elements",
            Fault::Update(|update| entry(update, 4, "RoleMap", Object::Dictionary(Dictionary::new()))),
        ),
        ("content instead of an element", Fault::Update(|update| entry(update, 5, "K", numbers(&[0, 1])))),
        ("an element that is renamed", Fault::Update(|update| entry(update, 5, "S", Object::name("Part")))),
    ];
    none_is_released(&open(&bytes), &seen, &faults);
}

/// Proves A28.
#[test]
fn a_certification_is_named_and_names_nothing_else() {
    let bytes = table(&OBJECTS, "");
    let certified =
        SignatureRequest { signature_type: SignatureType::Certification(Permission::FormFilling), ..new() };
    let faults = [
        ("not named", Fault::Update(|update| edit(update, 1, |catalog| catalog.remove("Perms")))),
        (
            "another object named",
            Fault::Update(|update| {
                let other = Object::Reference(reference(6));
                catalog(update, "Perms", Object::Dictionary(Dictionary::new().with("DocMDP", other)));
            }),
        ),
        (
            "usage rights too",
            Fault::Update(|update| {
                edit(update, 1, |catalog| {
                    let named = catalog.get("Perms").and_then(Object::as_dictionary).unwrap().clone();
                    let named = named.with("UR3", Object::Reference(reference(6)));
                    catalog.set("Perms", Object::Dictionary(named));
                });
            }),
        ),
    ];
    none_is_released(&open(&bytes), &certified, &faults);
}
