//! A1 files: PKCS#12 (RFC 7292), opened with the password, in memory only while the host lives.

use std::path::Path;

use der::{AnyRef, Tag, Tagged as _, asn1::ObjectIdentifier};
use signer_ipc::{
    secret::Secret,
    token_host::{Failure, Scheme},
};
use spki::SubjectPublicKeyInfoOwned;
use zeroize::Zeroizing;

use crate::token::host::{
    Listed, ber, file,
    key::{Match, PrivateKey},
    pbe::{Password, PbeError},
    verify::{self, Input},
    walk::{Malformed, Walk, context, context_primitive},
};

/// More certificates or keys than this are refused.
const MAX_BAGS: usize = 256;

const CMS_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
const CMS_ENCRYPTED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.6");
const KEY_BAG: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.1");
const SHROUDED_KEY_BAG: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.2");
const CERTIFICATE_BAG: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.3");
const SAFE_CONTENTS_BAG: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.12.10.1.6");
const X509_CERTIFICATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.22.1");
const FRIENDLY_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.20");
const LOCAL_KEY_ID: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.21");

/// An A1 file: read, and perhaps unlocked.
pub(super) struct A1File {
    /// `PFX` in DER; it may hold keys in the clear.
    pfx: Zeroizing<Vec<u8>>,
    unlocked: Option<Unlocked>,
}

/// What an unlocked file can sign with.
struct Unlocked {
    certificates: Vec<Certificate>,
    pairs: Vec<Pair>,
}

/// A certificate, by its place in the file, and its key.
struct Pair {
    certificate: usize,
    public: SubjectPublicKeyInfoOwned,
    key: PrivateKey,
    friendly_name: Option<String>,
}

/// What is needed of a file to store one of its keys.
pub(super) struct KeyWithCertificates<'a> {
    pub(super) key: &'a PrivateKey,
    pub(super) certificate: &'a [u8],
    pub(super) chain: Vec<&'a [u8]>,
}

struct Certificate {
    der: Vec<u8>,
    attributes: Attributes,
}

struct Key {
    key: PrivateKey,
    attributes: Attributes,
}

#[derive(Default)]
struct Attributes {
    friendly_name: Option<String>,
    local_key_id: Option<Vec<u8>>,
}

/// What the bags of a file hold.
#[derive(Default)]
struct Contents {
    certificates: Vec<Certificate>,
    keys: Vec<Key>,
}

/// Whether a wrong password would have been noticed already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Integrity {
    /// The MAC was right.
    Checked,
    /// There is none.
    Unknown,
}

impl A1File {
    /// Reads the file at `path`, which must be a plain one, and looks whether it may be PKCS#12.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let bytes = file::read(path)?;
        let pfx = ber::to_der(&bytes).map_err(|ber::NotBer| damaged("it is cut or is not BER"))?;
        authenticated_safe(&pfx).map_err(|Malformed| damaged("it has no PFX"))?;
        Ok(Self { pfx, unlocked: None })
    }

    /// Opens everything with the password and pairs keys with certificates.
    pub(super) fn unlock(&mut self, secret: &Secret) -> Result<(), Failure> {
        let mut password = Password::new(secret);
        let (safe, mac) = authenticated_safe(&self.pfx).map_err(|Malformed| damaged("it has no PFX"))?;
        let integrity = match mac {
            Some(mac) => {
                password.check_mac(mac, safe).map_err(|error| failure(error, Integrity::Unknown))?;
                Integrity::Checked
            }
            None => Integrity::Unknown,
        };
        let contents = read_contents(safe, &mut password).map_err(|error| failure(error, integrity))?;
        self.unlocked = Some(pair(contents)?);
        Ok(())
    }

    /// Every certificate with its key; the others go along as possible issuers.
    pub(super) fn credentials(&self) -> Result<Vec<Listed>, Failure> {
        let unlocked = self.unlocked.as_ref().ok_or(Failure::PinNeeded)?;
        let listed = unlocked.pairs.iter().zip(0_u32..).filter_map(|(pair, id)| {
            let own = unlocked.certificates.get(pair.certificate)?;
            let others = unlocked.certificates.iter().filter(|other| other.der != own.der);
            Some(Listed {
                id,
                token_label: None,
                friendly_name: pair.friendly_name.clone(),
                certificate: own.der.clone(),
                issuers: others.map(|other| other.der.clone()).collect(),
                always_authenticate: false,
            })
        });
        Ok(listed.collect())
    }

    /// A key of [`A1File::credentials`] with its certificate and the others.
    pub(super) fn key(&self, credential: u32) -> Result<KeyWithCertificates<'_>, Failure> {
        let unlocked = self.unlocked.as_ref().ok_or(Failure::PinNeeded)?;
        let index = usize::try_from(credential).map_err(|_| Failure::CredentialUnknown)?;
        let pair = unlocked.pairs.get(index).ok_or(Failure::CredentialUnknown)?;
        let own = unlocked.certificates.get(pair.certificate).ok_or(Failure::CredentialUnknown)?;
        let others = unlocked.certificates.iter().filter(|other| other.der != own.der);
        Ok(KeyWithCertificates {
            key: &pair.key,
            certificate: &own.der,
            chain: others.map(|other| other.der.as_slice()).collect(),
        })
    }

    /// Signs with a key of [`A1File::credentials`].
    pub(super) fn sign(&self, credential: u32, scheme: Scheme, input: Input<'_>) -> Result<Vec<u8>, Failure> {
        let unlocked = self.unlocked.as_ref().ok_or(Failure::PinNeeded)?;
        let index = usize::try_from(credential).map_err(|_| Failure::CredentialUnknown)?;
        let pair = unlocked.pairs.get(index).ok_or(Failure::CredentialUnknown)?;
        let value = pair.key.sign(scheme, input)?;
        verify::check(&pair.public, scheme, input, &value)?;
        Ok(value)
    }
}

/// The content that the MAC covers, and the MAC's own data where there is one.
fn authenticated_safe(pfx: &[u8]) -> Result<(&[u8], Option<&[u8]>), Malformed> {
    let mut fields = Walk::sequence(pfx)?;
    if fields.count()? != 3 {
        return Err(Malformed);
    }
    let mut content = Walk::sequence(fields.encoded()?)?;
    if content.oid()? != CMS_DATA {
        return Err(Malformed);
    }
    let safe = Walk::over(content.value(context(0))?)?.value(Tag::OctetString)?;
    let mac = if fields.is_finished() { None } else { Some(fields.encoded()?) };
    Ok((safe, mac))
}

/// Reads every safe and every bag, safes inside safes one after the other.
fn read_contents(safe: &[u8], password: &mut Password) -> Result<Contents, PbeError> {
    let safe = ber::to_der(safe).map_err(|ber::NotBer| PbeError::Malformed)?;
    let mut waiting = Vec::new();
    let mut infos = Walk::sequence(&safe)?;
    while !infos.is_finished() {
        let mut info = Walk::sequence(infos.encoded()?)?;
        let oid = info.oid()?;
        let mut content = Walk::over(info.value(context(0))?)?;
        match oid {
            CMS_DATA => waiting.push(to_der(content.value(Tag::OctetString)?)?),
            CMS_ENCRYPTED_DATA => waiting.push(decrypted(content.encoded()?, password)?),
            other => return Err(PbeError::Unsupported(format!("content {other}"))),
        }
    }
    let mut contents = Contents::default();
    while let Some(safe) = waiting.pop() {
        let mut bags = Walk::sequence(&safe)?;
        while !bags.is_finished() {
            if waiting.len() + contents.certificates.len() + contents.keys.len() > MAX_BAGS {
                return Err(PbeError::TooExpensive);
            }
            let mut bag = Walk::sequence(bags.encoded()?)?;
            let oid = bag.oid()?;
            let value = bag.value(context(0))?;
            let attributes = read_attributes(bag.next_if(Tag::Set)?)?;
            match oid {
                KEY_BAG => contents.keys.push(Key { key: PrivateKey::from_pkcs8(value)?, attributes }),
                SHROUDED_KEY_BAG => {
                    let mut fields = Walk::sequence(value)?;
                    let (algorithm, ciphertext) = (fields.encoded()?, fields.value(Tag::OctetString)?);
                    let plaintext = password.decrypt(algorithm, ciphertext)?;
                    let plaintext = plaintext_to_der(&plaintext)?;
                    let key =
                        PrivateKey::from_pkcs8(&plaintext).map_err(|Malformed| PbeError::WrongPassword)?;
                    contents.keys.push(Key { key, attributes });
                }
                CERTIFICATE_BAG => {
                    let mut fields = Walk::sequence(value)?;
                    if fields.oid()? == X509_CERTIFICATE {
                        let der = Walk::over(fields.value(context(0))?)?.value(Tag::OctetString)?.to_vec();
                        contents.certificates.push(Certificate { der, attributes });
                    }
                }
                SAFE_CONTENTS_BAG => waiting.push(Zeroizing::new(value.to_vec())),
                // CRLs and secrets of other kinds are nothing to sign with.
                _ => {}
            }
        }
    }
    Ok(contents)
}

/// `EncryptedData` (RFC 5652, section 8), decrypted.
fn decrypted(encrypted_data: &[u8], password: &mut Password) -> Result<Zeroizing<Vec<u8>>, PbeError> {
    let mut fields = Walk::sequence(encrypted_data)?;
    fields.count()?;
    let mut info = Walk::sequence(fields.encoded()?)?;
    info.oid()?;
    let algorithm = info.encoded()?;
    // `[0] IMPLICIT OCTET STRING`: in one piece, or constructed of several.
    let plaintext = match info.next_if(context_primitive(0))? {
        Some(whole) => password.decrypt(algorithm, whole.value())?,
        None => {
            let mut pieces = Walk::over(info.value(context(0))?)?;
            let mut ciphertext = Vec::new();
            while !pieces.is_finished() {
                ciphertext.extend_from_slice(pieces.value(Tag::OctetString)?);
            }
            password.decrypt(algorithm, &ciphertext)?
        }
    };
    plaintext_to_der(&plaintext)
}

/// A wrong password can go unnoticed by the padding; what comes out is no BER then.
fn plaintext_to_der(plaintext: &[u8]) -> Result<Zeroizing<Vec<u8>>, PbeError> {
    ber::to_der(plaintext).map_err(|ber::NotBer| PbeError::WrongPassword)
}

fn to_der(bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>, PbeError> {
    ber::to_der(bytes).map_err(|ber::NotBer| PbeError::Malformed)
}

fn read_attributes(set: Option<AnyRef<'_>>) -> Result<Attributes, Malformed> {
    let mut attributes = Attributes::default();
    let Some(set) = set else { return Ok(attributes) };
    let mut set = Walk::over(set.value())?;
    while !set.is_finished() {
        let mut attribute = Walk::sequence(set.encoded()?)?;
        let oid = attribute.oid()?;
        let mut values = Walk::over(attribute.value(Tag::Set)?)?;
        if values.is_finished() {
            continue;
        }
        let value = values.next()?;
        match oid {
            FRIENDLY_NAME if value.tag() == Tag::BmpString => {
                let units = value.value().chunks_exact(2).map(|pair| match *pair {
                    [high, low] => u16::from_be_bytes([high, low]),
                    _ => 0,
                });
                let name: String = char::decode_utf16(units)
                    .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .take(256)
                    .collect();
                attributes.friendly_name = Some(name);
            }
            LOCAL_KEY_ID if value.tag() == Tag::OctetString => {
                attributes.local_key_id = Some(value.value().to_vec());
            }
            _ => {}
        }
    }
    Ok(attributes)
}

/// Finds the certificates of each key: by the public key, and only where the key does not tell
/// it by what the file says (`localKeyId`).
fn pair(contents: Contents) -> Result<Unlocked, Failure> {
    let Contents { certificates, keys } = contents;
    if keys.is_empty() {
        return Err(Failure::NoPrivateKey);
    }
    let publics: Vec<_> =
        certificates.iter().map(|certificate| verify::public_key(&certificate.der)).collect();
    let mut pairs: Vec<Pair> = Vec::new();
    for Key { key, attributes } in keys {
        let said = |certificate: &Certificate| {
            attributes.local_key_id.is_some()
                && certificate.attributes.local_key_id == attributes.local_key_id
        };
        let found =
            certificates.iter().zip(&publics).enumerate().find_map(|(index, (certificate, public))| {
                let public = public.as_ref()?;
                let fits = match key.matches(public) {
                    Match::Yes => true,
                    Match::Unknown => said(certificate),
                    Match::No => false,
                };
                (fits && pairs.iter().all(|pair| pair.certificate != index)).then(|| (index, public.clone()))
            });
        if let Some((certificate, public)) = found {
            let own = certificates.get(certificate).and_then(|own| own.attributes.friendly_name.clone());
            pairs.push(Pair { certificate, public, key, friendly_name: own.or(attributes.friendly_name) });
        }
    }
    if pairs.is_empty() {
        return Err(if certificates.is_empty() {
            damaged("it holds no certificate")
        } else {
            Failure::KeyMismatch
        });
    }
    Ok(Unlocked { certificates, pairs })
}

fn failure(error: PbeError, integrity: Integrity) -> Failure {
    match (error, integrity) {
        (PbeError::Unsupported(kind), _) => Failure::KeyUnsupported { kind },
        (PbeError::TooExpensive, _) => damaged("its key derivation or its size passes what is reasonable"),
        (PbeError::WrongPassword, Integrity::Unknown) => Failure::PasswordIncorrect,
        (PbeError::WrongPassword, Integrity::Checked) => damaged("its content cannot be decrypted"),
        (PbeError::Malformed, Integrity::Checked | Integrity::Unknown) => damaged("its content is malformed"),
    }
}

fn damaged(reason: &str) -> Failure {
    Failure::FileDamaged { reason: reason.to_owned() }
}
