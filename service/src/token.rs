//! Credentials, reached only through a token host: a child process that opens exactly one A1
//! file or one PKCS#11 module, and the only place where a private key is ever in memory.

pub mod architecture;
pub mod client;
pub mod error;
pub mod host;
pub mod modules;
mod platform;
pub mod reader;

/// The hidden sub-command that makes this program a token host.
pub const HOST_COMMAND: &str = "token-host";

/// Closes this process against others, before a PIN or password passes through it: not dumpable,
/// no core file.
///
/// # Errors
/// What the operating system says.
pub fn conceal_process() -> std::io::Result<()> {
    platform::conceal()
}
