//! `/ccsp/v1/documents`: documents that wait for a signature. Each is its pairing's alone, and
//! goes after ten minutes or when it is used.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, Request, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use signer_core::error::ErrorCode;
use tokio::time::Instant;

use crate::ccsp::{
    Shared,
    body::{Arriving, Json},
    dto,
    guard::Admitted,
    id::Id,
    problem::Problem,
    rule,
    spool::{self, Spooled},
};

/// Uploads a document as it is. It is hashed while it arrives.
#[utoipa::path(
    post, path = "/ccsp/v1/documents", tag = "documents", operation_id = "upload",
    security(("pairing" = ["sign"])),
    request_body(content = dto::Pdf, content_type = "application/pdf", description = "The document itself."),
    responses(
        (status = 201, description = "It is kept for ten minutes.", body = dto::Document, headers(("Location" = String, description = "Where it is."))),
        (status = 422, description = "It is no document that can be signed.", body = dto::Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn upload(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    request: Request,
) -> Result<Response, Problem> {
    let owner = admitted.pairing()?.number;
    let arriving = Arriving::new(request.into_body(), shared.limits.document_bytes, &shared.limits);
    let spooled = Arc::new(spool::receive(arriving, &shared.spool).await?);
    let expires = Instant::now() + shared.limits.keep;
    let kept = Arc::clone(&spooled);
    let id = shared.documents.put(owner, kept, Some(expires), shared.limits.documents)?;
    let location =
        HeaderValue::try_from(format!("{}/{id}", rule::DOCUMENTS)).map_err(|_| ErrorCode::Internal)?;
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], Json(told(id, &spooled))).into_response())
}

/// What an uploaded document is.
#[utoipa::path(
    get, path = "/ccsp/v1/documents/{id}", tag = "documents", operation_id = "document",
    security(("pairing" = ["sign"])),
    params(("id" = String, Path, description = "The document's id.")),
    responses(
        (status = 200, description = "The document.", body = dto::Document),
        (status = 404, description = "There is none of this id, any more, or it is another client's.", body = dto::Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    Path(id): Path<String>,
) -> Result<Json<dto::Document>, Problem> {
    let (id, spooled) = shared.documents.find(&id, admitted.pairing()?.number)?;
    Ok(Json(told(id, &spooled)))
}

/// Forgets an uploaded document.
#[utoipa::path(
    delete, path = "/ccsp/v1/documents/{id}", tag = "documents", operation_id = "forgetDocument",
    security(("pairing" = ["sign"])),
    params(("id" = String, Path, description = "The document's id.")),
    responses((status = 204, description = "It is gone."))
)]
pub(super) async fn forget(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let id = Id::parse(&id).ok_or(ErrorCode::ResourceNotFound)?;
    shared.documents.remove(id, admitted.pairing()?.number)?;
    Ok(StatusCode::NO_CONTENT)
}

fn told(id: Id, spooled: &Spooled) -> dto::Document {
    let facts = &spooled.facts;
    dto::Document {
        id: id.to_string(),
        size: facts.size,
        digest: dto::Digest::of(&spooled.digest),
        pages: facts.pages,
        page_sizes: facts.page_sizes.clone(),
        fields: facts.fields.clone(),
        signatures: facts.signatures.clone(),
    }
}
