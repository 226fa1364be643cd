//! A desk with everything real but the window: the tray is this test program started again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc::Receiver,
    time::Instant,
};

use signer_core::{
    approval::summary::{Client, Scope},
    audit,
    digest::DigestAlgorithm,
};
use signer_ipc::{
    invitation::Invitation,
    login::{self, Connection, EndpointName, LoginListener},
    message::{FromTray, SecretAttached, ToTray, TrayAttachment, read_to_tray, write_from_tray},
};

use super::super::*;
use crate::{
    audit::trail::{self, Found},
    dirs::Dirs,
    ports::RequestSubject,
    token::modules::quarantine::Quarantine,
};

/// A test that waits longer is broken.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);
/// What the tray of these tests is to do.
const BEHAVIOUR: &str = "SIGNER_TEST_TRAY";
/// Where it tells its process.
const PROCESSES: &str = "SIGNER_TEST_TRAYS";

/// What the tray of a test does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Tray {
    /// Says yes to a digest that nobody showed it.
    Careless,
    /// Fails before it connects.
    Crashes,
    /// Is not installed.
    Missing,
    /// Says no.
    No,
    /// Finds no display.
    NoDisplay,
    /// Dies when it is to show something.
    Dies,
    /// Stops for ever when it is to show something.
    Stops,
    /// Stops for ever before it connects.
    StopsEarly,
    /// Shows it and waits.
    Waits,
    /// Says yes.
    Yes,
}

/// What an agent is told, and the summary that came with it.
pub(super) type Told = (ToTray, Option<Vec<u8>>);

/// A desk and its surroundings.
pub(super) struct Stage {
    pub(super) desk: ApprovalDesk,
    endpoint: EndpointName,
    place: tempfile::TempDir,
}

impl Stage {
    pub(super) fn with(tray: Tray, config: &Config) -> Self {
        let place = tempfile::tempdir().unwrap();
        let dirs = Dirs::within(place.path());
        let endpoint = login::name(place.path()).unwrap();
        let missing = matches!(tray, Tray::Missing);
        let program = if missing { place.path().join("missing") } else { script(place.path()) };
        let variables = vec![
            (BEHAVIOUR.to_owned(), format!("{tray:?}")),
            (PROCESSES.to_owned(), place.path().join("trays").display().to_string()),
        ];
        let credentials = CredentialStore::new(
            dirs.credentials_file(),
            Quarantine::open(dirs.quarantine_file()),
            PathBuf::from("/nowhere/host"),
            config,
        );
        let parts = Parts {
            ledger: Ledger::new(dirs).unwrap(),
            credentials,
            tray: TrayProgram::within(program, endpoint.clone(), variables),
            language: Language::English,
        };
        let desk = ApprovalDesk::start(config, parts).unwrap();
        desk.agents().listen(LoginListener::bind(&endpoint).unwrap()).unwrap();
        Self { desk, endpoint, place }
    }

    pub(super) fn ask(&self, subject: RequestSubject) -> ApprovalHandle {
        self.try_ask("https://a.example", subject).unwrap()
    }

    pub(super) fn try_ask(&self, origin: &str, subject: RequestSubject) -> Result<ApprovalHandle, ErrorCode> {
        let client = Client::Site { origin: origin.to_owned(), host: "a.example".to_owned() };
        self.desk.open(ApprovalRequest { client, subject })
    }

    /// A terminal that the person opened, and what it is told.
    pub(super) fn terminal(&self) -> (Connection, Receiver<Told>) {
        let mut connection = login::connect(&self.endpoint).unwrap();
        connection.greet(Role::Terminal, Vec::new()).unwrap();
        let (tell, told) = mpsc::channel();
        let mut reading = connection.clone();
        thread::spawn(move || while read_to_tray(&mut reading).is_ok_and(|told| tell.send(told).is_ok()) {});
        until(|| self.desk.agents().latest(Role::Terminal).is_some());
        (connection, told)
    }

    /// The trays that were started so far.
    pub(super) fn trays(&self) -> Vec<i32> {
        let text = fs::read_to_string(self.place.path().join("trays")).unwrap_or_default();
        text.lines().map(|line| line.parse().unwrap()).collect()
    }

    /// What is in the audit trail: kind and event of each record.
    pub(super) fn trail(&self) -> Vec<(audit::Kind, audit::Event)> {
        let mut records = Vec::new();
        let directory = Dirs::within(self.place.path()).audit_path();
        trail::read(&directory, |found| match found {
            Found::Record(record) => records.push((record.entry.kind, record.entry.event)),
            // Where it is being written.
            Found::Torn { .. } => {}
            Found::Break { fault, .. } => panic!("{fault}"),
        })
        .unwrap();
        records
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.desk.stop(Duration::from_secs(1));
    }
}

pub(super) fn pairing() -> RequestSubject {
    RequestSubject::Pairing { scopes: vec![Scope::Sign] }
}

/// How it ended.
pub(super) fn ended(mut asked: ApprovalHandle) -> Ended {
    until_state(&mut asked, |state| matches!(state, ApprovalState::Ended(_)));
    let state = asked.state.borrow();
    let ApprovalState::Ended(ended) = &*state else { panic!("{state:?}") };
    ended.clone()
}

pub(super) fn until_presented(asked: &mut ApprovalHandle) {
    until_state(asked, |state| matches!(state, ApprovalState::Presented));
}

fn until_state(asked: &mut ApprovalHandle, fits: impl Fn(&ApprovalState) -> bool) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let waited = async { tokio::time::timeout(PATIENCE, asked.state.wait_for(fits)).await.map(|_| ()) };
    runtime.block_on(waited).unwrap();
}

pub(super) fn until(condition: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "it does not come");
        thread::yield_now();
    }
}

pub(super) fn lives(process: i32) -> bool {
    let process = rustix::process::Pid::from_raw(process).unwrap();
    rustix::process::test_kill_process(process).is_ok()
}

/// The answer to what was shown.
pub(super) fn yes(approval: ApprovalNumber, summary: &[u8]) -> FromTray {
    let digest = DigestAlgorithm::Sha256.digest(summary);
    FromTray::Confirmed {
        approval,
        shown: digest.as_bytes().try_into().unwrap(),
        choice: None,
        secret: SecretAttached::No,
        lasting: Lasting::Always,
    }
}

/// Starts this test program as the tray. Written by another process: nobody may hold a program
/// open for writing that is started.
fn script(directory: &Path) -> PathBuf {
    let path = directory.join("tray");
    let program = std::env::current_exe().unwrap();
    let text = format!(
        "#!/bin/sh\nexec '{}' --exact approvals::tests::stage::the_tray_of_these_tests --nocapture\n",
        program.display()
    );
    let write = r#"printf '%s' "$2" > "$1" && chmod 700 "$1""#;
    let written = Command::new("sh").args(["-c", write, "sh"]).arg(&path).arg(text).status().unwrap();
    assert!(written.success());
    path
}

/// Not a test, but the tray of them, where it is started as one.
#[test]
fn the_tray_of_these_tests() {
    let Ok(behaviour) = std::env::var(BEHAVIOUR) else { return };
    let place = std::env::var(PROCESSES).unwrap();
    let mut processes = fs::OpenOptions::new().create(true).append(true).open(place).unwrap();
    std::io::Write::write_all(&mut processes, format!("{}\n", std::process::id()).as_bytes()).unwrap();
    match behaviour.as_str() {
        "Crashes" => std::process::exit(3),
        "NoDisplay" => std::process::exit(crate::tray::NO_DISPLAY),
        "StopsEarly" => loop {
            stop();
            // On a busy machine the system stops this thread a little later than the others.
            thread::park();
        },
        _ => {}
    }
    let invitation = Invitation::read(std::io::stdin().lock()).unwrap();
    let mut connection = login::connect(&invitation.endpoint).unwrap();
    connection.greet(Role::Tray, invitation.one_time.to_vec()).unwrap();
    while let Ok((message, summary)) = read_to_tray(&mut connection) {
        let (ToTray::Present { approval, .. }, Some(summary)) = (message, summary) else { continue };
        let answer = match behaviour.as_str() {
            "Careless" => yes(approval, b"something else"),
            "Dies" => std::process::exit(1),
            "No" => FromTray::Denied { approval, lasting: Lasting::Once },
            "Stops" => {
                stop();
                continue;
            }
            "Waits" => continue,
            "Yes" => yes(approval, &summary),
            other => panic!("{other}"),
        };
        write_from_tray(&mut connection, &answer, &TrayAttachment::Nothing).unwrap();
    }
    std::process::exit(0);
}

fn stop() {
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::STOP).unwrap();
}
