//! The objects of one incremental update, before they are written (ISO 32000-2, 7.5.6).

use crate::pdf::object::{Object, Reference, Stream};

/// What stands behind an object number.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Any object but a stream.
    Object(Object),
    /// A stream.
    Stream(Stream),
}

/// Objects added or replaced by one update.
#[derive(Debug, Clone, PartialEq)]
pub struct Update {
    first_number: u32,
    next_number: u32,
    objects: Vec<(Reference, Body)>,
}

impl Update {
    /// An empty update whose new objects are numbered from `next_number` on.
    pub const fn starting_at(next_number: u32) -> Self {
        Self { first_number: next_number, next_number, objects: Vec::new() }
    }

    /// A new object number, generation 0, to be filled by [`Update::put`].
    pub fn reserve(&mut self) -> Reference {
        let number = self.next_number;
        self.next_number = number.saturating_add(1);
        Reference { number, generation: 0 }
    }

    /// Adds a new object and returns its reference.
    pub fn add(&mut self, body: impl Into<Body>) -> Reference {
        let reference = self.reserve();
        self.put(reference, body);
        reference
    }

    /// Sets the object behind `reference`: a reserved one, or an older one that it replaces.
    pub fn put(&mut self, reference: Reference, body: impl Into<Body>) {
        let body = body.into();
        match self.objects.iter_mut().find(|(old, _)| old.number == reference.number) {
            Some(entry) => *entry = (reference, body),
            None => self.objects.push((reference, body)),
        }
    }

    /// What the update says of `reference`, if anything.
    pub fn get(&self, reference: Reference) -> Option<&Body> {
        self.objects.iter().find(|(own, _)| *own == reference).map(|(_, body)| body)
    }

    /// Whether the object is added, and not one of the document that may be replaced.
    pub const fn is_added(&self, reference: Reference) -> bool {
        reference.number >= self.first_number
    }

    /// The objects in the order they were added.
    pub fn objects(&self) -> &[(Reference, Body)] {
        &self.objects
    }

    /// One more than the highest object number handed out.
    pub const fn next_number(&self) -> u32 {
        self.next_number
    }
}

impl From<Object> for Body {
    fn from(object: Object) -> Self {
        Self::Object(object)
    }
}

impl From<crate::pdf::object::Dictionary> for Body {
    fn from(dictionary: crate::pdf::object::Dictionary) -> Self {
        Self::Object(Object::Dictionary(dictionary))
    }
}

impl From<Stream> for Body {
    fn from(stream: Stream) -> Self {
        Self::Stream(stream)
    }
}
