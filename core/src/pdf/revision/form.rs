//! The changes that a signature makes to the form and to the page: nothing else is touched.

#[cfg(test)]
mod tests;

use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::geometry::Rectangle;
use crate::pdf::object::{Dictionary, Object, Reference, Stream};
use crate::pdf::page::{Direct, Page};
use crate::pdf::revision::pending::PendingUpdate;
use crate::pdf::revision::reference::NewLock;
use crate::pdf::revision::tags::{self, Tagged};
use crate::pdf::revision::{SignatureRequest, Structure};
use crate::pdf::source::Source;

/// `Print` and `Locked` (table 167): what a signature's widget has.
const WIDGET_FLAGS: i64 = 4 | 128;
/// `SignaturesExist` and `AppendOnly` (table 225).
pub(super) const SIGNATURE_FLAGS: i64 = 1 | 2;

/// Sets the value of the empty field `field`, the appearance of its widget and, where it was made
/// stricter, its lock.
pub(super) fn sign_existing<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    field: &SignatureField,
    signature: Reference,
    lock: &NewLock,
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
            if let Object::Dictionary(mut own) = pending.object(widget)? {
                own.set("AP", appearances(appearance));
                pending.update.put(widget, own);
            }
        }
        (Some(appearance), Some(_)) => dictionary.set("AP", appearances(appearance)),
        (Some(_), None) | (None, _) => {}
    }
    pending.update.put(place, dictionary);
    register(pending, None)
}

/// Adds the field `name`, which is its own widget, to the form, to its page and, where that is
/// open and the field is seen, to the structure.
pub(super) fn add_field<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    name: &str,
    signature: Reference,
    structure: Structure,
    request: &SignatureRequest<'_>,
) -> Result<(), PdfError> {
    let page = pending.document.page(request.page)?;
    let field = pending.update.reserve();
    let page_key = page.dictionary.get("StructParents").and_then(Object::as_integer);
    let seen = request.appearance.is_some();
    let rectangle = if request.rectangle == Rectangle::EMPTY {
        // On the edge of what is shown a widget of PDF/UA-1 needs no tag (7.18.1); of a page that
        // begins at 0, 0 that is where it was asked for.
        let Rectangle { left, bottom, .. } = page.geometry.shown();
        Rectangle { left, bottom, right: left, top: bottom }
    } else {
        request.rectangle
    };
    let page = annotate(pending, page, field, structure)?;
    let mut dictionary = Dictionary::new()
        .with("Type", Object::name("Annot"))
        .with("Subtype", Object::name("Widget"))
        .with("FT", Object::name("Sig"))
        .with("T", Object::text(name))
        .with("F", Object::Integer(WIDGET_FLAGS))
        .with("Rect", rectangle.to_object())
        .with("P", Object::Reference(page))
        .with("V", Object::Reference(signature));
    // PDF/A-1 asks for an appearance of every field, of one that is not seen too (ISO 19005-1, 6.9).
    let appearance = request.appearance.unwrap_or_else(|| pending.update.add(nothing()));
    dictionary.set("AP", appearances(appearance));
    if let Some(description) = request.description {
        // PDF/UA-1 asks for the first of a field (ISO 14289-1, 7.18.1), PDF/UA-2 for the second.
        dictionary.set("TU", Object::text(description.text));
        dictionary.set("Contents", Object::text(description.text));
    }
    // A widget without extent is no part of the content (ISO 14289-2, 8.9.2.2).
    if structure == Structure::Open && seen {
        let language = request.description.and_then(|description| description.language);
        let tagged = Tagged { widget: field, page, page_key, language };
        if let Some(key) = tags::add_element(pending, tagged)? {
            dictionary.set("StructParent", Object::Integer(key));
        }
    }
    pending.update.put(field, dictionary);
    register(pending, Some(field))
}

/// A form XObject that draws nothing.
fn nothing() -> Stream {
    let dictionary = Dictionary::new()
        .with("Type", Object::name("XObject"))
        .with("Subtype", Object::name("Form"))
        .with("BBox", Rectangle::EMPTY.to_object())
        .with("Resources", Object::Dictionary(Dictionary::new()));
    Stream { dictionary, data: Vec::new() }
}

fn appearances(normal: Reference) -> Object {
    Object::Dictionary(Dictionary::new().with("N", Object::Reference(normal)))
}

/// Adds `field` to the form, which is made where there is none, and says that signatures exist.
fn register<S: Source>(pending: &mut PendingUpdate<'_, S>, field: Option<Reference>) -> Result<(), PdfError> {
    let catalog = pending.catalog()?;
    let entry = catalog.get("AcroForm");
    let (place, mut form) = match entry {
        Some(Object::Reference(reference)) => {
            let (place, object) = pending.last_hop(*reference)?;
            object.into_dictionary().map_or_else(Default::default, |form| (Some(place), form))
        }
        Some(Object::Dictionary(form)) => (None, form.clone()),
        Some(_) | None => (None, Dictionary::new()),
    };
    let before = form.clone();
    if let Some(field) = field {
        append_field(pending, &mut form, field)?;
    }
    let flags = pending.entry(&form, "SigFlags")?.as_integer().unwrap_or(0);
    if flags & SIGNATURE_FLAGS != SIGNATURE_FLAGS {
        form.set("SigFlags", Object::Integer(flags | SIGNATURE_FLAGS));
    }
    if form == before {
        return Ok(());
    }
    if let Some(place) = place {
        pending.update.put(place, form);
        return Ok(());
    }
    // A form within the catalog stays there; a new one becomes an object of its own.
    let form = match entry {
        Some(Object::Dictionary(_)) => Object::Dictionary(form),
        Some(_) | None => Object::Reference(pending.update.add(form)),
    };
    let mut catalog = catalog;
    catalog.set("AcroForm", form);
    // `/Extensions` (7.12) stays as it is. Below PDF 2.0 EN 319 142-1 recommends an entry for the
    // sub-filter and for validation data (ESIC) and asks for none at level B-B; it would have the
    // catalog written for every signature, and no reader looks for it.
    pending.update.put(pending.document.root(), catalog);
    Ok(())
}

/// Adds the widget at `widget` to the annotations of `page`, and returns where the page stands.
fn annotate<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    page: Page,
    widget: Reference,
    structure: Structure,
) -> Result<Reference, PdfError> {
    let index = match page.direct {
        None => None,
        Some(Direct::Kid(index)) if structure != Structure::Signed => Some(index),
        // To refer to it, what was signed would have to be changed.
        Some(Direct::Kid(_)) => {
            return Err(PdfError::Unsupported { what: "a signed page that is no indirect object" });
        }
        Some(Direct::Deeper) => {
            return Err(PdfError::Unsupported { what: "a page within a node that is no indirect object" });
        }
    };
    let mut dictionary = page.dictionary.clone();
    // Pages may share one array of annotations: this one gets its own, with the widget.
    let mut annotations = pending.entry(&dictionary, "Annots")?.into_array().unwrap_or_default();
    annotations.push(Object::Reference(widget));
    dictionary.set("Annots", Object::Array(annotations));
    if structure == Structure::Open && !dictionary.contains("Tabs") {
        // A page with annotations says how one gets from one to the next (ISO 14289-1, 7.18.3).
        dictionary.set("Tabs", Object::name("S"));
    }
    let Some(index) = index else {
        pending.update.put(page.reference, dictionary);
        return Ok(page.reference);
    };
    // A page that is written within its parent becomes an object, for `/P` to refer to.
    let place = pending.update.add(dictionary);
    let Object::Dictionary(mut parent) = pending.object(page.reference)? else {
        return Err(PdfError::broken("the parent of a page is missing"));
    };
    let Object::Array(mut kids) = pending.entry(&parent, "Kids")? else {
        return Err(PdfError::broken("the parent of a page has no kids"));
    };
    if let Some(kid) = kids.get_mut(index) {
        *kid = Object::Reference(place);
    }
    match parent.get("Kids") {
        Some(Object::Reference(reference)) => {
            let (array, _) = pending.last_hop(*reference)?;
            pending.update.put(array, Object::Array(kids));
        }
        Some(_) | None => {
            parent.set("Kids", Object::Array(kids));
            pending.update.put(page.reference, parent);
        }
    }
    Ok(place)
}

/// Appends `field` to the fields of `form`, where these stand.
fn append_field<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    form: &mut Dictionary,
    field: Reference,
) -> Result<(), PdfError> {
    let field = Object::Reference(field);
    match form.get("Fields").cloned() {
        Some(Object::Reference(reference)) => {
            let (place, object) = pending.last_hop(reference)?;
            if let Object::Array(mut fields) = object {
                fields.push(field);
                pending.update.put(place, Object::Array(fields));
            } else {
                form.set("Fields", Object::Array(vec![field]));
            }
        }
        Some(Object::Array(mut fields)) => {
            fields.push(field);
            form.set("Fields", Object::Array(fields));
        }
        Some(_) | None => form.set("Fields", Object::Array(vec![field])),
    }
    Ok(())
}
