//! The protocols between the processes of CyberCore Signer, in one page.
//!
//! - [`secret`]: PINs and passwords in memory
//! - [`frame`]: length-prefixed frames with limits
//! - [`token_host`]: the messages between the service and a token host
//! - [`endpoint`]: the local socket or pipe that a child process inherits
//!
//! No decisions are made here; the sides convert to and from their own types.

pub mod endpoint;
pub mod frame;
pub mod secret;
pub mod token_host;
