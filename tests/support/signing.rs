//! The command line as a test calls it.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;

use crate::{repository, signer_program};

/// The password of the A1 files of the test PKI.
pub const PASSWORD: &str = "teste1234";

/// An A1 file of the test PKI.
pub fn a1(name: &str) -> PathBuf {
    repository().join("tests/fixtures/pki/p12").join(name)
}

/// An A1 file with the test key under another password, made in `directory`.
///
/// # Panics
/// Where OpenSSL does not make it.
pub fn a1_with_password(directory: &Path, password: &str) -> PathBuf {
    let (pem, p12) = (directory.join("key.pem"), directory.join("other.p12"));
    let run = |arguments: &[&str], files: [&Path; 2]| {
        let mut openssl = Command::new("openssl");
        openssl.args(["pkcs12", "-in"]).arg(files[0]).arg("-out").arg(files[1]).args(arguments);
        let output = openssl.output().expect("openssl starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let passes = [PASSWORD, password].map(|password| format!("pass:{password}"));
    run(&["-passin", &passes[0], "-nodes"], [&a1("ecpf-a1-moderno.p12"), &pem]);
    run(&["-export", "-passout", &passes[1]], [&pem, &p12]);
    p12
}

/// `cybercore-signer` with a pinned language and nothing else of the environment's.
pub fn signer() -> Command {
    let mut command = Command::new(signer_program());
    command.env_clear().env("LC_ALL", "en_US.UTF-8").env("TZ", "America/Sao_Paulo");
    for name in ["PATH", "HOME", "SOFTHSM2_CONF", "LLVM_PROFILE_FILE"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// Signs with an A1 file whose password goes through a file in `directory`; JSON comes back.
pub fn sign_with_a1(directory: &Path, a1: &Path, password: &str, arguments: &[&str]) -> (Output, Value) {
    let secret = directory.join("password.txt");
    std::fs::write(&secret, password).expect("the directory is writable");
    let output = signer()
        .arg("sign")
        .args(arguments)
        .arg("--json")
        .arg("--p12")
        .arg(a1)
        .arg("--p12-password-file")
        .arg(&secret)
        .output()
        .expect("the program starts");
    let json = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output, json)
}

/// The error code in a command's JSON.
pub fn code(json: &Value) -> &str {
    json["error"]["code"].as_str().unwrap_or("no error")
}
