//! The element of a new field in the logical structure of a tagged document (ISO 32000-2, 14.7).
//!
//! The structure only grows: by one element and one entry of the parent tree. Where either cannot
//! be added for sure, nothing is, and the field stays without a tag.

#[cfg(test)]
mod tests;

use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::revision::pending::PendingUpdate;
use crate::pdf::source::Source;

/// Values in an array or a dictionary that is written anew for the sake of one entry.
const WEIGHT: usize = 100_000;
/// The highest key of a parent tree: the largest integer that PDF/A permits.
const HIGHEST_KEY: i64 = 0x7fff_ffff;
const TOO_LARGE: PdfError = PdfError::Limit { what: "the size of the structure" };

/// What an element is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tagged<'a> {
    /// The field's widget.
    pub(super) widget: Reference,
    /// Where its page stands.
    pub(super) page: Reference,
    /// `/StructParents` of the page.
    pub(super) page_key: Option<i64>,
    /// The language of the field's description, where it is not that of the document.
    pub(super) language: Option<&'a str>,
}

/// Adds a `Form` element for a widget, and returns the key for its `/StructParent`; `None` where
/// the structure is left alone.
///
/// # Errors
/// [`PdfError::Source`] only: a structure that is damaged stops no signature.
pub(super) fn add_element<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    tagged: Tagged<'_>,
) -> Result<Option<i64>, PdfError> {
    let mut update = pending.update.clone();
    match grow(&mut PendingUpdate { document: pending.document, update: &mut update }, tagged) {
        Ok(key) => {
            *pending.update = update;
            Ok(Some(key))
        }
        Err(error @ PdfError::Source(_)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Adds the element and all that leads to it. What it did before an error does not count.
fn grow<S: Source>(pending: &mut PendingUpdate<'_, S>, tagged: Tagged<'_>) -> Result<i64, PdfError> {
    let root = pending.catalog()?.get("StructTreeRoot").and_then(Object::as_reference);
    let root = root.ok_or(PdfError::broken("the structure tree is no indirect object"))?;
    let (place, mut root) = dictionary(pending, root)?;
    let roles = pending.entry(&root, "RoleMap")?.into_dictionary().unwrap_or_default();
    if roles.contains("Form") {
        return Err(PdfError::Unsupported { what: "another meaning of a standard structure type" });
    }
    let element = pending.update.reserve();
    let key = extend_tree(pending, &mut root, tagged, element)?;
    root.set("ParentTreeNextKey", Object::Integer(key.saturating_add(1)));
    let above = match document_element(pending, &root, &roles)? {
        Some((above, mut dictionary)) => {
            append_kid(pending, &mut dictionary, element)?;
            put(pending, above, Object::Dictionary(dictionary))?;
            above
        }
        None => {
            append_kid(pending, &mut root, element)?;
            place
        }
    };
    put(pending, place, Object::Dictionary(root))?;
    let content = Dictionary::new()
        .with("Type", Object::name("OBJR"))
        .with("Obj", Object::Reference(tagged.widget))
        .with("Pg", Object::Reference(tagged.page));
    let mut own = Dictionary::new()
        .with("Type", Object::name("StructElem"))
        .with("S", Object::name("Form"))
        .with("P", Object::Reference(above))
        .with("Pg", Object::Reference(tagged.page))
        .with("K", Object::Dictionary(content));
    if let Some(language) = tagged.language {
        own.set("Lang", Object::text(language));
    }
    pending.update.put(element, own);
    Ok(key)
}

/// Adds an entry for `element` behind all entries of the parent tree (14.7.5.4); returns its key.
fn extend_tree<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    root: &mut Dictionary,
    tagged: Tagged<'_>,
    element: Reference,
) -> Result<i64, PdfError> {
    let next = pending.entry(root, "ParentTreeNextKey")?.as_integer().unwrap_or(0);
    let after_page = tagged.page_key.map_or(0, |key| key.saturating_add(1));
    let (place, mut tree, least) = match root.get("ParentTree") {
        Some(Object::Reference(reference)) => {
            let (place, tree) = dictionary(pending, *reference)?;
            (Some(place), tree, 0)
        }
        Some(Object::Dictionary(tree)) => (None, tree.clone(), 0),
        // Keys may be in use all the same, but no more of them than there are objects.
        None => (None, Dictionary::new(), i64::from(tagged.widget.number)),
        Some(_) => return Err(PdfError::broken("the parent tree is no dictionary")),
    };
    let (kids, pairs) = (pending.entry(&tree, "Kids")?, pending.entry(&tree, "Nums")?);
    if kids.weight().max(pairs.weight()) > WEIGHT {
        return Err(TOO_LARGE);
    }
    let after_all = match (&kids, &pairs) {
        (Object::Null, Object::Null) => 0,
        (Object::Null, Object::Array(pairs)) => end_of_leaf(pairs)?,
        (Object::Array(kids), Object::Null) => end_of_kids(pending, kids)?,
        (_, _) => return Err(PdfError::broken("the parent tree is no number tree")),
    };
    let key = next.max(after_page).max(least).max(after_all);
    if key > HIGHEST_KEY {
        return Err(PdfError::Limit { what: "the keys of the parent tree" });
    }
    let pair = [Object::Integer(key), Object::Reference(element)];
    if kids == Object::Null {
        extend_array(pending, &mut tree, "Nums", &pair)?;
    } else {
        // A leaf of its own: no leaf and no limit that is there changes.
        let limits = Object::Array(vec![Object::Integer(key), Object::Integer(key)]);
        let leaf = Dictionary::new().with("Limits", limits).with("Nums", Object::Array(pair.to_vec()));
        let leaf = pending.update.add(leaf);
        extend_array(pending, &mut tree, "Kids", &[Object::Reference(leaf)])?;
    }
    match place {
        Some(place) => put(pending, place, Object::Dictionary(tree))?,
        None => root.set("ParentTree", Object::Dictionary(tree)),
    }
    Ok(key)
}

/// The first key after those of a leaf.
fn end_of_leaf(pairs: &[Object]) -> Result<i64, PdfError> {
    let damaged = || PdfError::broken("the parent tree's keys are no numbers");
    if !pairs.len().is_multiple_of(2) {
        return Err(damaged());
    }
    let mut keys = pairs.iter().step_by(2).map(|key| key.as_integer().filter(|key| *key >= 0));
    keys.try_fold(0, |end: i64, key| Ok(end.max(key.ok_or_else(damaged)?.saturating_add(1))))
}

/// The first key after those of all kids, as the limits of the last one have it.
fn end_of_kids<S: Source>(pending: &PendingUpdate<'_, S>, kids: &[Object]) -> Result<i64, PdfError> {
    let damaged = PdfError::broken("the parent tree has no limits");
    let Some(Object::Reference(last)) = kids.last() else { return Err(damaged) };
    let (_, last) = dictionary(pending, *last)?;
    let limits = pending.entry(&last, "Limits")?.into_array().unwrap_or_default();
    match limits.as_slice() {
        [Object::Integer(least @ 0..), Object::Integer(highest)] if least <= highest => {
            Ok(highest.saturating_add(1))
        }
        _ => Err(damaged),
    }
}

/// The `Document` element at the root, under which PDF 2.0 has all others (annex L).
fn document_element<S: Source>(
    pending: &PendingUpdate<'_, S>,
    root: &Dictionary,
    roles: &Dictionary,
) -> Result<Option<(Reference, Dictionary)>, PdfError> {
    let kid = match root.get("K") {
        Some(Object::Reference(reference)) => match pending.last_hop(*reference)? {
            (_, Object::Array(kids)) => kids.last().and_then(Object::as_reference),
            (place, _) => Some(place),
        },
        Some(Object::Array(kids)) => kids.last().and_then(Object::as_reference),
        Some(_) | None => None,
    };
    let Some(kid) = kid else { return Ok(None) };
    let (place, kid) = dictionary(pending, kid)?;
    let role = kid.get("S").and_then(Object::as_name).unwrap_or_default();
    let mapped = roles.iter().find(|(name, _)| name.0 == role).and_then(|(_, role)| role.as_name());
    Ok((mapped.unwrap_or(role) == b"Document").then_some((place, kid)))
}

/// Appends `element` to the kids of `owner`.
fn append_kid<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    owner: &mut Dictionary,
    element: Reference,
) -> Result<(), PdfError> {
    let element = Object::Reference(element);
    match (owner.get("K").cloned(), pending.entry(owner, "K")?) {
        (None, _) => owner.set("K", element),
        (Some(_), Object::Array(_)) => extend_array(pending, owner, "K", &[element])?,
        // A single kid: an element, or content.
        (Some(kid), Object::Dictionary(_) | Object::Integer(_)) => {
            owner.set("K", Object::Array(vec![kid, element]));
        }
        (Some(_), _) => return Err(PdfError::broken("the kids of a structure element are none")),
    }
    Ok(())
}

/// Appends `items` to the array at `key`, where that stands; without one, `owner` gets it.
fn extend_array<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    owner: &mut Dictionary,
    key: &str,
    items: &[Object],
) -> Result<(), PdfError> {
    let (place, old) = match owner.get(key) {
        Some(Object::Reference(reference)) => {
            let (place, old) = pending.last_hop(*reference)?;
            (Some(place), old)
        }
        Some(array) => (None, array.clone()),
        None => (None, Object::Null),
    };
    let place = place.filter(|_| matches!(old, Object::Array(_)));
    let mut array = old.into_array().unwrap_or_default();
    array.extend_from_slice(items);
    match place {
        Some(place) => put(pending, place, Object::Array(array))?,
        None => owner.set(key, Object::Array(array)),
    }
    Ok(())
}

/// Where the dictionary behind `reference` stands, and the dictionary, unless one entry is not
/// worth its size.
fn dictionary<S: Source>(
    pending: &PendingUpdate<'_, S>,
    reference: Reference,
) -> Result<(Reference, Dictionary), PdfError> {
    let (place, object) = pending.last_hop(reference)?;
    // A reference that led nowhere leads to what was added under that number.
    if pending.update.is_added(place) {
        return Err(PdfError::broken("a part of the structure is missing"));
    }
    let dictionary = object.into_dictionary();
    let dictionary = dictionary.ok_or(PdfError::broken("a part of the structure is missing"))?;
    if dictionary.weight() > WEIGHT {
        return Err(TOO_LARGE);
    }
    Ok((place, dictionary))
}

/// Replaces an object, unless it is so large that one entry is not worth it.
fn put<S: Source>(
    pending: &mut PendingUpdate<'_, S>,
    place: Reference,
    object: Object,
) -> Result<(), PdfError> {
    if object.weight() > WEIGHT {
        return Err(TOO_LARGE);
    }
    pending.update.put(place, object);
    Ok(())
}
