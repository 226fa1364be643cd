//! Who dies at which step of a request, what its client sees then, and what the audit trail says.
//!
//! Every cell of the table is tried with real processes. Nothing waits for a time: the test plays
//! tray and page and so stops where it wants; a token host is stopped by a signal, or waits
//! inside of a module of the tests. What was seen is compared with docs/reliability.md;
//! `SIGNER_UPDATE_DOCUMENTS=1` writes it anew.
#![cfg(target_os = "linux")]

#[path = "reliability/recording.rs"]
mod recording;
#[path = "reliability/steps.rs"]
mod steps;
#[path = "reliability/stopping.rs"]
mod stopping;
#[path = "reliability/world.rs"]
mod world;

use std::{
    fs,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use nix::sys::signal::Signal;
use signer_core::audit::{Event, Kind, Outcome};
use signer_tests::{
    http::Answer,
    page::{Pending, state_and_code},
    repository,
    service::{send_signal, until},
    softhsm::SoftHsm,
};

use crate::{
    steps::{Step, Who},
    world::{Tray, World},
};

/// What one cell of the table says.
struct Seen {
    client: String,
    trail: String,
}

/// How many cells are tried side by side.
const LANES: usize = 3;

/// Proves A24.
#[test]
fn whoever_dies_at_any_step_leaves_nothing_half_done() {
    let place = tempfile::tempdir().unwrap();
    if SoftHsm::new(place.path(), "ecdsa-p256.p12", "1234").is_none() {
        return;
    }
    let cells: Vec<(Step, Who)> = Step::ALL
        .into_iter()
        .flat_map(|step| Who::ALL.into_iter().map(move |who| (step, who)))
        .filter(|(step, who)| who.is_there(*step))
        .collect();
    let next = AtomicUsize::new(0);
    let seen = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some((step, who)) = cells.get(next.fetch_add(1, Ordering::SeqCst)) {
                    println!("{step:?} × {who:?}");
                    let cell = try_one(*step, *who);
                    seen.lock().unwrap().push((*step, *who, cell));
                }
            });
        }
    });
    let mut seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), cells.len(), "a cell failed");
    seen.sort_by_key(|(step, who, _)| cells.iter().position(|cell| *cell == (*step, *who)));
    let mut rows: Vec<_> = seen.iter().map(|(step, who, seen)| row(step.words(), *who, seen)).collect();
    rows.extend(recording::rows());
    compare(&rows);
}

fn try_one(step: Step, who: Who) -> Seen {
    let mut world = World::at(step, who);
    let client = match who {
        Who::Service => service_dies(&mut world, step),
        Who::Tray => {
            tray_dies(&mut world);
            goes_on(&mut world, step)
        }
        Who::Host => host_dies(&mut world),
        Who::Client => {
            world.pending = None;
            "—".to_owned()
        }
        Who::Connection => {
            world.ask_again();
            world.walk_to(Step::Done);
            "signed, when it asks again".to_owned()
        }
    };
    if who == Who::Client && step == Step::Signing {
        // Nothing interrupts a key at work; what it makes is thrown away.
        world.let_sign();
    }
    let trail = trail_of(&world, step, who);
    assert!(names_in_spool(&world).is_empty());
    if world.service.is_none() {
        world.start_again();
        assert!(names_in_spool(&world).is_empty());
    }
    world.go_on();
    world.sign_afresh();
    if client.contains("unavailable") || client.contains("failed") || who == Who::Client {
        until("no document is kept", || (open_documents(&world) == Some(0)).then_some(()));
    }
    let service = world.service.take().expect("a service runs");
    assert!(service.stop().success());
    world.login.trail();
    Seen { client, trail }
}

fn service_dies(world: &mut World, step: Step) -> String {
    world.service.take().expect("a service runs").kill();
    world.tray = Tray::Nobody;
    if let Some(pending) = world.pending.take() {
        return lost(&[std::mem::take(&mut world.downloaded), pending.rest()].concat());
    }
    // Nothing was under way: what the client finds when it asks for what it knows.
    world.start_again();
    let line = match (&world.request, &world.document) {
        (Some(request), _) if step >= Step::Signed => format!("GET /ccsp/v1/signatures/{request}"),
        (None, Some(document)) => format!("GET /ccsp/v1/documents/{document}"),
        (Some(_) | None, _) => "GET /ccsp/v1/pairings/current".to_owned(),
    };
    let answer = world.page.as_ref().expect("a page").ask(&line);
    if answer.status == 200 { "its pairing holds".to_owned() } else { refusal(&answer) }
}

/// Of an answer that cannot be whole.
fn lost(answer: &[u8]) -> String {
    assert!(Answer::parse(answer).is_none(), "a whole answer of a dead service");
    let less = if answer.is_empty() { "" } else { ", less than announced" };
    format!("connection lost{less}")
}

fn refusal(answer: &Answer) -> String {
    let (status, code) = answer.refusal();
    format!("{status} `{code}`")
}

fn tray_dies(world: &mut World) {
    let gone = || world.login.log().matches("somebody who asked the person is gone").count();
    let before = gone();
    match &world.tray {
        Tray::Asking { process, .. } => {
            send_signal(*process, Signal::SIGKILL);
            until("the service notices", || (gone() > before).then_some(()));
        }
        Tray::Started(started) => send_signal(started.process, Signal::SIGKILL),
        Tray::Nobody => panic!("there is no tray"),
    }
    world.tray = Tray::Nobody;
}

/// What the client sees that waits for an answer; where nothing concerns it, the request goes on
/// to its end.
fn goes_on(world: &mut World, step: Step) -> String {
    match step {
        Step::PairingAsked | Step::PairingShown => {
            refusal(&world.pending.take().and_then(Pending::answer).expect("an answer"))
        }
        Step::SignatureAsked | Step::SignatureShown | Step::Confirmed | Step::SecretSent => outcome(world),
        Step::Connected
        | Step::Paired
        | Step::UploadHalf
        | Step::Uploaded
        | Step::Signing
        | Step::Signed
        | Step::DownloadHalf
        | Step::Done => {
            world.walk_to(Step::Done);
            "signed".to_owned()
        }
    }
}

fn host_dies(world: &mut World) -> String {
    let hosts = world.service().hosts();
    assert!(!hosts.is_empty(), "there is a token host");
    for host in hosts {
        send_signal(host, Signal::SIGKILL);
    }
    world.say_yes_if_asked();
    outcome(world)
}

/// How a request for a signature ended that brought none.
fn outcome(world: &mut World) -> String {
    let told = world.pending.take().and_then(Pending::answer).expect("an answer").json();
    let (state, code) = state_and_code(&told);
    assert!(told["items"][0]["content"].is_null(), "{told}");
    let line = format!("GET /ccsp/v1/signatures/{}/items/1/content", told["id"].as_str().expect("an id"));
    let code = code.expect("a code");
    assert_eq!(world.page.as_ref().expect("a page").ask(&line).code(), code);
    format!("{state} `{code}`")
}

/// What the trail says of the request that a step belongs to.
fn trail_of(world: &World, step: Step, who: Who) -> String {
    let kind = match step {
        Step::Connected | Step::UploadHalf | Step::Uploaded => return "—".to_owned(),
        Step::PairingAsked | Step::PairingShown | Step::Paired => Kind::Pairing,
        Step::SignatureAsked
        | Step::SignatureShown
        | Step::Confirmed
        | Step::SecretSent
        | Step::Signing
        | Step::Signed
        | Step::DownloadHalf
        | Step::Done => Kind::Signature,
    };
    let last = || {
        let trail = world.login.trail_so_far()?;
        let mut records = trail.iter().filter(|record| record.entry.kind == kind);
        assert_eq!(
            records.next().map(|record| record.entry.event),
            Some(Event::Intent),
            "the intent is first"
        );
        Some(match records.next().map(|record| record.entry.event) {
            None => None,
            Some(Event::Outcome(Outcome::Failed(code))) => Some(format!("failed `{code}`")),
            Some(Event::Outcome(outcome)) => Some(outcome.as_str().to_owned()),
            Some(Event::Intent) => panic!("a second intent"),
        })
    };
    // Of a client that is gone nobody is told when all is settled.
    let last = until("the outcome", || last().filter(|last| last.is_some() || who == Who::Service));
    last.unwrap_or_else(|| "intent only".to_owned())
}

fn names_in_spool(world: &World) -> Vec<fs::DirEntry> {
    fs::read_dir(world.login.spool()).unwrap().map(Result::unwrap).collect()
}

/// How many documents without a name the service holds; nothing where that cannot be seen.
fn open_documents(world: &World) -> Option<usize> {
    let descriptors = match fs::read_dir(format!("/proc/{}/fd", world.service().process())) {
        // A service that is closed to others of its login shows nothing to this test.
        Err(_) => return Some(0),
        Ok(descriptors) => descriptors,
    };
    let links = descriptors.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    Some(links.filter(|link| link.starts_with(world.login.spool())).count())
}

fn row(step: &str, who: Who, Seen { client, trail }: &Seen) -> String {
    format!("| {step} | {} | {client} | {trail} |\n", who.words())
}

const INTRODUCTION: &str = "# Who dies when, and what is left

Each row is tried with real processes by `tests/reliability.rs`, which also wrote this table.
After each of them the same holds, and is tested: no part of a signed document leaves, nothing is left in the spool, the audit trail is one unbroken chain, and the next request is signed.

- *service*: the service is killed, and its token hosts die with it; the audit trail is as the next service finds it.
- *tray*: the window is killed; a terminal agent that goes away is the same.
- *token host*: the process that holds the key is killed.
- *client*: the one connection ends that carries the document there and the signature back; it takes its question along.
- *connection only*: the connection ends of a client that asks for its request again.
- *intent only*: the request was written down before anybody was asked, and nobody knows its end, so none is invented.

A dash says that there is nobody to see it, or nothing to write down.
A key at work is not interrupted: where its client is gone meanwhile, what it made is thrown away, and the trail says that it was made.
Uploaded documents and requests end with the service; a pairing that the person gave for ever does not.

| Reached | Dies | The client sees | The audit trail says |
| --- | --- | --- | --- |
";

/// Rows that could not be tried here are taken as they stand.
fn compare(rows: &[String]) {
    let path = repository().join("docs/reliability.md");
    let text = format!("{INTRODUCTION}{}", rows.concat());
    if std::env::var_os("SIGNER_UPDATE_DOCUMENTS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap_or_default();
    let stored = if recording::is_possible() { stored.as_str() } else { recording::without(&stored) };
    for (stored, seen) in stored.lines().zip(text.lines()) {
        assert_eq!(stored, seen, "docs/reliability.md: run with SIGNER_UPDATE_DOCUMENTS=1");
    }
    assert!(stored == text, "docs/reliability.md is not what was seen: run with SIGNER_UPDATE_DOCUMENTS=1");
}
