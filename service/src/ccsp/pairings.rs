//! `/ccsp/v1/pairings`: letting a client in, once, by a question to the person.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use signer_core::{
    approval::{Outcome, summary},
    error::ErrorCode,
};

use crate::{
    ccsp::{
        Shared,
        asking::{self, Question},
        body::{self, Json},
        client::Binding,
        dto,
        guard::Admitted,
        pairing::Pairing,
        problem::Problem,
    },
    ports::RequestSubject,
};

/// Asks the person to let the client in. The answer comes when the person has answered; a
/// connection that ends before takes the question back.
#[utoipa::path(
    post, path = "/ccsp/v1/pairings", tag = "pairings", operation_id = "pair",
    request_body = dto::PairingRequest,
    responses(
        (status = 201, description = "The person let the client in.", body = dto::PairingGranted),
        (status = 403, description = "The person said no, now, within the last minute, or for ever.", body = dto::Problem, content_type = "application/problem+json"),
        (status = 504, description = "Nobody answered in time.", body = dto::Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn ask(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    request: Request,
) -> Result<Response, Problem> {
    let asked: dto::PairingRequest = body::json(request.into_body(), &shared.limits).await?;
    let mut scopes: Vec<summary::Scope> = asked.scopes.into_iter().map(Into::into).collect();
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        return Err(Problem::new(ErrorCode::RequestMalformed).with_detail("scopes is empty"));
    }
    let binding = admitted.client.binding();
    let (client, memory) = (binding.clone(), shared.limits.refusal);
    if shared.with_pairings(move |pairings, now| pairings.is_refused(&client, memory, now)).await? {
        return Err(ErrorCode::ApprovalDenied.into());
    }
    let subject = RequestSubject::Pairing { scopes: scopes.clone() };
    let ended = Question::ask(&shared, &admitted.client, subject)?.answered().await?;
    if ended.outcome == Outcome::Denied {
        let lasting = ended.lasting;
        shared.with_pairings(move |pairings, now| pairings.refuse(&binding, lasting, now)).await?;
        return Err(ErrorCode::ApprovalDenied.into());
    }
    if let Some(code) = asking::refusal(&ended.outcome) {
        return Err(code.into());
    }
    let allow =
        move |pairings: &super::PairingStore, now| pairings.allow(&binding, scopes, ended.lasting, now);
    let (token, pairing) = shared.with_pairings(allow).await?;
    let granted = dto::PairingGranted { token, pairing: told(&pairing) };
    Ok((StatusCode::CREATED, Json(granted)).into_response())
}

/// The pairing of the token that is sent.
#[utoipa::path(
    get, path = "/ccsp/v1/pairings/current", tag = "pairings", operation_id = "currentPairing",
    security(("pairing" = [])),
    responses((status = 200, description = "The pairing.", body = dto::Pairing))
)]
pub(super) async fn show(Extension(admitted): Extension<Admitted>) -> Result<Json<dto::Pairing>, Problem> {
    Ok(Json(told(admitted.pairing()?)))
}

/// Ends the pairing of the token that is sent.
#[utoipa::path(
    delete, path = "/ccsp/v1/pairings/current", tag = "pairings", operation_id = "endPairing",
    security(("pairing" = [])),
    responses((status = 204, description = "The token is void."))
)]
pub(super) async fn end(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
) -> Result<StatusCode, Problem> {
    let number = admitted.pairing()?.number;
    shared.with_pairings(move |pairings, now| pairings.end(number, now)).await?;
    shared.documents.clear(number);
    shared.batches.clear(number);
    Ok(StatusCode::NO_CONTENT)
}

fn told(pairing: &Pairing) -> dto::Pairing {
    dto::Pairing {
        client: match &pairing.client {
            Binding::Program { path } => path.clone(),
            Binding::Site { origin } => Some(origin.clone()),
        },
        scopes: pairing.scopes.iter().map(|scope| (*scope).into()).collect(),
        created_at: dto::time(pairing.created),
        expires_at: dto::time(pairing.expires),
    }
}
