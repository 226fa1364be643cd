//! What clients send.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::ccsp::dto::{Digest, DigestName, Scope};

/// Asks to be let in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::ccsp) struct PairingRequest {
    /// For what. Never empty.
    #[schema(min_items = 1)]
    pub(in crate::ccsp) scopes: Vec<Scope>,
}

/// Asks for signatures: one approval for all items.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::ccsp) struct SignatureRequest {
    /// The certificate to sign with; the person chooses where none is named.
    pub(in crate::ccsp) certificate: Option<String>,
    /// What is made.
    pub(in crate::ccsp) format: Format,
    /// What is signed, in this order.
    #[schema(min_items = 1, max_items = 100)]
    pub(in crate::ccsp) items: Vec<Item>,
    /// How. Only for `pades`.
    pub(in crate::ccsp) options: Option<Options>,
}

/// The form of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ccsp) enum Format {
    /// PAdES in the document (EN 319 142).
    Pades,
    /// The bare signature value over a digest.
    Raw,
}

/// One thing to sign: an uploaded document or a digest.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::ccsp) struct Item {
    /// The name that the person is shown.
    #[schema(min_length = 1, max_length = 255)]
    pub(in crate::ccsp) name: String,
    /// An uploaded document, for `pades`. It is used up.
    pub(in crate::ccsp) document: Option<String>,
    /// A digest, for `raw`.
    pub(in crate::ccsp) digest: Option<Digest>,
}

/// How documents are signed.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(in crate::ccsp) struct Options {
    /// The level; only the basic one for now.
    pub(in crate::ccsp) level: Level,
    /// The digest; the one that goes with the key where none is named. Uploads are hashed with
    /// SHA-256 while they arrive: another digest costs one more reading of the document.
    pub(in crate::ccsp) digest_algorithm: Option<DigestName>,
    /// An empty signature field of the document to sign in.
    pub(in crate::ccsp) field: Option<String>,
    /// The name of the new field, where none is signed that exists.
    pub(in crate::ccsp) new_field: Option<String>,
    /// Whether the signature certifies the document, and what may be done to it afterwards. The person
    /// is shown this. Only the first signature of a document can.
    pub(in crate::ccsp) certify: Certify,
    /// Whether a seal is drawn. Where nothing is said, the usual one, unless an earlier signature
    /// permits no new field that is seen.
    pub(in crate::ccsp) seal: Option<Seal>,
    /// The page of the seal: from 1, or counted from the end from -1. The last one where none is named.
    pub(in crate::ccsp) seal_page: Option<i32>,
    /// The place of the seal on the page as the reader sees it: `top-left`, `top`, `top-right`,
    /// `left`, `center`, `right`, `bottom-left`, `bottom` or `bottom-right`, with the distance from
    /// the edges as in `bottom-right 10mm`; or the distances of its left and top edges from those of
    /// the page as in `20mm,30mm`, with width and height as in `20mm,30mm,67mm,25mm`. Units are `mm`,
    /// `cm`, `in` and `pt`. `bottom-right` where nothing is said.
    #[schema(max_length = 100)]
    pub(in crate::ccsp) seal_at: Option<String>,
    /// The width and height of the seal, as in `67mm,25mm`.
    #[schema(max_length = 100)]
    pub(in crate::ccsp) seal_size: Option<String>,
    /// The reason, shown to the person and written in the signature.
    #[schema(max_length = 255)]
    pub(in crate::ccsp) reason: Option<String>,
    /// The place, written in the signature.
    #[schema(max_length = 255)]
    pub(in crate::ccsp) location: Option<String>,
}

/// The level of a PAdES signature (EN 319 142-1, 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ccsp) enum Level {
    /// B-B.
    #[default]
    #[serde(rename = "b-b")]
    BB,
}

/// What may be done to a document after its signature (ISO 32000-2, 12.8.2.2). `no-changes`: nothing
/// (P 1). `form-filling`: forms may be filled in and signed (P 2). `annotations`: the same, and
/// annotations may be made (P 3). `iti-reference`: as `form-filling`, in the form that ITI recommends
/// for VALIDAR, the DocMDP reference in the signature without `/Perms` in the catalog; not every reader
/// calls that a certification. `none`: the signature is an approval and says nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ccsp) enum Certify {
    /// As form-filling, and annotations may be made (P 3).
    Annotations,
    /// Forms may be filled in and signed (P 2).
    FormFilling,
    /// As form-filling, in the form that ITI recommends for VALIDAR: the reference in the signature,
    /// without `/Perms` in the catalog. Not every reader calls that a certification.
    ItiReference,
    /// Nothing (P 1).
    NoChanges,
    /// The signature says nothing of it: an approval.
    #[default]
    None,
}

/// The visible mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ccsp) enum Seal {
    /// The usual one.
    Default,
    /// None.
    None,
}

/// The one-call form: what the query says of the document in the body.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::ccsp) struct OneCall {
    /// The name that the person is shown.
    pub(in crate::ccsp) name: Option<String>,
    /// The certificate to sign with; the person chooses where none is named.
    pub(in crate::ccsp) certificate: Option<String>,
    /// An empty signature field of the document to sign in.
    pub(in crate::ccsp) field: Option<String>,
    /// Whether the signature certifies the document, and what may be done to it afterwards.
    #[serde(default)]
    #[param(inline)]
    pub(in crate::ccsp) certify: Certify,
    /// Whether a seal is drawn. Where nothing is said, the usual one, unless an earlier signature
    /// permits no new field that is seen.
    #[param(inline)]
    pub(in crate::ccsp) seal: Option<Seal>,
    /// The page of the seal: from 1, or counted from the end from -1. The last one where none is named.
    pub(in crate::ccsp) seal_page: Option<i32>,
    /// The place of the seal, as in the options of a signature.
    pub(in crate::ccsp) seal_at: Option<String>,
    /// The width and height of the seal, as in `67mm,25mm`.
    pub(in crate::ccsp) seal_size: Option<String>,
    /// The reason, shown to the person and written in the signature.
    pub(in crate::ccsp) reason: Option<String>,
    /// The place, written in the signature.
    pub(in crate::ccsp) location: Option<String>,
}
