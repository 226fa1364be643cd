//! The least that axum can be: one route on the port that is given. The service is measured
//! beside it.

use std::net::Ipv4Addr;

use axum::{Router, routing::get};

fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
    tokio::runtime::Builder::new_current_thread().enable_io().build()?.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        let router = Router::new().route("/ccsp/v1/status", get(|| async { "{}" }));
        axum::serve(listener, router).await
    })
}
