//! `certificates`: what can sign, from an A1 file, a module, or every module found here.

use std::{process::ExitCode, time::Duration};

use serde_json::json;
use signer_core::{
    credential::{CredentialId, Holder},
    error::ErrorCode,
    moment::Moment,
};

use crate::{
    cli::{
        arguments::{CertificatesArguments, CredentialArguments, language},
        credential,
        examine::{self, Examined, Outcome},
        failure::Failure,
        json, modules, screen,
    },
    sign::Signer,
    token::{
        modules::{Installed, atr::Atr, fitting},
        reader::{self, ReaderError},
    },
};

/// How long the modules may take, all of them side by side.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the command.
pub(super) fn run(arguments: &CertificatesArguments) -> ExitCode {
    let named = [&arguments.credential.p12, &arguments.credential.module].iter().any(|path| path.is_some())
        || arguments.credential.credential.is_some();
    let found = if named { list(&arguments.credential) } else { list_everywhere(arguments.json) };
    let signers = match found {
        Ok(signers) => signers,
        Err(failure) => return failure.show(arguments.json),
    };
    if arguments.json {
        let certificates: Vec<_> = signers
            .iter()
            .map(|signer| {
                let mut value = json::certificate(&signer.certificate);
                if let Some(fields) = value.as_object_mut() {
                    fields.insert("token".to_owned(), json!(signer.credential.token_label));
                }
                value
            })
            .collect();
        screen::json(&json!({ "certificates": certificates }));
    } else {
        show(&signers);
    }
    ExitCode::SUCCESS
}

/// The credentials of one source. A token is unlocked only if a PIN file is given.
fn list(arguments: &CredentialArguments) -> Result<Vec<Signer>, Failure> {
    let mut opened = credential::open(arguments)?;
    if arguments.pin_file.is_some() {
        opened.unlock(arguments)?;
    }
    opened.credentials()
}

/// What the modules for the cards that are present show without a PIN. A module that fails is said
/// and skipped.
fn list_everywhere(as_json: bool) -> Result<Vec<Signer>, Failure> {
    let (found, quarantine) = (modules::discover(None)?, modules::quarantine()?);
    let wanted = match reader::readers() {
        Ok(readers) => {
            let cards: Vec<_> =
                readers.iter().filter_map(|reader| Atr::new(reader.card.as_deref()?)).collect();
            fitting(&found.installed, &cards).into_iter().cloned().collect()
        }
        Err(ReaderError::NotPermitted | ReaderError::ServiceAbsent) => {
            fitting(&found.installed, &[]).into_iter().cloned().collect()
        }
        // Which cards there are is not known.
        Err(ReaderError::Failed(_)) => found.installed,
    };
    let mut signers: Vec<Signer> = Vec::new();
    for Examined { module, outcome } in examine::examine(wanted, &quarantine, PATIENCE)? {
        let tokens = match outcome {
            Outcome::Works(tokens) => tokens,
            Outcome::Failed(error) => {
                leave_out(&module, &credential::of_token(&error), as_json);
                continue;
            }
            Outcome::Quarantined(_) => {
                leave_out(&module, &Failure::new(ErrorCode::ModuleQuarantined), as_json);
                continue;
            }
        };
        for seen in tokens {
            match seen.credentials {
                Ok(credentials) => {
                    // One that cannot be read must not hide the others.
                    signers.extend(credentials.into_iter().filter_map(|it| credential::parse(it).ok()));
                }
                Err(error) => leave_out(&module, &credential::of_token(&error), as_json),
            }
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    signers.retain(|signer| seen.insert(CredentialId::of(&signer.certificate).to_string()));
    Ok(signers)
}

fn leave_out(module: &Installed, failure: &Failure, as_json: bool) {
    if !as_json {
        screen::error_line(&format!("{} ({})", module.product, module.path.display()));
        failure.show(false);
    }
}

fn show(signers: &[Signer]) {
    let language = language();
    if signers.is_empty() {
        screen::line(language.choose([
            "Nenhum certificado encontrado.",
            "No certificate found.",
            "Ningún certificado encontrado.",
        ]));
    }
    for signer in signers {
        let certificate = &signer.certificate;
        let holder = Holder::of(certificate);
        let number = holder.identifier.as_ref().map(|identifier| format!(" ({})", identifier.masked()));
        let [issuer, until, id, token] = [
            ["Emissor", "Issuer", "Emisor"],
            ["Válido até", "Valid until", "Válido hasta"],
            ["Identificador", "Identifier", "Identificador"],
            ["Token", "Token", "Token"],
        ]
        .map(|sentence| language.choose(sentence));
        screen::line(&format!("{}{} · {}", holder.name, number.unwrap_or_default(), holder.kind.as_str()));
        if let Some(name) = certificate.issuer_common_name() {
            screen::line(&format!("  {issuer}: {name}"));
        }
        if let Some(end) = Moment::new(certificate.not_after(), 0) {
            screen::line(&format!("  {until}: {}", end.to_brazilian()));
        }
        screen::line(&format!("  {id}: {}", CredentialId::of(certificate)));
        if let Some(label) = &signer.credential.token_label {
            screen::line(&format!("  {token}: {label}"));
        }
    }
}
