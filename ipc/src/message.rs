//! The messages between the service and whoever asks the person for it: the tray or a terminal
//! agent.
//!
//! Both connect to the service's endpoint, greet, and are then told what to show. A message is
//! a header frame in JSON and the frames that it promises. The first exchange is
//! [`FromTray::Hello`] and [`ToTray::Hello`]; their form never changes, so that two versions
//! can always refuse each other in words. What the person is shown travels as the bytes of the
//! summary, and the answer carries the SHA-256 of the bytes that were shown.

use std::io::{Read, Write};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    frame::{self, FrameError, FrameKind},
    sealed::{KEY_LEN, SealedSecret},
    token_host::{LastTry, TriesLeft},
};

/// The version of these messages. Both sides must have the same.
pub const PROTOCOL_VERSION: u32 = 2;
/// The length of the one-time value of an invitation in bytes.
pub const ONE_TIME_LEN: usize = 32;
/// The length of the digest of a summary in bytes (SHA-256).
pub const DIGEST_LEN: usize = 32;

/// Which approval a message is about; unique while the service runs.
pub type ApprovalNumber = u64;

/// What the service says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum ToTray {
    /// To [`FromTray::Hello`], where the versions agree.
    Hello {
        /// [`PROTOCOL_VERSION`] of the service.
        version: u32,
    },
    /// To [`FromTray::Hello`], where nothing more is said on this connection.
    Refused {
        /// [`PROTOCOL_VERSION`] of the service.
        version: u32,
        /// Why, as an error code.
        code: String,
        /// Why, in the person's language.
        words: String,
    },
    /// Show this and ask. The summary follows as bytes.
    Present {
        /// Which.
        approval: ApprovalNumber,
        /// After how many milliseconds the service will have given up. For display only.
        deadline_ms: u64,
        /// For each certificate of the summary, in its order, how it is unlocked.
        unlocks: Vec<Unlock>,
        /// How many others wait behind this one.
        waiting: u32,
    },
    /// How many approvals wait behind the one shown.
    Waiting {
        /// How many.
        waiting: u32,
    },
    /// The token of the chosen certificate is not there: ask the person to insert it.
    AwaitToken {
        /// Which.
        approval: ApprovalNumber,
        /// As in [`ToTray::Present`].
        deadline_ms: u64,
    },
    /// Ask for the secret (again). What was typed before is not tried a second time.
    AskSecret {
        /// Which.
        approval: ApprovalNumber,
        /// As in [`ToTray::Present`].
        deadline_ms: u64,
        /// Why it is asked for.
        reason: SecretReason,
        /// How it is given now.
        unlock: Unlock,
    },
    /// The key works; nothing can be stopped any more but what has not begun.
    Signing {
        /// Which.
        approval: ApprovalNumber,
        /// How many documents are signed.
        done: u32,
        /// Of how many.
        of: u32,
    },
    /// It is over: take it off the screen.
    Dismiss {
        /// Which.
        approval: ApprovalNumber,
        /// How it ended.
        outcome: Outcome,
    },
}

/// What the tray or terminal agent says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "message", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum FromTray {
    /// The first message. The one-time value of the invitation follows as bytes; a terminal
    /// agent has none.
    Hello {
        /// [`PROTOCOL_VERSION`] here.
        version: u32,
        /// Who speaks.
        role: Role,
    },
    /// The person said yes to exactly what was shown. A sealed secret follows where `secret`
    /// says so.
    Confirmed {
        /// Which.
        approval: ApprovalNumber,
        /// The SHA-256 of the summary's bytes that were drawn.
        shown: [u8; DIGEST_LEN],
        /// Which certificate of the summary, from 0; nothing where it has none.
        choice: Option<u32>,
        /// Whether a sealed secret follows.
        secret: SecretAttached,
        /// Whether the secret may be tried where it is the last try. [`LastTry::Confirmed`] only
        /// after a question of its own.
        last_try: LastTry,
        /// For how long the answer holds; only for a pairing.
        lasting: Lasting,
    },
    /// The person said no: button, Escape, closed window, Ctrl-C.
    Denied {
        /// Which.
        approval: ApprovalNumber,
        /// For how long the answer holds; only for a pairing.
        lasting: Lasting,
    },
    /// To [`ToTray::AskSecret`]. A sealed secret follows where `secret` says so; none where it
    /// is typed on the reader.
    Secret {
        /// Which.
        approval: ApprovalNumber,
        /// Whether a sealed secret follows.
        secret: SecretAttached,
        /// As in [`FromTray::Confirmed`].
        last_try: LastTry,
    },
}

/// Who asks the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The program that the service started and invited.
    Tray,
    /// `cybercore-signer approve` in a terminal that the person opened.
    Terminal,
}

/// Whether a sealed secret follows the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecretAttached {
    /// None follows.
    No,
    /// One follows.
    Yes,
}

/// How long an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lasting {
    /// For this request; a pairing then ends with the service.
    Once,
    /// Until it is taken back.
    Always,
}

/// How the key of a certificate is unlocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unlock {
    /// What is asked for, and where.
    pub entry: Entry,
    /// How many tries are left, as far as the token says.
    pub tries_left: TriesLeft,
    /// What the secret is sealed to, where it is typed here.
    pub key: Option<[u8; KEY_LEN]>,
    /// The vendor's program that unlocks the token, where it is known.
    pub unlock_tool: Option<String>,
}

/// Where and how a secret is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// The PIN is locked: this certificate cannot be used.
    Locked,
    /// Nothing is needed.
    Nothing,
    /// The password of an A1 file, typed here.
    Password,
    /// The PIN of a token, typed here.
    Pin,
    /// The PIN of a token, typed on the reader.
    Reader,
    /// The token is not there; it is asked for after the confirmation.
    TokenAbsent,
}

/// Why a secret is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecretReason {
    /// For the first time.
    First,
    /// The last one was wrong.
    Incorrect,
    /// This key wants its PIN for every signature.
    EverySignature,
    /// One try is left, which was not known before: the last PIN was not tried.
    LastTry,
}

/// How an approval ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub enum Outcome {
    /// What was asked for was done.
    Approved,
    /// The person said no.
    Denied,
    /// The time ran out.
    Expired,
    /// The client withdrew it, or the service stops.
    Cancelled,
    /// It failed.
    Failed {
        /// The error code.
        code: String,
        /// What happened and what to do, in the person's language.
        words: String,
    },
}

/// Why a message cannot be exchanged.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// The connection or a frame is at fault.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A header is no message of this version, or its frames are not those it needs.
    #[error("a message is malformed")]
    Malformed,
}

/// Writes a message of the service. `summary` goes with [`ToTray::Present`] alone. Blocks.
///
/// # Errors
/// Where the summary is not where it belongs, or the connection fails.
pub fn write_to_tray(
    to: &mut impl Write,
    message: &ToTray,
    summary: Option<&[u8]>,
) -> Result<(), MessageError> {
    if presents(message) != summary.is_some() {
        return Err(MessageError::Malformed);
    }
    write_header(to, message)?;
    if let Some(summary) = summary {
        frame::write(to, FrameKind::Bytes, summary)?;
    }
    Ok(to.flush().map_err(FrameError::from)?)
}

/// Reads a message of the service, with the summary's bytes where it has one. Blocks.
///
/// # Errors
/// [`FrameError::Closed`] inside where the service is gone.
pub fn read_to_tray(from: &mut impl Read) -> Result<(ToTray, Option<Vec<u8>>), MessageError> {
    let message = read_header(from)?;
    let summary = presents(&message).then(|| frame::read(from, FrameKind::Bytes)).transpose()?;
    Ok((message, summary))
}

/// What travels beside a header of the tray.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrayAttachment {
    /// Nothing.
    Nothing,
    /// The one-time value of an invitation; empty from a terminal agent.
    OneTime(Vec<u8>),
    /// A sealed secret.
    Secret(SealedSecret),
}

/// Writes a message of the tray with what belongs to it. Blocks.
///
/// # Errors
/// Where the attachment is not the one that the message needs, or the connection fails.
pub fn write_from_tray(
    to: &mut impl Write,
    message: &FromTray,
    attachment: &TrayAttachment,
) -> Result<(), MessageError> {
    let frame = match (needs(message), attachment) {
        (None, TrayAttachment::Nothing) => None,
        (Some(FrameKind::Bytes), TrayAttachment::OneTime(value)) => {
            Some((FrameKind::Bytes, value.as_slice()))
        }
        (Some(FrameKind::Sealed), TrayAttachment::Secret(secret)) => {
            Some((FrameKind::Sealed, secret.as_bytes()))
        }
        (
            None | Some(FrameKind::Bytes | FrameKind::Header | FrameKind::Sealed),
            TrayAttachment::Nothing | TrayAttachment::OneTime(_) | TrayAttachment::Secret(_),
        ) => return Err(MessageError::Malformed),
    };
    write_header(to, message)?;
    if let Some((kind, bytes)) = frame {
        frame::write(to, kind, bytes)?;
    }
    Ok(to.flush().map_err(FrameError::from)?)
}

/// Reads a message of the tray with what belongs to it. Blocks.
///
/// # Errors
/// [`FrameError::Closed`] inside where the tray is gone.
pub fn read_from_tray(from: &mut impl Read) -> Result<(FromTray, TrayAttachment), MessageError> {
    let message: FromTray = read_header(from)?;
    let attachment = match needs(&message) {
        Some(FrameKind::Bytes) => {
            let value = frame::read(from, FrameKind::Bytes)?;
            if value.len() > ONE_TIME_LEN {
                return Err(MessageError::Malformed);
            }
            TrayAttachment::OneTime(value)
        }
        Some(FrameKind::Sealed) => TrayAttachment::Secret(frame::read_sealed(from)?),
        Some(FrameKind::Header) | None => TrayAttachment::Nothing,
    };
    Ok((message, attachment))
}

const fn presents(message: &ToTray) -> bool {
    match message {
        ToTray::Present { .. } => true,
        ToTray::Hello { .. }
        | ToTray::Refused { .. }
        | ToTray::Waiting { .. }
        | ToTray::AwaitToken { .. }
        | ToTray::AskSecret { .. }
        | ToTray::Signing { .. }
        | ToTray::Dismiss { .. } => false,
    }
}

const fn needs(message: &FromTray) -> Option<FrameKind> {
    match message {
        FromTray::Hello { .. } => Some(FrameKind::Bytes),
        FromTray::Confirmed { secret: SecretAttached::Yes, .. }
        | FromTray::Secret { secret: SecretAttached::Yes, .. } => Some(FrameKind::Sealed),
        FromTray::Confirmed { secret: SecretAttached::No, .. }
        | FromTray::Secret { secret: SecretAttached::No, .. }
        | FromTray::Denied { .. } => None,
    }
}

fn write_header(to: &mut impl Write, header: &impl Serialize) -> Result<(), MessageError> {
    let json = serde_json::to_vec(header).map_err(|_| MessageError::Malformed)?;
    Ok(frame::write(to, FrameKind::Header, &json)?)
}

fn read_header<T: DeserializeOwned>(from: &mut impl Read) -> Result<T, MessageError> {
    let json = frame::read(from, FrameKind::Header)?;
    serde_json::from_slice(&json).map_err(|_| MessageError::Malformed)
}
