//! The PDF as revisions (ISO 32000): read lazily, changed only by appending.
//!
//! Modules, lowest first: [`source`] (positioned reads), [`limits`] (budgets for hostile
//! files), [`object`] (values, parsed by `lexer` and `parser`, and written), `reader`
//! (windows, streams through `filter` and `predictor`), `xref` and `object_stream` (where
//! objects are), [`crypt`] (encrypted documents), `recover` (damaged files), [`document`] (catalog and objects), [`page`],
//! [`field`] and [`signature`] (the form), [`byte_range`] (what a signature covers),
//! `permission` (what earlier signatures allow), [`later`] (what was appended after one), [`update`] and [`revision`] (one
//! incremental update, appended).

pub mod byte_range;
pub mod crypt;
pub mod document;
pub mod error;
pub mod field;
mod filter;
pub mod geometry;
pub mod later;
mod lexer;
pub mod limits;
pub mod object;
mod object_stream;
pub mod page;
mod parser;
mod permission;
mod predictor;
mod reader;
mod recover;
pub mod revision;
#[cfg(test)]
mod sample;
pub mod signature;
pub mod source;
mod text;
pub mod update;
mod xref;
