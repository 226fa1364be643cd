//! Which resources there are, and what a request must bring before anything of it is read.

use axum::http::Method;
use signer_core::approval::summary::Scope;

/// One method of one resource.
#[derive(Debug)]
pub(super) struct Rule {
    /// The path as the router writes it.
    pub(super) path: &'static str,
    /// The method.
    pub(super) verb: Verb,
    /// The body that it takes.
    pub(super) body: BodyRule,
    /// Who may use it.
    pub(super) access: Access,
}

/// A method. There are no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// DELETE.
    Delete,
    /// GET.
    Get,
    /// POST.
    Post,
}

/// The body that a method takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyRule {
    /// A document.
    Document,
    /// JSON.
    Json,
    /// JSON, or a document in the one-call form.
    JsonOrDocument,
    /// None.
    Nothing,
}

/// Who may use a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// Whoever passes the first three rules of the guard.
    Anybody,
    /// Who was let in.
    Paired,
    /// Who was let in for this.
    Permitted(Scope),
}

/// The health check.
pub(super) const STATUS: &str = "/ccsp/v1/status";
/// The contract.
pub(super) const OPENAPI: &str = "/ccsp/v1/openapi.json";
/// Asking to be let in.
pub(super) const PAIRINGS: &str = "/ccsp/v1/pairings";
/// The pairing of the token that is sent.
pub(super) const CURRENT_PAIRING: &str = "/ccsp/v1/pairings/current";
/// The certificates.
pub(super) const CERTIFICATES: &str = "/ccsp/v1/certificates";
/// One that the person chooses.
pub(super) const SELECTION: &str = "/ccsp/v1/certificates/selection";
/// One certificate.
pub(super) const CERTIFICATE: &str = "/ccsp/v1/certificates/{id}";
/// Uploads.
pub(super) const DOCUMENTS: &str = "/ccsp/v1/documents";
/// One uploaded document.
pub(super) const DOCUMENT: &str = "/ccsp/v1/documents/{id}";
/// Requests for signatures.
pub(super) const SIGNATURES: &str = "/ccsp/v1/signatures";
/// One request for signatures.
pub(super) const SIGNATURE: &str = "/ccsp/v1/signatures/{id}";
/// What was signed.
pub(super) const CONTENT: &str = "/ccsp/v1/signatures/{id}/items/{number}/content";

/// Every method of every resource.
pub(super) static RULES: &[Rule] = &[
    Rule { path: STATUS, verb: Verb::Get, body: BodyRule::Nothing, access: Access::Anybody },
    Rule { path: OPENAPI, verb: Verb::Get, body: BodyRule::Nothing, access: Access::Anybody },
    Rule { path: PAIRINGS, verb: Verb::Post, body: BodyRule::Json, access: Access::Anybody },
    Rule { path: CURRENT_PAIRING, verb: Verb::Get, body: BodyRule::Nothing, access: Access::Paired },
    Rule { path: CURRENT_PAIRING, verb: Verb::Delete, body: BodyRule::Nothing, access: Access::Paired },
    Rule {
        path: CERTIFICATES,
        verb: Verb::Get,
        body: BodyRule::Nothing,
        access: Access::Permitted(Scope::Certificates),
    },
    Rule { path: SELECTION, verb: Verb::Post, body: BodyRule::Nothing, access: Access::Paired },
    Rule {
        path: CERTIFICATE,
        verb: Verb::Get,
        body: BodyRule::Nothing,
        access: Access::Permitted(Scope::Certificates),
    },
    Rule {
        path: DOCUMENTS,
        verb: Verb::Post,
        body: BodyRule::Document,
        access: Access::Permitted(Scope::Sign),
    },
    Rule { path: DOCUMENT, verb: Verb::Get, body: BodyRule::Nothing, access: Access::Permitted(Scope::Sign) },
    Rule {
        path: DOCUMENT,
        verb: Verb::Delete,
        body: BodyRule::Nothing,
        access: Access::Permitted(Scope::Sign),
    },
    Rule {
        path: SIGNATURES,
        verb: Verb::Post,
        body: BodyRule::JsonOrDocument,
        access: Access::Permitted(Scope::Sign),
    },
    Rule {
        path: SIGNATURE,
        verb: Verb::Get,
        body: BodyRule::Nothing,
        access: Access::Permitted(Scope::Sign),
    },
    Rule {
        path: SIGNATURE,
        verb: Verb::Delete,
        body: BodyRule::Nothing,
        access: Access::Permitted(Scope::Sign),
    },
    Rule { path: CONTENT, verb: Verb::Get, body: BodyRule::Nothing, access: Access::Permitted(Scope::Sign) },
];

impl Verb {
    /// The method as HTTP writes it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "DELETE",
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }

    /// `None` for all other methods.
    pub(super) fn of(method: &Method) -> Option<Self> {
        [Self::Delete, Self::Get, Self::Post].into_iter().find(|verb| verb.as_str() == method.as_str())
    }
}

/// The methods of a resource, as `Allow` lists them; empty where there is no such resource.
pub(super) fn methods(path: &str) -> String {
    let verbs = RULES.iter().filter(|rule| rule.path == path).map(|rule| rule.verb.as_str());
    verbs.collect::<Vec<_>>().join(", ")
}
