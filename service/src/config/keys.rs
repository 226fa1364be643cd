//! From the text of the configuration to its values: every key that there is, and where a
//! fault stands.

use std::{path::PathBuf, time::Duration};

use serde::Deserialize;
use signer_core::approval::Deadlines;
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::config::{
    Config, DocumentLimit, Fault, IdleTime, KnownModules, LogLevel, Ports, TerminalUse, VERSION,
};

/// Every key, with its table.
pub(super) const ALL: &[&str] = &[
    "version",
    "log",
    "http.ports",
    "http.document_limit",
    "approval.answer_seconds",
    "approval.secret_seconds",
    "approval.token_seconds",
    "ask.terminal",
    "ask.tray",
    "credentials.folder",
    "tokens.modules",
    "tokens.known_modules",
    "tokens.idle_seconds",
];

/// Names further apart than this are not offered.
const NEAR: f64 = 0.7;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: Option<Spanned<u32>>,
    #[serde(default)]
    log: LogLevel,
    #[serde(default)]
    http: Http,
    #[serde(default)]
    approval: Approval,
    #[serde(default)]
    ask: Ask,
    #[serde(default)]
    credentials: Credentials,
    #[serde(default)]
    tokens: Tokens,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Http {
    ports: Option<Spanned<Vec<u16>>>,
    document_limit: Option<Spanned<u64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Approval {
    answer_seconds: Option<Spanned<u64>>,
    secret_seconds: Option<Spanned<u64>>,
    token_seconds: Option<Spanned<u64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    #[serde(default)]
    terminal: TerminalUse,
    tray: Option<Spanned<PathBuf>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Credentials {
    folder: Option<Spanned<PathBuf>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tokens {
    #[serde(default)]
    modules: Vec<Spanned<PathBuf>>,
    known_modules: Option<bool>,
    idle_seconds: Option<Spanned<u64>>,
}

/// The configuration of a text, or where in it what is wrong.
pub(super) fn parse(text: &str) -> Result<Config, (usize, Fault)> {
    let table = DeTable::parse(text).map_err(|error| syntax(&error))?;
    unknown(table.get_ref(), "")?;
    let file: File = toml::from_str(text).map_err(|error| syntax(&error))?;
    match &file.version {
        Some(version) if *version.get_ref() == VERSION => {}
        Some(version) => return Err((version.span().start, Fault::Version(*version.get_ref()))),
        None => return Err((0, Fault::Value { key: "version", expected: "1" })),
    }
    Ok(Config {
        log: file.log,
        ports: ports(file.http.ports)?,
        document_limit: document_limit(file.http.document_limit)?,
        deadlines: deadlines(&file.approval)?,
        terminal: file.ask.terminal,
        tray: file.ask.tray.map(|path| absolute(path, "ask.tray")).transpose()?,
        credential_folder: file
            .credentials
            .folder
            .map(|path| absolute(path, "credentials.folder"))
            .transpose()?,
        modules: file
            .tokens
            .modules
            .into_iter()
            .map(|path| absolute(path, "tokens.modules"))
            .collect::<Result<_, _>>()?,
        known_modules: match file.tokens.known_modules {
            Some(false) => KnownModules::Ignored,
            Some(true) | None => KnownModules::Used,
        },
        idle: file
            .tokens
            .idle_seconds
            .map_or(Ok(IdleTime::default()), |value| seconds(&value, "tokens.idle_seconds").map(IdleTime))?,
    })
}

fn syntax(error: &toml::de::Error) -> (usize, Fault) {
    let message = error.message().lines().next().unwrap_or_default();
    (error.span().map_or(0, |span| span.start), Fault::Syntax(message.to_owned()))
}

/// Finds the first key that is none of ours.
fn unknown(table: &DeTable<'_>, prefix: &str) -> Result<(), (usize, Fault)> {
    for (name, value) in table {
        let key = format!("{prefix}{}", name.get_ref());
        let inside = format!("{key}.");
        if ALL.contains(&key.as_str()) {
            continue;
        }
        match value.get_ref() {
            DeValue::Table(inner) if ALL.iter().any(|known| known.starts_with(&inside)) => {
                unknown(inner, &inside)?;
            }
            DeValue::Array(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Float(_)
            | DeValue::Integer(_)
            | DeValue::String(_)
            | DeValue::Table(_) => {
                let nearest = nearest(&key);
                return Err((name.span().start, Fault::UnknownKey { key, nearest }));
            }
        }
    }
    Ok(())
}

fn nearest(key: &str) -> Option<String> {
    let likeness = |known: &&&str| strsim::jaro_winkler(key, known);
    let best = ALL.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) >= NEAR).then(|| (*best).to_owned())
}

fn ports(value: Option<Spanned<Vec<u16>>>) -> Result<Ports, (usize, Fault)> {
    let Some(value) = value else { return Ok(Ports::default()) };
    let start = value.span().start;
    let ports = value.into_inner();
    if ports.is_empty() || ports.contains(&0) {
        return Err((start, Fault::Value { key: "http.ports", expected: "a list of ports, at least one" }));
    }
    Ok(Ports(ports))
}

fn document_limit(value: Option<Spanned<u64>>) -> Result<DocumentLimit, (usize, Fault)> {
    let Some(value) = value else { return Ok(DocumentLimit::default()) };
    if *value.get_ref() == 0 {
        let fault = Fault::Value { key: "http.document_limit", expected: "a number of bytes, at least one" };
        return Err((value.span().start, fault));
    }
    Ok(DocumentLimit(value.into_inner()))
}

fn deadlines(approval: &Approval) -> Result<Deadlines, (usize, Fault)> {
    let mut deadlines = Deadlines::default();
    let set = |value: &Option<Spanned<u64>>, key, place: &mut Duration| {
        if let Some(value) = value {
            *place = seconds(value, key)?;
        }
        Ok(())
    };
    set(&approval.answer_seconds, "approval.answer_seconds", &mut deadlines.presented)?;
    set(&approval.secret_seconds, "approval.secret_seconds", &mut deadlines.unlocking)?;
    set(&approval.token_seconds, "approval.token_seconds", &mut deadlines.awaiting_token)?;
    Ok(deadlines)
}

fn seconds(value: &Spanned<u64>, key: &'static str) -> Result<Duration, (usize, Fault)> {
    if (10..=3600).contains(value.get_ref()) {
        Ok(Duration::from_secs(*value.get_ref()))
    } else {
        Err((value.span().start, Fault::Value { key, expected: "10 to 3600 seconds" }))
    }
}

fn absolute(value: Spanned<PathBuf>, key: &'static str) -> Result<PathBuf, (usize, Fault)> {
    let start = value.span().start;
    let path = value.into_inner();
    if path.is_absolute() {
        Ok(path)
    } else {
        Err((start, Fault::Value { key, expected: "an absolute path" }))
    }
}
