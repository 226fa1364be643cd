//! Our CMS signatures before a foreign judge: OpenSSL makes the signature value with a key of the
//! test PKI, core makes the structure, OpenSSL verifies it with its path.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use signer_core::{
    cms::{
        certificate::{self, Certificate},
        error::CmsError,
        signed_data::{SignedData, ToBeSigned},
    },
    digest::DigestAlgorithm,
    trust,
};
use signer_tests::{
    judges, left_out,
    signing::{PASSWORD, a1},
};

const CONTENT: &[u8] = b"What is signed.\n";
const DIGESTS: [DigestAlgorithm; 3] =
    [DigestAlgorithm::Sha256, DigestAlgorithm::Sha384, DigestAlgorithm::Sha512];

#[test]
fn openssl_accepts_every_key_with_every_digest_and_nothing_changed() {
    if !openssl_is_there() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    for file in ["ecpf-a1-moderno.p12", "rsa-3072.p12", "rsa-4096.p12", "ecdsa-p256.p12", "ecdsa-p384.p12"] {
        let (signer, chain) = open(directory, file);
        assert_eq!(chain.len(), 3, "{file}");
        for digest in DIGESTS {
            let case = format!("{file} {}", digest.name());
            let algorithm = signer.key_kind().signature_algorithm(digest).unwrap();
            let content = digest.digest(CONTENT);
            let to_be_signed = ToBeSigned::new(&content, &signer, &chain, algorithm).unwrap();
            let value = sign(directory, digest, to_be_signed.bytes());
            let der = to_be_signed.complete(&value).unwrap();
            assert!(der.len() <= ToBeSigned::reserve_len(&signer, &chain, algorithm), "{case}");

            assert_eq!(verify(directory, &der, CONTENT), Ok(()), "{case}");
            assert!(verify(directory, &der, b"What is not signed.\n").is_err(), "{case}");
            let own = SignedData::parse(&der).unwrap();
            assert_eq!(own.verify(&content), Ok(()), "{case}");
            assert_eq!(own.signature_algorithm(), Some(algorithm), "{case}");

            // The last byte is the signature value's, the middle lies in a certificate.
            for at in [der.len() - 1, der.len() - value.len() - 40] {
                let mut changed = der.clone();
                changed[at] ^= 1;
                assert!(verify(directory, &changed, CONTENT).is_err(), "{case} byte {at}");
                let ours = SignedData::parse(&changed).and_then(|data| data.verify(&content));
                assert!(ours.is_err(), "{case} byte {at}");
            }
        }
    }
}

#[test]
fn a_value_by_another_key_is_not_taken() {
    if !openssl_is_there() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    let (signer, chain) = open(directory, "ecpf-a1-moderno.p12");
    let digest = DigestAlgorithm::Sha256;
    let algorithm = signer.key_kind().signature_algorithm(digest).unwrap();
    let to_be_signed = ToBeSigned::new(&digest.digest(CONTENT), &signer, &chain, algorithm).unwrap();
    open(directory, "ecnpj-a1.p12");
    let value = sign(directory, digest, to_be_signed.bytes());
    assert_eq!(to_be_signed.complete(&value), Err(CmsError::SignatureWrong));
}

fn openssl_is_there() -> bool {
    let there = Command::new("openssl").arg("version").output().is_ok();
    if !there {
        left_out("openssl did not start: run `cargo xtask setup`");
    }
    there
}

/// The certificate and ordered chain of an A1 file; its key goes to `key.pem`.
fn open(directory: &Path, file: &str) -> (Certificate, Vec<Certificate>) {
    let password = format!("pass:{PASSWORD}");
    let read = |what: &[&str]| {
        let mut command = Command::new("openssl");
        command.args(["pkcs12", "-passin", &password, "-nodes", "-in"]).arg(a1(file)).args(what);
        succeeded(command.output().unwrap()).stdout
    };
    fs::write(directory.join("key.pem"), read(&["-nocerts"])).unwrap();
    let signer = certificate::from_pem_or_der(&read(&["-nokeys", "-clcerts"])).unwrap().remove(0);
    let pool = certificate::from_pem_or_der(&read(&["-nokeys"])).unwrap();
    let chain = trust::order_chain(&signer, &pool);
    (signer, chain)
}

fn sign(directory: &Path, digest: DigestAlgorithm, bytes: &[u8]) -> Vec<u8> {
    fs::write(directory.join("to-be-signed"), bytes).unwrap();
    let mut command = Command::new("openssl");
    command
        .current_dir(directory)
        .arg("dgst")
        .arg(format!("-{}", digest.name().replace('-', "").to_lowercase()))
        .args(["-sign", "key.pem", "to-be-signed"]);
    succeeded(command.output().unwrap()).stdout
}

/// OpenSSL's word, with the path to the root of the test PKI and the reference to the signer's
/// certificate (`-cades`).
fn verify(directory: &Path, der: &[u8], content: &[u8]) -> Result<(), String> {
    fs::write(directory.join("signature.der"), der).unwrap();
    fs::write(directory.join("content"), content).unwrap();
    let mut command = Command::new("openssl");
    command
        .current_dir(directory)
        .args(["cms", "-verify", "-cades", "-binary", "-inform", "DER", "-in", "signature.der"])
        .args(["-content", "content", "-out", "verified", "-purpose", "any", "-CAfile"])
        .arg(judges::test_root());
    let output = command.output().unwrap();
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

fn succeeded(output: Output) -> Output {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}
