//! What the document and its field say about a signature, looked at before a secret is asked for.

use signer_core::{
    pades::{
        error::PadesError,
        prepare::{self, Target},
    },
    pdf::{
        document::Document,
        error::PdfError,
        field::SignatureField,
        permission::{Permission, SignatureType},
        revision::rules::Visibility,
        seed_value::{Mdp, SeedValue},
        source::Source,
    },
};

use crate::{
    cli::{
        arguments::{CertifyChoice, SealChoice, SignArguments, language},
        failure::Failure,
    },
    sign::SignError,
};

/// How many names are told where one was not found.
const NAMES: usize = 10;

/// What is decided by the arguments together with the document.
pub(super) struct Decided {
    pub(super) signature_type: SignatureType,
    pub(super) reason: Option<String>,
}

/// Decides, and refuses what the document does not take; only a field that is there already has a say
/// otherwise.
pub(super) fn decide<S: Source>(
    arguments: &SignArguments,
    target: &Target,
    document: &Document<S>,
) -> Result<Decided, Failure> {
    let (seed, lock) = match &arguments.field {
        Some(name) => look(document, name)?,
        None => (None, None),
    };
    let reason = arguments.reason.as_deref();
    let reason = match &seed {
        Some(seed) => seed.reason(reason).map_err(|error| of_pdf(&error))?,
        None => reason,
    };
    let by_field = || match seed.as_ref().and_then(|seed| seed.mdp) {
        Some(Mdp::Certification(permission)) => permission,
        Some(Mdp::Approval) | None => lock.unwrap_or(Permission::FormFilling),
    };
    let signature_type = match arguments.certify {
        None => SignatureType::Approval,
        Some(CertifyChoice::AsField) => SignatureType::Certification(by_field()),
        Some(CertifyChoice::NoChanges) => SignatureType::Certification(Permission::NoChanges),
        Some(CertifyChoice::FormFilling) => SignatureType::Certification(Permission::FormFilling),
        Some(CertifyChoice::Annotations) => SignatureType::Certification(Permission::Annotations),
        Some(CertifyChoice::ItiReference) => SignatureType::DocMdpReference,
    };
    let visibility = match arguments.seal {
        SealChoice::Default => Visibility::Seen,
        SealChoice::None => Visibility::Unseen,
    };
    prepare::check(document, target, signature_type, visibility).map_err(|error| {
        let failure = Failure::of(error.code(), &error);
        match &error {
            PadesError::Pdf(pdf) => explained(failure, pdf),
            PadesError::Algorithm(_)
            | PadesError::Cms(_)
            | PadesError::Credential(_)
            | PadesError::Seal(_) => failure,
        }
    })?;
    Ok(Decided { signature_type, reason: reason.map(str::to_owned) })
}

/// A failure with what the field asks for, where that is what failed.
pub(super) fn of_sign(error: &SignError) -> Failure {
    let failure = Failure::of(error.code(), error);
    match error {
        SignError::Pades(PadesError::Pdf(pdf)) => explained(failure, pdf),
        SignError::Check(_)
        | SignError::Destination(_)
        | SignError::InputChanged
        | SignError::Input(_)
        | SignError::Pades(_)
        | SignError::Token(_) => failure,
    }
}

/// The seed value and the lock of the empty field `name`.
fn look<S: Source>(
    document: &Document<S>,
    name: &str,
) -> Result<(Option<SeedValue>, Option<Permission>), Failure> {
    let of_pdf = |error: PdfError| of_pdf(&error);
    let fields = document.fields().map_err(of_pdf)?;
    match fields.iter().find(|field| field.name == name) {
        Some(field) if field.value.is_none() => Ok((
            document.seed_value(field).map_err(of_pdf)?,
            document.lock_permission(field).map_err(of_pdf)?,
        )),
        Some(_) => Err(of_pdf(PdfError::FieldAlreadySigned { name: name.to_owned() })),
        None => Err(with_names(of_pdf(PdfError::FieldNotFound { name: name.to_owned() }), fields)),
    }
}

/// The failure with the fields that can be signed.
fn with_names(failure: Failure, fields: &[SignatureField]) -> Failure {
    let mut empty = fields.iter().filter(|field| field.value.is_none()).map(|field| field.name.as_str());
    let mut names = empty.by_ref().take(NAMES).collect::<Vec<_>>().join(", ");
    if names.is_empty() {
        return failure;
    }
    if empty.next().is_some() {
        names.push_str(", …");
    }
    let heading = language().choose([
        "Campos vazios do documento",
        "Empty fields of the document",
        "Campos vacíos del documento",
    ]);
    failure.with_note(format!("{heading}: {names}"))
}

fn of_pdf(error: &PdfError) -> Failure {
    explained(Failure::of(error.code(), error), error)
}

fn explained(failure: Failure, error: &PdfError) -> Failure {
    let PdfError::SeedValueUnmet { entry, wanted } = error else { return failure };
    let heading = language().choose(["O campo exige", "The field asks for", "El campo exige"]);
    failure
        .with_note(format!("{heading} /{entry}: {wanted}"))
        .with_fact("entry", entry.as_str())
        .with_fact("wanted", wanted.as_str())
}
