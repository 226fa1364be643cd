//! Bodies: read at the pace they must come, within their limit; written as JSON.

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use http_body_util::BodyExt as _;
use serde::{Serialize, de::DeserializeOwned};
use signer_core::error::ErrorCode;
use tokio::time::{Instant, timeout_at};

use crate::ccsp::{guard::JSON, limits::Limits, problem::Problem};

/// An answer in JSON.
pub(super) struct Json<T>(pub(super) T);

/// A body that is still coming.
pub(super) struct Arriving<'a> {
    body: Body,
    limits: &'a Limits,
    limit: u64,
    started: Instant,
    received: u64,
}

impl<'a> Arriving<'a> {
    /// Reads `body` up to `limit` bytes.
    pub(super) fn new(body: Body, limit: u64, limits: &'a Limits) -> Self {
        Self { body, limits, limit, started: Instant::now(), received: 0 }
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// `request-too-large`, `request-timeout` where it stands still or creeps, or
    /// `request-malformed` where it breaks off or its framing is wrong.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        let refused = |code| Problem::new(code).abandoning_the_body();
        loop {
            let frame = timeout_at(self.deadline(), self.body.frame()).await;
            let frame = match frame.map_err(|_| refused(ErrorCode::RequestTimeout))? {
                None => return Ok(None),
                Some(frame) => frame.map_err(|_| refused(ErrorCode::RequestMalformed))?,
            };
            // Trailers mean nothing here.
            let Ok(piece) = frame.into_data() else { continue };
            self.received = self.received.saturating_add(piece.len() as u64);
            if self.received > self.limit {
                return Err(refused(ErrorCode::RequestTooLarge));
            }
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
    }

    /// When the next piece must be there: soon after the last one, and not later than the
    /// average pace permits.
    fn deadline(&self) -> Instant {
        let pace = self.started + self.limits.time_for(self.received);
        pace.min(Instant::now() + self.limits.body_pause)
    }
}

/// Reads a whole body as JSON.
///
/// # Errors
/// As [`Arriving::next`], and `request-malformed` where it is not what is expected.
pub(super) async fn json<T: DeserializeOwned>(body: Body, limits: &Limits) -> Result<T, Problem> {
    parse(&whole(body, limits).await?)
}

/// Reads a whole body of JSON as bytes.
///
/// # Errors
/// As [`Arriving::next`].
pub(super) async fn whole(body: Body, limits: &Limits) -> Result<Vec<u8>, Problem> {
    let mut arriving = Arriving::new(body, limits.json_bytes, limits);
    let mut bytes = Vec::new();
    while let Some(piece) = arriving.next().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Reads JSON.
///
/// # Errors
/// `request-malformed` where it is not what is expected. The place is told, the library's words
/// are not.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        let what = match error.classify() {
            serde_json::error::Category::Data => "a member is unknown, missing or of another type",
            serde_json::error::Category::Eof => "the JSON ends too early",
            serde_json::error::Category::Io | serde_json::error::Category::Syntax => "this is not JSON",
        };
        let detail = format!("line {}, column {}: {what}", error.line(), error.column());
        Problem::new(ErrorCode::RequestMalformed).with_detail(detail)
    })
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => {
                ([(header::CONTENT_TYPE, HeaderValue::from_static(JSON))], Body::from(bytes)).into_response()
            }
            Err(_) => Problem::new(ErrorCode::Internal).into_response(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::stream;

    use super::*;
    use crate::ccsp::dto;

    fn limits() -> Limits {
        Limits {
            json_bytes: 64,
            body_pause: Duration::from_millis(50),
            body_grace: Duration::from_millis(50),
            ..Limits::default()
        }
    }

    fn read(body: Body) -> Result<Vec<u8>, ErrorCode> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(whole(body, &limits())).map_err(|problem| problem.code())
    }

    #[test]
    fn bodies_are_held_to_their_limit_and_pace() {
        let pieces = |pieces: &[&'static str]| {
            let pieces: Vec<_> = pieces.iter().map(|piece| Ok::<_, std::io::Error>(*piece)).collect();
            Body::from_stream(stream::iter(pieces))
        };
        assert_eq!(read(pieces(&["ab", "", "c"])).unwrap(), b"abc");
        assert_eq!(read(Body::from(vec![0; 64])).unwrap().len(), 64);
        assert_eq!(read(Body::from(vec![0; 65])), Err(ErrorCode::RequestTooLarge));
        assert_eq!(
            read(Body::from_stream(stream::pending::<Result<&str, std::io::Error>>())),
            Err(ErrorCode::RequestTimeout)
        );
        let broken = stream::iter([Ok("ab"), Err(std::io::Error::other("gone"))]);
        assert_eq!(read(Body::from_stream(broken)), Err(ErrorCode::RequestMalformed));
    }

    #[test]
    fn a_body_that_creeps_is_ended() {
        let drops = stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(10)).await;
            Some((Ok::<_, std::io::Error>("x"), ()))
        });
        assert_eq!(read(Body::from_stream(drops)), Err(ErrorCode::RequestTimeout));
    }

    #[test]
    fn unknown_members_and_wrong_types_are_refused() {
        let check = |text: &str| parse::<dto::PairingRequest>(text.as_bytes()).is_ok();
        assert!(check(r#"{"scopes":["sign","certificates"]}"#));
        for text in [
            "",
            "{}",
            "[]",
            r#"{"scopes":["sign"],"pin":"1234"}"#,
            r#"{"scopes":["everything"]}"#,
            r#"{"scopes":"sign"}"#,
            r#"{"scopes":["sign"]} x"#,
            r#"{"scopes":["sign"],"scopes":["sign"]}"#,
        ] {
            assert!(!check(text), "{text}");
        }
    }
}
