//! The spool: documents written to private files and hashed while they arrive.
//!
//! Pieces go from the connection to a blocking thread over a short queue, so that memory does
//! not depend on the size. The files have no names and are gone with whoever holds them.

use std::{collections::BTreeMap, fs::File, io, io::Write as _, path::Path};

use axum::body::Bytes;
use signer_core::{
    digest::{Digest, DigestAlgorithm, RunningDigest},
    error::ErrorCode,
    pades::prepare,
    pdf::{
        document::Document, error::PdfError, field::SignatureField, limits::Limits, permission::Permission,
        revision::rules::SigningRules, source::Source,
    },
};
use tokio::sync::mpsc;

use crate::{
    ccsp::{body::Arriving, dto, problem::Problem},
    file::{destination::DestinationError, source::FileSource},
};

/// How many pieces may wait for the disk.
const QUEUE: usize = 4;
/// How many pages tell their size.
const SIZED_PAGES: u32 = 256;
/// How many empty fields are asked what they prescribe.
const SEEN_FIELDS: usize = 256;
/// The longest reason that a field may prescribe, in characters, as for clients.
const LONGEST_REASON: usize = 255;

/// A document in the spool. Its file goes when this does.
pub(super) struct Spooled {
    /// The file: the document, and after a signature its update.
    pub(super) file: File,
    /// The digest of the document, still running.
    pub(super) running: RunningDigest,
    /// The SHA-256 of the document.
    pub(super) digest: Digest,
    /// What the document says of itself.
    pub(super) facts: Facts,
}

/// What a document says of itself. Nothing of it is judged.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    /// In bytes.
    pub(super) size: u64,
    /// How many pages.
    pub(super) pages: u32,
    /// The sizes of the first ones.
    pub(super) page_sizes: Vec<dto::PageSize>,
    /// The signature fields.
    pub(super) fields: Vec<dto::Field>,
    /// The signatures.
    pub(super) signatures: Vec<dto::DocumentSignature>,
    /// What they permit together; `None` where none says anything.
    pub(super) permission: Option<Permission>,
    /// What speaks against signatures of it.
    pub(super) rules: SigningRules,
    /// Of the first empty fields, what the lock of each permits after an approval in it.
    pub(super) locks: BTreeMap<String, Permission>,
    /// Of the first empty fields, the reason that each prescribes.
    pub(super) reasons: BTreeMap<String, String>,
}

/// From the connection to the disk.
enum Piece {
    Bytes(Bytes),
    /// The body is whole. Without it, what was written is thrown away.
    End,
}

/// Whether a body was read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    NotReached,
    Reached,
}

/// Receives a document into an unnamed file in `directory` and opens it.
///
/// # Errors
/// As [`Arriving::next`]; `storage-full` or `output-unwritable`; what core says of the document.
/// Nothing is left then.
pub(super) async fn receive(mut arriving: Arriving<'_>, directory: &Path) -> Result<Spooled, Problem> {
    let (send, receive) = mpsc::channel(QUEUE);
    let directory = directory.to_owned();
    let writer = tokio::task::spawn_blocking(move || write(&directory, receive));
    let mut refused = None;
    let mut end = End::NotReached;
    loop {
        let piece = match arriving.next().await {
            Ok(Some(bytes)) => Piece::Bytes(bytes),
            Ok(None) => Piece::End,
            Err(problem) => {
                refused = Some(problem);
                break;
            }
        };
        if matches!(piece, Piece::End) {
            end = End::Reached;
        }
        // Nobody listens any more where the disk refused; the writer says why.
        if send.send(piece).await.is_err() || end == End::Reached {
            break;
        }
    }
    drop(send);
    let written = writer.await.map_err(|_| ErrorCode::Internal)?;
    match refused {
        Some(problem) => Err(problem),
        None => written.map_err(|code| match end {
            End::Reached => Problem::new(code),
            End::NotReached => Problem::new(code).abandoning_the_body(),
        }),
    }
}

fn write(directory: &Path, mut pieces: mpsc::Receiver<Piece>) -> Result<Spooled, ErrorCode> {
    let unwritable = |error: io::Error| DestinationError::from(error).code();
    let mut file = create(directory).map_err(unwritable)?;
    let mut running = RunningDigest::new(DigestAlgorithm::Sha256);
    loop {
        match pieces.blocking_recv() {
            Some(Piece::Bytes(bytes)) => {
                file.write_all(&bytes).map_err(unwritable)?;
                running.update(&bytes);
            }
            Some(Piece::End) => break,
            None => return Err(ErrorCode::RequestMalformed),
        }
    }
    let copy = file.try_clone().map_err(unwritable)?;
    let source = FileSource::from_file(copy, Path::new("")).map_err(unwritable)?;
    let facts = look(&source).map_err(|error| error.code())?;
    let digest = running.clone().finish();
    Ok(Spooled { file, running, digest, facts })
}

/// A file that only this user may open (mode 0600) and that loses its name at once.
fn create(directory: &Path) -> io::Result<File> {
    let (file, name) = tempfile::Builder::new().prefix(".upload-").tempfile_in(directory)?.into_parts();
    name.close()?;
    Ok(file)
}

fn look(source: &FileSource) -> Result<Facts, PdfError> {
    let document = Document::open(source, Limits::default())?;
    let pages = document.page_count()?;
    let mut page_sizes = Vec::new();
    for number in 1..=pages.min(SIZED_PAGES) {
        let page = document.page(number)?.geometry;
        let (shown, unit) = (page.shown(), page.unit());
        let (across, up) = (shown.width() * unit, shown.height() * unit);
        page_sizes.push(if page.rotation.swaps_sides() {
            dto::PageSize { width: up, height: across }
        } else {
            dto::PageSize { width: across, height: up }
        });
    }
    let fields = document.fields()?;
    let signatures = fields.iter().filter_map(|field| {
        let value = field.value.as_ref()?;
        Some(dto::DocumentSignature {
            field: field.name.clone(),
            sub_filter: value.sub_filter.clone(),
            claimed_time: value.claimed_time.clone(),
        })
    });
    let rules = SigningRules::of(&document)?;
    Ok(Facts {
        size: source.len(),
        pages,
        page_sizes,
        signatures: signatures.collect(),
        permission: rules.permission(),
        rules,
        locks: of_each(fields, |field| prepare::lock_after(&document, field).ok()?),
        reasons: of_each(fields, |field| reason(&document, field)),
        fields: fields
            .iter()
            .map(|field| dto::Field { name: field.name.clone(), signed: field.value.is_some() })
            .collect(),
    })
}

/// What `look` finds in the first empty fields. A field that cannot be read says nothing here;
/// signing in it says why.
fn of_each<T>(fields: &[SignatureField], look: impl Fn(&SignatureField) -> Option<T>) -> BTreeMap<String, T> {
    let empty = fields.iter().filter(|field| field.value.is_none()).take(SEEN_FIELDS);
    empty.filter_map(|field| Some((field.name.clone(), look(field)?))).collect()
}

/// The reason that `field` prescribes.
fn reason(document: &Document<&FileSource>, field: &SignatureField) -> Option<String> {
    let seed = document.seed_value(field).ok()??;
    let reason = seed.reason(None).ok()??;
    (reason.chars().count() <= LONGEST_REASON).then(|| reason.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use axum::body::Body;
    use futures_util::stream;

    use super::*;
    use crate::ccsp::limits;

    /// One page, of the least that a reader takes.
    const DOCUMENT: &str = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n\
        2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
        3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 100] /Rotate 90 /UserUnit 2 >>\nendobj\n\
        trailer\n<< /Root 1 0 R /Size 4 >>\n%%EOF\n";

    fn received(directory: &Path, body: Body, limit: u64) -> Result<Spooled, ErrorCode> {
        let limits = limits::Limits::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let arriving = Arriving::new(body, limit, &limits);
        runtime.block_on(receive(arriving, directory)).map_err(|problem| problem.code())
    }

    #[test]
    fn a_document_is_hashed_while_it_arrives_and_leaves_no_name() {
        let directory = tempfile::tempdir().unwrap();
        let pieces = DOCUMENT.as_bytes().chunks(7).map(|piece| Ok::<_, io::Error>(piece.to_vec()));
        let body = Body::from_stream(stream::iter(pieces.collect::<Vec<_>>()));
        let spooled = received(directory.path(), body, 1 << 20).unwrap();
        assert_eq!(spooled.digest, DigestAlgorithm::Sha256.digest(DOCUMENT.as_bytes()));
        assert_eq!(spooled.facts.size, DOCUMENT.len() as u64);
        assert_eq!(spooled.facts.pages, 1);
        assert_eq!(spooled.facts.page_sizes, [dto::PageSize { width: 200.0, height: 400.0 }]);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = spooled.file.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn what_breaks_off_or_is_no_document_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let broken = stream::iter([Ok(DOCUMENT), Err(io::Error::other("gone"))]);
        for (body, limit, code) in [
            (Body::from_stream(broken), 1 << 20, ErrorCode::RequestMalformed),
            (Body::from(DOCUMENT), 10, ErrorCode::RequestTooLarge),
            (Body::from("not a document"), 1 << 20, ErrorCode::DocumentUnreadable),
            (Body::empty(), 1 << 20, ErrorCode::DocumentUnreadable),
        ] {
            assert_eq!(received(directory.path(), body, limit).err(), Some(code));
            assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        }
        let missing = directory.path().join("missing");
        assert_eq!(
            received(&missing, Body::from(DOCUMENT), 1 << 20).err(),
            Some(ErrorCode::OutputUnwritable)
        );
    }
}
