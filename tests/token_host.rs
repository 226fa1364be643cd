//! Token hosts as the service uses them: A1 files, modules that misbehave, what is left behind.
#![cfg(target_os = "linux")]

#[path = "token_host/faulty.rs"]
mod faulty;
#[path = "token_host/openssl.rs"]
mod openssl;

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::{
        fd::OwnedFd,
        unix::{fs::MetadataExt as _, net::UnixStream, process::CommandExt as _},
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

use signer_core::{
    algorithm::SignatureAlgorithm, cms::certificate::Certificate, digest::DigestAlgorithm, error::ErrorCode,
};
use signer_ipc::{secret::Secret, token_host::PROTOCOL_VERSION};
use signer_service::token::{
    HOST_COMMAND,
    client::{HostCredential, TokenHost},
    error::{TokenError, TriesLeft},
};
use signer_tests::{
    processes, repository, signer_program,
    signing::{PASSWORD, a1},
    softhsm::SoftHsm,
};

use crate::openssl::openssl_accepts;

const PIN: &str = "482915";
const MESSAGE: &[u8] = b"signed attributes, or what stands for them";
const DEADLINE: Duration = Duration::from_secs(20);

/// `SOFTHSM2_CONF` is this process's: tests that set it take turns.
static ENVIRONMENT: Mutex<()> = Mutex::new(());

fn secret(text: &str) -> Secret {
    Secret::from_bytes(text.as_bytes().to_vec()).unwrap()
}

fn host() -> TokenHost {
    TokenHost::spawn(signer_program()).unwrap()
}

fn open_a1(path: &Path, password: &str) -> Result<(TokenHost, Vec<HostCredential>), TokenError> {
    let mut host = host();
    host.open_file(path)?;
    host.unlock(None, &secret(password))?;
    let credentials = host.credentials(None)?;
    Ok((host, credentials))
}

/// The algorithm that goes with a credential's key; `None` where no new signature is made with it.
fn algorithm(credential: &HostCredential) -> Option<SignatureAlgorithm> {
    let kind = Certificate::from_der(&credential.certificate_der).ok()?.key_kind();
    kind.signature_algorithm(kind.default_digest()).ok()
}

#[test]
fn every_a1_file_of_the_test_pki_opens_or_is_refused_as_it_should() {
    let index = fs::read_to_string(repository().join("tests/fixtures/pki/index.tsv")).unwrap();
    let (mut files, mut failures, mut signatures) = (0, Vec::new(), 0);
    for line in index.lines().skip(1) {
        let cells: Vec<_> = line.split('\t').collect();
        let (file, password, chain) = (cells[0], cells[1], cells[3].parse::<usize>().unwrap());
        files += 1;
        let expected = match file.trim_start_matches("p12/") {
            "chave-trocada.p12" => Err(ErrorCode::CredentialKeyMismatch),
            "truncado.p12" | "vazio.p12" | "nao-e-p12.p12" => Err(ErrorCode::CredentialUnreadable),
            // The MAC does not fit; a wrong password looks the same.
            "corrompido.p12" => Err(ErrorCode::PasswordIncorrect),
            "duas-chaves.p12" => Ok(2),
            _ => Ok(1),
        };
        let path = repository().join("tests/fixtures/pki").join(file);
        let found = open_a1(&path, password);
        match (&expected, &found) {
            (Err(expected), Err(error)) if *expected == error.code() => {}
            (Ok(count), Ok((_, credentials))) if *count == credentials.len() => {}
            _ => failures.push(format!(
                "{file}: {expected:?}, found {:?}",
                found.as_ref().map(|(_, list)| list.len())
            )),
        }
        let Ok((mut host, credentials)) = found else { continue };
        for credential in &credentials {
            if credential.chain_der.len() < chain {
                failures.push(format!("{file}: {} issuers instead of {chain}", credential.chain_der.len()));
            }
            let Some(algorithm) = algorithm(credential) else { continue };
            let value = host.sign(credential, algorithm, MESSAGE).unwrap();
            signatures += 1;
            if !openssl_accepts(credential, algorithm, &value) {
                failures.push(format!("{file}: OpenSSL refuses the signature"));
            }
        }
        // The same file with a wrong password is told, except where nothing in it is protected.
        let plain = file.contains("texto-claro") || file.contains("vazio") || expected.is_err();
        let wrong = open_a1(&path, "not the password").map(|(_, list)| list.len());
        if !plain && !matches!(wrong, Err(TokenError::PasswordIncorrect)) {
            failures.push(format!("{file}: wrong password: {wrong:?}"));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert_eq!((files, signatures), (47, 39), "files, signatures");
}

#[test]
fn keys_that_are_not_for_new_signatures_are_refused_in_words() {
    for file in ["rsa-1024.p12", "ed25519.p12", "ed448.p12", "ecdsa-brainpoolP256r1.p12"] {
        let (mut host, credentials) = open_a1(&a1(file), PASSWORD).unwrap();
        let algorithm = if file.starts_with("rsa") {
            SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256)
        } else {
            SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256)
        };
        let refused = host.sign(&credentials[0], algorithm, MESSAGE).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::UnsupportedAlgorithm, "{file}: {refused}");
        // The host is as good as before.
        assert_eq!(host.credentials(None).unwrap().len(), 1);
    }
}

#[test]
fn a_file_that_is_none_is_told_before_any_password() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |path: &Path| host().open_file(path).unwrap_err().code();
    assert_eq!(refused(&directory.path().join("missing.p12")), ErrorCode::InputUnreadable);
    assert_eq!(refused(directory.path()), ErrorCode::InputUnreadable);
    let large = directory.path().join("large.p12");
    fs::write(&large, [[0x30, 0x80].repeat(1 << 19), vec![0]].concat()).unwrap();
    assert_eq!(refused(&large), ErrorCode::CredentialUnreadable);
    let pipe = directory.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(refused(&pipe), ErrorCode::InputUnreadable);
}

#[test]
fn a_host_opens_one_source_only_and_signs_only_what_it_listed() {
    let (mut host, credentials) = open_a1(&a1("ecpf-a1-moderno.p12"), PASSWORD).unwrap();
    assert!(matches!(host.open_file(&a1("rsa-3072.p12")), Err(TokenError::Unexpected)));
    assert_eq!(host.tokens().unwrap(), []);
    let (mut other, _) = open_a1(&a1("duas-chaves.p12"), PASSWORD).unwrap();
    let second = other.credentials(None).unwrap().pop().unwrap();
    let rsa = SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256);
    assert!(matches!(host.sign(&second, rsa, MESSAGE), Err(TokenError::CredentialUnknown)));
    let ecdsa = SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256);
    assert!(matches!(host.sign(&credentials[0], ecdsa, MESSAGE), Err(TokenError::KeyUnsupported { .. })));
    let mut locked = self::host();
    locked.open_file(&a1("ecpf-a1-moderno.p12")).unwrap();
    assert!(matches!(locked.credentials(None), Err(TokenError::PinNeeded)));
}

/// A token, and `f` with `SOFTHSM2_CONF` naming it.
fn with_softhsm(key: &str, f: impl FnOnce(&SoftHsm, &Path)) {
    let turn = ENVIRONMENT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let directory = tempfile::tempdir().unwrap();
    let Some(token) = SoftHsm::new(&directory.path().join("hsm"), key, PIN) else { return };
    #[expect(unsafe_code, reason = "a token host takes its configuration from the environment")]
    // SAFETY: every test of this program that reads or writes the environment holds the lock.
    unsafe {
        std::env::set_var("SOFTHSM2_CONF", token.configuration());
    }
    f(&token, directory.path());
    drop(turn);
}

#[test]
fn a_softhsm_token_shows_certificates_signs_and_counts_tries() {
    for key in ["ecpf-a1-moderno.p12", "rsa-4096.p12", "ecdsa-p256.p12", "ecdsa-p384.p12"] {
        with_softhsm(key, |softhsm, _| {
            let mut host = host();
            host.open_module(Path::new(softhsm.module())).unwrap();
            let tokens = host.tokens().unwrap();
            assert_eq!(tokens.iter().map(|token| token.label.as_str()).collect::<Vec<_>>(), [SoftHsm::LABEL]);
            let token = Some(&tokens[0]);

            // Seen without a PIN, but not used without one.
            let before = host.credentials(token).unwrap();
            assert_eq!(before.len(), 1);
            assert_eq!(before[0].token_label.as_deref(), Some(SoftHsm::LABEL));
            let algorithm = algorithm(&before[0]).unwrap();
            assert!(matches!(host.sign(&before[0], algorithm, MESSAGE), Err(TokenError::PinNeeded)));

            let refused = host.unlock(token, &secret("111111")).unwrap_err();
            assert!(
                matches!(refused, TokenError::PinIncorrect { tries_left: TriesLeft::Low }),
                "{refused:?}"
            );
            assert!(matches!(host.unlock(token, &secret("")), Err(TokenError::PinNeeded)));

            host.unlock(token, &secret(PIN)).unwrap();
            let after = host.credentials(token).unwrap();
            assert_eq!(after, before, "the same credential, by the same name");
            let value = host.sign(&after[0], algorithm, MESSAGE).unwrap();
            assert!(openssl_accepts(&after[0], algorithm, &value), "{key}");
            for digest in [DigestAlgorithm::Sha256, DigestAlgorithm::Sha384, DigestAlgorithm::Sha512] {
                let algorithm = match algorithm {
                    SignatureAlgorithm::RsaPkcs1(_) => SignatureAlgorithm::RsaPkcs1(digest),
                    SignatureAlgorithm::Ecdsa(_) => SignatureAlgorithm::Ecdsa(digest),
                };
                let value = host.sign(&after[0], algorithm, MESSAGE).unwrap();
                assert!(openssl_accepts(&after[0], algorithm, &value), "{key} {digest:?}");
                // A digest that was made elsewhere gives the same kind of value.
                let value = host.sign_digest(&after[0], algorithm, &digest.digest(MESSAGE)).unwrap();
                assert!(openssl_accepts(&after[0], algorithm, &value), "{key} {digest:?}");
                let other = DigestAlgorithm::Sha1.digest(MESSAGE);
                assert!(matches!(
                    host.sign_digest(&after[0], algorithm, &other),
                    Err(TokenError::Unexpected)
                ));
            }
        });
    }
}

#[test]
fn dropping_the_client_ends_the_host() {
    let (host, _) = open_a1(&a1("ecpf-a1-moderno.p12"), PASSWORD).unwrap();
    let id = host.process_id();
    assert!(!is_gone(id));
    drop(host);
    assert!(is_gone(id), "reaped when drop returns");
}

/// A host that was started by hand, as nobody else would, to look at it from outside.
struct Bare {
    child: Child,
    socket: UnixStream,
}

impl Bare {
    fn start(prepare: impl FnOnce(&mut Command)) -> Self {
        let (socket, theirs) = UnixStream::pair().unwrap();
        let mut command = Command::new(signer_program());
        command.arg(HOST_COMMAND).stdin(OwnedFd::from(theirs));
        prepare(&mut command);
        let child = command.spawn().unwrap();
        Self { child, socket }
    }

    fn say(&mut self, header: &str) {
        let len = u32::try_from(header.len()).unwrap().to_be_bytes();
        self.socket.write_all(&[&[1][..], &len, header.as_bytes()].concat()).unwrap();
    }

    fn hear(&mut self) -> String {
        let mut prefix = [0; 5];
        self.socket.read_exact(&mut prefix).unwrap();
        let mut header = vec![0; u32::from_be_bytes(prefix[1..].try_into().unwrap()) as usize];
        self.socket.read_exact(&mut header).unwrap();
        String::from_utf8(header).unwrap()
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_host_is_closed_against_others_before_it_answers() {
    // As another user where this one is root, who may read everything.
    let mut host = Bare::start(|command| {
        if fs::metadata("/proc/self").unwrap().uid() == 0 {
            let reachable = Command::new("setpriv")
                .args(["--reuid=65534", "--clear-groups", "test", "-x"])
                .arg(signer_program())
                .status();
            if reachable.is_ok_and(|status| status.success()) {
                command.uid(65534).gid(65534);
            }
        }
    });
    host.say(&format!(r#"{{"request":"hello","version":{PROTOCOL_VERSION}}}"#));
    assert_eq!(host.hear(), format!(r#"{{"response":"hello","version":{PROTOCOL_VERSION}}}"#));
    let process = PathBuf::from(format!("/proc/{}", host.child.id()));
    let status = fs::read_to_string(process.join("status")).unwrap();
    assert!(status.contains("NoNewPrivs:\t1"), "{status}");
    // The kernel gives the files of a process that is not dumpable to root.
    assert_eq!(fs::metadata(process.join("environ")).unwrap().uid(), 0);
    let limits = fs::read_to_string(process.join("limits")).unwrap();
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
    assert_eq!(core.split_whitespace().skip(4).take(2).collect::<Vec<_>>(), ["0", "0"], "{core}");
    // Standard input is not the socket any more: a module that reads it steals nothing.
    if let Ok(input) = fs::read_link(process.join("fd/0")) {
        assert_eq!(input, Path::new("/dev/null"));
    }
}

#[test]
fn a_host_says_its_version_and_ends_at_nonsense() {
    let mut host = Bare::start(|_| {});
    host.say(r#"{"request":"hello","version":4294967295}"#);
    assert_eq!(host.hear(), format!(r#"{{"response":"hello","version":{PROTOCOL_VERSION}}}"#));
    host.say(r#"{"request":"tokens"}"#);
    assert!(host.hear().contains("unexpected"));
    host.say("nonsense");
    assert!(host.child.wait().unwrap().success());

    // Cut off in the middle of a frame.
    let mut host = Bare::start(|_| {});
    host.socket.write_all(&[1, 0, 0]).unwrap();
    host.socket.shutdown(std::net::Shutdown::Both).unwrap();
    assert!(host.child.wait().unwrap().success());
}

#[test]
fn another_version_is_refused_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let other = directory.path().join("other-version");
    // What a host of a later version would answer: kind, length, header.
    let later = PROTOCOL_VERSION + 1;
    let header = format!(r#"{{"response":"hello","version":{later}}}"#);
    let len = header.len();
    let script =
        format!("#!/bin/sh\nprintf '\\001\\000\\000\\000\\{len:03o}{header}' >&0\nexec cat >/dev/null\n");
    processes::script(&other, &script);
    let mut host = TokenHost::spawn(&other).unwrap();
    let refused = host.open_file(&a1("ecpf-a1-moderno.p12")).unwrap_err();
    let words = std::error::Error::source(&refused).unwrap().to_string();
    let named = |version: u32| words.contains(&format!("version {version}"));
    assert!(named(later) && named(PROTOCOL_VERSION), "{words}");
}

#[test]
fn a_program_that_is_no_host_is_told() {
    for program in ["/bin/true", "/bin/false"] {
        let mut host = match TokenHost::spawn(Path::new(program)) {
            Ok(host) => host,
            Err(error) => return assert_eq!(error.code(), ErrorCode::TokenFailed),
        };
        let refused = host.open_file(&a1("ecpf-a1-moderno.p12")).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::TokenFailed, "{refused}");
    }
    assert!(matches!(TokenHost::spawn(Path::new("/no/such/program")), Err(TokenError::Start(_))));
}

#[test]
fn by_hand_a_host_does_not_start() {
    let mut child = Command::new(signer_program())
        .arg(HOST_COMMAND)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut words = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut words).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert!(words.contains("not by hand"), "{words}");
}

#[test]
fn the_environment_of_a_host_is_scrubbed() {
    let turn = ENVIRONMENT.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (host, _) = open_a1(&a1("ecpf-a1-moderno.p12"), PASSWORD).unwrap();
    let Ok(environment) = fs::read(format!("/proc/{}/environ", host.process_id())) else {
        return println!("left out: only root may look into a host");
    };
    let text = String::from_utf8_lossy(&environment);
    for name in text.split('\0').filter_map(|entry| entry.split('=').next()) {
        assert!(
            !name.starts_with("CARGO") && !name.starts_with("LD_P") && !name.starts_with("RUST"),
            "{name}"
        );
    }
    assert!(text.contains("HOME=") || std::env::var_os("HOME").is_none());
    drop(turn);
}

fn is_gone(id: u32) -> bool {
    !Path::new(&format!("/proc/{id}")).exists()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        std::thread::yield_now();
    }
}
