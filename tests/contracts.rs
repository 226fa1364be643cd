//! What one member writes, another reads: the summary that core makes and the tray draws.

use signer_core::{
    approval::summary::{Certificate, Client, Content, Document, Scope, Storage, Subject, Summary},
    credential::CredentialId,
    digest::{Digest, DigestAlgorithm},
    pdf::permission::{Permission, SignatureType},
};
use signer_ipc::summary as wire;

#[test]
fn every_client_is_read_as_it_was_written() {
    let site = Client::Site { origin: "https://xn--caf-dma.example".into(), host: "café.example".into() };
    let read = parse(site, Subject::Pairing { scopes: vec![Scope::Certificates] });
    let expected =
        wire::Client::Site { origin: "https://xn--caf-dma.example".into(), host: "café.example".into() };
    assert_eq!(read.client, expected);

    for (name, path, process) in [
        (Some("firefox".to_owned()), Some("/usr/bin/firefox".to_owned()), Some(u32::MAX)),
        (None, None, None),
    ] {
        let program = Client::Program { name: name.clone(), path: path.clone(), process };
        let read = parse(program, Subject::Pairing { scopes: vec![Scope::Sign] });
        assert_eq!(read.client, wire::Client::Program { name, path, process });
    }
}

#[test]
fn every_subject_is_read_as_it_was_written() {
    let read = parse(program(), Subject::Pairing { scopes: vec![Scope::Certificates, Scope::Sign] });
    assert_eq!(read.kind, wire::Kind::Pairing);
    assert_eq!(read.scopes, [wire::Scope::Certificates, wire::Scope::Sign]);
    assert!(read.certificates.is_empty() && read.documents.is_empty() && read.reason.is_none());

    let certificates = vec![certificate(Storage::A1, Some("x")), certificate(Storage::A3, None)];
    let read = parse(program(), Subject::Selection { certificates: certificates.clone() });
    assert_eq!(read.kind, wire::Kind::Selection);
    let expected = |storage, optional: Option<&str>| wire::Certificate {
        id: "5a".repeat(32),
        holder: "MARIA \"DA\" \\ SILVA".into(),
        number: optional.map(str::to_owned),
        issuer: "AC Exemplo".into(),
        not_after: -1,
        storage,
        place: optional.map(str::to_owned),
    };
    let both = [expected(wire::Storage::A1, Some("x")), expected(wire::Storage::A3, None)];
    assert_eq!(read.certificates, both);

    let sealed = Content::Pades { size: 1 << 40, pages: 3, seal_page: Some(2), lock: None };
    let plain = Content::Pades { size: 0, pages: 1, seal_page: None, lock: None };
    let documents =
        vec![document(sealed, &sha256()), document(plain, &sha512()), document(Content::Raw, &sha256())];
    let reason = Some("De acordo".to_owned());
    let read = parse(
        program(),
        Subject::Signature {
            certificates: certificates.clone(),
            documents,
            reason: reason.clone(),
            signature_type: SignatureType::Approval,
        },
    );
    assert_eq!((read.kind, read.reason, read.certification), (wire::Kind::Signature, reason, None));
    assert_eq!(read.certificates, both);
    let expected = |format, size, pages, seal_page, digest: &Digest| wire::Document {
        name: "contrato.pdf".into(),
        format,
        size,
        pages,
        seal_page,
        lock: None,
        digest: digest.to_hex(),
        digest_algorithm: digest.algorithm().name().into(),
    };
    assert_eq!(
        read.documents,
        [
            expected(wire::Format::Pades, Some(1 << 40), Some(3), Some(2), &sha256()),
            expected(wire::Format::Pades, Some(0), Some(1), None, &sha512()),
            expected(wire::Format::Raw, None, None, None, &sha256()),
        ]
    );
}

#[test]
fn every_certification_is_read_as_it_was_written() {
    for (signature_type, certification) in [
        (SignatureType::Approval, None),
        (SignatureType::Certification(Permission::NoChanges), Some(wire::Certification::NoChanges)),
        (SignatureType::Certification(Permission::FormFilling), Some(wire::Certification::FormFilling)),
        (SignatureType::Certification(Permission::Annotations), Some(wire::Certification::Annotations)),
        (SignatureType::DocMdpReference, Some(wire::Certification::ItiReference)),
    ] {
        let subject = |content| Subject::Signature {
            certificates: vec![certificate(Storage::A1, None)],
            documents: vec![document(content, &sha256())],
            reason: None,
            signature_type,
        };
        let read =
            parse(program(), subject(Content::Pades { size: 1, pages: 1, seal_page: None, lock: None }));
        assert_eq!(read.certification, certification);
        // A digest alone cannot be certified: nobody would know what.
        let raw = Summary::new(program(), subject(Content::Raw));
        assert_eq!(wire::Summary::parse(raw.canonical()).is_ok(), certification.is_none());
    }
}

#[test]
fn every_lock_is_read_as_it_was_written_and_the_strictest_counts() {
    let locked = |lock| document(Content::Pades { size: 1, pages: 1, seal_page: None, lock }, &sha256());
    let subject = |documents, signature_type| Subject::Signature {
        certificates: vec![certificate(Storage::A1, None)],
        documents,
        reason: None,
        signature_type,
    };
    for (lock, expected) in [
        (Permission::NoChanges, wire::Lock::NoChanges),
        (Permission::FormFilling, wire::Lock::FormFilling),
        (Permission::Annotations, wire::Lock::Annotations),
    ] {
        let read = parse(program(), subject(vec![locked(Some(lock))], SignatureType::Approval));
        assert_eq!((read.documents[0].lock, read.lock()), (Some(expected), Some(expected)));
        // Two sentences would contradict each other: a certification says no less.
        let certified = SignatureType::Certification(Permission::NoChanges);
        let both = Summary::new(program(), subject(vec![locked(Some(lock))], certified));
        assert!(wire::Summary::parse(both.canonical()).is_err());
    }
    let several = [None, Some(Permission::Annotations), Some(Permission::FormFilling)].map(locked).to_vec();
    assert_eq!(
        parse(program(), subject(several, SignatureType::Approval)).lock(),
        Some(wire::Lock::FormFilling)
    );
}

/// The window is another program than the service, and has its own copy of the sentences.
#[test]
fn the_window_and_the_terminal_say_the_same_of_later_changes() {
    let [window, terminal] = ["tray", "service"].map(|member| {
        let path = signer_tests::repository().join(member).join("src/text/certification.rs");
        let text = std::fs::read_to_string(path).unwrap();
        let mut sentences: Vec<String> = text.split('"').skip(1).step_by(2).map(str::to_owned).collect();
        sentences.sort();
        sentences
    });
    // Four certifications and three locks, in three languages.
    assert_eq!(window.len(), (4 + 3) * 3);
    assert_eq!(window, terminal);
}

/// Proves A17.
#[test]
fn a_summary_with_more_than_is_drawn_is_refused() {
    let summary = Summary::new(program(), Subject::Pairing { scopes: vec![Scope::Sign] });
    let text = String::from_utf8(summary.canonical().to_vec()).unwrap();
    let more = text.replacen('{', "{\"also\":1,", 1);
    assert!(wire::Summary::parse(text.as_bytes()).is_ok());
    assert!(wire::Summary::parse(more.as_bytes()).is_err());
}

fn parse(client: Client, subject: Subject) -> wire::Summary {
    wire::Summary::parse(Summary::new(client, subject).canonical()).expect("the summary is read")
}

fn program() -> Client {
    Client::Program { name: Some("firefox".into()), path: None, process: None }
}

fn certificate(storage: Storage, optional: Option<&str>) -> Certificate {
    Certificate {
        id: CredentialId::parse(&"5a".repeat(32)).expect("an identifier"),
        holder: "MARIA \"DA\" \\ SILVA".into(),
        number: optional.map(str::to_owned),
        issuer: "AC Exemplo".into(),
        not_after: -1,
        storage,
        place: optional.map(str::to_owned),
    }
}

fn document(content: Content, digest: &Digest) -> Document {
    Document { name: "contrato.pdf".into(), content, digest: digest.clone() }
}

fn sha256() -> Digest {
    DigestAlgorithm::Sha256.digest(b"a")
}

fn sha512() -> Digest {
    DigestAlgorithm::Sha512.digest(b"b")
}
