//! What a signature says of later changes, as a person reads it before and after it is made.

use signer_core::pdf::permission::{Permission, SignatureType};

use crate::text::Sentence;

/// The sentence of a type; an approval says nothing.
pub(crate) const fn sentence(signature_type: SignatureType) -> Option<Sentence> {
    match signature_type {
        SignatureType::Approval => None,
        SignatureType::Certification(Permission::NoChanges) => Some([
            "Certificação: depois desta assinatura nada mais pode ser alterado no documento, nem assinado.",
            "Certification: after this signature nothing may be changed in the document, nor signed.",
            "Certificación: después de esta firma no se puede cambiar nada en el documento, ni firmar.",
        ]),
        SignatureType::Certification(Permission::FormFilling) => Some([
            "Certificação: depois desta assinatura só é permitido preencher formulários e assinar.",
            "Certification: after this signature only filling in forms and signing are permitted.",
            "Certificación: después de esta firma solo se permite rellenar formularios y firmar.",
        ]),
        SignatureType::Certification(Permission::Annotations) => Some([
            "Certificação: depois desta assinatura só é permitido preencher formulários, assinar e fazer anotações.",
            "Certification: after this signature only filling in forms, signing and annotating are permitted.",
            "Certificación: después de esta firma solo se permite rellenar formularios, firmar y hacer anotaciones.",
        ]),
        SignatureType::DocMdpReference => Some([
            "Declaração (forma recomendada pelo ITI): depois desta assinatura só é permitido preencher formulários e assinar.",
            "Statement (the form that ITI recommends): after this signature only filling in forms and signing are permitted.",
            "Declaración (forma recomendada por el ITI): después de esta firma solo se permite rellenar formularios y firmar.",
        ]),
    }
}

/// The sentence of the lock of the field that is signed.
pub(crate) const fn of_lock(permission: Permission) -> Sentence {
    match permission {
        Permission::NoChanges => [
            "O campo tem um bloqueio: depois desta assinatura nada mais pode ser alterado no documento, nem assinado.",
            "The field has a lock: after this signature nothing may be changed in the document, nor signed.",
            "El campo tiene un bloqueo: después de esta firma no se puede cambiar nada en el documento, ni firmar.",
        ],
        Permission::FormFilling => [
            "O campo tem um bloqueio: depois desta assinatura só é permitido preencher formulários e assinar.",
            "The field has a lock: after this signature only filling in forms and signing are permitted.",
            "El campo tiene un bloqueo: después de esta firma solo se permite rellenar formularios y firmar.",
        ],
        Permission::Annotations => [
            "O campo tem um bloqueio: depois desta assinatura só é permitido preencher formulários, assinar e fazer anotações.",
            "The field has a lock: after this signature only filling in forms, signing and annotating are permitted.",
            "El campo tiene un bloqueo: después de esta firma solo se permite rellenar formularios, firmar y hacer anotaciones.",
        ],
    }
}
