//! A key and a password that nobody else uses are looked for in everything that an import and a
//! signature write, and in everything that they leave.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;
use signer_tests::{
    processes::{strace_works, traces},
    signing::{PASSWORD, a1, a1_with_password},
};

use crate::desk::{Desk, everything};

const MARKER: &str = "MARCADOR7391senha";
/// Bytes of a number that no other number shares.
const TELLING: usize = 16;

/// What must be nowhere, by name, and the modulus, which may be anywhere.
pub(crate) struct Secrets {
    secret: BTreeMap<String, Vec<u8>>,
    modulus: Vec<u8>,
}

impl Secrets {
    /// Of an A1 file with an RSA key.
    pub(crate) fn of(p12: &Path, password: &str) -> Self {
        let pem =
            openssl(&["pkcs12", "-nodes", "-nocerts", "-passin", &format!("pass:{password}"), "-in"], p12);
        let place = tempfile::NamedTempFile::new().unwrap();
        fs::write(place.path(), pem).unwrap();
        let pkcs1 = openssl(&["rsa", "-traditional", "-outform", "DER", "-in"], place.path());
        let names = ["version", "n", "e", "d", "p", "q", "d mod (p - 1)", "d mod (q - 1)", "1/q mod p"];
        let mut secret: BTreeMap<_, _> = names.map(str::to_owned).into_iter().zip(integers(&pkcs1)).collect();
        for public in ["version", "e"] {
            secret.remove(public);
        }
        let modulus = secret.remove("n").unwrap();
        for form in ["UTF-8", "UTF-16BE", "UTF-16LE"] {
            let bytes = match form {
                "UTF-8" => password.as_bytes().to_vec(),
                "UTF-16BE" => password.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                _ => password.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            };
            secret.insert(format!("password in {form}"), bytes);
        }
        Self { secret, modulus }
    }

    /// Whatever of it is in `bytes`: as it is, in hexadecimal or in Base64.
    pub(crate) fn found_in(&self, bytes: &[u8]) -> Vec<String> {
        let telling = |secret: &[u8]| holds_in_any_form(bytes, &secret[..secret.len().min(TELLING)]);
        self.secret.iter().filter(|(_, secret)| telling(secret)).map(|(name, _)| name.clone()).collect()
    }

    /// Nothing of it is in any file of the folder, encoded or not; what may be there is found.
    pub(crate) fn assert_nowhere_in(&self, folder: &Path) {
        let mut sees = false;
        for path in everything(folder) {
            let Ok(bytes) = fs::read(&path) else { continue };
            assert_eq!(self.found_in(&bytes), [""; 0], "{}", path.display());
            for decoded in strings(&serde_json::from_slice(&bytes).unwrap_or_default()) {
                assert_eq!(self.found_in(&decoded), [""; 0], "in a string of {}", path.display());
                sees |= holds(&decoded, &self.modulus[..TELLING]);
            }
        }
        assert!(sees, "the search finds the modulus, which is in the certificate");
    }
}

/// Proves A35.
#[test]
fn nothing_of_an_imported_key_or_its_password_is_on_disk_or_ever_written() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new();
    let p12 = a1_with_password(desk.place.path(), MARKER);
    let secrets = Secrets::of(&p12, MARKER);
    // What OpenSSL made on its way is none of ours.
    fs::remove_file(desk.place.path().join("key.pem")).unwrap();
    let marker = desk.secret("marker", MARKER);

    let word = |word: &str| PathBuf::from(word);
    let add = [word("credentials"), word("add"), p12.clone(), word("--p12-password-file"), marker.clone()];
    traced(&desk, &add, &secrets, &marker);
    desk.assert_private();
    secrets.assert_nowhere_in(&desk.login.path(""));
    assert_eq!(desk.keys().len(), 1);

    let (input, output) = (desk.place.path().join("in.pdf"), desk.place.path().join("out.pdf"));
    let id = word(&desk.ids()[0]);
    let sign = [
        word("sign"),
        input,
        output.clone(),
        word("--credential"),
        id,
        word("--p12-password-file"),
        marker.clone(),
    ];
    traced(&desk, &sign, &secrets, &marker);
    assert!(output.exists());
    secrets.assert_nowhere_in(&desk.login.path(""));
}

/// Runs the program with every system call in a trace: the password is in none but those that
/// read its file, the key in none at all.
fn traced(desk: &Desk, words: &[PathBuf], secrets: &Secrets, marker: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let mut command = Command::new("strace");
    desk.login.surround(&mut command);
    let output = command
        .args(["-ff", "-qq", "-y", "-xx", "-s", "1000000", "-o"])
        .arg(&trace)
        .arg(signer_tests::signer_program())
        .args(words)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    for said in [output.stdout, output.stderr] {
        assert_eq!(secrets.found_in(&said), [""; 0]);
    }
    // Every string is in hexadecimal in the trace.
    let (mut read, mut writes) = (0, 0);
    for line in traces(&trace).lines() {
        let bytes = unescaped(line);
        writes +=
            usize::from(line.contains("write(") || line.contains("sendto(") || line.contains("writev("));
        let found = secrets.found_in(&bytes);
        if found == ["password in UTF-8"] {
            let named = holds(&bytes, marker.as_os_str().as_encoded_bytes());
            assert!(line.contains("read(") && named, "the password is in {line:.200}");
            read += 1;
        } else {
            assert_eq!(found, [""; 0], "{line:.200}");
        }
    }
    assert!(read > 0 && writes > 5, "the trace shows what is read ({read}) and written ({writes})");
}

/// The bytes of all strings of a line of the trace.
fn unescaped(line: &str) -> Vec<u8> {
    let codes = line.split("\\x").skip(1);
    codes.filter_map(|code| u8::from_str_radix(code.get(..2)?, 16).ok()).collect()
}

fn openssl(arguments: &[&str], file: &Path) -> Vec<u8> {
    let output = Command::new("openssl").args(arguments).arg(file).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}

/// The integers of a sequence in DER, without leading zeros.
fn integers(der: &[u8]) -> Vec<Vec<u8>> {
    let header = |at: usize| {
        let digits = usize::from(der[at + 1].saturating_sub(0x80));
        let len = match digits {
            0 => usize::from(der[at + 1]),
            _ => der[at + 2..at + 2 + digits].iter().fold(0, |len, byte| len << 8 | usize::from(*byte)),
        };
        (at + 2 + digits, len)
    };
    let (mut at, _) = header(0);
    let mut found = Vec::new();
    while at < der.len() {
        let (start, len) = header(at);
        let content = &der[start..start + len];
        found.push(content.iter().copied().skip_while(|byte| *byte == 0).collect());
        at = start + len;
    }
    found
}

/// The strings of a JSON value, decoded where they are Base64.
fn strings(value: &Value) -> Vec<Vec<u8>> {
    match value {
        Value::String(text) => STANDARD.decode(text).ok().into_iter().collect(),
        Value::Array(values) => values.iter().flat_map(strings).collect(),
        Value::Object(fields) => fields.values().flat_map(strings).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn holds_in_any_form(bytes: &[u8], secret: &[u8]) -> bool {
    let hex = |digit: fn(&u8) -> String| secret.iter().map(digit).collect::<String>().into_bytes();
    // At each of the three places that it can begin at within Base64, without the ends that
    // depend on what stands beside it.
    let base64 = (0..3).map(|skip| STANDARD.encode(&secret[skip..skip + (secret.len() - skip) / 3 * 3]));
    let forms = [secret.to_vec(), hex(|byte| format!("{byte:02x}")), hex(|byte| format!("{byte:02X}"))];
    forms.into_iter().chain(base64.map(String::into_bytes)).any(|form| holds(bytes, &form))
}

fn holds(bytes: &[u8], wanted: &[u8]) -> bool {
    let first = wanted[0];
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == first) {
        rest = &rest[at..];
        if rest.starts_with(wanted) {
            return true;
        }
        rest = &rest[1..];
    }
    false
}

/// The search finds what it looks for, so that its silence says something.
#[test]
fn the_search_finds_a_key_that_is_there() {
    let secrets = Secrets::of(&a1("ecpf-a1-moderno.p12"), PASSWORD);
    let plain = a1("ecpf-a1-texto-claro.p12");
    let pem =
        openssl(&["pkcs12", "-nodes", "-nocerts", "-passin", &format!("pass:{PASSWORD}"), "-in"], &plain);
    let bytes = fs::read(&plain).unwrap();
    // The same holder has another key there: it is looked for by its own numbers.
    let own = Secrets::of(&plain, PASSWORD);
    assert_eq!(own.found_in(&bytes).len(), 6, "{:?}", own.found_in(&bytes));
    let body: String =
        String::from_utf8(pem).unwrap().lines().filter(|line| !line.contains([':', '-'])).collect();
    assert!(!own.found_in(body.as_bytes()).is_empty());
    assert_eq!(own.found_in(format!("x{PASSWORD}y").as_bytes()), ["password in UTF-8"]);
    assert!(secrets.found_in(&[7; 4096]).is_empty());
}
