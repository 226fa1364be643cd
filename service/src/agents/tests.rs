//! Who is let in at the endpoint, and what becomes of those who do not read.

use std::{
    sync::mpsc::{Receiver, RecvTimeoutError},
    thread::JoinHandle,
};

use signer_ipc::{
    login::{self, EndpointName, GreetingError},
    message::read_to_tray,
};

use super::*;

/// A test that waits longer is broken.
const PATIENCE: Duration = Duration::from_secs(120);
const ONE_TIME: [u8; ONE_TIME_LEN] = [0x5a; ONE_TIME_LEN];

struct Door {
    agents: Agents,
    heard: Receiver<Heard>,
    endpoint: EndpointName,
    _place: tempfile::TempDir,
}

impl Door {
    fn open(terminal: TerminalUse) -> Self {
        let place = tempfile::tempdir().unwrap();
        let endpoint = login::name(place.path()).unwrap();
        let (hear, heard) = mpsc::channel();
        let hear = Mutex::new(hear);
        let agents = Agents::new(terminal, Language::English, move |heard| {
            // A test that is over hears nothing.
            let _ = hear.lock().unwrap().send(heard);
        });
        agents.listen(LoginListener::bind(&endpoint).unwrap()).unwrap();
        Self { agents, heard, endpoint, _place: place }
    }

    fn hear(&self) -> Heard {
        self.heard.recv_timeout(PATIENCE).unwrap()
    }

    /// The code with which a greeting is refused; nothing where it is let in.
    fn refusal(&self, role: Role, one_time: &[u8]) -> Option<String> {
        match login::connect(&self.endpoint).unwrap().greet(role, one_time.to_vec()) {
            Ok(()) => None,
            Err(GreetingError::Refused { code, words, .. }) => {
                assert!(!words.is_empty());
                Some(code)
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn terminal(&self) -> (Connection, AgentId) {
        let mut connection = login::connect(&self.endpoint).unwrap();
        connection.greet(Role::Terminal, Vec::new()).unwrap();
        let Heard::Joined { agent, role: Role::Terminal, .. } = self.hear() else { panic!("nobody joined") };
        (connection, agent)
    }
}

fn own() -> Peer {
    Peer { user: PeerUser::Own, process: 7 }
}

fn greeting(role: Role) -> Greeting {
    Greeting { version: PROTOCOL_VERSION, role, one_time: ONE_TIME.to_vec() }
}

#[test]
fn another_login_is_refused_before_it_is_heard() {
    let door = Door::open(TerminalUse::Fallback);
    door.agents.invite(Invited { process: 7, one_time: ONE_TIME });
    let stranger = Peer { user: PeerUser::Other, ..own() };
    let judged = door.agents.judge(&stranger, || panic!("it is not listened to"));
    assert_eq!(judged, Err(Refusal::OtherLogin));
    // It used nothing up.
    assert_eq!(door.agents.judge(&own(), || Some(greeting(Role::Tray))), Ok(Some(Role::Tray)));
}

#[test]
fn another_version_is_refused_with_its_number() {
    let door = Door::open(TerminalUse::Fallback);
    for role in [Role::Tray, Role::Terminal] {
        let newer = Greeting { version: PROTOCOL_VERSION + 1, ..greeting(role) };
        let judged = door.agents.judge(&own(), || Some(newer));
        assert_eq!(judged, Err(Refusal::Version { theirs: PROTOCOL_VERSION + 1 }));
    }
    assert_eq!(door.agents.judge(&own(), || None), Ok(None));
}

#[test]
fn the_tray_is_the_process_that_was_invited_and_only_once() {
    let door = Door::open(TerminalUse::Fallback);
    let value = ONE_TIME.as_slice();
    let refused = Some("tray-unavailable".to_owned());
    assert_eq!(door.refusal(Role::Tray, value), refused, "nobody was invited");

    // Another process with the right value: the kernel says who it is, and it uses nothing up.
    door.agents.invite(Invited { process: std::process::id() + 1, one_time: ONE_TIME });
    assert_eq!(door.refusal(Role::Tray, value), refused);
    let invited = Peer { process: std::process::id() + 1, ..own() };
    assert_eq!(door.agents.judge(&invited, || Some(greeting(Role::Tray))), Ok(Some(Role::Tray)));

    door.agents.invite(Invited { process: std::process::id(), one_time: ONE_TIME });
    for wrong in [&[][..], &value[1..], &[0; ONE_TIME_LEN]] {
        assert_eq!(door.refusal(Role::Tray, wrong), refused);
    }
    assert_eq!(door.refusal(Role::Tray, value), None);
    assert_eq!(door.refusal(Role::Tray, value), refused, "it works once");

    door.agents.invite(Invited { process: std::process::id(), one_time: ONE_TIME });
    door.agents.uninvite(std::process::id() + 1);
    door.agents.uninvite(std::process::id());
    assert_eq!(door.refusal(Role::Tray, value), refused, "the invitation was taken back");
}

#[test]
fn a_terminal_is_let_in_where_it_is_wanted() {
    for (terminal, refused) in [
        (TerminalUse::Fallback, None),
        (TerminalUse::First, None),
        (TerminalUse::Never, Some("tray-unavailable".to_owned())),
    ] {
        assert_eq!(Door::open(terminal).refusal(Role::Terminal, &[]), refused, "{terminal:?}");
    }
}

#[test]
fn whoever_hears_that_it_was_let_in_can_be_asked_already() {
    let door = Door::open(TerminalUse::Fallback);
    for _ in 0..100 {
        let mut connection = login::connect(&door.endpoint).unwrap();
        connection.greet(Role::Terminal, Vec::new()).unwrap();
        let Heard::Joined { agent, .. } = door.heard.try_recv().unwrap() else { panic!("nobody joined") };
        assert_eq!(door.agents.latest(Role::Terminal), Some(agent));
        drop(connection);
        assert!(matches!(door.hear(), Heard::Left { agent: left, .. } if left == agent));
    }
}

#[test]
fn whoever_comes_too_many_is_refused_until_one_leaves() {
    let door = Door::open(TerminalUse::Fallback);
    let mut terminals: Vec<_> = (0..MOST_CONNECTIONS).map(|_| door.terminal()).collect();
    assert_eq!(door.refusal(Role::Terminal, &[]), Some("too-many-requests".to_owned()));
    let (gone, left) = terminals.pop().unwrap();
    drop(gone);
    assert!(matches!(door.hear(), Heard::Left { agent, .. } if agent == left));
    let end = std::time::Instant::now() + PATIENCE;
    // Its place is free a moment after it was heard to leave.
    while door.refusal(Role::Terminal, &[]).is_some() {
        assert!(std::time::Instant::now() < end);
        thread::yield_now();
    }
}

#[test]
fn one_that_does_not_read_is_cut_off_and_holds_up_nobody() {
    let door = Door::open(TerminalUse::Fallback);
    let (silent, agent) = door.terminal();
    let (mut reading, other) = door.terminal();
    let present = |approval| ToTray::Present { approval, deadline_ms: 1, unlocks: Vec::new(), waiting: 0 };
    // The first of these waits in the socket for ever.
    for approval in 0..2 * MOST_UNREAD as u64 {
        door.agents.say(agent, present(approval), Some(vec![b'x'; 1 << 20]));
    }
    assert!(matches!(door.hear(), Heard::Left { agent: gone, .. } if gone == agent));
    assert_eq!(door.agents.latest(Role::Terminal), Some(other));
    door.agents.say(other, present(1), Some(vec![b'x'; 1 << 20]));
    assert_eq!(read_to_tray(&mut reading).unwrap().0, present(1));
    drop(silent);
}

#[test]
fn one_that_stops_reading_in_the_middle_is_cut_off_in_time() {
    let door = Door::open(TerminalUse::Fallback);
    let (silent, agent) = door.terminal();
    let present = ToTray::Present { approval: 1, deadline_ms: 1, unlocks: Vec::new(), waiting: 0 };
    door.agents.say(agent, present, Some(vec![b'x'; 16 << 20]));
    // One message that is never read does not fill the line, and ends all the same.
    assert!(matches!(door.hear(), Heard::Left { agent: gone, .. } if gone == agent));
    drop(silent);
}

#[test]
fn one_that_is_sent_away_hears_the_last_word() {
    let door = Door::open(TerminalUse::Fallback);
    let (mut connection, agent) = door.terminal();
    let listening: JoinHandle<Vec<ToTray>> = thread::spawn(move || {
        std::iter::from_fn(|| read_to_tray(&mut connection).ok().map(|(message, _)| message)).collect()
    });
    door.agents.say(agent, ToTray::Waiting { waiting: 1 }, None);
    door.agents.dismiss_all(Role::Terminal);
    door.agents.say(agent, ToTray::Waiting { waiting: 2 }, None);
    assert_eq!(listening.join().unwrap(), [ToTray::Waiting { waiting: 1 }]);
    assert!(matches!(door.hear(), Heard::Left { .. }));
    assert!(matches!(door.heard.recv_timeout(Duration::ZERO), Err(RecvTimeoutError::Timeout)));
}
