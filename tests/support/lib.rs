//! Shared support for the tests that need real processes and foreign tools.

#[cfg(target_os = "linux")]
pub mod agent;
pub mod card;
#[cfg(target_os = "linux")]
pub mod desktop;
pub mod documents;
pub mod http;
pub mod judges;
pub mod manifest;
pub mod measure;
#[cfg(target_os = "linux")]
pub mod page;
pub mod processes;
#[cfg(target_os = "linux")]
pub mod reading;
#[path = "../fuzz/seeds.rs"]
pub mod seeds;
#[cfg(target_os = "linux")]
pub mod service;
pub mod signing;
pub mod softhsm;
#[cfg(target_os = "linux")]
pub mod stage;
#[path = "../fuzz/targets.rs"]
pub mod targets;
#[cfg(target_os = "linux")]
pub mod tray;
pub mod unlocked;
#[cfg(unix)]
pub mod user;
pub mod verapdf;

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The root of this repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Material that stays outside the repository (other projects' documents, ITI's data): beside
/// it, or where `SIGNER_SHARED` says. `None` where there is none: its tests say that they were
/// left out.
pub fn shared() -> Option<PathBuf> {
    let folder = match std::env::var_os("SIGNER_SHARED") {
        Some(folder) => PathBuf::from(folder),
        None => repository().parent()?.join("shared"),
    };
    folder.is_dir().then_some(folder)
}

/// Says that a test, or a part of it, was left out. In CI a missing tool is a failure.
///
/// # Panics
/// Where `CI` is set.
pub fn left_out(reason: &str) {
    assert!(std::env::var_os("CI").is_none(), "{reason}");
    println!("left out: {reason}");
}

/// The `cybercore-signer` program, built once for this test run.
///
/// # Panics
/// Where it does not build.
pub fn signer_program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        // SIGNER_PROGRAM names another build to test, such as the release binary.
        if let Some(program) = std::env::var_os("SIGNER_PROGRAM") {
            return PathBuf::from(program);
        }
        build("cybercore-signer")
    })
}

/// Builds a program of the workspace in the profile of this test run, and says where it is.
fn build(program: &str) -> PathBuf {
    cargo_build("--bin", program);
    profile().join(program)
}

/// Builds an example of the tests, and says in which folder it is.
///
/// # Panics
/// Where it does not build.
pub fn build_example(name: &str) -> PathBuf {
    cargo_build("--example", name);
    profile().join("examples")
}

/// With the features of the whole workspace, as `cargo xtask test` has built it before.
fn cargo_build(kind: &str, name: &str) {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    // What cargo tells this test about its own package would rebuild what was built already.
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            build.env_remove(name);
        }
    }
    let status = build
        .args(["build", "--quiet", "--workspace", kind, name])
        .current_dir(repository())
        .status()
        .expect("cargo starts");
    assert!(status.success(), "{name} builds");
}

fn profile() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    test.parent().and_then(Path::parent).map(Path::to_owned).expect("tests lie two folders down")
}

/// Processor, cores, load and system, as the table's heading.
pub fn machine() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let processor = read("/proc/cpuinfo");
    let model = processor.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let model = model.trim_start_matches([' ', '\t', ':']);
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or_default();
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{model}, {cores} cores, Linux {}, load {load} at the start", kernel.trim())
}
