//! What the tests present: requests as the service writes them.

use signer_ipc::{
    message::{Entry, Unlock},
    sealed::UnsealingKey,
    token_host::TriesLeft,
};

const SITE: &str = r#"{"host":"portal.prefeitura.exemplo.gov.br","kind":"site","origin":"https://portal.prefeitura.exemplo.gov.br"}"#;

/// What a screen reader must find in [`signature`] with two certificates.
pub const FACTS: &[&str] = &[
    "quer assinar um documento com o seu certificado",
    "Documento: Contrato de prestação de serviços.pdf",
    "12 páginas · 84,3 kB · selo na página 12",
    "SHA-256: 3f7a 91c2 3f7a 91c2",
    "MARIA APARECIDA DA CONCEIÇÃO. ***.456.789-** · AC EXEMPLO RFB v5",
    "Motivo: Aprovo o contrato",
];

/// A site asks to be let in.
pub fn pairing() -> String {
    format!(
        r#"{{"certificates":[],"client":{SITE},"documents":[],"kind":"pairing","reason":null,"scopes":["certificates","sign"]}}"#
    )
}

/// A site asks for a certificate.
pub fn selection() -> String {
    let certificates = certificates(2);
    format!(
        r#"{{"certificates":[{certificates}],"client":{SITE},"documents":[],"kind":"selection","reason":null,"scopes":[]}}"#
    )
}

/// A site asks for signatures.
pub fn signature(documents: usize, certificates_to_choose: usize) -> String {
    let certificates = certificates(certificates_to_choose);
    let digest = "3f7a91c2".repeat(8);
    let documents: Vec<String> = (0..documents)
        .map(|number| {
            let name = if number == 0 {
                "Contrato de prestação de serviços.pdf".to_owned()
            } else {
                format!("Anexo {number} — Descrição técnica.pdf")
            };
            format!(
                r#"{{"digest":"{digest}","digestAlgorithm":"SHA-256","format":"pades","name":"{name}","pages":12,"sealPage":12,"size":84312}}"#
            )
        })
        .collect();
    let documents = documents.join(",");
    format!(
        r#"{{"certificates":[{certificates}],"client":{SITE},"documents":[{documents}],"kind":"signature","reason":"Aprovo o contrato","scopes":[]}}"#
    )
}

/// One request for each page, with its name.
pub fn every_page(key: &UnsealingKey) -> Vec<(&'static str, String, Vec<Unlock>)> {
    let unlock = |entry: Entry, tries_left: TriesLeft| {
        let key = matches!(entry, Entry::Pin | Entry::Password).then(|| *key.sealing_key().as_bytes());
        let unlock_tool = matches!(entry, Entry::Locked).then(|| "TokenAdmin (SafeSign)".to_owned());
        Unlock { entry, tries_left, key, unlock_tool }
    };
    let plain = |entry| vec![unlock(entry, TriesLeft::Unknown)];
    vec![
        ("pairing", pairing(), Vec::new()),
        ("selection", selection(), vec![unlock(Entry::Nothing, TriesLeft::Unknown); 2]),
        ("signature", signature(1, 1), plain(Entry::Pin)),
        ("last-try", signature(1, 1), vec![unlock(Entry::Pin, TriesLeft::Last)]),
        ("last-try-asked", signature(1, 1), vec![unlock(Entry::Pin, TriesLeft::Last)]),
        ("password", signature(1, 1), plain(Entry::Password)),
        ("reader", signature(1, 1), plain(Entry::Reader)),
        ("locked", signature(1, 1), plain(Entry::Locked)),
        ("absent", signature(1, 1), plain(Entry::TokenAbsent)),
        ("batch", signature(5, 1), plain(Entry::Pin)),
        ("batch-50", signature(50, 1), plain(Entry::Pin)),
    ]
}

fn certificates(count: usize) -> String {
    let maria = r#"{"holder":"MARIA APARECIDA DA CONCEIÇÃO","id":"00","issuer":"AC EXEMPLO RFB v5","notAfter":1804809600,"number":"***.456.789-**","place":"SafeNet 5110","storage":"a3"}"#;
    let joao = r#"{"holder":"JOÃO D'ÁVILA","id":"01","issuer":"AC EXEMPLO RFB v5","notAfter":1804809600,"number":null,"place":"joao.pfx","storage":"a1"}"#;
    [maria, joao].into_iter().take(count).collect::<Vec<_>>().join(",")
}
