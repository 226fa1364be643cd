//! Windows: a named pipe with the identifier of the login in its name and in its access list.
//!
//! The pipes are opened for overlapped calls, so that a read can be given up after a while.

use std::{
    io,
    mem::MaybeUninit,
    os::windows::io::{AsHandle as _, AsRawHandle as _, FromRawHandle as _, OwnedHandle},
    path::Path,
    ptr,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use interprocess::{
    local_socket::{
        GenericNamespaced, Listener, ListenerOptions, Stream, ToNsName as _, traits::Stream as _,
    },
    os::windows::{local_socket::ListenerOptionsExt as _, security_descriptor::SecurityDescriptor},
};
use widestring::U16CString;
use windows_sys::Win32::{
    Foundation::{ERROR_BROKEN_PIPE, ERROR_IO_PENDING, ERROR_OPERATION_ABORTED, HANDLE, WAIT_OBJECT_0},
    Storage::FileSystem::{FlushFileBuffers, ReadFile},
    System::{
        IO::{CancelIoEx, GetOverlappedResult, OVERLAPPED},
        Pipes::DisconnectNamedPipe,
        Threading::{CreateEventW, WaitForSingleObject},
    },
};

use crate::peer::own_user;

/// How long the end of a connection waits for the other side to read what was said last.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(in crate::login) fn name(_directory: &Path) -> io::Result<String> {
    Ok(format!("cybercore-signer-{}", own_user()?))
}

/// A pipe has its name as long as somebody listens.
pub(in crate::login) fn remove(_name: &str) -> io::Result<()> {
    Ok(())
}

/// The access list is protected, so that nothing is inherited into it, and names the login's
/// user alone. Nobody can make a pipe of this name before or beside us: the first instance is
/// asked for.
pub(in crate::login) fn bind(name: &str) -> io::Result<Listener> {
    let access = U16CString::from_str(format!("D:P(A;;GA;;;{})", own_user()?))
        .map_err(|_| io::ErrorKind::InvalidInput)?;
    ListenerOptions::new()
        .name(name.to_ns_name::<GenericNamespaced>()?)
        .security_descriptor(SecurityDescriptor::deserialize(&access)?)
        .create_sync()
}

pub(in crate::login) fn connect(name: &str) -> io::Result<Stream> {
    Stream::connect(name.to_ns_name::<GenericNamespaced>()?)
}

/// What waits in a read or a write is given up at once. The service's side then lets the other
/// side read what was said last, but not for long, and ends the pipe: that would throw unread
/// words away. At the other side this ends nothing but what waits; the pipe ends with its
/// handles there.
pub(in crate::login) fn close(stream: &Arc<Stream>) {
    cancel(stream);
    let stream = Arc::clone(stream);
    let end = move || {
        let (flushed, read) = mpsc::channel();
        let writing = Arc::clone(&stream);
        let flush = move || {
            flush(&writing);
            // Fails where the other side took too long, and nobody waits any more.
            let _ = flushed.send(());
        };
        if thread::Builder::new().name("pipe-flush".to_owned()).spawn(flush).is_ok() {
            let _ = read.recv_timeout(LAST_WORDS);
        }
        disconnect(&stream);
    };
    // Without a thread the pipe ends with its handles.
    drop(thread::Builder::new().name("pipe-end".to_owned()).spawn(end));
}

/// Named pipes have no such bound: see [`close`].
pub(in crate::login) fn limit_writes(_stream: &Stream, _longest: Duration) -> io::Result<()> {
    Ok(())
}

#[expect(unsafe_code, reason = "no crate at hand gives a read of a pipe an end")]
pub(in crate::login) fn read_within(stream: &Stream, buffer: &mut [u8], left: Duration) -> io::Result<usize> {
    let pipe = handle(stream);
    let event = event()?;
    // SAFETY: all zeros are a structure that no call has used yet.
    let mut overlapped = unsafe { MaybeUninit::<OVERLAPPED>::zeroed().assume_init() };
    overlapped.hEvent = event.as_raw_handle();
    let len = u32::try_from(buffer.len()).unwrap_or(u32::MAX);
    // SAFETY: the pipe is open; buffer and structure live until the call below has seen the end
    // of the read, whichever way it ends.
    let begun = unsafe { ReadFile(pipe, buffer.as_mut_ptr(), len, ptr::null_mut(), &raw mut overlapped) };
    if begun == 0 {
        let error = io::Error::last_os_error();
        if !is(&error, ERROR_IO_PENDING) {
            return ended(error);
        }
        let milliseconds = u32::try_from(left.as_millis()).unwrap_or(u32::MAX - 1);
        // SAFETY: the event is open.
        if unsafe { WaitForSingleObject(event.as_raw_handle(), milliseconds) } != WAIT_OBJECT_0 {
            // SAFETY: the pipe is open and the structure is the one of the read. Where the read has
            // ended meanwhile, this fails, and what was read counts.
            unsafe { CancelIoEx(pipe, &raw const overlapped) };
        }
    }
    let mut count = 0;
    // SAFETY: the pipe is open, and the structure is the one of the read; waits until it is over.
    if unsafe { GetOverlappedResult(pipe, &raw const overlapped, &raw mut count, 1) } == 0 {
        return ended(io::Error::last_os_error());
    }
    usize::try_from(count).map_err(io::Error::other)
}

/// Nothing is left behind by a read that had an end.
pub(in crate::login) fn forget_deadline(_stream: &Stream) -> io::Result<()> {
    Ok(())
}

/// What the end of a read means: the other side is gone, the time is over, or a failure.
fn ended(error: io::Error) -> io::Result<usize> {
    if is(&error, ERROR_BROKEN_PIPE) {
        return Ok(0);
    }
    Err(if is(&error, ERROR_OPERATION_ABORTED) { io::ErrorKind::TimedOut.into() } else { error })
}

fn is(error: &io::Error, code: u32) -> bool {
    error.raw_os_error().and_then(|raw| u32::try_from(raw).ok()) == Some(code)
}

fn handle(stream: &Stream) -> HANDLE {
    let Stream::NamedPipe(stream) = stream;
    stream.inner().as_handle().as_raw_handle()
}

#[expect(unsafe_code, reason = "the standard library has no events")]
fn event() -> io::Result<OwnedHandle> {
    // SAFETY: takes values and no structures.
    let event = unsafe { CreateEventW(ptr::null(), 1, 0, ptr::null()) };
    if event.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open and nobody else's.
    Ok(unsafe { OwnedHandle::from_raw_handle(event) })
}

#[expect(unsafe_code, reason = "the standard library does not cancel reads")]
fn cancel(stream: &Stream) {
    // SAFETY: the pipe is open; without a structure every call that waits on it is meant. Fails
    // where none does.
    unsafe { CancelIoEx(handle(stream), ptr::null()) };
}

#[expect(unsafe_code, reason = "the standard library does not flush pipes of others")]
fn flush(stream: &Stream) {
    // SAFETY: the pipe is open. Fails where the other side is gone.
    unsafe { FlushFileBuffers(handle(stream)) };
}

#[expect(unsafe_code, reason = "the standard library knows no named pipes")]
fn disconnect(stream: &Stream) {
    // SAFETY: the pipe is open. Fails at the side that connected.
    unsafe { DisconnectNamedPipe(handle(stream)) };
}
