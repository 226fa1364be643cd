//! The service, the token host and the command line of CyberCore Signer.
//!
//! - [`mod@file`]: reads, copies and writes the person's files
//! - [`token`]: credentials, reached only through a token host process
//! - [`serve`]: the service of a login, by its [`config`] and in its [`dirs`]
//! - [`approvals`]: asks the person through [`agents`] and the [`tray`]; [`audit`]: writes it down
//! - [`credentials`]: what can sign here
//! - [`ports`]: what the HTTP interface needs from the rest
//! - [`sign`] and [`validate`]: the two jobs, from file to file
//! - [`mod@ccsp`]: the HTTP interface
//! - [`cli`]: the command line; [`text`]: what it says
//! - [`clock`]: the machine's time and zone, as values for core

pub mod agents;
pub mod approvals;
pub mod audit;
pub mod ccsp;
pub mod cli;
pub mod clock;
pub mod config;
pub mod credentials;
pub mod dirs;
pub mod file;
pub mod ports;
pub mod serve;
pub mod sign;
pub mod text;
pub mod token;
pub mod tray;
pub mod validate;
