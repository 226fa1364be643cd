//! A connection whose other side must go on reading: a write that waits too long ends it. No
//! timer is armed while nothing waits.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// A connection, with a limit of how long the other side may read nothing.
pub(super) struct Read<T> {
    inner: T,
    longest: Duration,
    /// Since a write had to wait.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<T> Read<T> {
    /// Ends `inner` where the other side reads nothing for `longest`.
    pub(super) const fn within(inner: T, longest: Duration) -> Self {
        Self { inner, longest, waiting: None }
    }

    /// What a write comes to: as it is, or an error where it has waited too long.
    fn limited<R>(&mut self, cx: &mut Context<'_>, write: Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if write.is_ready() {
            self.waiting = None;
            return write;
        }
        let longest = self.longest;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(longest)));
        ready!(waiting.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Read<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Read<T> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.limited(cx, write)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.inner).poll_write_vectored(cx, pieces);
        self.limited(cx, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flush = Pin::new(&mut self.inner).poll_flush(cx);
        self.limited(cx, flush)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shutdown = Pin::new(&mut self.inner).poll_shutdown(cx);
        self.limited(cx, shutdown)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    fn run<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
    }

    #[test]
    fn a_write_that_nobody_reads_ends() {
        run(async {
            let (near, far) = duplex(16);
            let mut near = Read::within(near, Duration::from_millis(50));
            near.write_all(&[0; 16]).await.unwrap();
            let error = near.write_all(&[0; 1]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            drop(far);
        });
    }

    #[test]
    fn one_that_reads_slowly_may_take_longer_than_one_that_does_not() {
        run(async {
            let (near, mut far) = duplex(16);
            let pause = Duration::from_secs(2);
            let mut near = Read::within(near, pause);
            let started = std::time::Instant::now();
            let read = async {
                let mut buffer = [0; 16];
                while started.elapsed() <= pause {
                    far.read_exact(&mut buffer).await.unwrap();
                    sleep(Duration::from_millis(100)).await;
                }
            };
            let write = async { while near.write_all(&[0; 1]).await.is_ok() {} };
            tokio::select! {
                () = read => {}
                () = write => panic!("it was cut"),
            }
        });
    }
}
