//! `GET /ccsp/v1/status`: the health check, answered to anybody of this login.

use std::sync::Arc;

use axum::extract::State;

use crate::ccsp::{Shared, body::Json, dto};

/// Whether the service is there, what it speaks, whether the person could be asked.
#[utoipa::path(
    get, path = "/ccsp/v1/status", tag = "service", operation_id = "status",
    responses((status = 200, description = "The service is there.", body = dto::Status))
)]
pub(super) async fn show(State(shared): State<Arc<Shared>>) -> Json<dto::Status> {
    Json(dto::Status {
        product: "CyberCore Signer",
        version: env!("CARGO_PKG_VERSION"),
        protocols: vec!["1"],
        ready: true,
        can_ask: shared.approvals.can_ask(),
    })
}
