//! Two sides of a login's endpoint: what is let in, and what is refused and how.

use std::{io::Write as _, thread, time::Instant};

use super::*;
use crate::{
    frame::{self, FrameKind},
    message,
};

/// A folder that is gone with the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ccs-{}-{name}", std::process::id()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Both ends of a new connection: the agent's and the service's.
fn pair(folder: &Folder) -> (Connection, Connection) {
    let name = name(&folder.0).unwrap();
    let listener = LoginListener::bind(&name).unwrap();
    let agent = connect(&name).unwrap();
    (agent, listener.accept().unwrap())
}

#[test]
fn the_kernel_says_who_it_is() {
    let folder = Folder::new("peer");
    let (agent, service) = pair(&folder);
    let own = Peer { user: peer::PeerUser::Own, process: std::process::id() };
    assert_eq!(service.peer().unwrap(), own);
    assert_eq!(agent.peer().unwrap(), own);
}

#[test]
fn only_the_login_can_enter() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new("mode");
    let name = name(&folder.0).unwrap();
    let _listener = LoginListener::bind(&name).unwrap();
    assert_eq!(std::fs::metadata(name.as_str()).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(LoginListener::bind(&name).is_err(), "a name is taken once");
    remove(&name).unwrap();
    remove(&name).unwrap();
    assert!(connect(&name).is_err());
}

#[test]
fn both_greet_and_go_on() {
    let folder = Folder::new("greet");
    let (mut agent, mut service) = pair(&folder);
    let greeting = thread::spawn(move || {
        agent.greet(Role::Tray, vec![7; message::ONE_TIME_LEN]).unwrap();
        agent
    });
    let heard = service.read_greeting().unwrap();
    let expected =
        Greeting { version: PROTOCOL_VERSION, role: Role::Tray, one_time: vec![7; message::ONE_TIME_LEN] };
    assert_eq!(heard, expected);
    service.welcome().unwrap();
    let mut agent = greeting.join().unwrap();
    write_to_tray(&mut service, &ToTray::Waiting { waiting: 3 }, None).unwrap();
    assert_eq!(read_to_tray(&mut agent).unwrap().0, ToTray::Waiting { waiting: 3 });
}

#[test]
fn an_agent_of_a_newer_version_is_refused_in_words() {
    let folder = Folder::new("newer");
    let (mut agent, mut service) = pair(&folder);
    // What a later version may add to its greeting does not matter.
    let header = br#"{"message":"hello","version":2,"role":"terminal","colour":"green"}"#;
    frame::write(&mut agent, FrameKind::Header, header).unwrap();
    frame::write(&mut agent, FrameKind::Bytes, &[]).unwrap();
    assert_eq!(service.read_greeting().unwrap().version, 2);
    service.refuse("protocol-mismatch", "As versões são diferentes.").unwrap();
    let (refusal, _) = read_to_tray(&mut agent).unwrap();
    let ToTray::Refused { version, code, words } = refusal else { panic!("{refusal:?}") };
    assert_eq!((version, code.as_str()), (PROTOCOL_VERSION, "protocol-mismatch"));
    assert_eq!(words, "As versões são diferentes.");
}

#[test]
fn a_service_of_a_newer_version_refuses_in_words_that_are_understood() {
    let folder = Folder::new("older");
    let (mut agent, mut service) = pair(&folder);
    let header =
        br#"{"message":"refused","version":2,"code":"protocol-mismatch","words":"Update.","link":"x"}"#;
    frame::write(&mut service, FrameKind::Header, header).unwrap();
    let error = agent.greet(Role::Terminal, Vec::new()).unwrap_err();
    let GreetingError::Refused { version: 2, words, .. } = &error else { panic!("{error:?}") };
    assert_eq!(words, "Update.");
    assert!(error.to_string().contains("Update."));
}

#[test]
fn a_service_that_welcomes_in_another_version_is_left() {
    let folder = Folder::new("other");
    let (mut agent, mut service) = pair(&folder);
    write_to_tray(&mut service, &ToTray::Hello { version: 7 }, None).unwrap();
    assert!(matches!(agent.greet(Role::Terminal, Vec::new()), Err(GreetingError::Unexpected)));
}

#[test]
fn what_is_no_greeting_is_refused_and_silence_ends() {
    let folder = Folder::new("silent");
    let name = name(&folder.0).unwrap();
    let listener = LoginListener::bind(&name).unwrap();

    let mut agent = connect(&name).unwrap();
    let denied = FromTray::Denied { approval: 1, lasting: message::Lasting::Once };
    write_from_tray(&mut agent, &denied, &TrayAttachment::Nothing).unwrap();
    assert!(matches!(listener.accept().unwrap().read_greeting(), Err(MessageError::Malformed)));

    let mut trickle = connect(&name).unwrap();
    let service = listener.accept().unwrap();
    trickle.write_all(&[1, 0, 0]).unwrap();
    let start = Instant::now();
    assert!(service.read_greeting().is_err());
    assert!((GREETING..GREETING * 2).contains(&start.elapsed()));
    drop(trickle);
}

#[test]
fn a_closed_connection_ends_a_read_that_waits() {
    let folder = Folder::new("close");
    let (_agent, service) = pair(&folder);
    let mut reading = service.clone();
    let reader = thread::spawn(move || read_from_tray(&mut reading).is_err());
    service.close();
    assert!(reader.join().unwrap());
}

#[test]
fn a_write_to_somebody_who_does_not_read_ends() {
    let folder = Folder::new("write");
    let (agent, mut service) = pair(&folder);
    let limit = Duration::from_millis(100);
    service.limit_writes(limit).unwrap();
    let start = Instant::now();
    // More than any system holds for a socket.
    assert!(service.write_all(&vec![0; 64 << 20]).is_err());
    assert!(start.elapsed() >= limit);
    drop(agent);
}

#[test]
fn a_closed_connection_ends_a_write_that_waits() {
    let folder = Folder::new("close-write");
    let (_agent, service) = pair(&folder);
    let mut writing = service.clone();
    let writer = thread::spawn(move || writing.write_all(&vec![0; 64 << 20]).is_err());
    service.close();
    assert!(writer.join().unwrap());
}
