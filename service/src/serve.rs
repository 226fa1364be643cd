//! The service of a login: listens first and loads nothing until asked.
//!
//! One per login, held by a lock. Sockets come from the system's manager or are made here. On
//! SIGTERM or SIGINT it ends in this order, each step within its time: nothing is accepted any
//! more; what waits is cancelled, what is being signed is waited for; trays and token hosts end;
//! clients hear their last answers. No process and no file is left behind.

mod platform;
mod presence;
mod sockets;

use std::{
    fs, io,
    net::TcpListener,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use signer_core::error::ErrorCode;
use signer_ipc::login::{self, EndpointName, LoginListener};

use crate::{
    approvals::{ApprovalDesk, Parts},
    audit::{Ledger, LedgerError},
    ccsp::{self, CcspError, Limits, PairingStore, Setup},
    config::{Config, ConfigError, LogLevel},
    credentials::CredentialStore,
    dirs::{Dirs, DirsError},
    text::Language,
    token::modules::quarantine::Quarantine,
    tray::{self, TrayProgram},
};

pub(crate) use platform::StopSignal;
pub use presence::{Held, Lock, LockError, Presence};

/// How long the end waits for what is being signed.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long token hosts may take to finish their modules at the end; as long as each takes itself.
const HOSTS: Duration = Duration::from_secs(3);
/// How long clients may take to read their last answers.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// What the person said on the command line.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The configuration; without it the login's own.
    pub config: Option<PathBuf>,
    /// The only port to use, whatever the configuration says; 0 takes any.
    pub port: Option<u16>,
    /// The language of those who ask the person.
    pub language: Option<Language>,
}

/// Why the service does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The audit trail cannot be used.
    #[error("the audit trail cannot be used")]
    Audit(#[from] LedgerError),
    /// The configuration cannot be used.
    #[error("the configuration cannot be used")]
    Config(#[from] ConfigError),
    /// There is no place for its files.
    #[error("there is no place for the service's files")]
    Dirs(#[from] DirsError),
    /// The endpoint of the login cannot be made.
    #[error("the endpoint {0} cannot be used")]
    Endpoint(String, #[source] io::Error),
    /// The HTTP interface cannot be served.
    #[error("the HTTP interface cannot be served")]
    Http(#[from] CcspError),
    /// A socket that the system handed over is none of ours.
    #[error("an inherited socket cannot be used")]
    Inherited(#[source] io::Error),
    /// The lock cannot be taken.
    #[error("the login's lock cannot be taken")]
    Lock(#[from] LockError),
    /// The system gives no thread or no file.
    #[error("the system refuses what the service needs")]
    System(#[from] io::Error),
}

impl ServeError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Audit(error) => error.code(),
            Self::Config(error) => error.code(),
            Self::Dirs(_) | Self::Endpoint(..) => ErrorCode::OutputUnwritable,
            Self::Http(error) => error.code(),
            Self::System(error) if error.kind() == io::ErrorKind::StorageFull => ErrorCode::StorageFull,
            Self::Inherited(_) | Self::System(_) => ErrorCode::Internal,
            Self::Lock(error) => error.code(),
        }
    }
}

/// Runs the service until it is told to stop. Blocks.
///
/// # Errors
/// Where it cannot begin; nothing is left behind then.
pub fn run(options: &Options) -> Result<(), ServeError> {
    let dirs = Dirs::of_login()?;
    let config = match &options.config {
        Some(path) => Config::read(path)?,
        None => Config::read_or_default(&dirs.config_file())?,
    };
    log_to_stderr(config.log);
    let runtime_dir = dirs.runtime()?;
    let lock = Lock::take(runtime_dir)?;
    let sockets = sockets::inherited().map_err(ServeError::Inherited)?;
    let endpoint = Endpoint::open(runtime_dir, sockets.endpoint)?;
    let (listeners, ports) = listen(sockets.http, &config, options.port)?;
    empty(dirs.spool()?);

    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let stop = {
        let _within = runtime.enter();
        StopSignal::watch()?
    };
    let language = options.language.unwrap_or_else(Language::of_environment);
    // The folder of what is kept there.
    dirs.state()?;
    let quarantine = Quarantine::open(dirs.quarantine_file());
    let credentials =
        CredentialStore::new(dirs.credentials_file(), quarantine, std::env::current_exe()?, &config);
    let desk = ApprovalDesk::start(
        &config,
        Parts {
            ledger: Ledger::new(dirs.clone())?,
            credentials: credentials.clone(),
            tray: TrayProgram::new(tray::program(config.tray.as_deref())?, endpoint.name.clone(), language),
            language,
        },
    )?;
    desk.agents().listen(endpoint.listener)?;
    let presence = Presence { process: std::process::id(), ports };
    presence.write(&lock)?;
    tracing::info!(ports = ?presence.ports, endpoint = %endpoint.name, "the service listens");

    let setup = Setup {
        listeners,
        approvals: Arc::new(desk.clone()),
        credentials: Arc::new(credentials.clone()),
        spool: dirs.spool()?.to_owned(),
        pairings: Arc::new(PairingStore::new(dirs.state()?.join("pairings.json"))),
        limits: Limits {
            document_bytes: config.document_limit.0,
            farewell: LAST_ANSWERS,
            ..Limits::default()
        },
    };
    let (asked, settled) = Ending { desk, credentials }.begin()?;
    let shutdown = async move {
        stop.asked().await;
        tracing::info!("the service stops");
        // Fails only where nothing is left to end.
        let _ = asked.send(());
    };
    let served = runtime.block_on(ccsp::serve_until(setup, shutdown, async move {
        let _ = settled.await;
    }));
    // What still works off the async threads is not waited for.
    runtime.shutdown_background();
    empty(dirs.spool()?);
    drop(endpoint.place);
    Presence::remove(&lock)?;
    Ok(served?)
}

/// What ends, once it is asked to, while clients still hear their answers.
struct Ending {
    desk: ApprovalDesk,
    credentials: CredentialStore,
}

impl Ending {
    /// Waits on a thread for the wish to end. What is returned last is ready when all has ended.
    fn begin(self) -> io::Result<(mpsc::Sender<()>, tokio::sync::oneshot::Receiver<()>)> {
        let (ask, asked) = mpsc::channel::<()>();
        let (settle, settled) = tokio::sync::oneshot::channel();
        thread::Builder::new().name("ending".to_owned()).spawn(move || {
            // A service that ends without being asked to has nothing to settle.
            if asked.recv().is_ok() {
                self.desk.stop(PATIENCE);
                self.credentials.close(HOSTS);
            }
            let _ = settle.send(());
        })?;
        Ok((ask, settled))
    }
}

/// The endpoint of the login, listening.
struct Endpoint {
    name: EndpointName,
    listener: LoginListener,
    place: Place,
}

/// Where the endpoint has its name. It is taken away with this, whichever way the service ends.
enum Place {
    ByTheSystem,
    Here(EndpointName),
}

impl Drop for Place {
    fn drop(&mut self) {
        match self {
            Self::ByTheSystem => {}
            Self::Here(name) => {
                if let Err(error) = login::remove(name) {
                    tracing::warn!(%error, "the socket stays behind");
                }
            }
        }
    }
}

impl Endpoint {
    /// Takes the inherited socket, or makes one; one that a killed service left is replaced,
    /// because whoever holds the login's lock is the only service.
    fn open(directory: &Path, inherited: Option<(EndpointName, LoginListener)>) -> Result<Self, ServeError> {
        if let Some((name, listener)) = inherited {
            return Ok(Self { name, listener, place: Place::ByTheSystem });
        }
        let refused = |place: String| move |error| ServeError::Endpoint(place, error);
        let name = login::name(directory).map_err(refused(directory.display().to_string()))?;
        login::remove(&name).map_err(refused(name.to_string()))?;
        let listener = LoginListener::bind(&name).map_err(refused(name.to_string()))?;
        Ok(Self { place: Place::Here(name.clone()), name, listener })
    }
}

fn listen(
    inherited: Vec<TcpListener>,
    config: &Config,
    port: Option<u16>,
) -> Result<(Vec<TcpListener>, Vec<u16>), ServeError> {
    let listeners = if inherited.is_empty() {
        match port {
            Some(port) => ccsp::bind([port])?.listeners,
            None => ccsp::bind(config.ports.0.iter().copied())?.listeners,
        }
    } else {
        inherited
    };
    let mut ports = listeners
        .iter()
        .map(|listener| listener.local_addr().map(|address| address.port()))
        .collect::<io::Result<Vec<_>>>()?;
    ports.dedup();
    Ok((listeners, ports))
}

/// Removes what an earlier service may have left. What cannot be removed is told and stays.
fn empty(spool: &Path) {
    for entry in fs::read_dir(spool).into_iter().flatten().flatten() {
        if let Err(error) = fs::remove_file(entry.path()) {
            tracing::warn!(%error, "a file of an earlier service stays in the spool");
        }
    }
}

fn log_to_stderr(level: LogLevel) {
    let level = match level {
        LogLevel::Debug => tracing::Level::DEBUG,
        LogLevel::Error => tracing::Level::ERROR,
        LogLevel::Info => tracing::Level::INFO,
        LogLevel::Trace => tracing::Level::TRACE,
        LogLevel::Warn => tracing::Level::WARN,
    };
    // Fails where the process has a log already, as in a test.
    let _ =
        tracing_subscriber::fmt().with_max_level(level).with_writer(io::stderr).with_ansi(false).try_init();
}
