//! Modules that crash, hang, or answer nonsense.

use std::{
    fs,
    process::{Command, Stdio},
};

use signer_core::error::ErrorCode;
use signer_ipc::token_host::LastTry;
use signer_service::token::error::{TokenError, TriesLeft};
use signer_tests::{
    documents::{Layout, document},
    processes::{own_copy, wait_until_none},
    signing::{code, signer},
    softhsm::faulty_module,
};

use crate::{
    MESSAGE, PIN, algorithm, host, is_gone, openssl::openssl_accepts, secret, wait_until, with_softhsm,
};

#[test]
fn a_module_that_crashes_is_told_and_leaves_nothing() {
    with_softhsm("ecpf-a1-moderno.p12", |_, directory| {
        let mut host = host();
        let refused = host.open_module(&faulty_module(directory, "abort-in-initialize")).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::ModuleCrashed, "{refused}");
        assert!(refused.to_string().contains("signal: 6"), "{refused}");
        assert!(!refused.to_string().contains("core dumped"), "{refused}");
        assert!(is_gone(host.process_id()), "reaped at once");
        assert_eq!(host.tokens().unwrap_err().code(), ErrorCode::ModuleCrashed);

        let mut host = crate::host();
        host.open_module(&faulty_module(directory, "abort-in-sign")).unwrap();
        host.unlock(None, &secret(PIN)).unwrap();
        let credential = host.credentials(None).unwrap().pop().unwrap();
        let refused = host.sign(&credential, algorithm(&credential).unwrap(), MESSAGE).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::ModuleCrashed, "{refused}");
        assert!(directory.join("faulty-abort-in-sign.so.reached").exists());

        // The command line says it with its code.
        let output = signer()
            .args(["certificates", "--json", "--module"])
            .arg(faulty_module(directory, "abort-in-initialize"))
            .output()
            .unwrap();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((output.status.code(), code(&json)), (Some(1), "module-crashed"), "{json}");
    });
}

#[test]
fn a_value_that_no_standard_knows_is_told_with_its_number() {
    with_softhsm("ecpf-a1-moderno.p12", |_, directory| {
        let mut host = host();
        host.open_module(&faulty_module(directory, "fail-in-sign")).unwrap();
        host.unlock(None, &secret(PIN)).unwrap();
        let credential = host.credentials(None).unwrap().pop().unwrap();
        let refused = host.sign(&credential, algorithm(&credential).unwrap(), MESSAGE).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::TokenFailed);
        assert!(refused.to_string().contains("0x80000bad"), "{refused}");
    });
}

#[test]
fn a_wrong_signature_value_is_noticed_and_leaves_no_output() {
    with_softhsm("ecpf-a1-moderno.p12", |softhsm, directory| {
        let (pin, input, output) =
            (directory.join("pin"), directory.join("in.pdf"), directory.join("signed/out.pdf"));
        fs::create_dir(directory.join("signed")).unwrap();
        fs::write(&pin, PIN).unwrap();
        fs::write(&input, document(Layout::Table, 1, 9_000)).unwrap();
        let result = signer()
            .args(["sign", "--json", "--module"])
            .arg(faulty_module(directory, "wrong-value"))
            .arg("--pin-file")
            .args([&pin, &input, &output])
            .env("SOFTHSM2_CONF", softhsm.configuration())
            .output()
            .unwrap();
        let json: serde_json::Value = serde_json::from_slice(&result.stdout).unwrap();
        assert_eq!((result.status.code(), code(&json)), (Some(1), "credential-key-mismatch"), "{json}");
        assert_eq!(fs::read_dir(directory.join("signed")).unwrap().count(), 0);
    });
}

/// Every way in which a module may refuse a PIN, and what the person is told.
#[test]
fn whatever_a_module_answers_to_a_wrong_pin_is_told_as_what_it_means() {
    with_softhsm("ecpf-a1-moderno.p12", |_, directory| {
        for (value, expected) in [
            ("5", "pin-incorrect"),     // CKR_GENERAL_ERROR, as of ePass2003
            ("6", "pin-incorrect"),     // CKR_FUNCTION_FAILED
            ("a0", "pin-incorrect"),    // CKR_PIN_INCORRECT
            ("a1", "pin-incorrect"),    // CKR_PIN_INVALID
            ("a2", "pin-incorrect"),    // CKR_PIN_LEN_RANGE
            ("a3", "pin-unusable"),     // CKR_PIN_EXPIRED
            ("a4", "pin-locked"),       // CKR_PIN_LOCKED
            ("102", "pin-unusable"),    // CKR_USER_PIN_NOT_INITIALIZED
            ("1", "approval-denied"),   // CKR_CANCEL
            ("50", "approval-denied"),  // CKR_FUNCTION_CANCELED
            ("200", "approval-denied"), // CKR_FUNCTION_REJECTED
            ("30", "token-failed"),     // CKR_DEVICE_ERROR
            ("32", "token-removed"),    // CKR_DEVICE_REMOVED
            ("e0", "token-absent"),     // CKR_TOKEN_NOT_PRESENT
            ("b6", "token-failed"),     // CKR_SESSION_EXISTS
            ("104", "token-failed"),    // CKR_USER_ANOTHER_ALREADY_LOGGED_IN
            ("7fffffff", "token-failed"),
        ] {
            let mut host = host();
            let how = format!("flagless-wrong-pin-is-{value}");
            host.open_module(&faulty_module(directory, &how)).unwrap();
            let refused = host.unlock(None, &secret("111111")).unwrap_err();
            assert_eq!(refused.code().as_str(), expected, "{value}: {refused}");
            if let TokenError::PinIncorrect { tries_left } = refused {
                assert_eq!(tries_left, TriesLeft::Unknown, "{value}");
            }
            let logins = fs::read_to_string(directory.join(format!("faulty-{how}.so.logins"))).unwrap();
            assert_eq!(logins.lines().count(), 1, "{value}: a PIN is tried once");
        }
    });
}

/// Proves A32.
#[test]
fn a_host_itself_refuses_the_last_try_where_nobody_said_that_it_may_be_used() {
    with_softhsm("ecpf-a1-moderno.p12", |_, directory| {
        let mut host = host();
        host.open_module(&faulty_module(directory, "last-try-later")).unwrap();
        let token = host.tokens().unwrap().remove(0);
        assert_eq!(token.tries_left, TriesLeft::Unknown);
        fs::write(directory.join("faulty-last-try-later.so.last"), b"").unwrap();
        // The token was listed before it had one try left.
        let refused = host.unlock(Some(&token), &secret(PIN)).unwrap_err();
        assert!(matches!(refused, TokenError::LastTryNotConfirmed), "{refused}");
        assert!(!directory.join("faulty-last-try-later.so.logins").exists());
        host.unlock_as(Some(&token), &secret(PIN), LastTry::Confirmed).unwrap();
    });
}

#[test]
fn a_key_that_wants_the_pin_each_time_gets_it_once_for_each_time_it_was_typed() {
    with_softhsm("ecpf-a1-moderno.p12", |_, directory| {
        let mut host = host();
        host.open_module(&faulty_module(directory, "always-authenticate")).unwrap();
        host.unlock(None, &secret(PIN)).unwrap();
        let credential = host.credentials(None).unwrap().pop().unwrap();
        let algorithm = algorithm(&credential).unwrap();
        let value = host.sign(&credential, algorithm, MESSAGE).unwrap();
        assert!(openssl_accepts(&credential, algorithm, &value));
        // A second signature needs the person again.
        assert!(matches!(host.sign(&credential, algorithm, MESSAGE), Err(TokenError::PinNeeded)));
        host.unlock(None, &secret("111111")).unwrap();
        let refused = host.sign(&credential, algorithm, MESSAGE).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::PinIncorrect, "{refused}");
        host.unlock(None, &secret(PIN)).unwrap();
        let value = host.sign(&credential, algorithm, MESSAGE).unwrap();
        assert!(openssl_accepts(&credential, algorithm, &value));
    });
}

#[test]
fn no_host_outlives_the_service_even_inside_a_call() {
    with_softhsm("ecpf-a1-moderno.p12", |softhsm, directory| {
        let program = own_copy(directory);
        let module = faulty_module(directory, "hang-in-sign");
        let (pin, input) = (directory.join("pin"), directory.join("in.pdf"));
        fs::write(&pin, PIN).unwrap();
        fs::write(&input, document(Layout::Table, 1, 9_000)).unwrap();
        let mut service = Command::new(&program)
            .args(["sign", "--module"])
            .arg(&module)
            .arg("--pin-file")
            .args([&pin, &input, &directory.join("out.pdf")])
            .env("SOFTHSM2_CONF", softhsm.configuration())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        wait_until("the module is reached", || directory.join("faulty-hang-in-sign.so.reached").exists());
        service.kill().unwrap();
        service.wait().unwrap();
        wait_until_none(&program);
        assert!(!directory.join("out.pdf").exists());
    });
}
