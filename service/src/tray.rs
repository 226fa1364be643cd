//! Starts the tray when the person is to be asked, and only where a window can be shown.
//!
//! What the window needs of the session (display, Wayland socket, bus) is taken at that moment:
//! a service that the system's manager started may know nothing of it at first.

mod platform;

use std::{
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
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
    /// The program.
    pub path: PathBuf,
    /// Where it is to connect.
    pub endpoint: EndpointName,
    /// In which language it speaks.
    pub language: Language,
}

/// A tray that was started and may connect.
#[derive(Clone)]
pub struct StartedTray {
    process: u32,
    child: Arc<Mutex<Child>>,
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
    /// Whether a window could probably be shown. Looks at the environment and at a few names in
    /// the file system; starts nothing.
    pub fn may_show(&self) -> bool {
        platform::display_is_likely() && self.path.is_file()
    }

    /// Starts the tray and invites it. `ended` is called, on a thread of its own, when it has
    /// ended. Blocks while the session is asked for its display.
    ///
    /// # Errors
    /// Where there is no display or no program.
    pub fn start(
        &self,
        agents: &Agents,
        ended: impl FnOnce(TrayError) + Send + 'static,
    ) -> Result<StartedTray, TrayError> {
        let display = platform::display().ok_or(TrayError::NoDisplay)?;
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
        let child = Arc::new(Mutex::new(child));
        // Before it can know where to connect.
        agents.invite(Invited { process, one_time });
        let tray = StartedTray { process, child, agents: agents.clone() };

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
            // It ended before it read; its status is told below.
            tracing::debug!(%error, "the tray does not take its invitation");
        }
        let watched = tray.clone();
        thread::Builder::new().name("tray".to_owned()).spawn(move || {
            if let Some(stderr) = stderr {
                listen(stderr);
            }
            ended(watched.wait());
        })?;
        Ok(tray)
    }
}

impl StartedTray {
    /// Ends the tray, connected or not.
    pub fn end(&self) {
        self.agents.uninvite(self.process);
        // Where it is being waited for, it has closed everything already.
        if let Ok(mut child) = self.child.try_lock() {
            let _ = child.kill();
        }
    }

    fn wait(&self) -> TrayError {
        // From here on the number may be another process's.
        self.agents.uninvite(self.process);
        match self.child.lock().unwrap_or_else(PoisonError::into_inner).wait() {
            Ok(status) => TrayError::Ended(status),
            Err(error) => TrayError::Start(error),
        }
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
