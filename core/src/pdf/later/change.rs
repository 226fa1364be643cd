//! Each object of the signed revision that was changed: what it is, and whether that may change.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::pdf::document::Document;
use crate::pdf::field::{Form, SignatureField};
use crate::pdf::later::{Difference, Stop};
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::permission::Restrictions;
use crate::pdf::signature::SignatureValue;
use crate::pdf::source::Source;

/// Entries of the catalog that signing changes; the form is compared by itself.
const CATALOG: &[&str] = &["AcroForm", "DSS", "Extensions"];
/// Entries of the form that signing changes.
const FORM: &[&str] = &["Fields", "SigFlags"];
/// Entries of the validation data (12.8.4.3).
const DSS: &[&str] = &["Type", "VRI", "Certs", "OCSPs", "CRLs"];
/// Entries of the document information that tell who wrote the file last.
const INFORMATION: &[&str] = &["ModDate", "Producer"];
/// What a signature field that is its own widget may have: no actions, no kids.
const FIELD: &[&str] = &[
    "Type", "Subtype", "FT", "Ff", "T", "TU", "TM", "Contents", "V", "Lock", "SV", "DA", "F", "Rect", "P",
    "AP", "MK", "BS", "Border", "NM", "M",
];

struct Judge<'a, O: Source, N: Source> {
    old: &'a Document<O>,
    new: &'a Document<N>,
    /// Where the signed revision ends.
    end: u64,
    difference: &'a Difference,
    old_form: &'a Form,
    new_form: &'a Form,
    restrictions: Restrictions,
    /// Changed objects whose change is permitted.
    accounted: BTreeSet<u32>,
    /// Widgets of fields that were added.
    widgets: HashSet<Reference>,
}

/// Refuses every change but those that signing makes.
pub(super) fn all_permitted<O: Source, N: Source>(
    old: &Document<O>,
    new: &Document<N>,
    field: &SignatureField,
    end: u64,
    difference: &Difference,
) -> Result<(), Stop> {
    let (old_form, new_form) = (old.form()?, new.form()?);
    if !old_form.signatures.iter().any(|signed| signed.name == field.name && signed.value == field.value) {
        return Err(Stop::Other("the signed revision does not hold this signature"));
    }
    let restrictions = old.restrictions(old_form)?;
    let mut judge = Judge {
        old,
        new,
        end,
        difference,
        old_form,
        new_form,
        restrictions,
        accounted: BTreeSet::new(),
        widgets: HashSet::new(),
    };
    judge.catalog()?;
    judge.information()?;
    judge.form()?;
    judge.signed_fields()?;
    judge.pages()?;
    if difference.changed.is_subset(&judge.accounted) {
        Ok(())
    } else {
        Err(Stop::Other("an object was changed that signing does not change"))
    }
}

impl<O: Source, N: Source> Judge<'_, O, N> {
    fn catalog(&mut self) -> Result<(), Stop> {
        let root = self.old.root();
        if self.new.root() != root || !same(self.old.catalog(), self.new.catalog(), CATALOG) {
            return Err(Stop::Other("the catalog was changed"));
        }
        self.accounted.insert(root.number);
        let (was, is) = (self.old.catalog().get("DSS"), self.new.catalog().get("DSS"));
        if let (Some(Object::Reference(was)), Some(Object::Reference(is))) = (was, is)
            && was == is
        {
            self.entries_only(*was, DSS, "the validation data were changed")?;
        }
        Ok(())
    }

    fn information(&mut self) -> Result<(), Stop> {
        match (self.old.trailer().get("Info"), self.new.trailer().get("Info")) {
            (Some(Object::Reference(was)), Some(Object::Reference(is))) if was == is => {
                self.entries_only(*was, INFORMATION, "the document information was changed")
            }
            (was, is) if was == is => Ok(()),
            _ => Err(Stop::Other("the document information was changed")),
        }
    }

    fn form(&mut self) -> Result<(), Stop> {
        let (was, is) = (self.old.catalog().get("AcroForm"), self.new.catalog().get("AcroForm"));
        self.same_place_or_added(was, is)?;
        let dictionary = |object: Object| object.into_dictionary().unwrap_or_default();
        let old = dictionary(self.old.entry(self.old.catalog(), "AcroForm")?);
        let new = dictionary(self.new.entry(self.new.catalog(), "AcroForm")?);
        if !same(&old, &new, FORM) {
            return Err(Stop::Other("the form was changed"));
        }
        for field in self.additions(&old, &new, "Fields")? {
            self.added_field(field)?;
        }
        Ok(())
    }

    fn added_field(&mut self, place: Reference) -> Result<(), Stop> {
        let refused = Err(Stop::Other("a field was added that is no signature"));
        let Some(dictionary) = self.new.plain_dictionary(place)? else { return refused };
        let known = dictionary.iter().all(|(key, _)| FIELD.iter().any(|known| known.as_bytes() == key.0));
        let name = |key: &str| dictionary.get(key).and_then(Object::as_name);
        let widget = name("Subtype").is_none_or(|kind| kind == b"Widget");
        let Some(field) = self.new_form.signatures.iter().find(|field| field.reference == Some(place)) else {
            return refused;
        };
        if !known || !widget || name("FT") != Some(b"Sig") || self.old_form.top_names.contains(&field.name) {
            return refused;
        }
        let visible = dictionary.contains("AP");
        match &field.value {
            Some(_) => self.made_later(field)?,
            // What is seen must belong to a signature that has a verdict of its own.
            None if visible || dictionary.contains("V") => return refused,
            None if self.restrictions.forbidden().is_some() => {
                return Err(Stop::Other("a signature forbids every change"));
            }
            None => {}
        }
        let area = field.rectangle.is_some_and(|area| area.width() > 0.0 && area.height() > 0.0);
        if self.restrictions.locks(&field.name) || (self.restrictions.permission.is_some() && visible && area)
        {
            return Err(Stop::Other("a field was added that an earlier signature forbids"));
        }
        self.widgets.insert(place);
        Ok(())
    }

    /// Fields that were empty when it was signed and hold a signature now.
    fn signed_fields(&mut self) -> Result<(), Stop> {
        let refused = || Stop::Other("a field was changed and not signed");
        for old in &self.old_form.signatures {
            let Some(place) = old.reference.filter(|place| self.is_changed(*place)) else { continue };
            let Some(dictionary) = self.new.plain_dictionary(place)? else { return Err(refused()) };
            // A value that leads to no dictionary is none: the field was empty with it.
            if old.value.is_some() || !same(&old.dictionary, &dictionary, &["V", "AP"]) {
                return Err(refused());
            }
            let shown = dictionary.get("AP") != old.dictionary.get("AP");
            if shown && self.restrictions.forbidden().is_some() {
                return Err(Stop::Other("a signature forbids every change"));
            }
            let new = self.new_form.signatures.iter().find(|field| field.reference == Some(place));
            self.made_later(new.ok_or_else(refused)?)?;
            if self.restrictions.locks(&old.name) {
                return Err(Stop::Other("a field was signed that an earlier signature locks"));
            }
            self.accounted.insert(place.number);
            let widget = old.widget.as_ref().and_then(|widget| widget.reference);
            if let Some(widget) = widget.filter(|widget| *widget != place && self.is_changed(*widget)) {
                if self.restrictions.forbidden().is_some() {
                    return Err(Stop::Other("a signature forbids every change"));
                }
                let was = self.old.object(widget)?.into_dictionary();
                let is = self.new.plain_dictionary(widget)?;
                let (Some(was), Some(is)) = (was, is) else { return Err(refused()) };
                if !same(&was, &is, &["AP"]) {
                    return Err(refused());
                }
                self.accounted.insert(widget.number);
            }
        }
        Ok(())
    }

    /// Refuses a value that is not a signature over more than the signed revision. Where nothing may
    /// be changed, only a document time-stamp that is not seen is no change (12.8.2.2.2).
    fn made_later(&self, field: &SignatureField) -> Result<(), Stop> {
        let value = field.value.as_ref();
        if self.restrictions.forbidden().is_some()
            && !value.is_some_and(SignatureValue::is_document_timestamp)
        {
            return Err(Stop::Other("a signature forbids every change"));
        }
        let later = value.is_some_and(|value| {
            let added = value.reference.is_none_or(|place| self.difference.added.contains(&place.number));
            added && value.byte_range.is_ok_and(|range| range.end() > self.end)
        });
        if later { Ok(()) } else { Err(Stop::Other("a field holds no signature of its own")) }
    }

    /// Pages may get widgets of added fields, and nothing else.
    fn pages(&mut self) -> Result<(), Stop> {
        let mut pages = BTreeSet::new();
        for widget in &self.widgets {
            if let Some(Object::Reference(page)) =
                self.new.plain_dictionary(*widget)?.unwrap_or_default().get("P")
            {
                pages.insert(*page);
            }
        }
        let left = self.difference.changed.difference(&self.accounted);
        pages.extend(left.map(|&number| Reference { number, generation: 0 }));
        for place in pages {
            let was = self.old.plain_dictionary(place)?.filter(is_page);
            let is = self.new.plain_dictionary(place)?;
            let (Some(was), Some(is)) = (was, is) else { continue };
            if !same(&was, &is, &["Annots"]) {
                return Err(Stop::Other("a page was changed"));
            }
            let added = self.additions(&was, &is, "Annots")?;
            if !added.iter().all(|widget| self.widgets.contains(widget)) {
                return Err(Stop::Other("an annotation was added"));
            }
            self.accounted.insert(place.number);
        }
        Ok(())
    }

    /// What was appended to the array at `key`; its old items must be there as they were.
    fn additions(&mut self, old: &Dictionary, new: &Dictionary, key: &str) -> Result<Vec<Reference>, Stop> {
        let changed = || Stop::Other("a list was changed otherwise than by appending");
        self.same_place_or_added(old.get(key), new.get(key))?;
        let items = |object: Object| match object {
            Object::Array(items) => Ok(items),
            Object::Null => Ok(Vec::new()),
            Object::Boolean(_)
            | Object::Integer(_)
            | Object::Real(_)
            | Object::String(_)
            | Object::Name(_)
            | Object::Dictionary(_)
            | Object::Reference(_) => Err(changed()),
        };
        let (old, new) = (items(self.old.entry(old, key)?)?, items(self.new.entry(new, key)?)?);
        let (kept, added) = new.split_at_checked(old.len()).ok_or_else(changed)?;
        if kept != old {
            return Err(changed());
        }
        let place =
            |item: &Object| item.as_reference().filter(|place| self.difference.added.contains(&place.number));
        added.iter().map(|item| place(item).ok_or_else(changed)).collect()
    }

    /// A value that is compared through its reference: that must be the old one or of an added object.
    fn same_place_or_added(&mut self, was: Option<&Object>, is: Option<&Object>) -> Result<(), Stop> {
        let Some(Object::Reference(is)) = is else { return Ok(()) };
        if was == Some(&Object::Reference(*is)) {
            self.accounted.insert(is.number);
            return Ok(());
        }
        if self.difference.added.contains(&is.number) {
            return Ok(());
        }
        Err(Stop::Other("an object of the signed revision was put to another use"))
    }

    /// A dictionary of which only `entries` may change.
    fn entries_only(&mut self, place: Reference, entries: &[&str], what: &'static str) -> Result<(), Stop> {
        if !self.is_changed(place) {
            return Ok(());
        }
        let (was, is) = (self.old.plain_dictionary(place)?, self.new.plain_dictionary(place)?);
        match (was, is) {
            (Some(was), Some(is)) if same(&was, &is, entries) => {
                self.accounted.insert(place.number);
                Ok(())
            }
            _ => Err(Stop::Other(what)),
        }
    }

    fn is_changed(&self, place: Reference) -> bool {
        self.difference.changed.contains(&place.number)
    }
}

fn is_page(dictionary: &Dictionary) -> bool {
    dictionary.get("Type").and_then(Object::as_name) == Some(b"Page")
}

/// Whether two dictionaries have the same entries, but for those of `except`.
fn same(old: &Dictionary, new: &Dictionary, except: &[&str]) -> bool {
    let rest = |dictionary: &Dictionary| {
        let entries = dictionary.iter().filter(|(key, value)| {
            **value != Object::Null && !except.iter().any(|name| name.as_bytes() == key.0)
        });
        entries.map(|(key, value)| (key.0.clone(), value.clone())).collect::<BTreeMap<_, _>>()
    };
    rest(old) == rest(new)
}
