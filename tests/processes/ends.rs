//! How the service starts, and how it ends.

use std::{
    fs,
    net::TcpListener,
    os::{
        fd::OwnedFd,
        unix::{fs::PermissionsExt as _, net::UnixListener},
    },
    process::Command,
};

use signer_ipc::message::{Lasting, Outcome};
use signer_tests::{
    agent::Agent,
    page::Page,
    processes::children,
    service::{Login, until},
    signer_program,
};

use crate::{KEY, ends, pdf, signs, staged};

fn names(directory: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Proves A25.
#[test]
fn a_second_service_of_a_login_says_so_and_harms_nothing() {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    let presence = login.presence();
    let second = login.command().args(["serve", "--port", "0"]).output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{said}");
    assert!(said.contains("[service-running]"), "{said}");
    assert_eq!(login.presence(), presence);
    signs(&page, &mut agent);
    drop(Agent::terminal(&login.endpoint()));
}

#[test]
fn commands_that_look_for_the_service_do_not_keep_it_from_starting() {
    let login = Login::new();
    fs::create_dir(login.runtime()).unwrap();
    let runtime = login.runtime();
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let looker = std::thread::spawn(move || {
        while stopped.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            let _ = signer_service::serve::Presence::read(&runtime);
            std::thread::park_timeout(std::time::Duration::from_micros(100));
        }
    });
    for _ in 0..10 {
        assert!(login.start().stop().success());
        login.start().kill();
    }
    drop(stop);
    looker.join().unwrap();
}

/// Proves A25.
#[test]
fn told_to_stop_it_settles_what_waits_and_leaves_nothing() {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    page.upload(&pdf());
    let shown = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    let waiting = page.ask_to_sign(&page.upload(&pdf()));
    agent.hears_of_another();
    let process = service.process();
    assert!(service.stop().success());
    assert_eq!(agent.dismissed(&question), Outcome::Cancelled);
    for pending in [shown, waiting] {
        let answer = pending.answer().expect("an answer before the end").json();
        assert_eq!(answer["state"], "cancelled", "{answer}");
        assert_eq!(answer["error"]["code"], "approval-cancelled", "{answer}");
    }
    assert_eq!(names(&login.runtime()), ["service.lock"]);
    assert_eq!(names(&login.spool()), [""; 0]);
    assert_eq!(children(process), [0; 0]);
    let trail = ends(&login.trail());
    assert!(trail.starts_with(&["approved".to_owned(), "cancelled".to_owned()]), "{trail:?}");
}

/// Proves A25.
#[test]
fn killed_it_leaves_no_document_and_the_next_one_goes_on() {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let once = Page::let_in(&service, &mut agent, Lasting::Once);
    let mut always = Page::let_in(&service, &mut agent, Lasting::Always);
    always.upload(&pdf());
    let pending = always.ask_to_sign(&always.upload(&pdf()));
    agent.question();
    let hosts = service.hosts();
    assert_eq!(hosts.len(), 1);
    service.kill();
    assert_eq!(pending.answer(), None);
    until("its token host ends with it", || {
        hosts.iter().all(|host| !fs::exists(format!("/proc/{host}")).unwrap()).then_some(())
    });
    // Documents have no names; a name of an upload that was killed at its very beginning has none
    // either after the next start.
    assert_eq!(names(&login.spool()), [""; 0]);
    fs::write(login.spool().join(".upload-abc"), "a part").unwrap();
    assert!(login.runtime().join("service.sock").exists());

    let service = login.start();
    assert_eq!(names(&login.spool()), [""; 0]);
    let mut agent = Agent::terminal(&login.endpoint());
    always.address = service.address;
    let refused = Page { address: service.address, ..once };
    let answer = refused.ask("GET /ccsp/v1/pairings/current");
    assert_eq!(answer.refusal(), (401, "pairing-required".to_owned()));
    signs(&always, &mut agent);
    assert!(service.stop().success());
    assert_eq!(ends(&login.trail()), ["approved", "approved", "intent", "approved"]);
}

#[test]
fn sockets_of_the_systems_manager_are_used_and_left_to_it() {
    let login = Login::with_key(KEY);
    fs::create_dir(login.runtime()).unwrap();
    let path = login.path("run/manager.sock");
    let endpoint = UnixListener::bind(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let http = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = http.local_addr().unwrap();
    let mut command = inheriting(&login, endpoint.try_clone().unwrap(), http.try_clone().unwrap());
    command.args(["serve"]);
    let service = login.start_as(command);
    assert_eq!(service.address, address);
    assert!(!login.runtime().join("service.sock").exists(), "it made a second endpoint");
    let mut agent = Agent::terminal(&signer_ipc::login::EndpointName::from_text(
        path.to_str().expect("paths are text").to_owned(),
    ));
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    signs(&page, &mut agent);
    assert!(service.stop().success());
    assert!(path.exists(), "the manager's socket is the manager's");
    // The next one gets the same sockets.
    let mut command = inheriting(&login, endpoint, http);
    command.args(["serve"]);
    let service = login.start_as(command);
    assert_eq!(service.ask("GET /ccsp/v1/status", &[], b"").status, 200);
}

/// A command that becomes `cybercore-signer` with two sockets, as sd_listen_fds(3) wants them.
pub(crate) fn inheriting(login: &Login, endpoint: UnixListener, http: TcpListener) -> Command {
    let mut command = Command::new("sh");
    login.surround(&mut command);
    let script = "exec 3<&0 4<&1 </dev/null >/dev/null; LISTEN_PID=$$ LISTEN_FDS=2 exec \"$@\"";
    command.args(["-c", script, "sh"]).arg(signer_program());
    command.stdin(OwnedFd::from(endpoint)).stdout(OwnedFd::from(http));
    command
}

#[test]
fn a_key_that_is_unknown_is_told_with_the_one_that_was_meant() {
    let login = Login::new();
    login.configure("[ask]\nterminals = \"first\"\n");
    let ended = login.command().args(["serve", "--port", "0"]).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("[config-invalid]") && said.contains("config.toml:3"), "{said}");
    assert!(said.contains("`ask.terminals`; did you mean `ask.terminal`?"), "{said}");
    assert_eq!(names(&login.runtime()), [""; 0]);
}

#[test]
fn nothing_runs_beside_the_service_once_a_signature_is_done() {
    let (login, stage) = staged();
    let service = login.start();
    let pending = Page::ask_to_pair(&service);
    let mut tray = stage.next().connect().unwrap();
    let question = tray.question();
    tray.confirm(&question, None);
    let page = Page::of(&service, &pending.answer().unwrap());
    signs(&page, &mut tray);
    until("no token host is left", || service.hosts().is_empty().then_some(()));
    assert_eq!(children(service.process()).len(), 1, "the tray lingers, and nothing else");
    let process = service.process();
    assert!(service.stop().success());
    assert!(
        tray.hears()
            .is_none_or(|(message, _)| !matches!(message, signer_ipc::message::ToTray::Present { .. }))
    );
    assert_eq!(children(process), [0; 0]);
}
