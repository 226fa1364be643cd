//! What each operating system offers to keep a token host apart.
//!
//! Every system has the constant `KEPT_VARIABLES` and the functions `conceal`, `harden`, `prepare`, `die`,
//! `end`, `path_to_bytes` and `path_from_bytes`.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod macos;
#[cfg(windows)]
mod windows;

use std::ffi::OsString;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(all(unix, not(target_os = "linux")))]
use macos as system;
#[cfg(windows)]
use windows as system;

pub(super) use system::{conceal, die, end, harden, path_from_bytes, path_to_bytes, prepare};

/// The part of this process's environment that a token host gets: what modules need to find
/// their configuration, the card service and the desktop. A name that ends in `*` stands for
/// every name that begins so.
pub(super) fn host_environment() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_kept))
}

fn is_kept(name: &str) -> bool {
    system::KEPT_VARIABLES.iter().any(|kept| match kept.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *kept,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn only_what_modules_need_is_kept() {
        for name in
            ["HOME", "SOFTHSM2_CONF", "OPENSC_CONF", "PCSCLITE_CSOCK_NAME", "LC_ALL", "XDG_RUNTIME_DIR"]
        {
            assert!(is_kept(name), "{name}");
        }
        for name in [
            "LD_PRELOAD",
            "LD_AUDIT",
            "PIN",
            "AWS_SECRET_ACCESS_KEY",
            "HOMEX",
            "OPENSC_DEBUG",
            "RUST_BACKTRACE",
        ] {
            assert!(!is_kept(name), "{name}");
        }
    }
}
