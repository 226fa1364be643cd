//! What cannot be signed is refused with a stable code and a clear text, and leaves nothing behind.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use signer_tests::{
    documents::{Layout, document},
    left_out, repository, signer_program,
    signing::{PASSWORD, a1, code, sign_with_a1, signer},
};

struct Desk {
    directory: tempfile::TempDir,
    input: PathBuf,
    output: PathBuf,
}

impl Desk {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let input = directory.path().join("in.pdf");
        fs::write(&input, document(Layout::Table, 2, 50_000)).unwrap();
        let output = directory.path().join("out.pdf");
        Self { directory, input, output }
    }

    fn names(&self) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> =
            fs::read_dir(self.directory.path()).unwrap().map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }

    /// The code with which signing `input` with an A1 file is refused.
    fn refusal(&self, key: &Path, password: &str, input: &Path, arguments: &[&str]) -> String {
        let mut words = vec![input.to_str().unwrap(), self.output.to_str().unwrap()];
        words.extend_from_slice(arguments);
        let (result, json) = sign_with_a1(self.directory.path(), key, password, &words);
        assert_eq!(result.status.code(), Some(1), "{json} {}", String::from_utf8_lossy(&result.stderr));
        for text in ["title", "remedy"] {
            assert!(json["error"][text].as_str().is_some_and(|text| !text.is_empty()), "{json}");
        }
        assert_eq!(self.names(), ["in.pdf", "password.txt"], "nothing is left behind");
        code(&json).to_owned()
    }

    fn a1_refusal(&self, key: &str, password: &str) -> String {
        self.refusal(&a1(key), password, &self.input, &[])
    }
}

#[test]
fn certificates_that_may_not_sign() {
    let desk = Desk::new();
    for (key, expected) in [
        ("expirado.p12", "credential-expired"),
        ("futuro.p12", "credential-not-yet-valid"),
        ("so-cifra-keyusage.p12", "credential-not-for-signing"),
        ("rsa-1024.p12", "credential-weak"),
        ("chave-trocada.p12", "credential-key-mismatch"),
        ("duas-chaves.p12", "credential-ambiguous"),
        ("truncado.p12", "credential-unreadable"),
        ("vazio.p12", "credential-unreadable"),
        ("nao-e-p12.p12", "credential-unreadable"),
        ("ed448.p12", "unsupported-algorithm"),
        ("ecdsa-brainpoolP256r1.p12", "unsupported-algorithm"),
    ] {
        assert_eq!(desk.a1_refusal(key, PASSWORD), expected, "{key}");
    }
}

/// The A1 file that is not encrypted, with one bit of its key's exponent modulo p changed: it
/// can be read, and what it signs is wrong.
fn a1_with_a_damaged_key(directory: &Path) -> PathBuf {
    let mut bytes = fs::read(a1("ecpf-a1-texto-claro.p12")).unwrap();
    // RSAPrivateKey (RFC 8017, A.1.2): version 0, then a modulus of 2048 bits.
    let begin = [2, 1, 0, 2, 0x82, 1, 1, 0];
    let mut at = bytes.windows(begin.len()).position(|window| window == begin).unwrap();
    let mut content = at..at;
    for _ in ["version", "n", "e", "d", "p", "q", "d mod (p - 1)"] {
        let digits = usize::from(bytes[at + 1].saturating_sub(0x80));
        let start = at + 2 + digits;
        let len = bytes[at + 2..start].iter().fold(0, |len, byte| len << 8 | usize::from(*byte));
        content = start..start + if digits == 0 { usize::from(bytes[at + 1]) } else { len };
        at = content.end;
    }
    bytes[content.start + content.len() / 2] ^= 1;
    // PFX (RFC 7292, section 4): the code over the content, which does not fit any more, goes.
    let len = usize::from(u16::from_be_bytes([bytes[9], bytes[10]]));
    bytes.truncate(11 + len);
    let inner = u16::try_from(bytes.len() - 4).unwrap().to_be_bytes();
    bytes[2..4].copy_from_slice(&inner);
    let path = directory.join("damaged.p12");
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn a_key_that_is_damaged_is_no_defect_of_the_program() {
    let desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let key = a1_with_a_damaged_key(elsewhere.path());
    assert_eq!(desk.refusal(&key, PASSWORD, &desk.input, &[]), "credential-unreadable");
}

#[test]
fn a_wrong_password_is_said() {
    let desk = Desk::new();
    for (key, password) in [
        ("ecpf-a1-moderno.p12", "errada"),
        ("ecpf-a1-moderno.p12", ""),
        ("ecpf-a1-moderno.p12", "teste1234 "),
        ("ecpf-a1-3des.pfx", "errada"),
        ("ecpf-a1-rc2-40.pfx", "errada"),
        ("ecpf-a1-senha-espacos.p12", "com espaco"),
        ("corrompido.p12", PASSWORD),
    ] {
        assert_eq!(desk.a1_refusal(key, password), "password-incorrect", "{key} {password:?}");
    }
}

#[test]
fn files_that_are_not_what_they_should_be() {
    let desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = elsewhere.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let whole = document(Layout::Table, 2, 50_000);
    let key = a1("ecpf-a1-moderno.p12");
    for (input, expected) in [
        (elsewhere.path().join("missing.pdf"), "input-unreadable"),
        (elsewhere.path().to_owned(), "input-unreadable"),
        (file("empty.pdf", b""), "document-unreadable"),
        (file("text.pdf", b"Prezado senhor,\n\nsegue o contrato.\n"), "document-unreadable"),
        (file("picture.pdf", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "document-unreadable"),
        (file("zeros.pdf", &[0; 70_000]), "document-unreadable"),
        (file("header.pdf", b"%PDF-1.7\n"), "document-unreadable"),
        (repository().join("tests/fixtures/pdf/sgn-certified-p1.pdf"), "document-changes-forbidden"),
    ] {
        assert_eq!(desk.refusal(&key, PASSWORD, &input, &[]), expected, "{}", input.display());
    }
    assert_eq!(
        desk.refusal(&elsewhere.path().join("missing.p12"), PASSWORD, &desk.input, &[]),
        "input-unreadable"
    );
    assert_eq!(desk.refusal(&file("large.p12", &whole), PASSWORD, &desk.input, &[]), "credential-unreadable");
}

#[test]
fn an_encrypted_document_needs_its_password() {
    let desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let encrypted = elsewhere.path().join("encrypted.pdf");
    let status = Command::new("qpdf")
        .args(["--encrypt", "user", "owner", "256", "--"])
        .args([&desk.input, &encrypted])
        .status();
    match status {
        Ok(status) => assert!(status.success()),
        Err(error) => return left_out(&format!("qpdf did not start ({error})")),
    }
    let key = a1("ecpf-a1-moderno.p12");
    assert_eq!(desk.refusal(&key, PASSWORD, &encrypted, &[]), "document-password-required");
}

#[test]
fn pages_and_fields_that_do_not_exist() {
    let desk = Desk::new();
    let key = a1("ecpf-a1-moderno.p12");
    for (arguments, expected) in [
        (&["--seal", "default", "--seal-page", "3"][..], "page-not-found"),
        (&["--seal", "default", "--seal-page", "-3"], "page-not-found"),
        (&["--seal", "default", "--seal-at", "900mm,10mm"], "seal-outside-page"),
        (&["--seal", "default", "--seal-at", "0pt,0pt,14000pt,1pt"], "seal-outside-page"),
        (&["--seal", "default", "--seal-size", "900mm,10mm"], "seal-outside-page"),
        (&["--field", "Assinatura do réu"], "field-not-found"),
        (&["--certificate", "00112233"], "credential-not-found"),
    ] {
        assert_eq!(desk.refusal(&key, PASSWORD, &desk.input, arguments), expected, "{arguments:?}");
    }
}

#[test]
fn a_place_that_is_none_is_a_wrong_argument() {
    let desk = Desk::new();
    let key = a1("ecpf-a1-moderno.p12");
    let files = [desk.input.to_str().unwrap(), desk.output.to_str().unwrap(), "--seal", "default"];
    for place in [
        &["--seal-at", "1mm,1mm,9mm,9mm", "--seal-size", "9mm,9mm"][..],
        &["--seal-at", "bottom-right 10"],
        &["--seal-at", "somewhere"],
        &["--seal-size", "large"],
        &["--seal-page", "0"],
    ] {
        let words = [&files[..], place].concat();
        let (result, json) = sign_with_a1(desk.directory.path(), &key, PASSWORD, &words);
        assert_eq!((result.status.code(), code(&json)), (Some(2), "usage"), "{place:?}");
        assert!(!desk.output.exists());
    }
}

#[test]
fn an_existing_output_is_kept_until_replacing_it_is_asked_for() {
    let desk = Desk::new();
    let input = desk.input.to_str().unwrap();
    let key = a1("ecpf-a1-moderno.p12");
    fs::write(&desk.output, "the only copy").unwrap();
    let words = [input, desk.output.to_str().unwrap()];
    let (result, json) = sign_with_a1(desk.directory.path(), &key, PASSWORD, &words);
    assert_eq!((result.status.code(), code(&json)), (Some(1), "output-exists"));
    assert_eq!(fs::read_to_string(&desk.output).unwrap(), "the only copy");

    // The input itself is an existing output too.
    let before = fs::read(&desk.input).unwrap();
    let (_, json) = sign_with_a1(desk.directory.path(), &key, PASSWORD, &[input, input]);
    assert_eq!(code(&json), "output-exists");
    assert_eq!(fs::read(&desk.input).unwrap(), before);

    let (result, json) =
        sign_with_a1(desk.directory.path(), &key, PASSWORD, &[words[0], words[1], "--force"]);
    assert!(result.status.success(), "{json}");
    assert!(fs::read(&desk.output).unwrap().starts_with(&before));
    assert_eq!(desk.names(), ["in.pdf", "out.pdf", "password.txt"]);
}

#[test]
fn an_output_that_cannot_be_written() {
    let desk = Desk::new();
    let key = a1("ecpf-a1-moderno.p12");
    let missing = desk.directory.path().join("no/such/folder/out.pdf");
    for output in [missing, PathBuf::from("/dev/null/out.pdf"), desk.directory.path().to_owned()] {
        let words = [desk.input.to_str().unwrap(), output.to_str().unwrap(), "--force"];
        let (result, json) = sign_with_a1(desk.directory.path(), &key, PASSWORD, &words);
        assert_eq!((result.status.code(), code(&json)), (Some(1), "output-unwritable"), "{json}");
    }
    assert_eq!(desk.names(), ["in.pdf", "password.txt"]);
}

/// A pipe in `directory` that nobody writes to.
fn pipe(directory: &Path) -> PathBuf {
    let pipe = directory.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pipe
}

#[test]
fn a_pipe_is_refused_at_once() {
    let desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let pipe = pipe(elsewhere.path());
    let secret = desk.directory.path().join("password.txt");
    fs::write(&secret, PASSWORD).unwrap();
    let (key, input, output) = (a1("ecpf-a1-moderno.p12"), desk.input.as_path(), desk.output.as_path());
    let [sign, validate, json, p12, password, trust] =
        ["sign", "validate", "--json", "--p12", "--p12-password-file", "--trust"].map(Path::new);
    for words in [
        &[sign, json, &pipe, output, p12, &key, password, &secret][..],
        &[sign, json, input, output, p12, &pipe, password, &secret],
        &[validate, json, &pipe],
        &[validate, json, input, trust, &pipe],
        &[validate, json, input, trust, Path::new("/dev/zero")],
    ] {
        let result =
            Command::new("timeout").args([Path::new("20"), signer_program()]).args(words).output().unwrap();
        let answer: Value = serde_json::from_slice(&result.stdout).unwrap_or(Value::Null);
        assert_eq!(code(&answer), "input-unreadable", "{words:?} {:?}", result.status);
    }
    assert_eq!(desk.names(), ["in.pdf", "password.txt"]);
}

#[test]
fn only_a_file_is_replaced() {
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    let desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let pipe = pipe(elsewhere.path());
    let dangling = elsewhere.path().join("dangling");
    symlink("nowhere", &dangling).unwrap();
    for output in [&pipe, &dangling] {
        let words = [desk.input.to_str().unwrap(), output.to_str().unwrap(), "--force"];
        let (result, json) =
            sign_with_a1(desk.directory.path(), &a1("ecpf-a1-moderno.p12"), PASSWORD, &words);
        assert_eq!((result.status.code(), code(&json)), (Some(1), "output-unwritable"), "{json}");
    }
    assert!(pipe.metadata().unwrap().file_type().is_fifo());
    assert!(dangling.is_symlink() && !elsewhere.path().join("nowhere").exists());
}

#[test]
fn a_file_that_holds_no_secret_is_named() {
    let desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let long = elsewhere.path().join("long");
    fs::write(&long, vec![b'x'; 5000]).unwrap();
    for secret in [elsewhere.path(), long.as_path(), &elsewhere.path().join("missing")] {
        let result = signer()
            .args(["sign", "--json", "--p12"])
            .arg(a1("ecpf-a1-moderno.p12"))
            .arg("--p12-password-file")
            .args([secret, &desk.input, &desk.output])
            .output()
            .unwrap();
        let json: Value = serde_json::from_slice(&result.stdout).unwrap();
        assert_eq!((result.status.code(), code(&json)), (Some(1), "input-unreadable"), "{json}");
        assert_eq!(json["error"]["note"], secret.to_str().unwrap());
    }
}

#[test]
fn no_space_is_said_and_leaves_nothing() {
    let desk = Desk::new();
    let disk = desk.directory.path().join("disk");
    fs::create_dir(&disk).unwrap();
    // A mount namespace of its own: nothing of this machine's mounts is touched.
    let script = r#"mount -t tmpfs -o size=32k none "$1" || exit 77
        shift; "$@"; status=$?; ls -A "$0" >&2; exit $status"#;
    let secret = desk.directory.path().join("password.txt");
    fs::write(&secret, PASSWORD).unwrap();
    let output = Command::new("unshare")
        .args(["--mount", "--map-root-user", "sh", "-c", script])
        .arg(&disk)
        .arg(&disk)
        .arg(signer_program())
        .args(["sign", "--json", "--p12"])
        .arg(a1("ecpf-a1-moderno.p12"))
        .arg("--p12-password-file")
        .arg(&secret)
        .arg(&desk.input)
        .arg(disk.join("out.pdf"))
        .env("LC_ALL", "en_US.UTF-8")
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(77) || stderr.contains("unshare") {
        // Containers often forbid it: the machine's matter, not a missing tool.
        return println!("left out: mount namespaces are not permitted here");
    }
    assert_eq!(stderr, "", "nothing is left on the full disk");
    let text = String::from_utf8_lossy(&output.stdout);
    let json: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
    assert_eq!((output.status.code(), code(&json)), (Some(1), "storage-full"), "{text}");
}

#[test]
fn a_name_that_no_field_can_have() {
    let desk = Desk::new();
    let long = "x".repeat(40_000);
    for name in ["", "a.b", &long] {
        let words = [desk.input.to_str().unwrap(), desk.output.to_str().unwrap(), "--new-field", name];
        let (result, json) =
            sign_with_a1(desk.directory.path(), &a1("ecpf-a1-moderno.p12"), PASSWORD, &words);
        assert_eq!((result.status.code(), code(&json)), (Some(1), "field-name-unusable"), "{json}");
    }
    assert_eq!(desk.names(), ["in.pdf", "password.txt"]);
}

#[test]
fn words_that_do_not_fit_together() {
    let desk = Desk::new();
    let (input, output) = (desk.input.to_str().unwrap(), desk.output.to_str().unwrap());
    for words in [
        &["sign"][..],
        &["sign", input, output],
        &["sign", input, output, "--p12", "a", "--module", "b"],
        &["sign", input, output, "--p12", "a", "--pin-file", "b"],
        &["sign", input, output, "--p12", "a", "--seal-page", "0"],
        &["validate", input, "--at", "ontem"],
        &["approve-everything"],
    ] {
        let result = signer().args(words).output().unwrap();
        assert_eq!(result.status.code(), Some(2), "{words:?}");
        assert!(!result.stderr.is_empty(), "{words:?}");
    }
    assert_eq!(desk.names(), ["in.pdf"]);
}

#[test]
fn programs_are_told_of_wrong_arguments_in_json() {
    for words in [
        &["sign", "--json", "--certify=bad", "in.pdf", "out.pdf"][..],
        &["sign", "--json"],
        &["validate", "--json", "--strange"],
    ] {
        let output = Command::new(signer_program()).args(words).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["error"]["code"], "usage", "{words:?}: {answer}");
        assert!(answer["error"]["note"].as_str().is_some_and(|note| !note.is_empty()), "{answer}");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
    }
    // Persons get the usage with it.
    let output = Command::new(signer_program()).args(["sign", "--strange"]).output().unwrap();
    assert!(output.stdout.is_empty() && String::from_utf8_lossy(&output.stderr).contains("--help"));
    assert_eq!(output.status.code(), Some(2));
}

/// What was done stays done; who asked must not take silence for a yes.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(signer_program())
        .args(["config", "sample"])
        .stdout(full)
        .stderr(std::process::Stdio::piped())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!output.stderr.is_empty());
}

#[test]
fn a_secret_that_nobody_can_type_is_missing() {
    let desk = Desk::new();
    // A session of its own has no terminal to ask on.
    let result = Command::new("setsid")
        .arg("--wait")
        .arg(signer_program())
        .args(["sign", "--json", "--p12"])
        .arg(a1("ecpf-a1-moderno.p12"))
        .args([&desk.input, &desk.output])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&result.stdout).unwrap();
    assert_eq!((result.status.code(), code(&json)), (Some(1), "secret-missing"), "{json}");
}

#[test]
fn modules_that_cannot_be_used() {
    let desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = elsewhere.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    // The beginning of an ELF file for a 32-bit x86: class 1, machine 3.
    let mut elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x03\0\x01\0\0\0".to_vec();
    elf.resize(52, 0);
    for (module, expected) in [
        (elsewhere.path().join("missing.so"), "module-not-found"),
        (file("module32.so", &elf), "module-architecture"),
        (file("text.so", b"not a module"), "module-unusable"),
        (file("empty.so", b""), "module-unusable"),
    ] {
        let result = signer()
            .args(["sign", "--json", "--module"])
            .arg(&module)
            .args([&desk.input, &desk.output])
            .output()
            .unwrap();
        let json: Value = serde_json::from_slice(&result.stdout).unwrap();
        assert_eq!((result.status.code(), code(&json)), (Some(1), expected), "{json}");
    }
}

#[test]
fn the_same_refusal_is_told_in_three_languages() {
    let desk = Desk::new();
    let mut texts = Vec::new();
    for language in ["pt_BR.UTF-8", "en_US.UTF-8", "es_ES.UTF-8"] {
        let result = signer()
            .args(["sign", "--p12", "missing.p12"])
            .args([&desk.input, &desk.output])
            .env("LC_ALL", language)
            .output()
            .unwrap();
        assert_eq!(result.status.code(), Some(1));
        let text = String::from_utf8(result.stderr).unwrap();
        assert!(text.contains("[input-unreadable]"), "{text}");
        texts.push(text);
    }
    texts.dedup();
    assert_eq!(texts.len(), 3);
}
