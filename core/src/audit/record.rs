//! A record as a line and back.
//!
//! Reading takes the values out and writes them again: a line that is not the same bytes then
//! is not one of ours. So there is one description of the form, the one that writes.

use crate::{
    audit::{Boot, Client, Document, Entry, Event, Kind, LineError, Outcome, Record},
    credential::CredentialId,
    digest::{Digest, DigestAlgorithm},
    error::ErrorCode,
    json::{Json, object},
    moment::Moment,
};

/// The version of the form, in every line.
const VERSION: u64 = 1;

impl Record {
    /// Reads a line, given without its line feed.
    ///
    /// # Errors
    /// Where it is not exactly what [`Record::to_line`] writes.
    pub fn parse(line: &[u8]) -> Result<Self, LineError> {
        let text = std::str::from_utf8(line).map_err(|_| LineError::Unreadable)?;
        let json = Json::parse(text).map_err(|_| LineError::Unreadable)?;
        let record = read(&json).ok_or(LineError::Unreadable)?;
        if record.to_line() == text { Ok(record) } else { Err(LineError::NotCanonical) }
    }

    /// The record as its line, without a line feed.
    pub fn to_line(&self) -> String {
        let Entry { approval, boot, certificate, client, documents, event, kind, time } = &self.entry;
        let (event, outcome) = match event {
            Event::Intent => ("intent", None),
            Event::Outcome(outcome) => ("outcome", Some(outcome)),
        };
        object([
            ("version", number(VERSION)),
            ("sequence", number(self.sequence)),
            ("previous", Json::from(self.previous.to_hex())),
            ("time", Json::from(time.to_rfc3339())),
            ("boot", Json::from(boot.to_hex())),
            ("approval", number(*approval)),
            ("event", Json::from(event)),
            ("kind", Json::from(kind.as_str())),
            ("client", of_client(client)),
            ("certificate", certificate.as_ref().map_or(Json::Null, |id| Json::from(id.to_string()))),
            ("documents", Json::Array(documents.iter().map(of_document).collect())),
            ("outcome", outcome.map_or(Json::Null, |outcome| Json::from(outcome.as_str()))),
            ("code", of_code(outcome.and_then(|outcome| outcome.code()))),
        ])
        .to_canonical()
    }
}

impl Boot {
    /// The value in lower-case hexadecimal.
    pub fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn parse(text: &str) -> Option<Self> {
        let value = u128::from_str_radix(text, 16).ok()?;
        Some(Self(value.to_be_bytes()))
    }
}

fn of_client(client: &Client) -> Json {
    match client {
        Client::Program { name } => object([
            ("kind", Json::from("program")),
            ("name", name.as_deref().map_or(Json::Null, Json::from)),
        ]),
        Client::Site { origin } => {
            object([("kind", Json::from("site")), ("origin", Json::from(origin.as_str()))])
        }
    }
}

fn of_document(document: &Document) -> Json {
    object([
        ("algorithm", Json::from(document.digest.algorithm().name())),
        ("code", of_code(document.code)),
        ("digest", Json::from(document.digest.to_hex())),
    ])
}

fn of_code(code: Option<ErrorCode>) -> Json {
    code.map_or(Json::Null, |code| Json::from(code.as_str()))
}

fn number(value: u64) -> Json {
    Json::Integer(i64::try_from(value).unwrap_or(i64::MAX))
}

fn read(json: &Json) -> Option<Record> {
    if unsigned(json, "version")? != VERSION {
        return None;
    }
    let entry = Entry {
        approval: unsigned(json, "approval")?,
        boot: Boot::parse(text(json, "boot")?)?,
        certificate: optional(json, "certificate", CredentialId::parse)?,
        client: client(json.member("client")?)?,
        documents: json.member("documents")?.as_array()?.iter().map(document).collect::<Option<_>>()?,
        event: event(json)?,
        kind: [Kind::Pairing, Kind::Selection, Kind::Signature]
            .into_iter()
            .find(|kind| text(json, "kind") == Some(kind.as_str()))?,
        time: Moment::parse_rfc3339(text(json, "time")?)?,
    };
    let previous = Digest::from_hex(DigestAlgorithm::Sha256, text(json, "previous")?)?;
    Some(Record { sequence: unsigned(json, "sequence")?, previous, entry })
}

fn event(json: &Json) -> Option<Event> {
    let outcome = match (text(json, "event")?, json.member("outcome")?) {
        ("intent", Json::Null) => return Some(Event::Intent),
        ("outcome", outcome) => outcome.as_text()?,
        _ => return None,
    };
    let failed = optional(json, "code", code)?.map(Outcome::Failed);
    [Outcome::Approved, Outcome::Cancelled, Outcome::Denied, Outcome::Expired]
        .into_iter()
        .chain(failed)
        .find(|known| known.as_str() == outcome)
        .map(Event::Outcome)
}

fn client(json: &Json) -> Option<Client> {
    match text(json, "kind")? {
        "program" => Some(Client::Program { name: optional(json, "name", |name| Some(name.to_owned()))? }),
        "site" => Some(Client::Site { origin: text(json, "origin")?.to_owned() }),
        _ => None,
    }
}

fn document(json: &Json) -> Option<Document> {
    let algorithm = DigestAlgorithm::from_name(text(json, "algorithm")?)?;
    let digest = Digest::from_hex(algorithm, text(json, "digest")?)?;
    Some(Document { code: optional(json, "code", code)?, digest })
}

fn code(text: &str) -> Option<ErrorCode> {
    ErrorCode::ALL.iter().copied().find(|code| code.as_str() == text)
}

fn text<'a>(json: &'a Json, key: &str) -> Option<&'a str> {
    json.member(key)?.as_text()
}

fn unsigned(json: &Json, key: &str) -> Option<u64> {
    u64::try_from(json.member(key)?.as_integer()?).ok()
}

/// A member that is a text or null, and is there.
fn optional<T>(json: &Json, key: &str, parse: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
    let member = json.member(key)?;
    if *member == Json::Null {
        return Some(None);
    }
    parse(member.as_text()?).map(Some)
}
