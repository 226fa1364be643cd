//! OpenSSL judges the signature values of a token host.

use std::{fs, process::Command};

use signer_core::{algorithm::SignatureAlgorithm, digest::DigestAlgorithm};
use signer_service::token::client::HostCredential;

use crate::MESSAGE;

/// OpenSSL's opinion on a signature value.
pub(crate) fn openssl_accepts(
    credential: &HostCredential,
    algorithm: SignatureAlgorithm,
    value: &[u8],
) -> bool {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name);
    fs::write(place("certificate.der"), &credential.certificate_der).unwrap();
    fs::write(place("message"), MESSAGE).unwrap();
    fs::write(place("value"), value).unwrap();
    let key = Command::new("openssl")
        .args(["x509", "-inform", "DER", "-noout", "-pubkey", "-in"])
        .arg(place("certificate.der"))
        .output()
        .unwrap();
    fs::write(place("key.pem"), key.stdout).unwrap();
    let digest = match algorithm.digest() {
        DigestAlgorithm::Sha1 => "-sha1",
        DigestAlgorithm::Sha256 => "-sha256",
        DigestAlgorithm::Sha384 => "-sha384",
        DigestAlgorithm::Sha512 => "-sha512",
    };
    Command::new("openssl")
        .args(["dgst", digest, "-verify"])
        .arg(place("key.pem"))
        .arg("-signature")
        .args([place("value"), place("message")])
        .output()
        .unwrap()
        .status
        .success()
}
