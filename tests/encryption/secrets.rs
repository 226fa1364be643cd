//! The way of a document's password: from its file or from the keyboard to the one process that
//! opens the document, and nowhere else.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use signer_tests::{
    documents::{Layout, document},
    processes::{children, strace_works, traces},
    service::until,
    signer_program,
    signing::{PASSWORD, a1, code, signer},
};

use crate::{
    Desk,
    inputs::{KINDS, OWNER, USER, encrypted},
};

/// Proves A26.
#[test]
fn a_documents_password_goes_from_its_file_to_the_program_and_nowhere_else() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new();
    let plain = desk.written("in.pdf", &document(Layout::Table, 1, 5000));
    let Some(input) = encrypted(&plain, USER, OWNER, KINDS[6]) else { return };
    let (secret, p12) = (desk.written("secret", USER.as_bytes()), desk.written("p12", PASSWORD.as_bytes()));
    let output = desk.path("out.pdf");
    for verb in ["sign", "validate"] {
        let trace = desk.path(&format!("trace-of-{verb}"));
        let mut command = Command::new("strace");
        command.args(["-ff", "-qq", "-v", "-yy", "-s", "1000000", "-o"]).arg(&trace).arg(signer_program());
        command.args([verb, "--document-password-file"]).arg(&secret).env("LC_ALL", "en_US.UTF-8");
        if verb == "sign" {
            command.arg("--p12").arg(a1("ecpf-a1-moderno.p12")).arg("--p12-password-file").arg(&p12);
            command.arg(&input).arg(&output);
        } else {
            command.arg(&output);
        }
        let result = command.stdin(Stdio::null()).output().unwrap();
        assert!(output.exists(), "{result:?}");
        let trace = traces(&trace);
        let mut read = 0;
        for line in trace.lines().filter(|line| line.contains(USER)) {
            let own = line.contains("read(") && line.contains(secret.to_str().unwrap());
            assert!(own, "the password is in {line:.200}");
            read += 1;
        }
        assert!(read > 0, "the trace shows where the password was read");
    }
    let signed = fs::read(&output).unwrap();
    assert!(!signed.windows(USER.len()).any(|window| window == USER.as_bytes()));
}

#[test]
fn a_password_comes_from_standard_input_and_only_one_does() {
    let desk = Desk::new();
    let plain = desk.written("in.pdf", &document(Layout::Table, 1, 5000));
    let Some(input) = encrypted(&plain, USER, OWNER, KINDS[6]) else { return };
    let p12 = desk.written("p12", PASSWORD.as_bytes());
    for (p12, status, expected) in [(Path::new("-"), 2, "usage"), (p12.as_path(), 0, "no error")] {
        let mut child = signer()
            .args(["sign", "--json", "--document-password-file", "-", "--p12"])
            .arg(a1("ecpf-a1-moderno.p12"))
            .arg("--p12-password-file")
            .args([p12, &input, &desk.path("out.pdf")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The one that is refused does not read it.
        let _ = child.stdin.take().unwrap().write_all(format!("{USER}\n").as_bytes());
        let result = child.wait_with_output().unwrap();
        let json = serde_json::from_slice(&result.stdout).unwrap();
        assert_eq!((result.status.code(), code(&json)), (Some(status), expected), "{json}");
    }
}

/// Waits until the terminal of the program below `script` shows nothing that is typed.
fn wait_for_no_echo(script: u32) {
    until("no echo", || {
        let shell = *children(script).first()?;
        let terminal = fs::read_link(format!("/proc/{shell}/fd/0")).ok()?;
        let settings = Command::new("stty").arg("--all").arg("--file").arg(terminal).output().ok()?;
        String::from_utf8_lossy(&settings.stdout).contains(" -echo ").then_some(())
    });
}

/// The password is asked for once, without echo. Proves A26.
#[test]
fn a_password_is_typed_on_the_terminal_where_one_is_needed() {
    let desk = Desk::new();
    let plain = desk.written("in.pdf", &document(Layout::Table, 1, 5000));
    let Some(input) = encrypted(&plain, USER, OWNER, KINDS[6]) else { return };
    let output = desk.path("out.pdf");
    let p12 = desk.written("p12", PASSWORD.as_bytes());
    let line = format!(
        "{} sign --p12 {} --p12-password-file {} {} {}",
        signer_program().display(),
        a1("ecpf-a1-moderno.p12").display(),
        p12.display(),
        input.display(),
        output.display()
    );
    let mut child = Command::new("script")
        .args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"])
        .env("LC_ALL", "en_US.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script starts");
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut seen = Vec::new();
    let mut buffer = [0; 4096];
    let question = b"Password of the document: ";
    while !seen.windows(question.len()).any(|window| window == question) {
        let count = screen.read(&mut buffer).unwrap();
        assert!(count > 0, "it is asked for: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&buffer[..count]);
    }
    // What is typed before the echo is off is seen.
    wait_for_no_echo(child.id());
    keys.write_all(format!("{USER}\n").as_bytes()).unwrap();
    screen.read_to_end(&mut seen).unwrap();
    let seen = String::from_utf8_lossy(&seen);
    assert!(child.wait().unwrap().success() && output.exists(), "{seen}");
    assert!(!seen.contains(USER), "without echo: {seen}");
    assert_eq!(seen.matches("Password").count(), 1, "{seen}");
}
