//! `/ccsp/v1/certificates`: what can sign, as far as the client may see it.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, State},
};
use signer_core::{algorithm::KeyKind, approval::summary::Storage, error::ErrorCode};

use crate::{
    ccsp::{
        Shared,
        asking::{self, Question},
        body::Json,
        dto,
        guard::Admitted,
        problem::Problem,
    },
    ports::{CredentialState, ListedCredential, RequestSubject},
};

/// All certificates; expired ones are marked, not hidden. Numbers of people are masked.
#[utoipa::path(
    get, path = "/ccsp/v1/certificates", tag = "certificates", operation_id = "certificates",
    security(("pairing" = ["certificates"])),
    responses((status = 200, description = "All of them.", body = dto::Certificates))
)]
pub(super) async fn list(State(shared): State<Arc<Shared>>) -> Json<dto::Certificates> {
    let listed = shared.credentials.list().await;
    Json(dto::Certificates { certificates: listed.iter().map(told).collect() })
}

/// One certificate with its chain.
#[utoipa::path(
    get, path = "/ccsp/v1/certificates/{id}", tag = "certificates", operation_id = "certificate",
    security(("pairing" = ["certificates"])),
    params(("id" = String, Path, description = "The certificate's id.")),
    responses(
        (status = 200, description = "The certificate and its issuers.", body = dto::CertificateWithChain),
        (status = 404, description = "There is none of this id.", body = dto::Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Json<dto::CertificateWithChain>, Problem> {
    let listed = shared.credentials.list().await;
    let found = listed.iter().find(|listed| listed.id.to_string() == id);
    found.map(|found| Json(with_chain(found))).ok_or(ErrorCode::CredentialNotFound.into())
}

/// The person chooses one in the native window; only that one is told. A connection that ends
/// before takes the question back.
#[utoipa::path(
    post, path = "/ccsp/v1/certificates/selection", tag = "certificates", operation_id = "select",
    security(("pairing" = [])),
    responses(
        (status = 200, description = "The one that was chosen.", body = dto::CertificateWithChain),
        (status = 403, description = "The person said no.", body = dto::Problem, content_type = "application/problem+json"),
    )
)]
pub(super) async fn select(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
) -> Result<Json<dto::CertificateWithChain>, Problem> {
    let ended = Question::ask(&shared, &admitted.client, RequestSubject::Selection)?.answered().await?;
    if let Some(code) = asking::refusal(&ended.outcome) {
        return Err(code.into());
    }
    let chosen = ended.certificate.as_ref().ok_or(ErrorCode::Internal)?;
    Ok(Json(with_chain(chosen)))
}

/// A credential as clients see it. Its place is the person's matter.
pub(super) fn told(listed: &ListedCredential) -> dto::Certificate {
    dto::Certificate {
        id: listed.id.to_string(),
        holder: dto::Holder {
            name: listed.holder.name.clone(),
            identifier: listed.holder.identifier.as_ref().map(|identifier| identifier.masked()),
        },
        issuer: listed.certificate.issuer_common_name().unwrap_or_default().to_owned(),
        not_before: dto::time(listed.certificate.not_before()),
        not_after: dto::time(listed.certificate.not_after()),
        kind: match listed.storage {
            Storage::A1 => dto::CertificateKind::A1,
            Storage::A3 => dto::CertificateKind::A3,
        },
        state: match listed.state {
            CredentialState::Expired => dto::CertificateState::Expired,
            CredentialState::NotForSigning => dto::CertificateState::NotForSigning,
            CredentialState::NotYetValid => dto::CertificateState::NotYetValid,
            CredentialState::TokenAbsent => dto::CertificateState::TokenAbsent,
            CredentialState::Valid => dto::CertificateState::Valid,
        },
        algorithms: match listed.certificate.key_kind() {
            KeyKind::Rsa { .. } => vec!["RSA-SHA-256", "RSA-SHA-384", "RSA-SHA-512"],
            KeyKind::P256 | KeyKind::P384 => vec!["ECDSA-SHA-256", "ECDSA-SHA-384", "ECDSA-SHA-512"],
            KeyKind::P521 | KeyKind::Ed25519 | KeyKind::Unsupported => Vec::new(),
        },
    }
}

/// As [`told`], with the certificates themselves.
pub(super) fn with_chain(listed: &ListedCredential) -> dto::CertificateWithChain {
    let own = std::iter::once(&listed.certificate);
    let chain = own.chain(&listed.chain).map(|certificate| dto::base64(certificate.to_der())).collect();
    dto::CertificateWithChain { certificate: told(listed), chain }
}
