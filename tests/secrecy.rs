//! A PIN and a password that nobody else uses are looked for in everything that leaves the processes.
//!
//! The whole life of a signature runs under strace: every byte that any of the processes writes,
//! every argument and every environment is in the trace.
#![cfg(target_os = "linux")]

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use signer_tests::{
    documents::{Layout, document},
    processes::{own_copy, running, strace_works, traces},
    signing::{PASSWORD, a1, a1_with_password, signer},
    softhsm::SoftHsm,
};

const MARKER: &str = "MARCADOR7391senha";
const PIN: &str = "73915208";

struct Desk {
    directory: tempfile::TempDir,
    input: PathBuf,
    secret: PathBuf,
    trace: PathBuf,
}

impl Desk {
    fn new(secret: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        let desk = Self { input: place("in.pdf"), secret: place("secret"), trace: place("trace"), directory };
        fs::write(&desk.input, document(Layout::Table, 1, 5000)).unwrap();
        fs::write(&desk.secret, secret).unwrap();
        desk
    }

    /// Runs the program under strace and returns what it printed; the trace lies in files that begin
    /// with `self.trace`, one of each thread, so that no call stands in two parts.
    fn traced(&self, arguments: &[&Path], environment: &[(&str, &Path)]) -> Vec<u8> {
        let output = Command::new("strace")
            .args(["-ff", "-qq", "-v", "-yy", "-s", "1000000", "-o"])
            .arg(&self.trace)
            .arg(signer_tests::signer_program())
            .args(arguments)
            .env("LC_ALL", "en_US.UTF-8")
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        [output.stdout, output.stderr].concat()
    }

    /// Every system call that holds the marker reads the secret's file: what goes to the token
    /// host is sealed.
    fn marker_is_only_read_from_its_file(&self, marker: &str) {
        let trace = traces(&self.trace);
        let secret = format!("<{}>", self.secret.display());
        let mut read = 0;
        for line in trace.lines().filter(|line| line.contains(marker)) {
            assert!(line.contains("read(") && line.contains(&secret), "the secret is in {line:.200}");
            read += 1;
        }
        assert!(read > 0, "the trace shows where the secret was read");
    }
}

fn holds(bytes: &[u8], marker: &str) -> bool {
    let utf16: Vec<u8> = marker.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let contains = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    contains(marker.as_bytes()) || contains(&utf16)
}

/// Proves A6.
#[test]
fn a_password_goes_from_its_file_to_the_token_host_and_nowhere_else() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new(MARKER);
    let (marked, output) =
        (a1_with_password(desk.directory.path(), MARKER), desk.directory.path().join("out.pdf"));
    let word = Path::new;
    for (p12, succeeds) in [(&a1("ecpf-a1-moderno.p12"), false), (&marked, true)] {
        let arguments = [
            word("sign"),
            word("--p12"),
            p12,
            word("--p12-password-file"),
            &desk.secret,
            &desk.input,
            &output,
        ];
        let printed = desk.traced(&arguments, &[]);
        assert_eq!(output.exists(), succeeds, "{}", String::from_utf8_lossy(&printed));
        assert!(!holds(&printed, MARKER));
        desk.marker_is_only_read_from_its_file(MARKER);
    }
    assert!(!holds(&fs::read(&output).unwrap(), MARKER));
}

/// Proves A6.
#[test]
fn a_pin_goes_from_its_file_to_the_token_host_and_nowhere_else() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new(PIN);
    let Some(token) = SoftHsm::new(&desk.directory.path().join("hsm"), "ecpf-a1-moderno.p12", PIN) else {
        return;
    };
    let output = desk.directory.path().join("out.pdf");
    let (configuration, word) = (token.configuration(), Path::new);
    for (pin, succeeds) in [(PIN, true), ("73915209", false)] {
        fs::write(&desk.secret, pin).unwrap();
        let arguments = [
            word("sign"),
            word("--module"),
            word(token.module()),
            word("--token"),
            word(SoftHsm::LABEL),
            word("--pin-file"),
            &desk.secret,
            &desk.input,
            &output,
        ];
        let printed = desk.traced(&arguments, &[("SOFTHSM2_CONF", &configuration)]);
        assert_eq!(output.exists(), succeeds, "{}", String::from_utf8_lossy(&printed));
        assert!(!holds(&printed, pin));
        desk.marker_is_only_read_from_its_file(pin);
        let _ = fs::remove_file(&output);
    }
}

/// Proves A7.
#[test]
fn a_process_that_holds_a_secret_leaves_no_core_and_cannot_be_read() {
    let desk = Desk::new(PASSWORD);
    let program = own_copy(desk.directory.path());
    let work = desk.directory.path().join("work");
    fs::create_dir(&work).unwrap();
    let key = desk.directory.path().join("a1.p12");
    fs::copy(a1("ecpf-a1-moderno.p12"), &key).unwrap();
    // Root may read every process: what others see is tried as somebody else.
    let everyone = fs::Permissions::from_mode(0o755);
    fs::set_permissions(desk.directory.path(), everyone).unwrap();
    let me = fs::metadata("/proc/self").unwrap().uid();
    let other =
        if me == 0 { &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"][..] } else { &[] };
    // The password comes from a pipe that stays open, so program and host wait and can be looked at.
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -c unlimited; exec \"$@\"", "sh"])
        .args(other)
        .arg(&program)
        .args(["sign", "--p12-password-file", "-", "--p12"])
        .args([&key, &desk.input, &work.join("out.pdf")])
        .current_dir(&work)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while running(&program).len() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "the program waits for its password");
        std::thread::yield_now();
    }
    let host = running(&program).into_iter().find(|id| *id != child.id()).unwrap();
    for id in [host, child.id()] {
        wait_for(|| {
            let limits = fs::read_to_string(format!("/proc/{id}/limits")).unwrap();
            let core = limits.lines().find(|line| line.starts_with("Max core file size")).unwrap();
            let numbers: Vec<_> = core.split_whitespace().skip(4).take(2).map(str::to_owned).collect();
            (numbers == ["0", "0"]).then_some(())
        });
        // A process that is not dumpable belongs to root in /proc, whoever runs it.
        wait_for(|| (fs::metadata(format!("/proc/{id}/environ")).unwrap().uid() == 0).then_some(()));
    }
    let status = Command::new("kill").args(["-SEGV", &host.to_string()]).status().unwrap();
    assert!(status.success());
    drop(child.stdin.take());
    child.wait().unwrap();
    assert_eq!(fs::read_dir(&work).unwrap().count(), 0, "neither a core nor an output");
}

/// Asks until there is an answer; the process that is asked about was just started.
fn wait_for<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "no answer");
        std::thread::yield_now();
    }
}

/// Proves A8.
#[test]
fn secrets_are_never_arguments() {
    for verb in [&["sign"][..], &["certificates"], &["credentials", "add"], &["validate"], &["diagnose"]] {
        let help = signer().args(verb).arg("--help").output().unwrap();
        let text = String::from_utf8(help.stdout).unwrap();
        for option in ["--password ", "--pin ", "--p12-password ", "<PIN>", "<PASSWORD>"] {
            assert!(!text.contains(option), "{verb:?} has {option}");
        }
    }
}
