//! A connection whose last request was answered before its body was read. Closing at once would
//! have the system throw the answer away while the client still sends; so our side is closed
//! first, and what still comes is read and thrown away, for a little while.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// How long a client may take to notice that nothing more is read.
const LONGEST: Duration = Duration::from_secs(2);
/// Bytes thrown away in one step.
const PIECE_BYTES: usize = 16 << 10;

/// Whether the body of a connection's last request was left unread.
#[derive(Debug, Clone, Default)]
pub(super) struct Left(Arc<AtomicBool>);

/// A body that says whether it was read to its end.
pub(super) struct Watched {
    inner: Incoming,
    ended: bool,
    left: Left,
}

/// A connection that lingers where a body was left.
pub(super) struct Lingering<T> {
    inner: T,
    left: Left,
    /// Since our side was closed.
    until: Option<Pin<Box<Sleep>>>,
}

impl Left {
    /// Watches `body`.
    pub(super) fn watch(&self, body: Incoming) -> Watched {
        Watched { ended: body.is_end_stream(), inner: body, left: self.clone() }
    }
}

impl Body for Watched {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.inner).poll_frame(cx));
        self.ended = frame.is_none() || self.inner.is_end_stream();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.left.0.store(!self.ended, Ordering::Relaxed);
    }
}

impl<T> Lingering<T> {
    /// Closes `inner` with patience where `left` says so.
    pub(super) const fn new(inner: T, left: Left) -> Self {
        Self { inner, left, until: None }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Lingering<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.until.is_none() {
            ready!(Pin::new(&mut this.inner).poll_shutdown(cx))?;
            if !this.left.0.load(Ordering::Relaxed) {
                return Poll::Ready(Ok(()));
            }
        }
        let until = this.until.get_or_insert_with(|| Box::pin(sleep(LONGEST)));
        let mut piece = [0; PIECE_BYTES];
        // A busy client does not hold the others up: the runtime makes this one wait now and then.
        while until.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut piece);
            match ready!(Pin::new(&mut this.inner).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => {}
                Ok(()) | Err(_) => break,
            }
        }
        Poll::Ready(Ok(()))
    }
}
