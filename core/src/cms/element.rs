//! DER elements (X.690) as slices of the input: nothing is copied, order and bytes stay.
//!
//! Lengths must be definite and minimal; tags are single bytes, as in every structure of
//! RFC 5280 and RFC 5652. BER goes through [`crate::cms::ber`] first.

use der::asn1::ObjectIdentifier;

use crate::cms::error::CmsError;

/// Identifier octets.
pub(crate) mod tag {
    pub(crate) const BOOLEAN: u8 = 0x01;
    pub(crate) const INTEGER: u8 = 0x02;
    pub(crate) const BIT_STRING: u8 = 0x03;
    pub(crate) const OCTET_STRING: u8 = 0x04;
    pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
    pub(crate) const UTC_TIME: u8 = 0x17;
    pub(crate) const GENERALIZED_TIME: u8 = 0x18;
    pub(crate) const SEQUENCE: u8 = 0x30;
    pub(crate) const SET: u8 = 0x31;

    /// `[number]`, constructed.
    pub(crate) const fn context(number: u8) -> u8 {
        0xa0 | number
    }

    /// `[number]` IMPLICIT over a primitive type.
    pub(crate) const fn context_primitive(number: u8) -> u8 {
        0x80 | number
    }
}

/// One element: its tag, its content, and its whole encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    tag: u8,
    encoding: &'a [u8],
    content: &'a [u8],
}

/// Elements one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Elements<'a> {
    rest: &'a [u8],
}

impl<'a> Element<'a> {
    /// The one element that `bytes` are; `part` names it in the error.
    pub(crate) fn parse(bytes: &'a [u8], part: &'static str) -> Result<Self, CmsError> {
        let mut elements = Elements::new(bytes);
        let element = elements.next(part)?;
        elements.finish(part)?;
        Ok(element)
    }

    pub(crate) const fn tag(&self) -> u8 {
        self.tag
    }

    pub(crate) const fn encoding(&self) -> &'a [u8] {
        self.encoding
    }

    pub(crate) const fn content(&self) -> &'a [u8] {
        self.content
    }

    /// What a constructed element holds.
    pub(crate) const fn elements(&self) -> Elements<'a> {
        Elements { rest: self.content }
    }

    /// What a constructed element holds, counted before any of it is looked at.
    pub(crate) fn elements_up_to(
        &self,
        limit: usize,
        part: &'static str,
    ) -> Result<Vec<Element<'a>>, CmsError> {
        let mut elements = self.elements();
        let mut found = Vec::new();
        while !elements.is_empty() {
            if found.len() == limit {
                return Err(CmsError::LimitExceeded { part, limit });
            }
            found.push(elements.next(part)?);
        }
        Ok(found)
    }

    /// The value of an OBJECT IDENTIFIER.
    pub(crate) fn object_identifier(&self, part: &'static str) -> Result<ObjectIdentifier, CmsError> {
        if self.tag != tag::OBJECT_IDENTIFIER {
            return Err(CmsError::Malformed { part });
        }
        ObjectIdentifier::from_bytes(self.content).map_err(|_| CmsError::Malformed { part })
    }

    /// The whole octets of a BIT STRING; one with unused bits is refused.
    pub(crate) fn whole_bits(&self, part: &'static str) -> Result<&'a [u8], CmsError> {
        match self.content.split_first() {
            Some((0, octets)) if self.tag == tag::BIT_STRING => Ok(octets),
            Some(_) | None => Err(CmsError::Malformed { part }),
        }
    }
}

impl<'a> Elements<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// The next element, whatever its tag.
    pub(crate) fn next(&mut self, part: &'static str) -> Result<Element<'a>, CmsError> {
        let malformed = CmsError::Malformed { part };
        let (tag, header_len, content_len) = header(self.rest).ok_or_else(|| malformed.clone())?;
        let total = header_len.checked_add(content_len).ok_or_else(|| malformed.clone())?;
        let (encoding, rest) = self.rest.split_at_checked(total).ok_or_else(|| malformed.clone())?;
        let content = encoding.get(header_len..).ok_or(malformed)?;
        self.rest = rest;
        Ok(Element { tag, encoding, content })
    }

    /// The next element, which must have `tag`.
    pub(crate) fn expect(&mut self, tag: u8, part: &'static str) -> Result<Element<'a>, CmsError> {
        let element = self.next(part)?;
        if element.tag == tag { Ok(element) } else { Err(CmsError::Malformed { part }) }
    }

    /// The next element where it has `tag`.
    pub(crate) fn optional(&mut self, tag: u8, part: &'static str) -> Result<Option<Element<'a>>, CmsError> {
        if self.rest.first() == Some(&tag) { self.next(part).map(Some) } else { Ok(None) }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes not read yet.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Refuses what is left over.
    pub(crate) const fn finish(&self, part: &'static str) -> Result<(), CmsError> {
        if self.rest.is_empty() { Ok(()) } else { Err(CmsError::Malformed { part }) }
    }
}

/// Tag, length of the header, length of the content; `None` where that is not DER.
fn header(bytes: &[u8]) -> Option<(u8, usize, usize)> {
    let (&tag, rest) = bytes.split_first()?;
    if tag & 0x1f == 0x1f {
        return None;
    }
    let (&first, rest) = rest.split_first()?;
    if first < 0x80 {
        return Some((tag, 2, usize::from(first)));
    }
    let count = usize::from(first & 0x7f);
    let octets = rest.get(..count)?;
    if !(1..=4).contains(&count) || octets.first() == Some(&0) {
        return None;
    }
    let length = octets.iter().fold(0_usize, |length, octet| length << 8 | usize::from(*octet));
    (length >= 0x80).then_some((tag, 2 + count, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_definite_minimal_lengths_and_short_tags_are_read() {
        for (bytes, readable) in [
            (&[0x04, 0x01, 0xff][..], true),
            (&[0x04, 0x00], true),
            (&[0x04, 0x81, 0x01, 0xff], false),
            (&[0x30, 0x80, 0x00, 0x00], false),
            (&[0x1f, 0x22, 0x00], false),
            (&[0x04, 0x05, 0xff], false),
            (&[0x04, 0x85, 1, 0, 0, 0, 0], false),
            (&[0x04], false),
            (&[], false),
        ] {
            assert_eq!(Elements::new(bytes).next("test").is_ok(), readable, "{bytes:02x?}");
        }
    }

    #[test]
    fn more_elements_than_the_limit_are_refused() {
        let set = [0x31, 0x06, 0x05, 0x00, 0x05, 0x00, 0x05, 0x00];
        let set = Element::parse(&set, "set").unwrap();
        assert_eq!(set.elements_up_to(3, "set").unwrap().len(), 3);
        assert_eq!(set.elements_up_to(2, "set"), Err(CmsError::LimitExceeded { part: "set", limit: 2 }));
    }
}
