//! What a seal says: its parts in their order, in the language of the seal.

use crate::seal::{Language, SealText};

/// Longest text that is laid out, in characters. A subject name of X.509 is at most 64.
const LONGEST: usize = 240;

/// The parts of a seal as they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words {
    /// "Digitally signed by".
    pub(super) caption: &'static str,
    /// The holder.
    pub(super) name: String,
    /// CPF or CNPJ with its label.
    pub(super) identifier: Option<String>,
    /// Date, time and zone with their label.
    pub(super) date: String,
    /// The reason with its label.
    pub(super) reason: Option<String>,
    /// The place with its label.
    pub(super) location: Option<String>,
}

/// The words of `text`.
pub(super) fn say(text: &SealText) -> Words {
    let [caption, date, reason, location] = match text.language {
        Language::Portuguese => ["Assinado digitalmente por", "Data", "Motivo", "Local"],
        Language::English => ["Digitally signed by", "Date", "Reason", "Location"],
        Language::Spanish => ["Firmado digitalmente por", "Fecha", "Motivo", "Lugar"],
    };
    let labelled = |label: &str, text: &Option<String>| text.as_ref().map(|text| format!("{label}: {text}"));
    let when = match text.language {
        Language::Portuguese | Language::Spanish => text.moment.to_brazilian(),
        // Day and month change places between readers of English: ISO 8601 leaves no doubt.
        Language::English => zoned(&text.moment.to_rfc3339()),
    };
    Words {
        caption,
        name: text.name.clone(),
        identifier: text.identifier.as_deref().map(with_label),
        date: format!("{date}: {when}"),
        reason: labelled(reason, &text.reason),
        location: labelled(location, &text.location),
    }
}

/// What the seal of `name` is.
pub(super) fn describe(name: &str, language: Language) -> String {
    let signature = match language {
        Language::Portuguese => "Assinatura digital de",
        Language::English => "Digital signature of",
        Language::Spanish => "Firma digital de",
    };
    format!("{signature} {name}")
}

/// `2026-11-30T18:49:28-03:00` as `2026-11-30 18:49:28 -03:00`.
fn zoned(rfc3339: &str) -> String {
    match rfc3339.split_at_checked(19) {
        Some((instant, zone)) => format!("{} {zone}", instant.replace('T', " ")),
        None => rfc3339.to_owned(),
    }
}

/// A CPF or CNPJ with the word before it, told apart by the shape of the number: a CNPJ has a
/// slash. Anything else stays as it is.
fn with_label(identifier: &str) -> String {
    let is_number = identifier
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || matches!(character, '.' | '-' | '/' | '*'));
    let dots = identifier.matches('.').count();
    if is_number && dots == 2 && identifier.contains('-') {
        let label = if identifier.contains('/') { "CNPJ" } else { "CPF" };
        return format!("{label} {identifier}");
    }
    identifier.to_owned()
}

/// `text` as one line: spaces and controls become single spaces, characters without a shape
/// that change their neighbours vanish, letters and their accents become one character, and
/// what passes [`LONGEST`] is cut with an ellipsis.
pub(super) fn clean(text: &str) -> String {
    let mut cleaned = String::new();
    let mut count = 0;
    let mut space_due = false;
    for character in text.chars() {
        if character.is_whitespace() || character.is_control() {
            space_due = count > 0;
            continue;
        }
        if is_shapeless(character) {
            continue;
        }
        if !space_due
            && let Some(base) = cleaned.chars().next_back()
            && let Some(composed) = compose(base, character)
        {
            cleaned.pop();
            cleaned.push(composed);
            continue;
        }
        let needed = if space_due { 2 } else { 1 };
        if count + needed >= LONGEST {
            cleaned.push('…');
            break;
        }
        if space_due {
            cleaned.push(' ');
            space_due = false;
        }
        cleaned.push(plain(character));
        count += needed;
    }
    cleaned
}

/// Characters that have no shape of their own: soft hyphen, zero widths, direction marks,
/// variation selectors, tags. In a name they could only deceive.
const fn is_shapeless(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The same letter where the font has it under another number: full-width forms, and the
/// minus sign.
fn plain(character: char) -> char {
    match character {
        '\u{ff01}'..='\u{ff5e}' => {
            u32::from(character).checked_sub(0xfee0).and_then(char::from_u32).unwrap_or(character)
        }
        '\u{2212}' => '-',
        other => other,
    }
}

/// The letter that `base` and a combining accent make together: names made on macOS come
/// apart like this. The letters of the languages written in Brazil and around it.
fn compose(base: char, accent: char) -> Option<char> {
    let pairs = match accent {
        '\u{300}' => "AÀEÈIÌNǸOÒUÙWẀYỲaàeèiìnǹoòuùwẁyỳ",
        '\u{301}' => "AÁCĆEÉGǴIÍLĹNŃOÓRŔSŚUÚYÝZŹaácćeégǵiílĺnńoórŕsśuúyýzź",
        '\u{302}' => "AÂCĈEÊGĜHĤIÎJĴOÔSŜUÛWŴYŶaâcĉeêgĝhĥiîjĵoôsŝuûwŵyŷ",
        '\u{303}' => "AÃEẼIĨNÑOÕUŨYỸaãeẽiĩnñoõuũyỹ",
        '\u{304}' => "AĀEĒIĪOŌUŪaāeēiīoōuū",
        '\u{308}' => "AÄEËIÏOÖUÜYŸaäeëiïoöuüyÿ",
        '\u{30a}' => "AÅUŮaåuů",
        '\u{30b}' => "OŐUŰoőuű",
        '\u{30c}' => "CČDĎEĚNŇRŘSŠTŤZŽcčdďeěnňrřsštťzž",
        '\u{327}' => "CÇGĢKĶLĻNŅRŖSŞTŢcçkķlļnņrŗsştţ",
        '\u{328}' => "AĄEĘIĮUŲaąeęiįuų",
        _ => return None,
    };
    let mut letters = pairs.chars();
    while let (Some(plain), Some(composed)) = (letters.next(), letters.next()) {
        if plain == base {
            return Some(composed);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_one_clean_line() {
        for (text, expected) in [
            ("  MARIA\r\n\tDA  SILVA ", "MARIA DA SILVA"),
            ("evil\u{202e}fdp", "evilfdp"),
            ("Jose\u{301} Conceic\u{327}a\u{303}o", "José Conceição"),
            ("a \u{301}b", "a \u{301}b"),
            ("ＭＡＲＩＡ", "MARIA"),
            ("\u{0}\u{1b}[31m", "[31m"),
            ("", ""),
        ] {
            assert_eq!(clean(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_no_seal_can_hold_is_cut() {
        let cleaned = clean(&"palavra ".repeat(100_000));
        assert!(cleaned.chars().count() <= LONGEST, "{}", cleaned.len());
        assert!(cleaned.ends_with('…'));
    }

    #[test]
    fn numbers_are_labelled_by_their_shape() {
        for (identifier, expected) in [
            ("***.456.789-**", "CPF ***.456.789-**"),
            ("12.345.678/0001-95", "CNPJ 12.345.678/0001-95"),
            ("AB.C45.678/01DE-35", "CNPJ AB.C45.678/01DE-35"),
            ("CPF ***.456.789-**", "CPF ***.456.789-**"),
            ("X 12", "X 12"),
        ] {
            assert_eq!(with_label(identifier), expected);
        }
    }
}
