//! CMS (RFC 5652) and certificates (RFC 5280) as values: the only place that names the ASN.1
//! crates.
//!
//! Reading keeps raw bytes: what was signed is verified as it stands, never re-encoded.
//! Whether a certificate is to be believed is decided in [`crate::trust`].

mod ber;
pub mod certificate;
pub(crate) mod element;
pub mod error;
pub(crate) mod extension;
mod public_key;
mod scheme;
pub mod signed_data;
mod text;
