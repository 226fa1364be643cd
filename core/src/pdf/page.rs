//! Pages found by descent of the page tree (ISO 32000-2, 7.7.3), inherited attributes resolved.

#[cfg(test)]
mod tests;
mod tree;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::field::SignatureField;
use crate::pdf::geometry::PageGeometry;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::page::tree::{Search, Walk};
use crate::pdf::source::Source;

/// Trees of no more pages are walked, so that wrong counts do no harm.
const WALKED: u32 = 64;

/// Values of a page that is kept.
const KEPT: usize = 1 << 14;

/// What walks have found.
#[derive(Debug, Default)]
pub(in crate::pdf) struct KnownPages {
    count: Option<u32>,
    /// The page that was found last.
    page: Option<Page>,
}

/// One page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Where the page object stands; where `direct` is set, the object that it is written in.
    pub reference: Reference,
    /// How it is written there, when it is instead of referred to.
    pub direct: Option<Direct>,
    /// Its own entries, without inherited ones.
    pub dictionary: Dictionary,
    /// Boxes, rotation and unit, inherited ones included.
    pub geometry: PageGeometry,
    /// Its number, from 1.
    pub number: u32,
}

/// Where a node of the page tree stands that is no object of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direct {
    /// Somewhere within the kids of an object.
    Deeper,
    /// At this place of `/Kids` of an object.
    Kid(usize),
}

impl<S: Source> Document<S> {
    /// How many pages there are. A large tree's own counts are taken where they agree with what is
    /// found on the way to the last page; a small tree, or one that lies, is walked.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn page_count(&self) -> Result<u32, PdfError> {
        if let Some(count) = self.large_count()? {
            return Ok(count);
        }
        if let Some(count) = self.known_pages.borrow().count {
            return Ok(count);
        }
        let Walk { pages, found } = self.walk(Search::Last)?;
        self.known_pages.borrow_mut().count = Some(pages);
        self.keep(found.as_ref());
        Ok(pages)
    }

    /// The page `number`, from 1.
    ///
    /// # Errors
    /// [`PdfError::PageNotFound`], otherwise as [`Document::open`].
    pub fn page(&self, number: u32) -> Result<Page, PdfError> {
        if number > 0
            && self.large_count()?.is_some()
            && let Some(page) = self.descend(number)?
        {
            return Ok(page);
        }
        let known = self.known_pages.borrow().page.clone();
        if let Some(known) = known.filter(|known| known.number == number) {
            return Ok(known);
        }
        let Walk { pages, found } = self.walk(Search::Number(number))?;
        self.keep(found.as_ref());
        found.ok_or(PdfError::PageNotFound { asked: number, count: pages })
    }

    /// Keeps the page that a walk found: it is often asked for again.
    fn keep(&self, found: Option<&Page>) {
        if let Some(page) = found.filter(|page| page.dictionary.weight() <= KEPT) {
            self.known_pages.borrow_mut().page = Some(page.clone());
        }
    }

    /// What the root of the tree says of the number of pages, if that makes a walk expensive and
    /// the nodes on the way to the last page agree with it.
    fn large_count(&self) -> Result<Option<u32>, PdfError> {
        if let Some(&count) = self.large_count.get() {
            return Ok(count);
        }
        let pages = self.entry(self.catalog(), "Pages")?;
        let count = pages.as_dictionary().map(|pages| self.entry(pages, "Count")).transpose()?;
        let count = count.and_then(|count| u32::try_from(count.as_integer()?).ok());
        let count = match count.filter(|&count| count > WALKED) {
            Some(count) => self.descend(count)?.map(|_| count),
            None => None,
        };
        Ok(*self.large_count.get_or_init(|| count))
    }

    /// The page on which the first widget of `field` stands: the one that lists it, else the one
    /// its `/P` names, else the first page.
    ///
    /// # Errors
    /// [`PdfError::PageNotFound`] when the document has no page, otherwise as [`Document::open`].
    pub fn page_of_field(&self, field: &SignatureField) -> Result<Page, PdfError> {
        let widget = field.widget.as_ref();
        if let Some(page) = widget.and_then(|widget| widget.page) {
            // Most fields are on the first or the last page; no walk is needed for these.
            let last = self.page_count()?;
            for number in [1, last] {
                let found =
                    self.page(number).ok().filter(|found| found.direct.is_none() && found.reference == page);
                if let Some(found) = found {
                    return Ok(found);
                }
            }
            if let Some(found) = self.walk(Search::Reference(page))?.found {
                return Ok(found);
            }
        }
        if let Some(reference) = widget.and_then(|widget| widget.reference)
            && let Some(found) = self.walk(Search::Annotation(reference))?.found
        {
            return Ok(found);
        }
        self.page(1)
    }

    /// Whether the page at `place`, whose entries are `page`, is in the page tree: on the way up by
    /// `/Parent` every node lists the one below, or else a walk finds it.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub(crate) fn is_in_page_tree(&self, place: Reference, page: &Dictionary) -> Result<bool, PdfError> {
        let root = self.catalog().get("Pages").and_then(Object::as_reference);
        let (mut below, mut above) = (place, page.get("Parent").and_then(Object::as_reference));
        for _ in 0..self.limits().depth {
            let Some(parent) = above else { break };
            let Object::Dictionary(node) = self.object(parent)? else { break };
            let kids = self.entry(&node, "Kids")?;
            if !kids.as_array().unwrap_or_default().contains(&Object::Reference(below)) {
                break;
            }
            if Some(parent) == root {
                return Ok(true);
            }
            (below, above) = (parent, node.get("Parent").and_then(Object::as_reference));
        }
        // Pages that do not say so stand in the first list most of the time.
        let pages = self.entry(self.catalog(), "Pages")?.into_dictionary().unwrap_or_default();
        let first = self.entry(&pages, "Kids")?;
        if first.as_array().unwrap_or_default().contains(&Object::Reference(place)) {
            return Ok(true);
        }
        Ok(root == Some(place) || self.walk(Search::Reference(place))?.found.is_some())
    }

    /// Whether `/Annots` of a page lists the annotation at `reference`.
    fn lists_annotation(&self, page: &Dictionary, reference: Reference) -> Result<bool, PdfError> {
        let annotations = self.entry(page, "Annots")?;
        let items = annotations.as_array().unwrap_or_default();
        Ok(items.contains(&Object::Reference(reference)))
    }
}
