//! The kind of an ICP-Brasil certificate (DOC-ICP-04), from its policies.

use crate::cms::certificate::Certificate;

/// The kind of certificate. The object identifiers of the electronic seals (SE-S, SE-H) and of
/// applications (AE-S, AE-H) of Resolution 211/2024 are not confirmed, so those are
/// [`Kind::Unknown`] for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Signature, key made in software.
    A1,
    /// Signature, key made in software, kept in hardware.
    A2,
    /// Signature, key made and kept in hardware.
    A3,
    /// Signature, key made and kept in hardware, longest validity.
    A4,
    /// Confidentiality.
    S1,
    /// Confidentiality.
    S2,
    /// Confidentiality.
    S3,
    /// Confidentiality.
    S4,
    /// Time-stamping.
    T3,
    /// Time-stamping.
    T4,
    /// None of ICP-Brasil that is known here.
    Unknown,
}

impl Kind {
    /// The kind that the first known policy of the certificate names: the arc
    /// `2.16.76.1.2.kind.n`, where `n` is the authority's number, of any size.
    pub fn of(certificate: &Certificate) -> Self {
        let known = |policy: String| {
            let (kind, _) = policy.strip_prefix("2.16.76.1.2.")?.split_once('.')?;
            Self::from_arc(kind)
        };
        certificate.policies().iter().find_map(|policy| known(policy.to_string())).unwrap_or(Self::Unknown)
    }

    /// The kind as people and programs read it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A1 => "A1",
            Self::A2 => "A2",
            Self::A3 => "A3",
            Self::A4 => "A4",
            Self::S1 => "S1",
            Self::S2 => "S2",
            Self::S3 => "S3",
            Self::S4 => "S4",
            Self::T3 => "T3",
            Self::T4 => "T4",
            Self::Unknown => "unknown",
        }
    }

    fn from_arc(arc: &str) -> Option<Self> {
        match arc {
            "1" => Some(Self::A1),
            "2" => Some(Self::A2),
            "3" => Some(Self::A3),
            "4" => Some(Self::A4),
            "101" => Some(Self::S1),
            "102" => Some(Self::S2),
            "103" => Some(Self::S3),
            "104" => Some(Self::S4),
            "303" => Some(Self::T3),
            "304" => Some(Self::T4),
            _ => None,
        }
    }
}
