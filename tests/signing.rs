//! A1 signatures by the shipped program, accepted by pyHanko, pdfsig and qpdf.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use signer_tests::{
    documents::{Layout, document},
    judges::{self, PyHanko},
    repository,
    signing::{PASSWORD, a1, sign_with_a1, signer},
};

/// An A1 file of the test PKI and the digest that goes with its key.
const KEYS: &[(&str, &str)] = &[
    ("ecpf-a1-moderno.p12", "SHA-256"),
    ("ecpf-a1-3des.pfx", "SHA-256"),
    ("ecpf-a1-rc2-40.pfx", "SHA-256"),
    ("rsa-3072.p12", "SHA-256"),
    ("rsa-4096.p12", "SHA-256"),
    ("ecdsa-p256.p12", "SHA-256"),
    ("ecdsa-p384.p12", "SHA-384"),
    ("ecnpj-a1-alfanumerico.p12", "SHA-256"),
    ("duas-chaves.p12", "SHA-256"),
];

fn written(directory: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// Signs with the default key and returns the field's name.
fn sign(directory: &Path, input: &Path, output: &Path, arguments: &[&str]) -> String {
    let mut words = vec![input.to_str().unwrap(), output.to_str().unwrap()];
    words.extend_from_slice(arguments);
    let (result, json) = sign_with_a1(directory, &a1("ecpf-a1-moderno.p12"), PASSWORD, &words);
    assert!(result.status.success(), "{json}");
    json["field"].as_str().unwrap().to_owned()
}

/// Others call the signature of `field` valid, trusted and over the entire file.
fn accepted(pyhanko: &mut PyHanko, input: &Path, output: &Path, field: &str) {
    let (before, after) = (fs::read(input).unwrap(), fs::read(output).unwrap());
    assert!(after.starts_with(&before), "the original is the prefix");
    let judgements = pyhanko.judge(output, &judges::test_root()).unwrap();
    let own = judgements.iter().find(|judgement| judgement.field == field).unwrap();
    assert!(own.ok && own.intact_and_valid && own.trusted, "{own:?}");
    assert_eq!(own.coverage, "ENTIRE_FILE");
    let mut attributes = own.attributes.clone();
    attributes.sort_unstable();
    assert_eq!(attributes, ["content_type", "message_digest", "signing_certificate_v2"]);
    let (was, is) = (judges::qpdf_check(input).unwrap(), judges::qpdf_check(output).unwrap());
    assert!(judges::qpdf_badness(is) <= judges::qpdf_badness(was), "qpdf: {was} before, {is} after");
    let pdfsig = judges::pdfsig(output).unwrap();
    assert!(pdfsig.total_document && pdfsig.valid == pdfsig.signatures, "{pdfsig:?}");
}

fn validate(path: &Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = signer().args(["validate", "--json"]).args(arguments).arg(path).output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

fn validate_trusting_the_test_root(path: &Path) -> (Option<i32>, Value) {
    validate(path, &["--trust", judges::test_root().to_str().unwrap()])
}

/// Proves A10.
#[test]
fn every_key_signs_both_kinds_of_file_and_others_accept_it() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    for layout in [Layout::Table, Layout::ObjectStreams] {
        let input = written(directory.path(), "in.pdf", &document(layout, 3, 100_000));
        for (key, digest) in KEYS {
            let output = directory.path().join("out.pdf");
            let mut arguments = vec![
                input.to_str().unwrap(),
                output.to_str().unwrap(),
                "--seal",
                "default",
                "--reason",
                "Aprovação do contrato",
                "--location",
                "São Paulo",
            ];
            let id;
            if *key == "duas-chaves.p12" {
                id = ids(key).pop().unwrap();
                arguments.extend_from_slice(&["--certificate", &id]);
            }
            let (result, json) = sign_with_a1(directory.path(), &a1(key), PASSWORD, &arguments);
            assert!(result.status.success(), "{key} {layout:?}: {json}");
            assert_eq!(json["digestAlgorithm"], *digest, "{key}");
            accepted(&mut pyhanko, &input, &output, json["field"].as_str().unwrap());
            let (code, verdict) = validate_trusting_the_test_root(&output);
            assert_eq!((code, &verdict["indication"]), (Some(0), &Value::from("TOTAL-PASSED")), "{verdict}");
            fs::remove_file(output).unwrap();
        }
    }
}

fn ids(key: &str) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let secret = written(directory.path(), "password", PASSWORD.as_bytes());
    let output = signer()
        .args(["certificates", "--json", "--p12"])
        .arg(a1(key))
        .arg("--p12-password-file")
        .arg(secret)
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    json["certificates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_digest_can_be_asked_for() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let input = written(directory.path(), "in.pdf", &document(Layout::Table, 1, 2000));
    for (word, name) in [("sha256", "SHA-256"), ("sha384", "SHA-384"), ("sha512", "SHA-512")] {
        let output = directory.path().join(format!("{word}.pdf"));
        let field = sign(directory.path(), &input, &output, &["--digest", word]);
        accepted(&mut pyhanko, &input, &output, &field);
        assert_eq!(validate_trusting_the_test_root(&output).1["signatures"][0]["digestAlgorithm"], name);
    }
}

/// Proves A11.
#[test]
fn a_second_signature_keeps_the_first_valid() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    for layout in [Layout::Table, Layout::ObjectStreams] {
        let input = written(directory.path(), "in.pdf", &document(layout, 2, 20_000));
        let (once, twice) = (directory.path().join("once.pdf"), directory.path().join("twice.pdf"));
        let first = sign(directory.path(), &input, &once, &["--seal", "default"]);
        let words =
            [once.to_str().unwrap(), twice.to_str().unwrap(), "--seal", "default", "--seal-at", "top-left"];
        let (result, json) = sign_with_a1(directory.path(), &a1("ecdsa-p256.p12"), PASSWORD, &words);
        assert!(result.status.success(), "{json}");
        let second = json["field"].as_str().unwrap();
        assert_ne!(first, second);
        accepted(&mut pyhanko, &once, &twice, second);
        let judgements = pyhanko.judge(&twice, &judges::test_root()).unwrap();
        let old = judgements.iter().find(|judgement| judgement.field == first).unwrap();
        assert!(old.ok, "{old:?}");
        let (code, verdict) = validate_trusting_the_test_root(&twice);
        assert_eq!((code, verdict["signatures"].as_array().unwrap().len()), (Some(0), 2), "{verdict}");
        for path in [once, twice] {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn an_empty_field_of_the_document_is_used() {
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    for name in ["syn-emptysig-rotated-mk.pdf", "syn-emptysig-hidden-readonly.pdf"] {
        let input = repository().join("tests/fixtures/pdf").join(name);
        let wanted = first_field(&input);
        let output = directory.path().join(name);
        let field = sign(directory.path(), &input, &output, &["--field", &wanted, "--seal", "default"]);
        assert_eq!(field, wanted);
        accepted(&mut pyhanko, &input, &output, &field);
        let again = directory.path().join("again.pdf");
        let words = [output.to_str().unwrap(), again.to_str().unwrap(), "--field", &wanted];
        let (_, json) = sign_with_a1(directory.path(), &a1("ecpf-a1-moderno.p12"), PASSWORD, &words);
        assert_eq!(json["error"]["code"], "field-already-signed", "{json}");
    }
}

/// The first signature field as pdfsig names it.
fn first_field(input: &Path) -> String {
    let output = std::process::Command::new("pdfsig").arg(input).env("LC_ALL", "C").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.contains("Signature Field Name")).unwrap();
    line.split(": ").nth(1).unwrap().to_owned()
}

#[test]
fn names_of_files_need_not_be_unicode() {
    use std::os::unix::ffi::OsStrExt as _;

    let directory = tempfile::tempdir().unwrap();
    let secret = written(directory.path(), "password", PASSWORD.as_bytes());
    let [input, output] = [&b"entrada-\xe3.pdf"[..], b"sa\xedda.pdf"]
        .map(|name| directory.path().join(std::ffi::OsStr::from_bytes(name)));
    fs::write(&input, document(Layout::Table, 1, 2000)).unwrap();
    let result = signer()
        .args(["sign", "--json", "--p12"])
        .arg(a1("ecpf-a1-moderno.p12"))
        .arg("--p12-password-file")
        .args([&secret, &input, &output])
        .output()
        .unwrap();
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    assert!(json["output"].as_str().unwrap().ends_with("da.pdf"), "{json}");
    assert_eq!(validate_trusting_the_test_root(&output).0, Some(0));
}

#[test]
fn full_verification_reads_the_result_again_and_agrees() {
    let directory = tempfile::tempdir().unwrap();
    let input = written(directory.path(), "in.pdf", &document(Layout::Table, 2, 3_000_000));
    let output = directory.path().join("out.pdf");
    sign(directory.path(), &input, &output, &["--verify", "full"]);
    assert_eq!(validate_trusting_the_test_root(&output).0, Some(0));
}

/// Proves A15.
#[test]
fn one_changed_bit_in_the_signed_bytes_is_a_hash_failure() {
    let directory = tempfile::tempdir().unwrap();
    let input = written(directory.path(), "in.pdf", &document(Layout::Table, 1, 5000));
    let output = directory.path().join("out.pdf");
    sign(directory.path(), &input, &output, &[]);
    let mut bytes = fs::read(&output).unwrap();
    let text = bytes.windows(8).rposition(|window| window == b"/Subtype").unwrap();
    bytes[text + 1] ^= 0x20;
    let changed = written(directory.path(), "changed.pdf", &bytes);
    let (code, verdict) = validate_trusting_the_test_root(&changed);
    assert_eq!(code, Some(1), "{verdict}");
    assert_eq!(verdict["signatures"][0]["subIndication"], "HASH_FAILURE");
}

#[test]
fn the_verdict_says_what_is_missing_for_trust() {
    let directory = tempfile::tempdir().unwrap();
    let input = written(directory.path(), "in.pdf", &document(Layout::Table, 1, 5000));
    let output = directory.path().join("out.pdf");
    sign(directory.path(), &input, &output, &[]);
    let root = judges::test_root();
    let trust = ["--trust", root.to_str().unwrap()];
    let cases: &[(&[&str], &str)] = &[
        (&[], "NO_CERTIFICATE_CHAIN_FOUND"),
        (&[trust[0], trust[1], "--at", "2001-01-01T00:00:00Z"], "OUT_OF_BOUNDS_NOT_YET_VALID"),
        (&[trust[0], trust[1], "--at", "2099-01-01T00:00:00Z"], "OUT_OF_BOUNDS_NO_POE"),
    ];
    for (arguments, expected) in cases {
        let (code, verdict) = validate(&output, arguments);
        assert_eq!(code, Some(2), "{verdict}");
        assert_eq!(verdict["signatures"][0]["subIndication"], *expected, "{verdict}");
    }
}

/// Proves A15.
#[test]
fn attacks_on_signed_documents_are_not_called_valid() {
    for name in ["atk-isa-content.pdf", "atk-usf-contents-null.pdf"] {
        let (code, verdict) =
            validate_trusting_the_test_root(&repository().join("tests/fixtures/pdf").join(name));
        assert_ne!(code, Some(0), "{name}: {verdict}");
    }
}

/// Proves A16.
#[test]
fn the_holders_number_is_masked_wherever_it_is_shown() {
    let directory = tempfile::tempdir().unwrap();
    let secret = written(directory.path(), "password", PASSWORD.as_bytes());
    let people = fs::read_to_string(repository().join("tests/fixtures/pki/people.json")).unwrap();
    let people: Value = serde_json::from_str(&people).unwrap();
    let numbers: Vec<_> = ["cpf", "cnpj"]
        .iter()
        .flat_map(|kind| texts_named(&people, kind))
        .filter(|n| n.len() >= 11)
        .collect();
    assert!(numbers.len() >= 2, "{people}");
    for key in ["ecpf-a1-moderno.p12", "ecnpj-a1.p12", "ecnpj-a1-alfanumerico.p12"] {
        for json in [&["--json"][..], &[]] {
            let output = signer()
                .arg("certificates")
                .args(json)
                .arg("--p12")
                .arg(a1(key))
                .arg("--p12-password-file")
                .arg(&secret)
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.contains("**"), "{key}: {text}");
            for number in &numbers {
                assert!(!text.contains(number.as_str()), "{key} shows {number}");
            }
        }
    }
}

/// Every text under a key of this name, at any depth.
fn texts_named(value: &Value, name: &str) -> Vec<String> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(key, value)| match value.as_str() {
                Some(text) if key == name => vec![text.to_owned()],
                Some(_) | None => texts_named(value, name),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| texts_named(item, name)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}
