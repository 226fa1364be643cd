//! Processes of the program under test, found by the path they were started from.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::{left_out, signer_program};

/// How long a process may take to notice that it is no longer needed.
const DEADLINE: Duration = Duration::from_secs(10);

/// A copy of the program in `directory`, so that its processes can be told from all others.
///
/// # Panics
/// Where it cannot be copied.
pub fn own_copy(directory: &Path) -> PathBuf {
    let copy = directory.join("cybercore-signer");
    copied(signer_program(), &copy);
    copy
}

/// Copies a program. A child does it: what this process has open for writing, the processes that
/// other tests start meanwhile have too for a moment, and nobody can start it then.
///
/// # Panics
/// Where it cannot be copied.
pub fn copied(from: &Path, to: &Path) {
    let status = Command::new("cp").arg(from).arg(to).status().expect("cp starts");
    assert!(status.success(), "{} can be copied", from.display());
}

/// Writes a script that can be started, by a child as in [`copied`].
///
/// # Panics
/// Where it cannot be written.
pub fn script(path: &Path, text: &str) {
    let mut child = Command::new("sh")
        .args(["-c", "cat >\"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("sh starts");
    let mut input = child.stdin.take().expect("its input is a pipe");
    input.write_all(text.as_bytes()).expect("it reads");
    drop(input);
    assert!(child.wait().expect("it ends").success(), "{} can be written", path.display());
}

/// The processes whose command line begins with `program`.
pub fn running(program: &Path) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // A process that ends meanwhile is not running.
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if line.split(|&byte| byte == 0).next() == Some(program.as_os_str().as_encoded_bytes()) {
            found.push(id);
        }
    }
    found
}

/// Waits until no process of `program` is left.
///
/// # Panics
/// Where one is left after ten seconds.
pub fn wait_until_none(program: &Path) {
    let end = Instant::now() + DEADLINE;
    loop {
        let left = running(program);
        if left.is_empty() {
            return;
        }
        assert!(Instant::now() < end, "orphans: {left:?}");
        std::thread::yield_now();
    }
}

/// The processes that this one started and that have not ended.
pub fn children(parent: u32) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // Behind the name, which may hold anything: the state and the parent.
        let status = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let mut fields = status.rsplit(')').next().unwrap_or_default().split_whitespace();
        let (state, its_parent) = (fields.next(), fields.next());
        if its_parent.and_then(|id| id.parse().ok()) == Some(parent) && state != Some("Z") {
            found.push(id);
        }
    }
    found
}

/// The words that a process was started with; none of one that has ended.
pub fn command_line(process: u32) -> Vec<String> {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|&byte| byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect()
}

/// Whether a process has not ended; one that nobody has waited for yet has.
pub fn is_alive(process: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

/// Whether a process can be traced; where not, the test says that it was left out.
///
/// # Panics
/// In CI, where strace is missing.
pub fn strace_works() -> bool {
    match Command::new("strace").args(["-o", "/dev/null", "true"]).status() {
        Ok(status) if status.success() => true,
        Ok(_) => {
            println!("left out: tracing is not permitted here");
            false
        }
        Err(error) => {
            left_out(&format!("strace did not start ({error}): run `cargo xtask setup`"));
            false
        }
    }
}

/// What `strace -ff -o PREFIX` wrote of every thread into a file of its own, so that no call stands
/// in two parts, one file after the other.
///
/// # Panics
/// Where one of the files cannot be read.
pub fn traces(prefix: &Path) -> String {
    let folder = prefix.parent().expect("the prefix names files of a folder");
    let files = fs::read_dir(folder).expect("the traces are there").flatten().map(|entry| entry.path());
    let of_a_thread = files.filter(|file| file.with_extension("") == prefix);
    of_a_thread.map(|file| fs::read_to_string(file).expect("a trace can be read")).collect()
}
