//! The contract: OpenAPI 3.1, made from the types and resources themselves.

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use utoipa::{
    Modify, OpenApi,
    openapi::security::{Http, HttpAuthScheme, SecurityScheme},
};

use crate::ccsp::{certificates, documents, dto, guard::JSON, pairings, signatures, status};

/// The contract as it is served. What makes it from the types is no part of the program.
const WRITTEN: &str = include_str!("../../../docs/ccsp/openapi.json");

#[derive(OpenApi)]
#[openapi(
    info(
        title = "CCSP/1: CyberCore Signing Protocol",
        description = "What pages and programs of this machine speak to CyberCore Signer on loopback, ports 29443 to 29446. Every signature is confirmed by the person in a native window. A PIN or password, a path, and a URL are never accepted.",
        license(name = "MIT OR Apache-2.0")
    ),
    servers((url = "http://127.0.0.1:29443")),
    paths(
        status::show, show,
        pairings::ask, pairings::show, pairings::end,
        certificates::list, certificates::show, certificates::select,
        documents::upload, documents::show, documents::forget,
        signatures::create, signatures::show, signatures::cancel, signatures::content,
    ),
    components(schemas(dto::Problem)),
    modifiers(&Pairing),
)]
struct Contract;

/// The bearer secret of a pairing.
struct Pairing;

impl Modify for Pairing {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let components = openapi.components.get_or_insert_default();
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        components.add_security_scheme("pairing", scheme);
    }
}

/// This contract.
#[utoipa::path(
    get, path = "/ccsp/v1/openapi.json", tag = "service", operation_id = "openapi",
    responses((status = 200, description = "The contract.", content_type = "application/json"))
)]
pub(super) async fn show() -> Response {
    ([(header::CONTENT_TYPE, HeaderValue::from_static(JSON))], Body::from(WRITTEN)).into_response()
}

/// The contract as JSON, made anew: what docs/ccsp/openapi.json holds and a test compares.
pub fn document() -> Option<String> {
    Contract::openapi().to_pretty_json().ok().map(|text| text + "\n")
}
