//! Sockets that the system's manager made and handed over (sd_listen_fds(3)).
//!
//! They are told apart by what they are: a Unix socket is the login's endpoint, TCP sockets are
//! the HTTP interface. Their names and order do not matter.

use std::{io, net::TcpListener};

use listenfd::ListenFd;
use signer_ipc::login::{EndpointName, LoginListener};

#[derive(Default)]
pub(super) struct Inherited {
    pub(super) endpoint: Option<(EndpointName, LoginListener)>,
    pub(super) http: Vec<TcpListener>,
}

/// Takes every socket that was handed over. Once: a second call finds none.
pub(super) fn inherited() -> io::Result<Inherited> {
    let mut handed = ListenFd::from_env();
    let mut inherited = Inherited::default();
    for index in 0..handed.len() {
        #[cfg(unix)]
        if let Ok(Some(listener)) = handed.take_unix_listener(index) {
            if inherited.endpoint.is_some() {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "two endpoints were handed over"));
            }
            inherited.endpoint = Some(endpoint(listener)?);
            continue;
        }
        if let Some(listener) = handed.take_tcp_listener(index)? {
            inherited.http.push(listener);
        }
    }
    Ok(inherited)
}

#[cfg(unix)]
fn endpoint(listener: std::os::unix::net::UnixListener) -> io::Result<(EndpointName, LoginListener)> {
    let address = listener.local_addr()?;
    let path = address.as_pathname().and_then(|path| path.to_str());
    let name = path.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "the endpoint has no path"))?;
    listener.set_nonblocking(false)?;
    Ok((EndpointName::from_text(name.to_owned()), LoginListener::inherited(listener)))
}
