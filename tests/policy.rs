//! What documents and fields say about signatures, obeyed by the shipped program and judged by
//! pyHanko: certifications, locks, seed values.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use signer_tests::{
    documents::with_fields,
    judges::{self, Judgement, PyHanko},
    repository,
    signing::{PASSWORD, a1, code, sign_with_a1, signer},
};

/// An empty field that can be seen.
const FIELD: &str = "/T (s) /Rect [72 72 300 150]";

/// A document in a directory of its own, and what is made of it.
struct Desk {
    directory: tempfile::TempDir,
    current: PathBuf,
    count: u32,
}

impl Desk {
    fn new(document: &[u8]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let current = directory.path().join("0.pdf");
        fs::write(&current, document).unwrap();
        Self { directory, current, count: 0 }
    }

    /// A document of one page with these signature fields.
    fn with_fields(fields: &[&str]) -> Self {
        Self::new(&with_fields(fields))
    }

    /// Signs the document as it is now; on success the result is the document.
    fn sign(&mut self, arguments: &[&str]) -> Result<Value, Value> {
        let next = self.next();
        let words = [&[self.current.to_str().unwrap(), next.to_str().unwrap()], arguments].concat();
        let (output, json) =
            sign_with_a1(self.directory.path(), &a1("ecpf-a1-moderno.p12"), PASSWORD, &words);
        if output.status.success() {
            let before = fs::read(&self.current).unwrap();
            assert!(fs::read(&next).unwrap().starts_with(&before), "the original is the prefix");
            self.current = next;
            Ok(json)
        } else {
            assert!(!next.exists(), "nothing is written: {json}");
            Err(json)
        }
    }

    /// pyHanko signs in `field`, whatever that breaks.
    fn forge(&mut self, field: &str) {
        let next = self.next();
        let output = Command::new(repository().join(".venv/bin/python"))
            .arg(repository().join("tests/support/sign.py"))
            .args([&self.current, &next])
            .arg(field)
            .arg(a1("rsa-3072.p12"))
            .arg(PASSWORD)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        self.current = next;
    }

    fn next(&mut self) -> PathBuf {
        self.count += 1;
        self.directory.path().join(format!("{}.pdf", self.count))
    }

    fn judged(&self, pyhanko: &mut PyHanko) -> Vec<Judgement> {
        pyhanko.judge(&self.current, &judges::test_root()).unwrap()
    }

    /// pyHanko, pdfsig and our own validator accept every signature.
    fn accepted(&self, pyhanko: &mut PyHanko) -> Vec<Judgement> {
        let judgements = self.judged(pyhanko);
        for judgement in &judgements {
            assert!(judgement.ok && judgement.intact_and_valid && judgement.trusted, "{judgement:?}");
        }
        let pdfsig = judges::pdfsig(&self.current).unwrap();
        // It counts empty fields too.
        assert_eq!(pdfsig.valid, judgements.len(), "{pdfsig:?}");
        assert_eq!(judges::qpdf_check(&self.current), Some(0));
        let verdict = validated(&self.current);
        assert_eq!(verdict["indication"], "TOTAL-PASSED", "{verdict}");
        judgements
    }

    fn bytes(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.current).unwrap()).into_owned()
    }
}

fn validated(path: &Path) -> Value {
    let root = judges::test_root();
    let output = signer().args(["validate", "--json", "--trust"]).args([&root, path]).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Proves A29.
#[test]
fn a_certified_document_takes_what_its_certification_permits() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    for (level, permission) in [("no-changes", 1), ("form-filling", 2), ("annotations", 3)] {
        for seal in ["none", "default"] {
            let mut desk = Desk::with_fields(&[FIELD]);
            let json = desk.sign(&[&format!("--certify={level}"), "--seal", seal]).unwrap();
            assert_eq!(json["certification"], level);
            let judgements = desk.accepted(&mut pyhanko);
            assert_eq!(judgements.len(), 1);
            assert_eq!(validated(&desk.current)["signatures"][0]["permission"], level);
            assert!(judgements[0].author && judgements[0].permission == Some(permission), "{judgements:?}");

            let invisible = desk.sign(&[]);
            let existing = desk.sign(&["--field", "s", "--seal", "default"]);
            let visible = desk.sign(&["--seal", "default"]).unwrap_err();
            let again = desk.sign(&["--certify"]).unwrap_err();
            if permission == 1 {
                for refused in [invisible.unwrap_err(), existing.unwrap_err(), visible, again] {
                    assert_eq!(code(&refused), "document-changes-forbidden", "{refused}");
                }
                assert_eq!(desk.judged(&mut pyhanko).len(), 1);
            } else {
                assert_eq!(invisible.unwrap()["certification"], Value::Null);
                existing.unwrap();
                assert_eq!(code(&visible), "visible-field-forbidden", "{visible}");
                assert_eq!(code(&again), "certification-not-first", "{again}");
                let judgements = desk.accepted(&mut pyhanko);
                assert_eq!(judgements.len(), 3);
                assert_eq!(judgements.iter().filter(|judgement| judgement.author).count(), 1);
            }
        }
    }
}

#[test]
fn the_form_that_iti_asks_for_restricts_without_naming_a_certification() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let mut desk = Desk::with_fields(&[FIELD]);
    let json = desk.sign(&["--certify=iti-reference", "--seal", "default"]).unwrap();
    assert_eq!(json["certification"], "iti-reference");
    assert!(!desk.bytes().contains("/Perms"));
    let judgements = desk.accepted(&mut pyhanko);
    assert!(!judgements[0].author && judgements[0].permission == Some(2), "{judgements:?}");
    let visible = desk.sign(&["--seal", "default"]).unwrap_err();
    assert_eq!(code(&visible), "visible-field-forbidden", "{visible}");
    desk.sign(&[]).unwrap();
    desk.sign(&["--field", "s", "--seal", "default"]).unwrap();
    assert_eq!(desk.accepted(&mut pyhanko).len(), 3);
    let again = desk.sign(&["--certify=iti-reference"]).unwrap_err();
    assert_eq!(code(&again), "certification-not-first", "{again}");
}

#[test]
fn a_field_that_cannot_be_signed_is_told_from_those_that_can() {
    let mut desk = Desk::with_fields(&["/T (a)", FIELD]);
    desk.sign(&["--field", "a"]).unwrap();
    for (arguments, expected, note) in [
        (["--field", "x"], "field-not-found", Some("Empty fields of the document: s")),
        (["--field", "a"], "field-already-signed", None),
        (["--new-field", "s"], "field-name-unusable", None),
        (["--new-field", "a.b"], "field-name-unusable", None),
    ] {
        let refused = desk.sign(&arguments).unwrap_err();
        assert_eq!((code(&refused), refused["error"]["note"].as_str()), (expected, note), "{refused}");
    }
}

/// Proves A29.
#[test]
fn nothing_is_certified_unasked_nor_after_another_signature() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let mut desk = Desk::with_fields(&[]);
    desk.sign(&[]).unwrap();
    assert!(!desk.bytes().contains("DocMDP"));
    for level in ["no-changes", "form-filling", "annotations", "iti-reference"] {
        let refused = desk.sign(&[&format!("--certify={level}")]).unwrap_err();
        assert_eq!(code(&refused), "certification-not-first", "{refused}");
    }
    assert_eq!(desk.accepted(&mut pyhanko)[0].permission, None);
}

/// Proves A29.
#[test]
fn locks_are_kept_by_us_and_enforced_by_others() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    for (lock, permission, locked) in [
        ("/Action /All", None, true),
        ("/Action /Include /Fields [(s)]", None, true),
        ("/Action /Include /Fields [(x)]", None, false),
        ("/Action /Exclude /Fields [(a)]", None, true),
        ("/Action /Exclude /Fields [(s)]", None, false),
        ("/Action /All /P 2", Some(2), true),
        ("/Action /Include /Fields [(s)] /P 3", Some(3), true),
        ("/Action /Include /Fields [(x)] /P 2", Some(2), false),
        ("/Action /Include /Fields [] /P 1", Some(1), true),
        ("/Action /Exclude /Fields [(s)] /P 1", Some(1), true),
    ] {
        let own = format!("/T (a) /Lock << /Type /SigFieldLock {lock} >>");
        // An earlier signature stays valid whatever the lock of a later one says.
        let mut desk = Desk::with_fields(&[&own, FIELD, "/T (primeiro)"]);
        desk.sign(&["--field", "primeiro"]).unwrap();
        let json = desk.sign(&["--field", "a"]).unwrap();
        let names = [None, Some("no-changes"), Some("form-filling"), Some("annotations")];
        assert_eq!(json["lock"].as_str(), names[permission.unwrap_or(0) as usize], "{lock}");
        let judgements = desk.accepted(&mut pyhanko);
        let found = judgements.iter().find(|judgement| judgement.field == "a").unwrap();
        assert_eq!((found.permission, found.author), (permission, false), "{lock}");
        let p = permission.map_or_else(String::new, |p| format!("/P {p}"));
        assert!(desk.bytes().contains("/TransformMethod /FieldMDP"), "{lock}");
        assert!(desk.bytes().contains(&p), "{lock}");

        if permission.is_some() {
            let visible = desk.sign(&["--new-field", "novo", "--seal", "default"]).unwrap_err();
            let expected =
                if permission == Some(1) { "document-changes-forbidden" } else { "visible-field-forbidden" };
            assert_eq!(code(&visible), expected, "{lock}");
        }
        if locked {
            let refused = desk.sign(&["--field", "s"]).unwrap_err();
            let expected = if permission == Some(1) { "document-changes-forbidden" } else { "field-locked" };
            assert_eq!(code(&refused), expected, "{lock}");
            desk.forge("s");
            let judgements = desk.judged(&mut pyhanko);
            let broken = judgements.iter().find(|judgement| judgement.field == "a").unwrap();
            assert!(!broken.ok, "{lock}: {broken:?}");
            let verdict = validated(&desk.current);
            assert_ne!(verdict["indication"], "TOTAL-PASSED", "{lock}: {verdict}");
        } else {
            desk.sign(&["--field", "s", "--seal", "default"]).unwrap();
            assert_eq!(desk.accepted(&mut pyhanko).len(), 3, "{lock}");
        }
    }
}

#[test]
fn a_seed_value_is_obeyed_and_others_agree() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let cases: &[(&str, &[&str], &str)] = &[
        ("/Ff 1 /Filter /Adobe.PPKLite", &[], ""),
        ("/Ff 2 /SubFilter [/ETSI.CAdES.detached]", &[], ""),
        ("/Ff 4 /V 3", &[], ""),
        ("/Ff 8 /Reasons [(Aprovo) (Li)]", &["--reason", "Li"], "/Reason (Li)"),
        ("/Ff 8 /Reasons [(Aprovo)]", &["--seal", "default"], "/Reason (Aprovo)"),
        ("/Ff 8 /Reasons [(.)]", &[], ""),
        ("/Ff 32 /AddRevInfo false", &[], ""),
        ("/Ff 64 /DigestMethod [(SHA512) (SHA384)]", &[], "/SubFilter"),
        ("/Ff 64 /DigestMethod [(SHA384)]", &["--digest", "sha384"], ""),
        ("/Ff 128 /LockDocument /true", &[], "/Lock << "),
        ("/Ff 128 /LockDocument /true", &["--certify=no-changes"], "/Perms"),
        ("/Ff 128 /LockDocument /false", &["--certify=annotations"], "/Perms"),
        ("/MDP << /P 0 >>", &[], ""),
        ("/MDP << /P 2 >>", &["--certify"], "/P 2"),
        ("/MDP << /P 3 >>", &["--certify"], "/P 3"),
        ("/MDP << /P 1 >>", &["--certify=no-changes"], "/P 1"),
        ("/Cert << /Ff 32 /KeyUsage [(11)] >>", &[], ""),
        ("/Cert << /Ff 8 /SubjectDN [<< /C (BR) /O (ICP-Brasil TESTE) >>] >>", &[], ""),
    ];
    for (seed, arguments, written) in cases {
        let mut desk = Desk::with_fields(&[&format!("{FIELD} /SV << /Type /SV {seed} >>")]);
        let json = desk
            .sign(&[&["--field", "s"], *arguments].concat())
            .unwrap_or_else(|json| panic!("{seed}: {json}"));
        assert!(desk.bytes().contains(written), "{seed}: {written}");
        assert_eq!(json["ignoredSeedValues"], Value::Array(vec![]), "{seed}");
        if seed.contains("SHA512") {
            assert_eq!(json["digestAlgorithm"], "SHA-512");
        }
        let judgements = desk.accepted(&mut pyhanko);
        assert_eq!(judgements[0].seed_value, None, "{seed}");
    }
}

#[test]
fn a_seed_value_that_cannot_be_met_is_refused_with_its_entry() {
    let own = certificate("ana-a1");
    let other = certificate("jose-a3");
    let subject = format!("/Cert << /Ff 1 /Subject [{other}] >>");
    let issuer = format!("/Cert << /Ff 2 /Issuer [{other}] >>");
    let policy = format!("/Cert << /Ff 4 /Issuer [{}] /OID [(2.16.76.1.2.3.1)] >>", certificate("ac2"));
    let cases: &[(&str, &[&str], &str, &str)] = &[
        ("/Ff 1 /Filter /PBAD_PAdES", &[], "Filter", "PBAD_PAdES"),
        ("/Ff 2 /SubFilter [/adbe.pkcs7.sha1]", &[], "SubFilter", "adbe.pkcs7.sha1"),
        ("/Ff 4 /V 9", &[], "V", "9"),
        ("/Ff 8 /Reasons [(Aprovo) (Li)]", &[], "Reasons", "(Aprovo) (Li)"),
        ("/Ff 8 /Reasons [(Aprovo)]", &["--reason", "Outro"], "Reasons", "(Aprovo)"),
        ("/Ff 8 /Reasons [(.)]", &["--reason", "Outro"], "Reasons", "no reason"),
        ("/Ff 32 /AddRevInfo true", &[], "AddRevInfo", "true"),
        ("/Ff 64 /DigestMethod [/SHA1]", &[], "DigestMethod", "SHA1"),
        ("/Ff 64 /DigestMethod [/SHA512]", &["--digest", "sha256"], "DigestMethod", "SHA512"),
        ("/Ff 128 /LockDocument /true", &["--certify=annotations"], "LockDocument", "true"),
        ("/Ff 256 /AppearanceFilter (selo)", &[], "AppearanceFilter", "selo"),
        ("/Ff 16 /LegalAttestation [(nada)]", &["--certify"], "LegalAttestation", "nada"),
        ("/TimeStamp << /URL (http://act.example) /Ff 1 >>", &[], "TimeStamp", "time-stamp"),
        ("/MDP << /P 2 >>", &[], "MDP", "a certification with P 2"),
        ("/MDP << /P 2 >>", &["--certify=annotations"], "MDP", "P 2"),
        ("/MDP << /P 0 >>", &["--certify"], "MDP", "an approval"),
        (&subject, &[], "Cert/Subject", "JOSÉ"),
        (&issuer, &[], "Cert/Issuer", "JOSÉ"),
        (&policy, &[], "Cert/OID", "2.16.76.1.2.3.1"),
        ("/Cert << /Ff 8 /SubjectDN [<< /CN (OUTRO) >>] >>", &[], "Cert/SubjectDN", "CN=OUTRO"),
        ("/Cert << /Ff 32 /KeyUsage [(X0)] >>", &[], "Cert/KeyUsage", "X0"),
    ];
    for (seed, arguments, entry, wanted) in cases {
        let mut desk = Desk::with_fields(&[&format!("{FIELD} /SV << {seed} >>")]);
        let json = desk.sign(&[&["--field", "s"], *arguments].concat()).unwrap_err();
        assert_eq!(
            (code(&json), &json["error"]["facts"]["entry"]),
            ("seed-value-unmet", &Value::from(*entry))
        );
        let said = json["error"]["facts"]["wanted"].as_str().unwrap();
        assert!(said.contains(wanted), "{seed}: {said}");
        assert!(json["error"]["note"].as_str().unwrap().contains(entry), "{json}");
    }
    // What is no more than a preference is told, and signed without.
    let seed = format!(
        "/TimeStamp << /Ff 0 >> /AddRevInfo true /Cert << /Subject [{other} {own}] /Issuer [{other}] >>"
    );
    let mut desk = Desk::with_fields(&[&format!("{FIELD} /SV << {seed} >>")]);
    let json = desk.sign(&["--field", "s"]).unwrap();
    assert_eq!(json["ignoredSeedValues"], serde_json::json!(["Cert/Issuer", "AddRevInfo", "TimeStamp"]));
}

/// A certificate of the test PKI as a string of a document.
fn certificate(name: &str) -> String {
    let path = repository().join(format!("tests/fixtures/pki/certificates/{name}.pem"));
    let output = Command::new("openssl").args(["x509", "-outform", "der", "-in"]).arg(path).output().unwrap();
    assert!(output.status.success());
    let digits: String = output.stdout.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("<{digits}>")
}

#[test]
fn a_field_that_insists_on_a_lock_gets_it_where_that_breaks_no_signature() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    for lock in ["", "/Lock << /Action /Exclude /Fields [(x)] >>"] {
        let field = format!("{FIELD} /SV << /Ff 128 /LockDocument /true >> {lock}");
        let mut desk = Desk::with_fields(&[&field, "/T (x)"]);
        let json = desk.sign(&["--field", "s", "--seal", "default"]).unwrap();
        assert_eq!((&json["lock"], &json["certification"]), (&Value::from("no-changes"), &Value::Null));
        assert_eq!(desk.accepted(&mut pyhanko)[0].permission, Some(1));
        let refused = desk.sign(&["--field", "x"]).unwrap_err();
        assert_eq!(code(&refused), "document-changes-forbidden", "{refused}");
        desk.forge("x");
        let judgements = desk.judged(&mut pyhanko);
        assert!(judgements.iter().any(|judgement| judgement.field == "s" && !judgement.ok), "{judgements:?}");
        assert_ne!(validated(&desk.current)["indication"], "TOTAL-PASSED");

        // The field would have to be changed, and the signature before it says how it was.
        let mut desk = Desk::with_fields(&[&field]);
        desk.sign(&[]).unwrap();
        let refused = desk.sign(&["--field", "s"]).unwrap_err();
        assert_eq!(refused["error"]["facts"]["entry"], "LockDocument", "{refused}");
        desk.accepted(&mut pyhanko);
    }
    let field = format!("{FIELD} /SV << /Ff 128 /LockDocument /true >> /Lock << /Action /All /P 1 >>");
    let mut desk = Desk::with_fields(&[&field]);
    desk.sign(&[]).unwrap();
    desk.sign(&["--field", "s"]).unwrap();
    assert_eq!(desk.accepted(&mut pyhanko).len(), 2);
}

/// Proves A31. What the document does not take is refused before a credential is opened, and with it before a
/// PIN is asked for: here there is none.
#[test]
fn no_secret_is_asked_for_what_the_document_does_not_take() {
    let mut desk =
        Desk::with_fields(&["/T (a) /Lock << /Action /Include /Fields [(s)] /P 2 >>", FIELD, "/T (livre)"]);
    desk.sign(&["--field", "a"]).unwrap();
    let locked = desk.current.clone();
    let certified = repository().join("tests/fixtures/pdf/sgn-certified-p1.pdf");
    let open = desk.directory.path().join("0.pdf");
    let protected = desk.directory.path().join("protected.pdf");
    let made = Command::new("qpdf")
        .args(["--encrypt", "", "dono", "256", "--modify=none", "--"])
        .args([&open, &protected])
        .status();
    let protected = match made {
        Ok(status) if status.success() => Some(&protected),
        other => {
            signer_tests::left_out(&format!("qpdf made nothing: {other:?}"));
            None
        }
    };
    let cases: &[(Option<&PathBuf>, &[&str], &str)] = &[
        (Some(&certified), &[], "document-changes-forbidden"),
        (Some(&locked), &["--certify"], "certification-not-first"),
        (Some(&locked), &["--field", "s"], "field-locked"),
        (Some(&locked), &["--new-field", "s"], "field-name-unusable"),
        (Some(&locked), &["--seal", "default"], "visible-field-forbidden"),
        (Some(&open), &["--seal", "default", "--seal-page", "2"], "page-not-found"),
        (protected, &[], "document-permission-denied"),
        (protected, &["--field", "s"], "document-permission-denied"),
        // The credential is what is missing where nothing else is.
        (Some(&locked), &["--field", "livre"], "input-unreadable"),
    ];
    for (input, arguments, expected) in cases {
        let Some(input) = input else { continue };
        let output = signer()
            .args(["sign", "--json", "--p12", "missing.p12", "--p12-password-file", "missing.txt"])
            .args(*arguments)
            .arg(input)
            .arg(desk.directory.path().join("out.pdf"))
            .output()
            .unwrap();
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(code(&json), *expected, "{arguments:?}: {json}");
    }
}
