//! A login with a desktop, a service and curl, all of a user without rights, and a person at
//! the keyboard of it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use nix::sys::signal::Signal;
use serde_json::Value;
use signer_core::{
    audit::{Event, Kind, Outcome},
    error::ErrorCode,
};
use signer_tests::{
    desktop::{Desktop, until},
    processes,
    reading::Reading,
    service::{Login, Service, send_signal},
    signing::{PASSWORD, a1},
    tray,
    user::RunAs,
};

const SIGN: &str = "Approve and sign";
const ALLOW: &str = "Allow";
const KEY: &str = "ecdsa-p256.p12";

/// Everything that one journey needs. Its processes and files go with it.
pub(crate) struct Journey {
    pub(crate) desktop: Desktop,
    service: Option<Service>,
    login: Login,
    user: RunAs,
    token: String,
}

/// A request that curl is making.
pub(crate) struct Asked {
    curl: Child,
    body: PathBuf,
}

/// What curl was answered.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The stable code of a problem.
    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or("no code").to_owned()
    }
}

impl Journey {
    /// A login with an A1 file, whose service runs and knows nobody. `None` where there is no
    /// desktop.
    pub(crate) fn begin() -> Option<Self> {
        let user = RunAs::unprivileged();
        let desktop = Desktop::start_for(user)?;
        let mut login = Login::new();
        let key = login.path("home").join(KEY);
        fs::copy(a1(KEY), &key).unwrap();
        login.register(&key, PASSWORD);
        for (name, value) in desktop.environment() {
            login.set(name, value);
        }
        // The user may not be let into the folder where they were built.
        fs::create_dir(login.path("bin")).unwrap();
        processes::own_copy(&login.path("bin"));
        processes::copied(tray::program(), &login.path("bin/cybercore-signer-tray"));
        user.own(&login.path("."));
        let mut journey = Self { desktop, service: None, login, user, token: String::new() };
        journey.start();
        Some(journey)
    }

    /// Starts the service, again with other settings where it runs already.
    pub(crate) fn start_with(&mut self, settings: &str) {
        self.stop();
        self.login.configure(&format!("[tokens]\nknown_modules = false\n{settings}"));
        self.start();
    }

    fn start(&mut self) {
        let mut command = Command::new(self.login.path("bin/cybercore-signer"));
        self.surround(&mut command);
        command.args(["serve", "--port", "0"]);
        self.service = Some(self.login.start_as(command));
    }

    /// Tells the service to stop.
    pub(crate) fn stop(&mut self) {
        if let Some(service) = self.service.take() {
            assert!(service.stop().success());
        }
    }

    fn surround(&self, command: &mut Command) {
        self.login.surround(command);
        self.user.apply(command);
    }

    /// Who asks the person at this moment.
    pub(crate) fn tray(&self) -> u32 {
        let program = self.login.path("bin/cybercore-signer-tray");
        until("a tray runs", || processes::running(&program).first().copied())
    }

    /// Asks by curl, and waits for nothing.
    pub(crate) fn ask(&self, method: &str, path: &str, more: &[&str]) -> Asked {
        let body = self.login.path("home/answer");
        drop(fs::remove_file(&body));
        let service = self.service.as_ref().unwrap();
        let mut command = Command::new("curl");
        self.surround(&mut command);
        command
            .args([
                "--silent",
                "--show-error",
                "--max-time",
                "300",
                "--write-out",
                "%{http_code}",
                "--request",
            ])
            .arg(method)
            .arg("--output")
            .arg(&body)
            .args(more)
            .arg(format!("http://127.0.0.1:{}{path}", service.address.port()));
        if !self.token.is_empty() {
            command.args(["--header", &format!("Authorization: Bearer {}", self.token)]);
        }
        let curl = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("curl starts");
        Asked { curl, body }
    }

    /// Asks by curl with a file as the body.
    pub(crate) fn send(&self, path: &str, media_type: &str, content: &[u8], more: &[&str]) -> Asked {
        let file = self.login.path("home/question");
        fs::write(&file, content).unwrap();
        self.user.own(&file);
        let kind = format!("Content-Type: {media_type}");
        let data = format!("@{}", file.display());
        let mut arguments = vec!["--header", kind.as_str(), "--data-binary", data.as_str()];
        arguments.extend(more);
        self.ask("POST", path, &arguments)
    }

    /// Asks to be let in for good, as the person allows by the keyboard.
    pub(crate) fn pair(&mut self) {
        let asked =
            self.send("/ccsp/v1/pairings", "application/json", br#"{"scopes":["certificates","sign"]}"#, &[]);
        let tray = self.tray();
        self.desktop.window();
        self.desktop.reads(tray, "who asks", |reading| reading.says("Allow access") && reading.says("curl"));
        let remember = |reading: &Reading, state: &str| {
            reading.nodes().iter().any(|node| node.role == "check box" && node.is(state))
        };
        self.desktop.press_keys(&["shift+Tab"]);
        self.desktop.reads(tray, "the box has the keyboard", |reading| remember(reading, "focused"));
        self.desktop.press_keys(&["space"]);
        self.desktop.reads(tray, "the box is ticked", |reading| remember(reading, "checked"));
        self.desktop.press_keys(&["shift+Tab"]);
        self.desktop.reads(tray, "the yes has the keyboard and works", |reading| {
            reading.has_focus(ALLOW) && reading.works(ALLOW)
        });
        self.desktop.press_keys(&["Return"]);
        let answered = asked.answered();
        assert_eq!(answered.status, 201, "{}", answered.json());
        self.token = answered.json()["token"].as_str().unwrap().to_owned();
    }

    /// Waits until the window asks for the password of a signature.
    pub(crate) fn is_asked_to_sign(&self, name: &str) -> u32 {
        let tray = self.tray();
        self.desktop.reads(tray, "the question", |reading| {
            reading.says(name) && reading.button(SIGN).is_some() && reading.typed().is_some()
        });
        self.desktop.window();
        tray
    }

    /// Types the password and says yes.
    pub(crate) fn approves(&self, tray: u32) {
        // A first character tells when the window listens.
        self.desktop.press_keys(&["0"]);
        self.desktop.reads(tray, "the yes works", |reading| reading.works(SIGN));
        self.desktop.press_keys(&["BackSpace"]);
        self.desktop.reads(tray, "an empty field", |reading| reading.typed() == Some(""));
        assert!(self.desktop.xdotool(&["type", "--delay", "40", PASSWORD]));
        self.desktop.reads(tray, "the password", |reading| reading.typed() == Some("9 characters"));
        self.desktop.press_keys(&["Return"]);
    }

    /// Kills a tray.
    pub(crate) fn kill(&self, tray: u32) {
        send_signal(tray, Signal::SIGKILL);
    }

    /// A file of the login.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.login.path(name)
    }

    /// What lies in the spool.
    pub(crate) fn spool(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.login.spool()).into_iter().flatten().flatten();
        files.map(|file| file.path()).collect()
    }

    /// The verified audit trail: what was asked and how it ended.
    pub(crate) fn trail(&self) -> Vec<(Kind, Event)> {
        self.login.trail().into_iter().map(|record| (record.entry.kind, record.entry.event)).collect()
    }

    /// The processes of the service and the trays, which must not be root's.
    pub(crate) fn assert_unprivileged(&self, tray: u32) {
        use std::os::unix::fs::MetadataExt as _;
        for process in [self.service.as_ref().unwrap().process(), tray] {
            let owner = fs::metadata(format!("/proc/{process}/status")).unwrap().uid();
            // What closed itself against its own user belongs to root.
            let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
            let users = status.lines().find(|line| line.starts_with("Uid:")).unwrap();
            assert!(!users.split_whitespace().any(|user| user == "0"), "{owner}: {users}");
        }
    }
}

impl Asked {
    /// Waits for the answer.
    pub(crate) fn answered(self) -> Answered {
        let output = self.curl.wait_with_output().unwrap();
        assert!(output.status.success(), "curl: {:?}", output.status);
        let status = String::from_utf8(output.stdout).unwrap().parse().unwrap();
        Answered { status, body: fs::read(Path::new(&self.body)).unwrap_or_default() }
    }
}

/// How a failed approval is written down.
pub(crate) fn failed(code: ErrorCode) -> Event {
    Event::Outcome(Outcome::Failed(code))
}
