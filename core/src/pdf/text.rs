//! Text strings read (ISO 32000-2, 7.9.2.2): UTF-16, UTF-8 or PDFDocEncoding.

/// PDFDocEncoding where it differs from Latin-1 (annex D.3), from 0x18 and from 0x80.
const LOW: [char; 8] =
    ['\u{2d8}', '\u{2c7}', '\u{2c6}', '\u{2d9}', '\u{2dd}', '\u{2db}', '\u{2da}', '\u{2dc}'];
const HIGH: [char; 33] = [
    '\u{2022}', '\u{2020}', '\u{2021}', '\u{2026}', '\u{2014}', '\u{2013}', '\u{192}', '\u{2044}',
    '\u{2039}', '\u{203a}', '\u{2212}', '\u{2030}', '\u{201e}', '\u{201c}', '\u{201d}', '\u{2018}',
    '\u{2019}', '\u{201a}', '\u{2122}', '\u{fb01}', '\u{fb02}', '\u{141}', '\u{152}', '\u{160}', '\u{178}',
    '\u{17d}', '\u{131}', '\u{142}', '\u{153}', '\u{161}', '\u{17e}', '\u{fffd}', '\u{20ac}',
];

/// The text that `bytes` stand for; what is no text becomes U+FFFD.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let wide = |rest: &[u8], join: fn([u8; 2]) -> u16| {
        let units = rest
            .chunks_exact(2)
            .map(|pair| join([pair.first().copied().unwrap_or(0), pair.get(1).copied().unwrap_or(0)]));
        char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => bytes.iter().map(|&byte| character(byte)).collect(),
    }
}

/// `text` in PDFDocEncoding; `None` where a character is not in it.
pub(crate) fn encode(text: &str) -> Option<Vec<u8>> {
    // Sized from the start: a password is encoded here, and growing would leave copies of it.
    let mut bytes = Vec::with_capacity(text.len());
    for wanted in text.chars() {
        // A byte that stands for nothing stands for no character.
        let byte = (0..=u8::MAX).find(|&byte| character(byte) == wanted && byte != 0x9f);
        bytes.push(byte?);
    }
    Some(bytes)
}

fn character(byte: u8) -> char {
    let table = match byte {
        0x18..=0x1f => LOW.get(usize::from(byte - 0x18)),
        0x80..=0xa0 => HIGH.get(usize::from(byte - 0x80)),
        _ => None,
    };
    table.copied().unwrap_or(char::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_encoded_where_it_can_be() {
        assert_eq!(encode("ação €—\u{2d8}"), Some(b"a\xe7\xe3o \xa0\x84\x18".to_vec()));
        assert_eq!(encode(""), Some(Vec::new()));
        assert_eq!(encode("\u{3b1}"), None);
        assert_eq!(encode("\u{fffd}"), None);
    }

    #[test]
    fn each_encoding_is_read() {
        for (bytes, expected) in [
            (b"Assinatura".as_slice(), "Assinatura"),
            (b"\xfe\xff\0A\xd8\x3d\xde\0", "A\u{1f600}"),
            (b"\xff\xfeA\0", "A"),
            (b"\xef\xbb\xbf\xc3\xa7", "ç"),
            (b"a\xe7\xe3o \xa0\x84\x18", "ação €—\u{2d8}"),
            (b"\xfe\xff\xd8\0", "\u{fffd}"),
        ] {
            assert_eq!(decode(bytes), expected);
        }
    }
}
