//! `certificates`: what can sign, from an A1 file, a module, or every module found here.

use std::process::ExitCode;

use serde_json::json;
use signer_core::{
    credential::{CredentialId, Holder},
    moment::Moment,
};

use crate::{
    cli::{
        arguments::{CertificatesArguments, CredentialArguments, language},
        credential,
        failure::Failure,
        json, screen,
    },
    sign::Signer,
    token::modules,
};

/// Runs the command.
pub(super) fn run(arguments: &CertificatesArguments) -> ExitCode {
    let named = [&arguments.credential.p12, &arguments.credential.module].iter().any(|path| path.is_some())
        || arguments.credential.credential.is_some();
    let found = if named { list(&arguments.credential) } else { Ok(list_everywhere(arguments.json)) };
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

/// What every module on this machine shows without a PIN. A module that fails is said and skipped.
fn list_everywhere(as_json: bool) -> Vec<Signer> {
    let mut signers: Vec<Signer> = Vec::new();
    for module in modules::installed() {
        let arguments = CredentialArguments {
            p12: None,
            credential: None,
            p12_password_file: None,
            module: Some(module.path.clone()),
            token: None,
            pin_file: None,
            certificate: None,
        };
        match list(&arguments) {
            Ok(found) => signers.extend(found),
            Err(failure) if !as_json => {
                screen::error_line(&format!("{} ({})", module.product, module.path.display()));
                failure.show(false);
            }
            Err(_) => {}
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    signers.retain(|signer| seen.insert(CredentialId::of(&signer.certificate).to_string()));
    signers
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
