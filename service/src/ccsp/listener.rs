//! The sockets: where the interface listens, and how each connection is driven.

use std::{
    future::Future,
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener},
    ops::RangeInclusive,
    sync::Arc,
    time::Duration,
};

use axum::{Router, body::Body, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::TcpStream,
    sync::{Semaphore, mpsc, watch},
};
use tower::ServiceExt as _;

use crate::ccsp::{
    CcspError,
    limits::Limits,
    linger::{Left, Lingering},
    peer::Connection,
    stall,
};

/// The ports of the protocol, in the order in which they are tried. Fixed, because sites list
/// them in their policies.
pub const PORTS: RangeInclusive<u16> = 29443..=29446;

/// How long nothing is accepted after the system refused to: it has no descriptors left.
const BREATHER: Duration = Duration::from_millis(100);

/// Sockets on one port.
#[derive(Debug)]
pub struct Bound {
    /// On `127.0.0.1`, and on `::1` where the machine has it.
    pub listeners: Vec<TcpListener>,
    /// Their port.
    pub port: u16,
}

/// How far the service is from its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Connections are cut.
    Cut,
    /// Connections end after the request that is under way.
    Ending,
    /// It serves.
    Serving,
}

/// Binds the first of `ports` that is free on every loopback address.
///
/// # Errors
/// [`CcspError::PortsTaken`] where none is; [`CcspError::Socket`] where the machine has no
/// loopback.
pub fn bind(ports: impl IntoIterator<Item = u16>) -> Result<Bound, CcspError> {
    for port in ports {
        match bind_one(port) {
            Ok(bound) => return Ok(bound),
            Err(error)
                if matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(CcspError::PortsTaken)
}

fn bind_one(port: u16) -> io::Result<Bound> {
    let first = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let port = first.local_addr()?.port();
    let mut listeners = vec![first];
    match TcpListener::bind((Ipv6Addr::LOCALHOST, port)) {
        Ok(second) => listeners.push(second),
        // A port that is somebody else's on one of the addresses is not ours on the other.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Err(error),
        Err(error) => tracing::info!(%error, "this machine has no IPv6 loopback"),
    }
    Ok(Bound { listeners, port })
}

/// Serves on every listener until `shutdown`. Then what is under way may end until `settled`, and
/// a little longer; the rest is cut.
///
/// # Errors
/// Before anything is served: where a listener is not on loopback, or cannot be used.
pub(super) async fn serve(
    listeners: Vec<TcpListener>,
    router: Router,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
    settled: impl Future<Output = ()>,
) -> Result<(), CcspError> {
    let listeners = listeners.into_iter().map(adopt).collect::<Result<Vec<_>, _>>()?;
    let (phase, phases) = watch::channel(Phase::Serving);
    // Nothing is ever sent: it closes when the last one that serves is gone.
    let (alive, mut gone) = mpsc::channel::<()>(1);
    let connections = Arc::new(Semaphore::new(limits.connections));
    let server = Arc::new(Server { router, limits, phases, connections });
    for listener in listeners {
        tokio::spawn(accept(listener, Arc::clone(&server), alive.clone()));
    }
    drop(alive);
    shutdown.await;
    phase.send_replace(Phase::Ending);
    settled.await;
    if tokio::time::timeout(server.limits.farewell, gone.recv()).await.is_err() {
        phase.send_replace(Phase::Cut);
        gone.recv().await;
    }
    Ok(())
}

/// What every connection needs.
struct Server {
    router: Router,
    limits: Limits,
    phases: watch::Receiver<Phase>,
    connections: Arc<Semaphore>,
}

fn adopt(listener: TcpListener) -> Result<tokio::net::TcpListener, CcspError> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        return Err(CcspError::NotLoopback { address });
    }
    listener.set_nonblocking(true)?;
    Ok(tokio::net::TcpListener::from_std(listener)?)
}

async fn accept(listener: tokio::net::TcpListener, server: Arc<Server>, alive: mpsc::Sender<()>) {
    let mut phases = server.phases.clone();
    loop {
        let next = async {
            // Where there are too many connections, others wait in the queue of the system.
            let place = Arc::clone(&server.connections).acquire_owned().await.ok()?;
            Some((place, listener.accept().await))
        };
        let next = tokio::select! {
            next = next => next,
            _ = phases.wait_for(|phase| *phase != Phase::Serving) => return,
        };
        match next {
            None => return,
            Some((place, Ok((stream, peer)))) => {
                let (server, alive) = (Arc::clone(&server), alive.clone());
                tokio::spawn(async move {
                    connection(stream, peer, &server).await;
                    drop((place, alive));
                });
            }
            Some((_, Err(error))) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                tokio::time::sleep(BREATHER).await;
            }
        }
    }
}

/// Serves one connection to its end.
async fn connection(stream: TcpStream, peer: SocketAddr, server: &Server) {
    let Ok(local) = stream.local_addr() else { return };
    // Answers are small and somebody waits for each.
    let _ = stream.set_nodelay(true);
    let who = Arc::new(Connection::new(peer, local));
    let left = Left::default();
    let service = service_fn(|request: Request<Incoming>| {
        let mut request = request.map(|body| Body::new(left.watch(body)));
        request.extensions_mut().insert(Arc::clone(&who));
        server.router.clone().oneshot(request)
    });
    let limits = &server.limits;
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_time)
        .max_headers(limits.head_fields)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.head_bytes.max(64 << 10));
    let stream = stall::Read::within(stream, limits.body_pause);
    let stream = TokioIo::new(Lingering::new(stream, left.clone()));
    let mut connection = std::pin::pin!(builder.serve_connection(stream, service));
    let mut phases = server.phases.clone();
    tokio::select! {
        result = connection.as_mut() => return tell(result),
        _ = phases.wait_for(|phase| *phase != Phase::Serving) => {}
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        result = connection.as_mut() => tell(result),
        _ = phases.wait_for(|phase| *phase == Phase::Cut) => {}
    }
}

fn tell(result: Result<(), hyper::Error>) {
    if let Err(error) = result {
        tracing::debug!(%error, "a connection ended badly");
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    #[test]
    fn the_next_port_is_taken_where_one_is_not_free() {
        let first = bind([0]).unwrap();
        let second = bind([first.port, 0]).unwrap();
        assert_ne!(second.port, first.port);
        assert!(matches!(bind([first.port]), Err(CcspError::PortsTaken)));
        for listener in first.listeners.iter().chain(&second.listeners) {
            assert!(listener.local_addr().unwrap().ip().is_loopback());
        }
    }

    #[test]
    fn a_port_that_is_taken_on_one_address_is_not_used_on_the_other() {
        let Ok(other) = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)) else { return };
        let port = other.local_addr().unwrap().port();
        assert!(matches!(bind([port]), Err(CcspError::PortsTaken)));
    }

    #[test]
    fn sockets_for_other_machines_are_refused() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let served = serve(vec![listener], Router::new(), Limits::default(), pending(), pending());
        assert!(matches!(runtime.block_on(served), Err(CcspError::NotLoopback { .. })));
    }
}
