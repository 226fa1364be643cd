//! Seed value dictionaries as producers write them, and hostile ones.

use crate::error::ErrorCode;
use crate::pdf::document::Document;
use crate::pdf::limits::Limits;
use crate::pdf::sample::{ONE_PAGE, table};
use crate::pdf::seed_value::*;

fn read(seed: &str, more: &[&str]) -> Result<Option<SeedValue>, PdfError> {
    let catalog = "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [4 0 R] >> >>";
    let field = format!("<< /T (s) /FT /Sig {seed} >>");
    let bytes = table(&[&[catalog, ONE_PAGE[1], ONE_PAGE[2], field.as_str()], more].concat(), "");
    let document = Document::open(bytes.as_slice(), Limits::default())?;
    let fields = document.fields()?;
    document.seed_value(fields.first().unwrap())
}

fn seed(entries: &str) -> SeedValue {
    read(&format!("/SV << {entries} >>"), &[]).unwrap().unwrap()
}

#[test]
fn every_entry_is_read() {
    assert_eq!(read("", &[]).unwrap(), None);
    assert_eq!(read("/SV 99 0 R", &[]).unwrap(), None);
    let found = read(
        "/SV 5 0 R",
        &[
            "<< /Type /SV /Ff 6 0 R /Filter /Adobe.PPKLite /SubFilter [/ETSI.CAdES.detached 7 0 R] \
             /DigestMethod [(SHA256) /SHA512] /V 2 /Reasons [(De acordo) <FEFF00E9>] /MDP << /P 2 >> \
             /TimeStamp << /URL (http://act.example) /Ff 1 >> /LegalAttestation [(nada)] /AddRevInfo true \
             /LockDocument /false /AppearanceFilter (selo) /Cert << /Ff 41 /Subject [<30>] \
             /SubjectDN [<< /CN (ANA) /O (X) >> << /2.5.4.5 (7) >>] /KeyUsage [(11X)] /Issuer [<31> <32>] \
             /OID [(2.16.76.1.2.1.1)] /URL (http://ac.example) /SignaturePolicyOID (1.2.3) >> >>",
            "2",
            "/adbe.pkcs7.detached",
        ],
    )
    .unwrap()
    .unwrap();
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let expected = SeedValue {
        flags: 2,
        filter: Some("Adobe.PPKLite".into()),
        sub_filters: texts(&["ETSI.CAdES.detached", "adbe.pkcs7.detached"]),
        digest_methods: texts(&["SHA256", "SHA512"]),
        version: Some(2.0),
        reasons: texts(&["De acordo", "é"]),
        mdp: Some(Mdp::Certification(Permission::FormFilling)),
        time_stamp: Some(Constraint::Required),
        legal_attestations: texts(&["nada"]),
        revocation_values: Some(Presence::Present),
        lock_document: Some(LockDocument::No),
        appearance_filter: Some("selo".into()),
        certificate: CertificateSeedValue {
            flags: 41,
            subjects: vec![vec![0x30]],
            subject_attributes: vec![pair("CN", "ANA"), pair("O", "X"), pair("2.5.4.5", "7")],
            key_usages: texts(&["11X"]),
            issuers: vec![vec![0x31], vec![0x32]],
            policies: texts(&["2.16.76.1.2.1.1"]),
            signature_policy: Some("1.2.3".into()),
        },
    };
    assert_eq!(found, expected);
}

#[test]
fn each_bit_makes_its_own_entry_required() {
    use SeedValueEntry as Entry;
    let of_field = [
        Entry::Filter,
        Entry::SubFilter,
        Entry::Version,
        Entry::Reasons,
        Entry::LegalAttestation,
        Entry::AddRevInfo,
        Entry::DigestMethod,
        Entry::LockDocument,
        Entry::AppearanceFilter,
    ];
    for bit in 0..9_usize {
        let found = seed(&format!("/Ff {} /Cert << /Ff 0 >>", 1 << bit));
        for (place, entry) in of_field.into_iter().enumerate() {
            assert_eq!(found.constraint(entry) == Constraint::Required, place == bit, "{entry} {bit}");
        }
    }
    let of_certificate = [
        (0, Entry::CertSubject),
        (1, Entry::CertIssuer),
        (2, Entry::CertOid),
        (3, Entry::CertSubjectDn),
        (5, Entry::CertKeyUsage),
    ];
    for bit in 0..7_usize {
        let found = seed(&format!("/Ff 511 /Cert << /Ff {} >>", 1 << bit));
        for (place, entry) in of_certificate {
            assert_eq!(found.constraint(entry) == Constraint::Required, place == bit, "{entry} {bit}");
        }
    }
    assert_eq!(seed("/TimeStamp << /Ff 0 >>").constraint(Entry::TimeStamp), Constraint::Preferred);
    assert_eq!(seed("").constraint(Entry::Mdp), Constraint::Required);
}

#[test]
fn odd_values_are_none_or_the_strictest() {
    let found =
        seed("/Ff (x) /SubFilter /adbe.x /MDP << /P 9 >> /LockDocument true /AddRevInfo 1 /V (2) /Cert 3");
    assert_eq!(found.sub_filters, ["adbe.x"]);
    assert_eq!(found.mdp, Some(Mdp::Certification(Permission::NoChanges)));
    assert_eq!(found.lock_document, Some(LockDocument::Yes));
    assert_eq!((found.revocation_values, found.version), (None, None));
    assert_eq!(seed("/MDP << /P 0 >>").mdp, Some(Mdp::Approval));
    assert_eq!(seed("/MDP << >> /LockDocument /auto"), SeedValue::default());
}

#[test]
fn a_reason_is_the_signers_or_the_only_one_of_the_field() {
    let said = |entries: &str, given: Option<&str>| {
        let seed = seed(entries);
        seed.reason(given).map(|reason| reason.map(str::to_owned)).map_err(|error| error.code())
    };
    let ok = |reason: Option<&str>| Ok(reason.map(str::to_owned));
    let unmet = Err(ErrorCode::SeedValueUnmet);
    for (entries, given, expected) in [
        ("/Reasons [(a)]", Some("x"), ok(Some("x"))),
        ("/Reasons [(a)]", None, ok(None)),
        ("/Ff 8 /Reasons [(a) (b)]", Some("b"), ok(Some("b"))),
        ("/Ff 8 /Reasons [(a) (b)]", Some("x"), unmet.clone()),
        ("/Ff 8 /Reasons [(a) (b)]", None, unmet.clone()),
        ("/Ff 8 /Reasons [(a)]", None, ok(Some("a"))),
        ("/Ff 8 /Reasons [(a)]", Some("x"), unmet.clone()),
        ("/Ff 8 /Reasons [(.)]", None, ok(None)),
        ("/Ff 8 /Reasons [(.)]", Some("x"), unmet.clone()),
        ("/Ff 8", None, ok(None)),
        ("/Ff 8", Some("x"), unmet.clone()),
    ] {
        assert_eq!(said(entries, given), expected, "{entries} {given:?}");
    }
}

#[test]
fn what_is_told_is_short_and_holds_no_control_characters() {
    let error = SeedValueEntry::Reasons.unmet(format!("a\n\u{1b}{}", "b".repeat(5000)));
    let PdfError::SeedValueUnmet { entry, wanted } = error else { panic!("another error") };
    assert_eq!(entry.as_str(), "Reasons");
    assert_eq!(wanted, format!("a{}…", "b".repeat(TOLD - 1)));
}

#[test]
fn a_huge_seed_value_is_refused() {
    let many = "(a)".repeat(ITEMS + 1);
    let names = format!(
        "/Cert << /SubjectDN [<< {} >>] >>",
        (0..=ITEMS).map(|n| format!("/K{n} (x)")).collect::<String>()
    );
    let shared = format!("/Reasons [{}]", "5 0 R ".repeat(ITEMS));
    let large = format!("[{}]", "0 ".repeat(10_000));
    for (entries, more) in [(format!("/Reasons [{many}]"), ""), (names, ""), (shared, large.as_str())] {
        let result = read(
            &format!("/SV << {entries} >>"),
            &[more].map(|text| if text.is_empty() { "null" } else { text }),
        );
        assert!(matches!(result, Err(PdfError::Limit { .. })), "{result:?}");
    }
}
