//! What a signature field asks of its signature: the seed value dictionary (ISO 32000-2, 12.7.5.5,
//! table 237) and the one for certificates in it (table 238). Read here; whether a signature has
//! what is asked is for whoever makes it.

#[cfg(test)]
mod tests;

use std::fmt;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::object::{Dictionary, Object};
use crate::pdf::permission::Permission;
use crate::pdf::source::Source;
use crate::pdf::text;

/// Items that one array of a seed value may have.
const ITEMS: usize = 1000;
/// Values in one array, nested ones counted, with a share of their texts.
const WEIGHT: usize = 1 << 16;
/// Bytes of one attribute of a name that are looked at; no certificate has more.
const ATTRIBUTE_BYTES: usize = 64 << 10;
/// How much of what is asked is told, in characters.
const TOLD: usize = 200;
/// What forbids a reason where it is the only one (table 237, `Reasons`).
const NO_REASON: &str = ".";

/// An entry of the seed value dictionary or of the one for certificates, and the field's lock,
/// which asks for something too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SeedValueEntry {
    /// `AddRevInfo`: revocation information within the signature.
    AddRevInfo,
    /// `AppearanceFilter`: an appearance by its name.
    AppearanceFilter,
    /// `Cert`, `Issuer`: issuers of whom one is above the signer.
    CertIssuer,
    /// `Cert`, `KeyUsage`: bits of the key usage.
    CertKeyUsage,
    /// `Cert`, `OID`: certificate policies.
    CertOid,
    /// `Cert`, `SignaturePolicyOID`: a signature policy.
    CertSignaturePolicy,
    /// `Cert`, `Subject`: certificates of which one signs.
    CertSubject,
    /// `Cert`, `SubjectDN`: attributes of the signer's name.
    CertSubjectDn,
    /// `DigestMethod`: digests.
    DigestMethod,
    /// `Filter`: a signature handler.
    Filter,
    /// `LegalAttestation`: words that go with a certification.
    LegalAttestation,
    /// `/P` of the field's lock, not of its seed value.
    Lock,
    /// `LockDocument`: whether nothing may be changed afterwards.
    LockDocument,
    /// `MDP`: an approval, or a certification and what it permits.
    Mdp,
    /// `Reasons`: reasons to choose from.
    Reasons,
    /// `SubFilter`: forms of signature.
    SubFilter,
    /// `TimeStamp`: a time-stamp.
    TimeStamp,
    /// `V`: the version of the dictionary.
    Version,
}

/// Whether an entry must be met, or is what the author would like (`Ff`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Constraint {
    /// A signature without it is not made.
    Required,
    /// Followed where that is possible.
    Preferred,
}

/// A seed value dictionary. Empty lists stand for absent ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeedValue {
    flags: i64,
    /// `Filter`.
    pub filter: Option<String>,
    /// `SubFilter`, the best first.
    pub sub_filters: Vec<String>,
    /// `DigestMethod`.
    pub digest_methods: Vec<String>,
    /// `V`.
    pub version: Option<f64>,
    /// `Reasons`.
    pub reasons: Vec<String>,
    /// `P` of `MDP`.
    pub mdp: Option<Mdp>,
    /// `Ff` of `TimeStamp`, where that is.
    pub time_stamp: Option<Constraint>,
    /// `LegalAttestation`.
    pub legal_attestations: Vec<String>,
    /// `AddRevInfo`.
    pub revocation_values: Option<Presence>,
    /// `LockDocument`.
    pub lock_document: Option<LockDocument>,
    /// `AppearanceFilter`.
    pub appearance_filter: Option<String>,
    /// `Cert`.
    pub certificate: CertificateSeedValue,
}

/// The type of signature that `MDP` asks for. It has no flag: where it is, it must be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mdp {
    /// 0: an approval.
    Approval,
    /// 1 to 3: a certification.
    Certification(Permission),
}

/// Whether something shall be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// No.
    Absent,
    /// Yes.
    Present,
}

/// Whether the document shall be locked by the signature. `auto` leaves it to the signer, as no
/// entry does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockDocument {
    /// No.
    No,
    /// Yes: nothing may be changed afterwards.
    Yes,
}

/// A certificate seed value dictionary. Empty lists stand for absent ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CertificateSeedValue {
    flags: i64,
    /// `Subject`: certificates in DER.
    pub subjects: Vec<Vec<u8>>,
    /// `SubjectDN`: names of attributes and their values, of all its dictionaries.
    pub subject_attributes: Vec<(String, String)>,
    /// `KeyUsage`: one text of `1`, `0` and `X` for each acceptable set of bits.
    pub key_usages: Vec<String>,
    /// `Issuer`: certificates in DER.
    pub issuers: Vec<Vec<u8>>,
    /// `OID`.
    pub policies: Vec<String>,
    /// `SignaturePolicyOID`.
    pub signature_policy: Option<String>,
}

/// What makes an entry required.
enum Flag {
    /// It always is.
    Always,
    /// It never is.
    Never,
    /// A bit of `Ff` in `Cert`.
    OfCertificate(i64),
    /// A bit of `Ff`.
    OfField(i64),
    /// `Ff` of the entry itself.
    OfTimeStamp,
}

impl SeedValueEntry {
    /// The entry as the standard writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AddRevInfo => "AddRevInfo",
            Self::AppearanceFilter => "AppearanceFilter",
            Self::CertIssuer => "Cert/Issuer",
            Self::CertKeyUsage => "Cert/KeyUsage",
            Self::CertOid => "Cert/OID",
            Self::CertSignaturePolicy => "Cert/SignaturePolicyOID",
            Self::CertSubject => "Cert/Subject",
            Self::CertSubjectDn => "Cert/SubjectDN",
            Self::DigestMethod => "DigestMethod",
            Self::Filter => "Filter",
            Self::LegalAttestation => "LegalAttestation",
            Self::Lock => "Lock",
            Self::LockDocument => "LockDocument",
            Self::Mdp => "MDP",
            Self::Reasons => "Reasons",
            Self::SubFilter => "SubFilter",
            Self::TimeStamp => "TimeStamp",
            Self::Version => "V",
        }
    }

    const fn flag(self) -> Flag {
        match self {
            Self::CertSubject => Flag::OfCertificate(1),
            Self::CertIssuer => Flag::OfCertificate(1 << 1),
            Self::CertOid => Flag::OfCertificate(1 << 2),
            Self::CertSubjectDn => Flag::OfCertificate(1 << 3),
            Self::CertKeyUsage => Flag::OfCertificate(1 << 5),
            Self::Filter => Flag::OfField(1),
            Self::SubFilter => Flag::OfField(1 << 1),
            Self::Version => Flag::OfField(1 << 2),
            Self::Reasons => Flag::OfField(1 << 3),
            Self::LegalAttestation => Flag::OfField(1 << 4),
            Self::AddRevInfo => Flag::OfField(1 << 5),
            Self::DigestMethod => Flag::OfField(1 << 6),
            Self::LockDocument => Flag::OfField(1 << 7),
            Self::AppearanceFilter => Flag::OfField(1 << 8),
            Self::TimeStamp => Flag::OfTimeStamp,
            Self::Lock | Self::Mdp => Flag::Always,
            Self::CertSignaturePolicy => Flag::Never,
        }
    }

    /// The error of a signature that lacks what this entry asks for, here in words of the field.
    pub(crate) fn unmet(self, wanted: impl AsRef<str>) -> PdfError {
        let plain = wanted.as_ref().chars().filter(|c| !c.is_control());
        let mut wanted: String = plain.clone().take(TOLD).collect();
        if plain.count() > TOLD {
            wanted.push('…');
        }
        PdfError::SeedValueUnmet { entry: self, wanted }
    }
}

impl fmt::Display for SeedValueEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl SeedValue {
    /// Whether an entry must be met.
    pub fn constraint(&self, entry: SeedValueEntry) -> Constraint {
        let required = match entry.flag() {
            Flag::OfCertificate(bit) => self.certificate.flags & bit != 0,
            Flag::OfField(bit) => self.flags & bit != 0,
            Flag::Always => true,
            Flag::Never => false,
            Flag::OfTimeStamp => self.time_stamp == Some(Constraint::Required),
        };
        if required { Constraint::Required } else { Constraint::Preferred }
    }

    /// The reason to give where `given` is what the signer says: that one or, where nothing is
    /// said and the field leaves no choice, the field's.
    ///
    /// # Errors
    /// [`PdfError::SeedValueUnmet`] where the field requires another reason, or none at all.
    pub fn reason<'a>(&'a self, given: Option<&'a str>) -> Result<Option<&'a str>, PdfError> {
        if self.constraint(SeedValueEntry::Reasons) == Constraint::Preferred {
            return Ok(given);
        }
        let unmet = || {
            let reasons: Vec<String> = self.reasons.iter().map(|reason| format!("({reason})")).collect();
            Err(SeedValueEntry::Reasons.unmet(reasons.join(" ")))
        };
        match (self.reasons.as_slice(), given) {
            // A required list that is missing forbids a reason, like the one with a period only.
            ([], None) => Ok(None),
            ([only], None) if only == NO_REASON => Ok(None),
            ([], Some(_)) => Err(SeedValueEntry::Reasons.unmet("no reason")),
            ([only], Some(_)) if only == NO_REASON => Err(SeedValueEntry::Reasons.unmet("no reason")),
            ([only], None) => Ok(Some(only)),
            (reasons, Some(given)) if reasons.iter().any(|reason| reason == given) => Ok(Some(given)),
            (_, Some(_) | None) => unmet(),
        }
    }
}

impl<S: Source> Document<S> {
    /// The seed value of a field, if it has one.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn seed_value(&self, field: &SignatureField) -> Result<Option<SeedValue>, PdfError> {
        let Object::Dictionary(found) = self.entry(&field.dictionary, "SV")? else { return Ok(None) };
        let name = |key| -> Result<Option<String>, PdfError> { Ok(word(&self.entry(&found, key)?)) };
        let mdp = self.entry(&found, "MDP")?.into_dictionary().unwrap_or_default();
        let mdp = self.entry(&mdp, "P")?;
        let mdp = (mdp != Object::Null).then(|| match mdp.as_integer() {
            Some(0) => Mdp::Approval,
            number => Mdp::Certification(Permission::from_number(number.unwrap_or_default())),
        });
        let time_stamp = match self.entry(&found, "TimeStamp")?.into_dictionary() {
            Some(stamp) => {
                let flags = self.entry(&stamp, "Ff")?.as_integer().unwrap_or_default();
                Some(if flags & 1 != 0 { Constraint::Required } else { Constraint::Preferred })
            }
            None => None,
        };
        // A name in the standard, a boolean at some producers.
        let boolean = |key| -> Result<Option<bool>, PdfError> {
            let value = self.entry(&found, key)?;
            let known = [("true", true), ("false", false)];
            let is = |name: &str, truth| value == Object::Boolean(truth) || value == Object::name(name);
            Ok(known.into_iter().find(|(name, truth)| is(name, *truth)).map(|(_, truth)| truth))
        };
        let revocation_values = boolean("AddRevInfo")?;
        let revocation_values =
            revocation_values.map(|add| if add { Presence::Present } else { Presence::Absent });
        let lock_document = boolean("LockDocument")?;
        let lock_document = lock_document.map(|lock| if lock { LockDocument::Yes } else { LockDocument::No });
        let certificate = self.entry(&found, "Cert")?.into_dictionary().unwrap_or_default();
        Ok(Some(SeedValue {
            flags: self.entry(&found, "Ff")?.as_integer().unwrap_or_default(),
            filter: name("Filter")?,
            sub_filters: self.words(&found, "SubFilter")?,
            digest_methods: self.words(&found, "DigestMethod")?,
            version: self.entry(&found, "V")?.as_number(),
            reasons: self.words(&found, "Reasons")?,
            mdp,
            time_stamp,
            legal_attestations: self.words(&found, "LegalAttestation")?,
            revocation_values,
            lock_document,
            appearance_filter: name("AppearanceFilter")?,
            certificate: self.certificate_seed_value(&certificate)?,
        }))
    }

    fn certificate_seed_value(&self, found: &Dictionary) -> Result<CertificateSeedValue, PdfError> {
        let bytes = |key| -> Result<Vec<Vec<u8>>, PdfError> {
            let items = self.items(found, key)?;
            Ok(items.iter().filter_map(|item| item.as_string().map(<[u8]>::to_vec)).collect())
        };
        let mut subject_attributes = Vec::new();
        for names in self.items(found, "SubjectDN")? {
            let Object::Dictionary(names) = names else { continue };
            for (key, value) in names.iter() {
                if subject_attributes.len() == ITEMS {
                    return Err(PdfError::Limit { what: "the size of a seed value" });
                }
                let value = self.resolve(value)?;
                let value = value.as_string().unwrap_or_default();
                let value = text::decode(value.get(..value.len().min(ATTRIBUTE_BYTES)).unwrap_or_default());
                subject_attributes.push((text::decode(&key.0), value));
            }
        }
        Ok(CertificateSeedValue {
            flags: self.entry(found, "Ff")?.as_integer().unwrap_or_default(),
            subjects: bytes("Subject")?,
            subject_attributes,
            key_usages: self.words(found, "KeyUsage")?,
            issuers: bytes("Issuer")?,
            policies: self.words(found, "OID")?,
            signature_policy: word(&self.entry(found, "SignaturePolicyOID")?),
        })
    }

    /// The names or texts in the array at `key`; one alone counts as an array of it.
    fn words(&self, dictionary: &Dictionary, key: &str) -> Result<Vec<String>, PdfError> {
        Ok(self.items(dictionary, key)?.iter().filter_map(word).collect())
    }

    fn items(&self, dictionary: &Dictionary, key: &str) -> Result<Vec<Object>, PdfError> {
        let value = self.entry(dictionary, key)?;
        if value == Object::Null {
            return Ok(Vec::new());
        }
        let one = || vec![value.clone()];
        let items = value.as_array().map_or_else(one, <[Object]>::to_vec);
        let too_much = PdfError::Limit { what: "the size of a seed value" };
        if items.len() > ITEMS {
            return Err(too_much);
        }
        let mut weight = 0;
        let mut found = Vec::new();
        for item in &items {
            let item = self.resolve(item)?;
            weight += item.weight();
            if weight > WEIGHT {
                return Err(too_much);
            }
            found.push(item);
        }
        Ok(found)
    }
}

/// A name or a text string: producers write either for the other.
fn word(object: &Object) -> Option<String> {
    match object {
        Object::Name(name) => Some(String::from_utf8_lossy(&name.0).into_owned()),
        Object::String(bytes) => Some(text::decode(bytes)),
        Object::Null
        | Object::Boolean(_)
        | Object::Integer(_)
        | Object::Real(_)
        | Object::Array(_)
        | Object::Dictionary(_)
        | Object::Reference(_) => None,
    }
}
