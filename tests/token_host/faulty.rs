//! Modules that crash, hang, or answer nonsense.

use std::{
    fs,
    process::{Command, Stdio},
};

use signer_core::error::ErrorCode;
use signer_service::token::error::TokenError;
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
