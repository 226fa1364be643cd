//! The password of a document, and the bytes that it may stand for (ISO 32000-2, 7.6.4.3).

use zeroize::Zeroizing;

use crate::pdf::text;

/// Bytes of a password that revisions 5 and 6 look at.
const LONGEST: usize = 127;

/// A user or owner password as it was typed. Overwritten with zeros when dropped; it cannot be
/// shown, compared or copied.
pub struct Password {
    bytes: Zeroizing<Vec<u8>>,
}

impl Password {
    /// A copy of `typed`, which is text in UTF-8 unless it is none at all. Whoever owns `typed`
    /// overwrites it.
    pub fn new(typed: &[u8]) -> Self {
        Self { bytes: Zeroizing::new(typed.to_vec()) }
    }

    /// Whether nothing was typed.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// What writers make of it in revisions 5 and 6: SASLprep (RFC 4013) as it should be, and the
    /// text as it is, for those who left that out.
    pub(super) fn prepared(&self) -> Vec<Zeroizing<Vec<u8>>> {
        let text = std::str::from_utf8(&self.bytes).ok();
        let prepared = text.and_then(|text| stringprep::saslprep(text).ok()).map(|prepared| match prepared {
            std::borrow::Cow::Borrowed(text) => Zeroizing::new(text.as_bytes().to_vec()),
            std::borrow::Cow::Owned(text) => Zeroizing::new(text.into_bytes()),
        });
        let mut all: Vec<_> = prepared.into_iter().collect();
        push_new(&mut all, self.bytes.clone());
        for one in &mut all {
            one.truncate(LONGEST);
        }
        all
    }

    /// What writers make of it before revision 5: PDFDocEncoding as it should be, and UTF-8.
    pub(super) fn encoded(&self) -> Vec<Zeroizing<Vec<u8>>> {
        let text = std::str::from_utf8(&self.bytes).ok();
        let mut all: Vec<_> = text.and_then(text::encode).map(Zeroizing::new).into_iter().collect();
        push_new(&mut all, self.bytes.clone());
        all
    }
}

fn push_new(all: &mut Vec<Zeroizing<Vec<u8>>>, one: Zeroizing<Vec<u8>>) {
    if !all.contains(&one) {
        all.push(one);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: Vec<Zeroizing<Vec<u8>>>) -> Vec<Vec<u8>> {
        all.iter().map(|one| one.to_vec()).collect()
    }

    #[test]
    fn each_revision_has_its_encodings() {
        let plain = Password::new(b"user");
        assert_eq!(texts(plain.prepared()), [b"user"]);
        assert_eq!(texts(plain.encoded()), [b"user"]);
        let accented = Password::new("h\u{f4}tel".as_bytes());
        assert_eq!(texts(accented.prepared()), ["h\u{f4}tel".as_bytes()]);
        assert_eq!(texts(accented.encoded()), [b"h\xf4tel".as_slice(), b"h\xc3\xb4tel"]);
        // RFC 4013, 3: a soft hyphen is mapped to nothing, a Roman numeral to its letters; a
        // bell is prohibited.
        let mapped = Password::new("I\u{ad}X\u{2168}".as_bytes());
        assert_eq!(texts(mapped.prepared()), [b"IXIX".as_slice(), "I\u{ad}X\u{2168}".as_bytes()]);
        assert_eq!(texts(Password::new(b"\x07").prepared()), [b"\x07"]);
        // Greek is not in PDFDocEncoding, and bytes need not be text.
        assert_eq!(texts(Password::new("\u{3b1}".as_bytes()).encoded()), ["\u{3b1}".as_bytes()]);
        assert_eq!(texts(Password::new(b"\xff").encoded()), [b"\xff"]);
        assert_eq!(Password::new(&[b'x'; 400]).prepared()[0].len(), LONGEST);
        assert_eq!(texts(Password::new(b"").encoded()), [b""]);
    }
}
