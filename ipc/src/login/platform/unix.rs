//! Linux and macOS: a socket with a path, in a folder that only the login can enter.

use std::{
    fs,
    io::{self, Read as _},
    net::Shutdown,
    path::Path,
    sync::Arc,
    time::Duration,
};

use interprocess::{
    local_socket::{GenericFilePath, Listener, ListenerOptions, Stream, ToFsName as _, traits::Stream as _},
    os::unix::local_socket::ListenerOptionsExt as _,
};

/// The longest path of a socket that every Unix takes (`sun_path` of macOS, less its end).
const LONGEST_PATH: usize = 103;

pub(in crate::login) fn name(directory: &Path) -> io::Result<String> {
    let path = directory.join("service.sock");
    let path = path.to_str().ok_or(io::ErrorKind::InvalidInput)?;
    if path.len() > LONGEST_PATH {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path of the socket is too long"));
    }
    Ok(path.to_owned())
}

pub(in crate::login) fn remove(name: &str) -> io::Result<()> {
    match fs::remove_file(name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

pub(in crate::login) fn bind(name: &str) -> io::Result<Listener> {
    ListenerOptions::new()
        .name(name.to_fs_name::<GenericFilePath>()?)
        .mode(0o600)
        .reclaim_name(false)
        .create_sync()
}

pub(in crate::login) fn connect(name: &str) -> io::Result<Stream> {
    Stream::connect(name.to_fs_name::<GenericFilePath>()?)
}

pub(in crate::login) fn close(stream: &Arc<Stream>) {
    let Stream::UdSocket(stream) = &**stream;
    // Fails only where the other side has closed it, which is what is wanted.
    let _ = stream.inner().shutdown(Shutdown::Both);
}

pub(in crate::login) fn limit_writes(stream: &Stream, longest: Duration) -> io::Result<()> {
    stream.set_send_timeout(Some(longest))
}

pub(in crate::login) fn read_within(stream: &Stream, buffer: &mut [u8], left: Duration) -> io::Result<usize> {
    stream.set_recv_timeout(Some(left))?;
    (&mut &*stream).read(buffer)
}

pub(in crate::login) fn forget_deadline(stream: &Stream) -> io::Result<()> {
    stream.set_recv_timeout(None)
}
