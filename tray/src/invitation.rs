//! The line on standard input with which the service invites this program.

use std::io::Read;

use serde::Deserialize;
use signer_ipc::message::ONE_TIME_LEN;

use crate::text::Language;

/// The version of the line.
const VERSION: u32 = 1;
/// The longest line in bytes; an endpoint is a path.
const LONGEST: u64 = 8192;

/// An invitation. Its one-time value is used once.
pub(crate) struct Invitation {
    /// Where the service waits.
    pub(crate) endpoint: String,
    /// What proves that this program was invited.
    pub(crate) one_time: [u8; ONE_TIME_LEN],
    /// The person's language.
    pub(crate) language: Language,
}

/// There is no invitation, or not in this form.
#[derive(Debug, thiserror::Error)]
#[error("there is no valid invitation on the standard input")]
pub(crate) struct NotInvited;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    version: u32,
    endpoint: String,
    one_time: String,
    language: Language,
}

impl Invitation {
    /// Reads the invitation to the end of `from`. Blocks as `from` does.
    ///
    /// # Errors
    /// Where there is none.
    pub(crate) fn read(from: impl Read) -> Result<Self, NotInvited> {
        let mut text = String::new();
        from.take(LONGEST).read_to_string(&mut text).map_err(|_| NotInvited)?;
        let line: Line = serde_json::from_str(&text).map_err(|_| NotInvited)?;
        if line.version != VERSION {
            return Err(NotInvited);
        }
        let one_time = bytes(&line.one_time).ok_or(NotInvited)?;
        Ok(Self { endpoint: line.endpoint, one_time, language: line.language })
    }
}

fn bytes(digits: &str) -> Option<[u8; ONE_TIME_LEN]> {
    let mut bytes = [0; ONE_TIME_LEN];
    if digits.len() != 2 * ONE_TIME_LEN || !digits.is_ascii() {
        return None;
    }
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(bytes)
}
