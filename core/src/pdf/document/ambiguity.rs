//! What two readers would read differently although it is signed: asked before a signature is made.

use crate::pdf::document::Document;
use crate::pdf::error::PdfError;
use crate::pdf::source::Source;

/// Entries of a trailer that lead to everything else.
const TRAILER: &[&str] = &["Encrypt", "Prev", "Root", "XRefStm"];
/// Entries of the catalog that lead to what is shown and signed.
const CATALOG: &[&str] = &["AcroForm", "OCProperties", "Pages", "Perms"];

impl<S: Source> Document<S> {
    /// Refuses a cross-reference section that gives one number two places, and a trailer or a
    /// catalog that gives two values to a key that matters: of two, readers take the first or the
    /// last.
    ///
    /// # Errors
    /// [`PdfError::Ambiguous`], otherwise as [`Document::open`].
    pub(crate) fn refuse_two_readings(&self) -> Result<(), PdfError> {
        let ambiguous = |what| Err(PdfError::Ambiguous { what });
        if self.catalog().contradicts_itself(CATALOG) {
            return ambiguous("the catalog has a key twice");
        }
        if self.is_repaired() {
            return Ok(());
        }
        if self.xref().sections.iter().any(|section| section.trailer.contradicts_itself(TRAILER)) {
            return ambiguous("a trailer has a key twice");
        }
        match self.xref().contradicts_itself(self.reader())? {
            true => ambiguous("a cross-reference section gives an object two places"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdf::limits::Limits;
    use crate::pdf::sample::{ONE_PAGE, replace, table};

    fn judged(bytes: &[u8]) -> Result<(), PdfError> {
        Document::open(bytes, Limits::default()).unwrap().refuse_two_readings()
    }

    #[test]
    fn what_readers_take_the_first_or_the_last_of_is_refused() {
        let whole = table(&ONE_PAGE, "");
        judged(&whole).unwrap();
        let row = |number: usize| {
            let header = format!("{number} 0 obj").into_bytes();
            let at = whole.windows(header.len()).position(|window| window == header).unwrap();
            format!("{at:010} 00000 n \n")
        };
        let rows = |number: usize, rows: &[String]| {
            let rows: String = rows.iter().map(|row| format!("{number} 1\n{row}")).collect();
            replace(&whole, "trailer\n", &format!("{rows}trailer\n"))
        };
        for (name, bytes, accepted) in [
            ("a row twice", rows(3, &[row(3)]), true),
            ("another place", rows(3, &[row(2)]), false),
            ("another place before", rows(3, &[row(2), row(3)]), false),
            ("another generation", rows(3, &[row(3).replace("00000 n", "00001 n")]), false),
            ("a row that is none", rows(3, &[row(3).replace(" n ", " f ")]), false),
            ("another root", replace(&whole, "/Root 1 0 R", "/Root 2 0 R /Root 1 0 R"), false),
            ("the same root", replace(&whole, "/Root 1 0 R", "/Root 1 0 R /Root 1 0 R"), true),
            (
                "another tree",
                table(&[&ONE_PAGE[0].replace("/Pages", "/Pages 3 0 R /Pages"), ONE_PAGE[1], ONE_PAGE[2]], ""),
                false,
            ),
        ] {
            match judged(&bytes) {
                Ok(()) => assert!(accepted, "{name}"),
                Err(PdfError::Ambiguous { .. }) => assert!(!accepted, "{name}"),
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
}
