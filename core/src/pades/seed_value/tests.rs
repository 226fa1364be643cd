//! Every entry of a seed value, obeyed, refused or noted, over the certificates of the test PKI.

use proptest::prelude::*;

use crate::{
    cms::certificate::fixture,
    error::ErrorCode,
    moment::Moment,
    pades::{
        prepare::{PageChoice, Prepared, Room, Target, Terms},
        seed_value::*,
    },
    pdf::{document::Document, limits::Limits},
    seal::{Corner, Placement},
};

/// A document with one empty field of this seed value and lock.
fn document(seed: &str, lock: &str) -> Vec<u8> {
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Annots [4 0 R] >>".to_owned(),
        format!("<< /T (s) /FT /Sig /Subtype /Widget /Rect [0 0 0 0] /P 3 0 R /SV << {seed} >> {lock} >>"),
    ];
    let mut text = "%PDF-1.7\n".to_owned();
    let mut rows = String::new();
    for (number, object) in (1..).zip(objects) {
        rows.push_str(&format!("{:010} 00000 n \n", text.len()));
        text.push_str(&format!("{number} 0 obj\n{object}\nendobj\n"));
    }
    let start = text.len();
    text.push_str(&format!(
        "xref\n0 5\n0000000000 65535 f \n{rows}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    ));
    text.into_bytes()
}

fn terms<'a>() -> Terms<'a> {
    Terms {
        room: Room::Estimated,
        digest: None,
        moment: Moment::new(1_796_075_368, -180).unwrap(),
        signature_type: SignatureType::Approval,
        target: Target::ExistingField { name: "s".into() },
        seal: None,
        reason: None,
        location: None,
        name: None,
    }
}

/// What comes of signing so: the preferences that were not followed, or the entry that was not met.
fn signed_as(signer: &str, terms: &Terms<'_>, seed: &str, lock: &str) -> Result<Prepared, SeedValueEntry> {
    let (signer, chain) =
        (fixture::certificate(signer), [fixture::certificate("ac2"), fixture::certificate("ac1")]);
    let bytes = document(seed, lock);
    let document = Document::open(bytes.as_slice(), Limits::default()).unwrap();
    match Prepared::new(&document, &Order { signer: &signer, chain: &chain, terms }) {
        Ok(prepared) => Ok(prepared),
        Err(error) => {
            assert_eq!(error.code(), ErrorCode::SeedValueUnmet, "{error:?}");
            let crate::pades::error::PadesError::Pdf(PdfError::SeedValueUnmet { entry, wanted }) = error
            else {
                panic!("{error:?}")
            };
            assert!(!wanted.is_empty(), "{entry}");
            Err(entry)
        }
    }
}

fn outcome(terms: &Terms<'_>, seed: &str) -> Result<Vec<SeedValueEntry>, SeedValueEntry> {
    signed_as("ana-a1", terms, seed, "").map(|prepared| prepared.ignored_seed_values().to_vec())
}

fn hex(certificate: &Certificate) -> String {
    let digits: String = certificate.to_der().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("<{digits}>")
}

#[test]
fn what_is_required_is_met_or_refused_and_what_is_preferred_is_noted() {
    use SeedValueEntry as Entry;
    for (flag, unmet, met, entry) in [
        (1, "/Filter /PBAD_PAdES", "/Filter /Adobe.PPKLite", Entry::Filter),
        (
            2,
            "/SubFilter [/adbe.pkcs7.detached]",
            "/SubFilter [/adbe.x /ETSI.CAdES.detached]",
            Entry::SubFilter,
        ),
        (4, "/V 4", "/V 3", Entry::Version),
        (32, "/AddRevInfo true", "/AddRevInfo false", Entry::AddRevInfo),
        (64, "/DigestMethod [/SHA1 /RIPEMD160]", "/DigestMethod [/SHA1 /SHA512]", Entry::DigestMethod),
        (256, "/AppearanceFilter (selo)", "", Entry::AppearanceFilter),
    ] {
        let both = 511 ^ 8;
        assert_eq!(outcome(&terms(), &format!("/Ff {both} {unmet}")), Err(entry));
        assert_eq!(outcome(&terms(), &format!("/Ff {flag} {unmet}")), Err(entry));
        assert_eq!(outcome(&terms(), &format!("/Ff {} {unmet}", both ^ flag)), Ok(vec![entry]));
        assert_eq!(outcome(&terms(), &format!("/Ff {both} {met}")), Ok(vec![]), "{met}");
    }
    let stamp = |flags| format!("/TimeStamp << /URL (http://act.example) /Ff {flags} >>");
    assert_eq!(outcome(&terms(), &stamp(1)), Err(Entry::TimeStamp));
    assert_eq!(outcome(&terms(), &stamp(0)), Ok(vec![Entry::TimeStamp]));
}

#[test]
fn the_digest_is_the_fields_where_the_signer_left_it_open() {
    let digest = |asked, seed: &str| {
        let prepared = signed_as("ana-a1", &Terms { digest: asked, ..terms() }, seed, "");
        prepared.map(|prepared| prepared.algorithm().digest())
    };
    for (seed, expected) in [
        ("/DigestMethod [/SHA512]", DigestAlgorithm::Sha512),
        ("/Ff 64 /DigestMethod [/SHA512 /SHA256]", DigestAlgorithm::Sha256),
        ("/Ff 64 /DigestMethod [(sha384) (SHA-512)]", DigestAlgorithm::Sha384),
        ("/DigestMethod [/SHA1]", DigestAlgorithm::Sha256),
    ] {
        assert_eq!(digest(None, seed), Ok(expected), "{seed}");
    }
    let asked = Some(DigestAlgorithm::Sha256);
    assert_eq!(digest(asked, "/Ff 64 /DigestMethod [/SHA512]"), Err(SeedValueEntry::DigestMethod));
    assert_eq!(digest(asked, "/DigestMethod [/SHA512]"), Ok(DigestAlgorithm::Sha256));
}

#[test]
fn the_type_of_signature_must_be_the_one_asked_for() {
    use Permission::{Annotations, FormFilling, NoChanges};
    use SignatureType::{Approval, Certification, DocMdpReference};
    for (p, met) in [
        (0, Approval),
        (1, Certification(NoChanges)),
        (2, Certification(FormFilling)),
        (3, Certification(Annotations)),
    ] {
        let types = [
            Approval,
            Certification(NoChanges),
            Certification(FormFilling),
            Certification(Annotations),
            DocMdpReference,
        ];
        for signature_type in types {
            let result = outcome(&Terms { signature_type, ..terms() }, &format!("/MDP << /P {p} >>"));
            let expected = if signature_type == met { Ok(vec![]) } else { Err(SeedValueEntry::Mdp) };
            assert_eq!(result, expected, "{p} {signature_type:?}");
        }
    }
}

#[test]
fn a_certification_promises_no_more_than_the_lock_of_its_field() {
    let lock = "/Lock << /Action /All /P 2 >>";
    for (permission, expected) in [
        (Permission::NoChanges, None),
        (Permission::FormFilling, None),
        (Permission::Annotations, Some(SeedValueEntry::Lock)),
    ] {
        let terms = Terms { signature_type: SignatureType::Certification(permission), ..terms() };
        assert_eq!(signed_as("ana-a1", &terms, "", lock).err(), expected, "{permission:?}");
    }
}

#[test]
fn a_document_is_locked_where_its_field_insists() {
    let certified =
        |permission| Terms { signature_type: SignatureType::Certification(permission), ..terms() };
    let text = |terms: &Terms<'_>, seed: &str, lock: &str| {
        signed_as("ana-a1", terms, seed, lock).map(|prepared| {
            let locked = String::from_utf8_lossy(prepared.update()).contains("/Lock << ");
            (locked, prepared.ignored_seed_values().to_vec())
        })
    };
    let unmet = SeedValueEntry::LockDocument;
    assert_eq!(text(&terms(), "/Ff 128 /LockDocument /true", ""), Ok((true, vec![])));
    assert_eq!(text(&terms(), "/LockDocument /true", ""), Ok((false, vec![unmet])));
    let lock = "/Lock << /Action /All /P 1 >>";
    assert_eq!(text(&terms(), "/LockDocument /true", lock), Ok((true, vec![])));
    assert_eq!(text(&terms(), "/Ff 128 /LockDocument /false", lock), Err(unmet));
    assert_eq!(text(&terms(), "/Ff 128 /LockDocument /false", ""), Ok((false, vec![])));
    assert_eq!(text(&terms(), "/Ff 128 /LockDocument /auto", lock), Ok((true, vec![])));
    let (strict, lax) = (certified(Permission::NoChanges), certified(Permission::FormFilling));
    assert_eq!(text(&strict, "/Ff 128 /LockDocument /true", ""), Ok((false, vec![])));
    assert_eq!(text(&lax, "/Ff 128 /LockDocument /true", ""), Err(unmet));
    assert_eq!(text(&strict, "/Ff 128 /LockDocument /false", ""), Err(unmet));
}

#[test]
fn a_legal_attestation_belongs_to_certifications() {
    let certified =
        Terms { signature_type: SignatureType::Certification(Permission::FormFilling), ..terms() };
    let entry = SeedValueEntry::LegalAttestation;
    assert_eq!(outcome(&terms(), "/Ff 16 /LegalAttestation [(nada)]"), Ok(vec![]));
    assert_eq!(outcome(&certified, "/Ff 16 /LegalAttestation [(nada)]"), Err(entry));
    assert_eq!(outcome(&certified, "/LegalAttestation [(nada)]"), Ok(vec![entry]));
}

#[test]
fn a_reason_is_one_of_the_fields() {
    let entry = SeedValueEntry::Reasons;
    let given = |reason| Terms { reason, ..terms() };
    for (reason, seed, expected) in [
        (Some("Aprovo"), "/Ff 8 /Reasons [(Aprovo) (Li)]", Ok(vec![])),
        (Some("Outro"), "/Ff 8 /Reasons [(Aprovo) (Li)]", Err(entry)),
        (Some("Outro"), "/Reasons [(Aprovo) (Li)]", Ok(vec![entry])),
        (None, "/Reasons [(Aprovo) (Li)]", Ok(vec![])),
        // It was to be taken over before: neither the person nor the seal would show it.
        (None, "/Ff 8 /Reasons [(Aprovo)]", Err(entry)),
        (Some("Aprovo"), "/Ff 8 /Reasons [(.)]", Err(entry)),
        (None, "/Ff 8 /Reasons [(.)]", Ok(vec![])),
    ] {
        assert_eq!(outcome(&given(reason), seed), expected, "{reason:?} {seed}");
    }
}

#[test]
fn the_certificate_is_the_one_asked_for() {
    use SeedValueEntry as Entry;
    let certificate = |name| hex(&fixture::certificate(name));
    let (own, other) = (certificate("ana-a1"), certificate("jose-a3"));
    let (above, top, strange) = (certificate("ac2"), hex(&fixture::root()), certificate("p256"));
    for (flags, met, unmet, entry) in [
        (1, format!("/Subject [{other} {own}]"), format!("/Subject [{other}]"), Entry::CertSubject),
        (2, format!("/Issuer [{strange} {above}]"), format!("/Issuer [{strange} <3000>]"), Entry::CertIssuer),
        (2, format!("/Issuer [{top}]"), format!("/Issuer [{own}]"), Entry::CertIssuer),
        (
            4,
            format!("/Issuer [{above}] /OID [(2.16.76.1.2.1.999)]"),
            format!("/Issuer [{above}] /OID [(2.16.76.1.2.3.1)]"),
            Entry::CertOid,
        ),
        (
            8,
            "/SubjectDN [<< /C (BR) >> << /O (ICP-Brasil TESTE) /2.5.4.6 (BR) >>]".to_owned(),
            "/SubjectDN [<< /C (BR) >> << /O (Outra) >>]".to_owned(),
            Entry::CertSubjectDn,
        ),
        (32, "/KeyUsage [(0) (11)]".to_owned(), "/KeyUsage [(X0) (XXXXX1)]".to_owned(), Entry::CertKeyUsage),
    ] {
        let seed = |flags, entries: &str| format!("/Cert << /Ff {flags} {entries} >>");
        assert_eq!(outcome(&terms(), &seed(flags, &met)), Ok(vec![]), "{entry}");
        assert_eq!(outcome(&terms(), &seed(flags, &unmet)), Err(entry));
        assert_eq!(outcome(&terms(), &seed(0, &unmet)), Ok(vec![entry]));
    }
    // Without issuers, policies ask for nothing; an address where certificates are sold never does.
    assert_eq!(outcome(&terms(), "/Cert << /Ff 68 /OID [(1.2.3)] /URL (http://ac.example) >>"), Ok(vec![]));
    let policy = "/Cert << /Ff 127 /SignaturePolicyOID (2.16.76.1.7.1.11.1.3) >>";
    assert_eq!(outcome(&terms(), policy), Ok(vec![Entry::CertSignaturePolicy]));
}

#[test]
fn a_new_field_asks_for_nothing() {
    let target =
        Target::NewField { name: None, page: PageChoice::LAST, placement: Placement::at(Corner::TopLeft) };
    assert_eq!(outcome(&Terms { target, ..terms() }, "/Ff 64 /DigestMethod [/SHA1]"), Ok(vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_damage_makes_a_field_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let seed = "/Ff 511 /Filter /Adobe.PPKLite /SubFilter [/ETSI.CAdES.detached] /DigestMethod [/SHA512] /V 2 \
             /Reasons [(.)] /MDP << /P 0 >> /TimeStamp << /Ff 0 >> /LegalAttestation [(a)] /AddRevInfo false \
             /LockDocument /true /Cert << /Ff 127 /Subject [<3000>] /SubjectDN [<< /CN (a) >>] /KeyUsage [(1X0)] \
             /Issuer [<3000>] /OID [(1.2)] >>";
        let mut bytes = document(seed, "/Lock << /Action /Exclude /Fields [(a)] /P 2 >>");
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let (signer, chain) = (fixture::certificate("ana-a1"), [fixture::certificate("ac2")]);
        if let Ok(document) = Document::open(bytes.as_slice(), Limits::default()) {
            let _ = Prepared::new(&document, &Order { signer: &signer, chain: &chain, terms: &terms() });
        }
    }
}
