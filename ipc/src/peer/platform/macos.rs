//! macOS: `LOCAL_PEERCRED` and `LOCAL_PEERPID` of unix(4).

use std::{io, os::fd::AsRawFd as _};

use interprocess::local_socket::{Stream, traits::StreamCommon as _};

use crate::peer::{Peer, PeerUser};

pub(in crate::peer) fn peer(stream: &Stream) -> io::Result<Peer> {
    let user = stream.peer_creds()?.euid().ok_or(io::ErrorKind::Unsupported)?;
    Ok(Peer {
        user: if user == rustix::process::geteuid().as_raw() { PeerUser::Own } else { PeerUser::Other },
        process: process(stream)?,
    })
}

#[expect(unsafe_code, reason = "no crate at hand asks for LOCAL_PEERPID")]
fn process(stream: &Stream) -> io::Result<u32> {
    let Stream::UdSocket(socket) = stream;
    let mut process: libc::pid_t = 0;
    let mut len =
        libc::socklen_t::try_from(size_of::<libc::pid_t>()).map_err(|_| io::ErrorKind::InvalidData)?;
    // SAFETY: the descriptor is open, and `process` is as large as `len` says.
    let result = unsafe {
        libc::getsockopt(
            socket.inner().as_raw_fd(),
            libc::SOL_LOCAL,
            libc::LOCAL_PEERPID,
            (&raw mut process).cast(),
            &raw mut len,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    u32::try_from(process).map_err(|_| io::ErrorKind::InvalidData.into())
}
