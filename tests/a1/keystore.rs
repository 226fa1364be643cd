//! Keys under the keystore of the system: a real Secret Service on a bus of the test's own.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use signer_ipc::message::{Entry, Lasting};
use signer_tests::{
    agent::Agent,
    left_out,
    page::{Page, state_and_code},
    service::until,
    signing::{PASSWORD, a1, a1_with_password},
};

use crate::{
    KEY,
    desk::{Desk, refused},
    pdf,
    secrecy::Secrets,
    service::signs,
};

/// The password of the keyring itself.
const KEYRING: &str = "chaveiro";

/// A bus, and perhaps a keyring on it. Both end with this value.
struct Keyring {
    bus: Child,
    daemon: Option<Child>,
    home: PathBuf,
    address: String,
}

impl Keyring {
    /// Starts both for this desk's login; nothing where they are not installed.
    fn start(desk: &mut Desk) -> Option<Self> {
        for program in ["dbus-daemon", "gnome-keyring-daemon", "secret-tool"] {
            if Command::new(program)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_err()
            {
                left_out(&format!("{program} did not start: run `cargo xtask setup`"));
                return None;
            }
        }
        // A bus that starts nothing by itself: what is on it is what the test put there.
        let configuration = desk.secret(
            "bus.conf",
            "<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen><auth>EXTERNAL</auth>\
             <policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>\
             <allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>",
        );
        let mut bus = Command::new("dbus-daemon")
            .args(["--nofork", "--print-address=1", "--config-file"])
            .arg(configuration)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        BufReader::new(bus.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        desk.login.set("DBUS_SESSION_BUS_ADDRESS", &address);
        let home = desk.place.path().join("keyring-home");
        fs::create_dir(&home).unwrap();
        let mut keyring = Self { bus, daemon: None, home, address };
        keyring.unlock();
        Some(keyring)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", &self.home).env("XDG_RUNTIME_DIR", &self.home);
        command.env("DBUS_SESSION_BUS_ADDRESS", &self.address).env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    /// Starts the keyring, unlocked as at a login, and waits until it is on the bus.
    fn unlock(&mut self) {
        let mut daemon = self
            .command("gnome-keyring-daemon")
            .args(["--foreground", "--components=secrets", "--unlock"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        daemon.stdin.take().unwrap().write_all(KEYRING.as_bytes()).unwrap();
        self.daemon = Some(daemon);
        until("the keyring is unlocked", || {
            let mut store = self.command("secret-tool");
            store
                .args(["store", "--label=test", "of", "the-test"])
                .stdin(Stdio::piped())
                .stderr(Stdio::null());
            let mut store = store.spawn().unwrap();
            // It may have ended without reading.
            let _ = store.stdin.take().unwrap().write_all(b"x");
            store.wait().unwrap().success().then_some(())
        });
    }

    fn stop(&mut self) {
        if let Some(mut daemon) = self.daemon.take() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }

    /// Deletes what the program keeps in it.
    fn forget(&self) {
        let cleared = self.command("secret-tool").args(["clear", "application", "cybercore-signer"]).status();
        assert!(cleared.unwrap().success());
    }
}

impl Drop for Keyring {
    fn drop(&mut self) {
        self.stop();
        let _ = self.bus.kill();
        let _ = self.bus.wait();
    }
}

#[test]
fn under_the_keystore_a_key_signs_without_a_password_and_not_without_the_keystore() {
    let mut desk = Desk::new();
    let Some(mut keyring) = Keyring::start(&mut desk) else { return };
    let said = desk.add(&a1(KEY), PASSWORD, &["--protect", "keystore"]);
    assert!(said.contains("stored, under the keystore of the system"), "{said}");
    assert_eq!(desk.list()["credentials"][0]["protection"], "keystore");
    desk.assert_private();
    let id = desk.ids().remove(0);
    desk.signs(&id, None);
    // A second key is under the same secret of the keystore.
    desk.add(&a1("ecdsa-p384.p12"), PASSWORD, &["--protect", "keystore"]);
    let other = desk.ids().remove(1);
    desk.signs(&other, None);
    crate::desk::said(desk.remove(&other));
    // The person is asked whether, and for no secret.
    signs(&desk.login, KEY, Entry::Nothing, &[]);

    keyring.stop();
    assert_eq!(desk.sign(&id, None), Err("keystore-unavailable".to_owned()));
    let output = desk.adding(&a1("rsa-3072.p12"), PASSWORD).args(["--protect", "keystore"]).output().unwrap();
    assert_eq!(refused(&output), "keystore-unavailable");
    assert_eq!((desk.ids().len(), desk.keys().len()), (1, 1));
    through_the_service(&desk, "keystore-unavailable");

    // The next login.
    keyring.unlock();
    desk.signs(&id, None);
    // The files of the store on their own, under another secret: nothing opens.
    keyring.forget();
    assert_eq!(desk.sign(&id, None), Err("credential-unreadable".to_owned()));
    desk.add(&a1("ecdsa-p384.p12"), PASSWORD, &["--protect", "keystore"]);
    assert_eq!(desk.sign(&id, None), Err("credential-unreadable".to_owned()));
    desk.add(&a1(KEY), PASSWORD, &["--protect", "keystore"]);
    desk.signs(&id, None);
}

/// The person says yes, and the request fails with this code.
fn through_the_service(desk: &Desk, code: &str) {
    let service = desk.login.start();
    let mut agent = Agent::terminal(&desk.login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Always);
    let pending = page.ask_to_sign(&page.upload(&pdf()));
    let question = agent.question();
    agent.confirm(&question, None);
    let done = pending.answer().unwrap().json();
    assert_eq!(state_and_code(&done), ("failed".to_owned(), Some(code.to_owned())), "{done}");
    assert!(service.stop().success());
}

/// Proves A35.
#[test]
fn nothing_of_a_key_under_the_keystore_is_on_disk() {
    let mut desk = Desk::new();
    let Some(keyring) = Keyring::start(&mut desk) else { return };
    let p12 = a1_with_password(desk.place.path(), "MARCADOR7391senha");
    desk.add(&p12, "MARCADOR7391senha", &["--protect", "keystore"]);
    desk.signs(&desk.ids()[0], None);
    Secrets::of(&p12, "MARCADOR7391senha").assert_nowhere_in(&desk.login.path(""));
    drop(keyring);
}

#[test]
fn without_a_bus_the_keystore_is_not_there_and_nothing_is_stored() {
    let desk = Desk::new();
    let output = desk.adding(&a1(KEY), PASSWORD).args(["--protect", "keystore"]).output().unwrap();
    assert_eq!(refused(&output), "keystore-unavailable");
    assert_eq!((desk.ids().len(), desk.keys().len()), (0, 0));
}
