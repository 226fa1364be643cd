//! The encryption dictionary of the standard security handler (ISO 32000-2, 7.6.2 to 7.6.5), parsed.

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Name, Object};
use crate::pdf::source::Source;

/// Crypt filters that one document may define.
const FILTERS: usize = 64;

/// What `/Encrypt` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EncryptionDictionary {
    pub(super) verifier: Verifier,
    /// `/P` (table 22).
    pub(super) access_permissions: u32,
    pub(super) encrypt_metadata: bool,
    /// `/StmF`.
    pub(super) streams: Method,
    /// `/StrF`.
    pub(super) strings: Method,
    /// `/EFF`.
    pub(super) embedded_files: Method,
    /// `/CF`, by name.
    pub(super) filters: Vec<(Name, Method)>,
}

/// What passwords are checked against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verifier {
    New(NewEntries),
    Old(OldEntries),
}

/// Revisions 5 and 6.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NewEntries {
    pub(super) revision: u8,
    pub(super) owner: [u8; 48],
    pub(super) user: [u8; 48],
    pub(super) owner_key: [u8; 32],
    pub(super) user_key: [u8; 32],
    pub(super) perms: Option<[u8; 16]>,
}

/// Revisions 2 to 4.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OldEntries {
    pub(super) revision: u8,
    pub(super) owner: [u8; 32],
    pub(super) user: [u8; 32],
    /// The first string of the trailer's `/ID`, empty where there is none.
    pub(super) identifier: Vec<u8>,
    /// Lengths of the file key in bytes, the likeliest first: writers err here, and `/U` decides.
    pub(super) key_lengths: Vec<usize>,
}

/// How a crypt filter encrypts (table 25).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    AesV2,
    AesV3,
    Identity,
    V2,
}

impl EncryptionDictionary {
    /// Reads `dictionary`, whose references lead to objects that are not decrypted.
    pub(super) fn read<S: Source>(
        document: &Document<S>,
        dictionary: &Dictionary,
        identifier: Vec<u8>,
    ) -> Result<Self, PdfError> {
        let entry = |key: &str| document.entry(dictionary, key);
        let filter = entry("Filter")?;
        if filter.as_name() != Some(b"Standard") {
            let recipients = dictionary.contains("Recipients") || filter.as_name() == Some(b"Adobe.PubSec");
            let what = if recipients || entry("SubFilter")?.as_name().is_some() {
                "for certain recipients, with their certificates"
            } else {
                "by a security handler that is not the standard one"
            };
            return Err(PdfError::Encrypted { what });
        }
        let small = |object: Object| object.as_integer().and_then(|value| u8::try_from(value).ok());
        let (version, revision) = (small(entry("V")?).unwrap_or(0), small(entry("R")?).unwrap_or(0));
        let permissions = entry("P")?.as_integer();
        // Some writers store the 32 bits as a positive number.
        let permissions = permissions.and_then(|value| u32::try_from(value & 0xffff_ffff).ok());
        let permissions =
            permissions.ok_or(PdfError::broken("the encryption dictionary has no permissions"))?;
        let mut found = Self {
            verifier: match (version, revision) {
                (1 | 2, 2 | 3) | (4, 4) => {
                    let key_lengths = key_lengths(document, dictionary, version)?;
                    Verifier::Old(OldEntries {
                        revision,
                        owner: bytes(&entry("O")?)?,
                        user: bytes(&entry("U")?)?,
                        identifier,
                        key_lengths,
                    })
                }
                (5, 5 | 6) => Verifier::New(NewEntries {
                    revision,
                    owner: bytes(&entry("O")?)?,
                    user: bytes(&entry("U")?)?,
                    owner_key: bytes(&entry("OE")?)?,
                    user_key: bytes(&entry("UE")?)?,
                    perms: bytes(&entry("Perms")?).ok(),
                }),
                (_, _) => return Err(PdfError::Encrypted { what: "in a way that is not supported" }),
            },
            access_permissions: permissions,
            encrypt_metadata: true,
            streams: Method::V2,
            strings: Method::V2,
            embedded_files: Method::V2,
            filters: Vec::new(),
        };
        if version >= 4 {
            found.encrypt_metadata = entry("EncryptMetadata")? != Object::Boolean(false);
            found.filters = filters(document, dictionary)?;
            let named = |key: &str, default: Method| {
                entry(key)?.as_name().map_or(Ok(default), |name| found.filter(name))
            };
            let (streams, strings) = (named("StmF", Method::Identity)?, named("StrF", Method::Identity)?);
            let embedded_files = named("EFF", streams)?;
            found = Self { streams, strings, embedded_files, ..found };
        }
        Ok(found)
    }

    /// The crypt filter `name` (7.6.5).
    pub(super) fn filter(&self, name: &[u8]) -> Result<Method, PdfError> {
        if name == b"Identity" {
            return Ok(Method::Identity);
        }
        let found = self.filters.iter().find(|(own, _)| own.0 == name).map(|(_, method)| *method);
        let found = found.filter(|method| *method != Method::AesV3 || self.is_new());
        found.ok_or(PdfError::Encrypted { what: "by a crypt filter that is not defined or not supported" })
    }

    /// Whether the file key has 256 bits.
    pub(super) const fn is_new(&self) -> bool {
        matches!(self.verifier, Verifier::New(_))
    }
}

fn filters<S: Source>(
    document: &Document<S>,
    dictionary: &Dictionary,
) -> Result<Vec<(Name, Method)>, PdfError> {
    let Object::Dictionary(all) = document.entry(dictionary, "CF")? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (name, filter) in all.iter().take(FILTERS) {
        let Object::Dictionary(filter) = document.resolve(filter)? else { continue };
        let method = match document.entry(&filter, "CFM")?.as_name() {
            Some(b"AESV2") => Method::AesV2,
            Some(b"AESV3") => Method::AesV3,
            Some(b"V2") => Method::V2,
            None | Some(b"None") => Method::Identity,
            // One that is not known harms only where it is used.
            Some(_) => continue,
        };
        found.push((name.clone(), method));
    }
    Ok(found)
}

/// `/Length` in bits as it should be, or in bytes as some have it; where both fail, what other
/// readers assume.
fn key_lengths<S: Source>(
    document: &Document<S>,
    dictionary: &Dictionary,
    version: u8,
) -> Result<Vec<usize>, PdfError> {
    let said = document.entry(dictionary, "Length")?.as_integer().and_then(|len| usize::try_from(len).ok());
    let said = said.and_then(|len| match len {
        5..=16 => Some(len),
        40..=128 if len.is_multiple_of(8) => Some(len / 8),
        _ => None,
    });
    let likely = match version {
        1 => Some(5),
        4 => Some(16),
        _ => said,
    };
    let mut lengths = Vec::new();
    for len in likely.into_iter().chain(said).chain([5, 16]) {
        if !lengths.contains(&len) {
            lengths.push(len);
        }
    }
    Ok(lengths)
}

/// The first bytes of a string; a short one is filled up with zeros, as other readers do.
fn bytes<const N: usize>(object: &Object) -> Result<[u8; N], PdfError> {
    let text = object.as_string().ok_or(PdfError::broken("the encryption dictionary lacks an entry"))?;
    let mut all = [0; N];
    for (place, byte) in all.iter_mut().zip(text) {
        *place = *byte;
    }
    Ok(all)
}
