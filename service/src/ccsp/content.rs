//! Signed documents on their way out: read from the spool piece by piece.

use std::{io, sync::Arc};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use futures_util::stream;

use crate::{
    ccsp::{client::UnderWay, guard::PDF, work::Signed},
    file::source::read_at,
};

/// What is read at once.
const PIECE_BYTES: u64 = 128 << 10;

/// An answer that is a signed document. It counts as under way until it is sent.
pub(super) fn document(signed: Signed, under_way: Arc<UnderWay>) -> Response {
    let len = signed.len;
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static(PDF)),
        (header::CONTENT_LENGTH, HeaderValue::from(len)),
        (header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"signed.pdf\"")),
    ];
    let pieces = stream::try_unfold((signed, 0, under_way), |(signed, offset, under_way)| async move {
        if offset >= signed.len {
            return Ok(None);
        }
        let document = Arc::clone(&signed.document);
        let count = PIECE_BYTES.min(signed.len - offset);
        let read = tokio::task::spawn_blocking(move || read(&document.file, offset, count)).await;
        let piece = read.map_err(io::Error::other)??;
        let offset = offset + piece.len() as u64;
        Ok::<_, io::Error>(Some((piece, (signed, offset, under_way))))
    });
    (fields, Body::from_stream(pieces)).into_response()
}

fn read(file: &std::fs::File, offset: u64, count: u64) -> io::Result<Bytes> {
    let mut piece = vec![0; usize::try_from(count).map_err(io::Error::other)?];
    let read = read_at(file, offset, &mut piece)?;
    if read < piece.len() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(piece.into())
}
