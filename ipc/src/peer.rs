//! Who is at the other end of a connection, as the kernel knows; never as the other end says.

mod platform;

use std::io;

use interprocess::local_socket::Stream;

#[cfg(windows)]
pub(crate) use platform::own_user;

/// The other end of a connection, at the moment when it connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Whose it is.
    pub user: PeerUser,
    /// Its process. Numbers are used again: it says who it is only as long as that process is
    /// known not to have been waited for.
    pub process: u32,
}

/// Whose process it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerUser {
    /// Somebody else's.
    Other,
    /// Of the same user as this process.
    Own,
}

/// Asks the kernel.
pub(crate) fn of(stream: &Stream) -> io::Result<Peer> {
    platform::peer(stream)
}
