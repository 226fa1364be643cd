//! The PKCS#11 modules met in Brazil, and where their installers put them.
//!
//! Data only: whether a module works is found out in a token host.

use std::path::{Path, PathBuf};

/// A product and the paths at which its module may lie, most usual first.
#[derive(Debug, Clone, Copy)]
pub struct KnownModule {
    /// The product as people know it.
    pub product: &'static str,
    /// Absolute paths; the first that exists is the one.
    pub paths: &'static [&'static str],
}

/// A module that lies on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledModule {
    /// The product.
    pub product: &'static str,
    /// Where it is.
    pub path: PathBuf,
}

/// The modules of [`KNOWN`] that exist here, one of each product.
pub fn installed() -> Vec<InstalledModule> {
    let existing = |module: &KnownModule| {
        let path = module.paths.iter().find(|path| Path::new(path).is_file())?;
        Some(InstalledModule { product: module.product, path: PathBuf::from(path) })
    };
    KNOWN.iter().filter_map(existing).collect()
}

/// The known products on this operating system.
#[cfg(target_os = "linux")]
pub const KNOWN: &[KnownModule] = &[
    KnownModule {
        product: "SafeNet eToken",
        paths: &["/usr/lib/libeToken.so", "/usr/lib64/libeToken.so", "/usr/lib/libeTPkcs11.so"],
    },
    KnownModule {
        product: "IDPrime",
        paths: &["/usr/lib/libIDPrimePKCS11.so", "/usr/lib64/libIDPrimePKCS11.so"],
    },
    KnownModule {
        product: "SafeSign (StarSign)",
        paths: &["/usr/lib/libaetpkss.so.3", "/usr/lib64/libaetpkss.so.3", "/usr/lib/libaetpkss.so"],
    },
    KnownModule {
        product: "Watchdata",
        paths: &[
            "/usr/lib/watchdata/ICP/lib/libwdpkcs_icp.so",
            "/usr/lib/watchdata/lib/libwdpkcs.so",
            "/opt/watchdata/lib64/libwdpkcs.so",
        ],
    },
    KnownModule { product: "ePass2003", paths: &["/usr/lib/libcastle.so.1.0.0"] },
    KnownModule {
        product: "ePass2000",
        paths: &[
            "/usr/lib/libepsng_p11.so",
            "/usr/lib/libepsng_p11.so.1",
            "/usr/local/ngsrv/libepsng_p11.so.1",
        ],
    },
    KnownModule { product: "IDEMIA AWP", paths: &["/usr/local/AWP/lib/libOcsCryptoki.so"] },
    KnownModule {
        product: "Athena IDProtect",
        paths: &["/usr/lib/x64-athena/libASEP11.so", "/usr/lib/libASEP11.so"],
    },
    KnownModule { product: "DXToken", paths: &["/etc/Dexon/DXSafe/libDXSafePKCS11.X64.so"] },
    KnownModule { product: "CSSI", paths: &["/usr/lib/libcmP11.so"] },
    KnownModule { product: "Bit4id", paths: &["/usr/lib/bit4id/libbit4opki.so"] },
    KnownModule { product: "YubiKey PIV", paths: &["/usr/local/lib/libykcs11.so"] },
    KnownModule {
        product: "OpenSC",
        paths: &[
            "/usr/lib/x86_64-linux-gnu/opensc-pkcs11.so",
            "/usr/lib/aarch64-linux-gnu/opensc-pkcs11.so",
            "/usr/lib64/opensc-pkcs11.so",
            "/usr/lib/opensc-pkcs11.so",
        ],
    },
];

/// The known products on this operating system.
#[cfg(all(unix, not(target_os = "linux")))]
pub const KNOWN: &[KnownModule] = &[
    KnownModule { product: "IDPrime", paths: &["/usr/local/lib/libidprimepkcs11.0.dylib"] },
    KnownModule { product: "DXToken", paths: &["/Applications/DXSafe/libDXSafePKCS11.dylib"] },
    KnownModule {
        product: "Athena IDProtect",
        paths: &["/Library/Application Support/Athena/libASEP11.dylib"],
    },
    KnownModule { product: "CSSI", paths: &["/Library/Application Support/CSSI/libcmP11.dylib"] },
    KnownModule { product: "YubiKey PIV", paths: &["/usr/local/lib/libykcs11.dylib"] },
    KnownModule { product: "OpenSC", paths: &["/Library/OpenSC/lib/opensc-pkcs11.so"] },
];

/// The known products on this operating system.
#[cfg(windows)]
pub const KNOWN: &[KnownModule] = &[
    KnownModule { product: "SafeNet eToken", paths: &["C:\\Windows\\System32\\eTPKCS11.dll"] },
    KnownModule { product: "SafeSign (StarSign)", paths: &["C:\\Windows\\System32\\aetpkss1.dll"] },
    KnownModule { product: "DXToken", paths: &["C:\\Windows\\System32\\DXSafePKCS11.dll"] },
    KnownModule { product: "Athena IDProtect", paths: &["C:\\Windows\\System32\\asepkcs.dll"] },
    KnownModule {
        product: "YubiKey PIV",
        paths: &["C:\\Program Files\\Yubico\\Yubico PIV Tool\\bin\\libykcs11.dll"],
    },
    KnownModule { product: "OpenSC", paths: &["C:\\Windows\\System32\\opensc-pkcs11.dll"] },
];
