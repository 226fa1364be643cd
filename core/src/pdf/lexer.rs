//! Tokens of PDF syntax (ISO 32000-2, 7.2 and 7.3), read from a window of the file.

use crate::pdf::object::Real;

/// The longest number or keyword.
const WORD_BYTES: usize = 64 << 10;

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token<'a> {
    ArrayClose,
    ArrayOpen,
    DictionaryClose,
    DictionaryOpen,
    End,
    Integer(i64),
    Keyword(&'a [u8]),
    Name(Vec<u8>),
    Real(Real),
    String(Vec<u8>),
}

/// Why no token or object could be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyntaxError {
    /// The window ends too early; a larger one may do.
    Incomplete,
    /// The bytes at this place of the window are no object.
    Malformed(usize),
    /// Nested deeper, or more values in one object, than the limits let in.
    TooMuch,
}

/// Reads tokens from a window.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Whether nothing follows the window, so that its end ends a token.
    last: bool,
}

pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

pub(crate) const fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

pub(crate) const fn is_regular(byte: u8) -> bool {
    !is_space(byte) && !is_delimiter(byte)
}

/// The value of a hexadecimal digit.
#[inline]
pub(crate) const fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

impl<'a> Lexer<'a> {
    pub(crate) const fn new(bytes: &'a [u8], at: usize, last: bool) -> Self {
        Self { bytes, at, last }
    }

    /// The place in the window.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// Goes on from `at`.
    pub(crate) const fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// The byte at the place, without moving on.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The next token. At the end of the last window it is [`Token::End`].
    pub(crate) fn token(&mut self) -> Result<Token<'a>, SyntaxError> {
        self.skip_space()?;
        let Some(byte) = self.peek() else { return Ok(Token::End) };
        match byte {
            b'[' => Ok(self.single(Token::ArrayOpen)),
            b']' => Ok(self.single(Token::ArrayClose)),
            b'(' => self.literal_string(),
            b'/' => self.name(),
            b'<' => match self.bytes.get(self.at + 1) {
                Some(b'<') => {
                    self.at += 1;
                    Ok(self.single(Token::DictionaryOpen))
                }
                Some(_) => self.hexadecimal_string(),
                None => self.at_end(Token::End),
            },
            b'>' => match self.bytes.get(self.at + 1) {
                Some(b'>') => {
                    self.at += 1;
                    Ok(self.single(Token::DictionaryClose))
                }
                Some(_) => Err(SyntaxError::Malformed(self.at)),
                None => self.at_end(Token::End),
            },
            b')' => Err(SyntaxError::Malformed(self.at)),
            b'{' | b'}' => {
                let text = self.bytes.get(self.at..=self.at).unwrap_or_default();
                Ok(self.single(Token::Keyword(text)))
            }
            _ => self.regular(),
        }
    }

    /// Skips white space and comments.
    pub(crate) fn skip_space(&mut self) -> Result<(), SyntaxError> {
        loop {
            match self.peek() {
                Some(byte) if is_space(byte) => self.at += 1,
                Some(b'%') => {
                    while self.peek().is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                        self.at += 1;
                    }
                }
                Some(_) => return Ok(()),
                None => return self.at_end(()),
            }
        }
    }

    const fn single<T>(&mut self, token: T) -> T {
        self.at += 1;
        token
    }

    fn at_end<T>(&self, value: T) -> Result<T, SyntaxError> {
        if self.last { Ok(value) } else { Err(SyntaxError::Incomplete) }
    }

    /// A run of regular characters: a number or a keyword.
    fn regular(&mut self) -> Result<Token<'a>, SyntaxError> {
        let start = self.at;
        while self.peek().is_some_and(is_regular) {
            self.at += 1;
        }
        if self.peek().is_none() {
            self.at_end(())?;
        }
        let text = self.bytes.get(start..self.at).unwrap_or_default();
        // A number is copied some times over while it is read; no honest one is a page long.
        if text.len() > WORD_BYTES {
            return Err(SyntaxError::TooMuch);
        }
        Ok(number(text).unwrap_or(Token::Keyword(text)))
    }

    fn name(&mut self) -> Result<Token<'a>, SyntaxError> {
        self.at += 1;
        let mut name = Vec::new();
        while let Some(byte) = self.peek().filter(|&byte| is_regular(byte)) {
            self.at += 1;
            let escaped = || {
                let high = hex_digit(*self.bytes.get(self.at)?)?;
                let low = hex_digit(*self.bytes.get(self.at + 1)?)?;
                Some(high << 4 | low)
            };
            match (byte, (byte == b'#').then(escaped).flatten()) {
                (b'#', Some(value)) => {
                    name.push(value);
                    self.at += 2;
                }
                (byte, _) => name.push(byte),
            }
        }
        if self.peek().is_none() {
            self.at_end(())?;
        }
        Ok(Token::Name(name))
    }

    fn hexadecimal_string(&mut self) -> Result<Token<'a>, SyntaxError> {
        self.at += 1;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(len) = rest.iter().position(|&byte| byte == b'>') else {
            self.at = self.bytes.len();
            self.at_end(())?;
            return Err(SyntaxError::Malformed(self.at));
        };
        self.at += len + 1;
        let digits = rest.get(..len).unwrap_or_default();
        // The contents of signatures are long, and every digit of theirs is one.
        if let Ok(bytes) = base16ct::mixed::decode_vec(digits) {
            return Ok(Token::String(bytes));
        }
        // White space between the digits, and what readers skip as if it were.
        let mut digits = digits.iter().filter_map(|&byte| hex_digit(byte));
        let mut bytes = Vec::with_capacity(len.div_ceil(2));
        while let Some(high) = digits.next() {
            bytes.push(high << 4 | digits.next().unwrap_or(0));
        }
        Ok(Token::String(bytes))
    }

    fn literal_string(&mut self) -> Result<Token<'a>, SyntaxError> {
        self.at += 1;
        let mut bytes = Vec::new();
        let mut open = 1usize;
        loop {
            let Some(byte) = self.peek() else {
                self.at_end(())?;
                return Err(SyntaxError::Malformed(self.at));
            };
            self.at += 1;
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        return Ok(Token::String(bytes));
                    }
                }
                b'\\' => {
                    self.escape(&mut bytes);
                    continue;
                }
                b'\r' => {
                    // An end of line in a string is a line feed, however it is written.
                    if self.peek() == Some(b'\n') {
                        self.at += 1;
                    }
                    bytes.push(b'\n');
                    continue;
                }
                _ => {}
            }
            bytes.push(byte);
        }
    }

    /// What follows a backslash. At the end of the window nothing is taken: the caller sees the end.
    fn escape(&mut self, bytes: &mut Vec<u8>) {
        let Some(byte) = self.peek() else { return };
        self.at += 1;
        match byte {
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'b' => bytes.push(8),
            b'f' => bytes.push(12),
            b'\n' => {}
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
            }
            b'0'..=b'7' => {
                let mut value = byte - b'0';
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    self.at += 1;
                    // High-order overflow is ignored (7.3.4.2).
                    value = value.wrapping_shl(3) | (digit - b'0');
                }
                bytes.push(value);
            }
            other => bytes.push(other),
        }
    }
}

/// The number that `text` stands for. What begins like a number but is none keeps its spelling,
/// with the value of its first digits, so that a rewritten object changes nothing.
fn number(text: &[u8]) -> Option<Token<'static>> {
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] => (1.0, rest),
        rest => (1.0, rest),
    };
    if !digits.first().is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+')) {
        return None;
    }
    let text = std::str::from_utf8(text).ok()?;
    if let Ok(value) = text.parse::<i64>() {
        return Some(Token::Integer(value));
    }
    let digits = std::str::from_utf8(digits).ok()?.trim_start_matches(['-', '+']);
    let (whole, rest) = digits.split_at(digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len()));
    let fraction = rest.strip_prefix('.').unwrap_or_default();
    let fraction = fraction.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    if whole.is_empty() && fraction.is_empty() && rest != "." {
        return None;
    }
    let value = format!("0{whole}.{fraction}0").parse::<f64>().unwrap_or(0.0);
    Some(Token::Real(Real::parsed(text.to_owned(), sign * value)))
}
