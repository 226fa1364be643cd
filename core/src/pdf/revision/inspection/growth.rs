//! What an object may have that it had not when an update replaced it: each entry that signing
//! sets, with the one value that it sets there. Every other difference is a flaw.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::revision::form::SIGNATURE_FLAGS;
use crate::pdf::revision::inspection::{Flaw, readable};
use crate::pdf::source::Source;
use crate::pdf::xref::Location;

/// Where a dictionary stands that is written within another object.
const WITHIN: Reference = Reference { number: 0, generation: 0 };

/// The field that was signed, between the document as it was and as it is.
pub(super) struct Growth<'a, O: Source, N: Source> {
    original: &'a Document<O>,
    signed: &'a Document<N>,
    field: &'a SignatureField,
    /// The page of a field that the update made; `None` where the field was there.
    page: Option<Reference>,
    /// What was found so far.
    seen: RefCell<HashSet<Addition>>,
}

/// What signing appends to a list, or counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Addition {
    /// The element of the field in the logical structure.
    Element,
    /// The field, which is its own widget.
    Field,
    /// The key of the element, after which comes the next one that is free.
    Key,
    /// A leaf of the parent tree, for the field's element.
    Leaf,
    /// Key and element, in a leaf of the parent tree.
    Pair,
}

impl<'a, O: Source, N: Source> Growth<'a, O, N> {
    /// For `field`, which is new where it is not among the `old` ones.
    pub(super) fn new(
        original: &'a Document<O>,
        signed: &'a Document<N>,
        field: &'a SignatureField,
        old: &[SignatureField],
    ) -> Self {
        let new = !old.iter().any(|old| old.reference == field.reference);
        let page = field.widget.as_ref().and_then(|widget| widget.page).filter(|_| new);
        Self { original, signed, field, page, seen: RefCell::default() }
    }

    /// Whether `new` is what signing makes of `old`, the object at `place`.
    pub(super) fn permits(&self, place: Reference, old: &Object, new: &Object) -> Result<bool, Flaw> {
        match (self.before(old)?, new) {
            (Object::Dictionary(old), Object::Dictionary(new)) => self.dictionary(place, &old, new),
            (Object::Array(old), Object::Array(new)) => {
                let Some(added) = self.appended(&old, new)? else { return Ok(false) };
                let kinds: HashSet<Addition> = added.iter().copied().collect();
                Ok(kinds.len() == added.len())
            }
            (old, new) => Ok(old == *new),
        }
    }

    /// As [`Growth::permits`], both dictionaries at hand.
    pub(super) fn dictionary(
        &self,
        place: Reference,
        old: &Dictionary,
        new: &Dictionary,
    ) -> Result<bool, Flaw> {
        let (old, new) = (entries(old), entries(new));
        let keys: HashSet<&[u8]> = old.keys().chain(new.keys()).copied().collect();
        for key in keys {
            let [was, is] = [&old, &new].map(|entries| entries.get(key).copied().unwrap_or(&Object::Null));
            if was != is && !self.entry(place, key, was, is)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a new widget that has a key in the structure has its place there too.
    pub(super) fn is_complete(&self) -> bool {
        let seen = self.seen.borrow();
        let parts = [Addition::Element, Addition::Key, Addition::Pair];
        self.key().is_none() || parts.iter().all(|part| seen.contains(part))
    }

    /// Whether the entry `key` of the dictionary at `place` may become `is`.
    fn entry(&self, place: Reference, key: &[u8], was: &Object, is: &Object) -> Result<bool, Flaw> {
        let root = place == self.original.root();
        let own = Some(place) == self.field.reference;
        let page = Some(place) == self.page;
        match key {
            b"AcroForm" if root => self.form(was, is),
            b"Annots" if page => self.list(was, is, Addition::Field),
            b"AP" if own || Some(place) == self.widget() => self.appearance(is),
            b"Fields" => self.list(was, is, Addition::Field),
            b"K" => self.kids_of_element(was, is),
            b"Kids" => self.kids_of_node(was, is),
            b"Lock" if own => self.lock(was, is),
            b"Nums" => self.list(was, is, Addition::Pair),
            b"ParentTree" => self.tree(was, is),
            b"ParentTreeNextKey" => {
                let next = self.key().map(|key| key.saturating_add(1));
                self.seen.borrow_mut().insert(Addition::Key);
                Ok(next.is_some() && is.as_integer() == next)
            }
            b"Perms" if root => self.permissions(was, is),
            b"SigFlags" => {
                let flags = self.before(was)?.as_integer().unwrap_or(0);
                Ok(*is == Object::Integer(flags | SIGNATURE_FLAGS))
            }
            b"Tabs" if page => Ok(*was == Object::Null && *is == Object::name("S")),
            b"V" if own => Ok(self.value().is_some_and(|value| *is == Object::Reference(value))
                && self.before(was)?.as_dictionary().is_none()),
            _ => Ok(false),
        }
    }

    /// The form: in its place, or one where there was none.
    fn form(&self, was: &Object, is: &Object) -> Result<bool, Flaw> {
        let old = self.before(was)?.into_dictionary();
        if let Object::Dictionary(new) = is {
            return self.dictionary(WITHIN, &old.unwrap_or_default(), new);
        }
        let Some(place) = is.as_reference().filter(|_| old.is_none()) else { return Ok(false) };
        let new = self.signed.object(place)?.into_dictionary();
        match new {
            Some(new) if self.is_added(place)? => self.dictionary(WITHIN, &Dictionary::new(), &new),
            Some(_) | None => Ok(false),
        }
    }

    /// A list that got exactly one addition. A page's own copy of a shared list is one too, and
    /// what was no list counts as an empty one.
    fn list(&self, was: &Object, is: &Object, addition: Addition) -> Result<bool, Flaw> {
        let Object::Array(new) = is else { return Ok(false) };
        let old = self.before(was)?.into_array().unwrap_or_default();
        Ok(self.appended(&old, new)?.is_some_and(|added| added == [addition]))
    }

    /// The kids of a structure element, of which one may be written without an array.
    fn kids_of_element(&self, was: &Object, is: &Object) -> Result<bool, Flaw> {
        match (self.before(was)?, is) {
            (Object::Null, Object::Reference(element)) => {
                self.seen.borrow_mut().insert(Addition::Element);
                self.is_element(*element)
            }
            (Object::Array(_), _) => self.list(was, is, Addition::Element),
            (_, Object::Array(new)) => {
                let added = self.appended(std::slice::from_ref(was), new)?;
                Ok(added.is_some_and(|added| added == [Addition::Element]))
            }
            _ => Ok(false),
        }
    }

    /// The kids of a node of the page tree, or of the parent tree.
    fn kids_of_node(&self, was: &Object, is: &Object) -> Result<bool, Flaw> {
        let (Object::Array(old), Object::Array(new)) = (self.before(was)?, is) else { return Ok(false) };
        let added = self.appended(&old, new)?;
        Ok(added.is_some_and(|added| added.is_empty() || added == [Addition::Leaf]))
    }

    /// A lock made stricter, or one of no fields where there was none.
    fn lock(&self, was: &Object, is: &Object) -> Result<bool, Flaw> {
        let Object::Dictionary(new) = is else { return Ok(false) };
        let permission = new.get("P").and_then(Object::as_integer);
        let Object::Dictionary(old) = self.before(was)? else {
            let locks_nothing = new.get("Fields") == Some(&Object::Array(Vec::new()));
            return Ok(locks_nothing && permission.is_some());
        };
        let before = readable(self.original.entry(&old, "P"))?.as_integer();
        let stricter = permission.is_some_and(|is| before.is_none_or(|was| is < was));
        let rest = |lock: &Dictionary| {
            let mut lock = lock.clone();
            lock.remove("P");
            lock
        };
        Ok(stricter && rest(&old) == rest(new))
    }

    /// The parent tree, within the root of the structure.
    fn tree(&self, was: &Object, is: &Object) -> Result<bool, Flaw> {
        match (was, is) {
            (Object::Null, Object::Dictionary(new)) => self.dictionary(WITHIN, &Dictionary::new(), new),
            (Object::Dictionary(old), Object::Dictionary(new)) => self.dictionary(WITHIN, old, new),
            _ => Ok(false),
        }
    }

    /// The certification, named beside what was there.
    fn permissions(&self, was: &Object, is: &Object) -> Result<bool, Flaw> {
        let Object::Dictionary(new) = is else { return Ok(false) };
        let old = self.before(was)?.into_dictionary().unwrap_or_default();
        let Some(value) = self.value().filter(|_| certifies(self.field)) else { return Ok(false) };
        Ok(!old.contains("DocMDP") && old.with("DocMDP", Object::Reference(value)) == *new)
    }

    fn appearance(&self, is: &Object) -> Result<bool, Flaw> {
        let states = is.as_dictionary().filter(|states| states.len() == 1);
        let normal = states.and_then(|states| states.get("N")).and_then(Object::as_reference);
        normal.map_or(Ok(false), |normal| self.is_added(normal))
    }

    /// What was appended to `old`; `None` where its items are not as they were, or something else
    /// was appended. A page that was written among them is an object now.
    fn appended(&self, old: &[Object], new: &[Object]) -> Result<Option<Vec<Addition>>, Flaw> {
        let Some((kept, mut rest)) = new.split_at_checked(old.len()) else { return Ok(None) };
        let mut changed = old.iter().zip(kept).filter(|(was, is)| was != is);
        if let Some((was, is)) = changed.next()
            && (changed.next().is_some() || !self.page_apart(was, is)?)
        {
            return Ok(None);
        }
        let mut added = Vec::new();
        while !rest.is_empty() {
            let (addition, tail) = match rest {
                [Object::Integer(key), Object::Reference(element), tail @ ..]
                    if Some(*key) == self.key() && self.is_element(*element)? =>
                {
                    (Addition::Pair, tail)
                }
                [Object::Reference(field), tail @ ..]
                    if self.page.is_some() && Some(*field) == self.field.reference =>
                {
                    (Addition::Field, tail)
                }
                [Object::Reference(place), tail @ ..] if self.is_element(*place)? => {
                    (Addition::Element, tail)
                }
                [Object::Reference(place), tail @ ..] if self.is_leaf(*place)? => (Addition::Leaf, tail),
                _ => return Ok(None),
            };
            self.seen.borrow_mut().insert(addition);
            added.push(addition);
            rest = tail;
        }
        Ok(Some(added))
    }

    /// A page that was written within its parent, and stands apart now with the new widget.
    fn page_apart(&self, was: &Object, is: &Object) -> Result<bool, Flaw> {
        let (Object::Dictionary(old), Object::Reference(place)) = (was, is) else { return Ok(false) };
        if Some(*place) != self.page || !self.is_added(*place)? {
            return Ok(false);
        }
        let new = self.signed.object(*place)?.into_dictionary();
        new.map_or(Ok(false), |new| self.dictionary(*place, old, &new))
    }

    /// The element that tells of the new widget.
    fn is_element(&self, place: Reference) -> Result<bool, Flaw> {
        if self.key().is_none() || !self.is_added(place)? {
            return Ok(false);
        }
        let element = self.signed.object(place)?.into_dictionary().unwrap_or_default();
        let content = element.get("K").and_then(Object::as_dictionary);
        let widget = content.and_then(|content| content.get("Obj")).and_then(Object::as_reference);
        Ok(element.get("S") == Some(&Object::name("Form")) && widget.is_some() && widget == self.widget())
    }

    fn is_leaf(&self, place: Reference) -> Result<bool, Flaw> {
        if self.key().is_none() || !self.is_added(place)? {
            return Ok(false);
        }
        let leaf = self.signed.object(place)?.into_dictionary().unwrap_or_default();
        let pairs = leaf.get("Nums").and_then(Object::as_array).unwrap_or_default();
        Ok(leaf.len() == 2
            && leaf.contains("Limits")
            && self.appended(&[], pairs)? == Some(vec![Addition::Pair]))
    }

    /// Whether nothing stood at `place`.
    fn is_added(&self, place: Reference) -> Result<bool, Flaw> {
        Ok(self.original.locate(place.number)?.is_none_or(|location| location == Location::Free))
    }

    /// What stood there; `null` where that cannot be read.
    fn before(&self, object: &Object) -> Result<Object, PdfError> {
        readable(self.original.resolve(object))
    }

    fn widget(&self) -> Option<Reference> {
        self.field.widget.as_ref().and_then(|widget| widget.reference)
    }

    /// Where the signature stands.
    fn value(&self) -> Option<Reference> {
        self.field.value.as_ref().and_then(|value| value.reference)
    }

    /// The key of a new widget in the parent tree, if it has one.
    fn key(&self) -> Option<i64> {
        self.page.and_then(|_| self.field.dictionary.get("StructParent")).and_then(Object::as_integer)
    }
}

/// Whether the signature says that it certifies the document, as this writer does: the form that
/// ITI asks for stands behind references.
pub(super) fn certifies(field: &SignatureField) -> bool {
    let references = field.value.as_ref().and_then(|value| value.dictionary.get("Reference"));
    let references = references.and_then(Object::as_array).unwrap_or_default();
    references
        .iter()
        .filter_map(Object::as_dictionary)
        .any(|reference| reference.get("TransformMethod").and_then(Object::as_name) == Some(b"DocMDP"))
}

/// The entries of a dictionary by their names; of repeated ones the last.
fn entries(dictionary: &Dictionary) -> HashMap<&[u8], &Object> {
    dictionary.iter().map(|(name, value)| (name.0.as_slice(), value)).collect()
}
