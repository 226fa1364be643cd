//! A desktop without a screen: an X server in memory, a window manager, a session bus and the
//! accessibility bus, each of its own and ended with it.

use std::{
    io::{BufRead as _, BufReader},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

use crate::{left_out, reading::Reading, repository, user::RunAs};

/// How long anything on the desktop may take: the machine may have much else to do.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How long a program of the desktop may take to end by itself.
const LAST_PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks: whoever is waited for needs the processor.
const PAUSE: Duration = Duration::from_millis(5);

/// Settings of the desktop are kept in memory.
const SETTINGS: [(&str, &str); 1] = [("GSETTINGS_BACKEND", "memory")];

/// Nothing moves by itself, and one key closes the window.
const OPENBOX: &str = r#"<openbox_config xmlns="http://openbox.org/3.4/rc">
<theme><animateIconify>no</animateIconify></theme>
<keyboard><keybind key="A-F4"><action name="Close"/></keybind></keyboard>
</openbox_config>"#;

const TOOLS: &[&str] =
    &["Xvfb", "openbox", "xdotool", "xprop", "setxkbmap", "import", "dbus-daemon", "dbus-send"];
const AT_SPI: &str = "/usr/libexec/at-spi-bus-launcher";
/// The system's own: another one lacks the bindings.
const PYTHON: &str = "/usr/bin/python3";

/// The desktop. Its processes end with it.
pub struct Desktop {
    display: String,
    bus: String,
    directory: tempfile::TempDir,
    processes: Vec<Child>,
    user: RunAs,
    _alone: MutexGuard<'static, ()>,
}

impl Desktop {
    /// Starts a desktop of the test's own user. `None`, and a reason, where its programs are not
    /// installed. Waits while another one of this process is there: where several share the
    /// processors, each is late.
    ///
    /// # Panics
    /// Where a program is there and does not start.
    pub fn start() -> Option<Self> {
        Self::start_for(RunAs::Own)
    }

    /// Starts a desktop of `user`; else as [`Desktop::start`].
    ///
    /// # Panics
    /// Where a program is there and does not start.
    pub fn start_for(user: RunAs) -> Option<Self> {
        static ALONE: Mutex<()> = Mutex::new(());
        let missing = TOOLS.iter().find(|tool| !installed(tool));
        if let Some(tool) = missing {
            left_out(&format!("{tool} is not installed"));
            return None;
        }
        if !Path::new(AT_SPI).exists() {
            left_out("at-spi2-core is not installed");
            return None;
        }
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = tempfile::tempdir().expect("a folder");
        let script = repository().join("tests/support/at_spi.py");
        std::fs::copy(script, directory.path().join("at_spi.py")).expect("the script can be copied");
        user.own(directory.path());
        let mut server = Command::new("Xvfb");
        server.args(["-displayfd", "1", "-screen", "0", "1600x1500x24", "-nolisten", "tcp", "-noreset"]);
        let (server, number) = first_line(&mut server);
        let mut bus = Command::new("dbus-daemon");
        bus.args(["--session", "--nofork", "--print-address=1"]);
        // What it starts must leave the settings of the real login alone.
        bus.env("HOME", directory.path()).env("XDG_RUNTIME_DIR", directory.path()).envs(SETTINGS);
        user.apply(&mut bus);
        let (bus, address) = first_line(&mut bus);
        let mut desktop = Self {
            display: format!(":{number}"),
            bus: address,
            directory,
            processes: vec![bus, server],
            user,
            _alone: alone,
        };
        // A keyboard with every letter that is typed: without it xdotool changes the keyboard
        // while keys are on their way.
        let keyboard = desktop.command("setxkbmap").arg("br").status().expect("setxkbmap starts");
        assert!(keyboard.success(), "the keyboard is Brazilian");
        let mut access = desktop.command(AT_SPI);
        access.arg("--launch-immediately");
        desktop.keep(&mut access);
        desktop.wait_for_access();
        let settings = desktop.directory.path().join("openbox.xml");
        std::fs::write(&settings, OPENBOX).expect("a file");
        let mut manager = desktop.command("openbox");
        manager.arg("--config-file").arg(&settings);
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
        self.user.apply(&mut command);
        command
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("XAUTHORITY")
            .env_remove("AT_SPI_BUS_ADDRESS")
            .envs(self.environment())
            .env("XDG_RUNTIME_DIR", self.directory.path())
            .env("HOME", self.directory.path())
            .env("LC_ALL", "C.UTF-8")
            .envs(SETTINGS)
            .stdin(Stdio::null());
        command
    }

    /// The variables by which a program finds this desktop.
    pub fn environment(&self) -> [(&'static str, &str); 2] {
        [("DISPLAY", &self.display), ("DBUS_SESSION_BUS_ADDRESS", &self.bus)]
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

    /// Presses keys, one after the other, in whatever window has the keyboard. The server has
    /// them when this returns.
    ///
    /// # Panics
    /// Where xdotool refuses them.
    pub fn press_keys(&self, keys: &[&str]) {
        let mut arguments = vec!["key", "--delay", "20"];
        arguments.extend(keys);
        assert!(self.xdotool(&arguments), "{keys:?} are keys");
    }

    /// Waits until a window of ours is seen and has the keyboard, and gives its number.
    ///
    /// # Panics
    /// Where none comes in time.
    pub fn window(&self) -> String {
        found("the window is seen and has the keyboard", || {
            let (windows, focus) = (self.windows(), self.focus());
            if windows.contains(&focus) { Ok(focus) } else { Err(format!("{windows:?}, focus on {focus}")) }
        })
    }

    /// Whether a window of ours is seen and has the keyboard.
    ///
    /// # Panics
    /// Where xdotool does not start.
    pub fn has_keyboard(&self) -> bool {
        self.windows().contains(&self.focus())
    }

    fn focus(&self) -> String {
        let focus = self.command("xdotool").arg("getwindowfocus").output().expect("xdotool starts");
        String::from_utf8_lossy(&focus.stdout).trim().to_owned()
    }

    /// The windows of ours that are seen.
    ///
    /// # Panics
    /// Where xdotool does not start.
    pub fn windows(&self) -> Vec<String> {
        let mut search = self.command("xdotool");
        search.args(["search", "--onlyvisible", "--class", "cybercore-signer-tray"]);
        let found = search.stderr(Stdio::null()).output().expect("xdotool starts");
        String::from_utf8_lossy(&found.stdout).lines().map(str::to_owned).collect()
    }

    /// Saves what the window shows.
    ///
    /// # Panics
    /// Where it cannot be saved.
    pub fn picture(&self, window: &str, file: &Path) {
        let status = self.command("import").args(["-window", window]).arg(file).status();
        assert!(status.expect("import starts").success(), "{} is saved", file.display());
    }

    /// What a screen reader finds in the process; nothing where it is not on the bus (yet).
    ///
    /// # Panics
    /// Where the script does not start.
    pub fn reading(&self, process: u32) -> Reading {
        let output = self.at_spi(&["dump", &process.to_string()]).output().expect("python starts");
        Reading::parse(&String::from_utf8(output.stdout).expect("the script writes UTF-8"))
    }

    /// What a screen reader finds in the process, once `look` is content with it.
    ///
    /// # Panics
    /// Where it is not in time.
    pub fn reads(&self, process: u32, what: &str, look: impl Fn(&Reading) -> bool) -> Reading {
        found(what, || {
            let reading = self.reading(process);
            if look(&reading) { Ok(reading) } else { Err(format!("{reading:#?}")) }
        })
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
        let mut command = self.command(PYTHON);
        command.arg(self.directory.path().join("at_spi.py")).args(arguments);
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
            // With what it started: the accessibility bus has a bus of its own. Asked first, so
            // that the display's socket and lock go with it.
            let group = i32::try_from(process.id()).map(Pid::from_raw);
            let end = |signal| group.map(|group| killpg(group, signal));
            let _ = end(Signal::SIGTERM);
            let patience = Instant::now() + LAST_PATIENCE;
            while matches!(process.try_wait(), Ok(None)) && Instant::now() < patience {
                std::thread::park_timeout(PAUSE);
            }
            // What has ended already is what is wanted.
            let _ = end(Signal::SIGKILL);
            drop(process.wait());
        }
    }
}

/// Waits until `look` finds something.
///
/// # Panics
/// Where it does not in [`PATIENCE`].
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    found(what, || look().ok_or_else(String::new))
}

/// Waits until `look` finds something; until then it tells what it found instead.
fn found<T>(what: &str, mut look: impl FnMut() -> Result<T, String>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        match look() {
            Ok(found) => return found,
            Err(instead) => assert!(Instant::now() < end, "not in time: {what} {instead}"),
        }
        std::thread::park_timeout(PAUSE);
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
