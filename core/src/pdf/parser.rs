//! Objects parsed from a window of the file, with a stack of its own: nesting is bounded by a limit.

use crate::pdf::limits::Limits;
use crate::pdf::lexer::{Lexer, SyntaxError, Token};
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

/// Parses one object, including `N G R`.
pub(crate) fn object(lexer: &mut Lexer<'_>, limits: &Limits) -> Result<Object, SyntaxError> {
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
                Some(Frame::Dictionary { dictionary, .. }) => Object::Dictionary(dictionary),
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
                if stack.is_empty() {
                    lexer.seek(start);
                    return Ok(Object::Null);
                }
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
    let start = lexer.at();
    let malformed = SyntaxError::Malformed(start);
    let Token::Integer(number) = lexer.token()? else { return Err(malformed) };
    let Token::Integer(generation) = lexer.token()? else { return Err(malformed) };
    let (Ok(number), Ok(generation)) = (u32::try_from(number), u16::try_from(generation)) else {
        return Err(malformed);
    };
    let Token::Keyword(b"obj") = lexer.token()? else { return Err(malformed) };
    let reference = Reference { number, generation };
    let object = object(lexer, limits)?;
    let end = lexer.at();
    let stream = if matches!(object, Object::Dictionary(_)) { stream_start(lexer)? } else { None };
    Ok(Indirect { reference, object, stream, end })
}

fn stream_start(lexer: &mut Lexer<'_>) -> Result<Option<usize>, SyntaxError> {
    match lexer.token() {
        Ok(Token::Keyword(b"stream")) => {}
        Err(SyntaxError::Incomplete) => return Err(SyntaxError::Incomplete),
        Ok(_) | Err(SyntaxError::Malformed(_) | SyntaxError::TooMuch) => return Ok(None),
    }
    // CR LF or LF end the keyword's line (7.3.8.1); blanks before it and a lone CR occur.
    let mut at = lexer.at();
    let mut rest = lexer.clone();
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
                Some(_) => Ok(Some(at + 1)),
                None => Err(SyntaxError::Incomplete),
            }
        }
        Some(_) => Ok(Some(lexer.at())),
        None => Err(SyntaxError::Incomplete),
    }
}
