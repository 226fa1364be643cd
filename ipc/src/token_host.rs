//! The messages between the service and a token host: one request, one response, in turn; only
//! [`Request::Look`] has several.
//!
//! A message is a header frame in JSON and the frames that the header promises: a path, a
//! message to sign and certificates as plain bytes, a secret sealed to a key of the host
//! ([`crate::sealed`]). A secret never meets the serialiser. The first exchange is [`Request::Hello`]; its form never changes, so
//! that two versions can always refuse each other in words.

use std::io::{BufWriter, Read, Write};

use serde::{Deserialize, Serialize};

use crate::{
    frame::{self, FrameError, FrameKind},
    sealed::SealedSecret,
};

/// The version of these messages. Both sides must have the same.
pub const PROTOCOL_VERSION: u32 = 5;

/// The most frames of bytes in one response.
pub const MAX_PARTS: usize = 1024;
/// The most bytes in all frames of one response.
pub const MAX_PARTS_LEN: usize = 8 << 20;

/// What is gathered of a message before it is written, so that the other side wakes up once: the
/// certificates of a token and its header.
const MESSAGE_ROOM: usize = 16 << 10;

/// What the service asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Request {
    /// The first request of a connection.
    Hello {
        /// [`PROTOCOL_VERSION`] of the service.
        version: u32,
    },
    /// Open the A1 file whose path follows as bytes. Once per host.
    OpenFile,
    /// Load the PKCS#11 module whose path follows as bytes. Once per host.
    OpenModule,
    /// Open the stored key whose path follows as bytes. Once per host.
    OpenStored,
    /// List the tokens of the module as [`Request::Tokens`] does and then, in responses of their own,
    /// what can sign of each, as [`Request::Credentials`] does: each turn costs both sides a wake-up.
    Look,
    /// List the tokens of the module.
    Tokens,
    /// Make the key that the next secret is sealed to. It replaces the one before it.
    SealingKey,
    /// Unlock the token or the file with the sealed secret that follows; its key is gone then.
    Unlock {
        /// The token that the secret was given for; nothing for a file, or for the only token.
        token: Option<TokenPlace>,
        /// Whether it may be tried where it is the token's last try.
        last_try: LastTry,
    },
    /// List what can sign.
    Credentials {
        /// The slot; nothing for a file, or for every slot.
        slot: Option<u64>,
    },
    /// Sign the message that follows as bytes.
    Sign {
        /// As listed by [`Response::Credentials`].
        credential: u32,
        /// How.
        scheme: Scheme,
    },
    /// Sign the digest that follows as bytes: what it is of, nobody here knows.
    SignDigest {
        /// As listed by [`Response::Credentials`].
        credential: u32,
        /// How; the digest is of its algorithm.
        scheme: Scheme,
    },
    /// Encrypt a key of the unlocked A1 file anew, to be stored. Under a password, which follows
    /// sealed as for [`Request::Unlock`], or under the keystore.
    Store {
        /// As listed by [`Response::Credentials`].
        credential: u32,
        /// Under what.
        protection: Protection,
    },
}

/// Under what a stored key is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protection {
    /// A key that the keystore of the operating system holds for this login.
    Keystore,
    /// A password.
    Password,
}

/// What travels with a request beside its header.
pub enum Attachment<'a> {
    /// Nothing.
    Nothing,
    /// A path, a message or a digest.
    Bytes(&'a [u8]),
    /// A sealed PIN or password.
    Sealed(&'a SealedSecret),
}

/// What came with a request.
pub enum Attached {
    /// Nothing.
    Nothing,
    /// A path, a message or a digest.
    Bytes(Vec<u8>),
    /// A sealed PIN or password.
    Sealed(SealedSecret),
}

/// What the host answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "response", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Response {
    /// To [`Request::Hello`].
    Hello {
        /// [`PROTOCOL_VERSION`] of the host.
        version: u32,
    },
    /// Done, and nothing to say.
    Done,
    /// To [`Request::Tokens`] and [`Request::Look`].
    Tokens {
        /// In the order of the slots.
        tokens: Vec<Token>,
    },
    /// To [`Request::Credentials`]. The parts are, for each credential in turn, its certificate
    /// and its issuers.
    Credentials {
        /// What can sign.
        credentials: Vec<Credential>,
    },
    /// To [`Request::SealingKey`]. The one part is the key.
    SealingKey,
    /// To [`Request::Sign`] and [`Request::SignDigest`]. The one part is the signature value.
    Signature,
    /// To [`Request::Store`]. The one part is the stored key, encrypted.
    Stored,
    /// It did not work.
    Failed {
        /// Why.
        failure: Failure,
    },
}

/// A response with its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The header.
    pub response: Response,
    /// The frames of bytes after it.
    pub parts: Vec<Vec<u8>>,
}

/// A token and where it is: a PIN that was given for one is never tried on another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenPlace {
    /// The slot.
    pub slot: u64,
    /// [`Token::serial`].
    pub serial: String,
}

/// A token in a slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Where it is.
    pub slot: u64,
    /// What its slot is called (`slotDescription`), trimmed: often the reader's name.
    pub reader: String,
    /// Its label, trimmed.
    pub label: String,
    /// Its serial number, trimmed.
    pub serial: String,
    /// Who made it.
    pub manufacturer: String,
    /// Its model.
    pub model: String,
    /// What the token says about tries left, before any PIN is given.
    pub tries_left: TriesLeft,
    /// Whether the PIN is locked (`CKF_USER_PIN_LOCKED`).
    pub locked: bool,
    /// Whether signing needs a login (`CKF_LOGIN_REQUIRED`).
    pub login_required: bool,
    /// Whether the PIN is typed on the reader (`CKF_PROTECTED_AUTHENTICATION_PATH`).
    pub protected_authentication_path: bool,
}

/// A credential. Its certificates travel as parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Credential {
    /// What [`Request::Sign`] calls it; valid as long as the host lives.
    pub id: u32,
    /// The label of its token; nothing for a file.
    pub token_label: Option<String>,
    /// The name its owner gave it (`friendlyName`, `CKA_LABEL`).
    pub friendly_name: Option<String>,
    /// How many issuer certificates follow its own.
    pub issuers: u32,
    /// Whether its key wants the PIN for each signature (`CKA_ALWAYS_AUTHENTICATE`), as far as
    /// the key can be seen.
    pub always_authenticate: bool,
}

/// A signature algorithm and its digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scheme {
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    RsaPkcs1Sha256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    RsaPkcs1Sha384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    RsaPkcs1Sha512,
    /// ECDSA with SHA-256, value in DER.
    EcdsaSha256,
    /// ECDSA with SHA-384, value in DER.
    EcdsaSha384,
    /// ECDSA with SHA-512, value in DER.
    EcdsaSha512,
}

/// How many times a PIN may still be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TriesLeft {
    /// The token gives the number.
    Exactly(u32),
    /// One (`CKF_USER_PIN_FINAL_TRY`).
    Last,
    /// Fewer than all (`CKF_USER_PIN_COUNT_LOW`).
    Low,
    /// The token does not say.
    Unknown,
}

/// Whether a secret may be tried where a wrong one locks the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LastTry {
    /// The person was told that it is the last try and wants it used.
    Confirmed,
    /// The person was not asked: on the last try nothing is tried.
    NotConfirmed,
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "failure", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Failure {
    /// The person or the reader cancelled.
    Cancelled,
    /// No such credential is known to this host.
    CredentialUnknown,
    /// The A1 file is damaged or is no PKCS#12 file.
    FileDamaged {
        /// What does not fit.
        reason: String,
    },
    /// The A1 file cannot be opened or read.
    FileUnreadable {
        /// The system's words.
        reason: String,
    },
    /// A defect of the host.
    Internal {
        /// What went wrong.
        reason: String,
    },
    /// No private key belongs to a certificate.
    KeyMismatch,
    /// The key or scheme cannot be used.
    KeyUnsupported {
        /// Which.
        kind: String,
    },
    /// The keystore of the operating system is not there, is locked, or refused.
    KeystoreUnavailable {
        /// Its words.
        reason: String,
    },
    /// The computer slept or the session was locked after the login, which was ended then.
    LoginEnded,
    /// One try is left and [`LastTry::NotConfirmed`] was said; the PIN was not tried.
    LastTryNotConfirmed,
    /// The module is for another architecture.
    ModuleArchitecture {
        /// What the module is for.
        found: String,
        /// What this program is for.
        expected: String,
    },
    /// There is no such module file.
    ModuleNotFound,
    /// The module cannot be loaded or initialised.
    ModuleUnusable {
        /// The loader's or the module's words.
        reason: String,
    },
    /// The source holds no private key.
    NoPrivateKey,
    /// The password of the A1 file is wrong.
    PasswordIncorrect,
    /// The PIN is wrong. It was tried once.
    PinIncorrect {
        /// From the token's flags, read after the try.
        tries_left: TriesLeft,
    },
    /// The PIN is locked.
    PinLocked,
    /// The PIN must be given (again) for this.
    PinNeeded,
    /// The PIN has expired, or was never set (`CKR_PIN_EXPIRED`, `CKR_USER_PIN_NOT_INITIALIZED`).
    PinUnusable,
    /// The secret was not sealed to the key of this host; it was not tried.
    SecretUnreadable,
    /// No token is in the slot.
    TokenAbsent,
    /// The token or its module returned an error.
    TokenFailed {
        /// The PKCS#11 function.
        function: String,
        /// The return value (`CK_RV`): its name, or its number where it has none.
        value: String,
    },
    /// The token went away.
    TokenRemoved,
    /// The request does not fit what is open.
    Unexpected,
}

impl TriesLeft {
    /// Whether a wrong PIN locks the token.
    pub const fn is_last(self) -> bool {
        match self {
            Self::Exactly(count) => count == 1,
            Self::Last => true,
            Self::Low | Self::Unknown => false,
        }
    }
}

/// Why a message cannot be exchanged.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The connection or a frame is at fault.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A header is no message of this version, or its frames are not those it needs.
    #[error("a message is malformed")]
    Malformed,
    /// The other side speaks another version.
    #[error(
        "the token host speaks version {theirs} of the protocol and this program version {ours}; reinstall the program"
    )]
    Version {
        /// [`PROTOCOL_VERSION`] here.
        ours: u32,
        /// What the other side said.
        theirs: u32,
    },
}

/// Writes a request. Blocks until it is handed over.
///
/// # Errors
/// Where the attachment is not the one that the request needs, or the connection fails.
pub fn write_request(
    to: &mut impl Write,
    request: &Request,
    attachment: &Attachment<'_>,
) -> Result<(), ProtocolError> {
    let (kind, bytes) = match (needs(request), attachment) {
        (None, Attachment::Nothing) => (None, [].as_slice()),
        (Some(FrameKind::Bytes), Attachment::Bytes(bytes)) => (Some(FrameKind::Bytes), *bytes),
        (Some(FrameKind::Sealed), Attachment::Sealed(secret)) => (Some(FrameKind::Sealed), secret.as_bytes()),
        (
            None | Some(FrameKind::Bytes | FrameKind::Header | FrameKind::Sealed),
            Attachment::Nothing | Attachment::Bytes(_) | Attachment::Sealed(_),
        ) => return Err(ProtocolError::Malformed),
    };
    let mut to = BufWriter::with_capacity(MESSAGE_ROOM, to);
    write_header(&mut to, request)?;
    if let Some(kind) = kind {
        frame::write(&mut to, kind, bytes)?;
    }
    to.flush().map_err(FrameError::from)?;
    Ok(())
}

/// Reads a request. Blocks until it is whole.
///
/// # Errors
/// [`FrameError::Closed`] inside where the service is done.
pub fn read_request(from: &mut impl Read) -> Result<(Request, Attached), ProtocolError> {
    let request: Request = read_header(from)?;
    let attached = match needs(&request) {
        Some(FrameKind::Bytes) => Attached::Bytes(frame::read(from, FrameKind::Bytes)?),
        Some(FrameKind::Sealed) => Attached::Sealed(frame::read_sealed(from)?),
        Some(FrameKind::Header) | None => Attached::Nothing,
    };
    Ok((request, attached))
}

/// Writes an answer. Blocks until it is handed over.
///
/// # Errors
/// Where the parts pass a limit or the connection fails.
pub fn write_answer(to: &mut impl Write, answer: &Answer) -> Result<(), ProtocolError> {
    if Some(answer.parts.len()) != parts_of(&answer.response) {
        return Err(ProtocolError::Malformed);
    }
    let mut to = BufWriter::with_capacity(MESSAGE_ROOM, to);
    write_header(&mut to, &answer.response)?;
    for part in &answer.parts {
        frame::write(&mut to, FrameKind::Bytes, part)?;
    }
    to.flush().map_err(FrameError::from)?;
    Ok(())
}

/// Reads an answer. Blocks until it is whole.
///
/// # Errors
/// [`FrameError::Closed`] inside where the host is gone.
pub fn read_answer(from: &mut impl Read) -> Result<Answer, ProtocolError> {
    let response: Response = read_header(from)?;
    let count = parts_of(&response).ok_or(ProtocolError::Malformed)?;
    let mut parts = Vec::new();
    let mut total = 0;
    for _ in 0..count {
        let part = frame::read(from, FrameKind::Bytes)?;
        total += part.len();
        if total > MAX_PARTS_LEN {
            return Err(FrameError::TooLong { len: total, limit: MAX_PARTS_LEN }.into());
        }
        parts.push(part);
    }
    Ok(Answer { response, parts })
}

/// The frame that follows the header of a request.
const fn needs(request: &Request) -> Option<FrameKind> {
    match request {
        Request::OpenFile
        | Request::OpenModule
        | Request::OpenStored
        | Request::Sign { .. }
        | Request::SignDigest { .. } => Some(FrameKind::Bytes),
        Request::Store { protection: Protection::Password, .. } | Request::Unlock { .. } => {
            Some(FrameKind::Sealed)
        }
        Request::Credentials { .. }
        | Request::Hello { .. }
        | Request::Look
        | Request::SealingKey
        | Request::Store { protection: Protection::Keystore, .. }
        | Request::Tokens => None,
    }
}

/// How many frames follow the header of a response; `None` where they are too many.
fn parts_of(response: &Response) -> Option<usize> {
    let count = match response {
        Response::Credentials { credentials } => {
            credentials.iter().try_fold(0_usize, |count, credential| {
                count.checked_add(1)?.checked_add(usize::try_from(credential.issuers).ok()?)
            })?
        }
        Response::SealingKey | Response::Signature | Response::Stored => 1,
        Response::Hello { .. } | Response::Done | Response::Tokens { .. } | Response::Failed { .. } => 0,
    };
    (count <= MAX_PARTS).then_some(count)
}

fn write_header(to: &mut impl Write, header: &impl Serialize) -> Result<(), ProtocolError> {
    let json = serde_json::to_vec(header).map_err(|_| ProtocolError::Malformed)?;
    Ok(frame::write(to, FrameKind::Header, &json)?)
}

fn read_header<T: for<'de> Deserialize<'de>>(from: &mut impl Read) -> Result<T, ProtocolError> {
    let json = frame::read(from, FrameKind::Header)?;
    serde_json::from_slice(&json).map_err(|_| ProtocolError::Malformed)
}

#[cfg(test)]
mod tests;
