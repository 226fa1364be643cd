//! What a web system or script does: asks the service over CCSP, with curl.

use std::{
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::{
    command::{output, program, run, say},
    failure::Failure,
};

/// How long somebody who can answer may take to be there.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that uses the service.
pub(crate) struct Client {
    address: String,
    folder: PathBuf,
}

impl Client {
    /// For the service at `port`; its files are kept in `folder`.
    pub(crate) fn new(port: u16, folder: &Path) -> Self {
        Self { address: format!("http://127.0.0.1:{port}/ccsp/v1"), folder: folder.to_owned() }
    }

    /// Waits until the person could be asked.
    pub(crate) fn wait_for_person(&self) -> Result<(), Failure> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let status = output(&mut program("curl", ["--silent", &format!("{}/status", self.address)]))?;
            if String::from_utf8_lossy(&status.stdout).contains("\"canAsk\":true") {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err(Failure::new("nobody can be asked: no window and no terminal agent"))
    }

    /// Asks to be let in, and keeps the token in a file, so that it is in no list of processes.
    pub(crate) fn pair(&self) -> Result<(), Failure> {
        let answer = self.folder.join("pairing.json");
        let pairings = format!("{}/pairings", self.address);
        run(program("curl", ["--silent", "--show-error", "--fail-with-body", "--output"])
            .arg(&answer)
            .args(["--json", r#"{"scopes":["certificates","sign"]}"#, &pairings]))
        .map_err(|failure| explained(&failure, &answer))?;
        let text = std::fs::read_to_string(&answer).map_err(Failure::at(&answer))?;
        let token = text.split_once("\"token\":\"").and_then(|(_, rest)| rest.split('"').next());
        let token = token.ok_or_else(|| Failure::new(format!("no token: {text}")))?;
        let header = self.authorization();
        std::fs::write(&header, format!("Authorization: Bearer {token}\n")).map_err(Failure::at(&header))?;
        std::fs::remove_file(&answer).map_err(Failure::at(&answer))
    }

    /// Uploads `input` and saves what comes back, in one call.
    pub(crate) fn sign(&self, input: &Path, to: &Path, seal: &str) -> Result<(), Failure> {
        let [mut header, mut body] = ["@".to_owned(), "@".to_owned()];
        header.push_str(&self.authorization().to_string_lossy());
        body.push_str(&input.to_string_lossy());
        let name = input.file_name().unwrap_or_default().to_string_lossy();
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' }).collect();
        let signatures =
            format!("{}/signatures?name={name}&seal={seal}&reason=Demonstra%C3%A7%C3%A3o", self.address);
        let fixed = ["--silent", "--show-error", "--fail-with-body"];
        run(program("curl", fixed).arg("--output").arg(to).args(["--header", &header]).args([
            "--header",
            "Content-Type: application/pdf",
            "--data-binary",
            &body,
            &signatures,
        ]))
        .map_err(|failure| explained(&failure, to))
    }

    fn authorization(&self) -> PathBuf {
        self.folder.join("authorization.txt")
    }
}

/// A failure with the problem that the service answered, which curl saved where the result would be.
fn explained(failure: &Failure, answer: &Path) -> Failure {
    let problem = std::fs::read(answer).unwrap_or_default();
    let problem = String::from_utf8_lossy(&problem);
    if problem.starts_with('{') {
        say(&problem);
        // It is no document.
        let _ = std::fs::remove_file(answer);
    }
    Failure::new(failure.to_string())
}
