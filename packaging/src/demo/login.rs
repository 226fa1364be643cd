//! A login of its own for the demonstration: folders that nothing else uses, and the service in it.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    command::{output, program, quiet, say, shown},
    failure::Failure,
};

/// How long the service may take to be there.
const PATIENCE: Duration = Duration::from_secs(30);

/// The folders of the login, and what its programs are told of the desktop.
pub(crate) struct Login {
    signer: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
    runtime: PathBuf,
    /// The language that scripts can rely on; the person's own where there is none.
    language: Option<&'static str>,
}

/// The running service. Stopped when it is dropped.
pub(crate) struct Service {
    child: Child,
    /// The port of its HTTP interface.
    pub(crate) port: u16,
}

impl Login {
    /// Makes the folders. The socket needs a short path, and so lies elsewhere than the rest.
    pub(crate) fn make(
        folder: &Path,
        signer: PathBuf,
        language: Option<&'static str>,
    ) -> Result<Self, Failure> {
        let runtime = std::env::temp_dir().join(format!("cybercore-signer-demo-{}", std::process::id()));
        private(&runtime)?;
        let mut environment = vec![("XDG_RUNTIME_DIR", runtime.clone())];
        for (name, place) in [
            ("HOME", "home"),
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_STATE_HOME", "state"),
        ] {
            let path = folder.join("login").join(place);
            private(&path)?;
            environment.push((name, path));
        }
        environment.extend(desktop());
        Ok(Self { signer, environment, runtime, language })
    }

    /// `cybercore-signer` in this login.
    pub(crate) fn signer(&self, arguments: &[&str]) -> Command {
        let mut command = program(&self.signer, arguments);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        if let Some(language) = self.language {
            command.env("LC_ALL", language);
        }
        command
    }

    /// Starts the service and waits until it listens. What it logs goes to `log`.
    pub(crate) fn start_service(&self, log: &Path) -> Result<Service, Failure> {
        let mut command = self.signer(&["serve", "--port", "0"]);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(File::create(log).map_err(Failure::at(log))?);
        say(&format!("$ {} &", shown(&command)));
        let child = command.spawn().map_err(|error| Failure::new(format!("the service: {error}")))?;
        let mut service = Service { child, port: 0 };
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(port) = self.port()? {
                service.port = port;
                return Ok(service);
            }
            if let Ok(Some(status)) = service.child.try_wait() {
                return Err(Failure::new(format!("the service ended ({status}); see {}", log.display())));
            }
            thread::sleep(Duration::from_millis(50));
        }
        Err(Failure::new(format!("the service does not listen; see {}", log.display())))
    }

    fn port(&self) -> Result<Option<u16>, Failure> {
        let status = output(&mut self.signer(&["status", "--json"]))?;
        let text = String::from_utf8_lossy(&status.stdout).into_owned();
        Ok(text.split_once("\"ports\": [").and_then(|(_, rest)| {
            rest.split(']').next().and_then(|ports| ports.split(',').next()?.trim().parse().ok())
        }))
    }
}

impl Drop for Login {
    fn drop(&mut self) {
        // What stays of it is a folder that the system empties.
        let _ = std::fs::remove_dir_all(&self.runtime);
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Asks a program that we started to end, and waits for it.
pub(crate) fn end(child: &mut Child) {
    if cfg!(unix) && matches!(child.try_wait(), Ok(None)) {
        // The shell's own `kill`: a program of that name need not be installed.
        let _ = quiet(&mut program("sh", ["-c", &format!("kill -TERM {}", child.id())]));
    } else {
        let _ = child.kill();
    }
    let _ = child.wait();
}

/// What a window needs to find the person's desktop from within another login's folders.
fn desktop() -> Vec<(&'static str, PathBuf)> {
    let mut found = Vec::new();
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let (None, Some(home)) = (variable("XAUTHORITY"), variable("HOME")) {
        found.push(("XAUTHORITY", home.join(".Xauthority")));
    }
    if let Some(runtime) = variable("XDG_RUNTIME_DIR") {
        // An absolute path is taken as it is.
        found.extend(variable("WAYLAND_DISPLAY").map(|socket| ("WAYLAND_DISPLAY", runtime.join(socket))));
        if variable("DBUS_SESSION_BUS_ADDRESS").is_none() && runtime.join("bus").exists() {
            let bus = format!("unix:path={}", runtime.join("bus").display());
            found.push(("DBUS_SESSION_BUS_ADDRESS", PathBuf::from(bus)));
        }
    }
    found
}

fn private(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(Failure::at(path))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;

        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).map_err(Failure::at(path))?;
    }
    Ok(())
}
