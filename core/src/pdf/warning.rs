//! What the person should know about a document that was signed all the same.

use crate::pdf::crypt::Act;
use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::source::Source;

/// Something about a document that does not keep it from being signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentWarning {
    /// Its permissions leave out what was done (ISO 32000-2, table 22); its password was given.
    AgainstPermissions,
    /// It is damaged, and its objects were found by a scan: other readers may find others.
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
    /// What is known by now of a document with which `act` was done: damage shows when it is met,
    /// so ask after all else.
    ///
    /// # Errors
    /// As [`Document::open`].
    pub(crate) fn warnings(&self, act: Act) -> Result<Vec<DocumentWarning>, PdfError> {
        let form = self.entry(self.catalog(), "AcroForm")?;
        let xfa = form.as_dictionary().is_some_and(|form| form.contains("XFA"));
        let recovered = self.is_repaired() || self.is_salvaged();
        let against = self.is_against_permissions(act);
        let warnings = [
            (against, DocumentWarning::AgainstPermissions),
            (recovered, DocumentWarning::Recovered),
            (xfa, DocumentWarning::Xfa),
        ];
        Ok(warnings.into_iter().filter(|(holds, _)| *holds).map(|(_, warning)| warning).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::limits::Limits;
    use crate::pdf::sample::{ONE_PAGE, replace, table};

    fn warnings(bytes: &[u8]) -> Vec<DocumentWarning> {
        let document = Document::open(bytes, Limits::default()).unwrap();
        document.page(1).unwrap();
        document.warnings(Act::MakeField).unwrap()
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
        assert_eq!(warnings(&replace(&whole, "%PDF-1.7", "%PDF-9.x")), [DocumentWarning::Xfa]);
    }
}
