//! Signature fields of the interactive form (ISO 32000-2, 12.7): found, with what they hold.

use crate::pdf::geometry::Rectangle;
use crate::pdf::object::{Dictionary, Reference};
use crate::pdf::signature::SignatureValue;

/// A terminal field of type `Sig`.
#[derive(Debug, Clone, PartialEq)]
pub struct SignatureField {
    /// The fully qualified name (12.7.4.2).
    pub name: String,
    /// Where the field stands; `None` when it is written directly into its parent's array.
    pub reference: Option<Reference>,
    /// The field's own entries.
    pub dictionary: Dictionary,
    /// Its first widget annotation, if it has one.
    pub widget: Option<Widget>,
    /// Its signature; `None` while it is empty.
    pub value: Option<SignatureValue>,
}

/// The widget annotation of a field (12.5.6.19): often the field's own dictionary.
#[derive(Debug, Clone, PartialEq)]
pub struct Widget {
    /// Where the widget stands.
    pub reference: Option<Reference>,
    /// `/P`, the page it is on, if it says so.
    pub page: Option<Reference>,
    /// `/Rect`, if it is a rectangle.
    pub rectangle: Option<Rectangle>,
}
