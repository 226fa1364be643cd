//! The program that loads a module into its own process, and what becomes of it.

use std::{
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
    time::{Duration, Instant},
};

use signer_tests::build_example;

use crate::desk::PIN;

/// Longer than all that it does where nothing is wrong.
const DEADLINE: Duration = Duration::from_secs(5);
/// A module that claims memory must not take the machine's: KiB.
const MEMORY_KIB: &str = "2097152";

/// What a fault does to the program.
#[derive(Debug, Clone, Copy)]
pub enum Bare {
    /// It is ended by a signal.
    Dies,
    /// It is ended by a signal, or does not end.
    DiesOrHangs,
    /// It fails after it said this.
    FailsAfter(&'static str),
    /// It does not end.
    Hangs,
    /// It believes this.
    Says(&'static str),
}

impl Bare {
    /// Runs the program with a module and looks what becomes of it.
    pub fn check(self, how: &str, module: &Path) {
        let limited = format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\"");
        let mut child = Command::new("sh")
            .args(["-c", &limited])
            .arg(loader())
            .arg(module)
            .arg(PIN)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a shell starts");
        let end = Instant::now() + DEADLINE;
        let mut hangs = false;
        while child.try_wait().expect("its state is known").is_none() {
            if Instant::now() >= end {
                hangs = true;
                child.kill().expect("it lives");
                break;
            }
            std::thread::park_timeout(Duration::from_millis(5));
        }
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stdout);
        let told = format!("{how}: {:?} {said} {}", output.status, String::from_utf8_lossy(&output.stderr));
        let died = output.status.signal().is_some();
        match self {
            Self::Dies => assert!(died && !hangs, "{told}"),
            Self::DiesOrHangs => assert!(died || hangs, "{told}"),
            Self::FailsAfter(words) => {
                assert!(said.contains(words) && output.status.code() == Some(1), "{told}");
            }
            Self::Hangs => assert!(hangs, "{told}"),
            Self::Says(words) => assert!(said.contains(words) && !died, "{told}"),
        }
    }
}

fn loader() -> &'static Path {
    static LOADER: OnceLock<PathBuf> = OnceLock::new();
    LOADER.get_or_init(|| build_example("bare_loader").join("bare_loader"))
}

/// Else every fault would be one of the program.
#[test]
fn the_program_signs_where_nothing_is_wrong() {
    let Some(desk) = crate::Desk::new() else { return };
    Bare::Says("value 256").check("plain", &desk.module("plain"));
}
