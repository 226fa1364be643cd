//! A SignedData in the making: what the key signs, then the finished structure (PAdES B-B,
//! EN 319 142-1, clause 6.3: no `signing-time`, no policies in the certificate reference).
//!
//! Names, serial numbers and certificates go in as the bytes they were read from.

use cms::{
    content_info::{CmsVersion, ContentInfo},
    signed_data::EncapsulatedContentInfo,
};
use der::{
    Any, Decode as _, Encode as _, Sequence, Tag, TagNumber, ValueOrd,
    asn1::{ObjectIdentifier, OctetString, SetOfVec},
};
use spki::AlgorithmIdentifierOwned;
use x509_cert::attr::{Attribute, Attributes};

use crate::{
    algorithm::SignatureAlgorithm,
    cms::{
        certificate::Certificate,
        error::CmsError,
        scheme,
        signed_data::{
            ID_DATA, ID_SIGNED_DATA, digest_identifier,
            signer_info::{CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_CERTIFICATE_V2},
        },
    },
    digest::{Digest, DigestAlgorithm},
};

/// A signature that waits for its value.
#[derive(Debug)]
pub struct ToBeSigned {
    signer: Certificate,
    chain: Vec<Certificate>,
    algorithm: SignatureAlgorithm,
    attributes: Attributes,
    bytes: Vec<u8>,
}

/// SignedData (RFC 5652, 5.1), with what must keep its bytes as raw elements.
#[derive(Sequence)]
struct SignedDataElements {
    version: CmsVersion,
    digest_algorithms: SetOfVec<AlgorithmIdentifierOwned>,
    encap_content_info: EncapsulatedContentInfo,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT")]
    certificates: SetOfVec<Any>,
    signer_infos: SetOfVec<SignerInfoElements>,
}

/// SignerInfo (RFC 5652, 5.3).
#[derive(Clone, Debug, Sequence, ValueOrd)]
struct SignerInfoElements {
    version: CmsVersion,
    sid: IssuerAndSerialNumber,
    digest_algorithm: AlgorithmIdentifierOwned,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", constructed = "true")]
    signed_attributes: Attributes,
    signature_algorithm: AlgorithmIdentifierOwned,
    signature: OctetString,
}

/// IssuerAndSerialNumber (RFC 5652, 10.2.4).
#[derive(Clone, Debug, Sequence, ValueOrd)]
struct IssuerAndSerialNumber {
    issuer: Any,
    serial_number: Any,
}

/// ESSCertIDv2 (RFC 5035, 4) with SHA-256, whose hashAlgorithm is the DEFAULT and thus absent.
#[derive(Sequence)]
struct EssCertIdV2 {
    cert_hash: OctetString,
    issuer_serial: IssuerSerial,
}

/// IssuerSerial (RFC 5035, 5.4.1).
#[derive(Sequence)]
struct IssuerSerial {
    issuer: Vec<Any>,
    serial_number: Any,
}

/// SigningCertificateV2 (RFC 5035, 3) without policies.
#[derive(Sequence)]
struct SigningCertificateV2 {
    certs: Vec<EssCertIdV2>,
}

impl ToBeSigned {
    /// The signed attributes for a content with this digest: `content-type`, `message-digest`,
    /// `signing-certificate-v2`, no others. `chain` goes beside the signer's certificate.
    ///
    /// # Errors
    /// Where the digest is not of the signature's algorithm.
    pub fn new(
        content: &Digest,
        signer: &Certificate,
        chain: &[Certificate],
        algorithm: SignatureAlgorithm,
    ) -> Result<Self, CmsError> {
        if content.algorithm() != algorithm.digest() {
            return Err(CmsError::DigestAlgorithm { given: content.algorithm(), needed: algorithm.digest() });
        }
        let mut attributes = Attributes::new();
        attributes.insert(attribute(CONTENT_TYPE, Any::encode_from(&ID_DATA)?)?)?;
        let digest = OctetString::new(content.as_bytes())?;
        attributes.insert(attribute(MESSAGE_DIGEST, Any::encode_from(&digest)?)?)?;
        let reference = Any::encode_from(&signing_certificate(signer)?)?;
        attributes.insert(attribute(SIGNING_CERTIFICATE_V2, reference)?)?;
        let bytes = attributes.to_der()?;
        Ok(Self { signer: signer.clone(), chain: chain.to_vec(), algorithm, attributes, bytes })
    }

    /// Room for the finished structure, in bytes: never too little.
    pub fn reserve_len(signer: &Certificate, chain: &[Certificate], algorithm: SignatureAlgorithm) -> usize {
        let value = vec![0xff; signer.key_kind().signature_len()];
        let built = Self::new(&algorithm.digest().digest(&[]), signer, chain, algorithm)
            .and_then(|to_be_signed| to_be_signed.assemble(&value));
        match built {
            Ok(der) => der.len(),
            // What cannot be built is refused when it is made; until then any room will do.
            Err(_) => 8192,
        }
    }

    /// What the key signs: the DER of the attributes as a SET OF.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The finished ContentInfo in DER, after the value was verified with the signer's key.
    ///
    /// # Errors
    /// Where the value is not a signature by that key over [`Self::bytes`].
    pub fn complete(&self, signature: &[u8]) -> Result<Vec<u8>, CmsError> {
        self.signer.verify_message(self.algorithm, &self.bytes, signature)?;
        self.assemble(signature)
    }

    pub(super) fn assemble(&self, signature: &[u8]) -> Result<Vec<u8>, CmsError> {
        let digest_algorithm = AlgorithmIdentifierOwned {
            oid: digest_identifier(self.algorithm.digest()),
            // RFC 5754, 2: absent for the SHA-2 family.
            parameters: None,
        };
        let signer_info = SignerInfoElements {
            version: CmsVersion::V1,
            sid: IssuerAndSerialNumber {
                issuer: Any::from_der(self.signer.issuer())?,
                serial_number: Any::from_der(self.signer.serial_element())?,
            },
            digest_algorithm: digest_algorithm.clone(),
            signed_attributes: self.attributes.clone(),
            signature_algorithm: signature_identifier(self.algorithm),
            signature: OctetString::new(signature)?,
        };
        let mut certificates = vec![Any::from_der(self.signer.to_der())?];
        for certificate in &self.chain {
            let element = Any::from_der(certificate.to_der())?;
            if !certificates.contains(&element) {
                certificates.push(element);
            }
        }
        let signed_data = SignedDataElements {
            version: CmsVersion::V1,
            digest_algorithms: SetOfVec::try_from(vec![digest_algorithm])?,
            encap_content_info: EncapsulatedContentInfo { econtent_type: ID_DATA, econtent: None },
            certificates: SetOfVec::try_from(certificates)?,
            signer_infos: SetOfVec::try_from(vec![signer_info])?,
        };
        let content_info =
            ContentInfo { content_type: ID_SIGNED_DATA, content: Any::encode_from(&signed_data)? };
        Ok(content_info.to_der()?)
    }
}

fn attribute(oid: ObjectIdentifier, value: Any) -> Result<Attribute, CmsError> {
    Ok(Attribute { oid, values: SetOfVec::try_from(vec![value])? })
}

/// The reference names the signer by hash, and by the *issuer's* directoryName with the serial:
/// ITI's validator refuses other forms.
fn signing_certificate(signer: &Certificate) -> Result<SigningCertificateV2, CmsError> {
    let directory_name =
        Any::new(Tag::ContextSpecific { constructed: true, number: TagNumber(4) }, signer.issuer())?;
    let certificate = EssCertIdV2 {
        cert_hash: OctetString::new(DigestAlgorithm::Sha256.digest(signer.to_der()).as_bytes())?,
        issuer_serial: IssuerSerial {
            issuer: vec![directory_name],
            serial_number: Any::from_der(signer.serial_element())?,
        },
    };
    Ok(SigningCertificateV2 { certs: vec![certificate] })
}

/// The identifier that names the digest too. RFC 3370 would have `rsaEncryption`, RFC 5754 allows
/// both, and every verifier reads both; ICP-Brasil's policies list `sha256WithRSAEncryption`.
fn signature_identifier(algorithm: SignatureAlgorithm) -> AlgorithmIdentifierOwned {
    let (oid, parameters) = match algorithm {
        SignatureAlgorithm::RsaPkcs1(digest) => {
            let oid = match digest {
                DigestAlgorithm::Sha1 => scheme::RSA_ENCRYPTION,
                DigestAlgorithm::Sha256 => scheme::SHA256_WITH_RSA,
                DigestAlgorithm::Sha384 => scheme::SHA384_WITH_RSA,
                DigestAlgorithm::Sha512 => scheme::SHA512_WITH_RSA,
            };
            (oid, Some(Any::null()))
        }
        SignatureAlgorithm::Ecdsa(digest) => {
            let oid = match digest {
                DigestAlgorithm::Sha1 => scheme::EC_PUBLIC_KEY,
                DigestAlgorithm::Sha256 => scheme::ECDSA_WITH_SHA256,
                DigestAlgorithm::Sha384 => scheme::ECDSA_WITH_SHA384,
                DigestAlgorithm::Sha512 => scheme::ECDSA_WITH_SHA512,
            };
            (oid, None)
        }
    };
    AlgorithmIdentifierOwned { oid, parameters }
}
