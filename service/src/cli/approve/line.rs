//! What a line means that the person typed: a number of the list, or the whole word.

use signer_ipc::{message::Lasting, summary::Kind};

use crate::{
    cli::approve::words,
    text::{Language, last_try},
};

/// The word that the person wrote.
pub(super) enum Word {
    Approve(Lasting),
    Deny(Lasting),
}

/// Whether the person risks the last try.
pub(super) enum Risk {
    Taken,
    Declined,
}

/// The word of a line about the last try, written in full.
pub(super) fn risk(line: &[u8], language: Language) -> Option<Risk> {
    let text = std::str::from_utf8(line).ok()?.trim().to_lowercase();
    if text == language.choose(last_try::WORD) {
        Some(Risk::Taken)
    } else if text == language.choose(words::DENY) {
        Some(Risk::Declined)
    } else {
        None
    }
}

/// A number from 1 to `count`, as an index from 0; Enter alone is the first.
pub(super) fn number(line: &[u8], count: usize) -> Option<usize> {
    let text = std::str::from_utf8(line).ok()?.trim();
    let number = if text.is_empty() { 1 } else { text.parse::<usize>().ok()? };
    number.checked_sub(1).filter(|index| *index < count)
}

/// The word of a line, written in full.
pub(super) fn word(line: &[u8], kind: Kind, language: Language) -> Option<Word> {
    let text = std::str::from_utf8(line).ok()?.to_lowercase();
    let mut parts = text.split_whitespace();
    let first = parts.next()?;
    let lasting = match (parts.next(), kind) {
        (None, _) => Lasting::Once,
        (Some(second), Kind::Pairing) if second == language.choose(words::ALWAYS) => Lasting::Always,
        (Some(_), _) => return None,
    };
    if parts.next().is_some() {
        return None;
    }
    if first == language.choose(words::APPROVE) {
        Some(Word::Approve(lasting))
    } else if first == language.choose(words::DENY) {
        Some(Word::Deny(lasting))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_word_approves() {
        let said = |line: &str, kind| match word(line.as_bytes(), kind, Language::Portuguese) {
            Some(Word::Approve(Lasting::Once)) => "yes",
            Some(Word::Approve(Lasting::Always)) => "yes, always",
            Some(Word::Deny(Lasting::Once)) => "no",
            Some(Word::Deny(Lasting::Always)) => "no, always",
            None => "what?",
        };
        for line in ["aprovar", " Aprovar ", "APROVAR"] {
            assert_eq!(said(line, Kind::Signature), "yes");
        }
        for line in
            ["", "a", "s", "y", "sim", "aprova", "aprovarr", "aprovar sim", "aprovar sempre", "approve"]
        {
            assert_eq!(said(line, Kind::Signature), "what?", "{line}");
        }
        assert_eq!(said("negar", Kind::Signature), "no");
        assert_eq!(said("aprovar sempre", Kind::Pairing), "yes, always");
        assert_eq!(said("negar sempre", Kind::Pairing), "no, always");
        assert_eq!(said("aprovar sempre sempre", Kind::Pairing), "what?");
    }

    #[test]
    fn only_the_whole_word_risks_the_last_try() {
        let risked = |line: &str| matches!(risk(line.as_bytes(), Language::Portuguese), Some(Risk::Taken));
        assert!(risked("arriscar") && risked(" ARRISCAR "));
        for line in ["", "a", "sim", "aprovar", "arrisca", "arriscar sim", "risk", "negar"] {
            assert!(!risked(line), "{line}");
        }
        assert!(matches!(risk(b"negar", Language::Portuguese), Some(Risk::Declined)));
    }

    #[test]
    fn certificates_are_counted_from_one() {
        let chosen = |line: &str| number(line.as_bytes(), 2);
        assert_eq!((chosen(""), chosen("1"), chosen(" 2 ")), (Some(0), Some(0), Some(1)));
        assert_eq!((chosen("0"), chosen("3"), chosen("-1"), chosen("x")), (None, None, None, None));
    }
}
