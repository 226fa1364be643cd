//! What a document says of its logical structure and language (ISO 32000-2, 14.7 to 14.9).

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::object::Object;
use crate::pdf::source::Source;
use crate::pdf::text;

impl<S: Source> Document<S> {
    /// `/Lang` of the catalog (14.9.2), as it stands there; damage counts as none.
    ///
    /// # Errors
    /// [`PdfError::Source`] only.
    pub fn language(&self) -> Result<Option<String>, PdfError> {
        let value = sound(self.entry(self.catalog(), "Lang"))?;
        Ok(value.as_string().map(text::decode).filter(|language| !language.is_empty()))
    }

    /// Whether it is a tagged PDF (14.8): it is marked, and has a structure tree.
    pub(crate) fn is_tagged(&self) -> Result<bool, PdfError> {
        let Object::Dictionary(marks) = sound(self.entry(self.catalog(), "MarkInfo"))? else {
            return Ok(false);
        };
        let marked = sound(self.entry(&marks, "Marked"))? == Object::Boolean(true);
        Ok(marked && self.catalog().contains("StructTreeRoot"))
    }
}

/// Damage in what signing does not need stops no signature; bytes that cannot be read do.
fn sound(value: Result<Object, PdfError>) -> Result<Object, PdfError> {
    match value {
        Err(error @ PdfError::Source(_)) => Err(error),
        other => Ok(other.unwrap_or(Object::Null)),
    }
}
