//! SignedData (RFC 5652, clause 5): one that exists is read and verified, a new one is made by
//! [`ToBeSigned`].

mod signer_info;
mod to_be_signed;

use der::asn1::ObjectIdentifier;

use crate::{
    algorithm::SignatureAlgorithm,
    cms::{
        ber,
        certificate::Certificate,
        element::{Element, Elements, tag},
        error::CmsError,
        scheme,
        signed_data::signer_info::SignerInfo,
    },
    digest::{Digest, DigestAlgorithm},
};

pub use to_be_signed::ToBeSigned;

const ID_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.1");
const ID_SIGNED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.2");

/// The longest encoding that is read, in bytes: revocation lists may be inside.
pub const MAXIMUM_BYTES: usize = 32 << 20;
/// Certificates in one structure.
const MAXIMUM_CERTIFICATES: usize = 128;
/// Digest algorithms, and signers before their number is refused with a clearer error.
const MAXIMUM_ALGORITHMS: usize = 16;

/// A SignedData with one signer.
#[derive(Debug, Clone)]
pub struct SignedData {
    content_type: ObjectIdentifier,
    encapsulated: Encapsulated,
    certificates: Vec<Certificate>,
    signer: SignerInfo,
    signer_certificate: Option<Certificate>,
}

/// Whether the content is inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encapsulated {
    Absent,
    Present,
}

impl SignedData {
    /// Reads a ContentInfo with a SignedData, DER or BER; zeros may follow, as in the hole of a
    /// PDF. Certificates that cannot be read are left out.
    ///
    /// # Errors
    /// Where it is not a SignedData, has not exactly one signer, or passes a limit.
    pub fn parse(bytes: &[u8]) -> Result<Self, CmsError> {
        if bytes.len() > MAXIMUM_BYTES {
            return Err(CmsError::LimitExceeded { part: "CMS bytes", limit: MAXIMUM_BYTES });
        }
        match Self::parse_der(bytes) {
            // Any failure of form may be BER; a second reading decides.
            Err(CmsError::Malformed { .. }) => {
                let (der, consumed) = ber::to_der(bytes)?;
                refuse_trailing(bytes.get(consumed..).unwrap_or_default())?;
                Self::parse_der(&der)
            }
            result => result,
        }
    }

    /// The certificates inside, in their order there.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// The certificate that the signer is identified by, where it is inside.
    pub const fn signer_certificate(&self) -> Option<&Certificate> {
        self.signer_certificate.as_ref()
    }

    /// The digest over the content; `None` for one that is not supported.
    pub const fn digest_algorithm(&self) -> Option<DigestAlgorithm> {
        self.signer.digest()
    }

    /// The signature algorithm, where it is one that this program makes.
    pub fn signature_algorithm(&self) -> Option<SignatureAlgorithm> {
        self.signer.scheme().ok().and_then(|scheme| scheme.made())
    }

    /// Whether SHA-1 stands for the content or for what the key signed: too weak to protect.
    pub fn uses_sha1(&self) -> bool {
        let signed = self.signer.scheme().ok().and_then(|scheme| scheme.digest());
        self.signer.digest() == Some(DigestAlgorithm::Sha1) || signed == Some(DigestAlgorithm::Sha1)
    }

    /// Verifies the signature over a content with this digest (RFC 5652, 5.4 and 5.6). Trust in
    /// the certificate is another question. SHA-1 is verified: the caller judges its strength.
    ///
    /// # Errors
    /// Where the signature does not verify, and where an algorithm is not supported.
    pub fn verify(&self, content: &Digest) -> Result<(), CmsError> {
        let signer = self.signer_certificate.as_ref().ok_or(CmsError::SignerMissing)?;
        if self.content_type != ID_DATA {
            return Err(CmsError::ContentType);
        }
        if self.encapsulated == Encapsulated::Present {
            return Err(CmsError::Malformed { part: "content inside a detached signature" });
        }
        let needed = self
            .signer
            .digest()
            .ok_or_else(|| CmsError::UnsupportedAlgorithm { algorithm: "digest of the signer".to_owned() })?;
        if content.algorithm() != needed {
            return Err(CmsError::DigestAlgorithm { given: content.algorithm(), needed });
        }
        self.signer.verify(content, signer)
    }

    /// ContentInfo (RFC 5652, 3) and SignedData (5.1).
    fn parse_der(bytes: &[u8]) -> Result<Self, CmsError> {
        let mut outer = Elements::new(bytes);
        let mut content_info = outer.expect(tag::SEQUENCE, "ContentInfo")?.elements();
        refuse_trailing(outer.rest())?;
        if content_info.next("contentType")?.object_identifier("contentType")? != ID_SIGNED_DATA {
            return Err(CmsError::Malformed { part: "contentType" });
        }
        let wrapped = content_info.expect(tag::context(0), "content")?;
        content_info.finish("ContentInfo")?;

        let mut parts = Element::parse(wrapped.content(), "SignedData")?.elements();
        parts.expect(tag::INTEGER, "version")?;
        parts.expect(tag::SET, "digestAlgorithms")?.elements_up_to(MAXIMUM_ALGORITHMS, "digestAlgorithms")?;
        let mut content = parts.expect(tag::SEQUENCE, "encapContentInfo")?.elements();
        let content_type = content.next("eContentType")?.object_identifier("eContentType")?;
        let encapsulated = if content.is_empty() { Encapsulated::Absent } else { Encapsulated::Present };
        let certificates = match parts.optional(tag::context(0), "certificates")? {
            Some(set) => certificates(&set)?,
            None => Vec::new(),
        };
        parts.optional(tag::context(1), "crls")?;
        let signers =
            parts.expect(tag::SET, "signerInfos")?.elements_up_to(MAXIMUM_ALGORITHMS, "signerInfos")?;
        parts.finish("SignedData")?;
        let [signer] = signers.as_slice() else {
            return Err(CmsError::SignerCount { count: signers.len() });
        };
        let signer = SignerInfo::parse(signer)?;
        let signer_certificate =
            certificates.iter().find(|certificate| signer.is_identified_by(certificate)).cloned();
        Ok(Self { content_type, encapsulated, certificates, signer, signer_certificate })
    }
}

/// CertificateSet (RFC 5652, 10.2.3): the attribute certificates and other formats in it are
/// not ours to read.
fn certificates(set: &Element<'_>) -> Result<Vec<Certificate>, CmsError> {
    let choices = set.elements_up_to(MAXIMUM_CERTIFICATES, "certificates")?;
    Ok(choices.iter().filter_map(|choice| Certificate::from_der(choice.encoding()).ok()).collect())
}

fn refuse_trailing(rest: &[u8]) -> Result<(), CmsError> {
    if rest.iter().all(|byte| *byte == 0) {
        Ok(())
    } else {
        Err(CmsError::Malformed { part: "bytes after the CMS" })
    }
}

/// The AlgorithmIdentifier's object identifier of a digest.
const fn digest_identifier(digest: DigestAlgorithm) -> ObjectIdentifier {
    match digest {
        DigestAlgorithm::Sha1 => scheme::SHA1,
        DigestAlgorithm::Sha256 => scheme::SHA256,
        DigestAlgorithm::Sha384 => scheme::SHA384,
        DigestAlgorithm::Sha512 => scheme::SHA512,
    }
}

#[cfg(test)]
mod tests;
