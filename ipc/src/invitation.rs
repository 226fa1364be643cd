//! How the service tells the tray that it starts where to connect: one JSON line on its
//! standard input, because arguments and environment can be read by others.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{login::EndpointName, message::ONE_TIME_LEN};

/// The version of the line.
pub const VERSION: u32 = 1;
/// The longest line in bytes.
const LONGEST: u64 = 4096;

/// An invitation. It is good for one connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Where to connect.
    pub endpoint: EndpointName,
    /// What to show there.
    pub one_time: [u8; ONE_TIME_LEN],
    /// The language of the person: `pt`, `en` or `es`.
    pub language: String,
}

/// Why there is no invitation.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// It is no line of ours.
    #[error("this is no invitation of the service")]
    Malformed,
    /// It cannot be read.
    #[error("the invitation cannot be read")]
    Read(#[from] io::Error),
    /// It is of another version.
    #[error("the invitation has version {theirs} and this program reads version {VERSION}; reinstall both")]
    Version {
        /// What it says.
        theirs: u32,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    version: u32,
    endpoint: String,
    one_time: String,
    language: String,
}

/// What every version of the line has.
#[derive(Deserialize)]
struct AnyLine {
    version: u32,
}

impl Invitation {
    /// The line, with its end.
    ///
    /// # Errors
    /// Where it cannot be written as JSON.
    pub fn to_line(&self) -> Result<Zeroizing<String>, InvitationError> {
        let one_time = self.one_time.iter().map(|byte| format!("{byte:02x}")).collect();
        let line = Line {
            version: VERSION,
            endpoint: self.endpoint.as_str().to_owned(),
            one_time,
            language: self.language.clone(),
        };
        let mut text = serde_json::to_string(&line).map_err(|_| InvitationError::Malformed)?;
        text.push('\n');
        Ok(Zeroizing::new(text))
    }

    /// Reads one line and the end after it. Blocks until the writer has closed.
    ///
    /// # Errors
    /// Where it is something else, or of another version.
    pub fn read(from: impl Read) -> Result<Self, InvitationError> {
        let mut text = Zeroizing::new(String::new());
        from.take(LONGEST + 1).read_to_string(&mut text)?;
        let too_long = u64::try_from(text.len()).map_or(true, |len| len > LONGEST);
        if too_long || text.lines().count() != 1 {
            return Err(InvitationError::Malformed);
        }
        let any: AnyLine = serde_json::from_str(&text).map_err(|_| InvitationError::Malformed)?;
        if any.version != VERSION {
            return Err(InvitationError::Version { theirs: any.version });
        }
        let line: Line = serde_json::from_str(&text).map_err(|_| InvitationError::Malformed)?;
        Ok(Self {
            endpoint: EndpointName::from_text(line.endpoint),
            one_time: from_hex(&line.one_time).ok_or(InvitationError::Malformed)?,
            language: line.language,
        })
    }
}

fn from_hex(text: &str) -> Option<[u8; ONE_TIME_LEN]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    bytes.filter(|_| rest.is_empty())?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invitation() -> Invitation {
        Invitation {
            endpoint: EndpointName::from_text("/run/user/1000/cybercore-signer/service.sock".to_owned()),
            one_time: std::array::from_fn(|index| u8::try_from(index).unwrap() * 7),
            language: "pt".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let line = invitation().to_line().unwrap();
        assert_eq!(line.lines().count(), 1);
        assert_eq!(Invitation::read(line.as_bytes()).unwrap(), invitation());
    }

    #[test]
    fn another_version_is_refused_in_words() {
        let line = invitation().to_line().unwrap().replace("\"version\":1", "\"version\":9,\"more\":true");
        let error = Invitation::read(line.as_bytes()).unwrap_err();
        assert!(matches!(error, InvitationError::Version { theirs: 9 }));
        assert!(error.to_string().contains("version 9"), "{error}");
    }

    #[test]
    fn anything_else_is_no_invitation() {
        let line = invitation().to_line().unwrap();
        let cases = [
            String::new(),
            "{}".to_owned(),
            line.replace("07", "0g"),
            line.replace("\"language\":\"pt\"", "\"language\":\"pt\",\"approve\":true"),
            format!("{}{}", *line, *line),
            " ".repeat(5000),
        ];
        for text in cases {
            let read = Invitation::read(text.as_bytes());
            assert!(matches!(read, Err(InvitationError::Malformed)), "{text}: {read:?}");
        }
    }
}
