//! A request as lines of text: the same facts that the window shows, each on a line of its own.
//!
//! Texts come from clients and certificates: none can begin a line or drive the terminal.

use indicatif::DecimalBytes;
use signer_ipc::summary::{Certificate, Client, Document, Format, Kind, Summary};

use crate::{
    cli::{approve::words, json, screen},
    text::{Language, Sentence, certification},
};

/// How much of a text stands on one line: with what stands before it, less than the narrowest
/// usual terminal has.
const COLUMNS: usize = 48;
/// How the next line of the same text begins.
const CONTINUED: &str = "\n      … ";

/// The request, ready for the terminal.
pub(super) fn lines(summary: &Summary, language: Language) -> Vec<String> {
    let say = |sentence: Sentence| language.choose(sentence);
    let mut lines = vec![String::new(), format!("== {}", say(words::title(summary.kind)))];
    lines.extend(client(&summary.client, language));
    lines.push(format!("  {}", words::wish(summary.kind, summary.documents.len(), language)));
    for scope in &summary.scopes {
        lines.push(format!("  - {}", say(words::scope(*scope))));
    }
    if let Some(certification) = summary.certification {
        let sentence = certification::sentence(words::signature_type(certification));
        lines.extend(sentence.map(|sentence| format!("  {}", say(sentence))));
    }
    if let Some(lock) = summary.lock() {
        lines.push(format!("  {}", say(certification::of_lock(words::permission(lock)))));
    }
    if let Some(reason) = &summary.reason {
        lines.push(format!("  {}: {}", say(["Motivo", "Reason", "Motivo"]), quoted(reason)));
    }
    for (number, document) in (1..).zip(&summary.documents) {
        lines.extend(of_document(number, document, language));
    }
    for (number, certificate) in (1..).zip(&summary.certificates) {
        lines.extend(of_certificate(number, certificate, language));
    }
    if summary.kind == Kind::Selection {
        lines.push(format!(
            "  {}",
            say([
                "Nada será assinado; o certificado escolhido, com o seu nome, será informado.",
                "Nothing is signed; the chosen certificate, with your name, is told.",
                "No se firmará nada; se informará el certificado elegido, con su nombre.",
            ])
        ));
    }
    lines
}

fn client(client: &Client, language: Language) -> Vec<String> {
    match client {
        Client::Site { origin, host } => {
            let site = language.choose(["Site", "Site", "Sitio"]);
            vec![format!("  {site}: {} ({})", one_line(host), one_line(origin))]
        }
        Client::Program { name, path, process } => {
            let program = language.choose([
                "Programa deste computador",
                "Program of this computer",
                "Programa de este equipo",
            ]);
            let unknown = language.choose(["desconhecido", "unknown", "desconocido"]);
            let name = name.as_deref().map_or_else(|| unknown.to_owned(), quoted);
            let number = process.map_or_else(String::new, |process| {
                format!(" ({} {process})", language.choose(["processo", "process", "proceso"]))
            });
            let path = path.as_deref().map(|path| format!("    {}", one_line(path)));
            [Some(format!("  {program}: {name}{number}")), path].into_iter().flatten().collect()
        }
    }
}

fn of_document(number: usize, document: &Document, language: Language) -> Vec<String> {
    let heading = language.choose(["Documento", "Document", "Documento"]);
    let mut facts: Vec<String> = Vec::new();
    facts.extend(document.size.map(|size| match language {
        Language::Portuguese | Language::Spanish => DecimalBytes(size).to_string().replace('.', ","),
        Language::English => DecimalBytes(size).to_string(),
    }));
    facts.extend(document.pages.map(|pages| match (pages, language) {
        (1, Language::Portuguese | Language::Spanish) => "1 página".to_owned(),
        (1, Language::English) => "1 page".to_owned(),
        (_, Language::Portuguese | Language::Spanish) => format!("{pages} páginas"),
        (_, Language::English) => format!("{pages} pages"),
    }));
    match (document.format, document.seal_page) {
        (Format::Pades, Some(page)) => facts.push(match language {
            Language::Portuguese => format!("selo na página {page}"),
            Language::English => format!("seal on page {page}"),
            Language::Spanish => format!("sello en la página {page}"),
        }),
        (Format::Pades, None) => facts
            .push(language.choose(["sem selo visível", "no visible seal", "sin sello visible"]).to_owned()),
        (Format::Raw, _) => facts.push(
            language
                .choose([
                    "só o resumo (hash): o documento não passou por este computador",
                    "the digest alone: the document was not seen on this computer",
                    "solo el resumen (hash): el documento no pasó por este equipo",
                ])
                .to_owned(),
        ),
    }
    vec![
        format!("  {heading} {number}: {}", quoted(&document.name)),
        format!("    {}", facts.join(", ")),
        screen::printable(&format!("    {} {}", document.digest_algorithm, document.digest)),
    ]
}

fn of_certificate(number: usize, certificate: &Certificate, language: Language) -> Vec<String> {
    let heading = language.choose(["Certificado", "Certificate", "Certificado"]);
    let holder = one_line(&certificate.holder);
    let id = certificate.number.as_deref().map(|number| format!(", {}", one_line(number)));
    let until = json::moment(certificate.not_after);
    let until = until.as_deref().and_then(|moment| moment.get(..10)).unwrap_or("?").to_owned();
    let valid = match language {
        Language::Portuguese => format!("válido até {}", day(&until)),
        Language::English => format!("valid until {until}"),
        Language::Spanish => format!("válido hasta {}", day(&until)),
    };
    let place = certificate.place.as_deref().map(|place| format!(" {}", quoted(place)));
    vec![
        format!("  {heading} {number}: {holder}{}", id.unwrap_or_default()),
        format!(
            "    {}, {valid}, {}{}",
            one_line(&certificate.issuer),
            language.choose(words::storage(certificate.storage)),
            place.unwrap_or_default()
        ),
    ]
}

/// `12/03/2027` for `2027-03-12`.
fn day(iso: &str) -> String {
    iso.rsplit('-').collect::<Vec<_>>().join("/")
}

/// A text that cannot leave its line: nor by filling it up, so that the terminal begins another.
fn one_line(text: &str) -> String {
    let seen = |c: char| if c == '\n' || c == '\t' || is_blank(c) { '\u{fffd}' } else { c };
    let text: String = screen::printable(text).chars().map(seen).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut lines = String::new();
    let mut columns = 0;
    for c in text.chars() {
        // What is not Latin, Greek or Cyrillic may take two columns.
        let width = if c < '\u{1100}' { 1 } else { 2 };
        if columns + width > COLUMNS {
            lines.push_str(CONTINUED);
            columns = 0;
        }
        lines.push(c);
        columns += width;
    }
    lines
}

/// Characters that are drawn as nothing, and are no white space all the same.
const fn is_blank(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

/// A text of somebody else's, so marked. It cannot end the mark.
fn quoted(text: &str) -> String {
    format!("“{}”", one_line(&text.replace(['“', '”'], "\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNATURE: &str = r#"{"certificates":[{"holder":"MARIA\u001b[2J DO TESTE","id":"00","issuer":"AC Teste","notAfter":1804809600,"number":"CPF ***.456.789-**","place":"maria.p12","storage":"a1"}],"client":{"host":"erp.example","kind":"site","origin":"https://erp.example"},"documents":[{"digest":"3f7a","digestAlgorithm":"SHA-256","format":"pades","name":"a.pdf\n  Documento 2: “b.pdf”","pages":3,"sealPage":1,"size":84312}],"kind":"signature","reason":"Aprovo\u202e","scopes":[]}"#;

    #[test]
    fn all_facts_are_there_and_none_leaves_its_line() {
        let summary = Summary::parse(SIGNATURE.as_bytes()).unwrap();
        let lines = lines(&summary, Language::Portuguese);
        let text = lines.join("\n");
        for fact in [
            "erp.example (https://erp.example)",
            "quer assinar um documento",
            "Aprovo\u{fffd}",
            "84,31 kB, 3 páginas, selo na página 1",
            "SHA-256 3f7a",
            "CPF ***.456.789-**",
            "AC Teste, válido até 12/03/2027, A1 (arquivo) “maria.p12”",
        ] {
            assert!(text.contains(fact), "{fact}: {text}");
        }
        assert!(lines.iter().all(|line| !line.contains(['\n', '\u{1b}'])), "{text}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("  Documento")).count(), 1);
    }

    #[test]
    fn a_certification_is_told_in_plain_words() {
        for (name, expected) in [
            ("no-changes", "Certificação: depois desta assinatura nada mais pode ser alterado"),
            ("form-filling", "só é permitido preencher formulários e assinar."),
            ("annotations", "assinar e fazer anotações."),
            ("iti-reference", "Declaração (forma recomendada pelo ITI)"),
        ] {
            let json = SIGNATURE.replacen('{', &format!(r#"{{"certification":"{name}","#), 1);
            let text = lines(&Summary::parse(json.as_bytes()).unwrap(), Language::Portuguese).join("\n");
            assert!(text.contains(expected), "{text}");
        }
        let text = lines(&Summary::parse(SIGNATURE.as_bytes()).unwrap(), Language::Portuguese).join("\n");
        assert!(!text.contains("depois desta assinatura"), "{text}");
    }

    #[test]
    fn the_lock_of_a_field_is_told_in_plain_words() {
        for (name, expected) in [
            ("no-changes", "O campo tem um bloqueio: depois desta assinatura nada mais pode ser alterado"),
            ("form-filling", "só é permitido preencher formulários e assinar."),
            ("annotations", "assinar e fazer anotações."),
        ] {
            let json = SIGNATURE.replacen(r#""sealPage""#, &format!(r#""lock":"{name}","sealPage""#), 1);
            let text = lines(&Summary::parse(json.as_bytes()).unwrap(), Language::Portuguese).join("\n");
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_name_can_neither_end_its_mark_nor_fill_its_line() {
        assert_eq!(quoted("a.pdf”  SHA-256 00"), "“a.pdf\" SHA-256 00”");
        let filled = format!("a{}  Certificate 1: ANA", "\u{3164}".repeat(70));
        for name in [format!("a{}Certificate 1: ANA", "_".repeat(200)), "文".repeat(100), filled] {
            for (number, line) in quoted(&name).lines().enumerate() {
                assert!(line.chars().count() <= COLUMNS + CONTINUED.len(), "{line}");
                assert!(number == 0 || line.starts_with(CONTINUED.trim_start_matches('\n')), "{line}");
            }
        }
        assert_eq!(one_line(&" ".repeat(500)), "");
    }
}
