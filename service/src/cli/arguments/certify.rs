//! `--certify`: what may be done to the document after the signature.

use clap::ValueEnum;

use crate::cli::arguments::tr;

/// `--certify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CertifyChoice {
    /// What the field asks for.
    #[value(help = tr([
        "o que o campo de «--field» pedir; sem isso, como «form-filling»",
        "what the field of '--field' asks for; else as 'form-filling'",
        "lo que pida el campo de «--field»; si no, como «form-filling»",
    ]))]
    AsField,
    /// P 1.
    #[value(help = tr([
        "nada pode ser alterado depois, nem assinado",
        "nothing may be changed afterwards, nor signed",
        "no se puede cambiar nada después, ni firmar",
    ]))]
    NoChanges,
    /// P 2.
    #[value(help = tr([
        "depois só é permitido preencher formulários e assinar",
        "only filling in forms and signing are permitted afterwards",
        "después solo se permite rellenar formularios y firmar",
    ]))]
    FormFilling,
    /// P 3.
    #[value(help = tr([
        "como «form-filling», e também fazer anotações",
        "as 'form-filling', and annotating too",
        "como «form-filling», y también hacer anotaciones",
    ]))]
    Annotations,
    /// The reference without the catalog's entry.
    #[value(help = tr([
        "forma que o ITI recomenda para o VALIDAR: como «form-filling», mas só na assinatura, sem /Perms no catálogo; \
         outros leitores podem não chamar isso de certificação",
        "the form that ITI recommends for VALIDAR: as 'form-filling', but in the signature alone, without /Perms in the catalog; \
         other readers may not call this a certification",
        "forma que el ITI recomienda para VALIDAR: como «form-filling», pero solo en la firma, sin /Perms en el catálogo; \
         otros lectores pueden no llamarla certificación",
    ]))]
    ItiReference,
}
