//! The JSON of CCSP/1, as programs see it. Unknown members of a request are refused.

mod answer;
mod request;

pub(super) use answer::*;
pub(super) use request::*;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize};
use signer_core::{
    approval::summary,
    digest::{self, DigestAlgorithm},
    error::ErrorCode,
    moment::Moment,
};
use utoipa::ToSchema;

use crate::{
    ccsp::{id::RequestId, problem},
    text::Language,
};

/// A problem (RFC 9457).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Problem {
    /// The code as a URI.
    #[schema(example = "urn:ccsp:error:approval-denied")]
    r#type: String,
    /// What happened, in the language of the answer.
    title: String,
    /// The HTTP status.
    status: u16,
    /// The stable code; the list is in errors.md.
    #[schema(example = "approval-denied")]
    code: String,
    /// What exactly does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// What the person can do: one word of a closed list; its sentences are in errors.md.
    #[schema(example = "insert-token")]
    remedy: &'static str,
    /// The number of this request in the service's log.
    request_id: String,
}

impl Problem {
    pub(super) fn new(
        code: ErrorCode,
        detail: Option<String>,
        language: Language,
        request: RequestId,
    ) -> Self {
        Self {
            r#type: format!("urn:ccsp:error:{code}"),
            title: language.error(code).to_owned(),
            status: problem::status(code).as_u16(),
            code: code.to_string(),
            detail,
            remedy: code.remedy().as_str(),
            request_id: request.to_string(),
        }
    }
}

/// A PDF document, as it is: for the contract alone.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "documents are streamed and never stand in memory")]
pub(super) struct Pdf(Vec<u8>);

/// What a paired client may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Scope {
    /// See the certificates.
    Certificates,
    /// Ask for signatures.
    Sign,
}

/// A digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Digest {
    /// With which algorithm it was made.
    pub(super) algorithm: DigestName,
    /// Its value in base64.
    #[schema(format = "byte")]
    pub(super) value: String,
}

/// A digest algorithm. MD5 and SHA-1 are not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(super) enum DigestName {
    /// SHA-256.
    #[serde(rename = "SHA-256")]
    Sha256,
    /// SHA-384.
    #[serde(rename = "SHA-384")]
    Sha384,
    /// SHA-512.
    #[serde(rename = "SHA-512")]
    Sha512,
}

impl From<Scope> for summary::Scope {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Certificates => Self::Certificates,
            Scope::Sign => Self::Sign,
        }
    }
}

impl From<summary::Scope> for Scope {
    fn from(scope: summary::Scope) -> Self {
        match scope {
            summary::Scope::Certificates => Self::Certificates,
            summary::Scope::Sign => Self::Sign,
        }
    }
}

impl DigestName {
    pub(super) const fn algorithm(self) -> DigestAlgorithm {
        match self {
            Self::Sha256 => DigestAlgorithm::Sha256,
            Self::Sha384 => DigestAlgorithm::Sha384,
            Self::Sha512 => DigestAlgorithm::Sha512,
        }
    }
}

impl Digest {
    /// The digest that is meant; `None` where the value is not of its length.
    pub(super) fn parse(&self) -> Option<digest::Digest> {
        digest::Digest::new(self.algorithm.algorithm(), base64_decoded(&self.value)?)
    }

    /// `None` for SHA-1, which never leaves.
    pub(super) fn of(digest: &digest::Digest) -> Option<Self> {
        let algorithm = match digest.algorithm() {
            DigestAlgorithm::Sha1 => return None,
            DigestAlgorithm::Sha256 => DigestName::Sha256,
            DigestAlgorithm::Sha384 => DigestName::Sha384,
            DigestAlgorithm::Sha512 => DigestName::Sha512,
        };
        Some(Self { algorithm, value: base64(digest.as_bytes()) })
    }
}

/// Bytes as JSON carries them.
pub(super) fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

fn base64_decoded(text: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(text).ok()
}

/// A time of a certificate or pairing, in UTC. Those before 1970 and after 9999 are not told.
pub(super) fn time(unix_seconds: i64) -> Option<String> {
    Moment::new(unix_seconds, 0).map(Moment::to_rfc3339)
}
