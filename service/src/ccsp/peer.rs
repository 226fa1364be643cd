//! The other end of a connection: whether it is this login's, and which program holds it.
//!
//! Whose connection it is decides the guard; which program is for display only.

mod platform;

use std::{io, net::SocketAddr};

use tokio::sync::OnceCell;

/// One connection, as every request on it finds it.
#[derive(Debug)]
pub(super) struct Connection {
    login: Login,
    program: OnceCell<Program>,
}

/// Whose the other end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Login {
    /// Another login's, or nobody's that can be told.
    Other,
    /// This login's.
    Own(platform::Socket),
    /// The system did not say, most likely for want of descriptors. It may the next time.
    Unknown,
}

/// A program, as far as the system tells it. Proves nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Program {
    /// Its file name.
    pub(super) name: Option<String>,
    /// Its path.
    pub(super) path: Option<String>,
    /// Its process.
    pub(super) process: Option<u32>,
}

impl Connection {
    /// Finds out whose the connection from `peer` to `local` is. Does not block.
    pub(super) fn new(peer: SocketAddr, local: SocketAddr) -> Self {
        let login = if peer.ip().to_canonical().is_loopback() {
            platform::own_socket(peer, local)
                .inspect_err(|error: &io::Error| tracing::warn!(%error, "the peer cannot be found out"))
                .map_or(Login::Unknown, |socket| socket.map_or(Login::Other, Login::Own))
        } else {
            Login::Other
        };
        Self { login, program: OnceCell::new() }
    }

    /// Whose it is.
    pub(super) const fn login(&self) -> Login {
        self.login
    }

    /// The program at the other end, looked for once and off the async threads.
    pub(super) async fn program(&self) -> Program {
        let Login::Own(socket) = self.login else { return Program::default() };
        let find = || async move {
            let found = tokio::task::spawn_blocking(move || platform::program(socket)).await;
            found.ok().flatten().unwrap_or_default()
        };
        self.program.get_or_init(find).await.clone()
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Shutdown, TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_own_connection_and_program_are_found() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(listener) = TcpListener::bind(address) else { continue };
            let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (server, peer) = listener.accept().unwrap();
            let connection = Connection::new(peer, server.local_addr().unwrap());
            let Login::Own(socket) = connection.login() else { panic!("{address}: {connection:?}") };
            let program = platform::program(socket).unwrap();
            assert_eq!(program.process, Some(std::process::id()));
            let own = std::env::current_exe().unwrap();
            assert_eq!(program.path.as_deref(), own.to_str());
            drop(client);
        }
    }

    #[test]
    fn a_client_that_said_all_and_waits_is_still_there() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, peer) = listener.accept().unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        // Its end has come here.
        assert_eq!(io::Read::read(&mut &server, &mut [0]).unwrap(), 0);
        let connection = Connection::new(peer, server.local_addr().unwrap());
        assert!(matches!(connection.login(), Login::Own(_)), "{connection:?}");
    }

    #[test]
    fn a_connection_that_is_over_or_never_was_is_nobodys() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, peer) = listener.accept().unwrap();
        let local = server.local_addr().unwrap();
        assert_eq!(Connection::new(local, local).login(), Login::Other);
        assert_eq!(Connection::new("192.0.2.1:80".parse().unwrap(), local).login(), Login::Other);
        drop(client);
        // The other end is closed once its end is read here.
        io::Read::read(&mut &server, &mut [0]).unwrap();
        assert_eq!(Connection::new(peer, local).login(), Login::Other);
    }
}
