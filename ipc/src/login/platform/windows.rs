//! Windows: a named pipe with the identifier of the login in its name and in its access list.

use std::{
    io::{self, Read as _},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use interprocess::{
    local_socket::{
        GenericNamespaced, Listener, ListenerOptions, Stream, ToNsName as _, traits::Stream as _,
    },
    os::windows::{local_socket::ListenerOptionsExt as _, security_descriptor::SecurityDescriptor},
};
use widestring::U16CString;

use crate::peer::own_user;

/// How often a pipe is looked at while a greeting is waited for: it has no deadline of its own.
const LOOK: Duration = Duration::from_millis(5);

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

/// A pipe ends when its handles are closed, and a read that waits in another thread with the
/// other side: nothing can be done here.
pub(in crate::login) fn close(_stream: &Stream) {}

pub(in crate::login) fn read_within(stream: &Stream, buffer: &mut [u8], left: Duration) -> io::Result<usize> {
    let end = Instant::now() + left;
    stream.set_nonblocking(true)?;
    loop {
        match (&mut &*stream).read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() >= end {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                thread::sleep(LOOK);
            }
            other => return other,
        }
    }
}

pub(in crate::login) fn forget_deadline(stream: &Stream) -> io::Result<()> {
    stream.set_nonblocking(false)
}
