//! The keystore of the operating system, which keeps a key of this program for the login: the
//! Secret Service, the Keychain, or DPAPI.
//!
//! Only a token host speaks to it, so that what it gives is where private keys are and nowhere
//! else. Every system has the constant `NAME` and the functions `new_key` and `key`.

#[cfg(unix)]
mod derived;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "macos")]
mod macos;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(target_os = "macos")]
use macos as system;
#[cfg(windows)]
use windows as system;

use signer_ipc::token_host::Failure;

use crate::token::host::stored::WrappingKey;

/// What a stored key calls the keystore that it is under.
pub(super) const NAME: &str = system::NAME;

/// A new key, and what is stored to get it again. May wait for the person, whom the system asks
/// to unlock the keystore.
pub(super) fn new_key() -> Result<(WrappingKey, Vec<u8>), Failure> {
    system::new_key()
}

/// The key of which `wrapped` is stored. May wait as [`new_key`].
pub(super) fn key(wrapped: &[u8]) -> Result<WrappingKey, Failure> {
    system::key(wrapped)
}

/// With the system's words, which name no secret.
fn unavailable(reason: impl ToString) -> Failure {
    Failure::KeystoreUnavailable { reason: reason.to_string() }
}
