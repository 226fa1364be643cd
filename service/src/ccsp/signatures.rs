//! `/ccsp/v1/signatures`: one request, one question to the person, one to a hundred signatures.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension,
    body::Body,
    extract::{Path, Query, Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use signer_core::{credential::CredentialId, error::ErrorCode};
use tokio::time::Instant;

use crate::{
    ccsp::{
        Shared,
        asking::{self, Question},
        batch::{self, Batch, IdempotencyKey},
        body::{self, Arriving, Json},
        content, dto,
        guard::{self, Admitted},
        id::Id,
        order::{self, Item},
        problem::Problem,
        rule, spool,
        taken::Taken,
        work::{Made, Style},
    },
    ports::{RequestSubject, SigningJob},
};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
/// The longest wait that a client gets, in seconds.
const LONGEST_WAIT: u64 = 120;
/// When to ask again, in seconds.
const ASK_AGAIN: u32 = 1;
/// The longest idempotency key.
const LONGEST_KEY: usize = 255;
/// How many requests of one pairing are kept.
const KEPT: usize = 256;

/// Asks for signatures: JSON names what was uploaded before. In the one-call form the body is
/// the document and the answer the signed document; a connection that ends before takes the
/// question back.
#[utoipa::path(
    post, path = "/ccsp/v1/signatures", tag = "signatures", operation_id = "sign",
    security(("pairing" = ["sign"])),
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "A repeated request with the same key and body is the same request. Refused in the one-call form, whose answers are not kept."),
        ("Prefer" = Option<String>, Header, description = "`wait=N` waits up to N seconds (at most 120) for the end."),
        dto::OneCall,
    ),
    request_body(
        content(
            (dto::SignatureRequest = "application/json"),
            (dto::Pdf = "application/pdf"),
        ),
        description = "What to sign, or the document itself.",
    ),
    responses(
        (status = 200, description = "One-call form: the signed document.", content((dto::Pdf = "application/pdf"), (dto::Signatures = "application/json"))),
        (status = 202, description = "The person is asked.", body = dto::Signatures, headers(("Location" = String, description = "Where the request is."), ("Retry-After" = u32, description = "When to ask again."))),
        (status = 422, description = "The same idempotency key came with another body, or something cannot be signed.", body = dto::Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many questions of this client wait.", body = dto::Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn create(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    query: Result<Query<dto::OneCall>, axum::extract::rejection::QueryRejection>,
    request: Request,
) -> Result<Response, Problem> {
    if guard::media_type(request.headers()).as_deref() == Some(guard::PDF) {
        // What is not kept cannot be found again: a client that relied on it would sign twice.
        if request.headers().contains_key(IDEMPOTENCY_KEY) {
            return Err(order::malformed("Idempotency-Key does not belong to the one-call form"));
        }
        let Query(call) =
            query.map_err(|_| order::malformed("a parameter is unknown or has no such value"))?;
        return one_call(&shared, &admitted, call, request.into_body()).await;
    }
    let (head, body) = request.into_parts();
    let wait = wait(&head.headers);
    let bytes = body::whole(body, &shared.limits).await?;
    let key = idempotency_key(&head.headers, &bytes)?;
    let owner = admitted.pairing()?.number;
    let repeated = |key: &IdempotencyKey| {
        shared.batches.search(owner, |batch| batch.key.as_ref().is_some_and(|known| known.key == key.key))
    };
    if let Some((id, batch)) = key.as_ref().and_then(repeated) {
        if batch.key != key {
            return Err(ErrorCode::IdempotencyConflict.into());
        }
        return Ok(accepted(id, &batch, wait, &admitted).await);
    }
    let asked: dto::SignatureRequest = body::parse(&bytes)?;
    order::check_items(&asked)?;
    let style = order::style(asked.options.as_ref().unwrap_or(&dto::Options::default()))?;
    let certificate = order::certificate(&shared, asked.certificate.as_deref()).await?;
    // From here to the end nothing is waited for: of two requests with one key one is first.
    if let Some((id, batch)) = key.as_ref().and_then(repeated) {
        return if batch.key == key {
            Ok(accepted(id, &batch, wait, &admitted).await)
        } else {
            Err(ErrorCode::IdempotencyConflict.into())
        };
    }
    let taken = Taken::new(&shared.documents, &asked, owner)?;
    let items = taken.items(&asked)?;
    let style = Arc::new(order::with_reason(style, &items));
    let (jobs, slots) = order::jobs(&items, &style)?;
    let subject = subject(certificate, jobs, &style);
    let question = Question::ask(&shared, &admitted.client, subject)?;
    taken.use_up();
    let names = asked.items.iter().map(|item| order::shown(&item.name));
    let batch = Arc::new(Batch {
        items: names.zip(slots.iter().cloned()).collect(),
        state: question.state.clone(),
        cancel: question.cancel.clone(),
        key,
    });
    let id = shared.batches.put(owner, Arc::clone(&batch), None, KEPT).inspect_err(|_| {
        // Nobody could ask for the result.
        batch.cancel.cancel();
    })?;
    let owned = Arc::clone(&shared);
    tokio::spawn(async move {
        batch::settle(question.state, slots).await;
        owned.batches.expire_at(id, Instant::now() + owned.limits.keep);
        drop(question.under_way);
    });
    Ok(accepted(id, &batch, wait, &admitted).await)
}

/// How a request stands.
#[utoipa::path(
    get, path = "/ccsp/v1/signatures/{id}", tag = "signatures", operation_id = "signatures",
    security(("pairing" = ["sign"])),
    params(
        ("id" = String, Path, description = "The request's id."),
        ("Prefer" = Option<String>, Header, description = "`wait=N` waits up to N seconds (at most 120) for the end."),
    ),
    responses(
        (status = 200, description = "How it stands.", body = dto::Signatures),
        (status = 404, description = "There is none of this id, any more, or it is another client's.", body = dto::Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (id, batch) = shared.batches.find(&id, admitted.pairing()?.number)?;
    let wait = wait(&headers);
    until_over(&batch, wait).await;
    let mut response = Json(batch.told(id, admitted.language)).into_response();
    say_applied(&mut response, wait);
    Ok(response)
}

/// Takes a request back; one that is over is forgotten with all that came of it.
#[utoipa::path(
    delete, path = "/ccsp/v1/signatures/{id}", tag = "signatures", operation_id = "cancel",
    security(("pairing" = ["sign"])),
    params(("id" = String, Path, description = "The request's id.")),
    responses((status = 204, description = "It is being cancelled, or is forgotten."))
)]
pub(super) async fn cancel(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let owner = admitted.pairing()?.number;
    let (id, batch) = shared.batches.find(&id, owner)?;
    if batch.is_over() {
        shared.batches.remove(id, owner)?;
    } else {
        batch.cancel.cancel();
    }
    Ok(StatusCode::NO_CONTENT)
}

/// A signed document.
#[utoipa::path(
    get, path = "/ccsp/v1/signatures/{id}/items/{number}/content", tag = "signatures", operation_id = "content",
    security(("pairing" = ["sign"])),
    params(
        ("id" = String, Path, description = "The request's id."),
        ("number" = u32, Path, description = "The item, from 1."),
    ),
    responses(
        (status = 200, description = "The signed document.", body = dto::Pdf, content_type = "application/pdf"),
        (status = 404, description = "There is no such document.", body = dto::Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is not there yet.", body = dto::Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn content(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    Path((id, number)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let (_, batch) = shared.batches.find(&id, admitted.pairing()?.number)?;
    let number = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let signed = batch.document(number.ok_or(ErrorCode::ResourceNotFound)?)?;
    Ok(content::document(signed, admitted.under_way, &shared.limits))
}

/// The document comes, the person is asked, the signed document goes.
async fn one_call(
    shared: &Shared,
    admitted: &Admitted,
    call: dto::OneCall,
    body: Body,
) -> Result<Response, Problem> {
    let name = call.name.as_deref().unwrap_or("document.pdf");
    order::check_name(name).map_err(|what| order::malformed(format!("name {what}")))?;
    let name = order::shown(name);
    let style = order::style(&dto::Options {
        field: call.field,
        certify: call.certify,
        seal: call.seal,
        seal_page: call.seal_page,
        seal_at: call.seal_at,
        seal_size: call.seal_size,
        reason: call.reason,
        location: call.location,
        ..dto::Options::default()
    })?;
    let certificate = order::certificate(shared, call.certificate.as_deref()).await?;
    let arriving = Arriving::new(body, shared.limits.document_bytes, &shared.limits);
    let document = Arc::new(spool::receive(arriving, &shared.spool).await?);
    let items = [Item::Document { name, document }];
    let style = Arc::new(order::with_reason(style, &items));
    let (jobs, slots) = order::jobs(&items, &style)?;
    let subject = subject(certificate, jobs, &style);
    let ended = Question::ask(shared, &admitted.client, subject)?.answered().await?;
    let slot = slots.first().ok_or(ErrorCode::Internal)?;
    let made = batch::made(&ended, 0, slot).map_err(|code| {
        let problem = Problem::new(code);
        match slot.unmet(code) {
            Some(detail) => problem.with_detail(detail),
            None => problem,
        }
    });
    match made? {
        Made::Document(signed) => {
            Ok(content::document(signed, Arc::clone(&admitted.under_way), &shared.limits))
        }
        Made::Value(_) => Err(ErrorCode::Internal.into()),
    }
}

fn subject(certificate: Option<CredentialId>, jobs: Vec<SigningJob>, style: &Style) -> RequestSubject {
    let (reason, signature_type) = (style.reason.clone(), style.signature_type);
    RequestSubject::Signature { certificate, jobs, reason, signature_type }
}

/// The answer to a request that is accepted: how it stands after the wait.
async fn accepted(id: Id, batch: &Batch, wait: Option<Duration>, admitted: &Admitted) -> Response {
    until_over(batch, wait).await;
    let mut response = Json(batch.told(id, admitted.language)).into_response();
    if !batch.is_over() {
        *response.status_mut() = StatusCode::ACCEPTED;
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(ASK_AGAIN));
    }
    if let Ok(location) = HeaderValue::try_from(format!("{}/{id}", rule::SIGNATURES)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    say_applied(&mut response, wait);
    response
}

async fn until_over(batch: &Batch, wait: Option<Duration>) {
    if let Some(wait) = wait {
        let mut state = batch.state.clone();
        // Whatever it is after the wait is told.
        let _ = tokio::time::timeout(wait, asking::ended(&mut state)).await;
    }
}

/// `wait` of `Prefer` (RFC 7240, 4.3), within what a client gets.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let values = headers.get_all(PREFER).into_iter().filter_map(|value| value.to_str().ok());
    let mut preferences = values.flat_map(|value| value.split(',')).map(str::trim);
    let seconds = preferences.find_map(|preference| preference.strip_prefix("wait="))?;
    Some(Duration::from_secs(seconds.trim_matches('"').parse::<u64>().ok()?.min(LONGEST_WAIT)))
}

fn say_applied(response: &mut Response, wait: Option<Duration>) {
    let applied = wait.and_then(|wait| HeaderValue::try_from(format!("wait={}", wait.as_secs())).ok());
    if let Some(applied) = applied {
        response.headers_mut().insert(PREFERENCE_APPLIED, applied);
    }
}

fn idempotency_key(headers: &HeaderMap, body: &[u8]) -> Result<Option<IdempotencyKey>, Problem> {
    let mut keys = headers.get_all(IDEMPOTENCY_KEY).iter();
    match (keys.next(), keys.next()) {
        (None, _) => Ok(None),
        (Some(key), None) if !key.is_empty() && key.len() <= LONGEST_KEY => {
            let key = key.to_str().map_err(|_| order::malformed("Idempotency-Key is not ASCII"))?;
            Ok(Some(IdempotencyKey::new(key, body)))
        }
        (Some(_), _) => Err(order::malformed("Idempotency-Key must be one text of 1 to 255 characters")),
    }
}
