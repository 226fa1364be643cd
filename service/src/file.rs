//! Files of the person: read by position, copied while they are hashed, written whole or not at all.

pub mod bounded;
pub mod copy;
pub mod destination;
pub mod overlay;
mod platform;
pub mod source;
