//! SignerInfo (RFC 5652, 5.3) as it was found, and its verification.

use der::asn1::ObjectIdentifier;

use crate::{
    cms::{
        certificate::Certificate,
        element::{Element, tag},
        error::CmsError,
        scheme::{self, Scheme},
        signed_data::ID_DATA,
    },
    digest::{Digest, DigestAlgorithm},
};

pub(super) const CONTENT_TYPE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.3");
pub(super) const MESSAGE_DIGEST: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.4");
const SIGNING_CERTIFICATE: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.12");
pub(super) const SIGNING_CERTIFICATE_V2: ObjectIdentifier =
    ObjectIdentifier::new_unwrap("1.2.840.113549.1.9.16.2.47");

/// Attributes of one signer.
const MAXIMUM_ATTRIBUTES: usize = 64;

/// The one signer.
#[derive(Debug, Clone)]
pub(super) struct SignerInfo {
    identifier: SignerIdentifier,
    digest: Option<DigestAlgorithm>,
    signed_attributes: Option<SignedAttributes>,
    /// Why the value cannot be verified, where it cannot.
    scheme: Result<Scheme, CmsError>,
    value: Vec<u8>,
}

#[derive(Debug, Clone)]
enum SignerIdentifier {
    /// Name and serial number, raw.
    Issuer {
        name: Vec<u8>,
        serial: Vec<u8>,
    },
    SubjectKey(Vec<u8>),
}

/// The attributes as they stand, and as they were signed.
#[derive(Debug, Clone)]
struct SignedAttributes {
    /// A SET OF in the order of the file.
    as_found: Vec<u8>,
    /// The SET OF in the order of DER, where that is another.
    in_order: Option<Vec<u8>>,
    /// Type and values of each.
    all: Vec<(ObjectIdentifier, Vec<u8>)>,
}

impl SignerInfo {
    pub(super) fn parse(element: &Element<'_>) -> Result<Self, CmsError> {
        if element.tag() != tag::SEQUENCE {
            return Err(CmsError::Malformed { part: "SignerInfo" });
        }
        let mut parts = element.elements();
        parts.expect(tag::INTEGER, "version")?;
        let identifier = SignerIdentifier::parse(&parts.next("sid")?)?;
        let digest = scheme::digest_algorithm(&parts.expect(tag::SEQUENCE, "digestAlgorithm")?)?;
        let signed_attributes = match parts.optional(tag::context(0), "signedAttrs")? {
            Some(set) => Some(SignedAttributes::parse(&set)?),
            None => None,
        };
        let algorithm = parts.expect(tag::SEQUENCE, "signatureAlgorithm")?;
        let scheme = match Scheme::parse(&algorithm, digest) {
            Err(error @ CmsError::Malformed { .. }) => return Err(error),
            result => result,
        };
        let value = parts.expect(tag::OCTET_STRING, "signature")?.content().to_vec();
        if let Some(unsigned) = parts.optional(tag::context(1), "unsignedAttrs")? {
            unsigned.elements_up_to(MAXIMUM_ATTRIBUTES, "unsignedAttrs")?;
        }
        parts.finish("SignerInfo")?;
        Ok(Self { identifier, digest, signed_attributes, scheme, value })
    }

    pub(super) const fn digest(&self) -> Option<DigestAlgorithm> {
        self.digest
    }

    pub(super) fn scheme(&self) -> Result<Scheme, CmsError> {
        self.scheme.clone()
    }

    pub(super) fn is_identified_by(&self, certificate: &Certificate) -> bool {
        match &self.identifier {
            SignerIdentifier::Issuer { name, serial } => {
                name == certificate.issuer() && serial == certificate.serial()
            }
            SignerIdentifier::SubjectKey(id) => certificate.subject_key_id() == Some(id),
        }
    }

    /// Verifies against the digest of the content and the signer's certificate.
    pub(super) fn verify(&self, content: &Digest, signer: &Certificate) -> Result<(), CmsError> {
        let Some(attributes) = &self.signed_attributes else {
            // Without attributes the content itself was signed (RFC 5652, 5.4).
            return signer.verify_digest(self.scheme()?, content, &self.value);
        };
        attributes.check(content, signer)?;
        let scheme = self.scheme()?;
        match signer.verify_scheme(scheme, &attributes.as_found, &self.value) {
            // Signers exist that sign in the order of DER and store in another.
            Err(CmsError::SignatureWrong) => match &attributes.in_order {
                Some(in_order) => signer.verify_scheme(scheme, in_order, &self.value),
                None => Err(CmsError::SignatureWrong),
            },
            result => result,
        }
    }
}

impl SignerIdentifier {
    fn parse(element: &Element<'_>) -> Result<Self, CmsError> {
        match element.tag() {
            tag::SEQUENCE => {
                let mut parts = element.elements();
                let name = parts.expect(tag::SEQUENCE, "issuer")?.encoding().to_vec();
                let serial = parts.expect(tag::INTEGER, "serialNumber")?.content().to_vec();
                parts.finish("issuerAndSerialNumber")?;
                Ok(Self::Issuer { name, serial })
            }
            0x80 => Ok(Self::SubjectKey(element.content().to_vec())),
            _ => Err(CmsError::Malformed { part: "sid" }),
        }
    }
}

impl SignedAttributes {
    fn parse(set: &Element<'_>) -> Result<Self, CmsError> {
        const PART: &str = "signedAttrs";
        let elements = set.elements_up_to(MAXIMUM_ATTRIBUTES, PART)?;
        let mut all = Vec::with_capacity(elements.len());
        for element in &elements {
            let mut parts = element.elements();
            let id = parts.next(PART)?.object_identifier(PART)?;
            let values = parts.expect(tag::SET, PART)?.content().to_vec();
            parts.finish(PART)?;
            all.push((id, values));
        }
        let found: Vec<&[u8]> = elements.iter().map(Element::encoding).collect();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        let in_order = (sorted != found).then(|| as_set(set, &sorted.concat()));
        Ok(Self { as_found: as_set(set, set.content()), in_order, all })
    }

    /// The attributes of RFC 5652, clause 11, and of RFC 5035.
    fn check(&self, content: &Digest, signer: &Certificate) -> Result<(), CmsError> {
        let content_type = self.single(CONTENT_TYPE, "content-type")?;
        if content_type.object_identifier("content-type")? != ID_DATA {
            return Err(CmsError::ContentType);
        }
        let digest = self.single(MESSAGE_DIGEST, "message-digest")?;
        if digest.tag() != tag::OCTET_STRING {
            return Err(CmsError::Malformed { part: "message-digest" });
        }
        if digest.content() != content.as_bytes() {
            return Err(CmsError::DigestMismatch);
        }
        for (id, version) in
            [(SIGNING_CERTIFICATE, EssVersion::One), (SIGNING_CERTIFICATE_V2, EssVersion::Two)]
        {
            if self.all.iter().any(|(present, _)| *present == id) {
                check_signing_certificate(&self.single(id, "signing-certificate")?, version, signer)?;
            }
        }
        Ok(())
    }

    /// The value of an attribute that must be there once with one value.
    fn single(&self, id: ObjectIdentifier, part: &'static str) -> Result<Element<'_>, CmsError> {
        let mut present = self.all.iter().filter(|(other, _)| *other == id);
        let (Some((_, values)), None) = (present.next(), present.next()) else {
            return Err(CmsError::Malformed { part });
        };
        Element::parse(values, part)
    }
}

/// The two forms of RFC 5035: with SHA-1, and with a digest of its own.
#[derive(Clone, Copy)]
enum EssVersion {
    One,
    Two,
}

/// SigningCertificate and SigningCertificateV2 (RFC 5035, clauses 3 and 5): the first ESSCertID
/// is the signer's. Its hash binds the certificate entirely; issuerSerial adds nothing to it.
fn check_signing_certificate(
    value: &Element<'_>,
    version: EssVersion,
    signer: &Certificate,
) -> Result<(), CmsError> {
    const PART: &str = "signing-certificate";
    let mut ids = value.elements().expect(tag::SEQUENCE, PART)?.elements();
    let mut first = ids.expect(tag::SEQUENCE, PART)?.elements();
    let algorithm = match version {
        EssVersion::One => Some(DigestAlgorithm::Sha1),
        EssVersion::Two => match first.optional(tag::SEQUENCE, PART)? {
            Some(identifier) => scheme::digest_algorithm(&identifier)?,
            None => Some(DigestAlgorithm::Sha256),
        },
    };
    let algorithm = algorithm.ok_or_else(|| CmsError::UnsupportedAlgorithm { algorithm: PART.to_owned() })?;
    let hash = first.expect(tag::OCTET_STRING, PART)?;
    if hash.content() == algorithm.digest(signer.to_der()).as_bytes() {
        Ok(())
    } else {
        Err(CmsError::SigningCertificate)
    }
}

/// The encoding that is signed: EXPLICIT SET OF in place of `[0]` (RFC 5652, 5.4), its length
/// octets as they stand.
fn as_set(implicit: &Element<'_>, content: &[u8]) -> Vec<u8> {
    let header_len = implicit.encoding().len() - implicit.content().len();
    let mut set = Vec::with_capacity(implicit.encoding().len());
    set.push(tag::SET);
    set.extend_from_slice(implicit.encoding().get(1..header_len).unwrap_or_default());
    set.extend_from_slice(content);
    set
}
