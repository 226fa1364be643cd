//! The canonical bytes, what changes their digest, and what a text may not do to a screen.

use crate::{
    approval::{
        sample::{self, Kind},
        summary::*,
    },
    digest::DigestAlgorithm,
    pdf::permission::{Permission, SignatureType},
};

#[test]
fn the_canonical_bytes_are_these() {
    let client = Client::Site { origin: "https://xn--caf-dma.example".into(), host: "café.example".into() };
    let raw = Document {
        name: "a\nb".into(),
        content: Content::Raw,
        digest: DigestAlgorithm::Sha256.digest(b"abc"),
    };
    let summary = Summary::new(
        client,
        Subject::Signature {
            certificates: vec![sample::certificate("11")],
            documents: vec![sample::document(0), raw],
            reason: None,
            signature_type: SignatureType::DocMdpReference,
        },
    );
    let id = "11".repeat(32);
    let first = sample::document(0).digest.to_hex();
    let second = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let expected = format!(
        "{{\"certificates\":[{{\"holder\":\"MARIA DA SILVA\",\"id\":\"{id}\",\"issuer\":\"AC Exemplo\",\
         \"notAfter\":1800000000,\"number\":\"***.456.789-**\",\"place\":\"maria.p12\",\"storage\":\"a1\"}}],\
         \"certification\":\"iti-reference\",\"client\":{{\"host\":\"café.example\",\"kind\":\"site\",\"origin\":\"https://xn--caf-dma.example\"}},\
         \"documents\":[{{\"digest\":\"{first}\",\"digestAlgorithm\":\"SHA-256\",\"format\":\"pades\",\"lock\":null,\
         \"name\":\"contrato 0.pdf\",\"pages\":2,\"sealPage\":null,\"size\":1000}},\
         {{\"digest\":\"{second}\",\"digestAlgorithm\":\"SHA-256\",\"format\":\"raw\",\"lock\":null,\"name\":\"ab\",\
         \"pages\":null,\"sealPage\":null,\"size\":null}}],\"kind\":\"signature\",\"reason\":null,\"scopes\":[]}}"
    );
    assert_eq!(String::from_utf8_lossy(summary.canonical()), expected);
    assert_eq!(*summary.digest(), DigestAlgorithm::Sha256.digest(expected.as_bytes()));
}

#[test]
fn every_field_changes_the_digest() {
    let certificate = |change: fn(&mut Certificate)| {
        let mut certificate = sample::certificate("11");
        change(&mut certificate);
        signature(client(), vec![certificate], vec![sample::document(0)], Some("CONCORDO"))
    };
    let document = |change: fn(&mut Document)| {
        let mut document = sample::document(0);
        change(&mut document);
        signature(client(), vec![sample::certificate("11")], vec![document], Some("CONCORDO"))
    };
    let asked_by = |client| {
        signature(client, vec![sample::certificate("11")], vec![sample::document(0)], Some("CONCORDO"))
    };
    let pades = |size, pages, seal_page| Content::Pades { size, pages, seal_page, lock: None };
    let program = |name: &str, path: &str, process| Client::Program {
        name: Some(name.into()),
        path: Some(path.into()),
        process,
    };
    let (one, two) = (sample::certificate("11"), sample::certificate("22"));
    let documents = || vec![sample::document(0)];
    let summaries = vec![
        asked_by(client()),
        asked_by(Client::Site { origin: "https://b.example".into(), host: "a.example".into() }),
        asked_by(Client::Site { origin: "https://a.example".into(), host: "b.example".into() }),
        asked_by(program("a", "/a", Some(1))),
        asked_by(program("b", "/a", Some(1))),
        asked_by(program("a", "/b", Some(1))),
        asked_by(program("a", "/a", Some(2))),
        asked_by(program("a", "/a", None)),
        certificate(|certificate| certificate.id = sample::certificate("33").id),
        certificate(|certificate| certificate.holder.push('!')),
        certificate(|certificate| certificate.number = None),
        certificate(|certificate| certificate.issuer.push('!')),
        certificate(|certificate| certificate.not_after += 1),
        certificate(|certificate| certificate.storage = Storage::A3),
        certificate(|certificate| certificate.place = None),
        document(|document| document.name.push('!')),
        document(|document| document.digest = sample::document(1).digest),
        document(|document| document.digest = DigestAlgorithm::Sha512.digest(b"")),
        document(|document| document.content = Content::Raw),
        document(|document| {
            document.content = Content::Pades { size: 1_001, pages: 2, seal_page: None, lock: None }
        }),
        document(|document| {
            let lock = Some(Permission::NoChanges);
            document.content = Content::Pades { size: 1_000, pages: 2, seal_page: None, lock };
        }),
        signature(client(), vec![one.clone()], vec![changed(pades(1_000, 3, None))], Some("CONCORDO")),
        signature(client(), vec![one.clone()], vec![changed(pades(1_000, 2, Some(1)))], Some("CONCORDO")),
        signature(client(), vec![one.clone(), two.clone()], documents(), Some("CONCORDO")),
        signature(client(), vec![two.clone(), one.clone()], documents(), Some("CONCORDO")),
        signature(client(), vec![one.clone()], documents(), Some("ACEITO")),
        signature(client(), vec![one.clone()], documents(), None),
        signature(client(), vec![one.clone()], vec![sample::document(0), sample::document(1)], None),
        signature(client(), vec![one.clone()], vec![sample::document(1), sample::document(0)], None),
        certified(SignatureType::Certification(Permission::NoChanges)),
        certified(SignatureType::Certification(Permission::FormFilling)),
        certified(SignatureType::Certification(Permission::Annotations)),
        certified(SignatureType::DocMdpReference),
        Summary::new(client(), Subject::Selection { certificates: vec![one] }),
        Summary::new(client(), Subject::Pairing { scopes: vec![Scope::Certificates] }),
        Summary::new(client(), Subject::Pairing { scopes: vec![Scope::Certificates, Scope::Sign] }),
    ];
    let mut digests: Vec<_> = summaries.iter().map(|summary| summary.digest().to_hex()).collect();
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), summaries.len());
    assert_eq!(*asked_by(client()).digest(), *asked_by(client()).digest());
}

#[test]
fn no_text_hides_or_turns_what_stands_beside_it() {
    for (dirty, clean_text) in [
        ("contrato.pdf", "contrato.pdf"),
        ("ação 日本 🙂", "ação 日本 🙂"),
        ("a\0b\u{1b}[2Jc\r\nd\te\u{7f}f\u{85}g", "ab[2Jcdefg"),
        ("fatura\u{202e}fdp.exe", "faturafdp.exe"),
        ("\u{2066}a\u{2069}\u{200f}b\u{061c}c\u{feff}d", "abcd"),
        ("a\u{2028}b\u{2029}c\u{200b}d\u{2060}e", "abcde"),
        ("a\u{ad}b\u{180e}c\u{fff9}d\u{e0041}e\u{3164}f", "abcdef"),
    ] {
        assert_eq!(clean(dirty), clean_text, "{dirty:?}");
    }
}

#[test]
fn a_long_text_loses_its_middle_and_keeps_both_ends() {
    assert_eq!(clean(&"é".repeat(LONGEST_TEXT)), "é".repeat(LONGEST_TEXT));
    let long = format!("inicio{}fim.pdf", "é".repeat(10_000));
    let cut = clean(&long);
    assert_eq!(cut.chars().count(), LONGEST_TEXT + 1);
    assert!(cut.starts_with("inicio") && cut.ends_with("fim.pdf") && cut.contains('…'));
    assert_eq!(clean(&"\u{202e}".repeat(10_000)), "");
}

#[test]
fn what_is_drawn_is_clean_wherever_it_came_from() {
    let evil = "x\u{202e}\n".to_owned();
    let certificate = Certificate {
        holder: evil.clone(),
        number: Some(evil.clone()),
        issuer: evil.clone(),
        place: Some(evil.clone()),
        ..sample::certificate("11")
    };
    let document = Document { name: evil.clone(), ..sample::document(0) };
    let program = Client::Program { name: Some(evil.clone()), path: Some(evil.clone()), process: None };
    let site = Client::Site { origin: evil.clone(), host: evil.clone() };
    for client in [program, site] {
        let summary = signature(client, vec![certificate.clone()], vec![document.clone()], Some(&evil));
        let drawn = String::from_utf8_lossy(summary.canonical()).into_owned();
        assert!(!drawn.contains('\u{202e}') && !drawn.contains("\\n"), "{drawn}");
    }
}

#[test]
fn each_subject_shows_its_own_things_only() {
    let counts = |kind| {
        let summary = sample::summary(kind, 3);
        (summary.certificates().len(), summary.documents().len())
    };
    assert_eq!(counts(Kind::Pairing), (0, 0));
    assert_eq!(counts(Kind::Selection), (2, 0));
    assert_eq!(counts(Kind::Signature), (2, 3));
}

fn changed(content: Content) -> Document {
    Document { content, ..sample::document(0) }
}

fn client() -> Client {
    Client::Site { origin: "https://a.example".into(), host: "a.example".into() }
}

fn signature(
    client: Client,
    certificates: Vec<Certificate>,
    documents: Vec<Document>,
    reason: Option<&str>,
) -> Summary {
    let reason = reason.map(str::to_owned);
    let signature_type = SignatureType::Approval;
    Summary::new(client, Subject::Signature { certificates, documents, reason, signature_type })
}

fn certified(signature_type: SignatureType) -> Summary {
    let (certificates, documents) = (vec![sample::certificate("11")], vec![sample::document(0)]);
    Summary::new(client(), Subject::Signature { certificates, documents, reason: None, signature_type })
}

#[test]
fn a_text_of_blanks_is_none() {
    for blank in
        ["\u{2800}", "\u{34f}", "\u{3164}", "\u{fe0f}", "\u{17b4}", "\u{e0100}", "\u{a0}", "\u{200b}"]
    {
        assert_eq!(clean(&blank.repeat(3)).trim(), "", "{blank:?}");
    }
    assert_eq!(clean("Con\u{34f}cor\u{2800}do"), "Concordo");
}
