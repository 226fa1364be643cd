//! Killed at any step of an import or a removal, the program leaves the old state or the new, and
//! the next change sweeps away what was left beside.

use std::{
    fs,
    process::{Command, Stdio},
};

use signer_core::digest::DigestAlgorithm;
use signer_tests::{
    processes::strace_works,
    signing::{PASSWORD, a1},
};

use crate::{KEY, desk::Desk};

/// No change takes as many of these system calls.
const MOST_STEPS: u32 = 1000;
/// The system calls that change what is on disk, and those around them.
const CALLS: &str =
    "openat,write,fsync,fchmod,chmod,mkdir,flock,link,linkat,rename,renameat,renameat2,unlink,unlinkat";

impl Desk {
    /// The command, killed at the given step; whether it came to its end.
    fn killed_at(&self, step: u32, words: &[&str]) -> bool {
        let mut command = Command::new("strace");
        self.login.surround(&mut command);
        command
            .args(["-qq", "-o", "/dev/null", "-e", &format!("inject={CALLS}:signal=KILL:when={step}")])
            .arg(signer_tests::signer_program())
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().unwrap().success()
    }

    /// Every key that the list names is there, whole.
    fn assert_whole(&self) {
        let list = fs::read_to_string(self.state().join("credentials.json")).unwrap_or_default();
        let list: serde_json::Value = serde_json::from_str(&list).unwrap_or_default();
        for entry in list["credentials"].as_array().into_iter().flatten() {
            let content = entry["content"].as_str().unwrap();
            let bytes = fs::read(self.state().join("keys").join(content)).unwrap();
            assert_eq!(DigestAlgorithm::Sha256.digest(&bytes).to_hex(), content);
        }
    }
}

/// Proves A36.
#[test]
fn a_killed_import_leaves_the_old_state_or_the_new() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new();
    desk.add(&a1("ecdsa-p384.p12"), PASSWORD, &[]);
    let before = desk.ids();
    let (p12, secret) = (a1("duas-chaves.p12"), desk.secret("secret", PASSWORD));
    let words =
        ["credentials", "add", p12.to_str().unwrap(), "--p12-password-file", secret.to_str().unwrap()];
    let (mut old, mut new, mut beside) = (0, 0, 0);
    for step in 1..MOST_STEPS {
        let ended = desk.killed_at(step, &words);
        desk.assert_whole();
        let ids = desk.ids();
        if ids == before {
            old += 1;
        } else {
            // Both of its keys or none.
            assert_eq!((ids.len(), &ids[..1]), (3, &before[..]), "step {step}");
            new += 1;
        }
        beside += usize::from(desk.keys().len() > ids.len());
        if ended {
            println!("{step} steps: {old} old, {new} new, {beside} with something left beside");
            assert!(old > 10 && new > 0 && beside > 0, "{old} {new} {beside}");
            break;
        }
        if ids != before {
            for id in &ids[1..] {
                crate::desk::said(desk.remove(id));
            }
        }
        assert!(step + 1 < MOST_STEPS, "no run reached its end");
    }
    // The last one came to its end: nothing is beside what is listed, and all of it signs.
    assert_eq!(desk.keys().len(), 3);
    desk.ids().iter().for_each(|id| desk.signs(id, Some(PASSWORD)));
    desk.assert_private();
}

/// Proves A36.
#[test]
fn a_killed_removal_leaves_the_old_state_or_the_new() {
    if !strace_works() {
        return;
    }
    let desk = Desk::new();
    desk.add(&a1("ecdsa-p384.p12"), PASSWORD, &[]);
    desk.add(&a1(KEY), PASSWORD, &[]);
    let both = desk.ids();
    let state = |from: &str, to: &str| {
        let copied = Command::new("cp").args(["-a", from, to]).current_dir(desk.login.path("state")).status();
        assert!(copied.unwrap().success());
    };
    state("cybercore-signer", "kept");
    let (mut old, mut new) = (0, 0);
    for step in 1..MOST_STEPS {
        let ended = desk.killed_at(step, &["credentials", "remove", &both[1]]);
        desk.assert_whole();
        match &desk.ids()[..] {
            ids if ids == both => old += 1,
            ids => {
                assert_eq!(ids, &both[..1], "step {step}");
                new += 1;
            }
        }
        if ended {
            assert!(old > 5 && new > 1, "{old} {new}");
            assert_eq!(desk.keys().len(), 1);
            return;
        }
        fs::remove_dir_all(desk.state()).unwrap();
        state("kept", "cybercore-signer");
    }
    panic!("no run reached its end");
}

#[test]
fn imports_at_the_same_time_lose_nothing() {
    let desk = Desk::new();
    let files =
        ["ecdsa-p256.p12", "ecdsa-p384.p12", "rsa-3072.p12", "ecnpj-a1-alfanumerico.p12", "duas-chaves.p12"];
    let children: Vec<_> = files
        .iter()
        .map(|file| desk.adding(&a1(file), PASSWORD).stdout(Stdio::null()).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!((desk.ids().len(), desk.keys().len()), (6, 6));
    desk.assert_whole();
}
