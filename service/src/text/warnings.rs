//! What the person should know about a document that was signed, in the three languages.

use signer_core::pdf::warning::DocumentWarning;

use crate::text::Sentence;

/// The sentence of a warning.
pub(super) const fn of_document(warning: DocumentWarning) -> Sentence {
    match warning {
        DocumentWarning::AgainstPermissions => [
            "As permissões do documento não incluem esta assinatura; ela foi feita porque a senha dele foi informada.",
            "The document's permissions do not include this signature; it was made because the password was given.",
            "Los permisos del documento no incluyen esta firma; se hizo porque se indicó su contraseña.",
        ],
        DocumentWarning::Recovered => [
            "O documento está danificado e foi recuperado para ser assinado: outros programas podem mostrá-lo de outra forma.",
            "The document is damaged and was recovered to be signed: other programs may show it differently.",
            "El documento está dañado y se recuperó para firmarlo: otros programas pueden mostrarlo de otra forma.",
        ],
        DocumentWarning::Xfa => [
            "O documento tem um formulário XFA: alguns programas mostram o formulário sem o selo da assinatura.",
            "The document has an XFA form: some programs show the form without the signature's seal.",
            "El documento tiene un formulario XFA: algunos programas muestran el formulario sin el sello de la firma.",
        ],
    }
}
