//! A certificate (RFC 5280): its raw bytes, what it says, and signatures checked with its key.

#[cfg(test)]
pub(crate) mod fixture;
mod pem;

use std::{fmt, sync::Arc};

use der::{Decode as _, asn1::ObjectIdentifier};
use x509_cert::{
    ext::pkix::{BasicConstraints, KeyUsage},
    time::Time,
};

use crate::{
    algorithm::{KeyKind, SignatureAlgorithm},
    cms::{
        element::{Element, Elements, tag},
        error::CmsError,
        extension::Extensions,
        public_key::PublicKey,
        scheme::Scheme,
        text,
    },
    digest::{Digest, DigestAlgorithm},
};

pub use pem::from_pem_or_der;

/// The largest certificate that is read, in bytes.
pub const MAXIMUM_BYTES: usize = 64 << 10;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const TIME_STAMPING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.8");
const OCSP_SIGNING: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.9");
/// Attributes that are looked at in one name.
const MAXIMUM_NAME_PARTS: usize = 128;

/// A certificate. Cloning is cheap. Two are equal where the SHA-256 of
/// their bytes is: comparing hostile ones costs no more than comparing others.
#[derive(Clone)]
pub struct Certificate(Arc<Parts>);

struct Parts {
    der: Vec<u8>,
    to_be_signed: Vec<u8>,
    serial: Vec<u8>,
    issuer: Vec<u8>,
    subject: Vec<u8>,
    issuer_common_name: Option<String>,
    subject_common_name: Option<String>,
    not_before: i64,
    not_after: i64,
    public_key_info: Vec<u8>,
    public_key: PublicKey,
    extensions: Extensions,
    /// Why the signature cannot be verified, where it cannot.
    scheme: Result<Scheme, CmsError>,
    signature: Vec<u8>,
    fingerprint: Digest,
}

impl Certificate {
    /// Reads one certificate; zeros after it, as some tokens store, are not part of it.
    ///
    /// # Errors
    /// Where it is longer than [`MAXIMUM_BYTES`] or not a certificate of RFC 5280. A key or
    /// signature of an unknown algorithm is no error here.
    pub fn from_der(bytes: &[u8]) -> Result<Self, CmsError> {
        let mut elements = Elements::new(bytes);
        let certificate = elements.expect(tag::SEQUENCE, "certificate").map_err(CmsError::in_certificate)?;
        if elements.rest().iter().any(|byte| *byte != 0) {
            return Err(CmsError::CertificateMalformed { part: "bytes after the certificate" });
        }
        if certificate.encoding().len() > MAXIMUM_BYTES {
            return Err(CmsError::LimitExceeded { part: "certificate", limit: MAXIMUM_BYTES });
        }
        Self::parse(&certificate).map_err(CmsError::in_certificate)
    }

    /// The bytes it was read from.
    pub fn to_der(&self) -> &[u8] {
        &self.0.der
    }

    /// The SHA-256 of its bytes.
    pub fn fingerprint(&self) -> &Digest {
        &self.0.fingerprint
    }

    /// The common name of the subject, cleaned for showing.
    pub fn subject_common_name(&self) -> Option<&str> {
        self.0.subject_common_name.as_deref()
    }

    /// The common name of the issuer, cleaned for showing.
    pub fn issuer_common_name(&self) -> Option<&str> {
        self.0.issuer_common_name.as_deref()
    }

    /// The subject's Name as it stands in the certificate.
    pub fn subject(&self) -> &[u8] {
        &self.0.subject
    }

    /// The issuer's Name as it stands in the certificate.
    pub fn issuer(&self) -> &[u8] {
        &self.0.issuer
    }

    /// The content octets of the serial number.
    pub fn serial(&self) -> &[u8] {
        let serial = Element::parse(&self.0.serial, "serialNumber");
        serial.map(|serial| serial.content()).unwrap_or_default()
    }

    /// When its validity begins, in seconds since the epoch.
    pub fn not_before(&self) -> i64 {
        self.0.not_before
    }

    /// The last second of its validity, in seconds since the epoch.
    pub fn not_after(&self) -> i64 {
        self.0.not_after
    }

    /// The kind and size of its key.
    pub fn key_kind(&self) -> KeyKind {
        self.0.public_key.kind()
    }

    /// Whether its key usage and extended key usage permit signatures on documents: not where
    /// only encryption is permitted, nor only time-stamps or OCSP responses. A certificate
    /// without these extensions permits everything (RFC 5280, 4.2.1.3).
    pub fn permits_signatures(&self) -> bool {
        let usage = self.key_usage().is_none_or(|usage| usage.digital_signature() || usage.non_repudiation());
        let purposes = self.extended_key_usage().unwrap_or_default();
        let service = |purpose: &ObjectIdentifier| matches!(*purpose, TIME_STAMPING | OCSP_SIGNING);
        usage && (purposes.is_empty() || !purposes.iter().all(service))
    }

    /// Whether its key usage declares nonRepudiation (contentCommitment).
    pub fn declares_non_repudiation(&self) -> bool {
        self.key_usage().is_some_and(KeyUsage::non_repudiation)
    }

    /// Whether it is a certification authority's (RFC 5280, 4.2.1.9).
    pub fn is_authority(&self) -> bool {
        self.basic_constraints().is_some_and(|constraints| constraints.ca)
    }

    /// Whether issuer and subject are the same name.
    pub fn is_self_issued(&self) -> bool {
        self.0.issuer == self.0.subject
    }

    /// Its SubjectPublicKeyInfo, raw.
    pub fn public_key_info(&self) -> &[u8] {
        &self.0.public_key_info
    }

    /// Whether `public_key_info`, a DER SubjectPublicKeyInfo or the bare key inside one (an
    /// RSAPublicKey, a point of SEC 1 in its uncompressed form), is this certificate's key.
    pub fn public_key_matches(&self, public_key_info: &[u8]) -> bool {
        let own = public_key_bits(&self.0.public_key_info);
        let given = public_key_bits(public_key_info).unwrap_or(public_key_info);
        own == Some(given)
    }

    /// Verifies `signature` over `message` with this certificate's key.
    ///
    /// # Errors
    /// Where the value is wrong, the key weak, or the algorithm not supported for this key.
    pub fn verify_message(
        &self,
        algorithm: SignatureAlgorithm,
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), CmsError> {
        self.verify_scheme(algorithm.into(), message, signature)
    }

    /// Verifies `signature` over a message of which only the digest is known.
    ///
    /// # Errors
    /// As [`Certificate::verify_message`], and where the digest is not the algorithm's.
    pub fn verify_signed_digest(
        &self,
        algorithm: SignatureAlgorithm,
        digest: &Digest,
        signature: &[u8],
    ) -> Result<(), CmsError> {
        self.verify_digest(algorithm.into(), digest, signature)
    }

    /// Whether `issuer`'s key made the signature of this certificate. Names are not compared.
    ///
    /// # Errors
    /// Where it did not, the key is weak, or the algorithm is not supported.
    pub fn verify_signed_by(&self, issuer: &Self) -> Result<(), CmsError> {
        let scheme = self.0.scheme.clone()?;
        issuer.verify_scheme(scheme, &self.0.to_be_signed, &self.0.signature)
    }

    /// The digest in its own signature, where there is one and it is known.
    pub fn signature_digest(&self) -> Option<DigestAlgorithm> {
        self.0.scheme.as_ref().ok().and_then(|scheme| scheme.digest())
    }

    pub(super) fn verify_scheme(&self, scheme: Scheme, message: &[u8], value: &[u8]) -> Result<(), CmsError> {
        self.0.public_key.verify(scheme, message, value)
    }

    pub(super) fn verify_digest(
        &self,
        scheme: Scheme,
        digest: &Digest,
        value: &[u8],
    ) -> Result<(), CmsError> {
        self.0.public_key.verify_digest(scheme, digest, value)
    }

    /// The serial number as it stands in the certificate, header and all.
    pub(super) fn serial_element(&self) -> &[u8] {
        &self.0.serial
    }

    pub(crate) fn key_usage(&self) -> Option<&KeyUsage> {
        self.0.extensions.key_usage()
    }

    pub(crate) fn basic_constraints(&self) -> Option<&BasicConstraints> {
        self.0.extensions.basic_constraints()
    }

    pub(crate) fn extended_key_usage(&self) -> Option<&[ObjectIdentifier]> {
        self.0.extensions.extended_key_usage()
    }

    pub(crate) fn policies(&self) -> Vec<ObjectIdentifier> {
        self.0.extensions.policies()
    }

    /// The attributes of the subject's name with their types, as text; none where it cannot be read.
    pub(crate) fn subject_attributes(&self) -> Vec<(ObjectIdentifier, String)> {
        let subject = Element::parse(&self.0.subject, "subject");
        subject.and_then(|subject| attributes(&subject)).unwrap_or_default()
    }

    pub(crate) fn subject_key_id(&self) -> Option<&[u8]> {
        self.0.extensions.subject_key_id()
    }

    pub(crate) fn authority_key_id(&self) -> Option<&[u8]> {
        self.0.extensions.authority_key_id()
    }

    pub(crate) fn other_names(&self) -> Vec<(ObjectIdentifier, String)> {
        self.0.extensions.other_names()
    }

    /// What the extension holds, raw.
    pub(crate) fn extension(&self, id: ObjectIdentifier) -> Option<&[u8]> {
        self.0.extensions.value(id)
    }

    pub(crate) fn critical_extensions(&self) -> impl Iterator<Item = ObjectIdentifier> {
        self.0.extensions.critical()
    }

    /// Certificate and TBSCertificate (RFC 5280, 4.1).
    fn parse(certificate: &Element<'_>) -> Result<Self, CmsError> {
        let mut outer = certificate.elements();
        let to_be_signed = outer.expect(tag::SEQUENCE, "tbsCertificate")?;
        let algorithm = outer.expect(tag::SEQUENCE, "signatureAlgorithm")?;
        let signature = outer.expect(tag::BIT_STRING, "signature")?.whole_bits("signature")?;
        outer.finish("bytes inside the certificate")?;

        let mut inner = to_be_signed.elements();
        inner.optional(tag::context(0), "version")?;
        let serial = inner.expect(tag::INTEGER, "serialNumber")?;
        let inner_algorithm = inner.expect(tag::SEQUENCE, "signature")?;
        // RFC 5280, 4.1.1.2: only the inner one is signed, so both must be the same.
        if inner_algorithm != algorithm {
            return Err(CmsError::Malformed { part: "two signature algorithms" });
        }
        let issuer = inner.expect(tag::SEQUENCE, "issuer")?;
        let mut validity = inner.expect(tag::SEQUENCE, "validity")?.elements();
        let not_before = unix_seconds(&validity.next("notBefore")?, "notBefore")?;
        let not_after = unix_seconds(&validity.next("notAfter")?, "notAfter")?;
        let subject = inner.expect(tag::SEQUENCE, "subject")?;
        let public_key_info = inner.expect(tag::SEQUENCE, "subjectPublicKeyInfo")?;
        inner.optional(tag::context_primitive(1), "issuerUniqueID")?;
        inner.optional(tag::context_primitive(2), "subjectUniqueID")?;
        let extensions = match inner.optional(tag::context(3), "extensions")? {
            Some(wrapped) => Extensions::parse(&Element::parse(wrapped.content(), "extensions")?)?,
            None => Extensions::default(),
        };
        inner.finish("bytes inside tbsCertificate")?;
        Ok(Self(Arc::new(Parts {
            der: certificate.encoding().to_vec(),
            to_be_signed: to_be_signed.encoding().to_vec(),
            serial: serial.encoding().to_vec(),
            issuer: issuer.encoding().to_vec(),
            subject: subject.encoding().to_vec(),
            issuer_common_name: common_name(&issuer)?,
            subject_common_name: common_name(&subject)?,
            not_before,
            not_after,
            public_key_info: public_key_info.encoding().to_vec(),
            public_key: PublicKey::parse(&public_key_info)?,
            extensions,
            scheme: Scheme::parse(&algorithm, None),
            signature: signature.to_vec(),
            fingerprint: DigestAlgorithm::Sha256.digest(certificate.encoding()),
        })))
    }
}

impl PartialEq for Certificate {
    fn eq(&self, other: &Self) -> bool {
        self.0.fingerprint == other.0.fingerprint
    }
}

impl Eq for Certificate {}

impl fmt::Debug for Certificate {
    /// The fingerprint alone: names and numbers of people stay out of logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Certificate(")?;
        for byte in self.0.fingerprint.as_bytes().iter().take(8) {
            write!(f, "{byte:02x}")?;
        }
        f.write_str(")")
    }
}

fn public_key_bits(info: &[u8]) -> Option<&[u8]> {
    let mut parts = Element::parse(info, "subjectPublicKeyInfo").ok()?.elements();
    parts.expect(tag::SEQUENCE, "subjectPublicKeyInfo").ok()?;
    parts.expect(tag::BIT_STRING, "subjectPublicKeyInfo").ok()?.whole_bits("subjectPublicKeyInfo").ok()
}

/// UTCTime or GeneralizedTime (RFC 5280, 4.1.2.5).
fn unix_seconds(time: &Element<'_>, part: &'static str) -> Result<i64, CmsError> {
    if !matches!(time.tag(), tag::UTC_TIME | tag::GENERALIZED_TIME) {
        return Err(CmsError::Malformed { part });
    }
    let parsed = Time::from_der(time.encoding()).map_err(|_| CmsError::Malformed { part })?;
    i64::try_from(parsed.to_unix_duration().as_secs()).map_err(|_| CmsError::Malformed { part })
}

/// The last, most specific, common name of a Name.
fn common_name(name: &Element<'_>) -> Result<Option<String>, CmsError> {
    let last = attributes(name)?.into_iter().rfind(|(id, _)| *id == COMMON_NAME);
    Ok(last.map(|(_, text)| text))
}

/// The attributes of a Name whose values are texts.
fn attributes(name: &Element<'_>) -> Result<Vec<(ObjectIdentifier, String)>, CmsError> {
    const PART: &str = "name";
    let mut found = Vec::new();
    for set in name.elements_up_to(MAXIMUM_NAME_PARTS, PART)? {
        for attribute in set.elements_up_to(MAXIMUM_NAME_PARTS, PART)? {
            let mut parts = attribute.elements();
            let id = parts.next(PART)?.object_identifier(PART)?;
            let value = parts.next(PART)?;
            found.extend(text::decode(value.tag(), value.content()).map(|text| (id, text)));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
