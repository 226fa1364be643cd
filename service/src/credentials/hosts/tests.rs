//! Token hosts that never answer, and the end of all of them.

use std::process::Command;

use super::*;

/// A test that waits longer is broken.
const PATIENCE: Duration = Duration::from_secs(120);
const SHORT: Duration = Duration::from_millis(200);

/// A program that takes everything and answers nothing, started by nobody else.
pub(in crate::credentials) fn silent(directory: &Path) -> PathBuf {
    let path = directory.join("host");
    let write = r#"printf '#!/bin/sh\nexec sleep 86400\n' > "$1" && chmod 700 "$1""#;
    assert!(Command::new("sh").args(["-c", write, "sh"]).arg(&path).status().unwrap().success());
    path
}

fn hosts(directory: &Path) -> Hosts {
    Hosts::new(silent(directory), IdleTime(PATIENCE))
}

#[test]
fn a_host_that_does_not_answer_in_time_is_ended() {
    let place = tempfile::tempdir().unwrap();
    let hosts = hosts(place.path());
    let begun = Instant::now();
    for error in [
        hosts.open_module(Path::new("/m.so"), begun + SHORT).err(),
        hosts.open_file(Path::new("/a.p12"), begun + SHORT).err(),
    ] {
        assert!(matches!(error, Some(TokenError::TimedOut { .. })));
    }
    // Sooner than any step of a host may take.
    assert!(begun.elapsed() < Duration::from_secs(25));
    assert!(hosts.are_over_by(begun));
}

#[test]
fn a_host_that_is_ended_from_elsewhere_is_a_crash_for_who_asks_it() {
    let place = tempfile::tempdir().unwrap();
    let hosts = Arc::new(hosts(place.path()));
    let asking = Arc::clone(&hosts);
    let asked =
        thread::spawn(move || asking.open_module(Path::new("/m.so"), Instant::now() + PATIENCE).err());
    while hosts.started().is_empty() {
        thread::yield_now();
    }
    hosts.end();
    assert!(matches!(asked.join().unwrap(), Some(TokenError::Crashed { .. })));
    assert!(hosts.are_over_by(Instant::now()));
}

#[test]
fn hosts_that_are_kept_end_with_all_others_and_those_that_hang_are_killed() {
    let place = tempfile::tempdir().unwrap();
    let hosts = hosts(place.path());
    for module in ["/a.so", "/b.so", "/c.so"] {
        let host = hosts.start(Instant::now() + PATIENCE).unwrap();
        hosts.keep(Path::new(module), host);
    }
    // One that somebody still asks.
    let used = hosts.start(Instant::now() + PATIENCE).unwrap();
    let process = used.process();
    let using = thread::spawn(move || {
        let mut used = used;
        used.open_file(Path::new("/a.p12")).is_err()
    });
    hosts.close(SHORT);
    assert!(using.join().unwrap());
    assert!(process.is_over());
    assert!(hosts.state().hosts.is_empty());
    hosts.close(SHORT);
    assert!(hosts.are_over_by(Instant::now() + PATIENCE));
}

#[test]
fn a_kept_host_is_ended_when_its_time_is_over() {
    let place = tempfile::tempdir().unwrap();
    let hosts = Hosts::new(silent(place.path()), IdleTime(SHORT));
    let host = hosts.start(Instant::now() + PATIENCE).unwrap();
    hosts.keep(Path::new("/a.so"), host);
    assert!(hosts.are_over_by(Instant::now() + PATIENCE));
    assert!(hosts.state().hosts.is_empty());
}
