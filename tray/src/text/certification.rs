//! What a signature says of later changes to its document, in three languages.

use signer_ipc::summary::{Certification, Lock};

use crate::text::Language;

/// The sentence of a certification.
pub(super) const fn words(certification: Certification, l: Language) -> &'static str {
    match certification {
        Certification::Annotations => l.pick(
            "Certificação: depois desta assinatura só é permitido preencher formulários, assinar e fazer anotações.",
            "Certification: after this signature only filling in forms, signing and annotating are permitted.",
            "Certificación: después de esta firma solo se permite rellenar formularios, firmar y hacer anotaciones.",
        ),
        Certification::FormFilling => l.pick(
            "Certificação: depois desta assinatura só é permitido preencher formulários e assinar.",
            "Certification: after this signature only filling in forms and signing are permitted.",
            "Certificación: después de esta firma solo se permite rellenar formularios y firmar.",
        ),
        Certification::ItiReference => l.pick(
            "Declaração (forma recomendada pelo ITI): depois desta assinatura só é permitido preencher formulários e assinar.",
            "Statement (the form that ITI recommends): after this signature only filling in forms and signing are permitted.",
            "Declaración (forma recomendada por el ITI): después de esta firma solo se permite rellenar formularios y firmar.",
        ),
        Certification::NoChanges => l.pick(
            "Certificação: depois desta assinatura nada mais pode ser alterado no documento, nem assinado.",
            "Certification: after this signature nothing may be changed in the document, nor signed.",
            "Certificación: después de esta firma no se puede cambiar nada en el documento, ni firmar.",
        ),
    }
}

/// The sentence of the lock of a field.
pub(super) const fn of_lock(lock: Lock, l: Language) -> &'static str {
    match lock {
        Lock::NoChanges => l.pick(
            "O campo tem um bloqueio: depois desta assinatura nada mais pode ser alterado no documento, nem assinado.",
            "The field has a lock: after this signature nothing may be changed in the document, nor signed.",
            "El campo tiene un bloqueo: después de esta firma no se puede cambiar nada en el documento, ni firmar.",
        ),
        Lock::FormFilling => l.pick(
            "O campo tem um bloqueio: depois desta assinatura só é permitido preencher formulários e assinar.",
            "The field has a lock: after this signature only filling in forms and signing are permitted.",
            "El campo tiene un bloqueo: después de esta firma solo se permite rellenar formularios y firmar.",
        ),
        Lock::Annotations => l.pick(
            "O campo tem um bloqueio: depois desta assinatura só é permitido preencher formulários, assinar e fazer anotações.",
            "The field has a lock: after this signature only filling in forms, signing and annotating are permitted.",
            "El campo tiene un bloqueo: después de esta firma solo se permite rellenar formularios, firmar y hacer anotaciones.",
        ),
    }
}
