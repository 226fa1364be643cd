//! The real service in a login of its own: its own home, its own folders, no display unless one
//! is asked for. It is told to stop, and waited for, when it is dropped.

use std::{
    ffi::{OsStr, OsString},
    fs,
    net::SocketAddr,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use signer_core::audit::Record;
use signer_ipc::login::{self, EndpointName};
use signer_service::{
    audit::trail::{self, Found},
    serve::Presence,
};

use crate::{
    http::{self, Answer, PATIENCE},
    processes, signer_program,
    signing::{PASSWORD, a1},
};

/// A login that nobody else uses. Its folders go when it is dropped.
pub struct Login {
    directory: tempfile::TempDir,
    environment: Vec<(OsString, OsString)>,
}

/// A service that runs in a [`Login`].
pub struct Service {
    child: Child,
    /// Where its HTTP interface is.
    pub address: SocketAddr,
}

impl Login {
    /// An empty one: no credentials, and of the PKCS#11 modules those that a test configures.
    ///
    /// # Panics
    /// Where no folder can be made.
    pub fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("login-").tempdir().expect("a folder");
        let mut private = fs::DirBuilder::new();
        private.recursive(true).mode(0o700);
        for name in ["home", "run", "config/cybercore-signer", "state", "cache"] {
            private.create(directory.path().join(name)).expect("a folder");
        }
        let login = Self { directory, environment: Vec::new() };
        login.configure("[tokens]\nknown_modules = false\n");
        login
    }

    /// One with a registered A1 file of the test PKI, under [`PASSWORD`].
    ///
    /// # Panics
    /// Where it cannot be registered.
    pub fn with_key(key: &str) -> Self {
        let login = Self::new();
        login.register(&a1(key), PASSWORD);
        login
    }

    /// Registers an A1 file where it is, as a person does.
    ///
    /// # Panics
    /// Where that fails.
    pub fn register(&self, file: &Path, password: &str) {
        self.add(file, password, &["--link"]);
    }

    /// Imports an A1 file, as a person does.
    ///
    /// # Panics
    /// Where that fails.
    pub fn import(&self, file: &Path, password: &str) {
        self.add(file, password, &[]);
    }

    fn add(&self, file: &Path, password: &str, arguments: &[&str]) {
        // Outside the login: what is searched for secrets must not hold this one.
        let mut secret = tempfile::NamedTempFile::new().expect("a file");
        std::io::Write::write_all(&mut secret, password.as_bytes()).expect("a file");
        let added = self
            .command()
            .args(["credentials", "add"])
            .args(arguments)
            .arg(file)
            .arg("--p12-password-file")
            .arg(secret.path())
            .output()
            .expect("the program starts");
        assert!(added.status.success(), "{added:?}");
    }

    /// Writes the configuration; its version goes before it.
    ///
    /// # Panics
    /// Where it cannot be written.
    pub fn configure(&self, settings: &str) {
        let path = self.path("config/cybercore-signer/config.toml");
        fs::write(path, format!("version = 1\n{settings}")).expect("a file");
    }

    /// Sets a variable for every command of this login from now on.
    pub fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.environment.push((name.into(), value.as_ref().to_owned()));
    }

    /// A file or folder of the login: `home`, `run`, `config`, `state` and `cache` are there.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The login's runtime folder of this product.
    pub fn runtime(&self) -> PathBuf {
        self.path("run/cybercore-signer")
    }

    /// Where documents lie on their way.
    pub fn spool(&self) -> PathBuf {
        self.path("cache/cybercore-signer/spool")
    }

    /// Where the audit trail lies.
    pub fn audit(&self) -> PathBuf {
        self.path("state/cybercore-signer/audit")
    }

    /// Where the service listens for those who ask the person.
    ///
    /// # Panics
    /// Where the path is too long for a socket.
    pub fn endpoint(&self) -> EndpointName {
        login::name(&self.runtime()).expect("the login has a name")
    }

    /// What every service of this login has written to its standard error.
    pub fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap_or_default()
    }

    /// `cybercore-signer` in this login, with nothing else of the environment's.
    pub fn command(&self) -> Command {
        let mut command = Command::new(signer_program());
        self.surround(&mut command);
        command
    }

    /// Gives any command the surroundings of this login.
    pub fn surround(&self, command: &mut Command) {
        command.env_clear().env("LC_ALL", "en_US.UTF-8").env("TZ", "America/Sao_Paulo").current_dir("/");
        for name in ["PATH", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let folders = [
            ("HOME", "home"),
            ("XDG_RUNTIME_DIR", "run"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
        ];
        command.envs(folders.map(|(name, folder)| (name, self.path(folder))));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
    }

    /// Starts the service on any free port, and waits until it says where it is.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn start(&self) -> Service {
        let mut command = self.command();
        command.args(["serve", "--port", "0"]);
        self.start_as(command)
    }

    /// Starts the service by a command that becomes it, and waits until it says where it is.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn start_as(&self, mut command: Command) -> Service {
        let log = fs::OpenOptions::new().append(true).create(true).open(self.path("log"));
        let mut child = command.stderr(log.expect("a file")).spawn().expect("the service starts");
        let presence = until("the service says where it is", || {
            if let Some(status) = child.try_wait().expect("its state is known") {
                panic!("the service ended ({status}): {}", self.log());
            }
            self.presence().filter(|presence| presence.process == child.id())
        });
        let port = presence.ports.first().copied().expect("a service has a port");
        Service { child, address: SocketAddr::from(([127, 0, 0, 1], port)) }
    }

    /// What a service has written of where it is; it may have ended since.
    pub fn presence(&self) -> Option<Presence> {
        serde_json::from_slice(&fs::read(self.runtime().join("service.json")).ok()?).ok()
    }

    /// The audit trail, verified.
    ///
    /// # Panics
    /// Where its chain breaks or its last line has no end.
    pub fn trail(&self) -> Vec<Record> {
        self.trail_so_far().expect("the last record has an end")
    }

    /// The audit trail, verified; nothing while a record is being written.
    ///
    /// # Panics
    /// Where its chain breaks.
    pub fn trail_so_far(&self) -> Option<Vec<Record>> {
        let mut records = Some(Vec::new());
        trail::read(&self.audit(), |found| match found {
            Found::Record(record) => records.iter_mut().for_each(|records| records.push((*record).clone())),
            Found::Torn { .. } => records = None,
            Found::Break { .. } => panic!("the trail is broken: {found:?}"),
        })
        .expect("the trail can be read");
        records
    }
}

impl Default for Login {
    fn default() -> Self {
        Self::new()
    }
}

impl Service {
    /// Its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// A request on a connection of its own.
    pub fn ask(&self, line: &str, fields: &[(&str, &str)], body: &[u8]) -> Answer {
        http::ask(self.address, line, fields, body)
    }

    /// Its token hosts.
    pub fn hosts(&self) -> Vec<u32> {
        processes::children(self.process())
            .into_iter()
            .filter(|child| processes::command_line(*child).iter().any(|word| word == "token-host"))
            .collect()
    }

    /// Tells it to stop, and waits for its end.
    ///
    /// # Panics
    /// Where it does not end.
    pub fn stop(mut self) -> ExitStatus {
        self.signal(Signal::SIGTERM);
        self.ended()
    }

    /// Kills it, and waits for its end.
    ///
    /// # Panics
    /// Where it does not end.
    pub fn kill(mut self) -> ExitStatus {
        self.signal(Signal::SIGKILL);
        self.ended()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        send_signal(self.process(), signal);
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// Where it does not end.
    pub fn ended(&mut self) -> ExitStatus {
        until("the service ends", || self.child.try_wait().expect("its state is known"))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        self.signal(Signal::SIGTERM);
        let end = Instant::now() + Duration::from_secs(20);
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() > end {
                // Stopped by a test that failed, most likely.
                drop(self.child.kill());
                drop(self.child.wait());
                return;
            }
            pause();
        }
    }
}

/// Sends a signal to a process that this test started, or a child of it.
///
/// # Panics
/// Where there is no such process.
pub fn send_signal(process: u32, signal: Signal) {
    let id = Pid::from_raw(i32::try_from(process).expect("a process has a number"));
    kill(id, signal).unwrap_or_else(|error| panic!("{signal} to {process}: {error}"));
}

/// Asks until there is an answer.
///
/// # Panics
/// Where there is none in time.
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < end, "{what}: not in time");
        pause();
    }
}

/// Between two looks: long enough to leave the processor to whoever is waited for.
fn pause() {
    std::thread::park_timeout(Duration::from_millis(2));
}
