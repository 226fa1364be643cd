//! The PDF as revisions (ISO 32000): read lazily, changed only by appending.
//!
//! Modules, lowest first: [`source`] (positioned reads), [`limits`] (budgets for hostile
//! files), [`object`] (values, parsed and written), `xref` (where objects are), `filter`
//! (streams decoded), [`document`] (catalog, pages, AcroForm), [`field`] (signature
//! fields), [`byte_range`] (what a signature covers) and [`revision`] (one incremental
//! update, appended).

pub mod byte_range;
pub mod document;
pub mod error;
pub mod field;
pub mod geometry;
pub mod limits;
pub mod object;
pub mod page;
pub mod revision;
pub mod signature;
pub mod source;
pub mod update;
