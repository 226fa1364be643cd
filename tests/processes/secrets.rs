//! A secret that nobody else uses is looked for in the memory of the service and in everything
//! that it wrote, after it carried that secret from the person to the token host.

use std::{
    fs,
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use signer_ipc::message::Lasting;
use signer_tests::{
    agent::Agent,
    page::{Page, SITE},
    service::{Login, Service},
    signing::a1_with_password,
    softhsm::SoftHsm,
};

use crate::pdf;

const MARKER: &str = "MARCADOR7391senha";
const PIN: &str = "73915208";
/// Not the right ones, and typed first.
const WRONG: [&str; 2] = ["ENGANO64512senha", "64512093"];

/// Proves A21.
#[test]
fn a_password_is_nowhere_in_the_service_and_what_it_wrote() {
    let login = Login::new();
    login.configure("log = \"trace\"\n[tokens]\nknown_modules = false\n");
    let place = tempfile::tempdir().unwrap();
    login.register(&a1_with_password(place.path(), MARKER), MARKER);
    carries_and_keeps_nothing(&login, WRONG[0], MARKER);
}

/// Proves A21.
#[test]
fn the_password_of_a_stored_key_is_nowhere_in_the_service_and_what_it_wrote() {
    let login = Login::new();
    login.configure("log = \"trace\"\n[tokens]\nknown_modules = false\n");
    let place = tempfile::tempdir().unwrap();
    let p12 = a1_with_password(place.path(), MARKER);
    login.import(&p12, MARKER);
    fs::remove_file(&p12).unwrap();
    carries_and_keeps_nothing(&login, WRONG[0], MARKER);
}

/// Proves A21.
#[test]
fn a_pin_is_nowhere_in_the_service_and_what_it_wrote() {
    let mut login = Login::new();
    let place = tempfile::tempdir().unwrap();
    let Some(token) = SoftHsm::new(place.path(), "ecpf-a1-moderno.p12", PIN) else { return };
    login.set("SOFTHSM2_CONF", token.configuration());
    login.configure(&format!(
        "log = \"trace\"\n[tokens]\nknown_modules = false\nmodules = [{:?}]\n",
        token.module()
    ));
    carries_and_keeps_nothing(&login, WRONG[1], PIN);
}

fn carries_and_keeps_nothing(login: &Login, wrong: &str, right: &str) {
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Always);
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    agent.confirm(&question, Some(wrong));
    let unlock = agent.asked_for_secret();
    let secrets = [wrong, right];
    assert_not_in_memory(&service, &secrets);
    agent.give(question.approval, &unlock, right);
    let done = pending.answer().unwrap().json();
    assert_eq!(done["state"], "completed", "{done}");
    let content = page.ask(&format!("GET {}", done["items"][0]["content"].as_str().unwrap()));
    assert_not_in_memory(&service, &secrets);
    assert!(service.stop().success());
    for secret in secrets {
        assert!(!holds(&content.body, secret));
    }
    let mut looked_at = 0;
    for path in files(&login.path("")) {
        let bytes = fs::read(&path).unwrap();
        looked_at += 1;
        for secret in secrets {
            assert!(!holds(&bytes, secret), "{}", path.display());
        }
    }
    // Configuration, credentials or not, pairings, trail, log.
    assert!(looked_at >= 4, "{looked_at}");
    assert!(login.log().contains("the service listens"));
}

/// Reads all of the memory of the service, which only root may.
fn assert_not_in_memory(service: &Service, secrets: &[&str]) {
    if !nix::unistd::geteuid().is_root() {
        println!("left out: only root may read the memory of the service");
        return;
    }
    let process = service.process();
    let mut memory = fs::File::open(format!("/proc/{process}/mem")).unwrap();
    let mut finds_what_is_there = false;
    for line in fs::read_to_string(format!("/proc/{process}/maps")).unwrap().lines() {
        let mut fields = line.split_whitespace();
        let (range, rights) = (fields.next().unwrap(), fields.next().unwrap());
        let (start, end) = range.split_once('-').unwrap();
        let [start, end] = [start, end].map(|address| u64::from_str_radix(address, 16).unwrap());
        if !rights.starts_with('r') || line.ends_with("[vvar]") || line.ends_with("[vsyscall]") {
            continue;
        }
        let mut bytes = vec![0; usize::try_from(end - start).unwrap()];
        memory.seek(SeekFrom::Start(start)).unwrap();
        // A mapping may have gone since, or be one of the kernel's own.
        if memory.read_exact(&mut bytes).is_err() {
            assert!(!line.contains("[heap]") && !line.contains("[stack]"), "{line} cannot be read");
            continue;
        }
        finds_what_is_there |= holds(&bytes, SITE);
        for secret in secrets {
            assert!(!holds(&bytes, secret), "in {line}");
        }
    }
    assert!(finds_what_is_there, "the search finds the name of the page, which is there");
}

fn holds(bytes: &[u8], text: &str) -> bool {
    let first = text.as_bytes()[0];
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == first) {
        rest = &rest[at..];
        if rest.starts_with(text.as_bytes()) {
            return true;
        }
        rest = &rest[1..];
    }
    false
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files(&entry.path()));
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    found
}
