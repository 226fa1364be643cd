//! Debian's packages: which are needed for what, which are missing, and their installation.

use crate::{
    command::{exists, output, program, quiet, run, say, shown},
    failure::Failure,
    setup::Purpose,
};

/// A package and why it is needed.
struct Package {
    name: &'static str,
    purpose: Purpose,
    why: &'static str,
}

const PACKAGES: &[Package] = &[
    package("libpcsclite-dev", Purpose::Build, "PC/SC, to see readers and cards"),
    package("pkg-config", Purpose::Build, "finds PC/SC"),
    package("curl", Purpose::Demo, "asks the service as a program would"),
    package("openssl", Purpose::Demo, "makes the fictitious certificates"),
    package("poppler-utils", Purpose::Demo, "pdfsig judges signatures, pdftoppm draws pages"),
    package("libnss3-tools", Purpose::Demo, "certutil tells pdfsig which root to trust"),
    package("qpdf", Purpose::Test, "checks the structure of what we write"),
    package("mupdf-tools", Purpose::Test, "mutool reads what we write"),
    package("default-jdk-headless", Purpose::Test, "runs veraPDF, which judges PDF/A and PDF/UA"),
    package("softhsm2", Purpose::Test, "a PKCS#11 token in software"),
    package("opensc", Purpose::Test, "a PKCS#11 module for cards, and pkcs11-tool"),
    package("pcscd", Purpose::Test, "the smart card service"),
    package("vsmartcard-vpcd", Purpose::Test, "a virtual card reader"),
    package("python3-venv", Purpose::Test, "a project-local home for the Python tools"),
    package("strace", Purpose::Test, "stops a signature between any two system calls"),
    package("libfaketime", Purpose::Test, "stops the clock for two programs"),
    package("xvfb", Purpose::Test, "a screen in memory for the window"),
    package("openbox", Purpose::Test, "gives the window the keyboard"),
    package("xdotool", Purpose::Test, "types and clicks"),
    package("x11-xkb-utils", Purpose::Test, "setxkbmap gives the keyboard its letters"),
    package("x11-utils", Purpose::Test, "xprop sees the window manager"),
    package("imagemagick", Purpose::Test, "import takes pictures of the window"),
    package("dbus", Purpose::Test, "a session bus"),
    package("gnome-keyring", Purpose::Test, "a keystore of the login"),
    package("libsecret-tools", Purpose::Test, "secret-tool looks into it"),
    package("at-spi2-core", Purpose::Test, "the bus of the screen readers"),
    package("python3-pyatspi", Purpose::Test, "reads the window as a screen reader does"),
    package("gir1.2-atspi-2.0", Purpose::Test, "what python3-pyatspi stands on"),
    package("libxkbcommon-x11-0", Purpose::Test, "the keyboard of the window under X11"),
    package("libxcursor1", Purpose::Test, "the pointer of the window under X11"),
    package("libxi6", Purpose::Test, "the input devices of the window under X11"),
    package("libxrandr2", Purpose::Test, "the screens of the window under X11"),
    package("libx11-xcb1", Purpose::Test, "the window under X11"),
    package("gcc-mingw-w64-x86-64", Purpose::Test, "C code, type-checked for Windows"),
];

const fn package(name: &'static str, purpose: Purpose, why: &'static str) -> Package {
    Package { name, purpose, why }
}

/// Installs the packages that are missing.
pub(super) fn install_missing(purpose: Purpose) -> Result<(), Failure> {
    let missing: Vec<&Package> = needed(purpose).filter(|package| !installed(package.name)).collect();
    if missing.is_empty() {
        say(&format!("setup: all {} packages are installed", needed(purpose).count()));
        return Ok(());
    }
    for package in &missing {
        say(&format!("setup: missing {}: {}", package.name, package.why));
    }
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    let mut update = vec!["apt-get", "update", "-qq"];
    let mut install = vec![
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "install",
        "--yes",
        "--no-install-recommends",
    ];
    install.extend(names);
    let by_hand = shown(&program("sudo", &install));
    if !is_root()? {
        if !exists("sudo") {
            return Err(Failure::new(format!("not root, and there is no sudo; as root, run: {by_hand}")));
        }
        update.insert(0, "sudo");
        install.insert(0, "sudo");
    }
    let done = run_words(&update).and_then(|()| run_words(&install));
    done.map_err(|failure| Failure::new(format!("{failure}; install by hand with: {by_hand}")))
}

/// Prints what the packages are, for systems where they have other names.
pub(super) fn list(purpose: Purpose) {
    for package in needed(purpose) {
        say(&format!("  {:<22} {}", package.name, package.why));
    }
}

fn needed(purpose: Purpose) -> impl Iterator<Item = &'static Package> {
    PACKAGES.iter().filter(move |package| package.purpose <= purpose)
}

fn installed(name: &str) -> bool {
    let answer = output(&mut program("dpkg-query", ["-W", "-f=${db:Status-Status}", name]));
    answer.is_ok_and(|answer| answer.status.success() && answer.stdout == b"installed")
}

fn is_root() -> Result<bool, Failure> {
    Ok(quiet(&mut program("id", ["-u"]))?.trim() == "0")
}

fn run_words(words: &[&str]) -> Result<(), Failure> {
    match words {
        [name, arguments @ ..] => run(&mut program(name, arguments)),
        [] => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_include_the_smaller_ones() {
        let names = |purpose| needed(purpose).map(|package| package.name).collect::<Vec<_>>();
        assert_eq!(names(Purpose::Build), ["libpcsclite-dev", "pkg-config"]);
        assert!(names(Purpose::Demo).contains(&"pkg-config"));
        assert_eq!(names(Purpose::Test).len(), PACKAGES.len());
    }
}
