//! A desktop without a screen: an X server in memory, a window manager, a session bus and the
//! accessibility bus, each of its own and ended with it.

use std::{
    io::{BufRead as _, BufReader},
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use crate::{left_out, repository};

/// How long anything on the desktop may take.
pub const PATIENCE: Duration = Duration::from_secs(30);

const TOOLS: &[&str] = &["Xvfb", "openbox", "xdotool", "xprop", "import", "dbus-daemon", "dbus-send"];
const AT_SPI: &str = "/usr/libexec/at-spi-bus-launcher";
/// The system's own: another one lacks the bindings.
const PYTHON: &str = "/usr/bin/python3";

/// The desktop. Its processes end with it.
pub struct Desktop {
    display: String,
    bus: String,
    directory: tempfile::TempDir,
    processes: Vec<Child>,
}

impl Desktop {
    /// Starts a desktop. `None`, and a reason, where its programs are not installed.
    ///
    /// # Panics
    /// Where a program is there and does not start.
    pub fn start() -> Option<Self> {
        let missing = TOOLS.iter().find(|tool| !installed(tool));
        if let Some(tool) = missing {
            left_out(&format!("{tool} is not installed"));
            return None;
        }
        if !Path::new(AT_SPI).exists() {
            left_out("at-spi2-core is not installed");
            return None;
        }
        let directory = tempfile::tempdir().expect("a folder");
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", "1600x1500x24", "-nolisten", "tcp", "-noreset"]);
        let (server, number) = first_line(&mut server);
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--print-address=1"]);
        let (bus, address) = first_line(&mut bus);
        let mut desktop =
            Self { display: format!(":{number}"), bus: address, directory, processes: vec![bus, server] };
        let mut access = desktop.command(AT_SPI);
        access.arg("--launch-immediately");
        desktop.keep(&mut access);
        desktop.wait_for_access();
        let mut manager = desktop.command("openbox");
        desktop.keep(&mut manager);
        // A window that comes before its manager never gets the keyboard.
        until("the window manager is there", || {
            let asked = desktop.command("xprop").args(["-root", "_NET_SUPPORTING_WM_CHECK"]).output();
            let said = asked.expect("xprop starts").stdout;
            String::from_utf8_lossy(&said).contains("window id").then_some(())
        });
        Some(desktop)
    }

    /// A command that finds this desktop and no other.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XAUTHORITY")
            .env_remove("AT_SPI_BUS_ADDRESS")
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("XDG_RUNTIME_DIR", self.directory.path())
            .env("HOME", self.directory.path())
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null());
        command
    }

    /// A folder that goes with the desktop.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Runs `xdotool`; whether it succeeded.
    ///
    /// # Panics
    /// Where it does not start.
    pub fn xdotool(&self, arguments: &[&str]) -> bool {
        let mut command = self.command("xdotool");
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().expect("xdotool starts").success()
    }

    /// Waits until a window of ours is seen and has the keyboard, and gives its number.
    ///
    /// # Panics
    /// Where none comes in time.
    pub fn window(&self) -> String {
        until("the window is seen", || {
            let mut search = self.command("xdotool");
            search.args(["search", "--onlyvisible", "--class", "cybercore-signer-tray"]);
            let found = search.stderr(Stdio::null()).output().expect("xdotool starts");
            let window = String::from_utf8_lossy(&found.stdout).lines().next()?.to_owned();
            let focus = self.command("xdotool").arg("getwindowfocus").output().expect("xdotool starts");
            (String::from_utf8_lossy(&focus.stdout).trim() == window).then_some(window)
        })
    }

    /// Saves what the window shows.
    ///
    /// # Panics
    /// Where it cannot be saved.
    pub fn picture(&self, window: &str, file: &Path) {
        let status = self.command("import").args(["-window", window]).arg(file).status();
        assert!(status.expect("import starts").success(), "{} is saved", file.display());
    }

    /// What a screen reader finds in the process, one JSON object a line; empty where it is not
    /// on the bus (yet).
    ///
    /// # Panics
    /// Where the script does not start.
    pub fn read_aloud(&self, process: u32) -> String {
        let output = self.at_spi(&["dump", &process.to_string()]).output().expect("python starts");
        String::from_utf8(output.stdout).expect("the script writes UTF-8")
    }

    /// Presses what has this name as a screen reader does; whether it was there.
    ///
    /// # Panics
    /// Where the script does not start.
    pub fn press(&self, process: u32, name: &str) -> bool {
        let mut press = self.at_spi(&["press", &process.to_string(), name]);
        press.stderr(Stdio::null()).status().expect("python starts").success()
    }

    /// Lets the desktop wish for dark windows.
    ///
    /// # Panics
    /// Where the script does not start.
    pub fn wish_for_dark(&mut self) {
        let (portal, ready) = first_line(&mut self.at_spi(&["portal"]));
        self.processes.push(portal);
        assert_eq!(ready, "ready");
    }

    fn at_spi(&self, arguments: &[&str]) -> Command {
        let script: PathBuf = repository().join("tests/support/at_spi.py");
        let mut command = self.command(PYTHON);
        command.arg(script).args(arguments);
        command
    }

    fn keep(&mut self, command: &mut Command) {
        let child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        self.processes.push(child.expect("a program of the desktop starts"));
    }

    /// Says on the bus that a screen reader is there: else programs tell it nothing.
    fn wait_for_access(&self) {
        for property in ["IsEnabled", "ScreenReaderEnabled"] {
            until("the accessibility bus answers", || {
                let mut set = self.command("dbus-send");
                set.args(["--session", "--print-reply", "--dest=org.a11y.Bus", "/org/a11y/bus"])
                    .args(["org.freedesktop.DBus.Properties.Set", "string:org.a11y.Status"])
                    .args([&format!("string:{property}"), "variant:boolean:true"]);
                let set = set.stdout(Stdio::null()).stderr(Stdio::null()).status();
                set.expect("dbus-send starts").success().then_some(())
            });
        }
    }
}

impl Drop for Desktop {
    fn drop(&mut self) {
        for process in self.processes.iter_mut().rev() {
            // With what it started: the accessibility bus has a bus of its own. One that has
            // ended already is what is wanted.
            let group = format!("-{}", process.id());
            drop(Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status());
            drop(process.wait());
        }
    }
}

/// Waits until `look` finds something.
///
/// # Panics
/// Where it does not in [`PATIENCE`].
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "not in time: {what}");
        std::thread::yield_now();
    }
}

fn installed(tool: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(tool).exists())
}

fn first_line(command: &mut Command) -> (Child, String) {
    let child =
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("a program of the desktop starts");
    let mut line = String::new();
    let output = child.stdout.take().expect("its output is a pipe");
    BufReader::new(output).read_line(&mut line).expect("it says where it is");
    (child, line.trim().to_owned())
}
