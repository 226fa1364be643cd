//! `modules`: which PKCS#11 modules are used here, which are not and why; and the way back for
//! one that is in quarantine. Nothing is loaded.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use serde_json::{Value, json};
use signer_core::{error::ErrorCode, moment::Moment};

use crate::{
    cli::{
        arguments::{ModulesCommand, language},
        failure::Failure,
        json, screen,
    },
    clock,
    config::Config,
    dirs::Dirs,
    text::modules as words,
    token::{
        architecture::Mismatch,
        modules::{
            Cards, Discovery, Installed, LeftOut, Origin, Reason,
            discovery::Places,
            known,
            p11_kit::Unused,
            quarantine::{Incident, Quarantine, Quarantined, What},
        },
    },
};

/// Runs the command.
pub(super) fn run(command: &ModulesCommand) -> ExitCode {
    let (result, as_json) = match command {
        ModulesCommand::List { json } => (list(*json), *json),
        ModulesCommand::Retry { module } => (retry(module), false),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.show(as_json),
    }
}

/// The modules of this login, as its service sees them, and one that was named here.
pub(super) fn discover(named: Option<&Path>) -> Result<Discovery, Failure> {
    let dirs = dirs()?;
    let config =
        Config::read_or_default(&dirs.config_file()).map_err(|error| Failure::of(error.code(), &error))?;
    Ok(Places { command_line: named.map(Path::to_owned), ..Places::of_login(&config) }.discover())
}

/// The quarantine of this login. Its folder is made, so that something can be written.
pub(super) fn quarantine() -> Result<Quarantine, Failure> {
    let dirs = dirs()?;
    dirs.state().map_err(|error| Failure::of(ErrorCode::OutputUnwritable, &error))?;
    Ok(Quarantine::open(dirs.quarantine_file()))
}

/// The folders of this login.
pub(super) fn dirs() -> Result<Dirs, Failure> {
    Dirs::of_login().map_err(|error| Failure::of(ErrorCode::InputUnreadable, &error))
}

fn list(as_json: bool) -> Result<(), Failure> {
    let (found, quarantine) = (discover(None)?, quarantine()?);
    let damage = quarantine.inmates().damage.map(|damage| damage.to_string());
    let state = |module: &Installed| quarantine.reason(&module.path);
    if as_json {
        let modules: Vec<_> =
            found.installed.iter().map(|module| installed_json(module, state(module))).collect();
        screen::json(&json!({
            "modules": modules,
            "leftOut": found.left_out.iter().map(left_out_json).collect::<Vec<_>>(),
            "quarantineDamage": damage,
        }));
        return Ok(());
    }
    if let Some(damage) = damage {
        screen::error_line(&damage);
    }
    show(&found, state);
    Ok(())
}

fn show(found: &Discovery, state: impl Fn(&Installed) -> Option<Quarantined>) {
    let language = language();
    if found.installed.is_empty() {
        screen::line(language.choose([
            "Nenhum módulo PKCS#11 instalado.",
            "No PKCS#11 module is installed.",
            "Ningún módulo PKCS#11 instalado.",
        ]));
    }
    for module in &found.installed {
        screen::line(&format!("{} ({})", module.product, module.path.display()));
        screen::line(&format!("  {}", words::origin(language, &module.origin)));
        match state(module) {
            None => screen::line(language.choose([
                "  pronto para ser usado",
                "  ready to be used",
                "  listo para usarse",
            ])),
            Some(held) => {
                screen::line(language.choose([
                    "  em quarentena, não é carregado:",
                    "  in quarantine, not loaded:",
                    "  en cuarentena, no se carga:",
                ]));
                show_incidents("    ", &held.incidents);
                screen::line(&format!("  {}", language.remedy(ErrorCode::ModuleQuarantined.remedy())));
            }
        }
    }
    if !found.left_out.is_empty() {
        screen::line(language.choose(["Não usados:", "Not used:", "No usados:"]));
    }
    for module in &found.left_out {
        screen::line(&format!("  {}", left_out(module)));
    }
}

/// What happened to a module, one line each.
pub(super) fn show_incidents(indent: &str, incidents: &[Incident]) {
    for incident in incidents {
        let words = words::incident(language(), incident);
        screen::line(&format!("{indent}{}: {words}", when(incident.at)));
    }
}

/// A module that is not used, and why, on one line.
pub(super) fn left_out(module: &LeftOut) -> String {
    let language = language();
    let path = module.path.as_deref().or(match &module.origin {
        Origin::P11Kit { file, .. } => Some(file),
        Origin::CommandLine | Origin::Configuration | Origin::Environment | Origin::Known => None,
    });
    let path = path.map(|path| format!(" ({})", path.display())).unwrap_or_default();
    format!("{}{path}: {}", module.product, words::reason(language, &module.reason))
}

/// A time, in the zone of this machine.
fn when(unix_seconds: i64) -> String {
    let zone = clock::now().map_or(0, Moment::offset_minutes);
    Moment::new(unix_seconds, zone).map(Moment::to_brazilian).unwrap_or_default()
}

fn retry(wanted: &str) -> Result<(), Failure> {
    let quarantine = quarantine()?;
    let products = discover(None)?.installed;
    let path = std::path::absolute(wanted).unwrap_or_else(|_| PathBuf::from(wanted));
    let product = |held: &Quarantined| {
        let installed = products.iter().find(|module| module.path == held.path);
        let known = || known::of_file(&held.path).map(|product| product.name.clone());
        installed.map(|module| module.product.clone()).or_else(known).unwrap_or_default()
    };
    let fits = |held: &Quarantined| {
        held.path == path || product(held).to_lowercase() == wanted.trim().to_lowercase()
    };
    let held: Vec<_> = quarantine.inmates().modules.into_iter().filter(fits).collect();
    if held.is_empty() {
        return Err(Failure::new(ErrorCode::ModuleNotFound).with_note(language().choose([
            "Nenhum módulo em quarentena tem esse caminho ou produto; «modules list» mostra quais há.",
            "No module in quarantine has that path or product; 'modules list' shows which there are.",
            "Ningún módulo en cuarentena tiene esa ruta o producto; «modules list» muestra cuáles hay.",
        ])));
    }
    for module in held {
        quarantine.release(&module.path).map_err(|error| Failure::of(ErrorCode::OutputUnwritable, &error))?;
        let sentence = language().choose([
            "Liberado; será carregado de novo na próxima vez:",
            "Released; it is loaded again next time:",
            "Liberado; se cargará de nuevo la próxima vez:",
        ]);
        screen::line(&format!("{sentence} {}", module.path.display()));
    }
    Ok(())
}

/// A module that can be used, for programs.
pub(super) fn installed_json(module: &Installed, held: Option<Quarantined>) -> Value {
    json!({
        "product": module.product,
        "path": module.path,
        "origin": origin_json(&module.origin),
        "cards": match module.cards {
            Cards::Any => "any",
            Cards::Independent => "independent",
            Cards::Listed(_) => "listed",
        },
        "state": if held.is_some() { "quarantined" } else { "ready" },
        "incidents": held.map_or_else(Vec::new, |held| held.incidents.iter().map(incident_json).collect()),
    })
}

/// A module that is not used, for programs.
pub(super) fn left_out_json(module: &LeftOut) -> Value {
    let (reason, detail) = reason_code(&module.reason);
    json!({
        "product": module.product,
        "path": module.path,
        "origin": origin_json(&module.origin),
        "reason": reason,
        "detail": detail,
    })
}

/// What happened to a module, for programs.
pub(super) fn incident_json(incident: &Incident) -> Value {
    json!({
        "what": match incident.what {
            What::Crashed { .. } => "crashed",
            What::Hung { .. } => "hung",
        },
        "detail": incident.what.to_string(),
        "step": incident.step,
        "at": json::moment(incident.at),
    })
}

fn origin_json(origin: &Origin) -> Value {
    match origin {
        Origin::CommandLine => json!({ "kind": "command-line" }),
        Origin::Configuration => json!({ "kind": "configuration" }),
        Origin::Environment => json!({ "kind": "environment" }),
        Origin::Known => json!({ "kind": "known" }),
        Origin::P11Kit { file, critical } => json!({ "kind": "p11-kit", "file": file, "critical": critical }),
    }
}

fn reason_code(reason: &Reason) -> (&'static str, Option<String>) {
    let path = |path: &PathBuf| Some(path.display().to_string());
    match reason {
        Reason::Architecture(Mismatch { found, expected, .. }) => {
            ("architecture", Some(format!("{found}; this program is for {expected}")))
        }
        Reason::Duplicate(other) => ("duplicate", path(other)),
        Reason::Missing => ("missing", None),
        Reason::NotALibrary => ("not-a-library", None),
        Reason::NotNamed => ("not-named", None),
        Reason::P11Kit(unused) => match unused {
            Unused::Disabled => ("disabled", None),
            Unused::FileName => ("file-name", None),
            Unused::Malformed(words) => ("malformed", Some(words.clone())),
            Unused::Nameless => ("nameless", None),
            Unused::Remote => ("remote", None),
            Unused::TrustPolicy => ("trust-policy", None),
        },
        Reason::Relative => ("relative", None),
        Reason::SameProduct(other) => ("same-product", path(other)),
        Reason::Unreadable(words) => ("unreadable", Some(words.clone())),
    }
}
