//! What surrounds this program: a sandbox, the smart card service, tokens on the USB.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::token::{
    modules::known::{self, Product, UsbId},
    reader::ReaderError,
};

/// Where Linux lists the devices on the USB.
const USB_DEVICES: &str = "/sys/bus/usb/devices";
/// Where the service of pcsc-lite listens, if the environment does not say otherwise.
const SOCKET: &str = "/run/pcscd/pcscd.comm";
/// Where the program of that service is installed.
const SERVICES: &[&str] = &["/usr/sbin/pcscd", "/usr/bin/pcscd", "/usr/local/sbin/pcscd"];

/// What keeps this program apart from the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sandbox {
    /// Flatpak: the machine's modules and its card service are out of reach.
    Flatpak,
    /// Snap: likewise.
    Snap,
}

/// The state of the smart card service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CardService {
    /// PC/SC fails in another way.
    Failed(String),
    /// It is not installed.
    NotInstalled,
    /// It refuses this login.
    NotPermitted,
    /// It is installed and does not run.
    NotRunning,
    /// It answers.
    Running,
}

impl CardService {
    pub(super) fn of(error: &ReaderError) -> Self {
        match error {
            ReaderError::Failed(words) => Self::Failed(words.clone()),
            ReaderError::NotPermitted => Self::NotPermitted,
            ReaderError::ServiceAbsent => absent(&socket()),
        }
    }

    /// As programs see it.
    pub(super) const fn as_str(&self) -> &'static str {
        match self {
            Self::Failed(_) => "failed",
            Self::NotInstalled => "not-installed",
            Self::NotPermitted => "not-permitted",
            Self::NotRunning => "not-running",
            Self::Running => "running",
        }
    }
}

impl Sandbox {
    /// As programs see it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Flatpak => "flatpak",
            Self::Snap => "snap",
        }
    }
}

fn socket() -> PathBuf {
    std::env::var_os("PCSCLITE_CSOCK_NAME").map_or_else(|| SOCKET.into(), PathBuf::from)
}

/// Why nothing answers where the service listens.
fn absent(socket: &Path) -> CardService {
    if is_refused(socket) {
        return CardService::NotPermitted;
    }
    let installed = !cfg!(target_os = "linux") || SERVICES.iter().any(|program| Path::new(program).exists());
    if installed { CardService::NotRunning } else { CardService::NotInstalled }
}

/// Whether the socket is there for others only. The client library tells no such thing from an
/// absent service.
#[cfg(unix)]
fn is_refused(socket: &Path) -> bool {
    rustix::fs::access(socket, rustix::fs::Access::WRITE_OK) == Err(rustix::io::Errno::ACCESS)
}

#[cfg(not(unix))]
fn is_refused(_: &Path) -> bool {
    false
}

pub(super) fn sandbox() -> Option<Sandbox> {
    let is_set = |name| std::env::var_os(name).is_some();
    if Path::new("/.flatpak-info").exists() {
        Some(Sandbox::Flatpak)
    } else {
        (is_set("SNAP_NAME") && is_set("SNAP_REVISION")).then_some(Sandbox::Snap)
    }
}

/// The known tokens on the USB, whether or not a reader shows them. Only Linux tells.
pub(super) fn plugged_tokens() -> Vec<&'static Product> {
    plugged_in(Path::new(USB_DEVICES))
}

fn plugged_in(devices: &Path) -> Vec<&'static Product> {
    let id = |device: fs::DirEntry| {
        let read = |name: &str| fs::read_to_string(device.path().join(name)).ok();
        UsbId::parse(&format!("{}:{}", read("idVendor")?.trim(), read("idProduct")?.trim()))
    };
    let plugged: Vec<_> = fs::read_dir(devices).into_iter().flatten().flatten().filter_map(id).collect();
    known::products().iter().filter(|product| product.usb.iter().any(|id| plugged.contains(id))).collect()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn known_tokens_on_the_usb_are_named() {
        let place = tempfile::tempdir().unwrap();
        for (name, vendor, product) in [("1-1", "0529\n", "0620\n"), ("1-2", "1d6b\n", "0002\n")] {
            let device = place.path().join(name);
            fs::create_dir(&device).unwrap();
            fs::write(device.join("idVendor"), vendor).unwrap();
            fs::write(device.join("idProduct"), product).unwrap();
        }
        fs::create_dir(place.path().join("usb1")).unwrap();
        let names: Vec<_> = plugged_in(place.path()).iter().map(|product| product.name.as_str()).collect();
        assert_eq!(names, ["SafeNet eToken"]);
        assert!(plugged_in(&place.path().join("missing")).is_empty());
    }

    #[test]
    fn a_socket_for_others_is_a_refusal() {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("pcscd.comm");
        assert!(!is_refused(&socket));
        fs::write(&socket, "").unwrap();
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o000)).unwrap();
        // Root may do everything.
        assert_eq!(is_refused(&socket), !rustix::process::geteuid().is_root());
    }
}
