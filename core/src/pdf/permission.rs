//! What earlier signatures permit (ISO 32000-2, 12.8.2): DocMDP, FieldMDP and `/Lock`.

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::Form;
use crate::pdf::object::{Dictionary, Object};
use crate::pdf::source::Source;
use crate::pdf::text;

/// Names that all locks of a file may hold together.
const NAMES: usize = 100_000;

/// Fields that an earlier signature locks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lock {
    All,
    Except(Vec<String>),
    Only(Vec<String>),
}

/// What all signatures of a document forbid together.
#[derive(Debug, Default)]
pub(crate) struct Restrictions {
    /// What forbids every change, if anything does.
    pub(crate) forbidden: Option<&'static str>,
    /// Whether a certification is there: it permits to sign, not to add what is seen.
    pub(crate) certified: bool,
    pub(crate) locks: Vec<Lock>,
    /// How many names the locks hold together.
    names: usize,
}

impl Lock {
    /// Whether the field of this fully qualified name is locked, by itself or with its parent.
    fn covers(&self, name: &str) -> bool {
        let named = |names: &[String]| {
            names.iter().any(|own| {
                name.strip_prefix(own.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        match self {
            Self::All => true,
            Self::Except(names) => !named(names),
            Self::Only(names) => named(names),
        }
    }
}

impl Restrictions {
    /// Whether the field `name` may not be signed or made.
    pub(crate) fn locks(&self, name: &str) -> bool {
        self.locks.iter().any(|lock| lock.covers(name))
    }
}

impl<S: Source> Document<S> {
    /// What the signatures in `form` and the catalog's permissions forbid.
    pub(crate) fn restrictions(&self, form: &Form) -> Result<Restrictions, PdfError> {
        let mut found = Restrictions::default();
        if let Object::Dictionary(permissions) = self.entry(self.catalog(), "Perms")?
            && let Object::Dictionary(certification) = self.entry(&permissions, "DocMDP")?
        {
            self.read_references(&certification, &mut found)?;
        }
        for field in &form.signatures {
            let Some(value) = &field.value else { continue };
            self.read_references(&value.dictionary, &mut found)?;
            if let Object::Dictionary(lock) = self.entry(&field.dictionary, "Lock")? {
                if self.entry(&lock, "P")?.as_integer() == Some(1) {
                    found.forbidden = Some("a signature's lock allows no changes");
                }
                self.read_lock(&lock, &mut found)?;
            }
        }
        Ok(found)
    }

    /// The signature references of one signature dictionary (12.8.2.2, 12.8.2.4).
    fn read_references(&self, signature: &Dictionary, found: &mut Restrictions) -> Result<(), PdfError> {
        let Object::Array(references) = self.entry(signature, "Reference")? else { return Ok(()) };
        for reference in references.iter().take(16) {
            let Object::Dictionary(reference) = self.resolve(reference)? else { continue };
            let method = self.entry(&reference, "TransformMethod")?;
            let parameters = match self.entry(&reference, "TransformParams")? {
                Object::Dictionary(parameters) => parameters,
                _ => Dictionary::new(),
            };
            match method.as_name() {
                Some(b"DocMDP") => {
                    found.certified = true;
                    if self.entry(&parameters, "P")?.as_integer() == Some(1) {
                        found.forbidden = Some("it is certified against all changes (DocMDP, P 1)");
                    }
                }
                Some(b"FieldMDP") => self.read_lock(&parameters, found)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// `/Action` and `/Fields` of a lock or of FieldMDP's parameters.
    fn read_lock(&self, dictionary: &Dictionary, found: &mut Restrictions) -> Result<(), PdfError> {
        let action = self.entry(dictionary, "Action")?;
        let mut names = Vec::new();
        if let Object::Array(items) = self.entry(dictionary, "Fields")? {
            found.names = found.names.saturating_add(items.len());
            if found.names > NAMES {
                return Err(PdfError::Limit { what: "the number of locked fields" });
            }
            for item in &items {
                names.extend(self.resolve(item)?.as_string().map(text::decode));
            }
        }
        found.locks.extend(match action.as_name() {
            Some(b"All") => Some(Lock::All),
            Some(b"Exclude") => Some(Lock::Except(names)),
            Some(b"Include") => Some(Lock::Only(names)),
            _ => None,
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_covers_a_field_with_all_below_it() {
        let names = || vec!["a.b".to_owned(), "c".to_owned()];
        for (lock, name, expected) in [
            (Lock::All, "x", true),
            (Lock::Only(names()), "a.b", true),
            (Lock::Only(names()), "a.b.x", true),
            (Lock::Only(names()), "a.bx", false),
            (Lock::Only(names()), "a", false),
            (Lock::Except(names()), "c.d", false),
            (Lock::Except(names()), "d", true),
        ] {
            assert_eq!(lock.covers(name), expected, "{lock:?} {name}");
        }
    }
}
