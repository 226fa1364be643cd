//! The real window, invited by a service that is none: it presents what a test wants and hears
//! the answers.

use std::{
    io::{self, Write as _},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;
use signer_core::digest::DigestAlgorithm;
use signer_ipc::{
    invitation::Invitation,
    login::{self, Connection, LoginListener},
    message::{self, DIGEST_LEN, FromTray, MessageError, Role, ToTray, TrayAttachment, Unlock},
    peer::PeerUser,
};

use crate::{build, desktop::until, service::send_signal};

const ONE_TIME: [u8; 32] = [0x5a; 32];

/// A tray and the service's end of the connection to it.
pub struct Tray {
    child: Child,
    connection: Connection,
    heard: Receiver<Result<(FromTray, TrayAttachment), MessageError>>,
}

/// A summary's bytes and the digest that the answer must have.
pub struct Shown {
    /// What is presented.
    pub bytes: Vec<u8>,
    /// Its SHA-256.
    pub digest: [u8; DIGEST_LEN],
}

impl Shown {
    /// Takes the bytes of a summary.
    ///
    /// # Panics
    /// Never: a SHA-256 has its length.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        let digest = DigestAlgorithm::Sha256.digest(&bytes);
        Self { digest: digest.as_bytes().try_into().expect("a SHA-256"), bytes }
    }
}

/// The tray's program, built once for this test run.
pub fn program() -> &'static Path {
    static PROGRAM: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    PROGRAM.get_or_init(|| build("cybercore-signer-tray"))
}

impl Tray {
    /// Starts the tray in the surroundings of `command`, which runs [`program`], and waits until
    /// it has greeted. The endpoint lies in `directory`.
    ///
    /// # Panics
    /// Where it does not connect, or is not who it should be.
    pub fn start(command: &mut Command, directory: &Path, language: &str) -> Self {
        let folder = directory.join("endpoint");
        match std::fs::create_dir(&folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => panic!("no folder: {error}"),
            Ok(()) | Err(_) => {}
        }
        let endpoint = login::name(&folder).expect("the login has a name");
        // The one of a tray before this one.
        drop(login::remove(&endpoint));
        let listener = LoginListener::bind(&endpoint).expect("the endpoint is free");
        let invitation = Invitation { endpoint, one_time: ONE_TIME, language: language.to_owned() };
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the tray starts");
        let line = invitation.to_line().expect("an invitation is a line");
        let mut input = child.stdin.take().expect("its input is a pipe");
        input.write_all(line.as_bytes()).expect("the tray reads its invitation");
        drop(input);
        let (to, accepted) = mpsc::channel();
        thread::spawn(move || to.send(listener.accept()));
        let mut connection = accepted
            .recv_timeout(crate::desktop::PATIENCE)
            .expect("the tray connects")
            .expect("a connection");
        let peer = connection.peer().expect("the kernel knows");
        assert!(peer.process == child.id() && peer.user == PeerUser::Own, "{peer:?}");
        let greeting = connection.read_greeting().expect("the tray greets");
        assert!(greeting.role == Role::Tray && greeting.one_time == ONE_TIME, "{greeting:?}");
        connection.welcome().expect("the tray hears");
        let (to, heard) = mpsc::channel();
        let mut reader = connection.clone();
        thread::spawn(move || {
            loop {
                let message = message::read_from_tray(&mut reader);
                let over = message.is_err();
                if to.send(message).is_err() || over {
                    return;
                }
            }
        });
        Self { child, connection, heard }
    }

    /// The tray's process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Presents a request.
    ///
    /// # Panics
    /// Where the tray is gone.
    pub fn present(&mut self, approval: u64, shown: &Shown, unlocks: Vec<Unlock>) {
        let message = ToTray::Present { approval, deadline_ms: 120_000, unlocks, waiting: 0 };
        message::write_to_tray(&mut self.connection, &message, Some(&shown.bytes)).expect("the tray hears");
    }

    /// Says anything else.
    ///
    /// # Panics
    /// Where the tray is gone.
    pub fn say(&mut self, message: &ToTray) {
        message::write_to_tray(&mut self.connection, message, None).expect("the tray hears");
    }

    /// What the tray says next, within `patience`; nothing where it says nothing.
    ///
    /// # Panics
    /// Where the connection fails.
    pub fn hears_within(&self, patience: Duration) -> Option<(FromTray, TrayAttachment)> {
        self.heard.recv_timeout(patience).ok().map(|message| message.expect("the connection works"))
    }

    /// What the tray says next.
    ///
    /// # Panics
    /// Where it says nothing in time.
    pub fn hears(&self) -> (FromTray, TrayAttachment) {
        self.hears_within(crate::desktop::PATIENCE).expect("the tray answers in time")
    }

    /// Closes the connection and waits for the end of the tray.
    ///
    /// # Panics
    /// Where it does not end.
    pub fn close(mut self) -> ExitStatus {
        self.connection.close();
        until("the tray ends", || self.child.try_wait().expect("its state is known"))
    }

    /// Does `act` again and again until the tray says something.
    ///
    /// # Panics
    /// Where it says nothing in time.
    pub fn hears_while(&self, mut act: impl FnMut()) -> (FromTray, TrayAttachment) {
        until("the tray answers", || {
            act();
            self.hears_within(Duration::from_millis(1))
        })
    }

    /// Lets things happen to the tray while it stands still, so that it meets all of them at
    /// once. The time since it goes on.
    ///
    /// # Panics
    /// Where it cannot be stopped.
    pub fn meets(&self, happen: impl FnOnce()) -> Instant {
        send_signal(self.process(), Signal::SIGSTOP);
        until("the tray stands still", || {
            let status = std::fs::read_to_string(format!("/proc/{}/stat", self.process())).ok()?;
            status.rsplit(')').next()?.trim_start().starts_with('T').then_some(())
        });
        happen();
        let goes_on = Instant::now();
        send_signal(self.process(), Signal::SIGCONT);
        goes_on
    }
}

impl Drop for Tray {
    fn drop(&mut self) {
        // One that has ended already is what is wanted.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
