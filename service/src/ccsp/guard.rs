//! The guard: decides on the head of a request, in a fixed order, before anything of its body
//! is read. What passes carries who sent it ([`Admitted`]).
//!
//! 1. The connection is of this login.
//! 2. `Host` is ours.
//! 3. The origin is one that may ask, or a program asks.
//! 4. Method, media type, declared size, then the pairing.

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{
    body::{Body, HttpBody as _},
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderValue, Method, Uri, header, request::Parts},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use futures_util::FutureExt as _;
use signer_core::error::ErrorCode;

use crate::{
    ccsp::{
        Shared,
        client::{Client, Counted, UnderWay},
        cors,
        id::RequestId,
        limits::Limits,
        origin::{Origin, is_own_host},
        pairing::Pairing,
        peer::{Connection, Login},
        problem::{self, Problem},
        rule::{self, Access, BodyRule, RULES, Rule, Verb},
    },
    text::Language,
};

/// Who sent a request that passed the guard.
#[derive(Debug, Clone)]
pub(super) struct Admitted {
    /// Who.
    pub(super) client: Client,
    /// The pairing, where the resource asks for one.
    pub(super) pairing: Option<Pairing>,
    /// The language of the answer.
    pub(super) language: Language,
    /// Counts against the client's limit as long as it is kept.
    pub(super) under_way: Arc<UnderWay>,
}

/// Who speaks, as far as the head tells.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Speaker {
    /// A program of this machine.
    Program,
    /// A page.
    Site(Origin),
}

/// What a head says of its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Declared {
    /// That many bytes.
    Exactly(u64),
    /// There is none.
    Nothing,
    /// It comes in pieces.
    Unknown,
}

impl Declared {
    fn of(body: &Body) -> Self {
        match body.size_hint().exact() {
            _ if body.is_end_stream() => Self::Nothing,
            Some(len) => Self::Exactly(len),
            None => Self::Unknown,
        }
    }

    const fn fits(self, limit: u64) -> bool {
        match self {
            Self::Exactly(len) => len <= limit,
            Self::Nothing | Self::Unknown => true,
        }
    }
}

impl Admitted {
    /// The pairing.
    ///
    /// # Errors
    /// `pairing-required` where the resource did not ask for one.
    pub(super) fn pairing(&self) -> Result<&Pairing, Problem> {
        self.pairing.as_ref().ok_or(Problem::new(ErrorCode::PairingRequired))
    }
}

/// Runs a request through the guard, then on; gives every answer its last fields.
pub(super) async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let number = RequestId::new();
    let (mut head, body) = request.into_parts();
    let languages = head.headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let language = Language::of_list(languages.unwrap_or_default());
    let path = head.extensions.get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let path = path.unwrap_or_default();
    let grant = cors::grant(&path, &head.headers);

    let passage = before_the_path(&head, &path);
    let response = match passage {
        Err(problem) => {
            tracing::info!(request = %number, code = %problem.code(), "refused");
            return sealed(problem::finish(problem.into_response(), language, number));
        }
        Ok(_) if head.method == Method::OPTIONS && cors::is_preflight(&head.headers) => {
            cors::preflight(&path, &head.headers)
        }
        Ok(speaker) => match admit(&shared, &head, Declared::of(&body), &path, speaker, language).await {
            Err(problem) => problem.into_response(),
            Ok(admitted) => {
                if let Some(admitted) = admitted {
                    head.extensions.insert(admitted);
                }
                let from_a_page = head.headers.contains_key(header::ORIGIN);
                let response = run(Request::from_parts(head, body), next).await;
                if from_a_page { response } else { problem::name_card_programs(response, &shared).await }
            }
        },
    };
    tracing::info!(request = %number, %path, status = response.status().as_u16(), "answered");
    let mut response = problem::finish(response, language, number);
    grant.apply(response.headers_mut());
    sealed(response)
}

/// A defect in one request is one answer; the service lives on.
async fn run(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(_) => {
            tracing::error!("a request ended in a panic");
            Problem::new(ErrorCode::Internal).into_response()
        }
    }
}

/// Rules 1 to 3. What fails here is answered without any word to a page.
fn before_the_path(head: &Parts, path: &str) -> Result<Option<Speaker>, Problem> {
    let connection = head.extensions.get::<Arc<Connection>>();
    match connection.map(|connection| connection.login()) {
        Some(Login::Own(_)) => {}
        Some(Login::Other) | None => return Err(ErrorCode::OtherLogin.into()),
        Some(Login::Unknown) => return Err(ErrorCode::TooManyRequests.into()),
    }
    check_host(&head.uri, &head.headers)?;
    if path == rule::STATUS {
        return Ok(None);
    }
    speaker(&head.headers).map(Some)
}

/// Rule 2: exactly one `Host`, and it is ours; so is the authority of an absolute target.
fn check_host(uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return Err(ErrorCode::HostRefused.into()) };
    let own = host.to_str().is_ok_and(is_own_host)
        && uri.authority().is_none_or(|authority| is_own_host(authority.as_str()));
    if own { Ok(()) } else { Err(ErrorCode::HostRefused.into()) }
}

/// Rule 3: one acceptable origin; without any, a program, unless a browser left its traces.
fn speaker(headers: &HeaderMap) -> Result<Speaker, Problem> {
    let refused = || Problem::new(ErrorCode::OriginRefused);
    let mut origins = headers.get_all(header::ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (Some(origin), None) => {
            let origin = origin.to_str().ok().and_then(Origin::parse).ok_or_else(refused)?;
            Ok(Speaker::Site(origin))
        }
        (None, _) if headers.keys().any(|name| name.as_str().starts_with("sec-fetch-")) => Err(refused()),
        (None, _) => Ok(Speaker::Program),
        (Some(_), Some(_)) => Err(refused()),
    }
}

/// Rule 4. `None` where anybody is served.
async fn admit(
    shared: &Shared,
    head: &Parts,
    declared: Declared,
    path: &str,
    speaker: Option<Speaker>,
    language: Language,
) -> Result<Option<Admitted>, Problem> {
    let rule = find(path, &head.method)?;
    check_media_type(rule.body, &head.headers)?;
    check_size(rule.body, &head.headers, declared, &shared.limits)?;
    let Some(speaker) = speaker else { return Ok(None) };
    let client = match speaker {
        Speaker::Site(origin) => Client::Site(origin),
        Speaker::Program => match head.extensions.get::<Arc<Connection>>() {
            Some(connection) => Client::Program(connection.program().await),
            None => return Err(ErrorCode::OtherLogin.into()),
        },
    };
    let pairing = match rule.access {
        Access::Anybody => None,
        Access::Paired => Some(pairing(shared, &head.headers, &client).await?),
        Access::Permitted(scope) => {
            let pairing = pairing(shared, &head.headers, &client).await?;
            if !pairing.permits(scope) {
                let detail = format!("the pairing lacks the scope {}", scope.as_str());
                return Err(Problem::new(ErrorCode::PairingRequired).with_detail(detail));
            }
            Some(pairing)
        }
    };
    let under_way = shared.tally.begin(&client.binding(), Counted::Requests, shared.limits.requests)?;
    Ok(Some(Admitted { client, pairing, language, under_way: Arc::new(under_way) }))
}

fn find(path: &str, method: &Method) -> Result<&'static Rule, Problem> {
    if !RULES.iter().any(|rule| rule.path == path) {
        return Err(ErrorCode::ResourceNotFound.into());
    }
    let verb = Verb::of(method);
    let rule = RULES.iter().find(|rule| rule.path == path && Some(rule.verb) == verb);
    rule.ok_or_else(|| Problem::new(ErrorCode::MethodNotAllowed).allowing(rule::methods(path)))
}

/// The media type of a body, without its parameters; `None` where there is not exactly one.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else { return None };
    let essence = only.to_str().ok()?.split(';').next().unwrap_or_default();
    Some(essence.trim().to_ascii_lowercase())
}

fn check_media_type(body: BodyRule, headers: &HeaderMap) -> Result<(), Problem> {
    let found = media_type(headers);
    let found = found.as_deref();
    let fits = match body {
        BodyRule::Nothing => true,
        BodyRule::Json => found == Some(JSON),
        BodyRule::Document => found == Some(PDF),
        BodyRule::JsonOrDocument => matches!(found, Some(JSON | PDF)),
    };
    if fits && !headers.contains_key(header::CONTENT_ENCODING) {
        Ok(())
    } else {
        Err(ErrorCode::MediaTypeUnsupported.into())
    }
}

/// What is declared too large is refused before a byte of it comes; what is not declared is
/// counted while it comes.
fn check_size(
    body: BodyRule,
    headers: &HeaderMap,
    declared: Declared,
    limits: &Limits,
) -> Result<(), Problem> {
    let json = media_type(headers).as_deref() == Some(JSON);
    let fits = match body {
        BodyRule::Nothing => declared == Declared::Nothing,
        BodyRule::JsonOrDocument if json => declared.fits(limits.json_bytes),
        BodyRule::Json => declared.fits(limits.json_bytes),
        BodyRule::Document | BodyRule::JsonOrDocument => declared.fits(limits.document_bytes),
    };
    if fits { Ok(()) } else { Err(Problem::new(ErrorCode::RequestTooLarge).abandoning_the_body()) }
}

async fn pairing(shared: &Shared, headers: &HeaderMap, client: &Client) -> Result<Pairing, Problem> {
    let required = || Problem::new(ErrorCode::PairingRequired);
    let mut fields = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(only), None) = (fields.next(), fields.next()) else { return Err(required()) };
    let (scheme, token) = only.to_str().ok().and_then(|text| text.split_once(' ')).ok_or_else(required)?;
    if !scheme.eq_ignore_ascii_case("Bearer") {
        return Err(required());
    }
    let (token, binding) = (token.trim().to_owned(), client.binding());
    let found = shared.with_pairings(move |pairings, now| pairings.find(&token, &binding, now)).await?;
    found.ok_or_else(required)
}

/// Fields that every answer has: nothing of it is stored or taken for something else.
fn sealed(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// The media type of JSON.
pub(super) const JSON: &str = "application/json";
/// The media type of documents.
pub(super) const PDF: &str = "application/pdf";

#[cfg(test)]
mod tests;
