//! The PDF as revisions (ISO 32000): read lazily, changed only by appending.
//!
//! Modules, lowest first: [`source`] (positioned reads), [`limits`] (budgets for hostile
//! files), [`object`] (values, parsed by `lexer` and `parser`, and written), `reader`
//! (windows, streams through `filter` and `predictor`), `xref` and `object_stream` (where
//! objects are), [`crypt`] (encrypted documents), `recover` (damaged files), [`document`] (catalog and objects), [`page`],
//! [`field`] and [`signature`] (the form), [`byte_range`] (what a signature covers),
//! [`permission`] (what a signature allows after it), [`seed_value`] (what a field asks of its
//! signature), [`structure`] (tags and language), [`warning`] (what the person should know),
//! [`later`] (what was appended after one), [`update`] and [`revision`] (one incremental update,
//! appended).

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
pub mod permission;
mod places;
mod predictor;
mod reader;
mod recover;
pub mod revision;
#[cfg(test)]
mod sample;
pub mod seed_value;
pub mod signature;
pub mod source;
pub mod structure;
mod text;
pub mod update;
pub mod warning;
mod xref;
