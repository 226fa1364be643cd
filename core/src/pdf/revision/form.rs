//! The changes that a signature makes to the form and to the page: nothing else is touched.

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::page::Page;
use crate::pdf::revision::{SignatureRequest, reference::Lock};
use crate::pdf::source::Source;
use crate::pdf::update::Update;

/// `Print` and `Locked` (table 167): what a signature's widget has.
const WIDGET_FLAGS: i64 = 4 | 128;
/// `SignaturesExist` and `AppendOnly` (table 225).
const SIGNATURE_FLAGS: i64 = 1 | 2;

/// Sets the value of the empty field `field`, the appearance of its widget and, where it was made
/// stricter, its lock.
pub(super) fn sign_existing<S: Source>(
    document: &Document<S>,
    update: &mut Update,
    field: &SignatureField,
    signature: Reference,
    lock: &Lock,
    request: &SignatureRequest<'_>,
) -> Result<(), PdfError> {
    let place =
        field.reference.ok_or(PdfError::Unsupported { what: "a field that is no indirect object" })?;
    let mut dictionary = field.dictionary.clone();
    dictionary.set("V", Object::Reference(signature));
    if let Some(lock) = &lock.changed {
        dictionary.set("Lock", Object::Dictionary(lock.clone()));
    }
    let widget = field.widget.as_ref().and_then(|widget| widget.reference);
    match (request.appearance, widget) {
        (Some(appearance), Some(widget)) if widget != place => {
            if let Object::Dictionary(mut own) = document.object(widget)? {
                own.set("AP", appearances(appearance));
                update.put(widget, own);
            }
        }
        (Some(appearance), Some(_)) => dictionary.set("AP", appearances(appearance)),
        (Some(_), None) | (None, _) => {}
    }
    update.put(place, dictionary);
    register(document, update, None)
}

/// Adds the field `name`, which is its own widget, to the form and to its page.
pub(super) fn add_field<S: Source>(
    document: &Document<S>,
    update: &mut Update,
    name: &str,
    signature: Reference,
    request: &SignatureRequest<'_>,
) -> Result<(), PdfError> {
    let page = document.page(request.page)?;
    let field = update.reserve();
    let page = annotate(document, update, page, field)?;
    let mut dictionary = Dictionary::new()
        .with("Type", Object::name("Annot"))
        .with("Subtype", Object::name("Widget"))
        .with("FT", Object::name("Sig"))
        .with("T", Object::text(name))
        .with("F", Object::Integer(WIDGET_FLAGS))
        .with("Rect", request.rectangle.to_object())
        .with("P", Object::Reference(page))
        .with("V", Object::Reference(signature));
    if let Some(appearance) = request.appearance {
        dictionary.set("AP", appearances(appearance));
    }
    update.put(field, dictionary);
    register(document, update, Some(field))
}

fn appearances(normal: Reference) -> Object {
    Object::Dictionary(Dictionary::new().with("N", Object::Reference(normal)))
}

/// Adds `field` to the form, which is made where there is none, and says that signatures exist.
fn register<S: Source>(
    document: &Document<S>,
    update: &mut Update,
    field: Option<Reference>,
) -> Result<(), PdfError> {
    let entry = document.catalog().get("AcroForm");
    let (place, mut form) = match entry {
        Some(Object::Reference(reference)) => {
            let (place, object) = last_hop(document, *reference)?;
            object.into_dictionary().map_or_else(Default::default, |form| (Some(place), form))
        }
        Some(Object::Dictionary(form)) => (None, form.clone()),
        Some(_) | None => (None, Dictionary::new()),
    };
    let before = form.clone();
    if let Some(field) = field {
        append(document, update, &mut form, "Fields", field)?;
    }
    let flags = document.entry(&form, "SigFlags")?.as_integer().unwrap_or(0);
    if flags & SIGNATURE_FLAGS != SIGNATURE_FLAGS {
        form.set("SigFlags", Object::Integer(flags | SIGNATURE_FLAGS));
    }
    if form == before {
        return Ok(());
    }
    if let Some(place) = place {
        update.put(place, form);
        return Ok(());
    }
    // A form within the catalog stays there; a new one becomes an object of its own.
    let form = match entry {
        Some(Object::Dictionary(_)) => Object::Dictionary(form),
        Some(_) | None => Object::Reference(update.add(form)),
    };
    let mut catalog = document.catalog().clone();
    catalog.set("AcroForm", form);
    update.put(document.root(), catalog);
    Ok(())
}

/// Adds the widget at `widget` to the annotations of `page`, and returns where the page stands.
fn annotate<S: Source>(
    document: &Document<S>,
    update: &mut Update,
    page: Page,
    widget: Reference,
) -> Result<Reference, PdfError> {
    let mut dictionary = page.dictionary.clone();
    append(document, update, &mut dictionary, "Annots", widget)?;
    let Some(index) = page.direct else {
        if dictionary != page.dictionary {
            update.put(page.reference, dictionary);
        }
        return Ok(page.reference);
    };
    // A page that is written within its parent becomes an object, for `/P` to refer to.
    let place = update.add(dictionary);
    let Object::Dictionary(mut parent) = document.object(page.reference)? else {
        return Err(PdfError::broken("the parent of a page is missing"));
    };
    let Object::Array(mut kids) = document.entry(&parent, "Kids")? else {
        return Err(PdfError::broken("the parent of a page has no kids"));
    };
    if let Some(kid) = kids.get_mut(index) {
        *kid = Object::Reference(place);
    }
    match parent.get("Kids") {
        Some(Object::Reference(reference)) => {
            let (array, _) = last_hop(document, *reference)?;
            update.put(array, Object::Array(kids));
        }
        Some(_) | None => {
            parent.set("Kids", Object::Array(kids));
            update.put(page.reference, parent);
        }
    }
    Ok(place)
}

/// Appends `item` to the array at `key`, where that stands; without one, `owner` gets it.
fn append<S: Source>(
    document: &Document<S>,
    update: &mut Update,
    owner: &mut Dictionary,
    key: &str,
    item: Reference,
) -> Result<(), PdfError> {
    let item = Object::Reference(item);
    match owner.get(key).cloned() {
        Some(Object::Reference(reference)) => {
            let (place, object) = last_hop(document, reference)?;
            if let Object::Array(mut items) = object {
                items.push(item);
                update.put(place, Object::Array(items));
            } else {
                owner.set(key, Object::Array(vec![item]));
            }
        }
        Some(Object::Array(mut items)) => {
            items.push(item);
            owner.set(key, Object::Array(items));
        }
        Some(_) | None => owner.set(key, Object::Array(vec![item])),
    }
    Ok(())
}

/// Where the value behind `reference` stands, and the value.
fn last_hop<S: Source>(
    document: &Document<S>,
    reference: Reference,
) -> Result<(Reference, Object), PdfError> {
    let mut place = reference;
    for _ in 0..document.limits().reference_hops {
        let object = document.object(place)?;
        let Some(next) = object.as_reference() else { return Ok((place, object)) };
        place = next;
    }
    Err(PdfError::broken("references go in a circle"))
}
