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
