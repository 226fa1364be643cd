//! Signed documents on their way out: read from the spool piece by piece, at the pace that the
//! client takes them, within its limit. A client that takes nothing is the connection's matter.

use std::{io, sync::Arc};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use futures_util::stream;

use tokio::time::Instant;

use crate::{
    ccsp::{client::UnderWay, guard::PDF, limits::Limits, work::Signed},
    file::source::read_at,
};

/// What is read at once.
const PIECE_BYTES: u64 = 128 << 10;

/// An answer that is a signed document. It counts as under way until it is sent. Its name is no
/// client's words, so that nothing in them can change the field.
pub(super) fn document(signed: Signed, under_way: Arc<UnderWay>, limits: &Limits) -> Response {
    let len = signed.len;
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static(PDF)),
        (header::CONTENT_LENGTH, HeaderValue::from(len)),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"signed.pdf\"")),
    ];
    let sending =
        Sending { signed, offset: 0, started: Instant::now(), limits: limits.clone(), _under_way: under_way };
    let pieces = stream::try_unfold(sending, Sending::next);
    (fields, Body::from_stream(pieces)).into_response()
}

/// A document that is being sent.
struct Sending {
    signed: Signed,
    offset: u64,
    started: Instant,
    limits: Limits,
    /// Counts as long as it is kept.
    _under_way: Arc<UnderWay>,
}

impl Sending {
    /// The next piece, and what comes after it. The connection is cut where the pieces before it
    /// took too long.
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        let left = self.signed.len.saturating_sub(self.offset);
        if left == 0 {
            return Ok(None);
        }
        if self.started.elapsed() > self.limits.time_for(self.offset) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let (document, offset) = (Arc::clone(&self.signed.document), self.offset);
        let count = PIECE_BYTES.min(left);
        let read = tokio::task::spawn_blocking(move || read(&document.file, offset, count)).await;
        let piece = read.map_err(io::Error::other)??;
        self.offset += piece.len() as u64;
        Ok(Some((piece, self)))
    }
}

fn read(file: &std::fs::File, offset: u64, count: u64) -> io::Result<Bytes> {
    let mut piece = vec![0; usize::try_from(count).map_err(io::Error::other)?];
    let read = read_at(file, offset, &mut piece)?;
    if read < piece.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(piece.into())
}
