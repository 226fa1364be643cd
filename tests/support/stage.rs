//! Where a test plays the tray that the service starts: a program of the tests that reports here
//! and passes on what the test says.

use std::{
    cell::RefCell,
    io::{self, BufRead as _, BufReader, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::OnceLock,
};

use signer_ipc::{
    invitation::Invitation,
    message::{PROTOCOL_VERSION, Role},
};

use crate::{
    agent::{Agent, NotLetIn, Wire},
    build_example,
    service::{Login, until},
};

/// Where trays of the tests report, started by a service whose [`Login`] names them.
pub struct Stage {
    listener: UnixListener,
    /// Those that reported while another one was waited for.
    others: RefCell<Vec<StartedTray>>,
}

/// A tray that the service started, before it connects. Dropped, it ends.
pub struct StartedTray {
    /// Its process.
    pub process: u32,
    /// What the service gave it.
    pub invitation: Invitation,
    control: UnixStream,
}

impl Stage {
    /// The tray of this login is from now on a program of the tests, and the login has a display
    /// as far as its service can see.
    ///
    /// # Panics
    /// Where the program does not build.
    pub fn set(login: &mut Login, settings: &str) -> Self {
        let place = login.path("stage");
        let listener = UnixListener::bind(&place).expect("a socket");
        login.configure(&format!("[ask]\ntray = {:?}\n{settings}", program()));
        login.set("DISPLAY", ":no-such-display");
        login.set("FAKE_TRAY", place);
        Self { listener, others: RefCell::default() }
    }

    /// The next tray that is started, or reports once more.
    ///
    /// # Panics
    /// Where none is.
    pub fn next(&self) -> StartedTray {
        let other = self.others.borrow_mut().pop();
        other.unwrap_or_else(|| self.accept())
    }

    /// The tray of this process, when it reports once more: after everything that it was told.
    ///
    /// # Panics
    /// Where it does not.
    pub fn next_of(&self, process: u32) -> StartedTray {
        let known = |others: &Vec<StartedTray>| others.iter().position(|other| other.process == process);
        let mut others = self.others.borrow_mut();
        loop {
            if let Some(index) = known(&others) {
                return others.remove(index);
            }
            others.push(self.accept());
        }
    }

    fn accept(&self) -> StartedTray {
        self.listener.set_nonblocking(true).expect("a socket");
        let control = until("a tray is started", || match self.listener.accept() {
            Ok((control, _)) => Some(control),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
            Err(error) => panic!("{error}"),
        });
        control.set_nonblocking(false).expect("a socket");
        let mut lines = BufReader::new(control.try_clone().expect("a descriptor"));
        let (mut process, mut invitation) = (String::new(), String::new());
        lines.read_line(&mut process).expect("the tray reports");
        lines.read_line(&mut invitation).expect("the tray reports");
        StartedTray {
            process: process.trim().parse().expect("a number"),
            invitation: Invitation::read(invitation.as_bytes()).expect("an invitation"),
            control,
        }
    }
}

/// The tray of the tests.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| build_example("fake_tray").join("fake_tray"))
}

impl StartedTray {
    /// Lets it connect and greet as it should. It ends with that connection.
    ///
    /// # Errors
    /// Where it is not let in.
    ///
    /// # Panics
    /// Where the tray is gone.
    pub fn connect(mut self) -> Result<Agent, NotLetIn> {
        self.tell("connect");
        let one_time = self.invitation.one_time.to_vec();
        Agent::greet_on(Wire::Relayed(self.control.into()), PROTOCOL_VERSION, Role::Tray, one_time)
    }

    /// Lets it connect and greet in any way. It reports once more.
    ///
    /// # Errors
    /// Where it is not let in.
    ///
    /// # Panics
    /// Where the tray is gone.
    pub fn greet(mut self, version: u32, one_time: Vec<u8>) -> Result<Agent, NotLetIn> {
        self.tell("try");
        Agent::greet_on(Wire::Relayed(self.control.into()), version, Role::Tray, one_time)
    }

    /// Lets it do something else: `child` starts the tray once more, as its own child, which
    /// reports; `exit N` ends it.
    ///
    /// # Panics
    /// Where the tray is gone.
    pub fn tell(&mut self, what: &str) {
        writeln!(self.control, "{what}").expect("the tray hears");
    }
}
