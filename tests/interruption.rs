//! Killed between any two steps, the program leaves the old state or the new, and no orphan.
//!
//! Every system call of one signature is a step: strace kills the process at the first, the
//! second, and so on, until a run reaches its end.
#![cfg(target_os = "linux")]

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use signer_tests::{
    documents::{Layout, document},
    judges,
    processes::{own_copy, running, script, strace_works, wait_until_none},
    signing::{PASSWORD, a1},
    unlocked::{Unlocked, invisible},
};

/// No signature takes as many system calls.
const MOST_STEPS: u32 = 5000;

struct Desk {
    directory: tempfile::TempDir,
    program: PathBuf,
    input: PathBuf,
    output: PathBuf,
    secret: PathBuf,
}

impl Desk {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let place = |name: &str| directory.path().join(name);
        fs::create_dir(place("out")).unwrap();
        let desk = Self {
            program: own_copy(directory.path()),
            input: place("in.pdf"),
            output: place("out/out.pdf"),
            secret: place("password"),
            directory,
        };
        fs::write(&desk.input, document(Layout::Table, 2, 30_000)).unwrap();
        fs::write(&desk.secret, PASSWORD).unwrap();
        desk
    }

    /// `before` and then the program with the words of one signature.
    fn sign(&self, before: &[&str], arguments: &[&str]) -> Command {
        let words: Vec<&Path> = before.iter().map(Path::new).chain([self.program.as_path()]).collect();
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .args(["sign", "--json", "--p12"])
            .arg(a1("ecdsa-p256.p12"))
            .arg("--p12-password-file")
            .args([&self.secret, &self.input, &self.output])
            .args(arguments)
            .env("LC_ALL", "en_US.UTF-8")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn names(&self) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = fs::read_dir(self.directory.path().join("out"))
            .unwrap()
            .map(|entry| name(entry.unwrap()))
            .collect();
        names.sort();
        names
    }

    fn output_is_valid(&self) -> bool {
        Command::new(&self.program)
            .args(["validate", "--trust"])
            .args([&judges::test_root(), &self.output])
            .stdout(Stdio::null())
            .status()
            .unwrap()
            .success()
    }
}

/// Kills at every step; `check` sees the state after each.
fn walk(desk: &Desk, arguments: &[&str], mut check: impl FnMut(u32)) -> u32 {
    for step in 1..MOST_STEPS {
        let inject = format!("inject=all:signal=KILL:when={step}");
        let status =
            desk.sign(&["strace", "-qq", "-o", "/dev/null", "-e", &inject], arguments).status().unwrap();
        wait_until_none(&desk.program);
        check(step);
        if status.success() {
            return step;
        }
    }
    panic!("no run reached its end");
}

/// Proves A12.
#[test]
fn a_killed_signature_leaves_no_output_or_the_whole_one() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new();
    let (mut without, mut with) = (0, 0);
    let steps = walk(&desk, &[], |step| match desk.names().as_slice() {
        [] => without += 1,
        [name] if name == "out.pdf" => {
            assert!(desk.output_is_valid(), "step {step}");
            fs::remove_file(&desk.output).unwrap();
            with += 1;
        }
        others => panic!("step {step} left {others:?}"),
    });
    println!("{steps} steps: {without} without an output, {with} with the whole one");
    assert!(without > 20 && with > 0);
}

/// The program has the document open when it comes to read the password from a pipe.
#[test]
fn a_document_that_somebody_writes_to_meanwhile_is_told_and_not_signed() {
    type Change = fn(&Path, &[u8]);
    let whole = document(Layout::Table, 2, 3_000_000);
    let changes: [(&str, Change); 3] = [
        ("cut off", |input, whole| fs::write(input, &whole[..1_000_000]).unwrap()),
        ("emptied", |input, _| fs::write(input, b"").unwrap()),
        ("lengthened", |input, whole| fs::write(input, [whole, b"\n"].concat()).unwrap()),
    ];
    for (what, change) in changes {
        let desk = Desk::new();
        fs::write(&desk.input, &whole).unwrap();
        fs::remove_file(&desk.secret).unwrap();
        assert!(Command::new("mkfifo").arg(&desk.secret).status().unwrap().success());
        let child = desk.sign(&[], &[]).stdout(Stdio::piped()).spawn().unwrap();
        let mut pipe = fs::OpenOptions::new().write(true).open(&desk.secret).unwrap();
        change(&desk.input, &whole);
        pipe.write_all(PASSWORD.as_bytes()).unwrap();
        drop(pipe);
        let output = child.wait_with_output().unwrap();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["error"]["code"], "input-changed", "{what}: {answer}");
        assert!(desk.names().is_empty(), "{what}");
    }
}

/// Proves A12.
#[test]
fn a_killed_replacement_leaves_the_old_output_or_the_new() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new();
    let (mut old, mut new) = (0, 0);
    fs::write(&desk.output, "old").unwrap();
    walk(&desk, &["--force"], |step| {
        // Between naming and renaming, a complete file under a hidden name may stay.
        let strange: Vec<_> = desk
            .names()
            .into_iter()
            .filter(|name| name != "out.pdf" && !name.starts_with(".cybercore-"))
            .collect();
        assert!(strange.is_empty(), "step {step} left {strange:?}");
        for name in desk.names() {
            if name != "out.pdf" {
                fs::remove_file(desk.directory.path().join("out").join(name)).unwrap();
            }
        }
        if fs::read(&desk.output).unwrap() == b"old" {
            old += 1;
        } else {
            assert!(desk.output_is_valid(), "step {step}");
            fs::write(&desk.output, "old").unwrap();
            new += 1;
        }
    });
    assert!(old > 20 && new > 0);
}

/// Proves A12.
#[test]
fn a_token_host_killed_at_any_step_is_told_and_leaves_nothing() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new();
    // Only the host runs under strace; this process is its parent and lives to tell.
    let mut told = 0;
    for step in (1..MOST_STEPS).step_by(7) {
        let wrapper = desk.directory.path().join("wrapped");
        let text = format!(
            "#!/bin/sh\nexec strace -qq -o /dev/null -e inject=all:signal=KILL:when={step} {} \"$@\"\n",
            desk.program.display()
        );
        script(&wrapper, &text);
        let ended = sign_through(&wrapper, &desk);
        wait_until_none(&desk.program);
        match ended {
            Ok(()) => {
                assert!(told > 5, "{told}");
                return;
            }
            Err(code) => {
                assert_eq!(code, "token-failed", "step {step}");
                assert!(desk.names().is_empty(), "step {step}: {:?}", desk.names());
                told += 1;
            }
        }
    }
    panic!("no run reached its end");
}

/// One signature through the library, with a token host started from `program`.
fn sign_through(program: &Path, desk: &Desk) -> Result<(), String> {
    use signer_core::pdf::{document::Document, limits::Limits};
    use signer_service::{
        file::{
            destination::{Durability, Existing},
            source::FileSource,
        },
        sign::{Check, Job, sign},
    };

    let coded = |error: signer_service::token::error::TokenError| error.code().as_str().to_owned();
    let Unlocked { mut host, signer } = Unlocked::start(program, "ecdsa-p256.p12").map_err(coded)?;
    let job = Job {
        output: &desk.output,
        existing: Existing::Keep,
        durability: Durability::Unsynced,
        check: Check::Running,
        terms: invisible(),
    };
    let input = FileSource::open(&desk.input).unwrap();
    let document = Document::open(&input, Limits::default()).unwrap();
    sign(&document, &mut host, &signer, &job, &mut |_| ())
        .map(drop)
        .map_err(|error| error.code().as_str().to_owned())
}

/// Proves A12.
#[test]
fn a_program_that_is_killed_while_it_waits_takes_its_token_host_along() {
    let desk = Desk::new();
    // The password comes from a pipe that nobody writes to: the program waits with its host.
    let mut child = Command::new(&desk.program)
        .args(["sign", "--p12-password-file", "-", "--p12"])
        .arg(a1("ecdsa-p256.p12"))
        .args([&desk.input, &desk.output])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    while running(&desk.program).len() < 2 {
        assert!(child.try_wait().unwrap().is_none(), "the program waits for its password");
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until_none(&desk.program);
    assert!(desk.names().is_empty());
}
