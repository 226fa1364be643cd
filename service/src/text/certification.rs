//! What a signature says of later changes, as a person reads it before and after it is made.

use signer_core::pdf::permission::{Permission, SignatureType};

use crate::text::Sentence;

/// The sentence of a type; an approval says nothing.
pub(crate) const fn sentence(signature_type: SignatureType) -> Option<Sentence> {
    match signature_type {
        SignatureType::Approval => None,
        SignatureType::Certification(Permission::NoChanges) => Some([
            "Certifica o documento: depois disso nada mais pode ser alterado, nem assinado.",
            "Certifies the document: nothing may be changed afterwards, nor signed.",
            "Certifica el documento: después no se puede cambiar nada, ni firmar.",
        ]),
        SignatureType::Certification(Permission::FormFilling) => Some([
            "Certifica o documento: depois disso só é permitido preencher formulários e assinar.",
            "Certifies the document: only filling in forms and signing are permitted afterwards.",
            "Certifica el documento: después solo se permite rellenar formularios y firmar.",
        ]),
        SignatureType::Certification(Permission::Annotations) => Some([
            "Certifica o documento: depois disso só é permitido preencher formulários, assinar e fazer anotações.",
            "Certifies the document: only filling in forms, signing and annotating are permitted afterwards.",
            "Certifica el documento: después solo se permite rellenar formularios, firmar y hacer anotaciones.",
        ]),
        SignatureType::DocMdpReference => Some([
            "Declara, sem certificar (forma recomendada pelo ITI), que depois disso só é permitido preencher formulários e assinar.",
            "States, without certifying (the form that ITI recommends), that only filling in forms and signing are permitted afterwards.",
            "Declara, sin certificar (forma recomendada por el ITI), que después solo se permite rellenar formularios y firmar.",
        ]),
    }
}

/// The type as programs see it; nothing for an approval.
pub(crate) const fn name(signature_type: SignatureType) -> Option<&'static str> {
    match signature_type {
        SignatureType::Approval => None,
        SignatureType::Certification(Permission::NoChanges) => Some("no-changes"),
        SignatureType::Certification(Permission::FormFilling) => Some("form-filling"),
        SignatureType::Certification(Permission::Annotations) => Some("annotations"),
        SignatureType::DocMdpReference => Some("iti-reference"),
    }
}
