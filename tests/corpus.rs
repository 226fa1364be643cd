//! Every document of the corpus through the shipped program, judged by others as its manifest
//! expects: by what the document is, never by its name.
//!
//! The corpus lies outside the repository; without it the test says so and passes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use signer_tests::{
    judges::{self, PyHanko},
    manifest::{self, Refusal, Row, Signing, Validation},
    signer_program,
    signing::{PASSWORD, a1},
};

/// What of the documents that should sign may be refused: the code, words of the detail, and why
/// nothing better can be done.
const MISSES: &[(&str, &str, &str)] = &[
    ("document-permission-denied", "permission bit", "its owner lets nobody sign who has no password"),
    ("document-unreadable", "the file is not a PDF", "without %PDF- most readers refuse the result too"),
    ("document-unreadable", "the page tree is missing", "there is no page that a signature could be on"),
];

/// Memory for data that one process may take, and time after which it hangs, whatever the document.
const DATA_BYTES: u64 = 64 << 20;
const SECONDS: u32 = 10;

/// Proves A13.
#[test]
fn documents_are_signed_or_refused_as_expected() {
    let Some(corpus) = manifest::folder() else { return };
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut failures = BTreeMap::new();
    let mut counts: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut missed = Vec::new();
    for row in manifest::rows(&corpus) {
        let input = corpus.join(&row.file);
        let output = directory.path().join(&row.file);
        let mut result = sign(directory.path(), &row, &input, &output, "default");
        if code(&result) == "visible-field-forbidden" && row.expected.signing == Signing::Must {
            // A certification permits another signature, not another thing to see (12.8.2.2).
            result = sign(directory.path(), &row, &input, &output, "none");
        }
        let count = counts.entry(row.kind.clone()).or_default();
        count[usize::from(!result.status.success())] += 1;
        let verdict = if result.status.success() {
            signed(&mut pyhanko, &row, &input, &output, &result)
        } else {
            refused(&row, &output, &result, &mut missed)
        };
        if let Err(reason) = verdict {
            failures.insert(row.file, format!("({}, {}) {reason}", row.kind, row.expected.text));
        }
        // Gone already where it was refused.
        let _ = fs::remove_file(output);
    }
    for (kind, [signed, refused]) in counts {
        println!("{kind}: {signed} signed, {refused} refused");
    }
    for line in missed {
        println!("missed: {line}");
    }
    assert!(failures.is_empty(), "{} documents failed:\n{failures:#?}", failures.len());
}

/// Proves A13.
#[test]
fn no_document_is_called_valid_that_is_not_or_ends_the_validator_badly() {
    let Some(corpus) = manifest::folder() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut failures = BTreeMap::new();
    for row in manifest::rows(&corpus) {
        let input = corpus.join(&row.file);
        let root = judges::test_root();
        let result = limited(directory.path(), &row, &["validate", "--json", "--trust"], &[&root, &input]);
        if let Err(reason) = validated(&row, &result) {
            failures.insert(row.file, format!("({}, {}) {reason}", row.kind, row.expected.text));
        }
    }
    assert!(failures.is_empty(), "{} documents failed:\n{failures:#?}", failures.len());
}

fn validated(row: &Row, result: &Output) -> Result<(), String> {
    let json: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
    let known = matches!(result.status.code(), Some(0..=2)) && json.is_object();
    if !known || code(result) == "internal" {
        return Err(describe(result));
    }
    let passed = result.status.success();
    match row.expected.validation {
        Validation::Free => Ok(()),
        Validation::NotValid if passed => Err(format!("said valid: {json}")),
        Validation::NotValid => Ok(()),
        Validation::NotWholeFile => {
            let signatures = json["signatures"].as_array().cloned().unwrap_or_default();
            let whole = signatures.iter().any(|signature| signature["coverage"] == "entire-file");
            if signatures.is_empty() || whole { Err(format!("said whole: {json}")) } else { Ok(()) }
        }
    }
}

fn code(result: &Output) -> String {
    let json: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
    json["error"]["code"].as_str().unwrap_or_default().to_owned()
}

fn sign(directory: &Path, row: &Row, input: &Path, output: &Path, seal: &str) -> Output {
    let secret = directory.join("password.txt");
    fs::write(&secret, PASSWORD).unwrap();
    let (a1, flag) = (a1("ecpf-a1-moderno.p12"), PathBuf::from("--p12-password-file"));
    limited(
        directory,
        row,
        &["sign", "--json", "--seal", seal, "--reason", "Aprovação", "--p12"],
        &[&a1, &flag, &secret, input, output],
    )
}

/// Runs the program within [`DATA_BYTES`] and [`SECONDS`], with the document's password if it has one.
fn limited(directory: &Path, row: &Row, words: &[&str], paths: &[&Path]) -> Output {
    let mut command = Command::new("prlimit");
    command
        .arg(format!("--data={DATA_BYTES}"))
        .args(["timeout", "--kill-after=1", &SECONDS.to_string()])
        .arg(signer_program())
        .args(words)
        .args(paths)
        .env("LC_ALL", "en_US.UTF-8");
    if !row.password.is_empty() {
        let password = directory.join("document-password.txt");
        fs::write(&password, &row.password).unwrap();
        command.arg("--document-password-file").arg(password);
    }
    command.output().unwrap()
}

/// Whether a document that was signed may be, and is as it must be.
fn signed(
    pyhanko: &mut PyHanko,
    row: &Row,
    input: &Path,
    output: &Path,
    result: &Output,
) -> Result<(), String> {
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    let must = match row.expected.signing {
        Signing::Refuse(_) => return Err("was signed".to_owned()),
        Signing::MustWithWarning => {
            let warned = json["warnings"].to_string().contains("xfa");
            let kept = xfa(input).is_some_and(|before| Some(before) == xfa(output));
            if !warned || !kept {
                return Err(format!("XFA: said {warned}, kept {kept}"));
            }
            true
        }
        Signing::Must | Signing::MustUnlessForbidden => true,
        Signing::May | Signing::Should => false,
    };
    let (before, after) = (fs::read(input).unwrap(), fs::read(output).unwrap());
    if !after.starts_with(&before) {
        return Err("the original is not the prefix".to_owned());
    }
    let field = json["field"].as_str().unwrap_or_default();
    judged_by_pyhanko(pyhanko, row, [input, output], field, must)?;
    let qpdf = [input, output].map(|path| judges::qpdf_check_encrypted(path, &row.password));
    if let [Some(before), Some(after)] = qpdf
        && judges::qpdf_badness(after) > judges::qpdf_badness(before)
    {
        return Err(format!("qpdf --check: {before} before, {after} after"));
    }
    // Its word counts for the signature that was just made; it never judges later changes.
    let pdfsig = [input, output].map(|path| judges::pdfsig_encrypted(path, &row.password));
    match pdfsig {
        [Some(before), Some(after)] if must && (after.valid <= before.valid || !after.total_document) => {
            Err(format!("pdfsig: {before:?} before, {after:?} after"))
        }
        _ => Ok(()),
    }
}

/// What pyHanko says of the new signature, and of the earlier ones before and after. Documents
/// that it cannot open are judged by the others.
fn judged_by_pyhanko(
    pyhanko: &mut PyHanko,
    row: &Row,
    [input, output]: [&Path; 2],
    field: &str,
    must: bool,
) -> Result<(), String> {
    let root = judges::test_root();
    let judgements = match pyhanko.judge_encrypted(output, &root, &row.password) {
        Ok(judgements) => judgements,
        Err(error) if must => return Err(format!("pyHanko: {error}")),
        Err(_) => return Ok(()),
    };
    let own = judgements.iter().find(|judgement| judgement.field == field);
    match own {
        Some(own) if own.intact_and_valid && own.trusted && own.coverage == "ENTIRE_FILE" => {}
        Some(own) => return Err(format!("pyHanko: {own:?}")),
        None => return Err(format!("pyHanko does not see the field {field:?}: {judgements:?}")),
    }
    for old in pyhanko.judge_encrypted(input, &root, &row.password).unwrap_or_default() {
        let now = judgements.iter().find(|judgement| judgement.field == old.field);
        if now.is_none_or(|now| (old.intact_and_valid && !now.intact_and_valid) || (old.ok && !now.ok)) {
            return Err(format!("an earlier signature lost: {old:?} became {now:?}"));
        }
    }
    Ok(())
}

/// Whether a document that was refused may be, with the right code.
fn refused(row: &Row, output: &Path, result: &Output, missed: &mut Vec<String>) -> Result<(), String> {
    let json: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
    let code = code(result);
    if result.status.code() != Some(1) || code.is_empty() || code == "internal" {
        return Err(describe(result));
    }
    if output.exists() {
        return Err("an output was left behind".to_owned());
    }
    let expected: &[&str] = match row.expected.signing {
        Signing::May => return Ok(()),
        Signing::Must | Signing::MustWithWarning => &[],
        Signing::MustUnlessForbidden => &["document-permission-denied"],
        Signing::Refuse(Refusal::Ambiguous) => &["document-ambiguous"],
        Signing::Refuse(Refusal::Changes) => &["document-changes-forbidden"],
        Signing::Refuse(Refusal::NotAPdf) => &["document-unreadable"],
        Signing::Refuse(Refusal::Password) => &["document-password-required", "document-password-wrong"],
        Signing::Refuse(Refusal::Permissions) => &["document-permission-denied"],
        Signing::Refuse(Refusal::Recipients) => &["document-encrypted"],
        Signing::Should => {
            let detail = json["error"]["detail"].as_str().unwrap_or_default();
            let miss = MISSES.iter().find(|(name, words, _)| *name == code && detail.contains(words));
            let Some((_, _, why)) = miss else { return Err(describe(result)) };
            missed.push(format!("{} ({}): {detail}; {why}", row.file, row.kind));
            return Ok(());
        }
    };
    if expected.contains(&code.as_str()) { Ok(()) } else { Err(describe(result)) }
}

/// `/XFA` of the form, as qpdf shows it.
fn xfa(path: &Path) -> Option<Value> {
    let output = Command::new("qpdf").args(["--json", "--json-key=qpdf"]).arg(path).output().ok()?;
    let json: Value = serde_json::from_slice(&output.stdout).ok()?;
    let objects = json["qpdf"][1].as_object()?;
    let object = |value: &Value| match value.as_str() {
        Some(reference) if reference.ends_with(" R") => {
            objects.get(&format!("obj:{reference}")).map(|object| object["value"].clone())
        }
        _ => Some(value.clone()),
    };
    let root = object(&objects.get("trailer")?["value"]["/Root"])?;
    let form = object(&root["/AcroForm"])?;
    form.get("/XFA").cloned()
}

fn describe(result: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(600).collect::<String>();
    format!("{} {} {}", result.status, text(&result.stdout), text(&result.stderr))
}
