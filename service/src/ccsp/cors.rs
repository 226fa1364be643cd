//! What browsers are told about who may read an answer (Fetch, CORS protocol).

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use signer_core::error::ErrorCode;

use crate::ccsp::{origin::Origin, problem::Problem, rule};

const ASKS_FOR_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const ALLOWS_PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");
/// What a page may send and must ask for.
const FIELDS: HeaderValue = HeaderValue::from_static("authorization, content-type, idempotency-key, prefer");
/// What a page may read beside the fields that it always may.
const EXPOSED: HeaderValue =
    HeaderValue::from_static("content-disposition, location, preference-applied, retry-after");
/// How long a browser may remember, in seconds.
const MEMORY: HeaderValue = HeaderValue::from_static("600");

/// Which page may read an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Grant {
    /// Any: only for what holds nothing of the person.
    Any,
    /// None.
    None,
    /// This one.
    Origin(HeaderValue),
}

/// The page that may read an answer to such a request: the one origin that it names, and any
/// for `status`.
pub(super) fn grant(path: &str, headers: &HeaderMap) -> Grant {
    if path == rule::STATUS {
        return Grant::Any;
    }
    only_origin(headers).map_or(Grant::None, |(value, _)| Grant::Origin(value.clone()))
}

/// Whether this is a question of a browser before the request itself.
pub(super) fn is_preflight(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN) && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a browser's question. Who may read it is added by the guard.
pub(super) fn preflight(path: &str, headers: &HeaderMap) -> Response {
    let Ok(methods) = HeaderValue::try_from(rule::methods(path)) else {
        return Problem::new(ErrorCode::Internal).into_response();
    };
    if methods.is_empty() {
        return Problem::new(ErrorCode::ResourceNotFound).into_response();
    }
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let answer = response.headers_mut();
    answer.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, FIELDS);
    answer.insert(header::ACCESS_CONTROL_MAX_AGE, MEMORY);
    let asked = headers.get(ASKS_FOR_PRIVATE_NETWORK).is_some_and(|value| value == "true");
    if asked && only_origin(headers).is_some() {
        answer.insert(ALLOWS_PRIVATE_NETWORK, HeaderValue::from_static("true"));
    }
    response
}

impl Grant {
    /// Writes it into an answer.
    pub(super) fn apply(self, headers: &mut HeaderMap) {
        let origin = match self {
            Self::Any => HeaderValue::from_static("*"),
            Self::None => {
                headers.append(header::VARY, HeaderValue::from_static("Origin"));
                return;
            }
            Self::Origin(origin) => {
                headers.append(header::VARY, HeaderValue::from_static("Origin"));
                origin
            }
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
}

fn only_origin(headers: &HeaderMap) -> Option<(&HeaderValue, Origin)> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let (Some(value), None) = (origins.next(), origins.next()) else { return None };
    Some((value, Origin::parse(value.to_str().ok()?)?))
}
