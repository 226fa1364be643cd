//! The objects of a token: certificates, private keys, and which belongs to which.

use cryptoki::{
    error::Error,
    object::{Attribute, AttributeInfo, AttributeType, ObjectClass, ObjectHandle},
    session::Session,
};
use der::{Decode as _, Tag};
use spki::SubjectPublicKeyInfoOwned;
use x509_cert::{
    certificate::{CertificateInner, Raw},
    ext::pkix::BasicConstraints,
};

use crate::token::host::{
    module::raw::{CertificateAttributes, Functions},
    walk::Walk,
};

/// More objects of one class than this are not looked at.
const MAX_OBJECTS: usize = 256;
/// More certificates of authorities than this are not told.
const MAX_AUTHORITIES: usize = 32;
/// Longer attributes are taken for absent: a certificate is the longest that is read.
const MAX_ATTRIBUTE_LEN: usize = 64 << 10;

/// What a token shows.
pub(super) struct Contents {
    pub(super) credentials: Vec<Found>,
    /// The certificates of authorities, for chains.
    pub(super) authorities: Vec<Vec<u8>>,
}

/// A certificate that has, or may have, its private key on the token.
pub(super) struct Found {
    pub(super) certificate: Vec<u8>,
    pub(super) read: Read,
    /// `CKA_ID` of the private key, or of the certificate while keys are hidden.
    pub(super) key_id: Vec<u8>,
    pub(super) label: Option<String>,
    /// Whether the key wants the PIN for each signature; not known while keys are hidden.
    pub(super) always_authenticate: bool,
}

/// A private key.
pub(super) struct Key {
    pub(super) handle: ObjectHandle,
    pub(super) always_authenticate: bool,
}

/// What is read of a certificate itself.
#[derive(Clone)]
pub(super) struct Read {
    pub(super) public: SubjectPublicKeyInfoOwned,
    is_authority: bool,
}

struct Certificate {
    der: Vec<u8>,
    id: Vec<u8>,
    label: Option<String>,
    read: Read,
}

/// Lists what can sign. Private keys are usually hidden before login: every certificate that is
/// not an authority's is listed then.
/// A certificate that is `known` is not read again.
pub(super) fn credentials(
    functions: &Functions,
    session: &Session,
    logged_in: bool,
    known: impl Fn(&[u8]) -> Option<Read>,
) -> Result<Contents, Error> {
    let certificates = certificates(functions, session, known)?;
    let keys = find(session, &[Attribute::Class(ObjectClass::PRIVATE_KEY)])?;
    let hidden = keys.is_empty() && !logged_in;
    let mut credentials = Vec::new();
    for certificate in &certificates {
        let key = if hidden {
            (!certificate.read.is_authority).then(|| (certificate.id.clone(), false))
        } else {
            key_of(session, &keys, &certificate.id, &certificate.read.public).map(|key| {
                let id = bytes(session, key, AttributeType::Id).unwrap_or_default();
                (id, always_authenticates(session, key))
            })
        };
        if let Some((key_id, always_authenticate)) = key {
            credentials.push(Found {
                certificate: certificate.der.clone(),
                read: certificate.read.clone(),
                key_id,
                label: certificate.label.clone(),
                always_authenticate,
            });
        }
    }
    let authorities = certificates.into_iter().filter(|certificate| certificate.read.is_authority);
    let authorities = authorities.map(|certificate| certificate.der).take(MAX_AUTHORITIES).collect();
    Ok(Contents { credentials, authorities })
}

/// The private key with `id` that belongs to `public`.
pub(super) fn private_key(
    session: &Session,
    id: &[u8],
    public: &SubjectPublicKeyInfoOwned,
) -> Result<Option<Key>, Error> {
    let keys = find(session, &[Attribute::Class(ObjectClass::PRIVATE_KEY)])?;
    Ok(key_of(session, &keys, id, public)
        .map(|handle| Key { handle, always_authenticate: always_authenticates(session, handle) }))
}

/// Whether any private key wants the PIN for each signature.
pub(super) fn any_always_authenticates(session: &Session) -> bool {
    let keys = find(session, &[Attribute::Class(ObjectClass::PRIVATE_KEY)]).unwrap_or_default();
    keys.into_iter().any(|key| always_authenticates(session, key))
}

fn always_authenticates(session: &Session, key: ObjectHandle) -> bool {
    matches!(
        attribute(session, key, AttributeType::AlwaysAuthenticate),
        Some(Attribute::AlwaysAuthenticate(true))
    )
}

fn certificates(
    functions: &Functions,
    session: &Session,
    known: impl Fn(&[u8]) -> Option<Read>,
) -> Result<Vec<Certificate>, Error> {
    let mut certificates: Vec<Certificate> = Vec::new();
    for handle in find(session, &[Attribute::Class(ObjectClass::CERTIFICATE)])? {
        let attributes = functions.certificate(session, handle);
        let CertificateAttributes { value: der, id, label } =
            attributes.unwrap_or_else(|| one_by_one(session, handle));
        // Some modules show one certificate several times.
        if certificates.iter().any(|other| other.der == der) {
            continue;
        }
        let Some(read) = known(&der).or_else(|| Read::of(&der)) else { continue };
        let label = Some(String::from_utf8_lossy(&label).trim().to_owned()).filter(|label| !label.is_empty());
        certificates.push(Certificate { der, id, label, read });
    }
    Ok(certificates)
}

fn one_by_one(session: &Session, certificate: ObjectHandle) -> CertificateAttributes {
    let attribute = |which| bytes(session, certificate, which).unwrap_or_default();
    CertificateAttributes {
        value: attribute(AttributeType::Value),
        id: attribute(AttributeType::Id),
        label: attribute(AttributeType::Label),
    }
}

impl Read {
    /// However odd the rest of it is.
    fn of(certificate_der: &[u8]) -> Option<Self> {
        let certificate = CertificateInner::<Raw>::from_der(certificate_der).ok()?;
        let certificate = certificate.tbs_certificate();
        let constraints = certificate.get_extension::<BasicConstraints>();
        Some(Self {
            public: certificate.subject_public_key_info().clone(),
            is_authority: matches!(constraints, Ok(Some((_, BasicConstraints { ca: true, .. })))),
        })
    }
}

/// The key of a certificate: one with its `CKA_ID` whose public half does not say otherwise, or
/// one whose public half says so.
fn key_of(
    session: &Session,
    keys: &[ObjectHandle],
    id: &[u8],
    public: &SubjectPublicKeyInfoOwned,
) -> Option<ObjectHandle> {
    let mut by_id = None;
    let mut by_key = None;
    for key in keys {
        let key_id = bytes(session, *key, AttributeType::Id).unwrap_or_default();
        match (is_key_of(session, *key, &key_id, public), key_id == id) {
            (Some(true), true) => return Some(*key),
            (Some(true), false) => by_key = by_key.or(Some(*key)),
            (None, true) => by_id = by_id.or(Some(*key)),
            (None, false) | (Some(false), _) => {}
        }
    }
    by_key.or(by_id)
}

/// Whether the key's public half is `public`; `None` where the token does not tell it.
fn is_key_of(
    session: &Session,
    key: ObjectHandle,
    key_id: &[u8],
    public: &SubjectPublicKeyInfoOwned,
) -> Option<bool> {
    let bits = public.subject_public_key.as_bytes()?;
    if let Some(modulus) = bytes(session, key, AttributeType::Modulus) {
        let own = Walk::sequence(bits).and_then(|mut fields| fields.value(Tag::Integer)).unwrap_or_default();
        return Some(significant(&modulus) == significant(own));
    }
    let point = bytes(session, key, AttributeType::EcPoint).or_else(|| {
        let template = [Attribute::Class(ObjectClass::PUBLIC_KEY), Attribute::Id(key_id.to_vec())];
        let halves = find(session, &template).unwrap_or_default();
        halves.into_iter().find_map(|half| bytes(session, half, AttributeType::EcPoint))
    })?;
    // PKCS#11 says an octet string around the point; some modules give the point alone.
    let wrapped = Walk::over(&point).and_then(|mut point| point.value(Tag::OctetString)).ok();
    Some(wrapped.unwrap_or(&point) == bits)
}

fn significant(integer: &[u8]) -> &[u8] {
    let start = integer.iter().position(|byte| *byte != 0).unwrap_or(integer.len());
    integer.get(start..).unwrap_or_default()
}

fn find(session: &Session, template: &[Attribute]) -> Result<Vec<ObjectHandle>, Error> {
    session.iter_objects(template)?.take(MAX_OBJECTS).collect()
}

/// One attribute at a time: with several, one that a module does not know can spoil the rest.
fn attribute(session: &Session, object: ObjectHandle, which: AttributeType) -> Option<Attribute> {
    session.get_attributes(object, &[which]).ok()?.pop()
}

fn bytes(session: &Session, object: ObjectHandle, which: AttributeType) -> Option<Vec<u8>> {
    // Asked before room is made for it.
    match session.get_attribute_info(object, &[which]).ok()?.pop()? {
        AttributeInfo::Available(len) if len <= MAX_ATTRIBUTE_LEN => {}
        AttributeInfo::Available(_)
        | AttributeInfo::Sensitive
        | AttributeInfo::TypeInvalid
        | AttributeInfo::Unavailable => return None,
    }
    value(attribute(session, object, which)?)
}

fn value(attribute: Attribute) -> Option<Vec<u8>> {
    let (Attribute::EcPoint(bytes)
    | Attribute::Id(bytes)
    | Attribute::Label(bytes)
    | Attribute::Modulus(bytes)
    | Attribute::Value(bytes)) = attribute
    else {
        return None;
    };
    (!bytes.is_empty()).then_some(bytes)
}
