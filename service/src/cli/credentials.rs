//! `credentials`: which A1 files the service offers.

use std::process::ExitCode;

use serde_json::{Value, json};
use signer_core::{
    cms::certificate::Certificate,
    credential::{CredentialId, Holder},
    error::ErrorCode,
};

use crate::{
    cli::{
        arguments::{CredentialAddArguments, CredentialsCommand},
        credential,
        failure::Failure,
        screen,
    },
    credentials::registered::{Entry, Registered},
    dirs::Dirs,
};

/// Runs the command.
pub(super) fn run(command: &CredentialsCommand) -> ExitCode {
    let (result, as_json) = match command {
        CredentialsCommand::Add(arguments) => (add(arguments), false),
        CredentialsCommand::List { json } => (list(*json), *json),
        CredentialsCommand::Remove { id } => (remove(id), false),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.show(as_json),
    }
}

fn add(arguments: &CredentialAddArguments) -> Result<(), Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::of(ErrorCode::InputUnreadable, &error).with_note(arguments.file.display().to_string())
    };
    let path = arguments.file.canonicalize().map_err(unreadable)?;
    let mut opened = credential::open_file(&path, arguments.p12_password_file.as_deref())?;
    let (dirs, mut registered) = read()?;
    let mut lines = Vec::new();
    for found in opened.host.credentials(None).map_err(|error| credential::of_token(&error))? {
        let entry = Entry { path: path.clone(), certificate: found.certificate_der, chain: found.chain_der };
        lines.push(describe(&entry));
        registered.add(entry);
    }
    dirs.state().map_err(|error| Failure::of(ErrorCode::OutputUnwritable, &error))?;
    write(&dirs, &registered)?;
    for line in lines {
        screen::line(&line);
    }
    Ok(())
}

fn list(as_json: bool) -> Result<(), Failure> {
    let (_, registered) = read()?;
    if as_json {
        let entries: Vec<Value> = registered
            .entries()
            .iter()
            .map(|entry| json!({ "id": entry.id().map(|id| id.to_string()), "file": entry.path }))
            .collect();
        screen::json(&json!({ "credentials": entries }));
    } else {
        for entry in registered.entries() {
            screen::line(&describe(entry));
        }
    }
    Ok(())
}

fn remove(id: &str) -> Result<(), Failure> {
    let (dirs, mut registered) = read()?;
    let removed = registered.remove(id);
    if removed.is_empty() {
        return Err(Failure::new(ErrorCode::CredentialNotFound));
    }
    write(&dirs, &registered)?;
    for entry in &removed {
        screen::line(&describe(entry));
    }
    Ok(())
}

fn read() -> Result<(Dirs, Registered), Failure> {
    let dirs = Dirs::of_login().map_err(|error| Failure::of(ErrorCode::InputUnreadable, &error))?;
    let registered =
        Registered::read(&dirs.credentials_file()).map_err(|error| Failure::of(error.code(), &error))?;
    Ok((dirs, registered))
}

fn write(dirs: &Dirs, registered: &Registered) -> Result<(), Failure> {
    registered.write(&dirs.credentials_file()).map_err(|error| Failure::of(error.code(), &error))
}

/// Identifier, holder and file, on one line.
fn describe(entry: &Entry) -> String {
    let certificate = Certificate::from_der(&entry.certificate).ok();
    let id = certificate.as_ref().map(|it| CredentialId::of(it).to_string()).unwrap_or_default();
    let holder = certificate.as_ref().map(|it| Holder::of(it).name).unwrap_or_default();
    format!("{}  {holder}  {}", id.get(..16).unwrap_or(&id), entry.path.display())
}
