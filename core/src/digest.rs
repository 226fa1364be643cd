//! Message digests: the algorithms (FIPS 180-4), a running digest, and its value.

use sha2::Digest as _;

/// A digest algorithm that signatures may use. SHA-1 is here only to read what others made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum DigestAlgorithm {
    /// SHA-1: recognised in old signatures, never produced.
    Sha1,
    /// SHA-256.
    #[default]
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// A finished digest with its algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Digest {
    algorithm: DigestAlgorithm,
    value: Vec<u8>,
}

/// A digest that is still being fed. Cloning keeps the state so far.
#[derive(Clone)]
pub struct RunningDigest(State);

#[derive(Clone)]
enum State {
    Sha1(sha1::Sha1),
    Sha256(sha2::Sha256),
    Sha384(sha2::Sha384),
    Sha512(sha2::Sha512),
}

impl DigestAlgorithm {
    /// The length of the value in bytes.
    pub const fn output_len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// The usual name, as shown and as written in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "SHA-1",
            Self::Sha256 => "SHA-256",
            Self::Sha384 => "SHA-384",
            Self::Sha512 => "SHA-512",
        }
    }

    /// The algorithm of that [`DigestAlgorithm::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Sha1, Self::Sha256, Self::Sha384, Self::Sha512]
            .into_iter()
            .find(|algorithm| algorithm.name() == name)
    }

    /// The digest of `bytes`.
    pub fn digest(self, bytes: &[u8]) -> Digest {
        let mut running = RunningDigest::new(self);
        running.update(bytes);
        running.finish()
    }
}

impl Digest {
    /// A digest made elsewhere; `None` where the length does not fit the algorithm.
    pub fn new(algorithm: DigestAlgorithm, value: Vec<u8>) -> Option<Self> {
        (value.len() == algorithm.output_len()).then_some(Self { algorithm, value })
    }

    /// A digest from its lower-case hexadecimal; `None` for anything else.
    pub fn from_hex(algorithm: DigestAlgorithm, text: &str) -> Option<Self> {
        let nibble = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let value = pairs.iter().map(|[high, low]| Some(nibble(*high)? << 4 | nibble(*low)?));
        let value = value.collect::<Option<Vec<u8>>>()?;
        rest.is_empty().then(|| Self::new(algorithm, value)).flatten()
    }

    /// The value in lower-case hexadecimal.
    pub fn to_hex(&self) -> String {
        self.value.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The algorithm it was made with.
    pub const fn algorithm(&self) -> DigestAlgorithm {
        self.algorithm
    }

    /// The value.
    pub fn as_bytes(&self) -> &[u8] {
        &self.value
    }
}

impl RunningDigest {
    /// A digest of nothing yet.
    pub fn new(algorithm: DigestAlgorithm) -> Self {
        Self(match algorithm {
            DigestAlgorithm::Sha1 => State::Sha1(sha1::Sha1::default()),
            DigestAlgorithm::Sha256 => State::Sha256(sha2::Sha256::default()),
            DigestAlgorithm::Sha384 => State::Sha384(sha2::Sha384::default()),
            DigestAlgorithm::Sha512 => State::Sha512(sha2::Sha512::default()),
        })
    }

    /// Feeds `bytes`.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            State::Sha1(state) => state.update(bytes),
            State::Sha256(state) => state.update(bytes),
            State::Sha384(state) => state.update(bytes),
            State::Sha512(state) => state.update(bytes),
        }
    }

    /// The algorithm.
    pub const fn algorithm(&self) -> DigestAlgorithm {
        match self.0 {
            State::Sha1(_) => DigestAlgorithm::Sha1,
            State::Sha256(_) => DigestAlgorithm::Sha256,
            State::Sha384(_) => DigestAlgorithm::Sha384,
            State::Sha512(_) => DigestAlgorithm::Sha512,
        }
    }

    /// The value of all that was fed.
    pub fn finish(self) -> Digest {
        let algorithm = self.algorithm();
        let value = match self.0 {
            State::Sha1(state) => state.finalize().to_vec(),
            State::Sha256(state) => state.finalize().to_vec(),
            State::Sha384(state) => state.finalize().to_vec(),
            State::Sha512(state) => state.finalize().to_vec(),
        };
        Digest { algorithm, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abc_gives_the_published_value() {
        let digest = DigestAlgorithm::Sha256.digest(b"abc");
        assert_eq!(digest.as_bytes()[..4], [0xba, 0x78, 0x16, 0xbf]);
        assert_eq!(digest.as_bytes().len(), DigestAlgorithm::Sha256.output_len());
    }

    #[test]
    fn names_and_hexadecimal_are_read_back_and_nothing_else() {
        let algorithms = [
            DigestAlgorithm::Sha1,
            DigestAlgorithm::Sha256,
            DigestAlgorithm::Sha384,
            DigestAlgorithm::Sha512,
        ];
        for algorithm in algorithms {
            let digest = algorithm.digest(b"abc");
            assert_eq!(DigestAlgorithm::from_name(algorithm.name()), Some(algorithm));
            assert_eq!(Digest::from_hex(algorithm, &digest.to_hex()), Some(digest.clone()));
            assert_eq!(Digest::from_hex(algorithm, &digest.to_hex().to_uppercase()), None);
            assert_eq!(Digest::from_hex(algorithm, &format!("{}0", digest.to_hex())), None);
            assert_eq!(Digest::from_hex(algorithm, &digest.to_hex()[2..]), None);
        }
        assert_eq!(DigestAlgorithm::from_name("sha-256"), None);
    }

    #[test]
    fn a_clone_keeps_the_state_so_far() {
        let mut first = RunningDigest::new(DigestAlgorithm::Sha512);
        first.update(b"a");
        let mut second = first.clone();
        first.update(b"bc");
        second.update(b"x");
        assert_eq!(first.finish(), DigestAlgorithm::Sha512.digest(b"abc"));
        assert_eq!(second.finish(), DigestAlgorithm::Sha512.digest(b"ax"));
    }
}
