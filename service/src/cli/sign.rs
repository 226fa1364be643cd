//! `sign`: one document, one credential, one file out.

use std::process::ExitCode;

use serde_json::{Value, json};
use signer_core::{
    credential::{CredentialWarning, Holder},
    digest::DigestAlgorithm,
    error::ErrorCode,
    moment::Moment,
    pades::prepare::{Room, Target, Terms},
    pdf::{
        permission::{Permission, SignatureType},
        source::Source as _,
    },
    seal::SealText,
};

use crate::{
    cli::{
        arguments::{CheckChoice, DigestChoice, SealChoice, SignArguments, language},
        credential, document,
        failure::Failure,
        json, policy,
        progress::{Progress, Quiet},
        screen,
    },
    clock,
    file::destination::{Durability, Existing},
    sign::{self, Check, Job, Outcome, Signer},
    text::certification,
};

/// Runs the command.
pub(super) fn run(arguments: &SignArguments) -> ExitCode {
    match sign(arguments) {
        Ok(signed) => {
            if arguments.json {
                screen::json(&as_json(arguments, &signed));
            } else {
                show(arguments, &signed);
            }
            ExitCode::SUCCESS
        }
        Err(failure) => failure.show(arguments.json),
    }
}

/// What was done.
struct Signed {
    signer: Signer,
    signature_type: SignatureType,
    outcome: Outcome,
}

fn sign(arguments: &SignArguments) -> Result<Signed, Failure> {
    // What can be refused without a secret is refused before one is asked for.
    let existing = if arguments.force { Existing::Replace } else { Existing::Keep };
    if existing == Existing::Keep && arguments.output.symlink_metadata().is_ok() {
        return Err(Failure::new(ErrorCode::OutputExists).with_note(arguments.output.display().to_string()));
    }
    let credential_files = (&arguments.credential.p12_password_file, &arguments.credential.pin_file);
    document::one_secret_at_most_from_standard_input(&[
        arguments.document_password_file.as_deref(),
        credential_files.0.as_deref(),
        credential_files.1.as_deref(),
    ])?;
    let input = document::input(&arguments.input)?;
    let document = document::open(&input, arguments.document_password_file.as_deref())?;
    let moment = clock::now().map_err(|error| Failure::of(ErrorCode::Internal, &error))?;
    let target = target(arguments)?;
    let policy::Decided { signature_type, reason } = policy::decide(arguments, &target, &document)?;
    let reason = reason.as_deref();

    let mut opened = credential::open(&arguments.credential)?;
    // Many tokens show their certificates before the PIN: what they rule out costs no try.
    let early = opened.credentials()?;
    if let [only] = early.as_slice() {
        check_certificate(only, moment)?;
    }
    opened.unlock(&arguments.credential)?;
    let signer = opened.choose(&arguments.credential)?;
    check_certificate(&signer, moment)?;

    let holder = Holder::of(&signer.certificate);
    let seal = match arguments.seal {
        SealChoice::Default => Some(seal_text(arguments, reason, &holder, moment)),
        SealChoice::None => None,
    };
    let job = Job {
        output: &arguments.output,
        existing,
        durability: Durability::Synced,
        check: match arguments.verify {
            CheckChoice::Full => Check::Full,
            CheckChoice::Running => Check::Running,
        },
        terms: Terms {
            digest: arguments.digest.map(|digest| match digest {
                DigestChoice::Sha256 => DigestAlgorithm::Sha256,
                DigestChoice::Sha384 => DigestAlgorithm::Sha384,
                DigestChoice::Sha512 => DigestAlgorithm::Sha512,
            }),
            moment,
            signature_type,
            target,
            seal: seal.as_ref(),
            reason,
            location: arguments.location.as_deref(),
            name: Some(&holder.name),
            room: Room::Estimated,
        },
    };
    let quiet = if arguments.json { Quiet::Yes } else { Quiet::No };
    let mut progress = Progress::new(input.len(), quiet);
    let outcome = sign::sign(&document, &mut opened.host, &signer, &job, &mut |done| progress.advance(done))
        .map_err(|error| match &error {
            sign::SignError::Token(token) => credential::of_token(token),
            sign::SignError::Check(_)
            | sign::SignError::Destination(_)
            | sign::SignError::InputChanged
            | sign::SignError::Input(_)
            | sign::SignError::Pades(_) => policy::of_sign(&error),
        })?;
    Ok(Signed { signer, signature_type, outcome })
}

fn check_certificate(signer: &Signer, moment: Moment) -> Result<(), Failure> {
    signer_core::credential::check_for_signing(&signer.certificate, moment)
        .map(drop)
        .map_err(|error| Failure::of(error.code(), &error))
}

fn seal_text(arguments: &SignArguments, reason: Option<&str>, holder: &Holder, moment: Moment) -> SealText {
    let identifier = holder.identifier.as_ref().map(|identifier| identifier.masked());
    SealText::signature(&holder.name, identifier.as_deref(), moment, reason, arguments.location.as_deref())
}

fn target(arguments: &SignArguments) -> Result<Target, Failure> {
    if let Some(name) = &arguments.field {
        return Ok(Target::ExistingField { name: name.clone() });
    }
    Ok(Target::NewField {
        name: arguments.new_field.clone(),
        page: arguments.place.seal_page,
        placement: arguments
            .place
            .placement()
            .map_err(|note| Failure::new(ErrorCode::Usage).with_note(note))?,
    })
}

fn as_json(arguments: &SignArguments, signed: &Signed) -> Value {
    let Signed { signer, signature_type, outcome } = signed;
    let of_credential = outcome.warnings.iter().map(|warning| warning.as_str());
    let of_document = outcome.document_warnings.iter().map(|warning| warning.as_str());
    let warnings: Vec<_> = of_credential.chain(of_document).collect();
    json!({
        // Names of files need not be Unicode; JSON must be.
        "output": arguments.output.display().to_string(),
        "field": outcome.field,
        "level": "B-B",
        "certification": signature_type.as_str(),
        "lock": outcome.lock.map(Permission::as_str),
        "digestAlgorithm": outcome.digest.algorithm().name(),
        "bytes": outcome.len,
        "certificate": json::certificate(&signer.certificate),
        "warnings": warnings,
        "ignoredSeedValues": outcome.ignored.iter().map(|entry| entry.as_str()).collect::<Vec<_>>(),
    })
}

fn show(arguments: &SignArguments, signed: &Signed) {
    let Signed { signer, signature_type, outcome } = signed;
    let language = language();
    let holder = Holder::of(&signer.certificate);
    let number = holder.identifier.as_ref().map(|identifier| format!(" ({})", identifier.masked()));
    let [heading, by, field] =
        [["Assinado", "Signed", "Firmado"], ["Titular", "Holder", "Titular"], ["Campo", "Field", "Campo"]]
            .map(|sentence| language.choose(sentence));
    screen::line(&format!("{heading}: {}", arguments.output.display()));
    screen::line(&format!("  {by}: {}{}", holder.name, number.unwrap_or_default()));
    screen::line(&format!(
        "  {field}: {} · PAdES B-B · {}",
        outcome.field,
        outcome.digest.algorithm().name()
    ));
    if let Some(sentence) = certification::sentence(*signature_type) {
        screen::line(&format!("  {}", language.choose(sentence)));
    } else if let Some(lock) = outcome.lock {
        screen::line(&format!("  {}", language.choose(certification::of_lock(lock))));
    }
    for entry in &outcome.ignored {
        let warning = language.choose([
            "Aviso: o campo sugere algo que esta assinatura não tem",
            "Warning: the field suggests something that this signature has not",
            "Aviso: el campo sugiere algo que esta firma no tiene",
        ]);
        screen::error_line(&format!("  {warning}: /{entry}."));
    }
    for warning in &outcome.warnings {
        screen::error_line(&format!("  {}", language.choose(warning_sentence(*warning))));
    }
    for warning in &outcome.document_warnings {
        let label = language.choose(["Aviso", "Warning", "Aviso"]);
        screen::error_line(&format!("  {label}: {}", language.document_warning(*warning)));
    }
}

const fn warning_sentence(warning: CredentialWarning) -> crate::text::Sentence {
    match warning {
        CredentialWarning::NoNonRepudiation => [
            "Aviso: o certificado não declara «não repúdio».",
            "Warning: the certificate does not declare non-repudiation.",
            "Aviso: el certificado no declara «no repudio».",
        ],
        CredentialWarning::ExpiresSoon => [
            "Aviso: o certificado vence em menos de 30 dias.",
            "Warning: the certificate expires in less than 30 days.",
            "Aviso: el certificado vence en menos de 30 días.",
        ],
    }
}
