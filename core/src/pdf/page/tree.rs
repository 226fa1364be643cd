//! The page tree: one way down by the counts, or a walk over all of it where they lie.

use std::collections::HashSet;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::geometry::{PageGeometry, Rectangle, Rotation};
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::page::{Direct, Page};
use crate::pdf::source::Source;

/// What a walk looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// The page that lists this annotation.
    Annotation(Reference),
    /// The last page: the pages are counted.
    Last,
    /// The page of this number.
    Number(u32),
    /// The page that stands here.
    Reference(Reference),
}

/// What a walk found: the page, or how many pages there are.
#[derive(Debug)]
pub(super) struct Walk {
    pub(super) pages: u32,
    pub(super) found: Option<Page>,
}

/// A node of the tree on the way down.
#[derive(Debug, Clone)]
struct Node {
    reference: Reference,
    /// Where it is written within another object, which `reference` is then.
    direct: Option<Direct>,
    dictionary: Dictionary,
    inherited: Inherited,
}

/// Inheritable attributes (table 31), references resolved.
#[derive(Debug, Clone, Default)]
struct Inherited {
    media_box: Option<Rectangle>,
    crop_box: Option<Rectangle>,
    rotate: Option<i64>,
}

/// An intermediate node whose kids are being visited.
struct Level {
    node: Node,
    kids: Vec<Object>,
    next: usize,
}

impl<S: Source> Document<S> {
    /// The page `number`, from 1, by the counts of the nodes; `None` where these do not agree.
    pub(super) fn descend(&self, number: u32) -> Result<Option<Page>, PdfError> {
        let Some(mut node) = self.root_node()? else { return Ok(None) };
        let mut seen = HashSet::new();
        let mut left = u64::from(number);
        let mut visited = 0usize;
        loop {
            if !seen.insert(node.reference) || seen.len() > self.limits().depth {
                return Ok(None);
            }
            let Some(kids) = self.kids(&node)? else {
                return if left == 1 { self.page_at(node, number).map(Some) } else { Ok(None) };
            };
            let Some(count) = self.count(&node)?.filter(|&count| left <= count) else { return Ok(None) };
            if count == kids.len() as u64 {
                // One page each: the kid is found without a look at its siblings.
                let index = usize::try_from(left - 1).unwrap_or(usize::MAX);
                let Some(kid) = self.kid(&node, &kids, index)? else { return Ok(None) };
                if self.pages_below(&kid)? != Some(1) {
                    return Ok(None);
                }
                (left, node) = (1, kid);
                if node.direct.is_some() {
                    return self.page_at(node, number).map(Some);
                }
                continue;
            }
            let mut next = None;
            let mut sum = 0u64;
            for index in 0..kids.len() {
                visited += 1;
                if visited > self.limits().nodes {
                    return Err(PdfError::Limit { what: "the number of nodes of the page tree" });
                }
                let Some(kid) = self.kid(&node, &kids, index)? else { return Ok(None) };
                let Some(below) = self.pages_below(&kid)? else { return Ok(None) };
                if next.is_none() && left <= sum.saturating_add(below) {
                    next = Some((left - sum, kid));
                    // The siblings after it matter only for the last page: it tells the count.
                    if left < count {
                        break;
                    }
                }
                sum = sum.saturating_add(below);
            }
            if left == count && sum != count {
                return Ok(None);
            }
            match next {
                Some((rest, kid)) if kid.direct.is_none() => (left, node) = (rest, kid),
                Some((1, kid)) if !kid.dictionary.contains("Kids") => {
                    return self.page_at(kid, number).map(Some);
                }
                Some(_) | None => return Ok(None),
            }
        }
    }

    /// Visits all pages in order until `search` is satisfied.
    pub(super) fn walk(&self, search: Search) -> Result<Walk, PdfError> {
        let mut walk = Walk { pages: 0, found: None };
        let mut last = None;
        let Some(root) = self.root_node()? else { return Ok(walk) };
        let mut path = HashSet::from([root.reference]);
        let mut levels = Vec::new();
        match self.kids(&root)? {
            Some(kids) => levels.push(Level { node: root, kids, next: 0 }),
            None => {
                self.visit(&root, search, &mut walk)?;
                last = Some(root);
            }
        }
        let mut visited = 0usize;
        while let Some(level) = levels.last_mut() {
            let index = level.next;
            level.next += 1;
            if index >= level.kids.len() {
                if level.node.direct.is_none() {
                    path.remove(&level.node.reference);
                }
                levels.pop();
                continue;
            }
            visited += 1;
            if visited > self.limits().nodes {
                return Err(PdfError::Limit { what: "the number of nodes of the page tree" });
            }
            let Some(kid) = self.kid(&level.node, &level.kids, index)? else { continue };
            match self.kids(&kid)? {
                None => {
                    if self.visit(&kid, search, &mut walk)? {
                        return Ok(walk);
                    }
                    last = Some(kid);
                }
                // A node within itself is left out, as readers do.
                Some(_) if kid.direct.is_none() && !path.insert(kid.reference) => {}
                Some(_) if levels.len() >= self.limits().depth => {
                    return Err(PdfError::Limit { what: "the depth of the page tree" });
                }
                Some(kids) => levels.push(Level { node: kid, kids, next: 0 }),
            }
        }
        if search == Search::Last {
            // What is wrong with that page is told to whoever asks for it.
            walk.found = last.and_then(|last| self.page_at(last, walk.pages).ok());
        }
        Ok(walk)
    }

    /// Counts a page; whether it is the one that is looked for.
    fn visit(&self, node: &Node, search: Search, walk: &mut Walk) -> Result<bool, PdfError> {
        walk.pages = walk.pages.saturating_add(1);
        let wanted = match search {
            Search::Annotation(reference) => self.lists_annotation(&node.dictionary, reference)?,
            Search::Last => false,
            Search::Number(number) => number == walk.pages,
            Search::Reference(reference) => node.direct.is_none() && node.reference == reference,
        };
        if wanted {
            walk.found = Some(self.page_at(node.clone(), walk.pages)?);
        }
        Ok(wanted)
    }

    fn root_node(&self) -> Result<Option<Node>, PdfError> {
        let Some(reference) = self.catalog().get("Pages").and_then(Object::as_reference) else {
            return Ok(None);
        };
        let Object::Dictionary(dictionary) = self.object(reference)? else { return Ok(None) };
        let inherited = self.inherit(&Inherited::default(), &dictionary)?;
        Ok(Some(Node { reference, direct: None, dictionary, inherited }))
    }

    /// The kids of an intermediate node; `None` for a page.
    fn kids(&self, node: &Node) -> Result<Option<Vec<Object>>, PdfError> {
        // What has kids is a node, whatever its type says; a page has none.
        let kids = self.entry(&node.dictionary, "Kids")?;
        if kids == Object::Null && self.entry(&node.dictionary, "Type")?.as_name() == Some(b"Pages") {
            return Ok(Some(Vec::new()));
        }
        Ok(kids.into_array())
    }

    fn count(&self, node: &Node) -> Result<Option<u64>, PdfError> {
        Ok(self.entry(&node.dictionary, "Count")?.as_integer().and_then(|count| u64::try_from(count).ok()))
    }

    /// How many pages `node` claims to hold.
    fn pages_below(&self, node: &Node) -> Result<Option<u64>, PdfError> {
        if node.dictionary.contains("Kids") { self.count(node) } else { Ok(Some(1)) }
    }

    /// The kid at `index`; `None` where no dictionary stands there.
    fn kid(&self, parent: &Node, kids: &[Object], index: usize) -> Result<Option<Node>, PdfError> {
        let (reference, direct, object) = match kids.get(index) {
            Some(Object::Reference(reference)) => (*reference, None, self.object(*reference)?),
            Some(object) => {
                let direct = if parent.direct.is_some() { Direct::Deeper } else { Direct::Kid(index) };
                (parent.reference, Some(direct), object.clone())
            }
            None => return Ok(None),
        };
        let Object::Dictionary(dictionary) = object else { return Ok(None) };
        let inherited = self.inherit(&parent.inherited, &dictionary)?;
        Ok(Some(Node { reference, direct, dictionary, inherited }))
    }

    fn inherit(&self, above: &Inherited, own: &Dictionary) -> Result<Inherited, PdfError> {
        Ok(Inherited {
            media_box: self.rectangle(own, "MediaBox")?.or(above.media_box),
            crop_box: self.rectangle(own, "CropBox")?.or(above.crop_box),
            rotate: self.entry(own, "Rotate")?.as_integer().or(above.rotate),
        })
    }

    /// The rectangle at `key`, if it is one.
    pub(crate) fn rectangle(
        &self,
        dictionary: &Dictionary,
        key: &str,
    ) -> Result<Option<Rectangle>, PdfError> {
        let object = self.entry(dictionary, key)?;
        let Some([a, b, c, d]) = object.as_array() else { return Ok(None) };
        let mut numbers = [0.0; 4];
        for (number, item) in numbers.iter_mut().zip([a, b, c, d]) {
            let Some(value) = self.resolve(item)?.as_number().filter(|value| value.is_finite()) else {
                return Ok(None);
            };
            *number = value;
        }
        let [a, b, c, d] = numbers;
        Ok(Some(Rectangle::between(a, b, c, d)))
    }

    fn page_at(&self, node: Node, number: u32) -> Result<Page, PdfError> {
        let whole =
            |found: Option<Rectangle>| found.filter(|found| found.width() > 0.0 && found.height() > 0.0);
        let media_box = whole(node.inherited.media_box).unwrap_or(Rectangle::LETTER);
        let crop_box = node.inherited.crop_box.and_then(|crop_box| crop_box.intersection(&media_box));
        let unit = self.entry(&node.dictionary, "UserUnit")?.as_number();
        let geometry = PageGeometry {
            media_box,
            crop_box: crop_box.unwrap_or(media_box),
            rotation: Rotation::from_degrees(node.inherited.rotate.unwrap_or(0)),
            user_unit: unit.filter(|unit| unit.is_finite() && *unit > 0.0).unwrap_or(1.0),
        };
        Ok(Page {
            reference: node.reference,
            direct: node.direct,
            dictionary: node.dictionary,
            geometry,
            number,
        })
    }
}
