//! PDF objects as values (ISO 32000-2, 7.3), and how they are written.

use std::collections::{HashMap, HashSet};

/// An indirect reference: object number and generation (7.3.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference {
    /// Object number, from 1.
    pub number: u32,
    /// Generation number.
    pub generation: u16,
}

/// A name without its slash, `#xx` escapes resolved (7.3.5).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub Vec<u8>);

/// A real number. Keeps the spelling of the source, so that rewriting an object changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Real {
    text: String,
    value: f64,
}

/// Any object but a stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Object {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// An integer.
    Integer(i64),
    /// A real number.
    Real(Real),
    /// A string, literal or hexadecimal, as its bytes.
    String(Vec<u8>),
    /// A name.
    Name(Name),
    /// An array.
    Array(Vec<Object>),
    /// A dictionary.
    Dictionary(Dictionary),
    /// An indirect reference.
    Reference(Reference),
}

/// A dictionary that keeps the order of its entries. Of repeated keys the last one counts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dictionary(Vec<(Name, Object)>);

/// A stream to be written: its dictionary without `/Length`, and its encoded bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Stream {
    /// The dictionary; `/Length` is added when it is written.
    pub dictionary: Dictionary,
    /// The bytes as they go into the file.
    pub data: Vec<u8>,
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl Real {
    /// A number read from a file, with its spelling there.
    pub const fn parsed(text: String, value: f64) -> Self {
        Self { text, value }
    }

    /// A number to be written with at most four decimals; not finite becomes 0.
    pub fn new(value: f64) -> Self {
        let value = if value.is_finite() { value } else { 0.0 };
        let mut text = format!("{value:.4}");
        while text.contains('.') && text.ends_with(['0', '.']) {
            let dot = text.ends_with('.');
            text.pop();
            if dot {
                break;
            }
        }
        if text == "-0" {
            text = "0".to_owned();
        }
        Self { text, value }
    }

    /// The value.
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// The spelling.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl Object {
    /// A name.
    pub fn name(text: &str) -> Self {
        Self::Name(Name::from(text))
    }

    /// A number: an integer where it is one.
    pub fn number(value: f64) -> Self {
        Self::Real(Real::new(value))
    }

    /// A text string (7.9.2.2): PDFDocEncoding's ASCII part where that is enough, else UTF-16BE.
    pub fn text(text: &str) -> Self {
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Self::String(text.as_bytes().to_vec());
        }
        let mut bytes = vec![0xfe, 0xff];
        bytes.extend(text.encode_utf16().flat_map(u16::to_be_bytes));
        Self::String(bytes)
    }

    /// How many values it holds, nested ones and a share of texts counted.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Array(items) => items.iter().map(Self::weight).sum::<usize>() + 1,
            Self::Dictionary(dictionary) => dictionary.weight() + 1,
            Self::String(bytes) => bytes.len() / 64 + 1,
            Self::Name(name) => name.0.len() / 64 + 1,
            Self::Null | Self::Boolean(_) | Self::Integer(_) | Self::Real(_) | Self::Reference(_) => 1,
        }
    }

    /// The highest object number up to `limit` that it refers to; 0 where there is none. Depth is
    /// bounded by what the parser lets in.
    pub(crate) fn highest_reference(&self, limit: u32) -> u32 {
        match self {
            Self::Reference(reference) if reference.number <= limit => reference.number,
            Self::Array(items) => items.iter().map(|item| item.highest_reference(limit)).max().unwrap_or(0),
            Self::Dictionary(entries) => {
                entries.iter().map(|(_, value)| value.highest_reference(limit)).max().unwrap_or(0)
            }
            Self::Null
            | Self::Boolean(_)
            | Self::Integer(_)
            | Self::Real(_)
            | Self::String(_)
            | Self::Name(_)
            | Self::Reference(_) => 0,
        }
    }

    /// Whether a dictionary in it, at any depth, gives one key two values.
    pub(crate) fn contradicts_itself(&self) -> bool {
        match self {
            Self::Array(items) => items.iter().any(Self::contradicts_itself),
            Self::Dictionary(entries) => {
                let mut first = HashMap::new();
                entries.iter().any(|(key, value)| {
                    *first.entry(key).or_insert(value) != value || value.contradicts_itself()
                })
            }
            Self::Null
            | Self::Boolean(_)
            | Self::Integer(_)
            | Self::Real(_)
            | Self::String(_)
            | Self::Name(_)
            | Self::Reference(_) => false,
        }
    }

    /// The integer, if it is one.
    pub const fn as_integer(&self) -> Option<i64> {
        if let Self::Integer(value) = self { Some(*value) } else { None }
    }

    /// The number, integer or real.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "coordinates are far below 2^52")]
            Self::Integer(value) => Some(*value as f64),
            Self::Real(real) => Some(real.value),
            Self::Null
            | Self::Boolean(_)
            | Self::String(_)
            | Self::Name(_)
            | Self::Array(_)
            | Self::Dictionary(_)
            | Self::Reference(_) => None,
        }
    }

    /// The name's bytes, if it is one.
    pub fn as_name(&self) -> Option<&[u8]> {
        if let Self::Name(name) = self { Some(&name.0) } else { None }
    }

    /// The string's bytes, if it is one.
    pub fn as_string(&self) -> Option<&[u8]> {
        if let Self::String(bytes) = self { Some(bytes) } else { None }
    }

    /// The array, if it is one.
    pub fn as_array(&self) -> Option<&[Self]> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The items, if it is an array.
    pub fn into_array(self) -> Option<Vec<Self>> {
        if let Self::Array(items) = self { Some(items) } else { None }
    }

    /// The dictionary itself, if it is one.
    pub fn into_dictionary(self) -> Option<Dictionary> {
        if let Self::Dictionary(dictionary) = self { Some(dictionary) } else { None }
    }

    /// The dictionary, if it is one.
    pub const fn as_dictionary(&self) -> Option<&Dictionary> {
        if let Self::Dictionary(dictionary) = self { Some(dictionary) } else { None }
    }

    /// The reference, if it is one.
    pub const fn as_reference(&self) -> Option<Reference> {
        if let Self::Reference(reference) = self { Some(*reference) } else { None }
    }
}

impl Dictionary {
    /// An empty dictionary.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// The same with `key` set: for building in one expression.
    #[must_use]
    pub fn with(mut self, key: &str, value: Object) -> Self {
        self.set(key, value);
        self
    }

    /// Sets `key`, in its old place if it is there.
    pub fn set(&mut self, key: &str, value: Object) {
        match self.0.iter_mut().rev().find(|(name, _)| name.0 == key.as_bytes()) {
            Some((_, old)) => *old = value,
            None => self.0.push((Name::from(key), value)),
        }
    }

    /// Appends an entry as the parser found it, without looking for an older one.
    pub fn push(&mut self, key: Name, value: Object) {
        self.0.push((key, value));
    }

    /// Removes every entry of `key`.
    pub fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name.0 != key.as_bytes());
    }

    /// The value of `key`; `null` counts as absent (7.3.7).
    pub fn get(&self, key: &str) -> Option<&Object> {
        let found = self.0.iter().rev().find(|(name, _)| name.0 == key.as_bytes());
        found.map(|(_, value)| value).filter(|value| !matches!(value, Object::Null))
    }

    /// Whether a key stands in it more than once: readers take the first one or the last one.
    pub(crate) fn repeats_key(&self) -> bool {
        let mut seen = HashSet::new();
        self.0.iter().any(|(key, _)| !seen.insert(key))
    }

    /// Whether one of `keys` stands in it with two values.
    pub(crate) fn contradicts_itself(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| {
            let mut values =
                self.0.iter().filter(|(name, _)| name.0 == key.as_bytes()).map(|(_, value)| value);
            let first = values.next();
            values.any(|value| Some(value) != first)
        })
    }

    /// Whether `key` has a value other than `null`.
    pub fn contains(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// How many values it holds, nested ones counted: a measure of its memory.
    pub(crate) fn weight(&self) -> usize {
        self.0.iter().map(|(_, value)| value.weight() + 1).sum()
    }

    /// The entries in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Object)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// The entries in their order, with values that can be changed.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&Name, &mut Object)> {
        self.0.iter_mut().map(|(name, value)| (&*name, value))
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Writes `object` to `out` in the syntax of 7.3. Depth is bounded by what the parser lets in.
pub fn write(object: &Object, out: &mut Vec<u8>) {
    match object {
        Object::Null => out.extend_from_slice(b"null"),
        Object::Boolean(true) => out.extend_from_slice(b"true"),
        Object::Boolean(false) => out.extend_from_slice(b"false"),
        Object::Integer(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Object::Real(real) => out.extend_from_slice(real.text.as_bytes()),
        Object::String(bytes) => write_string(bytes, out),
        Object::Name(name) => write_name(name, out),
        Object::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b' ');
                }
                write(item, out);
            }
            out.push(b']');
        }
        Object::Dictionary(dictionary) => write_dictionary(dictionary, out),
        Object::Reference(reference) => {
            out.extend_from_slice(format!("{} {} R", reference.number, reference.generation).as_bytes());
        }
    }
}

/// Writes `dictionary` to `out`.
pub fn write_dictionary(dictionary: &Dictionary, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<<");
    for (key, value) in dictionary.iter() {
        out.push(b' ');
        write_name(key, out);
        out.push(b' ');
        write(value, out);
    }
    out.extend_from_slice(b" >>");
}

fn write_name(name: &Name, out: &mut Vec<u8>) {
    out.push(b'/');
    for &byte in &name.0 {
        if byte.is_ascii_graphic() && !b"()<>[]{}/%#".contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(format!("#{byte:02X}").as_bytes());
        }
    }
}

fn write_string(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        out.push(b'(');
        for &byte in bytes {
            if b"()\\".contains(&byte) {
                out.push(b'\\');
            }
            out.push(byte);
        }
        out.push(b')');
        return;
    }
    out.push(b'<');
    for byte in bytes {
        out.extend_from_slice(format!("{byte:02X}").as_bytes());
    }
    out.push(b'>');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(object: &Object, expected: &str) {
        let mut out = Vec::new();
        write(object, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }

    #[test]
    fn objects_are_written_in_pdf_syntax() {
        check(&Object::number(12.5), "12.5");
        check(&Object::number(-0.000_01), "0");
        check(&Object::number(100.0), "100");
        check(&Object::text("a(b)\\"), "(a\\(b\\)\\\\)");
        check(&Object::text("é"), "<FEFF00E9>");
        check(&Object::Name(Name(b"A B#".to_vec())), "/A#20B#23");
        check(
            &Object::Dictionary(
                Dictionary::new()
                    .with("Rect", Object::Array(vec![Object::Integer(0), Object::Null]))
                    .with("P", Object::Reference(Reference { number: 3, generation: 0 })),
            ),
            "<< /Rect [0 null] /P 3 0 R >>",
        );
    }

    #[test]
    fn the_last_of_repeated_keys_counts_and_null_is_absent() {
        let mut dictionary = Dictionary::new();
        dictionary.push(Name::from("A"), Object::Integer(1));
        dictionary.push(Name::from("A"), Object::Integer(2));
        dictionary.push(Name::from("B"), Object::Null);
        assert_eq!(dictionary.get("A").and_then(Object::as_integer), Some(2));
        assert!(dictionary.get("B").is_none());
    }
}
