//! From file to verdicts: every signature of a document is judged.

use std::path::Path;

use signer_core::{
    cms::certificate::Certificate,
    error::ErrorCode,
    moment::Moment,
    pades::{
        verdict::{Indication, Verdict},
        verify::{self, Reference},
    },
    pdf::{document::Document, error::PdfError, limits::Limits},
    trust::Anchors,
};

use crate::file::source::FileSource;

/// Why a document was not judged.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// The file cannot be opened.
    #[error("the input cannot be read")]
    Input(#[source] std::io::Error),
    /// The document cannot be read.
    #[error("the document cannot be read")]
    Pdf(#[from] PdfError),
}

impl ValidateError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Input(_) => ErrorCode::InputUnreadable,
            Self::Pdf(error) => error.code(),
        }
    }
}

/// Judges every signature of the file at `path` at the time `at`. Blocks while the signed bytes
/// are hashed.
///
/// # Errors
/// Where the file or the document cannot be read. A signature that is not valid is a verdict.
pub fn validate(path: &Path, anchors: &[Certificate], at: Moment) -> Result<Vec<Verdict>, ValidateError> {
    let source = FileSource::open(path).map_err(ValidateError::Input)?;
    let document = Document::open(&source, Limits::default())?;
    let anchors = Anchors::new(anchors.to_vec());
    let reference = Reference { anchors: &anchors, pool: &[], at };
    Ok(verify::verify(&document, &reference, &mut |range, algorithm| {
        verify::digest_from_source(&source, range, algorithm)
    })?)
}

/// The verdict on the document: the worst of its signatures; `None` where there is none.
pub fn overall(verdicts: &[Verdict]) -> Option<Indication> {
    verdicts.iter().map(|verdict| verdict.indication).max()
}
