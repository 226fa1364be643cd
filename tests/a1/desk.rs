//! A login with files of secrets beside it, and the commands about credentials.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use signer_tests::{judges, service::Login, signing::code};

use crate::pdf;

/// A login, and a place outside of it.
pub(crate) struct Desk {
    pub(crate) login: Login,
    pub(crate) place: tempfile::TempDir,
}

impl Desk {
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("in.pdf"), pdf()).unwrap();
        Self { login: Login::new(), place }
    }

    /// A file with a secret, outside the login. It takes the place of an earlier one at once: a program that
    /// was started before may read it at this moment, and must not find it empty.
    pub(crate) fn secret(&self, name: &str, secret: impl AsRef<[u8]>) -> PathBuf {
        let path = self.place.path().join(name);
        let new = self.place.path().join("new-secret");
        fs::write(&new, secret).unwrap();
        fs::rename(new, &path).unwrap();
        path
    }

    /// `credentials add` with the password through a file.
    pub(crate) fn adding(&self, file: &Path, password: impl AsRef<[u8]>) -> Command {
        let secret = self.secret("p12-password", password);
        let mut command = self.login.command();
        command.args(["credentials", "add"]).arg(file).arg("--p12-password-file").arg(secret);
        command
    }

    /// Adds a file and tells what was said; it must succeed.
    pub(crate) fn add(&self, file: &Path, password: impl AsRef<[u8]>, arguments: &[&str]) -> String {
        said(self.adding(file, password).args(arguments).output().unwrap())
    }

    pub(crate) fn remove(&self, id: &str) -> Output {
        self.login.command().args(["credentials", "remove", id]).output().unwrap()
    }

    /// `credentials list --json`.
    pub(crate) fn list(&self) -> Value {
        let output = self.login.command().args(["credentials", "list", "--json"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The identifiers of all that is registered.
    pub(crate) fn ids(&self) -> Vec<String> {
        let list = self.list();
        let of = |one: &Value| one["id"].as_str().unwrap().to_owned();
        list["credentials"].as_array().unwrap().iter().map(of).collect()
    }

    /// `sign --credential ID`: the verdict of the result, or the code of the refusal.
    pub(crate) fn sign(&self, id: &str, password: Option<&str>) -> Result<Value, String> {
        let (input, output) = (self.place.path().join("in.pdf"), self.place.path().join("out.pdf"));
        let _ = fs::remove_file(&output);
        let mut command = self.login.command();
        command.args(["sign", "--json", "--credential", id]).args([&input, &output]);
        if let Some(password) = password {
            command.arg("--p12-password-file").arg(self.secret("password", password));
        }
        let signed = command.stdin(std::process::Stdio::null()).output().unwrap();
        let json: Value = serde_json::from_slice(&signed.stdout).unwrap_or_default();
        if !signed.status.success() {
            assert!(!output.exists());
            return Err(code(&json).to_owned());
        }
        let judged = self
            .login
            .command()
            .args(["validate", "--json", "--trust"])
            .args([&judges::test_root(), &output])
            .output()
            .unwrap();
        Ok(serde_json::from_slice(&judged.stdout).unwrap())
    }

    /// It signs, and the result is valid.
    pub(crate) fn signs(&self, id: &str, password: Option<&str>) {
        let verdict = self.sign(id, password).unwrap();
        assert_eq!(verdict["indication"], "TOTAL-PASSED", "{verdict}");
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.login.path("state/cybercore-signer")
    }

    /// The names of the stored keys.
    pub(crate) fn keys(&self) -> Vec<String> {
        names(&self.state().join("keys"))
    }

    /// Everything of the state is its owner's alone.
    pub(crate) fn assert_private(&self) {
        for path in everything(&self.state()) {
            let metadata = path.symlink_metadata().unwrap();
            let expected = if metadata.is_dir() { 0o700 } else { 0o600 };
            // The lock holds nothing.
            if metadata.len() > 0 || metadata.is_dir() {
                assert_eq!(metadata.permissions().mode() & 0o777, expected, "{}", path.display());
            }
        }
    }
}

/// What a command said that must succeed.
pub(crate) fn said(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The code of a command that must fail and says so in words.
pub(crate) fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let words = String::from_utf8_lossy(&output.stderr);
    let code = words.lines().next().unwrap().rsplit_once('[').unwrap().1;
    code.trim_end_matches(']').to_owned()
}

/// The names in a folder; none where there is no folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A folder and all that is in it.
pub(crate) fn everything(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(everything(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found
}
