//! Linux and macOS: a socket pair; the child's end is its standard input.

use std::{
    fs::File,
    io,
    net::Shutdown,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    process::{Child, Command},
};

pub(in crate::endpoint) type Receiver = UnixStream;
pub(in crate::endpoint) type Sender = UnixStream;

/// Starts `command` with one end of a new pair as its standard input.
pub(in crate::endpoint) fn spawn(mut command: Command) -> io::Result<(Child, Receiver, Sender)> {
    let (ours, theirs) = UnixStream::pair()?;
    let sender = ours.try_clone()?;
    let child = command.stdin(OwnedFd::from(theirs)).spawn()?;
    // Only now is the parent's copy of the child's end closed: with `command`.
    drop(command);
    Ok((child, ours, sender))
}

/// Moves the socket away from standard input, where a module might read it.
pub(in crate::endpoint) fn inherited() -> io::Result<(Receiver, Sender)> {
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // Anything but one end of a pair fails here, such as a terminal.
    socket.peer_addr()?;
    let nothing = File::open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    let sender = socket.try_clone()?;
    Ok((socket, sender))
}

/// Tells the other side that nothing more comes; what it still has to say can be read.
pub(in crate::endpoint) fn close(sender: &Sender) {
    // A failure means that the other side is gone already.
    let _ = sender.shutdown(Shutdown::Write);
}
