//! JSON that is the same bytes on every machine (RFC 8785), for what is hashed: summaries of
//! approvals and records of the audit trail.
//!
//! Numbers are integers that a double holds exactly; fractions are not needed. Reading is for
//! what core itself wrote: other crates read JSON with serde, which core does not know.

mod read;

use std::{borrow::Cow, collections::BTreeMap};

pub use read::JsonError;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `[…]`
    Array(Vec<Self>),
    /// `true` or `false`
    Boolean(bool),
    /// A whole number between −2⁵³ and 2⁵³.
    Integer(i64),
    /// `null`
    Null,
    /// `{…}`
    Object(BTreeMap<Cow<'static, str>, Self>),
    /// `"…"`
    Text(String),
}

/// An object of these members.
pub fn object<const N: usize>(members: [(&'static str, Json); N]) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (Cow::Borrowed(key), value)).collect())
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl Json {
    /// The canonical form: sorted keys (all of ours are ASCII), no blanks, the shortest escapes.
    pub fn to_canonical(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    /// The member of an object.
    pub fn member(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(key),
            Self::Array(_) | Self::Boolean(_) | Self::Integer(_) | Self::Null | Self::Text(_) => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            Self::Boolean(_) | Self::Integer(_) | Self::Null | Self::Object(_) | Self::Text(_) => None,
        }
    }

    /// The number.
    pub const fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            Self::Array(_) | Self::Boolean(_) | Self::Null | Self::Object(_) | Self::Text(_) => None,
        }
    }

    /// The text.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Array(_) | Self::Boolean(_) | Self::Integer(_) | Self::Null | Self::Object(_) => None,
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Boolean(true) => out.push_str("true"),
            Self::Boolean(false) => out.push_str("false"),
            Self::Integer(number) => out.push_str(&number.to_string()),
            Self::Null => out.push_str("null"),
            Self::Object(members) => {
                out.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_text(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
            Self::Text(text) => write_text(text, out),
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            other if u32::from(other) < 0x20 => out.push_str(&format!("\\u{:04x}", u32::from(other))),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_canonical_form_is_that_of_rfc_8785() {
        let value = object([
            ("b", Json::Array(vec![Json::Integer(-1), Json::Null, Json::Boolean(true)])),
            ("a", Json::from("é\"\\\u{1}\n€")),
        ]);
        assert_eq!(value.to_canonical(), "{\"a\":\"é\\\"\\\\\\u0001\\n€\",\"b\":[-1,null,true]}");
    }
}
