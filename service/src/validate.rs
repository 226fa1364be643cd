//! From document to verdicts: every signature of a document is judged.

use signer_core::{
    cms::certificate::Certificate,
    moment::Moment,
    pades::{
        range_digests::RangeDigests,
        verdict::{Indication, Verdict},
        verify::{self, Reference},
    },
    pdf::{document::Document, error::PdfError},
    trust::Anchors,
};

use crate::file::source::FileSource;

/// Judges every signature of `document` at the time `at`. Blocks while the signed bytes are hashed.
///
/// # Errors
/// Where the file or the document cannot be read. A signature that is not valid is a verdict.
pub fn validate(
    document: &Document<&FileSource>,
    anchors: &[Certificate],
    at: Moment,
) -> Result<Vec<Verdict>, PdfError> {
    let anchors = Anchors::new(anchors.to_vec());
    let reference = Reference { anchors: &anchors, pool: &[], at };
    let mut digests = RangeDigests::new(*document.source());
    verify::verify(document, &reference, &mut |range, algorithm| digests.digest(range, algorithm))
}

/// The verdict on the document: the worst of its signatures; `None` where there is none.
pub fn overall(verdicts: &[Verdict]) -> Option<Indication> {
    verdicts.iter().map(|verdict| verdict.indication).max()
}
