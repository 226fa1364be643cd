//! Pages found by descent of the page tree (ISO 32000-2, 7.7.3), inherited attributes resolved.

use crate::pdf::geometry::PageGeometry;
use crate::pdf::object::{Dictionary, Reference};

/// One page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Where the page object stands; where `direct` is set, its parent.
    pub reference: Reference,
    /// Its place in the parent's `/Kids`, when it is written there instead of referred to.
    pub direct: Option<usize>,
    /// Its own entries, without inherited ones.
    pub dictionary: Dictionary,
    /// Boxes, rotation and unit, inherited ones included.
    pub geometry: PageGeometry,
    /// Its number, from 1.
    pub number: u32,
}
