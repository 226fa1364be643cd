//! Exactly what the person is shown, and its digest.
//!
//! The canonical form is JSON with sorted keys and no blanks (RFC 8785). Its bytes travel to
//! whoever draws them; the answer carries their SHA-256, so that a yes belongs to what was seen.

use crate::{
    credential::CredentialId,
    digest::{Digest, DigestAlgorithm},
    json::{Json, object},
    pdf::permission::{Permission, SignatureType},
};

/// The longest text in a summary, in characters; longer ones are cut in the middle.
const LONGEST_TEXT: usize = 512;

/// A request as the person sees it. Immutable: another one has another digest.
#[derive(Clone, PartialEq, Eq)]
pub struct Summary {
    subject: Subject,
    client: Client,
    canonical: Vec<u8>,
    digest: Digest,
}

/// What a client asks for.
#[derive(Clone, PartialEq, Eq)]
pub enum Subject {
    /// To be let in.
    Pairing {
        /// What it may do then.
        scopes: Vec<Scope>,
    },
    /// To be told one certificate.
    Selection {
        /// Those to choose from; the first is suggested. Never empty.
        certificates: Vec<Certificate>,
    },
    /// To have documents signed.
    Signature {
        /// Those to choose from; the first is suggested. Never empty.
        certificates: Vec<Certificate>,
        /// What is signed, all or nothing of it confirmed. Never empty.
        documents: Vec<Document>,
        /// `/Reason`.
        reason: Option<String>,
        /// What each signature says of later changes to its document; an approval says nothing.
        signature_type: SignatureType,
    },
}

/// What a paired client may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// See the certificates.
    Certificates,
    /// Ask for signatures.
    Sign,
}

/// Who asks, as the service found out; never as the client says.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Client {
    /// A program of this machine. All of it is for display and proves nothing.
    Program {
        /// Its file name.
        name: Option<String>,
        /// Its path.
        path: Option<String>,
        /// Its process.
        process: Option<u32>,
    },
    /// A web site.
    Site {
        /// Its origin (RFC 6454), in ASCII.
        origin: String,
        /// Its host as shown.
        host: String,
    },
}

/// A certificate to choose.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate {
    /// Which.
    pub id: CredentialId,
    /// The holder's name.
    pub holder: String,
    /// The holder's number, masked.
    pub number: Option<String>,
    /// The issuer's common name.
    pub issuer: String,
    /// The last second of its validity, since the epoch.
    pub not_after: i64,
    /// Where its key is.
    pub storage: Storage,
    /// The label of its token or the name of its file.
    pub place: Option<String>,
}

/// Where a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// In a file.
    A1,
    /// On a card or token.
    A3,
}

/// A document, or a digest alone.
#[derive(Clone, PartialEq, Eq)]
pub struct Document {
    /// The name that the client gave it.
    pub name: String,
    /// What is known of it.
    pub content: Content,
    /// Its digest.
    pub digest: Digest,
}

/// What is known of what is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A PDF document that the service has.
    Pades {
        /// In bytes.
        size: u64,
        /// How many.
        pages: u32,
        /// The page of the seal.
        seal_page: Option<u32>,
        /// What the lock of the field permits after an approval; `None` where it says nothing.
        lock: Option<Permission>,
    },
    /// A digest; nobody here saw what it is of.
    Raw,
}

impl Summary {
    /// Takes what is asked and makes the canonical form of it. Control and direction characters
    /// are taken out of every text, and long ones are cut in the middle.
    pub fn new(client: Client, subject: Subject) -> Self {
        let canonical = canonical(&client, &subject).to_canonical().into_bytes();
        let digest = DigestAlgorithm::Sha256.digest(&canonical);
        Self { subject, client, canonical, digest }
    }

    /// What is asked for.
    pub const fn subject(&self) -> &Subject {
        &self.subject
    }

    /// Who asks.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// The bytes to show.
    pub fn canonical(&self) -> &[u8] {
        &self.canonical
    }

    /// The SHA-256 of [`Summary::canonical`].
    pub const fn digest(&self) -> &Digest {
        &self.digest
    }

    /// The certificates to choose from.
    pub fn certificates(&self) -> &[Certificate] {
        match &self.subject {
            Subject::Pairing { .. } => &[],
            Subject::Selection { certificates } | Subject::Signature { certificates, .. } => certificates,
        }
    }

    /// The documents to sign.
    pub fn documents(&self) -> &[Document] {
        match &self.subject {
            Subject::Pairing { .. } | Subject::Selection { .. } => &[],
            Subject::Signature { documents, .. } => documents,
        }
    }
}

impl Scope {
    /// The scope as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Certificates => "certificates",
            Self::Sign => "sign",
        }
    }
}

fn canonical(client: &Client, subject: &Subject) -> Json {
    let (kind, scopes, certificates, documents): (_, &[Scope], &[Certificate], &[Document]) = match subject {
        Subject::Pairing { scopes } => ("pairing", scopes, &[], &[]),
        Subject::Selection { certificates } => ("selection", &[], certificates, &[]),
        Subject::Signature { certificates, documents, .. } => ("signature", &[], certificates, documents),
    };
    let (reason, certification) = match subject {
        Subject::Pairing { .. } | Subject::Selection { .. } => (None, None),
        Subject::Signature { reason, signature_type, .. } => (reason.as_deref(), signature_type.as_str()),
    };
    object([
        ("kind", Json::from(kind)),
        ("client", of_client(client)),
        ("certification", optional(certification)),
        ("certificates", Json::Array(certificates.iter().map(of_certificate).collect())),
        ("documents", Json::Array(documents.iter().map(of_document).collect())),
        ("reason", optional(reason)),
        ("scopes", Json::Array(scopes.iter().map(|scope| Json::from(scope.as_str())).collect())),
    ])
}

fn of_client(client: &Client) -> Json {
    match client {
        Client::Program { name, path, process } => object([
            ("kind", Json::from("program")),
            ("name", optional(name.as_deref())),
            ("path", optional(path.as_deref())),
            ("process", process.map_or(Json::Null, |process| Json::Integer(i64::from(process)))),
        ]),
        Client::Site { origin, host } => {
            object([("kind", Json::from("site")), ("origin", text(origin)), ("host", text(host))])
        }
    }
}

fn of_certificate(certificate: &Certificate) -> Json {
    object([
        ("id", Json::from(certificate.id.to_string())),
        ("holder", text(&certificate.holder)),
        ("number", optional(certificate.number.as_deref())),
        ("issuer", text(&certificate.issuer)),
        ("notAfter", Json::Integer(certificate.not_after)),
        (
            "storage",
            Json::from(match certificate.storage {
                Storage::A1 => "a1",
                Storage::A3 => "a3",
            }),
        ),
        ("place", optional(certificate.place.as_deref())),
    ])
}

fn of_document(document: &Document) -> Json {
    let (format, size, pages, seal_page, lock) = match document.content {
        Content::Pades { size, pages, seal_page, lock } => {
            ("pades", Some(i64::try_from(size).unwrap_or(i64::MAX)), Some(pages), seal_page, lock)
        }
        Content::Raw => ("raw", None, None, None, None),
    };
    let page = |page: Option<u32>| page.map_or(Json::Null, |page| Json::Integer(i64::from(page)));
    object([
        ("name", text(&document.name)),
        ("format", Json::from(format)),
        ("lock", optional(lock.map(Permission::as_str))),
        ("size", size.map_or(Json::Null, Json::Integer)),
        ("pages", page(pages)),
        ("sealPage", page(seal_page)),
        ("digest", Json::from(document.digest.to_hex())),
        ("digestAlgorithm", Json::from(document.digest.algorithm().name())),
    ])
}

fn optional(value: Option<&str>) -> Json {
    value.map_or(Json::Null, text)
}

/// A text that does to a screen or a terminal what it looks like, and nothing else.
fn text(value: &str) -> Json {
    Json::from(clean(value))
}

/// Takes out control characters (C0, C1, line and paragraph separators), those that change the
/// direction of what follows and those that are drawn as nothing, and cuts the middle out of
/// what is too long.
pub fn clean(value: &str) -> String {
    let kept: Vec<char> = value.chars().filter(|character| !hidden(*character)).collect();
    if kept.len() <= LONGEST_TEXT {
        return kept.into_iter().collect();
    }
    let half = LONGEST_TEXT / 2;
    let tail = kept.len() - half;
    let mut cut: String = kept.iter().take(half).collect();
    cut.push('…');
    cut.extend(kept.iter().skip(tail));
    cut
}

fn hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
                | '\u{e0100}'..='\u{e01ef}'
        )
}

#[cfg(test)]
mod tests;
