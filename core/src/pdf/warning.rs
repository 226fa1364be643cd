//! What the person should know about a document that was signed all the same.

use crate::pdf::crypt::Act;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::object::{Dictionary, Object};
use crate::pdf::source::Source;
use crate::pdf::xref::Location;

/// Streams of one page that are looked at.
const CONTENTS: usize = 64;

/// Something about a document that does not keep it from being signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentWarning {
    /// Its permissions leave out what was done (ISO 32000-2, table 22); its password was given.
    AgainstPermissions,
    /// It is damaged: something did not stand where it should and was found close by or by a scan, or
    /// the contents of the page are said to reach past the end of the file. Other readers may find
    /// others, or more once something is appended.
    Recovered,
    /// It has an XFA form (ISO 32000-1, 12.7.8). A viewer that shows that instead of the pages
    /// does not show the seal.
    Xfa,
}

impl DocumentWarning {
    /// The warning as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AgainstPermissions => "against-permissions",
            Self::Recovered => "document-recovered",
            Self::Xfa => "xfa",
        }
    }
}

impl<S: Source> Document<S> {
    /// What is known by now of a document with which `act` was done on `page`: damage shows when it
    /// is met, so ask after all else.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub(crate) fn warnings(&self, act: Act, page: &Dictionary) -> Result<Vec<DocumentWarning>, PdfError> {
        let form = self.entry(self.catalog(), "AcroForm")?;
        let xfa = form.as_dictionary().is_some_and(|form| form.contains("XFA"));
        let recovered = self.is_repaired()
            || self.is_salvaged()
            || self.reader().found_displaced()
            || self.promises_more(page)?;
        let against = self.is_against_permissions(act);
        let warnings = [
            (against, DocumentWarning::AgainstPermissions),
            (recovered, DocumentWarning::Recovered),
            (xfa, DocumentWarning::Xfa),
        ];
        Ok(warnings.into_iter().filter(|(holds, _)| *holds).map(|(_, warning)| warning).collect())
    }

    /// Whether contents of `page` have a length that reaches past the end of the file. Readers look
    /// for their end themselves then, and find another one when the file has grown. Of the other
    /// streams this is not known: they are not read.
    fn promises_more(&self, page: &Dictionary) -> Result<bool, PdfError> {
        let mut contents = match page.get("Contents") {
            Some(Object::Reference(reference)) => vec![Object::Reference(*reference)],
            Some(Object::Array(items)) => items.iter().take(CONTENTS).cloned().collect(),
            Some(_) | None => Vec::new(),
        };
        let mut looked_at = 0;
        while let Some(item) = contents.pop().filter(|_| looked_at < CONTENTS) {
            looked_at += 1;
            let Some(reference) = item.as_reference() else { continue };
            // Only where it should be: a scan is not worth it.
            let Some(Location::At(offset)) = self.locate(reference.number)? else { continue };
            let placed = match self.reader().indirect_at(offset) {
                Ok(placed) => placed,
                Err(error) if error.is_damage() => continue,
                Err(error) => return Err(error),
            };
            match (placed.object, placed.data) {
                (Object::Array(items), _) => contents.extend(items.into_iter().take(CONTENTS)),
                (Object::Dictionary(dictionary), Some(start)) => {
                    let length = match dictionary.get("Length") {
                        Some(Object::Integer(length)) => Some(*length),
                        Some(value) => self.direct_integer(value)?,
                        None => None,
                    };
                    let end = length.and_then(|length| start.checked_add_signed(length));
                    if length.is_some_and(|length| length >= 0) && end.is_none_or(|end| end > self.len()) {
                        return Ok(true);
                    }
                }
                _ => {}
            }
        }
        Ok(false)
    }

    /// The integer that `value` refers to, where it stands in its place.
    fn direct_integer(&self, value: &Object) -> Result<Option<i64>, PdfError> {
        let Some(reference) = value.as_reference() else { return Ok(None) };
        let Some(Location::At(offset)) = self.locate(reference.number)? else { return Ok(None) };
        match self.reader().indirect_at(offset) {
            Ok(placed) => Ok(placed.object.as_integer()),
            Err(error) if error.is_damage() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::limits::Limits;
    use crate::pdf::sample::{ONE_PAGE, replace, table};

    fn warnings(bytes: &[u8]) -> Vec<DocumentWarning> {
        let document = Document::open(bytes, Limits::default()).unwrap();
        let page = document.page(1).unwrap();
        document.warnings(Act::MakeField, &page.dictionary).unwrap()
    }

    fn with_form(form: &str) -> Vec<u8> {
        let catalog = format!("<< /Type /Catalog /Pages 2 0 R /AcroForm {form} >>");
        table(&[&catalog, ONE_PAGE[1], ONE_PAGE[2], "<< /Fields [] /XFA [] >>"], "")
    }

    #[test]
    fn a_form_of_the_other_kind_is_told() {
        for (form, expected) in [
            ("<< /Fields [] >>", &[][..]),
            ("<< /Fields [] /XFA null >>", &[]),
            ("null", &[]),
            ("<< /XFA 9 0 R >>", &[DocumentWarning::Xfa]),
            ("4 0 R", &[DocumentWarning::Xfa]),
        ] {
            assert_eq!(warnings(&with_form(form)), expected, "{form}");
        }
    }

    #[test]
    fn damage_is_told_where_it_was_met() {
        let whole = with_form("4 0 R");
        for (name, from, to) in
            [("a chain that is none", "startxref", "start"), ("a page that is elsewhere", "3 1\n0", "3 1\n9")]
        {
            let damaged = replace(&whole, from, to);
            assert_eq!(warnings(&damaged), [DocumentWarning::Recovered, DocumentWarning::Xfa], "{name}");
        }
        let text = String::from_utf8(whole.clone()).unwrap();
        let at = text.rsplit("startxref\n").next().and_then(|rest| rest.lines().next()).unwrap();
        let near = at.parse::<u64>().unwrap() + 5;
        // Where `xref` does not begin; and a page that begins some bytes earlier.
        let astray = replace(&whole, &format!("startxref\n{at}"), &format!("startxref\n{near}"));
        let moved = replace(&whole, "3 0 obj", "\n\n\n3 0 obj\n\n");
        for damaged in [astray, moved] {
            let told = warnings(&damaged);
            assert!(told.contains(&DocumentWarning::Recovered), "{told:?}");
        }
        assert_eq!(warnings(&replace(&whole, "%PDF-1.7", "%PDF-9.x")), [DocumentWarning::Xfa]);
    }

    #[test]
    fn contents_that_are_said_to_reach_past_the_end_are_told() {
        let page = |contents: &str| {
            format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Contents {contents} >>")
        };
        for (contents, length, told) in [
            ("4 0 R", "3", false),
            ("4 0 R", "5", false),
            ("4 0 R", "9000", true),
            ("[4 0 R]", "9000", true),
            ("6 0 R", "9000", true),
            ("4 0 R", "5 0 R", true),
            ("4 0 R", "-1", false),
        ] {
            let stream = format!("<< /Length {length} >>\nstream\n0 g\nendstream");
            let bytes = table(&[ONE_PAGE[0], ONE_PAGE[1], &page(contents), &stream, "9000", "[4 0 R]"], "");
            let expected: &[_] = if told { &[DocumentWarning::Recovered] } else { &[] };
            assert_eq!(warnings(&bytes), expected, "{contents} {length}");
        }
    }
}
