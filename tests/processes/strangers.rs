//! Another user of the machine: on the endpoint, and over HTTP.

use std::{
    fs,
    net::TcpListener,
    os::unix::{fs::PermissionsExt as _, net::UnixListener, process::CommandExt as _},
    process::Command,
};

use signer_ipc::{login::EndpointName, message::Lasting};
use signer_tests::{agent::Agent, page::Page, processes::copied, service::Login, stage};

use crate::{KEY, ends, ends::inheriting, signs};

/// `nobody`.
const STRANGER: u32 = 65534;

/// Proves A19.
#[test]
fn another_user_is_refused_on_both_ways() {
    if !nix::unistd::geteuid().is_root() {
        println!("left out: only root can try to be somebody else");
        return;
    }
    let login = Login::with_key(KEY);
    fs::create_dir(login.runtime()).unwrap();
    // The system's manager made an endpoint that everybody can reach: the peers are looked at.
    let place = tempfile::tempdir().unwrap();
    let everybody = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    everybody(place.path(), 0o755);
    let (path, program) = (place.path().join("open.sock"), place.path().join("stranger"));
    let endpoint = UnixListener::bind(&path).unwrap();
    everybody(&path, 0o666);
    copied(stage::program(), &program);
    let http = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let mut command = inheriting(&login, endpoint, http);
    command.arg("serve");
    let service = login.start_as(command);
    let run = |user: u32, words: &[&str]| {
        let mut command = Command::new(&program);
        command.args(words);
        let output = command.uid(user).gid(user).current_dir("/").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let (address, path) = (service.address.to_string(), path.to_str().unwrap().to_owned());
    let said = run(STRANGER, &["greet", &path]);
    assert!(said.contains("other-login") && said.contains("another user"), "{said}");
    let said = run(STRANGER, &["get", &address]);
    assert!(said.starts_with("HTTP/1.1 403") && said.contains("\"other-login\""), "{said}");
    // The same programs of this user are let in.
    assert_eq!(run(0, &["greet", &path]), "let in\n");
    assert!(run(0, &["get", &address]).starts_with("HTTP/1.1 200"));
    let mut agent = Agent::terminal(&EndpointName::from_text(path));
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    signs(&page, &mut agent);
    assert_eq!(ends(&login.trail()), ["approved", "approved"]);
    drop(service);
    // An endpoint of our own cannot even be reached.
    let service = login.start();
    let endpoint = login.endpoint();
    let reach = Command::new(&program)
        .args(["greet", endpoint.as_str()])
        .uid(STRANGER)
        .gid(STRANGER)
        .current_dir("/")
        .output()
        .unwrap();
    assert!(!reach.status.success(), "{reach:?}");
    assert!(String::from_utf8_lossy(&reach.stderr).contains("PermissionDenied"), "{reach:?}");
    drop(service);
}
