//! `audit`: lists the audit trail and verifies its chain.

use std::{collections::VecDeque, process::ExitCode};

use serde_json::{Value, json};
use signer_core::{
    audit::{Client, Event, Record},
    error::ErrorCode,
};

use crate::{
    audit::trail::{self, Found},
    cli::{
        arguments::{AuditCommand, language},
        failure::Failure,
        screen,
    },
    dirs::Dirs,
};

/// What is wrong with the trail, as far as it was read.
#[derive(Default)]
struct Faults {
    breaks: Vec<Value>,
    /// The file whose last line has no end.
    torn: Option<String>,
}

/// Runs the command.
pub(super) fn run(command: &AuditCommand) -> ExitCode {
    let (result, as_json) = match command {
        AuditCommand::List { last, json } => (list(*last, *json), *json),
        AuditCommand::Verify { json } => (verify(*json), *json),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.show(as_json),
    }
}

/// Lists the records that can be read, also of a trail that is broken; its end says so.
fn list(last: Option<usize>, as_json: bool) -> Result<(), Failure> {
    let mut records: VecDeque<Box<Record>> = VecDeque::new();
    let faults = read(|record| {
        records.push_back(record);
        if last.is_some_and(|last| records.len() > last) {
            records.pop_front();
        }
    })?;
    if as_json {
        // The lines themselves: they are JSON.
        let lines = records.iter().map(|record| serde_json::from_str(&record.to_line()));
        let lines = lines.collect::<Result<Vec<Value>, _>>();
        let lines = lines.map_err(|error| Failure::of(ErrorCode::Internal, &error))?;
        screen::json(&json!({ "records": lines, "breaks": faults.breaks, "torn": faults.torn }));
    } else {
        for record in &records {
            screen::line(&describe(record));
        }
    }
    faults.judge()
}

fn verify(as_json: bool) -> Result<(), Failure> {
    let mut count = 0_u64;
    let mut end = None;
    let faults = read(|record| {
        count += 1;
        end = Some(record);
    })?;
    if !faults.breaks.is_empty() {
        return faults.judge();
    }
    let newest = end.map(|record| record.entry.time.to_rfc3339());
    if as_json {
        let torn = &faults.torn;
        screen::json(&json!({ "records": count, "newest": newest, "intact": true, "torn": torn }));
        return Ok(());
    }
    let say = |sentence| language().choose(sentence);
    let (records, unbroken) = (
        say(["registros", "records", "registros"]),
        say(["cadeia íntegra", "chain intact", "cadena íntegra"]),
    );
    screen::line(&format!("{count} {records}, {unbroken}"));
    if let Some(newest) = newest {
        screen::line(&format!("{}: {newest}", say(["o mais novo", "newest", "el más nuevo"])));
    }
    if let Some(file) = faults.torn {
        let unfinished = say([
            "a última linha não tem fim (o serviço escreve, ou foi interrompido)",
            "the last line has no end (the service writes, or was interrupted)",
            "la última línea no tiene fin (el servicio escribe, o fue interrumpido)",
        ]);
        screen::line(&format!("{file}: {unfinished}"));
    }
    Ok(())
}

/// Reads the whole trail and gives every record whose line can be read to `take`.
fn read(mut take: impl FnMut(Box<Record>)) -> Result<Faults, Failure> {
    let dirs = Dirs::of_login().map_err(|error| Failure::of(ErrorCode::InputUnreadable, &error))?;
    let mut faults = Faults::default();
    trail::read(&dirs.audit_path(), |found| match found {
        Found::Record(record) => take(record),
        Found::Break { file, fault } => faults.breaks.push(json!({
            "file": file,
            "line": fault.line,
            "fault": fault.fault.to_string(),
        })),
        Found::Torn { file } => faults.torn = Some(file.display().to_string()),
    })
    .map_err(|error| Failure::of(ErrorCode::InputUnreadable, &error))?;
    Ok(faults)
}

impl Faults {
    /// A failure where the chain is broken.
    fn judge(self) -> Result<(), Failure> {
        let Some(first) = self.breaks.first() else { return Ok(()) };
        let text =
            |key: &str| first.get(key).map(|value| value.as_str().map_or(value.to_string(), str::to_owned));
        let note = format!(
            "{}:{}: {}",
            text("file").unwrap_or_default(),
            text("line").unwrap_or_default(),
            text("fault").unwrap_or_default()
        );
        Err(Failure::new(ErrorCode::AuditBroken).with_note(note).with_fact("breaks", self.breaks))
    }
}

/// A record on one line.
fn describe(record: &Record) -> String {
    let entry = &record.entry;
    let client = match &entry.client {
        Client::Program { name } => name.clone().unwrap_or_else(|| "?".to_owned()),
        Client::Site { origin } => origin.clone(),
    };
    let event = match entry.event {
        Event::Intent => "intent".to_owned(),
        Event::Outcome(outcome) => match outcome.code() {
            Some(code) => format!("{} ({code})", outcome.as_str()),
            None => outcome.as_str().to_owned(),
        },
    };
    let mut line = format!(
        "{:>6}  {}  {:<9}  {event}  {client}",
        record.sequence,
        entry.time.to_rfc3339(),
        entry.kind.as_str()
    );
    if let Some(certificate) = &entry.certificate {
        let id = certificate.to_string();
        line.push_str(&format!("  {}", id.get(..16).unwrap_or(&id)));
    }
    for document in &entry.documents {
        let digest = document.digest.to_hex();
        line.push_str(&format!("\n        {} {digest}", document.digest.algorithm().name()));
        if let Some(code) = document.code {
            line.push_str(&format!("  {code}"));
        }
    }
    line
}
