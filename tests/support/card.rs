//! A virtual A3 card in a virtual reader: pcscd with vpcd, and a PIV card that speaks to it.
//!
//! A machine has one smart card service, so a test holds the reader alone while it lives.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    left_out, repository,
    signing::{PASSWORD, a1},
};

const SERVICE_SOCKET: &str = "/run/pcscd/pcscd.comm";
/// The ports on which vpcd waits for a card in the first and in the second reader.
const PORTS: [u16; 2] = [35963, 35964];
/// How the names of these readers end.
const NAMES: [&str; 2] = ["00 00", "00 01"];
const DEADLINE: Duration = Duration::from_secs(20);
/// Where Debian and Ubuntu put OpenSC's module.
const MODULES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/opensc-pkcs11.so",
    "/usr/lib/aarch64-linux-gnu/opensc-pkcs11.so",
    "/usr/lib/opensc-pkcs11.so",
];

static READER: Mutex<()> = Mutex::new(());

/// The smart card service with its virtual reader. Ends the service on drop if it started it.
pub struct Reader {
    service: Option<Child>,
    module: &'static str,
    _alone: MutexGuard<'static, ()>,
}

/// A card that is in a reader until it is dropped.
pub struct Card {
    process: Child,
    place: usize,
}

impl Reader {
    /// The reader, with the service running; `None`, with a printed reason, where it cannot run.
    ///
    /// # Panics
    /// In CI, where a part is not installed.
    pub fn connect() -> Option<Self> {
        let alone = READER.lock().unwrap_or_else(PoisonError::into_inner);
        let module = MODULES.iter().find(|module| Path::new(module).exists());
        let (Some(module), true) = (module, Path::new("/etc/reader.conf.d/vpcd").exists()) else {
            left_out("OpenSC or vpcd is not installed: run `cargo xtask setup`");
            return None;
        };
        if !python().exists() {
            left_out("the virtual card's Python is not installed: run `cargo xtask setup`");
            return None;
        }
        let mut reader = Self { service: None, module, _alone: alone };
        reader.start().then_some(reader)
    }

    /// Starts the service unless it runs. False, with a printed reason, where it cannot run.
    fn start(&mut self) -> bool {
        if UnixStream::connect(SERVICE_SOCKET).is_err() {
            if fs::create_dir_all("/run/pcscd").is_err() {
                println!("left out: pcscd is not running and may not be started by this user");
                return false;
            }
            let service = Command::new("pcscd")
                .args(["--foreground", "--force-reader-polling"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn();
            match service {
                Ok(service) => self.service = Some(service),
                Err(error) => {
                    left_out(&format!("pcscd did not start ({error}): run `cargo xtask setup`"));
                    return false;
                }
            }
        }
        let end = Instant::now() + DEADLINE;
        while !(UnixStream::connect(SERVICE_SOCKET).is_ok() && PORTS.into_iter().all(reader_listens)) {
            assert!(Instant::now() < end, "the virtual reader appears");
            std::thread::yield_now();
        }
        true
    }

    /// Kills the service, as a crash does. False where it is not a test's.
    ///
    /// # Panics
    /// Where it cannot be killed.
    pub fn kill_service(&mut self) -> bool {
        let Some(mut service) = self.service.take() else { return false };
        service.kill().expect("it is killed");
        service.wait().expect("it is reaped");
        true
    }

    /// Starts the service after [`Reader::kill_service`].
    ///
    /// # Panics
    /// Where it does not start.
    pub fn start_service(&mut self) {
        assert!(self.start(), "the smart card service starts");
    }

    /// OpenSC's PKCS#11 module.
    pub const fn module(&self) -> &'static str {
        self.module
    }

    /// Inserts a card with a key of the test PKI, three tries, and its counter kept in `state`.
    ///
    /// # Panics
    /// Where the card does not start.
    pub fn insert(&self, key: &str, pin: &str, state: &Path, arguments: &[&str]) -> Card {
        self.insert_in(0, key, pin, state, arguments)
    }

    /// As [`Reader::insert`], in the first or in the second reader.
    ///
    /// # Panics
    /// Where the card does not start, or there is no such reader.
    pub fn insert_in(&self, place: usize, key: &str, pin: &str, state: &Path, arguments: &[&str]) -> Card {
        let mut process = Command::new(python())
            .arg(repository().join("tests/fixtures/virtual_card.py"))
            .arg("--p12")
            .arg(a1(key))
            .args(["--p12pass", PASSWORD, "--pin", pin, "--port", &PORTS[place].to_string(), "--state"])
            .arg(state)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the card starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("stdout is piped");
        BufReader::new(output).read_line(&mut line).expect("the card speaks");
        assert!(line.starts_with("inserted"), "{line}");
        wait_for_card(place, true);
        Card { process, place }
    }
}

fn python() -> PathBuf {
    repository().join(".venv/bin/python")
}

/// Waits until the smart card service has noticed that a card came or went.
fn wait_for_card(place: usize, present: bool) {
    let end = Instant::now() + DEADLINE;
    loop {
        let readers = signer_service::token::reader::readers().unwrap_or_default();
        let is = |reader: &&signer_service::token::reader::Reader| reader.name.ends_with(NAMES[place]);
        if readers.iter().find(is).is_some_and(|reader| reader.card.is_some()) == present {
            return;
        }
        assert!(Instant::now() < end, "the card is noticed");
        std::thread::yield_now();
    }
}

/// Whether vpcd waits for a card on this port.
fn reader_listens(port: u16) -> bool {
    // As `/proc/net/tcp` writes it.
    let port = format!(":{port:04X}");
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().any(|table| {
        let table = fs::read_to_string(table).unwrap_or_default();
        table.lines().any(|line| {
            let mut fields = line.split_whitespace().skip(1);
            fields.next().is_some_and(|local| local.ends_with(&port)) && fields.nth(1) == Some("0A")
        })
    })
}

impl Drop for Reader {
    fn drop(&mut self) {
        if let Some(service) = &mut self.service {
            // Asked to end, it removes its socket; `kill` of the standard library would not ask.
            let asked = Command::new("kill").arg(service.id().to_string()).status();
            if asked.is_err() {
                let _ = service.kill();
            }
            let _ = service.wait();
        }
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        // The connection closes: the card is out.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if !std::thread::panicking() {
            wait_for_card(self.place, false);
        }
    }
}
