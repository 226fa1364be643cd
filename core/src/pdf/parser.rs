//! Objects parsed from a window of the file, with a stack of its own: nesting is bounded by a limit.

use crate::pdf::lexer::{Lexer, SyntaxError, Token};
use crate::pdf::limits::Limits;
use crate::pdf::object::{Dictionary, Name, Object, Reference};

/// An indirect object as it stands in the file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Indirect {
    pub(crate) reference: Reference,
    pub(crate) object: Object,
    /// Where in the window the stream's data begin, if it is a stream.
    pub(crate) stream: Option<usize>,
    /// Where in the window the object's own text ends, before `endobj` or `stream`.
    pub(crate) end: usize,
}

enum Frame {
    Array(Vec<Object>),
    Dictionary { dictionary: Dictionary, key: Option<Name> },
}

/// How the syntax is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As it is written: what one reader mends and another reads otherwise is refused, a repeated
    /// key among it.
    Exact,
    /// As readers mend it.
    Lenient,
}

/// Parses one object, including `N G R`.
pub(crate) fn object(lexer: &mut Lexer<'_>, limits: &Limits) -> Result<Object, SyntaxError> {
    object_as(lexer, limits, Reading::Lenient)
}

/// As [`object`], in one of the ways of reading.
pub(crate) fn object_as(
    lexer: &mut Lexer<'_>,
    limits: &Limits,
    reading: Reading,
) -> Result<Object, SyntaxError> {
    let depth = limits.depth;
    let mut items = 0usize;
    let mut stack: Vec<Frame> = Vec::new();
    loop {
        let start = lexer.at();
        let value = match lexer.token()? {
            Token::ArrayOpen => {
                open(&mut stack, Frame::Array(Vec::new()), depth)?;
                continue;
            }
            Token::DictionaryOpen => {
                open(&mut stack, Frame::Dictionary { dictionary: Dictionary::new(), key: None }, depth)?;
                continue;
            }
            Token::ArrayClose => match stack.pop() {
                Some(Frame::Array(items)) => Object::Array(items),
                Some(Frame::Dictionary { .. }) | None => return Err(SyntaxError::Malformed(start)),
            },
            Token::DictionaryClose => match stack.pop() {
                Some(Frame::Dictionary { dictionary, key }) => {
                    if reading == Reading::Exact && (key.is_some() || dictionary.repeats_key()) {
                        return Err(SyntaxError::Malformed(start));
                    }
                    Object::Dictionary(dictionary)
                }
                Some(Frame::Array(_)) | None => return Err(SyntaxError::Malformed(start)),
            },
            Token::Integer(value) => integer_or_reference(lexer, value)?,
            Token::Real(real) => Object::Real(real),
            Token::String(bytes) => Object::String(bytes),
            Token::Name(name) => Object::Name(Name(name)),
            Token::Keyword(b"true") => Object::Boolean(true),
            Token::Keyword(b"false") => Object::Boolean(false),
            Token::Keyword(b"endobj" | b"obj" | b"stream" | b"endstream" | b"xref" | b"trailer") => {
                // An empty object, `1 0 obj endobj`, is null; anywhere else something is missing.
                if stack.is_empty() && reading == Reading::Lenient {
                    lexer.seek(start);
                    return Ok(Object::Null);
                }
                return Err(SyntaxError::Malformed(start));
            }
            Token::Keyword(word) if reading == Reading::Exact && word != b"null" => {
                return Err(SyntaxError::Malformed(start));
            }
            // `null`, and words that mean nothing here.
            Token::Keyword(_) => Object::Null,
            Token::End => return Err(SyntaxError::Malformed(start)),
        };
        items += 1;
        if items > limits.items {
            return Err(SyntaxError::TooMuch);
        }
        match stack.last_mut() {
            None => return Ok(value),
            Some(Frame::Array(items)) => items.push(value),
            Some(Frame::Dictionary { dictionary, key }) => match (key.take(), value) {
                (Some(name), value) => dictionary.push(name, value),
                (None, Object::Name(name)) => *key = Some(name),
                (None, _) if reading == Reading::Exact => return Err(SyntaxError::Malformed(start)),
                // A key that is no name: readers skip it.
                (None, _) => {}
            },
        }
    }
}

fn open(stack: &mut Vec<Frame>, frame: Frame, depth: usize) -> Result<(), SyntaxError> {
    if stack.len() >= depth {
        return Err(SyntaxError::TooMuch);
    }
    stack.push(frame);
    Ok(())
}

fn integer_or_reference(lexer: &mut Lexer<'_>, first: i64) -> Result<Object, SyntaxError> {
    let after = lexer.at();
    let Ok(number) = u32::try_from(first) else { return Ok(Object::Integer(first)) };
    // Looking ahead must not fail over bytes that are not part of this object.
    let generation = match lexer.token() {
        Ok(Token::Integer(value)) => u16::try_from(value).ok(),
        Err(SyntaxError::Incomplete) => return Err(SyntaxError::Incomplete),
        Ok(_) | Err(SyntaxError::Malformed(_) | SyntaxError::TooMuch) => None,
    };
    if let Some(generation) = generation {
        match lexer.token() {
            Ok(Token::Keyword(b"R")) => {
                // Object 0 is the head of the free list: a reference to it is null.
                let reference = Reference { number, generation };
                return Ok(if number == 0 { Object::Null } else { Object::Reference(reference) });
            }
            Err(SyntaxError::Incomplete) => return Err(SyntaxError::Incomplete),
            Ok(_) | Err(SyntaxError::Malformed(_) | SyntaxError::TooMuch) => {}
        }
    }
    lexer.seek(after);
    Ok(Object::Integer(first))
}

/// Parses `N G obj …` and finds out whether a stream follows.
pub(crate) fn indirect(lexer: &mut Lexer<'_>, limits: &Limits) -> Result<Indirect, SyntaxError> {
    indirect_as(lexer, limits, Reading::Lenient)
}

/// As [`indirect`], in one of the ways of reading.
pub(crate) fn indirect_as(
    lexer: &mut Lexer<'_>,
    limits: &Limits,
    reading: Reading,
) -> Result<Indirect, SyntaxError> {
    let start = lexer.at();
    let malformed = SyntaxError::Malformed(start);
    let Token::Integer(number) = lexer.token()? else { return Err(malformed) };
    let Token::Integer(generation) = lexer.token()? else { return Err(malformed) };
    let (Ok(number), Ok(generation)) = (u32::try_from(number), u16::try_from(generation)) else {
        return Err(malformed);
    };
    let Token::Keyword(b"obj") = lexer.token()? else { return Err(malformed) };
    let reference = Reference { number, generation };
    let object = object_as(lexer, limits, reading)?;
    let end = lexer.at();
    let stream = if matches!(object, Object::Dictionary(_)) { stream_start(lexer, reading)? } else { None };
    Ok(Indirect { reference, object, stream, end })
}

fn stream_start(lexer: &mut Lexer<'_>, reading: Reading) -> Result<Option<usize>, SyntaxError> {
    match lexer.token() {
        Ok(Token::Keyword(b"stream")) => {}
        Err(SyntaxError::Incomplete) => return Err(SyntaxError::Incomplete),
        Ok(_) | Err(SyntaxError::Malformed(_) | SyntaxError::TooMuch) => return Ok(None),
    }
    // CR LF or LF end the keyword's line (7.3.8.1); blanks before it and a lone CR occur.
    let mut at = lexer.at();
    let mut rest = lexer.clone();
    if reading == Reading::Exact && !matches!(rest.peek(), Some(b'\r' | b'\n') | None) {
        return Err(SyntaxError::Malformed(at));
    }
    while rest.peek() == Some(b' ') {
        at += 1;
        rest.seek(at);
    }
    match rest.peek() {
        Some(b'\n') => Ok(Some(at + 1)),
        Some(b'\r') => {
            rest.seek(at + 1);
            match rest.peek() {
                Some(b'\n') => Ok(Some(at + 2)),
                Some(_) if reading == Reading::Exact => Err(SyntaxError::Malformed(at)),
                Some(_) => Ok(Some(at + 1)),
                None => Err(SyntaxError::Incomplete),
            }
        }
        Some(_) => Ok(Some(lexer.at())),
        None => Err(SyntaxError::Incomplete),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pdf::object::{self, Real};

    fn parse(text: &[u8]) -> Result<Object, SyntaxError> {
        object(&mut Lexer::new(text, 0, true), &Limits::default())
    }

    #[test]
    fn objects_are_parsed() {
        let name = |text: &str| Object::Name(Name::from(text));
        let reference = Object::Reference(Reference { number: 12, generation: 3 });
        for (text, expected) in [
            ("12 3 R", reference.clone()),
            ("[12 3 R 4 5]", Object::Array(vec![reference, Object::Integer(4), Object::Integer(5)])),
            ("0 0 R", Object::Null),
            ("-7", Object::Integer(-7)),
            ("+7 ", Object::Integer(7)),
            (".5", Object::Real(Real::parsed(".5".into(), 0.5))),
            ("--5", Object::Real(Real::parsed("--5".into(), -5.0))),
            ("/A#20b#", name("A b#")),
            ("/", name("")),
            ("(a\\(b(c)\\)\\061\\n\\\n)", Object::String(b"a(b(c))1\n".to_vec())),
            ("<4 8\n65 7>", Object::String(b"Hep".to_vec())),
            ("% a comment\rtrue", Object::Boolean(true)),
            (
                "<</A/B/C<<>>>>",
                Object::Dictionary(
                    Dictionary::new().with("A", name("B")).with("C", Object::Dictionary(Dictionary::new())),
                ),
            ),
            ("<</A 1 2>>", Object::Dictionary(Dictionary::new().with("A", Object::Integer(1)))),
            ("endobj", Object::Null),
        ] {
            assert_eq!(parse(text.as_bytes()), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["", "(open", "<41", "[1 2", "<< /A 1", "]", ">>", "[1 >>", "[ endobj", ")"] {
            assert!(matches!(parse(text.as_bytes()), Err(SyntaxError::Malformed(_))), "{text}");
        }
        let deep = "[".repeat(200);
        assert_eq!(parse(deep.as_bytes()), Err(SyntaxError::TooMuch));
        let wide = format!("[{}]", "0 ".repeat(250_001));
        assert_eq!(parse(wide.as_bytes()), Err(SyntaxError::TooMuch));
    }

    #[test]
    fn what_readers_mend_differently_is_refused_where_the_reading_is_exact() {
        for text in [
            "<< /A 1 /A 2 >>",
            "[<< /A << /B 1 /#42 1 >> >>]",
            "<< /A >>",
            "<< /A 1 2 >>",
            "<< /A word >>",
            "endobj",
        ] {
            let exact =
                object_as(&mut Lexer::new(text.as_bytes(), 0, true), &Limits::default(), Reading::Exact);
            assert!(matches!(exact, Err(SyntaxError::Malformed(_))), "{text}: {exact:?}");
            assert!(parse(text.as_bytes()).is_ok(), "{text}");
        }
        let text = b"<< /A [true null 1 0 R (a) <41> -.5] /B << /A 1 >> >>";
        let exact = object_as(&mut Lexer::new(text, 0, true), &Limits::default(), Reading::Exact);
        assert_eq!(exact, parse(text));
    }

    #[test]
    fn a_window_that_ends_within_an_object_asks_for_more() {
        let text = b"<< /Name (string) /R 12 0 R /H <4142> /N -1.5 >> ";
        for end in 0..text.len() - 2 {
            let found = object(&mut Lexer::new(&text[..end], 0, false), &Limits::default());
            assert_eq!(found, Err(SyntaxError::Incomplete), "{end}");
        }
    }

    fn values() -> impl Strategy<Value = Object> {
        let leaf = prop_oneof![
            Just(Object::Null),
            any::<bool>().prop_map(Object::Boolean),
            any::<i64>().prop_map(Object::Integer),
            (-1e6..1e6f64)
                .prop_filter("an integer is read as one", |value| value.fract().abs() > 0.001)
                .prop_map(|value| Object::Real(Real::new((value * 1000.0).round() / 1000.0)))
                .prop_filter(
                    "an integer is read as one",
                    |object| matches!(object, Object::Real(real) if real.text().contains('.'))
                ),
            proptest::collection::vec(any::<u8>(), 0..20).prop_map(Object::String),
            proptest::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| Object::Name(Name(bytes))),
            (1..u32::MAX, any::<u16>())
                .prop_map(|(number, generation)| Object::Reference(Reference { number, generation })),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let key = proptest::collection::vec(any::<u8>(), 1..8).prop_map(Name);
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Object::Array),
                proptest::collection::vec((key, inner), 0..6).prop_map(|entries| {
                    let mut dictionary = Dictionary::new();
                    for (key, value) in entries {
                        dictionary.push(key, value);
                    }
                    Object::Dictionary(dictionary)
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in values()) {
            let mut text = Vec::new();
            object::write(&value, &mut text);
            prop_assert_eq!(parse(&text), Ok(value), "{}", String::from_utf8_lossy(&text));
        }

        #[test]
        fn no_bytes_make_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), last: bool) {
            let mut lexer = Lexer::new(&bytes, 0, last);
            let _ = object(&mut lexer.clone(), &Limits::default());
            let _ = indirect(&mut lexer, &Limits::default());
        }

        #[test]
        fn no_tokens_make_the_parser_panic(
            tokens in proptest::collection::vec(
                prop::sample::select(vec!["<<", ">>", "[", "]", "(", ")", "<", "/", "1", "0", "R", "obj", "stream", "%", "\n", " ", "\\", "-", "."]),
                0..60,
            ),
        ) {
            let text = tokens.concat();
            let _ = parse(text.as_bytes());
            let _ = indirect(&mut Lexer::new(text.as_bytes(), 0, true), &Limits::default());
        }
    }
}
