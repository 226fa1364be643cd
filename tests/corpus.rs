//! Every document of the corpus through the shipped program, judged by others.
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
    shared, signer_program,
    signing::{PASSWORD, a1},
};

/// Rows that must sign and do not yet, with the cause. The test fails when one of them signs.
const EXCEPTIONS: &[(&str, &str)] = &[];

/// Memory that one run may map, and time that it may take, whatever the document.
const ADDRESS_SPACE_BYTES: u64 = 256 << 20;
const SECONDS: u32 = 10;

struct Row {
    file: String,
    kind: String,
    expected: String,
}

#[test]
fn documents_that_must_sign_sign_and_others_accept_them() {
    let Some(corpus) = corpus() else { return };
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut failures = BTreeMap::new();
    let mut signed = 0;
    for row in rows(&corpus) {
        let input = corpus.join(&row.file);
        if !row.expected.starts_with("must sign") || is_encrypted(&input) {
            continue;
        }
        let output = directory.path().join(&row.file);
        let mut result = sign(directory.path(), &input, &output, "default");
        if code(&result) == "document-changes-forbidden" {
            // A certification permits another signature, not another thing to see (12.8.2.2).
            result = sign(directory.path(), &input, &output, "none");
        }
        let verdict = judge(&mut pyhanko, &input, &output, &result);
        let exception = EXCEPTIONS.iter().find(|(file, _)| *file == row.file);
        match (verdict, exception) {
            (Ok(()), None) => signed += 1,
            (Ok(()), Some(_)) => {
                failures.insert(row.file, "signs now: take it off the list of exceptions".to_owned());
            }
            (Err(_), Some(_)) => {}
            (Err(reason), None) => {
                failures.insert(row.file, format!("({}) {reason}", row.kind));
            }
        }
        let _ = fs::remove_file(output);
    }
    println!("{signed} documents signed and accepted, {} known exceptions", EXCEPTIONS.len());
    assert!(failures.is_empty(), "{} documents failed:\n{failures:#?}", failures.len());
    assert!(signed > 0, "the corpus has documents that must sign");
}

#[test]
fn documents_that_must_be_refused_are_refused_with_a_code() {
    let Some(corpus) = corpus() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut failures = BTreeMap::new();
    for row in rows(&corpus) {
        let refuse = row.expected.starts_with("must refuse");
        let input = corpus.join(&row.file);
        if !refuse {
            continue;
        }
        let output = directory.path().join(&row.file);
        let result = sign(directory.path(), &input, &output, "default");
        if let Err(reason) = refused_cleanly(&result, &output) {
            failures.insert(row.file, format!("({}) {reason}", row.kind));
        }
    }
    assert!(failures.is_empty(), "{} documents failed:\n{failures:#?}", failures.len());
}

/// Proves A13.
#[test]
fn no_document_costs_more_than_its_limits_or_ends_the_program_badly() {
    let Some(corpus) = corpus() else { return };
    let directory = tempfile::tempdir().unwrap();
    let mut failures = BTreeMap::new();
    for row in rows(&corpus) {
        let (input, output) = (corpus.join(&row.file), directory.path().join(&row.file));
        if !row.expected.starts_with("must") || row.expected.starts_with("must not") {
            let result = sign(directory.path(), &input, &output, "default");
            let clean = if result.status.success() { Ok(()) } else { refused_cleanly(&result, &output) };
            if let Err(reason) = clean {
                failures.insert(format!("sign {}", row.file), format!("({}) {reason}", row.kind));
            }
            let _ = fs::remove_file(output);
        }
        let result = limited(&["validate", "--json", "--trust"], &[&judges::test_root(), &input]);
        let json: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
        let known = matches!(result.status.code(), Some(0..=2)) && json.is_object();
        if !known || json["error"]["code"] == "internal" {
            failures.insert(format!("validate {}", row.file), describe(&result));
        } else if row.expected.starts_with("validator must not say valid") && result.status.success() {
            failures.insert(format!("validate {}", row.file), "said valid".to_owned());
        }
    }
    assert!(failures.is_empty(), "{} runs failed:\n{failures:#?}", failures.len());
}

fn corpus() -> Option<PathBuf> {
    let corpus = shared().map(|shared| shared.join("corpus")).filter(|corpus| corpus.is_dir());
    if corpus.is_none() {
        println!("left out: the corpus is not beside this repository");
    }
    corpus
}

fn rows(corpus: &Path) -> Vec<Row> {
    let manifest = fs::read_to_string(corpus.join("manifest.tsv")).unwrap();
    let row = |line: &str| {
        let cells: Vec<_> = line.split('\t').collect();
        Row { file: cells[0].to_owned(), kind: cells[1].to_owned(), expected: cells[4].to_owned() }
    };
    manifest.lines().skip(1).map(row).collect()
}

/// Encrypted documents need their passwords: tests/encryption/corpus.rs signs them.
fn is_encrypted(input: &Path) -> bool {
    let bytes = fs::read(input).unwrap();
    bytes.windows(8).any(|window| window == b"/Encrypt")
}

fn code(result: &Output) -> String {
    let json: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
    json["error"]["code"].as_str().unwrap_or_default().to_owned()
}

fn sign(directory: &Path, input: &Path, output: &Path, seal: &str) -> Output {
    let secret = directory.join("password.txt");
    fs::write(&secret, PASSWORD).unwrap();
    let (a1, flag) = (a1("ecpf-a1-moderno.p12"), PathBuf::from("--p12-password-file"));
    limited(
        &["sign", "--json", "--seal", seal, "--reason", "Aprovação", "--p12"],
        &[&a1, &flag, &secret, input, output],
    )
}

/// Runs the program within [`ADDRESS_SPACE_BYTES`] and [`SECONDS`].
fn limited(words: &[&str], paths: &[&Path]) -> Output {
    Command::new("prlimit")
        .arg(format!("--as={ADDRESS_SPACE_BYTES}"))
        .args(["timeout", "--kill-after=1", &SECONDS.to_string()])
        .arg(signer_program())
        .args(words)
        .args(paths)
        .env("LC_ALL", "en_US.UTF-8")
        .output()
        .unwrap()
}

fn judge(pyhanko: &mut PyHanko, input: &Path, output: &Path, result: &Output) -> Result<(), String> {
    if !result.status.success() {
        return Err(describe(result));
    }
    let (before, after) = (fs::read(input).unwrap(), fs::read(output).unwrap());
    if !after.starts_with(&before) {
        return Err("the original is not the prefix".to_owned());
    }
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    let field = json["field"].as_str().unwrap_or_default();
    let root = judges::test_root();
    let judgements = pyhanko.judge(output, &root).map_err(|error| format!("pyHanko: {error}"))?;
    let own = judgements.iter().find(|judgement| judgement.field == field);
    match own {
        Some(own) if own.intact_and_valid && own.trusted && own.coverage == "ENTIRE_FILE" => {}
        Some(own) => return Err(format!("pyHanko: {own:?}")),
        None => return Err(format!("pyHanko does not see the field {field:?}: {judgements:?}")),
    }
    for old in pyhanko.judge(input, &root).unwrap_or_default() {
        let now = judgements.iter().find(|judgement| judgement.field == old.field);
        if now.is_none_or(|now| (old.intact_and_valid && !now.intact_and_valid) || (old.ok && !now.ok)) {
            return Err(format!("an earlier signature lost: {old:?} became {now:?}"));
        }
    }
    if let (Some(before), Some(after)) = (judges::qpdf_check(input), judges::qpdf_check(output))
        && judges::qpdf_badness(after) > judges::qpdf_badness(before)
    {
        return Err(format!("qpdf --check: {before} before, {after} after"));
    }
    if let (Some(before), Some(after)) = (judges::pdfsig(input), judges::pdfsig(output))
        && (after.valid <= before.valid || !after.total_document)
    {
        return Err(format!("pdfsig: {before:?} before, {after:?} after"));
    }
    Ok(())
}

fn refused_cleanly(result: &Output, output: &Path) -> Result<(), String> {
    let json: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
    match json["error"]["code"].as_str() {
        _ if result.status.code() != Some(1) => Err(describe(result)),
        None | Some("internal") => Err(describe(result)),
        Some(_) if output.exists() => Err("an output was left behind".to_owned()),
        Some(_) => Ok(()),
    }
}

fn describe(result: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(600).collect::<String>();
    format!("{} {} {}", result.status, text(&result.stdout), text(&result.stderr))
}
