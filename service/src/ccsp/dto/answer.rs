//! What the service answers.

use serde::Serialize;
use utoipa::ToSchema;

use crate::ccsp::dto::{Digest, Scope};

/// Whether the service is there and what it speaks. No personal data.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Status {
    /// The product.
    pub(in crate::ccsp) product: &'static str,
    /// Its version.
    pub(in crate::ccsp) version: &'static str,
    /// The versions of this protocol that it speaks.
    pub(in crate::ccsp) protocols: Vec<&'static str>,
    /// Whether requests are served.
    pub(in crate::ccsp) ready: bool,
    /// Whether the person could be asked now.
    pub(in crate::ccsp) can_ask: bool,
}

/// A pairing that was just given. The token is told this once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct PairingGranted {
    /// What `Authorization: Bearer` carries from now on.
    pub(in crate::ccsp) token: String,
    #[serde(flatten)]
    pub(in crate::ccsp) pairing: Pairing,
}

/// A pairing.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Pairing {
    /// The origin, or the path of the program where it is known.
    pub(in crate::ccsp) client: Option<String>,
    /// What it permits.
    pub(in crate::ccsp) scopes: Vec<Scope>,
    /// Since when.
    pub(in crate::ccsp) created_at: Option<String>,
    /// Until when.
    pub(in crate::ccsp) expires_at: Option<String>,
}

/// The certificates of the person.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Certificates {
    /// All of them; expired ones are marked, not hidden.
    pub(in crate::ccsp) certificates: Vec<Certificate>,
}

/// A certificate that signs, or did.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Certificate {
    /// What requests call it.
    pub(in crate::ccsp) id: String,
    /// The holder.
    pub(in crate::ccsp) holder: Holder,
    /// The issuer's common name.
    pub(in crate::ccsp) issuer: String,
    /// When its validity begins.
    pub(in crate::ccsp) not_before: Option<String>,
    /// The last second of its validity.
    pub(in crate::ccsp) not_after: Option<String>,
    /// Where its key is: `a1` in a file, `a3` on a card or token.
    pub(in crate::ccsp) kind: CertificateKind,
    /// Whether it can sign now.
    pub(in crate::ccsp) state: CertificateState,
    /// What it can make.
    pub(in crate::ccsp) algorithms: Vec<&'static str>,
}

/// A certificate with its issuers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct CertificateWithChain {
    #[serde(flatten)]
    pub(in crate::ccsp) certificate: Certificate,
    /// The certificate and its issuers in order, each DER in base64.
    pub(in crate::ccsp) chain: Vec<String>,
}

/// The holder of a certificate.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Holder {
    /// The name.
    pub(in crate::ccsp) name: String,
    /// The CPF or CNPJ, masked.
    #[schema(example = "***.456.789-**")]
    pub(in crate::ccsp) identifier: Option<String>,
}

/// Where a key is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ccsp) enum CertificateKind {
    /// In a file.
    A1,
    /// On a card or token.
    A3,
}

/// Whether a certificate can sign.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ccsp) enum CertificateState {
    /// Its validity has ended.
    Expired,
    /// It does not permit signatures.
    NotForSigning,
    /// Its validity has not begun.
    NotYetValid,
    /// Its token is not there.
    TokenAbsent,
    /// It can.
    Valid,
}

/// An uploaded document.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Document {
    /// What requests call it.
    pub(in crate::ccsp) id: String,
    /// In bytes.
    pub(in crate::ccsp) size: u64,
    /// The SHA-256 of all bytes.
    pub(in crate::ccsp) digest: Option<Digest>,
    /// How many pages it has.
    pub(in crate::ccsp) pages: u32,
    /// The size of each page as the reader sees it, in points; of the first 256 pages.
    pub(in crate::ccsp) page_sizes: Vec<PageSize>,
    /// Its signature fields.
    pub(in crate::ccsp) fields: Vec<Field>,
    /// Its signatures. None of them is judged.
    pub(in crate::ccsp) signatures: Vec<DocumentSignature>,
}

/// The size of a page as the reader sees it, rotation and unit applied.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
pub(in crate::ccsp) struct PageSize {
    /// In points.
    pub(in crate::ccsp) width: f64,
    /// In points.
    pub(in crate::ccsp) height: f64,
}

/// A signature field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(in crate::ccsp) struct Field {
    /// Its fully qualified name.
    pub(in crate::ccsp) name: String,
    /// Whether it is signed.
    pub(in crate::ccsp) signed: bool,
}

/// A signature in a document, as it describes itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct DocumentSignature {
    /// The field it is in.
    pub(in crate::ccsp) field: String,
    /// Its form, `/SubFilter`.
    pub(in crate::ccsp) sub_filter: Option<String>,
    /// The time that the signer claims, as it stands in the file.
    pub(in crate::ccsp) claimed_time: Option<String>,
}

/// How a request for signatures stands.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Signatures {
    /// What the request is called.
    pub(in crate::ccsp) id: String,
    /// How it stands.
    pub(in crate::ccsp) state: SignaturesState,
    /// Why it ended so, where nothing was signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::ccsp) error: Option<Failure>,
    /// The certificate, once it is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::ccsp) certificate: Option<CertificateWithChain>,
    /// Every item, in the order of the request.
    pub(in crate::ccsp) items: Vec<SignedItem>,
}

/// How a request for signatures stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ccsp) enum SignaturesState {
    /// Withdrawn, or the service stopped.
    Cancelled,
    /// Every item was tried; each says how it went.
    Completed,
    /// The person said no.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// It failed.
    Failed,
    /// The person is looking at it.
    Presented,
    /// The person said yes, and the key works.
    Signing,
    /// The person does not see it yet.
    Waiting,
}

/// A code with its words.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Failure {
    /// The stable code.
    pub(in crate::ccsp) code: String,
    /// What happened.
    pub(in crate::ccsp) title: String,
    /// What the person can do, as in a problem.
    #[schema(example = "insert-token")]
    pub(in crate::ccsp) remedy: &'static str,
    /// What the field of the document asks for, where that is not met.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "the field asks for SHA512 in /DigestMethod")]
    pub(in crate::ccsp) detail: Option<String>,
}

/// One item of a request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct SignedItem {
    /// The name that the person was shown.
    pub(in crate::ccsp) name: String,
    /// How it stands.
    pub(in crate::ccsp) state: ItemState,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::ccsp) error: Option<Failure>,
    /// Where the signed document is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::ccsp) content: Option<String>,
    /// The length of the signed document in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::ccsp) size: Option<u64>,
    /// The field that holds the signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::ccsp) field: Option<String>,
    /// What the field would like, and the signature has not: entries of its seed value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, example = json!(["TimeStamp"]))]
    pub(in crate::ccsp) ignored_seed_values: Vec<&'static str>,
    /// What may be done to the document after the signature, as the lock of the field says:
    /// `no-changes`, `form-filling` or `annotations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "no-changes")]
    pub(in crate::ccsp) lock: Option<&'static str>,
    /// The signature value of `raw`, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "byte")]
    pub(in crate::ccsp) value: Option<String>,
    /// How the value of `raw` was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::ccsp) algorithm: Option<&'static str>,
    /// What the person should know about the document, where there is something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::ccsp) warnings: Vec<Warning>,
}

/// Something about a document that did not keep it from being signed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::ccsp) struct Warning {
    /// The stable code.
    #[schema(example = "document-recovered")]
    pub(in crate::ccsp) code: &'static str,
    /// What it means.
    pub(in crate::ccsp) title: &'static str,
}

/// How an item stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub(in crate::ccsp) enum ItemState {
    /// It is not signed.
    Failed,
    /// Not yet.
    Pending,
    /// It is signed.
    Signed,
}
