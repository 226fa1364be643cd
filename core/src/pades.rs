//! PAdES baseline signatures (EN 319 142-1): the conductor of PDF, CMS, seal and trust.
//!
//! [`prepare`] makes a signature in three typed steps, [`verify`] judges the signatures of a
//! document. What stands between the steps (hashing the file, the private key) is the
//! caller's.

pub mod error;
pub mod prepare;
pub mod range_digests;
mod seed_value;
pub mod verdict;
pub mod verify;
