//! Exactly what the person is shown, as it travels: the canonical JSON that core makes.
//!
//! Core writes it and takes its digest; the tray parses it, draws it, and answers with the
//! digest of the bytes it got. All texts are ready for the screen, numbers are not.

use serde::Deserialize;

/// A request as the person sees it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Summary {
    /// What is asked for.
    pub kind: Kind,
    /// Who asks.
    pub client: Client,
    /// The certificates that can be chosen; the first is suggested. Empty for a pairing.
    pub certificates: Vec<Certificate>,
    /// The documents to sign, in order. Empty for the other kinds.
    pub documents: Vec<Document>,
    /// `/Reason`, as the client wrote it.
    pub reason: Option<String>,
    /// What each signature says of later changes to its document; none for an approval.
    pub certification: Option<Certification>,
    /// What the client may do once it is paired. Empty for the other kinds.
    pub scopes: Vec<Scope>,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// To let a client in.
    Pairing,
    /// To tell the client one certificate.
    Selection,
    /// To sign.
    Signature,
}

/// What may be done to a document after a signature that certifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certification {
    /// Forms may be filled in, signatures and annotations made.
    Annotations,
    /// Forms may be filled in and signatures made.
    FormFilling,
    /// The same, in the form that ITI recommends, which is no certification for every reader.
    ItiReference,
    /// Nothing.
    NoChanges,
}

/// What may be done to a document once a field with a lock is signed, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lock {
    /// Nothing.
    NoChanges,
    /// Forms may be filled in and signatures made.
    FormFilling,
    /// Forms may be filled in, signatures and annotations made.
    Annotations,
}

/// What a paired client may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// See the certificates.
    Certificates,
    /// Ask for signatures.
    Sign,
}

/// Who asks, as the service found out; never as the client says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Client {
    /// A web site.
    Site {
        /// Its origin (RFC 6454), in ASCII.
        origin: String,
        /// Its host, to be shown large; in Unicode where it has such a form.
        host: String,
    },
    /// A program of this machine. Its name is for display: it proves nothing.
    Program {
        /// Its file name or, where unknown, nothing.
        name: Option<String>,
        /// Its path, where known.
        path: Option<String>,
        /// Its process.
        process: Option<u32>,
    },
}

/// A certificate that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Certificate {
    /// Its credential's identifier: the SHA-256 of the certificate, in hexadecimal.
    pub id: String,
    /// The holder's name.
    pub holder: String,
    /// The holder's CPF or CNPJ, masked.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// In a file.
    A1,
    /// On a card or token.
    A3,
}

/// A document, or a digest alone.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Document {
    /// The name that the client gave it, without control characters.
    pub name: String,
    /// What is signed.
    pub format: Format,
    /// Its size in bytes; unknown for a digest.
    pub size: Option<u64>,
    /// Its pages; unknown for a digest.
    pub pages: Option<u32>,
    /// The page of the seal; nothing where it has none.
    pub seal_page: Option<u32>,
    /// What the lock of its field permits once it is signed; nothing where it says nothing.
    pub lock: Option<Lock>,
    /// The digest of the document, in hexadecimal.
    pub digest: String,
    /// The digest's algorithm, such as `SHA-256`.
    pub digest_algorithm: String,
}

/// What is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// A PDF document, as `PAdES`.
    Pades,
    /// A digest alone: nobody here saw the document.
    Raw,
}

/// Why bytes are no summary.
#[derive(Debug, thiserror::Error)]
pub enum SummaryError {
    /// They are none of this version.
    #[error("the summary cannot be read")]
    Unreadable(#[from] serde_json::Error),
    /// It has more or less than what its kind has, and would not be shown whole.
    #[error("the summary does not fit its kind")]
    Unfit,
}

impl Summary {
    /// Reads the bytes that came with [`crate::message::ToTray::Present`].
    ///
    /// # Errors
    /// Where they are no summary, or have anything that is not shown for its kind.
    pub fn parse(bytes: &[u8]) -> Result<Self, SummaryError> {
        let summary: Self = serde_json::from_slice(bytes)?;
        if summary.fits() { Ok(summary) } else { Err(SummaryError::Unfit) }
    }

    /// The strictest lock of its documents.
    pub fn lock(&self) -> Option<Lock> {
        self.documents.iter().filter_map(|document| document.lock).min()
    }

    /// Whether everything in it has its place in a request of its kind.
    fn fits(&self) -> bool {
        let (certificates, documents) = (!self.certificates.is_empty(), !self.documents.is_empty());
        let (scopes, reason) = (!self.scopes.is_empty(), self.reason.is_some());
        let certification = self.certification.is_some();
        // A digest has no field, and a certification permits no more than the lock does.
        let mut locked = self.documents.iter().filter(|document| document.lock.is_some());
        if locked.any(|document| certification || document.format == Format::Raw) {
            return false;
        }
        // What is certified is a document that was seen here.
        let all_seen = self.documents.iter().all(|document| document.format == Format::Pades);
        match self.kind {
            Kind::Pairing => scopes && !certificates && !documents && !reason && !certification,
            Kind::Selection => certificates && !documents && !scopes && !reason && !certification,
            Kind::Signature => certificates && documents && !scopes && (all_seen || !certification),
        }
    }
}
