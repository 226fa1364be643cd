//! Certificates of the test PKI, for tests of this crate.

use crate::cms::certificate::{Certificate, from_pem_or_der};

macro_rules! fixtures {
    ($constant:ident in $folder:literal: $($name:literal),* $(,)?) => {
        const $constant: &[(&str, &[u8])] = &[$((
            $name,
            include_bytes!(concat!("../../../../tests/fixtures/pki/", $folder, "/", $name, ".pem")),
        )),*];
    };
}

fixtures!(
    FIXTURES in "certificates":
    "ac1",
    "ac2",
    "alheia",
    "ana-a1",
    "brainpool",
    "cadeia-alheia",
    "ed25519",
    "ed448",
    "empresa",
    "empresa-alfanumerica",
    "expirado",
    "futuro",
    "jose-a3",
    "p256",
    "p384",
    "raiz-ec",
    "rsa-1024",
    "rsa-3072",
    "rsa-4096",
    "selo",
    "sem-nao-repudio",
    "sem-san",
    "serial-grande",
    "so-cifra",
    "tsa",
);

fixtures!(
    RULES in "rules":
    "below",
    "by-end",
    "by-no-cert-sign",
    "constrained",
    "critical",
    "crossed-by-other",
    "crossed-by-root",
    "crossed-end",
    "end",
    "excluded",
    "inside",
    "limited",
    "limited-end",
    "loop-a",
    "loop-b",
    "loop-end",
    "maze-a-1",
    "maze-a-2",
    "maze-a-3",
    "maze-a-4",
    "maze-b-1",
    "maze-b-2",
    "maze-b-3",
    "maze-b-4",
    "maze-end",
    "no-cert-sign",
    "other",
    "outside",
    "root",
    "sha1",
    "too-deep",
);

const ROOT: &[u8] = include_bytes!("../../../../tests/fixtures/pki/raiz.crt.pem");

/// The certificate in the file of that name.
pub(crate) fn certificate(name: &str) -> Certificate {
    find(FIXTURES, name)
}

/// One of the certificates that break rules of RFC 5280.
pub(crate) fn rule(name: &str) -> Certificate {
    find(RULES, name)
}

/// The root of the test PKI.
pub(crate) fn root() -> Certificate {
    from_pem_or_der(ROOT).unwrap().remove(0)
}

/// Every fixture.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Certificate)> {
    FIXTURES.iter().map(|(name, _)| (*name, certificate(name)))
}

fn find(fixtures: &[(&str, &[u8])], name: &str) -> Certificate {
    let (_, pem) = fixtures.iter().find(|(fixture, _)| *fixture == name).expect("a fixture of that name");
    from_pem_or_der(pem).unwrap().remove(0)
}
