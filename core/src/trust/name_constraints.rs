//! Name constraints (RFC 5280, 4.2.1.10): directoryName, dNSName and rfc822Name are applied.
//! A constraint on another form refuses every certificate that has a name of that form.

use crate::cms::{
    certificate::Certificate,
    element::{Element, tag},
    error::CmsError,
    extension,
};

const PART: &str = "nameConstraints";
/// Names and subtrees that are compared; beyond, the certificate is refused.
const MAXIMUM_NAMES: usize = 256;
const RFC822_NAME: u8 = tag::context_primitive(1);
const DNS_NAME: u8 = tag::context_primitive(2);
const DIRECTORY_NAME: u8 = tag::context(4);
/// emailAddress of PKCS#9 in the subject, as content octets of its object identifier.
const EMAIL_ADDRESS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x01];

/// A name as a GeneralName: its tag, and its content without the tag.
struct Name<'a> {
    tag: u8,
    content: &'a [u8],
}

/// Whether `constraints`, the extension's value, permit every name of `certificate`. What
/// cannot be read permits nothing.
pub(super) fn permit(constraints: &[u8], certificate: &Certificate) -> bool {
    judge(constraints, certificate).unwrap_or(false)
}

fn judge(constraints: &[u8], certificate: &Certificate) -> Result<bool, CmsError> {
    let mut parts = Element::parse(constraints, PART)?.elements();
    let permitted = subtrees(parts.optional(tag::context(0), PART)?)?;
    let excluded = subtrees(parts.optional(tag::context(1), PART)?)?;
    parts.finish(PART)?;
    for name in names(certificate)? {
        let same_form = |base: &&Name<'_>| base.tag == name.tag;
        let mut allowed = permitted.iter().filter(same_form).peekable();
        let mut denied = excluded.iter().filter(same_form);
        if allowed.peek().is_some() && !allowed.any(|base| within(&name, base) == Some(true)) {
            return Ok(false);
        }
        // A form that is not known here may be within what is excluded.
        if denied.any(|base| within(&name, base) != Some(false)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// GeneralSubtrees; minimum and maximum other than the default are forbidden by RFC 5280.
fn subtrees(sequence: Option<Element<'_>>) -> Result<Vec<Name<'_>>, CmsError> {
    let Some(sequence) = sequence else { return Ok(Vec::new()) };
    let mut bases = Vec::new();
    for element in sequence.elements_up_to(MAXIMUM_NAMES, PART)? {
        if element.tag() != tag::SEQUENCE {
            return Err(CmsError::Malformed { part: PART });
        }
        let mut parts = element.elements();
        let base = parts.next(PART)?;
        parts.finish(PART)?;
        bases.push(Name { tag: base.tag(), content: base.content() });
    }
    Ok(bases)
}

/// The subject, its e-mail addresses, and the subjectAltName.
fn names(certificate: &Certificate) -> Result<Vec<Name<'_>>, CmsError> {
    let mut names = Vec::new();
    let subject = Element::parse(certificate.subject(), PART)?;
    if !subject.content().is_empty() {
        names.push(Name { tag: DIRECTORY_NAME, content: certificate.subject() });
    }
    for set in subject.elements_up_to(MAXIMUM_NAMES, PART)? {
        for attribute in set.elements_up_to(MAXIMUM_NAMES, PART)? {
            let mut parts = attribute.elements();
            if parts.next(PART)?.content() == EMAIL_ADDRESS {
                names.push(Name { tag: RFC822_NAME, content: parts.next(PART)?.content() });
            }
        }
    }
    if let Some(value) = certificate.extension(extension::SUBJECT_ALT_NAME) {
        for name in Element::parse(value, PART)?.elements_up_to(MAXIMUM_NAMES, PART)? {
            names.push(Name { tag: name.tag(), content: name.content() });
        }
    }
    Ok(names)
}

/// Whether `name` lies in the subtree of `base`; `None` for a form that is not known here.
fn within(name: &Name<'_>, base: &Name<'_>) -> Option<bool> {
    match name.tag {
        DIRECTORY_NAME => Some(directory_within(name.content, base.content).unwrap_or(false)),
        DNS_NAME => Some(host_within(name.content, base.content)),
        RFC822_NAME => Some(mailbox_within(name.content, base.content)),
        _ => None,
    }
}

/// The relative names of the base come first in the name, byte for byte.
fn directory_within(name: &[u8], base: &[u8]) -> Option<bool> {
    let name = Element::parse(name, PART).ok()?;
    let base = Element::parse(base, PART).ok()?;
    Some(name.content().starts_with(base.content()))
}

fn host_within(name: &[u8], base: &[u8]) -> bool {
    let (name, base) = (name.to_ascii_lowercase(), base.to_ascii_lowercase());
    let base = base.strip_prefix(b".").unwrap_or(&base);
    name == base || base.is_empty() || name.strip_suffix(base).is_some_and(|rest| rest.ends_with(b"."))
}

/// A base is a mailbox, a host, or, with a leading dot, the hosts of a domain.
fn mailbox_within(name: &[u8], base: &[u8]) -> bool {
    let Some(at) = name.iter().rposition(|byte| *byte == b'@') else { return false };
    let (local, host) = name.split_at(at);
    let host = host.get(1..).unwrap_or_default().to_ascii_lowercase();
    match base.iter().rposition(|byte| *byte == b'@') {
        Some(at) => {
            let (base_local, base_host) = base.split_at(at);
            let base_host = base_host.get(1..).unwrap_or_default();
            local == base_local && host == base_host.to_ascii_lowercase()
        }
        None if base.starts_with(b".") => host.ends_with(&base.to_ascii_lowercase()),
        None => base.is_empty() || host == base.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_mailboxes_lie_within_their_bases() {
        for (tag, name, base, inside) in [
            (DNS_NAME, "a.example.com", "example.com", true),
            (DNS_NAME, "A.EXAMPLE.com", "example.com", true),
            (DNS_NAME, "example.com", "example.com", true),
            (DNS_NAME, "badexample.com", "example.com", false),
            (DNS_NAME, "example.com.evil", "example.com", false),
            (RFC822_NAME, "ana@example.com", "example.com", true),
            (RFC822_NAME, "ana@sub.example.com", "example.com", false),
            (RFC822_NAME, "ana@sub.example.com", ".example.com", true),
            (RFC822_NAME, "ana@example.com", "ana@EXAMPLE.com", true),
            (RFC822_NAME, "eva@example.com", "ana@example.com", false),
            (RFC822_NAME, "nobody", "example.com", false),
        ] {
            let (name, base) = (name.as_bytes(), base.as_bytes());
            let result = within(&Name { tag, content: name }, &Name { tag, content: base });
            assert_eq!(result, Some(inside), "{name:?} in {base:?}");
        }
        let address = Name { tag: tag::context_primitive(7), content: &[127, 0, 0, 1] };
        assert_eq!(within(&address, &address), None);
    }
}
