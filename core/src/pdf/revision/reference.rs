//! What the signature dictionary says of later changes: signature references (ISO 32000-2,
//! 12.8.2, table 256), the field's lock that takes effect through them, and `/Perms` of the
//! catalog (12.8.6).

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::permission::{Permission, SignatureType};
use crate::pdf::revision::SignatureRequest;
use crate::pdf::source::Source;
use crate::pdf::update::{Body, Update};

/// The lock of the field that is signed.
#[derive(Debug, Default)]
pub(super) struct NewLock {
    /// What the field says itself.
    own: Option<Dictionary>,
    /// `/P`, its own or the stricter one that it gets.
    permission: Option<Permission>,
    /// The dictionary that the field gets, where its own does not say so.
    pub(super) changed: Option<Dictionary>,
}

/// The lock of `field` with what the request adds to it.
pub(super) fn lock<S: Source>(
    document: &Document<S>,
    field: &SignatureField,
    request: &SignatureRequest<'_>,
) -> Result<NewLock, PdfError> {
    let own = document.entry(&field.dictionary, "Lock")?.into_dictionary();
    let said = document.lock_permission(field)?;
    let permission = [said, request.lock].into_iter().flatten().min();
    let changed = permission.filter(|_| permission != said).map(|permission| {
        // A lock of no fields, where there is none: only `/P` counts then.
        let empty = || {
            Dictionary::new()
                .with("Type", Object::name("SigFieldLock"))
                .with("Action", Object::name("Include"))
                .with("Fields", Object::Array(Vec::new()))
        };
        own.clone().unwrap_or_else(empty).with("P", permission.to_object())
    });
    Ok(NewLock { own, permission, changed })
}

/// `/Reference` of the signature dictionary.
pub(super) fn signature_references<S: Source>(
    document: &Document<S>,
    update: &mut Update,
    lock: &NewLock,
    request: &SignatureRequest<'_>,
) -> Vec<Object> {
    let mut references = Vec::new();
    match request.signature_type {
        SignatureType::Approval => {}
        SignatureType::Certification(permission) => {
            references.push(Object::Dictionary(doc_mdp(Object::Dictionary(doc_mdp_parameters(permission)))));
        }
        SignatureType::DocMdpReference => {
            let parameters = update.add(doc_mdp_parameters(Permission::FormFilling));
            let reference = update.add(doc_mdp(Object::Reference(parameters)));
            references.push(Object::Reference(reference));
        }
    }
    if lock.own.is_some() || lock.changed.is_some() {
        references.push(Object::Dictionary(field_mdp(document.root(), lock, request)));
    }
    references
}

/// Names the certification at `signature` in the catalog; what stands there beside it stays.
pub(super) fn permissions<S: Source>(
    document: &Document<S>,
    update: &mut Update,
    signature: Reference,
) -> Result<(), PdfError> {
    let mut catalog = match update.get(document.root()) {
        Some(Body::Object(Object::Dictionary(catalog))) => catalog.clone(),
        Some(Body::Object(_) | Body::Stream(_)) | None => document.catalog().clone(),
    };
    let permissions = document.entry(&catalog, "Perms")?.into_dictionary().unwrap_or_default();
    catalog.set("Perms", Object::Dictionary(permissions.with("DocMDP", Object::Reference(signature))));
    update.put(document.root(), catalog);
    Ok(())
}

/// The parameters of table 257.
fn doc_mdp_parameters(permission: Permission) -> Dictionary {
    Dictionary::new()
        .with("Type", Object::name("TransformParams"))
        .with("P", permission.to_object())
        .with("V", Object::name("1.2"))
}

fn doc_mdp(parameters: Object) -> Dictionary {
    Dictionary::new()
        .with("Type", Object::name("SigRef"))
        .with("TransformMethod", Object::name("DocMDP"))
        .with("TransformParams", parameters)
}

/// The field's lock takes effect by a copy in the signature (12.8.2.4). Its `/P` stands there
/// too, where common readers look for it, and never permits more than the certification does.
fn field_mdp(root: Reference, lock: &NewLock, request: &SignatureRequest<'_>) -> Dictionary {
    let mut parameters = Dictionary::new().with("Type", Object::name("TransformParams"));
    let from = lock.changed.as_ref().or(lock.own.as_ref());
    for key in ["Action", "Fields"] {
        if let Some(value) = from.and_then(|lock| lock.get(key)) {
            parameters.set(key, value.clone());
        }
    }
    if let Some(permission) = lock.permission {
        let certified = request.signature_type.permission();
        let strictest = certified.map_or(permission, |certified| certified.min(permission));
        parameters.set("P", strictest.to_object());
    }
    parameters.set("V", Object::name("1.2"));
    Dictionary::new()
        .with("Type", Object::name("SigRef"))
        .with("TransformMethod", Object::name("FieldMDP"))
        .with("TransformParams", Object::Dictionary(parameters))
        .with("Data", Object::Reference(root))
}
