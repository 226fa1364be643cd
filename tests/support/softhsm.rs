//! A SoftHSM token in a folder of its own, with one key and its certificate.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::{
    build_example, left_out,
    signing::{PASSWORD, a1},
};

/// Where Debian and Ubuntu put the module.
const MODULES: &[&str] = &[
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
];

/// A token that lives as long as its folder.
pub struct SoftHsm {
    directory: PathBuf,
    module: &'static str,
    /// The PIN of the person.
    pub pin: String,
}

impl SoftHsm {
    /// The label of the token.
    pub const LABEL: &str = "TESTE";

    /// Makes a token in `directory` that holds the key and the certificates of an A1 file of the
    /// test PKI; `None`, with a printed reason, where SoftHSM or OpenSC's tool is not installed.
    ///
    /// # Panics
    /// In CI, where they must be, and where a tool refuses.
    pub fn new(directory: &Path, key: &str, pin: &str) -> Option<Self> {
        let Some(module) = MODULES.iter().find(|module| Path::new(module).exists()) else {
            left_out("SoftHSM is not installed: run `cargo xtask setup`");
            return None;
        };
        let token = Self { directory: directory.to_owned(), module, pin: pin.to_owned() };
        fs::create_dir_all(directory.join("tokens")).expect("the directory is writable");
        let configuration = format!(
            "directories.tokendir = {}\nobjectstore.backend = file\n",
            directory.join("tokens").display()
        );
        fs::write(token.configuration(), configuration).expect("the directory is writable");
        token.make_token(Self::LABEL);
        token.import(key, "01");
        Some(token)
    }

    /// Makes one more token beside the first.
    ///
    /// # Panics
    /// Where a tool refuses.
    pub fn make_token(&self, label: &str) {
        let pins = ["--so-pin", "87654321", "--pin", &self.pin];
        self.tool("softhsm2-util", &[&["--init-token", "--free", "--label", label], &pins[..]].concat());
    }

    /// Puts one more key and its certificate on the token.
    ///
    /// # Panics
    /// Where a tool refuses.
    pub fn import(&self, key: &str, id: &str) {
        self.import_into(Self::LABEL, key, id);
    }

    /// As [`SoftHsm::import`], on the token with this label.
    ///
    /// # Panics
    /// Where a tool refuses.
    pub fn import_into(&self, label: &str, key: &str, id: &str) {
        let file = a1(key);
        let (file, password) = (file.to_str().expect("paths are text"), format!("pass:{PASSWORD}"));
        let (pem, p8) = (self.place("key.pem"), self.place("key.p8"));
        let (crt, der) = (self.place("crt.pem"), self.place("crt.der"));
        self.tool(
            "openssl",
            &["pkcs12", "-in", file, "-passin", &password, "-nocerts", "-nodes", "-out", &pem],
        );
        self.tool("openssl", &["pkcs8", "-topk8", "-nocrypt", "-in", &pem, "-out", &p8]);
        self.tool(
            "openssl",
            &["pkcs12", "-in", file, "-passin", &password, "-nokeys", "-clcerts", "-out", &crt],
        );
        self.tool("openssl", &["x509", "-in", &crt, "-outform", "DER", "-out", &der]);
        self.tool(
            "softhsm2-util",
            &["--import", &p8, "--token", label, "--label", key, "--id", id, "--pin", &self.pin],
        );
        self.tool(
            "pkcs11-tool",
            &[
                "--module",
                self.module,
                "--token-label",
                label,
                "--login",
                "--pin",
                &self.pin,
                "--write-object",
                &der,
                "--type",
                "cert",
                "--id",
                id,
                "--label",
                key,
            ],
        );
    }

    /// The PKCS#11 module.
    pub const fn module(&self) -> &'static str {
        self.module
    }

    /// The file that `SOFTHSM2_CONF` must name.
    pub fn configuration(&self) -> PathBuf {
        self.directory.join("softhsm2.conf")
    }

    fn place(&self, name: &str) -> String {
        self.directory.join(name).to_str().expect("paths are text").to_owned()
    }

    fn tool(&self, name: &str, arguments: &[&str]) {
        let output = Command::new(name)
            .args(arguments)
            .env("SOFTHSM2_CONF", self.configuration())
            .output()
            .unwrap_or_else(|error| panic!("{name} did not start ({error}): run `cargo xtask setup`"));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The module that misbehaves (`fixtures/faulty_module.rs`), built once, in `directory` under a
/// name that says how it is to misbehave.
///
/// # Panics
/// Where it does not build.
pub fn faulty_module(directory: &Path, how: &str) -> PathBuf {
    static EXAMPLES: OnceLock<PathBuf> = OnceLock::new();
    let examples = EXAMPLES.get_or_init(|| build_example("faulty_module"));
    let path = directory.join(format!("faulty-{how}.so"));
    let mut library = fs::read(examples.join("libfaulty_module.so")).expect("a file");
    // Copies would be one module; what follows a library's own bytes is nobody's.
    library.extend_from_slice(how.as_bytes());
    fs::write(&path, library).expect("a file");
    path
}
