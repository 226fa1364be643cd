//! Signatures through PKCS#11 modules: SoftHSM, and OpenSC with a virtual card.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;
use signer_tests::{
    card::Reader,
    documents::{Layout, document},
    judges::{self, PyHanko},
    signing::{code, signer},
    softhsm::{SoftHsm, faulty_module},
};

const PIN: &str = "482915";

struct Desk {
    directory: tempfile::TempDir,
    input: PathBuf,
    output: PathBuf,
}

impl Desk {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (input, output) = (directory.path().join("in.pdf"), directory.path().join("out.pdf"));
        fs::write(&input, document(Layout::ObjectStreams, 2, 40_000)).unwrap();
        Self { directory, input, output }
    }

    fn command(&self, module: &str, pin: &str, arguments: &[&str]) -> Command {
        let secret = self.directory.path().join("pin");
        fs::write(&secret, pin).unwrap();
        let mut command = signer();
        command
            .args(["sign", "--json", "--seal", "default", "--module", module, "--pin-file"])
            .args([&secret, &self.input, &self.output])
            .args(arguments);
        command
    }

    fn accepted_by_others(&self) {
        let Some(mut pyhanko) = PyHanko::start() else { return };
        assert!(fs::read(&self.output).unwrap().starts_with(&fs::read(&self.input).unwrap()));
        let judgements = pyhanko.judge(&self.output, &judges::test_root()).unwrap();
        assert!(judgements.len() == 1 && judgements[0].intact_and_valid, "{judgements:?}");
        assert_eq!(judgements[0].coverage, "ENTIRE_FILE");
        if let Some(pdfsig) = judges::pdfsig(&self.output) {
            assert!(pdfsig.valid == 1 && pdfsig.total_document, "{pdfsig:?}");
        }
        assert_eq!(judges::qpdf_check(&self.output), Some(0));
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "{error}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    })
}

fn tries_left(state: &Path) -> i64 {
    let state: Value = serde_json::from_slice(&fs::read(state).unwrap()).unwrap();
    state["tries"].as_i64().unwrap()
}

#[test]
fn softhsm_signs_with_rsa_and_with_curves() {
    for key in ["ecpf-a1-moderno.p12", "rsa-4096.p12", "ecdsa-p256.p12", "ecdsa-p384.p12"] {
        let desk = Desk::new();
        let Some(token) = SoftHsm::new(&desk.directory.path().join("hsm"), key, PIN) else { return };
        let output = desk
            .command(token.module(), PIN, &["--token", SoftHsm::LABEL])
            .env("SOFTHSM2_CONF", token.configuration())
            .output()
            .unwrap();
        assert!(output.status.success(), "{key}: {}", json(&output));
        desk.accepted_by_others();
    }
}

#[test]
fn softhsm_with_two_keys_asks_which() {
    let desk = Desk::new();
    let Some(token) = SoftHsm::new(&desk.directory.path().join("hsm"), "ecpf-a1-moderno.p12", PIN) else {
        return;
    };
    token.import("ecdsa-p256.p12", "02");
    let sign = |arguments: &[&str]| {
        desk.command(token.module(), PIN, arguments)
            .env("SOFTHSM2_CONF", token.configuration())
            .output()
            .unwrap()
    };
    let refusal = json(&sign(&[]));
    assert_eq!(code(&refusal), "credential-ambiguous");
    let names = refusal["error"]["facts"]["certificates"].as_array().unwrap().clone();
    assert_eq!(names.len(), 2);
    for name in names {
        let id = name.as_str().unwrap().split(' ').next().unwrap().to_owned();
        let output = sign(&["--certificate", &id]);
        assert!(output.status.success(), "{}", json(&output));
        desk.accepted_by_others();
        fs::remove_file(&desk.output).unwrap();
    }
}

#[test]
fn a_wrong_pin_and_a_missing_token_are_told() {
    let desk = Desk::new();
    let Some(token) = SoftHsm::new(&desk.directory.path().join("hsm"), "ecpf-a1-moderno.p12", PIN) else {
        return;
    };
    for (pin, label, expected) in [
        ("000000", SoftHsm::LABEL, "pin-incorrect"),
        (PIN, "OUTRO", "token-absent"),
        ("", SoftHsm::LABEL, "secret-missing"),
    ] {
        let output = desk
            .command(token.module(), pin, &["--token", label])
            .env("SOFTHSM2_CONF", token.configuration())
            .output()
            .unwrap();
        assert_eq!((output.status.code(), code(&json(&output))), (Some(1), expected), "{}", json(&output));
        let note = json(&output)["error"]["note"].as_str().unwrap_or_default().to_owned();
        match expected {
            "token-absent" => assert!(note.contains(SoftHsm::LABEL), "what is there is named: {note}"),
            "secret-missing" => assert!(note.contains("empty") && note.contains("pin"), "{note}"),
            _ => {}
        }
        assert!(!desk.output.exists());
    }
}

/// Two tokens of one label are told apart by their serial numbers, which are named in both forms.
#[test]
fn of_two_tokens_one_must_be_named() {
    let desk = Desk::new();
    let Some(token) = SoftHsm::new(&desk.directory.path().join("hsm"), "ecpf-a1-moderno.p12", PIN) else {
        return;
    };
    token.make_token(SoftHsm::LABEL);
    let sign = |arguments: &[&str]| {
        desk.command(token.module(), PIN, arguments)
            .env("SOFTHSM2_CONF", token.configuration())
            .output()
            .unwrap()
    };
    for arguments in [&[][..], &["--token", SoftHsm::LABEL]] {
        let refusal = json(&sign(arguments));
        assert_eq!(code(&refusal), "credential-ambiguous");
        let tokens = refusal["error"]["facts"]["tokens"].as_array().unwrap().clone();
        assert_eq!(tokens.len(), 2, "{refusal}");
        let note = refusal["error"]["note"].as_str().unwrap();
        let mut codes = Vec::new();
        for token in &tokens {
            let serial = token["serial"].as_str().unwrap();
            assert!(token["label"] == SoftHsm::LABEL && note.contains(serial), "{refusal}");
            let output = sign(&["--token", serial]);
            codes.push(if output.status.success() {
                // Which of the two is tried first is the tokens' matter: their numbers are random.
                fs::remove_file(&desk.output).unwrap();
                "signed".to_owned()
            } else {
                code(&json(&output)).to_owned()
            });
        }
        codes.sort();
        assert_eq!(codes, ["credential-not-found", "signed"], "the other one is empty");
    }
}

/// Proves A9.
#[test]
fn a_card_signs_and_says_how_many_tries_are_left() {
    let Some(reader) = Reader::connect() else { return };
    let desk = Desk::new();
    let state = desk.directory.path().join("state.json");
    let card = reader.insert("ecpf-a1-moderno.p12", PIN, &state, &[]);
    let sign = |pin: &str| desk.command(reader.module(), pin, &[]).output().unwrap();

    let output = sign(PIN);
    assert!(output.status.success(), "{}", json(&output));
    desk.accepted_by_others();
    fs::remove_file(&desk.output).unwrap();

    // One wrong PIN costs one try, never two; the last try is announced; then the card is locked.
    for (left, told) in [(2, Value::Null), (1, Value::from(1)), (0, Value::Null)] {
        let refusal = if left == 0 {
            // The last one is not used unasked.
            let refusal = json(&sign(PIN));
            assert_eq!((code(&refusal), tries_left(&state)), ("pin-last-try", 1), "{refusal}");
            json(&desk.command(reader.module(), "111111", &["--use-last-try"]).output().unwrap())
        } else {
            json(&sign("111111"))
        };
        let expected = if left == 0 { "pin-locked" } else { "pin-incorrect" };
        assert_eq!(code(&refusal), expected, "{refusal}");
        assert_eq!(tries_left(&state), left);
        if !told.is_null() {
            assert_eq!(refusal["error"]["facts"]["triesLeft"], told, "{refusal}");
        }
    }
    let refusal = json(&sign(PIN));
    assert_eq!(code(&refusal), "pin-locked");
    assert_eq!(refusal["error"]["facts"]["unlockTool"], "pkcs15-tool --unblock-pin", "{refusal}");
    assert_eq!(tries_left(&state), 0);
    assert!(!desk.output.exists());
    drop(card);

    assert_eq!(code(&json(&sign(PIN))), "token-absent");
}

/// Proves A32.
#[test]
fn the_last_try_is_used_by_a_command_only_where_it_is_told_to() {
    let desk = Desk::new();
    let hsm = desk.directory.path().join("hsm");
    let Some(token) = SoftHsm::new(&hsm, "ecpf-a1-moderno.p12", PIN) else { return };
    let module = faulty_module(desk.directory.path(), "last-try");
    let logins = desk.directory.path().join("faulty-last-try.so.logins");
    let sign = |pin: &str, arguments: &[&str]| {
        let mut command = desk.command(module.to_str().unwrap(), pin, arguments);
        command.env("SOFTHSM2_CONF", token.configuration()).output().unwrap()
    };
    let refusal = json(&sign(PIN, &[]));
    assert_eq!(code(&refusal), "pin-last-try", "{refusal}");
    assert_eq!(refusal["error"]["facts"]["triesLeft"], 1, "{refusal}");
    assert!(!logins.exists() && !desk.output.exists());
    assert_eq!(code(&json(&sign("111111", &["--use-last-try"]))), "pin-locked");
    let output = sign(PIN, &["--use-last-try"]);
    assert!(output.status.success(), "{}", json(&output));
    assert_eq!(fs::read_to_string(logins).unwrap().lines().count(), 2);
}

/// Proves A9.
#[test]
fn a_card_that_may_not_sign_costs_no_try() {
    let Some(reader) = Reader::connect() else { return };
    let desk = Desk::new();
    let state = desk.directory.path().join("state.json");
    let card = reader.insert("expirado.p12", PIN, &state, &[]);
    let refusal = json(&desk.command(reader.module(), "111111", &[]).output().unwrap());
    assert_eq!(code(&refusal), "credential-expired", "{refusal}");
    assert!(!state.exists() || tries_left(&state) == 3);
    drop(card);
}

#[test]
fn a_card_taken_out_while_it_signs_is_told_and_leaves_nothing() {
    let Some(reader) = Reader::connect() else { return };
    let desk = Desk::new();
    let state = desk.directory.path().join("state.json");
    // The counter is written when the PIN is right, just before the card begins its slow signature.
    let card = reader.insert("ecpf-a1-moderno.p12", PIN, &state, &["--slow", "30"]);
    let mut command = desk.command(reader.module(), PIN, &[]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let end = Instant::now() + Duration::from_secs(30);
    while !state.exists() {
        assert!(Instant::now() < end, "the PIN reaches the card");
        std::thread::yield_now();
    }
    drop(card);
    let output = child.wait_with_output().unwrap();
    let refusal = json(&output);
    assert!(["token-removed", "token-failed"].contains(&code(&refusal)), "{refusal}");
    assert_eq!(output.status.code(), Some(1));
    assert!(!desk.output.exists());
}

#[test]
fn diagnose_and_certificates_show_the_card_without_a_pin() {
    let Some(reader) = Reader::connect() else { return };
    let desk = Desk::new();
    let state = desk.directory.path().join("state.json");
    let card = reader.insert("ecpf-a1-moderno.p12", PIN, &state, &[]);
    let listed =
        json(&signer().args(["certificates", "--json", "--module", reader.module()]).output().unwrap());
    assert!(listed["certificates"][0]["identifier"].as_str().unwrap().contains("***"), "{listed}");
    let output = signer().args(["diagnose", "--json"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Virtual PCD"), "{text}");
    assert!(!state.exists() || tries_left(&state) == 3);
    drop(card);
}
