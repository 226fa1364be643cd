//! CCSP/1: the HTTP interface on loopback through which pages and programs ask for signatures.
//!
//! `guard` decides on every request before its body is read; `rule` lists what there is.
//! The person is asked, and keys are reached, only through the ports of [`crate::ports`].

mod asking;
mod batch;
mod body;
mod certificates;
mod client;
mod content;
mod cors;
mod documents;
mod dto;
mod guard;
mod id;
mod limits;
mod linger;
mod listener;
mod openapi;
mod order;
mod origin;
mod pairing;
mod pairings;
mod peer;
mod problem;
mod rule;
mod shelf;
mod signatures;
mod spool;
mod stall;
mod status;
mod taken;
mod work;

use std::{future::Future, io, net::TcpListener, path::PathBuf, sync::Arc};

use axum::{
    Router, middleware,
    routing::{get, post},
};
use signer_core::error::ErrorCode;

use crate::{
    ccsp::{batch::Batch, client::Tally, problem::Problem, shelf::Shelf, spool::Spooled},
    clock,
    ports::{Approvals, Credentials},
};

pub use client::Binding;
pub use limits::Limits;
pub use listener::{Bound, PORTS, bind};
pub use openapi::document as openapi_document;
pub use pairing::{Pairing, PairingNumber, PairingStore};
pub use problem::document as errors_document;

/// What the interface is made of.
pub struct Setup {
    /// Where it listens: sockets of [`bind`], or inherited ones. All of them on loopback.
    pub listeners: Vec<TcpListener>,
    /// Who asks the person.
    pub approvals: Arc<dyn Approvals>,
    /// What can sign here.
    pub credentials: Arc<dyn Credentials>,
    /// The folder of uploaded documents: existing, the person's alone, on a disk. Files in it
    /// have no names.
    pub spool: PathBuf,
    /// The pairings.
    pub pairings: Arc<PairingStore>,
    /// What requests may cost.
    pub limits: Limits,
}

/// Why the interface cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum CcspError {
    /// A socket that was handed over listens to other machines.
    #[error("a socket listens at {address}, which is not this machine alone")]
    NotLoopback {
        /// Where.
        address: std::net::SocketAddr,
    },
    /// None of the ports is free.
    #[error("the ports {} to {} are taken", PORTS.start(), PORTS.end())]
    PortsTaken,
    /// A socket cannot be used.
    #[error("a socket cannot be used")]
    Socket(#[from] io::Error),
}

/// What all requests share.
struct Shared {
    approvals: Arc<dyn Approvals>,
    credentials: Arc<dyn Credentials>,
    pairings: Arc<PairingStore>,
    tally: Tally,
    spool: PathBuf,
    documents: Shelf<Spooled>,
    batches: Shelf<Batch>,
    limits: Limits,
}

/// Serves until `shutdown` is ready; then lets requests that are under way end within
/// [`Limits::farewell`]. Needs a tokio runtime with I/O and time; while nothing is asked it
/// arms no timer.
///
/// # Errors
/// Where a socket is not on loopback or cannot be used; nothing is served then.
pub async fn serve(setup: Setup, shutdown: impl Future<Output = ()>) -> Result<(), CcspError> {
    serve_until(setup, shutdown, std::future::ready(())).await
}

/// As [`serve`]. Between `shutdown` and `settled`, which must come, nothing new is accepted, and
/// requests under way may take as long as they do; [`Limits::farewell`] begins after it.
///
/// # Errors
/// As [`serve`].
pub async fn serve_until(
    setup: Setup,
    shutdown: impl Future<Output = ()>,
    settled: impl Future<Output = ()>,
) -> Result<(), CcspError> {
    let Setup { listeners, approvals, credentials, spool, pairings, limits } = setup;
    let shared = Arc::new(Shared {
        approvals,
        credentials,
        pairings,
        tally: Tally::default(),
        spool,
        documents: Shelf::default(),
        batches: Shelf::default(),
        limits: limits.clone(),
    });
    listener::serve(listeners, router(shared), limits, shutdown, settled).await
}

/// Every resource of `rule::RULES`, behind the guard.
fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route(rule::STATUS, get(status::show))
        .route(rule::OPENAPI, get(openapi::show))
        .route(rule::PAIRINGS, post(pairings::ask))
        .route(rule::CURRENT_PAIRING, get(pairings::show).delete(pairings::end))
        .route(rule::CERTIFICATES, get(certificates::list))
        .route(rule::SELECTION, post(certificates::select))
        .route(rule::CERTIFICATE, get(certificates::show))
        .route(rule::DOCUMENTS, post(documents::upload))
        .route(rule::DOCUMENT, get(documents::show).delete(documents::forget))
        .route(rule::SIGNATURES, post(signatures::create))
        .route(rule::SIGNATURE, get(signatures::show).delete(signatures::cancel))
        .route(rule::CONTENT, get(signatures::content))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guard::guard))
        .with_state(shared)
}

impl CcspError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotLoopback { .. } => ErrorCode::ConfigInvalid,
            Self::PortsTaken | Self::Socket(_) => ErrorCode::PortUnavailable,
        }
    }
}

impl Shared {
    /// Uses the pairings, which may read or write a file, off the async threads.
    async fn with_pairings<T: Send + 'static>(
        &self,
        job: impl FnOnce(&PairingStore, i64) -> Result<T, ErrorCode> + Send + 'static,
    ) -> Result<T, Problem> {
        let pairings = Arc::clone(&self.pairings);
        let now = now()?;
        let done = tokio::task::spawn_blocking(move || job(&pairings, now)).await;
        done.map_err(|_| ErrorCode::Internal)?.map_err(Problem::from)
    }
}

/// Now, in seconds since the epoch.
fn now() -> Result<i64, ErrorCode> {
    clock::now().map(|moment| moment.unix_seconds()).map_err(|_| ErrorCode::Internal)
}
