//! The protocols between the processes of CyberCore Signer, in one page.
//!
//! - [`secret`]: PINs and passwords in memory; [`sealed`]: on their way to a token host
//! - [`frame`]: length-prefixed frames with limits
//! - [`token_host`]: the messages between the service and a token host
//! - [`message`]: the messages between the service and the tray or a terminal agent;
//!   [`summary`]: what the person is shown
//! - [`login`]: the local socket or pipe of a login, [`peer`]: who is at its other end,
//!   [`invitation`]: how the tray learns of it
//! - [`endpoint`]: the local socket or pipe that a child process inherits
//!
//! No decisions are made here; the sides convert to and from their own types.

pub mod endpoint;
pub mod frame;
pub mod invitation;
pub mod login;
pub mod message;
pub mod peer;
pub mod sealed;
pub mod secret;
pub mod summary;
pub mod token_host;
