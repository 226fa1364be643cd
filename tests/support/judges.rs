//! Foreign eyes: pyHanko, pdfsig and qpdf judge what we produce.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

use crate::{left_out, repository};

/// pyHanko in a process of its own, asked one document after the other. Ended on drop.
pub struct PyHanko {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What pyHanko says of one signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The field.
    pub field: String,
    /// Digest and signature value are right.
    pub intact_and_valid: bool,
    /// A path leads to the trusted root.
    pub trusted: bool,
    /// `ENTIRE_FILE`, `ENTIRE_REVISION`, …
    pub coverage: String,
    /// What was done after it: `NONE`, `LTA_UPDATES`, `FORM_FILLING`, `ANNOTATIONS`, `OTHER`.
    pub modification: String,
    /// `/P` of its certification or of its field's lock.
    pub permission: Option<u64>,
    /// Whether the catalog names it as the certification.
    pub author: bool,
    /// What its field asks for and it has not.
    pub seed_value: Option<String>,
    /// pyHanko's overall word, later changes and the field's wishes included.
    pub ok: bool,
    /// The names of the signed attributes.
    pub attributes: Vec<String>,
    /// How many certificates the signature carries.
    pub certificates: u64,
}

/// What pdfsig says of all signatures of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdfsig {
    /// How many are "Signature is Valid".
    pub valid: usize,
    /// How many there are.
    pub signatures: usize,
    /// Whether one covers the total document.
    pub total_document: bool,
}

impl PyHanko {
    /// Starts the judge; `None`, with a printed reason, where pyHanko is not installed.
    ///
    /// # Panics
    /// In CI, where it must be.
    pub fn start() -> Option<Self> {
        let python = repository().join(".venv/bin/python");
        if !python.exists() {
            left_out("pyHanko is not installed: run `cargo xtask setup`");
            return None;
        }
        let mut child = Command::new(python)
            .arg(repository().join("tests/support/judge.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("pyHanko starts");
        let questions = child.stdin.take().expect("stdin is piped");
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        Some(Self { child, questions, answers })
    }

    /// Every signature of the document at `path`, or pyHanko's reason for not judging it.
    ///
    /// # Errors
    /// What pyHanko could not read.
    ///
    /// # Panics
    /// Where the judge died.
    pub fn judge(&mut self, path: &Path, root: &Path) -> Result<Vec<Judgement>, String> {
        self.judge_encrypted(path, root, "")
    }

    /// The same of a document that this password opens.
    ///
    /// # Errors
    /// What pyHanko could not read.
    ///
    /// # Panics
    /// Where the judge died.
    pub fn judge_encrypted(
        &mut self,
        path: &Path,
        root: &Path,
        password: &str,
    ) -> Result<Vec<Judgement>, String> {
        let question = json!({ "pdf": path, "trust": [root], "password": password });
        writeln!(self.questions, "{question}").expect("the judge lives");
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the judge answers");
        let answer: Value = serde_json::from_str(&line).expect("the judge answers in JSON");
        if let Some(error) = answer["error"].as_str() {
            return Err(error.to_owned());
        }
        let judgement = |signature: &Value| Judgement {
            field: signature["field"].as_str().unwrap_or_default().to_owned(),
            intact_and_valid: signature["valid"] == true && signature["intact"] == true,
            trusted: signature["trusted"] == true,
            coverage: signature["coverage"].as_str().unwrap_or_default().to_owned(),
            modification: signature["modification"].as_str().unwrap_or_default().to_owned(),
            permission: signature["permission"].as_u64(),
            author: signature["author"] == true,
            seed_value: signature["seed_value"].as_str().map(str::to_owned),
            ok: signature["ok"] == true,
            attributes: strings(&signature["attributes"]),
            certificates: signature["certificates"].as_u64().unwrap_or_default(),
        };
        Ok(answer["signatures"].as_array().into_iter().flatten().map(judgement).collect())
    }
}

impl Drop for PyHanko {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Asks pdfsig; `None`, with a printed reason, where it is not installed. It never judges changes
/// made after a signature.
///
/// # Panics
/// In CI, where it must be.
pub fn pdfsig(path: &Path) -> Option<Pdfsig> {
    pdfsig_encrypted(path, "")
}

/// The same of a document that this user password opens.
///
/// # Panics
/// In CI, where pdfsig must be.
pub fn pdfsig_encrypted(path: &Path, password: &str) -> Option<Pdfsig> {
    let word = Path::new;
    let output = tool("pdfsig", &[word("-nocert"), word("-upw"), word(password), path])?;
    let text = String::from_utf8_lossy(&output.stdout);
    Some(Pdfsig {
        valid: text.matches("Signature is Valid").count(),
        signatures: text.matches("Signature #").count(),
        total_document: text.contains("Total document signed"),
    })
}

/// The exit status of `qpdf --check`: 0 clean, 3 warnings, 2 errors; `None` where it is not installed.
///
/// # Panics
/// In CI, where it must be.
pub fn qpdf_check(path: &Path) -> Option<i32> {
    qpdf_check_encrypted(path, "")
}

/// The same of a document that this password opens.
///
/// # Panics
/// In CI, where qpdf must be.
pub fn qpdf_check_encrypted(path: &Path, password: &str) -> Option<i32> {
    let password = PathBuf::from(format!("--password={password}"));
    let output = tool("qpdf", &[Path::new("--check"), &password, path])?;
    Some(output.status.code().unwrap_or(2))
}

/// How bad a status of qpdf is: its 3 (warnings) is better than its 2 (errors).
pub fn qpdf_badness(status: i32) -> u8 {
    match status {
        0 => 0,
        3 => 1,
        _ => 2,
    }
}

fn tool(name: &str, arguments: &[&Path]) -> Option<std::process::Output> {
    match Command::new(name).args(arguments).env("LC_ALL", "C").output() {
        Ok(output) => Some(output),
        Err(error) => {
            left_out(&format!("{name} did not start ({error}): run `cargo xtask setup`"));
            None
        }
    }
}

/// The root of the test PKI, as PEM.
pub fn test_root() -> PathBuf {
    repository().join("tests/fixtures/pki/raiz.crt.pem")
}
