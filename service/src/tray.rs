//! Starts the tray when the person is to be asked, and only where a window can be shown.
//!
//! What the window needs of the session (display, Wayland socket, bus) is taken at that moment:
//! a service that the system's manager started may know nothing of it at first.

mod platform;

use std::{
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use ring::rand::{SecureRandom as _, SystemRandom};
use signer_ipc::{invitation::Invitation, login::EndpointName, message::ONE_TIME_LEN};

use crate::{
    agents::{Agents, Invited},
    text::Language,
};

/// The tray's exit code where it finds no display.
pub const NO_DISPLAY: i32 = 69;

/// What the tray program is called.
const PROGRAM: &str = "cybercore-signer-tray";
/// How much of the tray's complaint is kept.
const COMPLAINT_LEN: u64 = 4096;

/// How to start the tray.
#[derive(Debug, Clone)]
pub struct TrayProgram {
    path: PathBuf,
    endpoint: EndpointName,
    language: Language,
    surroundings: Surroundings,
}

/// What the tray is started in.
#[derive(Debug, Clone)]
enum Surroundings {
    /// In a test: this environment, which has a display.
    #[cfg(all(test, unix))]
    Given(Vec<(String, String)>),
    /// The session of this login.
    Session,
}

/// A tray that was started. Clones are the same; dropping them ends nothing.
#[derive(Clone)]
pub struct StartedTray {
    process: u32,
    child: Arc<Mutex<Child>>,
    end: platform::End,
    agents: Agents,
}

/// Why no tray is there.
#[derive(Debug, thiserror::Error)]
pub enum TrayError {
    /// Nothing can be shown in this session.
    #[error("this session has no display")]
    NoDisplay,
    /// It ended.
    #[error("the tray ended ({0})")]
    Ended(ExitStatus),
    /// It cannot be started.
    #[error("the tray cannot be started")]
    Start(#[from] io::Error),
}

/// The tray program beside this one, or the one that was configured.
///
/// # Errors
/// Where this program does not know its own path.
pub fn program(configured: Option<&Path>) -> io::Result<PathBuf> {
    if let Some(path) = configured {
        return Ok(path.to_owned());
    }
    let own = std::env::current_exe()?;
    Ok(own.with_file_name(format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX)))
}

impl TrayProgram {
    /// The program at `path`, to connect at `endpoint` and to speak `language`.
    pub const fn new(path: PathBuf, endpoint: EndpointName, language: Language) -> Self {
        Self { path, endpoint, language, surroundings: Surroundings::Session }
    }

    /// For tests: started with these variables, whatever session there is.
    #[cfg(all(test, unix))]
    pub(crate) const fn within(
        path: PathBuf,
        endpoint: EndpointName,
        variables: Vec<(String, String)>,
    ) -> Self {
        let surroundings = Surroundings::Given(variables);
        Self { path, endpoint, language: Language::English, surroundings }
    }

    /// Whether a window could probably be shown. Looks at the environment and at a few names in
    /// the file system; starts nothing.
    pub fn may_show(&self) -> bool {
        let likely = match &self.surroundings {
            #[cfg(all(test, unix))]
            Surroundings::Given(_) => true,
            Surroundings::Session => platform::display_is_likely(),
        };
        likely && self.path.is_file()
    }

    /// Starts the tray and invites it. Blocks while the session is asked for its display. On
    /// Linux the tray is killed when the thread that calls this ends, so that none outlives a
    /// service that was killed: the thread is to [wait](StartedTray::wait).
    ///
    /// # Errors
    /// Where there is no display or no program.
    pub fn start(&self, agents: &Agents) -> Result<StartedTray, TrayError> {
        let display = self.display().ok_or(TrayError::NoDisplay)?;
        let one_time = one_time()?;
        let mut child = Command::new(&self.path)
            .current_dir("/")
            .envs(display)
            .env_remove("LISTEN_FDS")
            .env_remove("LISTEN_FDNAMES")
            .env_remove("LISTEN_PID")
            .env_remove("NOTIFY_SOCKET")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()?;
        let (process, stdin, stderr) = (child.id(), child.stdin.take(), child.stderr.take());
        let end = platform::End::of(&child)?;
        let child = Arc::new(Mutex::new(child));
        // Before it can know where to connect.
        agents.invite(Invited { process, one_time });
        let tray = StartedTray { process, child, end, agents: agents.clone() };

        let invitation = Invitation {
            endpoint: self.endpoint.clone(),
            one_time,
            language: self.language.subtag().to_owned(),
        };
        let line = invitation.to_line().map_err(|error| io::Error::other(error.to_string()));
        let given = line.and_then(|line| match stdin {
            Some(mut stdin) => stdin.write_all(line.as_bytes()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        });
        if let Err(error) = given {
            // It ended before it read; its status is told by whoever waits.
            tracing::debug!(%error, "the tray does not take its invitation");
        }
        if let Some(stderr) = stderr {
            // Without a thread nobody hears what it complains of.
            drop(thread::Builder::new().name("tray-words".to_owned()).spawn(move || listen(stderr)));
        }
        Ok(tray)
    }

    /// What to add to the environment of the tray; nothing where no window can be shown.
    fn display(&self) -> Option<Vec<(String, String)>> {
        match &self.surroundings {
            #[cfg(all(test, unix))]
            Surroundings::Given(variables) => Some(variables.clone()),
            Surroundings::Session => platform::display(),
        }
    }
}

impl StartedTray {
    /// Its process. The number is not another's before [`StartedTray::wait`] returns.
    pub const fn process(&self) -> u32 {
        self.process
    }

    /// Ends the tray at once, connected or not, whatever it is doing. One that has ended stays so.
    pub fn end(&self) {
        self.agents.uninvite(self.process);
        // Fails only where it has ended.
        let _ = self.child().kill();
    }

    /// Waits for the end of the tray, and says how it went. Blocks.
    pub fn wait(&self) -> TrayError {
        // Only waited for here, so that whoever ends it does not have to wait as well.
        let ended = self.end.wait();
        // From here on the number may be another process's.
        self.agents.uninvite(self.process);
        match ended.and_then(|()| self.child().wait()) {
            Ok(status) => TrayError::Ended(status),
            Err(error) => TrayError::Start(error),
        }
    }

    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads what the tray complains of until it closes, which it does by ending.
fn listen(mut stderr: ChildStderr) {
    let mut complaint = String::new();
    // What is not text is not shown.
    let _ = stderr.by_ref().take(COMPLAINT_LEN).read_to_string(&mut complaint);
    for line in complaint.lines() {
        tracing::debug!(line, "the tray says");
    }
    let _ = io::copy(&mut stderr, &mut io::sink());
}

fn one_time() -> io::Result<[u8; ONE_TIME_LEN]> {
    let mut value = [0; ONE_TIME_LEN];
    SystemRandom::new().fill(&mut value).map_err(|_| io::Error::other("the system gives no random bytes"))?;
    Ok(value)
}
