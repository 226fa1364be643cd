//! Steps through DER, one element after the other, without knowing what is inside.

use der::{AnyRef, Decode as _, Reader as _, SliceReader, Tag, TagNumber, asn1::ObjectIdentifier};

/// The DER is not what the structure says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// The elements inside a constructed one.
pub(super) struct Walk<'a>(SliceReader<'a>);

impl<'a> Walk<'a> {
    /// Walks over the elements that `bytes` consist of.
    pub(super) fn over(bytes: &'a [u8]) -> Result<Self, Malformed> {
        SliceReader::new(bytes).map(Self).map_err(|_| Malformed)
    }

    /// Walks over what is inside `element`, which must have `tag`.
    pub(super) fn inside(element: AnyRef<'a>, tag: Tag) -> Result<Self, Malformed> {
        if der::Tagged::tag(&element) == tag { Self::over(element.value()) } else { Err(Malformed) }
    }

    /// Walks over the one sequence that `bytes` are.
    pub(super) fn sequence(bytes: &'a [u8]) -> Result<Self, Malformed> {
        Self::inside(Self::over(bytes)?.next()?, Tag::Sequence)
    }

    /// Whether nothing is left.
    pub(super) fn is_finished(&self) -> bool {
        self.0.is_finished()
    }

    /// The next element.
    pub(super) fn next(&mut self) -> Result<AnyRef<'a>, Malformed> {
        AnyRef::decode(&mut self.0).map_err(|_| Malformed)
    }

    /// The next element if it has `tag`.
    pub(super) fn next_if(&mut self, tag: Tag) -> Result<Option<AnyRef<'a>>, Malformed> {
        if self.is_finished() || Tag::peek(&self.0).map_err(|_| Malformed)? != tag {
            return Ok(None);
        }
        self.next().map(Some)
    }

    /// The content of the next element, which must have `tag`.
    pub(super) fn value(&mut self, tag: Tag) -> Result<&'a [u8], Malformed> {
        self.next_if(tag)?.map(|element| element.value()).ok_or(Malformed)
    }

    /// The next element, an object identifier.
    pub(super) fn oid(&mut self) -> Result<ObjectIdentifier, Malformed> {
        self.next()?.decode_as().map_err(|_| Malformed)
    }

    /// The next element, a count.
    pub(super) fn count(&mut self) -> Result<u32, Malformed> {
        self.next()?.decode_as().map_err(|_| Malformed)
    }

    /// The next element with its tag and length.
    pub(super) fn encoded(&mut self) -> Result<&'a [u8], Malformed> {
        self.0.tlv_bytes().map_err(|_| Malformed)
    }
}

/// `[number]`, constructed.
pub(super) const fn context(number: u32) -> Tag {
    Tag::ContextSpecific { constructed: true, number: TagNumber(number) }
}

/// `[number]`, primitive.
pub(super) const fn context_primitive(number: u32) -> Tag {
    Tag::ContextSpecific { constructed: false, number: TagNumber(number) }
}
