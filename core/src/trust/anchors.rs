//! Trust anchors: those the caller gives, and the roots of ICP-Brasil, pinned by hash.

use crate::cms::certificate::Certificate;

/// SHA-256 of the root certificates of ICP-Brasil v5, v6, v10, v11 and v12. The certificates
/// themselves are not shipped: a root counts when it stands among those a path is built from.
const ICP_BRASIL: [[u8; 32]; 5] = [
    hex(b"caa53fc6091c6951887c976e378f6ef89aa6377c55d97b6475422b71ed7e9b17"),
    hex(b"3bdb9b509352f1d3d71c2bf64d9a38a4e6cebda27809d77f7ac476cbde6e314a"),
    hex(b"6e0bff069a26994c15de2c4888cc54af84882e5495b7fbf66be9ccffec7489f6"),
    hex(b"1406710058180fa4081aab3f246f1702429c552a11fa3143b84c88cb3ab8e5e7"),
    hex(b"d8478e37ce19c690cf657381e68fe600e4e1a042536830f06847e03e554c4b01"),
];

/// The certificates that are trusted by themselves.
#[derive(Debug, Clone)]
pub struct Anchors {
    given: Vec<Certificate>,
}

impl Anchors {
    /// `given` beside the roots of ICP-Brasil.
    pub const fn new(given: Vec<Certificate>) -> Self {
        Self { given }
    }

    /// Whether trust begins at `certificate`.
    pub fn contains(&self, certificate: &Certificate) -> bool {
        self.given.contains(certificate)
            || ICP_BRASIL.iter().any(|pin| pin == certificate.fingerprint().as_bytes())
    }

    pub(super) fn given(&self) -> &[Certificate] {
        &self.given
    }
}

/// 64 lower-case hexadecimal digits as bytes; a wrong digit does not compile.
#[expect(clippy::indexing_slicing, reason = "evaluated while compiling: a wrong index does not build")]
const fn hex(text: &[u8; 64]) -> [u8; 32] {
    let mut bytes = [0; 32];
    let mut index = 0;
    while index < 32 {
        bytes[index] = nibble(text[index * 2]) << 4 | nibble(text[index * 2 + 1]);
        index += 1;
    }
    bytes
}

#[expect(clippy::panic, reason = "evaluated while compiling: a wrong digit does not build")]
const fn nibble(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => panic!("a hexadecimal digit"),
    }
}
