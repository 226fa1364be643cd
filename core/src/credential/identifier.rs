//! The numbers that name people and companies in Brazil: CPF and CNPJ, with their check digits.

use std::fmt;

/// The number of a certificate's holder. Shown masked; never in `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub enum Identifier {
    /// A legal person's.
    Cnpj(Cnpj),
    /// A natural person's.
    Cpf(Cpf),
}

/// A CPF: eleven digits, the last two of which check the others.
#[derive(Clone, PartialEq, Eq)]
pub struct Cpf(String);

/// A CNPJ: twelve digits or capital letters (IN RFB 2.229/2024) and two check digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Cnpj(String);

impl Identifier {
    /// A CPF or a CNPJ, by its length.
    pub fn parse(text: &str) -> Option<Self> {
        Cpf::parse(text).map(Self::Cpf).or_else(|| Cnpj::parse(text).map(Self::Cnpj))
    }

    /// The whole number: personal data, for comparing, not for showing.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Cnpj(cnpj) => &cnpj.0,
            Self::Cpf(cpf) => &cpf.0,
        }
    }

    /// The number as it may be shown: its first and its last digits hidden.
    pub fn masked(&self) -> String {
        match self {
            Self::Cnpj(cnpj) => cnpj.masked(),
            Self::Cpf(cpf) => cpf.masked(),
        }
    }
}

impl Cpf {
    /// Eleven digits with right check digits; those that are all the same stand for "none".
    pub fn parse(text: &str) -> Option<Self> {
        let digits: Vec<u32> = text.chars().map(|character| character.to_digit(10)).collect::<Option<_>>()?;
        let (body, check) = digits.split_at_checked(9)?;
        let first = check_digit(body, 11);
        let second = check_digit(&[body, &[first]].concat(), 11);
        (check == [first, second] && !all_same(&digits)).then(|| Self(text.to_owned()))
    }

    fn masked(&self) -> String {
        let part = |range| self.0.get(range).unwrap_or_default();
        format!("***.{}.{}-**", part(3..6), part(6..9))
    }
}

impl Cnpj {
    /// Twelve digits or capital letters, and right check digits. Small letters count as capitals.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.to_ascii_uppercase();
        let bytes = text.as_bytes();
        let (body, check) = bytes.split_at_checked(12)?;
        let valid = body.iter().all(u8::is_ascii_alphanumeric) && check.iter().all(u8::is_ascii_digit);
        if !valid {
            return None;
        }
        let values: Vec<u32> = bytes.iter().map(|byte| u32::from(*byte) - u32::from(b'0')).collect();
        let (body, check) = values.split_at_checked(12)?;
        let first = check_digit(body, 9);
        let second = check_digit(&[body, &[first]].concat(), 9);
        (check == [first, second] && !all_same(&values)).then_some(Self(text))
    }

    fn masked(&self) -> String {
        let part = |range| self.0.get(range).unwrap_or_default();
        format!("**.{}.{}/{}-**", part(2..5), part(5..8), part(8..12))
    }
}

impl fmt::Debug for Identifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cnpj(_) => f.write_str("Cnpj(…)"),
            Self::Cpf(_) => f.write_str("Cpf(…)"),
        }
    }
}

impl fmt::Debug for Cpf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cpf(…)")
    }
}

impl fmt::Debug for Cnpj {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cnpj(…)")
    }
}

/// Modulo 11 with weights from 2, rightmost first, that begin again after `heaviest`.
fn check_digit(values: &[u32], heaviest: u32) -> u32 {
    let weights = (2..=heaviest).cycle();
    let sum: u32 = values.iter().rev().zip(weights).map(|(value, weight)| value * weight).sum();
    match sum % 11 {
        0 | 1 => 0,
        remainder => 11 - remainder,
    }
}

fn all_same(values: &[u32]) -> bool {
    values.windows(2).all(|pair| matches!(pair, [left, right] if left == right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_decide() {
        for (text, valid) in [
            ("12345678909", true),
            ("98765432100", true),
            ("12345678908", false),
            ("00000000000", false),
            ("11111111111", false),
            ("1234567890", false),
            ("123456789-09", false),
            ("11222333000181", true),
            ("11222333000180", false),
            ("12ABC34501DE35", true),
            ("12abc34501de35", true),
            ("12ABC34501DE36", false),
            ("12ABC34501DEA5", false),
            ("00000000000000", false),
            ("", false),
            ("ááááááááááá", false),
        ] {
            assert_eq!(Identifier::parse(text).is_some(), valid, "{text}");
        }
    }

    #[test]
    fn both_numbers_are_masked() {
        assert_eq!(Identifier::parse("12345678909").unwrap().masked(), "***.456.789-**");
        assert_eq!(Identifier::parse("12ABC34501DE35").unwrap().masked(), "**.ABC.345/01DE-**");
    }

    #[test]
    fn debug_tells_no_digit() {
        for text in ["12345678909", "11222333000181"] {
            let identifier = Identifier::parse(text).unwrap();
            assert!(!format!("{identifier:?}").contains(|character: char| character.is_ascii_digit()));
        }
    }
}
