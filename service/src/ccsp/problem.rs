//! Errors as answers: problem details (RFC 9457), one HTTP status for every code.

use std::fmt::Write as _;

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use signer_core::error::{ErrorCode, Remedy};

use crate::{
    ccsp::{Shared, dto, id::RequestId},
    text::Language,
};

/// The media type of an error's body.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Why a request is not served. As a response it is still without words: the guard, which knows
/// the language and the request's number, completes it ([`finish`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Problem {
    code: ErrorCode,
    /// Where in the request something is wrong, in words of ours.
    detail: Option<String>,
    /// After how many seconds another try may help.
    retry_after: Option<u32>,
    /// `Allow`, of a method that is not allowed.
    allow: Option<String>,
    /// Whether the rest of the body may still be on its way.
    rest: RestOfBody,
}

/// Whether a request was read to its end when it was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RestOfBody {
    Abandoned,
    Read,
}

impl Problem {
    /// A problem of which nothing more than the code is told.
    pub(super) const fn new(code: ErrorCode) -> Self {
        let retry_after = if matches!(code, ErrorCode::SignaturePending | ErrorCode::TooManyRequests) {
            Some(1)
        } else if matches!(code, ErrorCode::ApprovalBusy) {
            // A person answers, or leaves it.
            Some(5)
        } else {
            None
        };
        Self { code, detail: None, retry_after, allow: None, rest: RestOfBody::Read }
    }

    /// What exactly does not fit, in words of ours.
    pub(super) fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The methods that the resource has.
    pub(super) fn allowing(mut self, methods: String) -> Self {
        self.allow = Some(methods);
        self
    }

    /// The body was not read to its end: the connection cannot be used again.
    pub(super) const fn abandoning_the_body(mut self) -> Self {
        self.rest = RestOfBody::Abandoned;
        self
    }

    /// The stable code.
    pub(super) const fn code(&self) -> ErrorCode {
        self.code
    }
}

impl From<ErrorCode> for Problem {
    fn from(code: ErrorCode) -> Self {
        Self::new(code)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status(self.code);
        response.extensions_mut().insert(self);
        response
    }
}

/// Says, where another program keeps the token, which that may be. For programs only: what runs on
/// this machine is no page's matter.
pub(super) async fn name_card_programs(mut response: Response, shared: &Shared) -> Response {
    let problem = response.extensions_mut().get_mut::<Problem>();
    let Some(problem) = problem.filter(|problem| problem.code == ErrorCode::TokenInUse) else {
        return response;
    };
    let programs = shared.credentials.card_programs().await;
    if !programs.is_empty() {
        problem.detail = Some(programs.join(", "));
    }
    response
}

/// Gives a response that is a [`Problem`] its words and fields; others stay as they are. What
/// the router itself refuses has no code yet and gets the one that fits.
pub(super) fn finish(mut response: Response, language: Language, request: RequestId) -> Response {
    let status = response.status();
    let problem = match response.extensions_mut().remove::<Problem>() {
        Some(problem) => problem,
        None if status.is_client_error() => Problem::new(ErrorCode::RequestMalformed),
        None if status.is_server_error() => Problem::new(ErrorCode::Internal),
        None => return response,
    };
    let mut response = problem.clone().into_response();
    response.extensions_mut().remove::<Problem>();
    let body = dto::Problem::new(problem.code, problem.detail, language, request);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, MEDIA_TYPE);
    headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(language.tag()));
    if let Some(seconds) = problem.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Some(allow) = problem.allow.and_then(|allow| HeaderValue::try_from(allow).ok()) {
        headers.insert(header::ALLOW, allow);
    }
    if problem.code == ErrorCode::PairingRequired {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if problem.rest == RestOfBody::Abandoned {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    *response.body_mut() = Body::from(serde_json::to_vec(&body).unwrap_or_default());
    response
}

/// The HTTP status (RFC 9110, 15) that goes with a code, always the same.
pub(super) const fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::RequestMalformed | ErrorCode::Usage => StatusCode::BAD_REQUEST,
        ErrorCode::PairingRequired => StatusCode::UNAUTHORIZED,
        ErrorCode::ApprovalDenied
        | ErrorCode::OriginRefused
        | ErrorCode::OtherLogin
        | ErrorCode::PasswordIncorrect
        | ErrorCode::PinIncorrect
        | ErrorCode::PinLastTry
        | ErrorCode::PinLocked
        | ErrorCode::PinUnusable
        | ErrorCode::SecretMissing => StatusCode::FORBIDDEN,
        ErrorCode::CredentialNotFound | ErrorCode::ResourceNotFound => StatusCode::NOT_FOUND,
        ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        ErrorCode::ApprovalCancelled
        | ErrorCode::CredentialAmbiguous
        | ErrorCode::FieldAlreadySigned
        | ErrorCode::FieldLocked
        | ErrorCode::ServiceRunning
        | ErrorCode::SignaturePending
        | ErrorCode::TokenAbsent
        | ErrorCode::TokenInUse
        | ErrorCode::TokenLoginEnded
        | ErrorCode::TokenRemoved => StatusCode::CONFLICT,
        ErrorCode::RequestTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::MediaTypeUnsupported => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::HostRefused => StatusCode::MISDIRECTED_REQUEST,
        ErrorCode::CertificationNotFirst
        | ErrorCode::ChainUntrusted
        | ErrorCode::CredentialExpired
        | ErrorCode::CredentialKeyMismatch
        | ErrorCode::CredentialNotForSigning
        | ErrorCode::CredentialNotYetValid
        | ErrorCode::CredentialUnreadable
        | ErrorCode::CredentialWeak
        | ErrorCode::DocumentAmbiguous
        | ErrorCode::DocumentChangesForbidden
        | ErrorCode::DocumentEncrypted
        | ErrorCode::DocumentLimitExceeded
        | ErrorCode::DocumentPasswordRequired
        | ErrorCode::DocumentPasswordWrong
        | ErrorCode::DocumentPermissionDenied
        | ErrorCode::DocumentUnreadable
        | ErrorCode::FieldNameUnusable
        | ErrorCode::FieldNotFound
        | ErrorCode::IdempotencyConflict
        | ErrorCode::PageNotFound
        | ErrorCode::SealOutsidePage
        | ErrorCode::SeedValueUnmet
        | ErrorCode::UnsupportedAlgorithm
        | ErrorCode::VisibleFieldForbidden => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::ApprovalBusy | ErrorCode::TooManyRequests => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::ConfigInvalid
        | ErrorCode::InputChanged
        | ErrorCode::InputUnreadable
        | ErrorCode::Internal
        | ErrorCode::OutputExists
        | ErrorCode::OutputUnwritable
        | ErrorCode::SignatureInvalid => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::ModuleArchitecture
        | ErrorCode::ModuleCrashed
        | ErrorCode::ModuleNotFound
        | ErrorCode::ModuleQuarantined
        | ErrorCode::ModuleUnusable
        | ErrorCode::ProtocolMismatch
        | ErrorCode::TokenFailed => StatusCode::BAD_GATEWAY,
        ErrorCode::AuditBroken
        | ErrorCode::AuditUnavailable
        | ErrorCode::KeystoreUnavailable
        | ErrorCode::PortUnavailable
        | ErrorCode::ServiceUnavailable
        | ErrorCode::TrayUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorCode::ApprovalExpired => StatusCode::GATEWAY_TIMEOUT,
        ErrorCode::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
    }
}

/// docs/ccsp/errors.md, whole.
pub fn document() -> String {
    let mut text = String::from(
        "# Errors of CCSP/1\n\n\
         Every error is answered as `application/problem+json` (RFC 9457) with `type`, `title`, `status`, `code`, \
         `remedy` and `requestId`, sometimes `detail`.\n\
         A code never changes its meaning or its status.\n\
         `title` comes in the language that `Accept-Language` asks for (pt, en, es); programs look at `code`, and at \
         `remedy`, which says in one word what the person can do.\n\
         What cannot be read as HTTP at all is answered with a bare 400, 414 or 431, or with the end of the connection.\n\n\
         | Code | Status | Meaning | Remedy | What to do |\n|---|---|---|---|---|\n",
    );
    for &code in ErrorCode::ALL {
        let words = Language::English;
        let remedy: Remedy = code.remedy();
        // Writing to a String does not fail.
        let _ = writeln!(
            text,
            "| `{code}` | {} | {} | `{}` | {} |",
            status(code).as_u16(),
            words.error(code),
            remedy.as_str(),
            words.remedy(remedy)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_is_an_errors() {
        for &code in ErrorCode::ALL {
            assert!(status(code).is_client_error() || status(code).is_server_error(), "{code}");
        }
    }

    #[test]
    fn a_problem_is_completed_once() {
        let response = Problem::new(ErrorCode::TooManyRequests).into_response();
        let response = finish(response, Language::English, RequestId::new());
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
        assert_eq!(response.headers()[header::RETRY_AFTER], "1");
        let untouched = finish(Response::new(Body::empty()), Language::English, RequestId::new());
        assert!(untouched.headers().is_empty());
    }
}
