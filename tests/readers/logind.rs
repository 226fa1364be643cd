//! A bus of a test's own with somebody on it who speaks as logind does.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    time::{Duration, Instant},
};

use signer_tests::left_out;
use zbus::{blocking, interface, zvariant::OwnedObjectPath};

const LOGINS: &str = "/org/freedesktop/login1";
const SESSION: &str = "/org/freedesktop/login1/session/_31";

/// The bus. Both end when it is dropped.
pub(crate) struct Logind {
    bus: Child,
    address: String,
    connection: blocking::Connection,
    asked: Arc<(Mutex<bool>, Condvar)>,
}

struct Logins;

struct Session {
    asked: Arc<(Mutex<bool>, Condvar)>,
}

#[interface(name = "org.freedesktop.login1.Manager")]
impl Logins {
    #[zbus(name = "GetSessionByPID")]
    fn get_session_by_pid(&self, _process: u32) -> OwnedObjectPath {
        OwnedObjectPath::try_from(SESSION).unwrap()
    }
}

#[interface(name = "org.freedesktop.login1.Session")]
impl Session {
    /// Asked last by whoever watches: from then on it hears.
    #[zbus(property)]
    fn locked_hint(&self) -> bool {
        *self.asked.0.lock().unwrap() = true;
        self.asked.1.notify_all();
        false
    }
}

impl Logind {
    /// Starts both; `None`, with a printed reason, where there is no `dbus-daemon`.
    pub(crate) fn start() -> Option<Self> {
        let started = Command::new("dbus-daemon")
            .args(["--session", "--nofork", "--print-address"])
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut bus) = started else {
            left_out("dbus-daemon is not installed: run `cargo xtask setup`");
            return None;
        };
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        let asked = Arc::<(Mutex<bool>, Condvar)>::default();
        let connection = blocking::connection::Builder::address(address.as_str())
            .unwrap()
            .serve_at(LOGINS, Logins)
            .unwrap()
            .serve_at(SESSION, Session { asked: Arc::clone(&asked) })
            .unwrap()
            .name("org.freedesktop.login1")
            .unwrap()
            .build()
            .unwrap();
        Some(Self { bus, address, connection, asked })
    }

    /// Where the bus is.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Waits until somebody asked whether the session is locked.
    pub(crate) fn is_asked(&self, patience: Duration) {
        let end = Instant::now() + patience;
        let mut asked = self.asked.0.lock().unwrap();
        while !*asked {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "somebody watches");
            asked = self.asked.1.wait_timeout(asked, left).unwrap().0;
        }
    }

    /// Tells that the computer is about to sleep.
    pub(crate) fn suspend(&self) {
        let (interface, signal) = ("org.freedesktop.login1.Manager", "PrepareForSleep");
        self.connection.emit_signal(None::<&str>, LOGINS, interface, signal, &(true,)).unwrap();
    }
}

impl Drop for Logind {
    fn drop(&mut self) {
        let _ = self.bus.kill();
        let _ = self.bus.wait();
    }
}
