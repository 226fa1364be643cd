//! Whom a certificate names, by the fields of ICP-Brasil (DOC-ICP-04, 7.1.2.3) where it has them.

use crate::{
    cms::certificate::Certificate,
    credential::{
        identifier::{Cnpj, Cpf, Identifier},
        kind::Kind,
    },
};

/// The arc of the otherName types of ICP-Brasil.
const ARC: &str = "2.16.76.1.3.";
/// In the fields of people, the CPF follows eight digits of the birth date.
const CPF_RANGE: std::ops::Range<usize> = 8..19;

/// The holder of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The name as shown: the subject's common name without the number after it.
    pub name: String,
    /// The company's CNPJ, otherwise the person's CPF.
    pub identifier: Option<Identifier>,
    /// The kind of certificate.
    pub kind: Kind,
}

impl Holder {
    /// Reads the holder. The number in subjectAltName beats the one after the name.
    pub fn of(certificate: &Certificate) -> Self {
        let common_name = certificate.subject_common_name().unwrap_or_default();
        let (name, suffix) = split_common_name(common_name);
        Self {
            name: name.to_owned(),
            identifier: named_identifier(certificate).or(suffix),
            kind: Kind::of(certificate),
        }
    }
}

fn named_identifier(certificate: &Certificate) -> Option<Identifier> {
    let names = certificate.other_names();
    let field = |last: &str| {
        names.iter().find(|(id, _)| id.to_string().strip_prefix(ARC) == Some(last)).map(|(_, text)| text)
    };
    let company = field("3").and_then(|text| Cnpj::parse(text)).map(Identifier::Cnpj);
    // 2.16.76.1.3.4 is the person who answers for a company, not the holder.
    let person = || field("1").and_then(|text| Cpf::parse(text.get(CPF_RANGE)?)).map(Identifier::Cpf);
    company.or_else(person)
}

/// `NAME:CPF` and `NAME:CNPJ` as ICP-Brasil writes common names; others are names alone. What
/// looks like a number is taken off even where its check digits are wrong: it is not shown.
fn split_common_name(common_name: &str) -> (&str, Option<Identifier>) {
    match common_name.rsplit_once(':') {
        Some((name, number)) if looks_like_number(number.trim()) => {
            (name.trim(), Identifier::parse(number.trim()))
        }
        Some(_) | None => (common_name, None),
    }
}

fn looks_like_number(text: &str) -> bool {
    matches!(text.len(), 11 | 14)
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().rev().take(2).all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_taken_off_the_name() {
        for (common_name, name, masked) in [
            ("ANA DA SILVA:12345678909", "ANA DA SILVA", Some("***.456.789-**")),
            ("EMPRESA LTDA:12ABC34501DE35", "EMPRESA LTDA", Some("**.ABC.345/01DE-**")),
            ("ANA DA SILVA:12345678900", "ANA DA SILVA", None),
            ("servidor:8443", "servidor:8443", None),
            ("ANA", "ANA", None),
            (":", ":", None),
            ("", "", None),
        ] {
            let (found, identifier) = split_common_name(common_name);
            assert_eq!(found, name);
            assert_eq!(identifier.map(|identifier| identifier.masked()).as_deref(), masked);
        }
    }
}
