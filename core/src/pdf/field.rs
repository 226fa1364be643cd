//! Signature fields of the interactive form (ISO 32000-2, 12.7): found, with what they hold.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::geometry::Rectangle;
use crate::pdf::object::{Dictionary, Object, Reference};
use crate::pdf::signature::SignatureValue;
use crate::pdf::source::Source;
use crate::pdf::text;

/// Values that are kept of all fields of a file, with a share of their texts.
const WEIGHT: usize = 1 << 19;
/// Bytes of text that count as one value.
const TEXT_SHARE: usize = 64;
/// Bytes of a fully qualified name.
pub(crate) const NAME_BYTES: usize = 32 << 10;

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
    /// The `/Rect` of its first widget, if it is a rectangle.
    pub rectangle: Option<Rectangle>,
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
}

/// The fields of a document, as far as signing needs them.
#[derive(Debug, Default)]
pub(crate) struct Form {
    pub(crate) signatures: Vec<SignatureField>,
    /// The names at the top of the field tree, of any type.
    pub(crate) top_names: HashSet<String>,
}

/// A node of the field tree, what it inherits filled in.
struct Node {
    reference: Option<Reference>,
    dictionary: Dictionary,
    name: String,
    field_type: Object,
    value: Object,
    depth: usize,
}

impl<S: Source> Document<S> {
    /// Every signature field, in the order of the form.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub fn fields(&self) -> Result<&[SignatureField], PdfError> {
        Ok(&self.form()?.signatures)
    }

    /// All fields; they are read once.
    pub(crate) fn form(&self) -> Result<&Form, PdfError> {
        if let Some(form) = self.form.get() {
            return Ok(form);
        }
        let form = self.read_form()?;
        Ok(self.form.get_or_init(|| form))
    }

    /// All fields, visited without recursion; a field that is reached again is left out.
    fn read_form(&self) -> Result<Form, PdfError> {
        let mut form = Form::default();
        let Object::Dictionary(dictionary) = self.entry(self.catalog(), "AcroForm")? else { return Ok(form) };
        let Object::Array(roots) = self.entry(&dictionary, "Fields")? else { return Ok(form) };
        let mut seen = HashSet::new();
        let mut stack: Vec<(Object, Option<std::rc::Rc<Node>>)> = Vec::new();
        stack.extend(roots.into_iter().rev().map(|root| (root, None)));
        let mut visited = 0usize;
        let mut weight = 0usize;
        while let Some((object, parent)) = stack.pop() {
            visited += 1;
            if visited > self.limits().nodes {
                return Err(PdfError::Limit { what: "the number of form fields" });
            }
            let reference = object.as_reference();
            if reference.is_some_and(|reference| !seen.insert(reference)) {
                continue;
            }
            let Object::Dictionary(dictionary) = self.resolve(&object)? else { continue };
            let node = self.node(reference, dictionary, parent.as_deref())?;
            // The name is kept up to three times: as it is written, for the field, and among all names.
            weight += 3 * (node.name.len() / TEXT_SHARE);
            if parent.is_none() {
                form.top_names.insert(node.name.clone());
            }
            if weight > WEIGHT {
                return Err(PdfError::Limit { what: "the size of the form" });
            }
            let kids = self.entry(&node.dictionary, "Kids")?.into_array().unwrap_or_default();
            // Kids without a name are the widgets of a terminal field.
            let mut fields = Vec::new();
            let mut widget = None;
            for kid in kids {
                visited += 1;
                if visited > self.limits().nodes {
                    return Err(PdfError::Limit { what: "the number of form fields" });
                }
                let Object::Dictionary(dictionary) = self.resolve(&kid)? else { continue };
                if dictionary.contains("T") || dictionary.contains("Kids") {
                    fields.push(kid);
                } else if widget.is_none() {
                    widget = Some((kid.as_reference(), dictionary));
                }
            }
            if !fields.is_empty() {
                if node.depth >= self.limits().depth {
                    return Err(PdfError::Limit { what: "the depth of the form" });
                }
                let node = std::rc::Rc::new(node);
                stack.extend(fields.into_iter().rev().map(|kid| (kid, Some(std::rc::Rc::clone(&node)))));
            } else if node.field_type.as_name() == Some(b"Sig") {
                let field = self.signature_field(node, widget)?;
                let contents = field.value.as_ref().map_or(0, |value| value.contents.len());
                let value = field.value.as_ref().map_or(0, |value| value.dictionary.weight());
                weight += field.dictionary.weight() + value + contents / TEXT_SHARE;
                form.signatures.push(field);
            }
        }
        Ok(form)
    }

    fn node(
        &self,
        reference: Option<Reference>,
        dictionary: Dictionary,
        parent: Option<&Node>,
    ) -> Result<Node, PdfError> {
        let own = self.entry(&dictionary, "T")?;
        let own = own.as_string().map(text::decode);
        let above = parent.map_or("", |parent| parent.name.as_str());
        let name = match own {
            Some(own) if above.is_empty() => own,
            Some(own) => format!("{above}.{own}"),
            None => above.to_owned(),
        };
        if name.len() > NAME_BYTES {
            return Err(PdfError::Limit { what: "the length of a field's name" });
        }
        let own_type = self.entry(&dictionary, "FT")?;
        let field_type = match parent {
            Some(parent) if own_type == Object::Null => parent.field_type.clone(),
            Some(_) | None => own_type,
        };
        let value = match dictionary.get("V") {
            Some(value) => value.clone(),
            None => parent.map_or(Object::Null, |parent| parent.value.clone()),
        };
        let depth = parent.map_or(0, |parent| parent.depth + 1);
        Ok(Node { reference, dictionary, name, field_type, value, depth })
    }

    fn signature_field(
        &self,
        node: Node,
        kid: Option<(Option<Reference>, Dictionary)>,
    ) -> Result<SignatureField, PdfError> {
        let Node { reference, dictionary, name, value, .. } = node;
        // A field without kids is its own widget, if it is one at all.
        let merged = dictionary.contains("Rect") || dictionary.contains("Subtype");
        let (place, widget) = match &kid {
            Some((place, widget)) => (*place, Some(widget)),
            None if merged => (reference, Some(&dictionary)),
            None => (None, None),
        };
        let rectangle = widget.map(|widget| self.rectangle(widget, "Rect")).transpose()?.flatten();
        let page = widget.and_then(|widget| widget.get("P")).and_then(Object::as_reference);
        let widget = widget.map(|_| Widget { reference: place, page });
        let place = value.as_reference();
        let value = self.resolve(&value)?.into_dictionary();
        let value = value.map(|found| SignatureValue::read(self, place, reference, found)).transpose()?;
        Ok(SignatureField { name, reference, dictionary, widget, rectangle, value })
    }
}
