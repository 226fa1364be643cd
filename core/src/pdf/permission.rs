//! What a signature permits after it (ISO 32000-2, 12.8.2): DocMDP, FieldMDP and `/Lock`.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::{Form, SignatureField};
use crate::pdf::object::{Dictionary, Object};
use crate::pdf::source::Source;
use crate::pdf::text;

/// Names that all locks of a file may hold together.
const NAMES: usize = 100_000;

/// What may be done to a document after a signature: `/P` of DocMDP's parameters (table 257) and
/// of a lock (table 236). Validation data and document time-stamps may always be added
/// (12.8.2.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Permission {
    /// 1: nothing.
    NoChanges,
    /// 2: forms are filled in and signed, and pages made from templates.
    FormFilling,
    /// 3: as 2, and annotations are made, changed and removed.
    Annotations,
}

/// What a signature is to its document (12.8.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SignatureType {
    /// An approval signature: says nothing of what may be done afterwards.
    #[default]
    Approval,
    /// A certification signature, the first of its document: says what may be done afterwards
    /// in a DocMDP signature reference, and `/Perms` of the catalog names it.
    Certification(Permission),
    /// The form that ITI asks of providers so that VALIDAR can judge later changes: the DocMDP
    /// signature reference of [`Permission::FormFilling`], by indirect references, on the first
    /// signature, and no `/Perms`. Readers that go by `/Perms` call it an approval signature;
    /// those that go by the reference judge later changes as after a certification.
    DocMdpReference,
}

/// Fields that an earlier signature locks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FieldLock {
    All,
    Except(Vec<String>),
    Only(Vec<String>),
}

/// What all signatures of a document permit and forbid together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Restrictions {
    /// The strictest of all; `None` where none says anything.
    pub(crate) permission: Option<Permission>,
    /// What says so.
    pub(crate) by: &'static str,
    pub(crate) locks: Vec<FieldLock>,
    /// How many names the locks hold together.
    names: usize,
}

/// Names at the top of the form that locks concern.
#[derive(Debug, Default)]
pub(crate) struct LockedNames<'a> {
    /// None of these is free.
    none: HashSet<&'a str>,
    /// Only what is in each of these is free.
    only: Vec<HashSet<&'a str>>,
}

const BY_CERTIFICATION: &str = "a certification (DocMDP)";
const BY_LOCK: &str = "the lock of a signed field";

impl Permission {
    /// `/P`.
    pub const fn number(self) -> u8 {
        match self {
            Self::NoChanges => 1,
            Self::FormFilling => 2,
            Self::Annotations => 3,
        }
    }

    /// As programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoChanges => "no-changes",
            Self::FormFilling => "form-filling",
            Self::Annotations => "annotations",
        }
    }

    /// What `/P` says; what the standard does not know permits nothing.
    pub(crate) const fn from_number(number: i64) -> Self {
        match number {
            2 => Self::FormFilling,
            3 => Self::Annotations,
            _ => Self::NoChanges,
        }
    }

    /// As it is written.
    pub(crate) fn to_object(self) -> Object {
        Object::Integer(i64::from(self.number()))
    }
}

impl SignatureType {
    /// What it permits afterwards; `None` where it says nothing.
    pub const fn permission(self) -> Option<Permission> {
        match self {
            Self::Approval => None,
            Self::Certification(permission) => Some(permission),
            Self::DocMdpReference => Some(Permission::FormFilling),
        }
    }

    /// The type as programs see it; nothing for an approval.
    pub const fn as_str(self) -> Option<&'static str> {
        match self {
            Self::Approval => None,
            Self::Certification(permission) => Some(permission.as_str()),
            Self::DocMdpReference => Some("iti-reference"),
        }
    }
}

impl FieldLock {
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

    /// The locks as they concern names at the top of the form, for many questions.
    pub(crate) fn locked_names(&self) -> LockedNames<'_> {
        let mut found = LockedNames::default();
        for lock in &self.locks {
            match lock {
                FieldLock::All => found.only.push(HashSet::new()),
                FieldLock::Except(names) => found.only.push(names.iter().map(String::as_str).collect()),
                FieldLock::Only(names) => found.none.extend(names.iter().map(String::as_str)),
            }
        }
        found
    }

    /// What forbids every change, if anything does.
    pub(crate) fn forbidden(&self) -> Option<&'static str> {
        (self.permission == Some(Permission::NoChanges)).then_some(self.by)
    }

    /// The strictest counts: a lock tightens a certification, and never loosens it.
    fn tighten(&mut self, permission: Permission, by: &'static str) {
        if self.permission.is_none_or(|known| permission < known) {
            self.permission = Some(permission);
            self.by = by;
        }
    }
}

impl LockedNames<'_> {
    /// How many names there are.
    pub(crate) fn len(&self) -> usize {
        self.none.len() + self.only.iter().map(HashSet::len).sum::<usize>()
    }

    /// Whether a field of this name, which has no parent, is not locked.
    pub(crate) fn permit(&self, name: &str) -> bool {
        !self.none.contains(name) && self.only.iter().all(|names| names.contains(name))
    }
}

impl<S: Source> Document<S> {
    /// What the signatures of the document permit together; `None` where none says anything.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn permission(&self) -> Result<Option<Permission>, PdfError> {
        Ok(self.restrictions(self.form()?)?.permission)
    }

    /// What the lock of a field permits once the field is signed; `None` where it says nothing.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn lock_permission(&self, field: &SignatureField) -> Result<Option<Permission>, PdfError> {
        match self.entry(&field.dictionary, "Lock")?.into_dictionary() {
            Some(lock) => self.permission_in(&lock),
            None => Ok(None),
        }
    }

    /// What the signature in `field` permits after it, by its references and the field's lock; `None`
    /// where it says nothing.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn permission_after(&self, field: &SignatureField) -> Result<Option<Permission>, PdfError> {
        let Some(value) = &field.value else { return Ok(None) };
        let mut found = Restrictions::default();
        self.read_references(&value.dictionary, &mut found)?;
        if let Some(permission) = self.lock_permission(field)? {
            found.tighten(permission, BY_LOCK);
        }
        Ok(found.permission)
    }

    /// Whether the catalog names a certification, whoever made it.
    pub(crate) fn names_certification(&self) -> Result<bool, PdfError> {
        let permissions = self.entry(self.catalog(), "Perms")?.into_dictionary().unwrap_or_default();
        Ok(permissions.contains("DocMDP"))
    }

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
            let parameters = self.entry(&reference, "TransformParams")?.into_dictionary().unwrap_or_default();
            match method.as_name() {
                // Without a value, 2 counts (table 257).
                Some(b"DocMDP") => found.tighten(
                    self.permission_in(&parameters)?.unwrap_or(Permission::FormFilling),
                    BY_CERTIFICATION,
                ),
                Some(b"FieldMDP") => self.read_lock(&parameters, found)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// `/P` of a lock or of a transform's parameters.
    fn permission_in(&self, dictionary: &Dictionary) -> Result<Option<Permission>, PdfError> {
        let value = self.entry(dictionary, "P")?;
        Ok((value != Object::Null).then(|| Permission::from_number(value.as_integer().unwrap_or_default())))
    }

    /// `/Action`, `/Fields` and `/P` of a lock or of FieldMDP's parameters, in which some signers
    /// repeat the lock's `/P`.
    fn read_lock(&self, dictionary: &Dictionary, found: &mut Restrictions) -> Result<(), PdfError> {
        if let Some(permission) = self.permission_in(dictionary)? {
            found.tighten(permission, BY_LOCK);
        }
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
            Some(b"All") => Some(FieldLock::All),
            Some(b"Exclude") => Some(FieldLock::Except(names)),
            Some(b"Include") => Some(FieldLock::Only(names)),
            _ => None,
        });
        Ok(())
    }
}
