//! `pairings`: who was let in for good, and who is refused for good.
//!
//! A running service has them in its memory: an answer is taken back only while none runs.

use std::process::ExitCode;

use serde_json::json;
use signer_core::error::ErrorCode;

use crate::{
    ccsp::{Binding, PairingStore},
    cli::{
        arguments::{PairingsCommand, language},
        failure::Failure,
        json, screen,
    },
    clock,
    dirs::Dirs,
    serve::Lock,
};

/// Runs the command.
pub(super) fn run(command: &PairingsCommand) -> ExitCode {
    let (result, as_json) = match command {
        PairingsCommand::List { json } => (list(*json), *json),
        PairingsCommand::Remove { client } => (remove(client), false),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.show(as_json),
    }
}

fn list(as_json: bool) -> Result<(), Failure> {
    let store = store()?;
    let (accepted, refused) = store.list(now()?).map_err(Failure::new)?;
    if let Some(aside) = store.set_aside() {
        let sentence = language().choose([
            "O arquivo das permissões estava danificado e foi guardado como",
            "The file of pairings was damaged and was set aside as",
            "El archivo de permisos estaba dañado y se guardó como",
        ]);
        screen::error_line(&format!("{sentence} {}", aside.display()));
    }
    if as_json {
        let accepted: Vec<_> = accepted
            .iter()
            .map(|pairing| {
                json!({
                    "client": client(&pairing.client),
                    "scopes": pairing.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>(),
                    "createdAt": json::moment(pairing.created),
                    "expiresAt": json::moment(pairing.expires),
                })
            })
            .collect();
        let refused: Vec<_> = refused.iter().map(client).collect();
        screen::json(&json!({ "accepted": accepted, "refused": refused }));
        return Ok(());
    }
    let say = |sentence| language().choose(sentence);
    for pairing in &accepted {
        let scopes: Vec<_> = pairing.scopes.iter().map(|scope| scope.as_str()).collect();
        let until = json::moment(pairing.expires).unwrap_or_default();
        screen::line(&format!(
            "{}  {} ({}), {} {until}",
            say(["aceito  ", "accepted", "aceptado "]),
            client(&pairing.client),
            scopes.join(", "),
            say(["até", "until", "hasta"]),
        ));
    }
    for binding in &refused {
        screen::line(&format!("{}  {}", say(["recusado", "refused ", "rechazado"]), client(binding)));
    }
    Ok(())
}

fn remove(wanted: &str) -> Result<(), Failure> {
    let dirs = dirs()?;
    let runtime = dirs.runtime().map_err(|error| Failure::of(ErrorCode::OutputUnwritable, &error))?;
    // Held to the end: no service begins meanwhile.
    let _lock = Lock::take(runtime).map_err(|error| {
        Failure::of(error.code(), &error).with_note(language().choose([
            "Termine o serviço antes de retirar uma resposta.",
            "End the service before an answer is taken back.",
            "Termine el servicio antes de retirar una respuesta.",
        ]))
    })?;
    let (store, now) = (store()?, now()?);
    let (accepted, refused) = store.list(now).map_err(Failure::new)?;
    let mut removed = 0_usize;
    for pairing in accepted.iter().filter(|pairing| client(&pairing.client) == wanted) {
        store.end(pairing.number, now).map_err(Failure::new)?;
        removed += 1;
    }
    for binding in refused.iter().filter(|binding| client(binding) == wanted) {
        store.forgive(binding, now).map_err(Failure::new)?;
        removed += 1;
    }
    if removed == 0 {
        return Err(Failure::new(ErrorCode::ResourceNotFound).with_note(wanted));
    }
    Ok(())
}

fn dirs() -> Result<Dirs, Failure> {
    Dirs::of_login().map_err(|error| Failure::of(ErrorCode::InputUnreadable, &error))
}

fn store() -> Result<PairingStore, Failure> {
    Ok(PairingStore::new(dirs()?.pairings_file()))
}

fn now() -> Result<i64, Failure> {
    clock::now().map(|moment| moment.unix_seconds()).map_err(|error| Failure::of(ErrorCode::Internal, &error))
}

/// A client as the person names it.
fn client(binding: &Binding) -> String {
    match binding {
        Binding::Program { path } => path.clone().unwrap_or_else(|| "?".to_owned()),
        Binding::Site { origin } => origin.clone(),
    }
}
