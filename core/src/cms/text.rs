//! The character strings of ASN.1 as text that is safe to show.

/// The text of a string element, or of an OCTET STRING as ICP-Brasil uses it (ASCII, UTF-8 or
/// Latin-1). Surrounding blanks are gone; control characters and those that reverse the
/// direction of writing are too, as a name must not be able to rewrite what stands beside it.
pub(super) fn decode(tag: u8, content: &[u8]) -> Option<String> {
    let text: String = match tag {
        // OCTET STRING, UTF8String, NumericString, PrintableString, TeletexString, IA5String,
        // VisibleString
        0x04 | 0x0c | 0x12 | 0x13 | 0x14 | 0x16 | 0x1a => match std::str::from_utf8(content) {
            Ok(text) => text.to_owned(),
            Err(_) => content.iter().copied().map(char::from).collect(),
        },
        // BMPString
        0x1e => {
            let units = content
                .chunks_exact(2)
                .map(|pair| pair.iter().fold(0_u16, |unit, octet| unit << 8 | u16::from(*octet)));
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        }
        // UniversalString
        0x1c => content
            .chunks_exact(4)
            .map(|four| four.iter().fold(0_u32, |unit, octet| unit << 8 | u32::from(*octet)))
            .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
        _ => return None,
    };
    let clean: String = text.chars().filter(|character| !is_unsafe(*character)).collect();
    Some(clean.trim().to_owned())
}

fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_type_gives_its_text() {
        for (tag, content, text) in [
            (0x0c, "JOSÉ".as_bytes(), "JOSÉ"),
            (0x13, b"ANA ".as_slice(), "ANA"),
            (0x14, b"JOS\xc9", "JOSÉ"),
            (0x04, b"JOS\xc9", "JOSÉ"),
            (0x1e, b"\0J\0O\0S\0\xc9", "JOSÉ"),
            (0x1c, b"\0\0\0J\0\0\0\xc9", "JÉ"),
        ] {
            assert_eq!(decode(tag, content).as_deref(), Some(text), "{tag:#x}");
        }
        assert_eq!(decode(0x30, b"x"), None);
    }

    #[test]
    fn a_name_cannot_break_the_line_or_turn_it_around() {
        let hostile = "ANA\n\u{202e}ASSINADO\u{1b}[2J";
        assert_eq!(decode(0x0c, hostile.as_bytes()).as_deref(), Some("ANAASSINADO[2J"));
    }
}
