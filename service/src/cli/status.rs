//! `status`: whether the service of this login runs, and where its files are.

use std::process::ExitCode;

use serde_json::json;
use signer_core::error::ErrorCode;

use crate::{
    cli::{
        arguments::{StatusArguments, language},
        failure::Failure,
        screen,
    },
    dirs::Dirs,
    serve::Presence,
};

/// Runs the command. The exit code is 1 where no service runs.
pub(super) fn run(arguments: &StatusArguments) -> ExitCode {
    let failed = |error: &dyn std::error::Error| Failure::of(ErrorCode::OutputUnwritable, error);
    let dirs = match Dirs::of_login() {
        Ok(dirs) => dirs,
        Err(error) => return failed(&error).show(arguments.json),
    };
    let presence = match dirs.runtime() {
        Ok(directory) => Presence::read(directory),
        Err(error) => return failed(&error).show(arguments.json),
    };
    if arguments.json {
        screen::json(&json!({
            "running": presence.is_some(),
            "process": presence.as_ref().map(|presence| presence.process),
            "ports": presence.as_ref().map(|presence| &presence.ports),
            "configuration": dirs.config_file(),
            "audit": dirs.audit_path(),
        }));
    } else {
        let say = |sentence| language().choose(sentence);
        match &presence {
            Some(presence) => {
                let runs = say(["Em execução", "Running", "En ejecución"]);
                let process = say(["processo", "process", "proceso"]);
                screen::line(&format!("{runs} ({process} {})", presence.process));
                for port in &presence.ports {
                    screen::line(&format!("  http://127.0.0.1:{port}/ccsp/v1/status"));
                }
            }
            None => screen::line(say([
                "O serviço não está em execução.",
                "The service does not run.",
                "El servicio no está en ejecución.",
            ])),
        }
        let configuration = say(["configuração", "configuration", "configuración"]);
        screen::line(&format!("  {configuration}: {}", dirs.config_file().display()));
        let audit = say(["trilha de auditoria", "audit trail", "registro de auditoría"]);
        screen::line(&format!("  {audit}: {}", dirs.audit_path().display()));
    }
    if presence.is_some() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
