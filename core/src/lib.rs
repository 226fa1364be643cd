//! The pure heart of CyberCore Signer: PDF, CMS, PAdES, seal and trust as values.
//!
//! No files, sockets, clocks, threads, environment or randomness: bytes come through
//! [`pdf::source::Source`], time and randomness are arguments, and what core needs from
//! outside goes out as data. Modules stand in layers, lowest first; each uses only layers
//! below its own (`tests/architecture.rs` holds them to it):
//!
//! 1. [`error`]: the closed list of stable codes; [`json`]: JSON that is hashed
//! 2. [`digest`]: message digests
//! 3. [`algorithm`]: signature algorithms
//! 4. [`pdf`] and [`cms`]: the two formats, neither knows the other
//! 5. [`credential`], [`seal`] and [`trust`]
//! 6. [`pades`]: the conductor
//! 7. [`audit`]: what is written down of it
//! 8. [`approval`]: the decision of the person

#![forbid(unsafe_code)]
#![forbid(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod algorithm;
pub mod approval;
pub mod audit;
pub mod cms;
pub mod credential;
pub mod digest;
pub mod error;
pub mod json;
pub mod moment;
pub mod pades;
pub mod pdf;
pub mod seal;
pub mod trust;
