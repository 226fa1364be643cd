//! Linux: `SO_PEERCRED` of unix(7), kept by the kernel from the moment of the connection.

use std::io;

use interprocess::local_socket::{Stream, traits::StreamCommon as _};

use crate::peer::{Peer, PeerUser};

pub(in crate::peer) fn peer(stream: &Stream) -> io::Result<Peer> {
    let credentials = stream.peer_creds()?;
    let (Some(user), Some(process)) = (credentials.euid(), credentials.pid()) else {
        return Err(io::ErrorKind::Unsupported.into());
    };
    Ok(Peer {
        user: if user == rustix::process::geteuid().as_raw() { PeerUser::Own } else { PeerUser::Other },
        process: u32::try_from(process).map_err(|_| io::ErrorKind::InvalidData)?,
    })
}
