//! Extensions of certificates (RFC 5280, 4.2) as values.

use der::{Decode as _, asn1::ObjectIdentifier};
use x509_cert::ext::pkix::{BasicConstraints, CertificatePolicies, ExtendedKeyUsage, KeyUsage};

use crate::cms::{
    element::{Element, Elements, tag},
    error::CmsError,
    text,
};

pub(crate) const SUBJECT_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.14");
pub(crate) const KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.15");
pub(crate) const SUBJECT_ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.17");
pub(crate) const ISSUER_ALT_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.18");
pub(crate) const BASIC_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.19");
pub(crate) const NAME_CONSTRAINTS: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.30");
pub(crate) const CERTIFICATE_POLICIES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.32");
pub(crate) const AUTHORITY_KEY_IDENTIFIER: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.35");
pub(crate) const EXTENDED_KEY_USAGE: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.29.37");

/// Extensions that one certificate may have.
const MAXIMUM_EXTENSIONS: usize = 64;
/// Names that are read from one subjectAltName.
const MAXIMUM_NAMES: usize = 256;

/// The extensions of one certificate. Those on which trust rests are decoded at once and must
/// be well formed; the others are decoded when asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Extensions {
    all: Vec<Extension>,
    key_usage: Option<KeyUsage>,
    basic_constraints: Option<BasicConstraints>,
    extended_key_usage: Option<ExtendedKeyUsage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Extension {
    id: ObjectIdentifier,
    critical: bool,
    value: Vec<u8>,
}

impl Extensions {
    /// Reads the SEQUENCE OF Extension.
    pub(super) fn parse(sequence: &Element<'_>) -> Result<Self, CmsError> {
        const PART: &str = "extensions";
        let mut all: Vec<Extension> = Vec::new();
        for element in sequence.elements_up_to(MAXIMUM_EXTENSIONS, PART)? {
            let mut parts = element.elements();
            let id = parts.next(PART)?.object_identifier(PART)?;
            let critical =
                parts.optional(tag::BOOLEAN, PART)?.is_some_and(|boolean| boolean.content() != [0]);
            let value = parts.expect(tag::OCTET_STRING, PART)?.content().to_vec();
            parts.finish(PART)?;
            // RFC 5280, 4.2: none may appear twice, or two readers choose differently.
            if all.iter().any(|earlier| earlier.id == id) {
                return Err(CmsError::Malformed { part: "an extension appears twice" });
            }
            all.push(Extension { id, critical, value });
        }
        let mut extensions = Self { all, ..Self::default() };
        let decoded = |part| move |_: der::Error| CmsError::Malformed { part };
        if let Some(value) = extensions.value(KEY_USAGE) {
            extensions.key_usage = Some(KeyUsage::from_der(value).map_err(decoded("keyUsage"))?);
        }
        if let Some(value) = extensions.value(BASIC_CONSTRAINTS) {
            let constraints = BasicConstraints::from_der(value).map_err(decoded("basicConstraints"))?;
            extensions.basic_constraints = Some(constraints);
        }
        if let Some(value) = extensions.value(EXTENDED_KEY_USAGE) {
            let usage = ExtendedKeyUsage::from_der(value).map_err(decoded("extKeyUsage"))?;
            extensions.extended_key_usage = Some(usage);
        }
        Ok(extensions)
    }

    /// What the extension holds.
    pub(super) fn value(&self, id: ObjectIdentifier) -> Option<&[u8]> {
        self.all.iter().find(|extension| extension.id == id).map(|extension| extension.value.as_slice())
    }

    pub(super) fn critical(&self) -> impl Iterator<Item = ObjectIdentifier> {
        self.all.iter().filter(|extension| extension.critical).map(|extension| extension.id)
    }

    pub(super) const fn key_usage(&self) -> Option<&KeyUsage> {
        self.key_usage.as_ref()
    }

    pub(super) const fn basic_constraints(&self) -> Option<&BasicConstraints> {
        self.basic_constraints.as_ref()
    }

    pub(super) fn extended_key_usage(&self) -> Option<&[ObjectIdentifier]> {
        self.extended_key_usage.as_ref().map(|usage| usage.0.as_slice())
    }

    /// The policies; none where the extension cannot be read.
    pub(super) fn policies(&self) -> Vec<ObjectIdentifier> {
        self.value(CERTIFICATE_POLICIES)
            .and_then(|value| CertificatePolicies::from_der(value).ok())
            .map(|policies| policies.0.iter().map(|policy| policy.policy_identifier).collect())
            .unwrap_or_default()
    }

    pub(super) fn subject_key_id(&self) -> Option<&[u8]> {
        let value = self.value(SUBJECT_KEY_IDENTIFIER)?;
        let id = Element::parse(value, "subjectKeyIdentifier").ok()?;
        (id.tag() == tag::OCTET_STRING).then_some(id.content())
    }

    pub(super) fn authority_key_id(&self) -> Option<&[u8]> {
        let value = self.value(AUTHORITY_KEY_IDENTIFIER)?;
        let mut parts = Element::parse(value, "authorityKeyIdentifier").ok()?.elements();
        let id = parts.optional(tag::context_primitive(0), "authorityKeyIdentifier").ok()??;
        Some(id.content())
    }

    /// The otherName values of subjectAltName with their types, as text. What cannot be read is
    /// left out: ICP-Brasil's names inform, they do not carry trust.
    pub(super) fn other_names(&self) -> Vec<(ObjectIdentifier, String)> {
        let Some(value) = self.value(SUBJECT_ALT_NAME) else { return Vec::new() };
        let names = Element::parse(value, "subjectAltName")
            .and_then(|names| names.elements_up_to(MAXIMUM_NAMES, "subjectAltName"))
            .unwrap_or_default();
        names
            .iter()
            .filter(|name| name.tag() == tag::context(0))
            .filter_map(|name| other_name(name.elements()))
            .collect()
    }
}

/// OtherName ::= SEQUENCE { type-id OBJECT IDENTIFIER, value [0] EXPLICIT ANY }
fn other_name(mut parts: Elements<'_>) -> Option<(ObjectIdentifier, String)> {
    let id = parts.next("otherName").ok()?.object_identifier("otherName").ok()?;
    let wrapped = parts.expect(tag::context(0), "otherName").ok()?;
    let value = Element::parse(wrapped.content(), "otherName").ok()?;
    Some((id, text::decode(value.tag(), value.content())?))
}
