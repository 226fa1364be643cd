//! Reads the JSON that core writes, and every other spelling of the same values, so that a text
//! that was spelt anew is told from one that is broken. No fractions; keys are not repeated.

use std::{borrow::Cow, collections::BTreeMap};

use crate::json::Json;

/// How deep values may stand in each other.
const DEEPEST: usize = 16;

/// The text is not JSON of the kind that is written here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the text is not JSON, or of another kind than what is written here")]
pub struct JsonError;

struct Reader<'a> {
    rest: &'a str,
}

impl Json {
    /// Reads one value that is the whole text.
    ///
    /// # Errors
    /// Where the text is not that, has a fraction, a repeated key, or is nested too deep.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        let mut reader = Reader { rest: text };
        let value = reader.value(DEEPEST)?;
        reader.blanks();
        if reader.rest.is_empty() { Ok(value) } else { Err(JsonError) }
    }
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        let deeper = depth.checked_sub(1).ok_or(JsonError)?;
        self.blanks();
        for (word, value) in
            [("null", Json::Null), ("true", Json::Boolean(true)), ("false", Json::Boolean(false))]
        {
            if self.takes(word) {
                return Ok(value);
            }
        }
        if self.takes("\"") {
            return self.text().map(Json::Text);
        }
        if self.takes("[") {
            return self.array(deeper);
        }
        if self.takes("{") {
            return self.object(deeper);
        }
        self.integer()
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut items = Vec::new();
        if self.takes_after_blanks("]") {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            if self.takes_after_blanks("]") {
                return Ok(Json::Array(items));
            }
            self.expect(",")?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut members = BTreeMap::new();
        if self.takes_after_blanks("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.blanks();
            self.expect("\"")?;
            let key = self.text()?;
            self.blanks();
            self.expect(":")?;
            let value = self.value(depth)?;
            // Only ASCII keys are sorted alike by bytes and by UTF-16, as RFC 8785 wants it.
            if !key.is_ascii() || members.insert(Cow::Owned(key), value).is_some() {
                return Err(JsonError);
            }
            if self.takes_after_blanks("}") {
                return Ok(Json::Object(members));
            }
            self.expect(",")?;
        }
    }

    fn integer(&mut self) -> Result<Json, JsonError> {
        let ends = |character: char| !(character.is_ascii_digit() || character == '-');
        let (number, rest) = self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        number.parse().map(Json::Integer).map_err(|_| JsonError)
    }

    /// What stands behind the opening quotation mark, with its closing one.
    fn text(&mut self) -> Result<String, JsonError> {
        let mut text = String::new();
        loop {
            match self.character()? {
                '"' => return Ok(text),
                '\\' => text.push(self.escaped()?),
                character if u32::from(character) < 0x20 => return Err(JsonError),
                character => text.push(character),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, JsonError> {
        Ok(match self.character()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.code_point(),
            character @ ('"' | '\\' | '/') => character,
            _ => return Err(JsonError),
        })
    }

    fn code_point(&mut self) -> Result<char, JsonError> {
        let first = self.code_unit()?;
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first) {
            self.expect("\\u")?;
            units.push(self.code_unit()?);
        }
        let mut decoded = char::decode_utf16(units);
        match (decoded.next(), decoded.next()) {
            (Some(Ok(character)), None) => Ok(character),
            (Some(_) | None, _) => Err(JsonError),
        }
    }

    fn code_unit(&mut self) -> Result<u16, JsonError> {
        let (digits, rest) = self.rest.split_at_checked(4).ok_or(JsonError)?;
        self.rest = rest;
        if digits.starts_with('+') {
            return Err(JsonError);
        }
        u16::from_str_radix(digits, 16).map_err(|_| JsonError)
    }

    fn character(&mut self) -> Result<char, JsonError> {
        let mut characters = self.rest.chars();
        let character = characters.next().ok_or(JsonError)?;
        self.rest = characters.as_str();
        Ok(character)
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn expect(&mut self, word: &str) -> Result<(), JsonError> {
        if self.takes(word) { Ok(()) } else { Err(JsonError) }
    }

    fn takes_after_blanks(&mut self, word: &str) -> bool {
        self.blanks();
        self.takes(word)
    }

    fn takes(&mut self, word: &str) -> bool {
        self.rest.strip_prefix(word).map(|rest| self.rest = rest).is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_spelling_of_a_value_is_read() {
        let text = " { \"a\" : [ 1 , -2 ] ,\t\"b\" : \"\\u00e9\\ud83d\\ude00\\/\\n\" }\n";
        let canonical = "{\"a\":[1,-2],\"b\":\"é😀/\\n\"}";
        let read = Json::parse(text).unwrap();
        assert_eq!(read.to_canonical(), canonical);
        assert_eq!(Json::parse(canonical).unwrap(), read);
    }

    #[test]
    fn what_is_not_written_here_is_refused() {
        for text in [
            "",
            "nul",
            "1.5",
            "1e3",
            "--1",
            "1-1",
            "-",
            "99999999999999999999",
            "[1",
            "[1,]",
            "[,]",
            "{\"a\":1,}",
            "{\"a\":1,\"a\":1}",
            "{\"é\":1}",
            "{a:1}",
            "\"\u{1}\"",
            "\"\\x\"",
            "\"\\u+123\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\udc00\"",
            "\"\\u00é\"",
            "\"open",
            "1 2",
            "null,",
        ] {
            assert_eq!(Json::parse(text), Err(JsonError), "{text}");
        }
        assert!(Json::parse(&("[".repeat(15) + &"]".repeat(15))).is_ok());
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(value in values()) {
            prop_assert_eq!(Json::parse(&value.to_canonical()), Ok(value));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[\\[\\]{}\",:\\\\u0-9a-f nrtle-]{0,40}") {
            if let Ok(value) = Json::parse(&text) {
                prop_assert_eq!(Json::parse(&value.to_canonical()), Ok(value));
            }
        }
    }

    fn values() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Boolean),
            any::<i64>().prop_map(Json::Integer),
            any::<String>().prop_map(Json::Text),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            let keys = "[ -~]{0,4}".prop_map(Cow::Owned);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Json::Array),
                prop::collection::btree_map(keys, inner, 0..6).prop_map(Json::Object),
            ]
        })
    }
}
