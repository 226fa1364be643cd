//! The real window on a desktop without a screen: keys, clicks, screen readers, memory.
//!
//! A service that is none invites it and hears what it says; nothing here can approve anything.
#![cfg(target_os = "linux")]

#[path = "window/memory.rs"]
mod memory;
#[path = "window/requests.rs"]
mod requests;

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use signer_ipc::{
    message::{
        Entry, FromTray, Lasting, Outcome, SecretAttached, SecretReason, ToTray, TrayAttachment, Unlock,
    },
    sealed::UnsealingKey,
    token_host::TriesLeft,
};
use signer_tests::{
    desktop::{Desktop, until},
    left_out,
    tray::{Shown, Tray, program},
};

/// What a yes waits for, as SECURITY.md promises.
const ARM_DELAY: Duration = Duration::from_millis(700);
const PIN: &str = "73915208";

fn tray(desktop: &Desktop, language: &str) -> Tray {
    Tray::start(&mut desktop.command(program()), desktop.directory(), language)
}

fn pin_unlock(key: &UnsealingKey) -> Unlock {
    Unlock { entry: Entry::Pin, tries_left: TriesLeft::Unknown, key: Some(*key.sealing_key().as_bytes()) }
}

fn nothing_unlock() -> Unlock {
    Unlock { entry: Entry::Nothing, tries_left: TriesLeft::Unknown, key: None }
}

fn dismissed(approval: u64, outcome: Outcome) -> ToTray {
    ToTray::Dismiss { approval, outcome }
}

/// Waits until the delay is over: the delay itself is what is waited for.
fn let_it_arm() {
    std::thread::sleep(ARM_DELAY + Duration::from_millis(300));
}

/// What is read aloud, once it holds `words`.
fn heard_aloud(desktop: &Desktop, tray: &Tray, words: &str) -> String {
    until(&format!("{words} is read"), || {
        let said = desktop.read_aloud(tray.process());
        said.contains(words).then_some(said)
    })
}

#[test]
fn a_yes_does_nothing_in_the_first_moments_and_after_each_change_of_focus() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "pt");
    let shown = Shown::new(requests::pairing());
    let began = Instant::now();
    tray.present(1, &shown, Vec::new());
    desktop.window();
    // From no to yes; from here on Enter is pressed as often as it can be.
    assert!(desktop.xdotool(&["key", "Tab"]));
    let ((said, _), _) = tray.hears_while(|| {
        desktop.xdotool(&["key", "Return"]);
    });
    let waited = began.elapsed();
    assert!(waited >= ARM_DELAY, "approved after {waited:?}");
    let FromTray::Confirmed { approval: 1, shown: digest, choice: None, secret, lasting } = said else {
        panic!("{said:?}")
    };
    assert_eq!((digest, secret, lasting), (shown.digest, SecretAttached::No, Lasting::Once));

    tray.say(&dismissed(1, Outcome::Denied));
    tray.present(2, &shown, Vec::new());
    heard_aloud(&desktop, &tray, "Será negado em");
    let window = desktop.window();
    let_it_arm();
    assert!(desktop.xdotool(&["windowminimize", "--sync", &window]));
    let back = Instant::now();
    assert!(desktop.xdotool(&["windowactivate", "--sync", &window]));
    desktop.window();
    assert!(desktop.xdotool(&["key", "Tab"]));
    let ((said, _), _) = tray.hears_while(|| {
        desktop.xdotool(&["key", "Return"]);
    });
    assert!(matches!(said, FromTray::Confirmed { approval: 2, .. }), "{said:?}");
    assert!(back.elapsed() >= ARM_DELAY, "approved {:?} after the window came back", back.elapsed());
    assert!(tray.close().success());
}

#[test]
fn a_pin_goes_sealed_and_leaves_nothing_in_memory() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "pt");
    let shown = Shown::new(requests::signature(1, 1));
    let key = UnsealingKey::generate();
    tray.present(1, &shown, vec![pin_unlock(&key)]);
    desktop.window();
    let_it_arm();
    assert!(desktop.xdotool(&["type", "--delay", "60", PIN]));
    heard_aloud(&desktop, &tray, "8 caracteres");
    let said = desktop.read_aloud(tray.process());
    assert!(!said.contains(PIN), "the PIN is read aloud: {said}");
    match memory::copies(tray.process(), PIN.as_bytes()) {
        Some(typed) => assert_eq!(typed, 1, "copies of the PIN while it is typed"),
        None => left_out("only root reads the memory of the tray"),
    }
    assert!(memory::locked_kib(tray.process()) >= 4, "no page is locked");

    assert!(desktop.xdotool(&["key", "Return"]));
    let (said, attachment) = tray.hears();
    let FromTray::Confirmed {
        approval: 1, shown: digest, choice: Some(0), secret: SecretAttached::Yes, ..
    } = said
    else {
        panic!("{said:?}")
    };
    assert_eq!(digest, shown.digest);
    let TrayAttachment::Secret(sealed) = attachment else { panic!("{attachment:?}") };
    assert_eq!(key.open(&sealed).unwrap().expose(), PIN.as_bytes());
    if let Some(left) = memory::copies(tray.process(), PIN.as_bytes()) {
        assert_eq!(left, 0, "copies of the PIN after it was sent");
    }

    // A wrong one is asked for again, sealed to another key, and can be erased and refused.
    let key = UnsealingKey::generate();
    let again = Unlock { tries_left: TriesLeft::Exactly(2), ..pin_unlock(&key) };
    tray.say(&ToTray::AskSecret {
        approval: 1,
        deadline_ms: 60_000,
        reason: SecretReason::Incorrect,
        unlock: again,
    });
    heard_aloud(&desktop, &tray, "PIN incorreto. Restam 2 tentativas.");
    assert!(desktop.xdotool(&["type", "--delay", "60", "1ç3"]));
    assert!(desktop.xdotool(&["key", "--delay", "60", "BackSpace", "4", "Return"]));
    let (said, attachment) = tray.hears();
    assert_eq!(said, FromTray::Secret { approval: 1, secret: SecretAttached::Yes });
    let TrayAttachment::Secret(sealed) = attachment else { panic!("{attachment:?}") };
    assert_eq!(key.open(&sealed).unwrap().expose(), "1ç4".as_bytes());
    assert!(tray.close().success());
}

#[test]
fn a_pin_that_was_begun_too_early_is_not_tried() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "en");
    let shown = Shown::new(requests::signature(1, 1));
    let key = UnsealingKey::generate();
    let began = Instant::now();
    tray.present(1, &shown, vec![pin_unlock(&key)]);
    desktop.window();
    assert!(desktop.xdotool(&["key", "7"]));
    if began.elapsed() >= ARM_DELAY {
        left_out("this machine is too slow to type before the delay is over");
        return;
    }
    let_it_arm();
    assert!(desktop.xdotool(&["key", "--delay", "60", "3", "9", "Return"]));
    heard_aloud(&desktop, &tray, "Enter it again: the window had only just opened.");
    assert!(tray.hears_within(Duration::from_millis(300)).is_none(), "half a PIN was sent");
    assert!(desktop.xdotool(&["key", "--delay", "60", "1", "2", "Return"]));
    let (_, attachment) = tray.hears();
    let TrayAttachment::Secret(sealed) = attachment else { panic!("{attachment:?}") };
    assert_eq!(key.open(&sealed).unwrap().expose(), b"12");
    assert!(tray.close().success());
}

#[test]
fn escape_a_closed_window_and_the_button_say_no() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "es");
    let shown = Shown::new(requests::pairing());
    let keys: [&[&str]; 3] = [&["key", "Escape"], &["key", "alt+F4"], &["key", "Return"]];
    for (approval, key) in (1..).zip(keys) {
        tray.present(approval, &shown, Vec::new());
        desktop.window();
        let ((said, attachment), _) = tray.hears_while(|| {
            desktop.xdotool(key);
        });
        assert_eq!(said, FromTray::Denied { approval, lasting: Lasting::Once });
        assert_eq!(attachment, TrayAttachment::Nothing);
        // A second press before the service has answered changes nothing.
        while tray.hears_within(Duration::from_millis(100)).is_some() {}
        tray.say(&dismissed(approval, Outcome::Denied));
        until("the window goes", || {
            let found = desktop
                .command("xdotool")
                .args(["search", "--onlyvisible", "--class", "cybercore-signer-tray"])
                .stderr(Stdio::null())
                .output()
                .unwrap();
            found.stdout.is_empty().then_some(())
        });
    }
    assert!(tray.close().success());
}

#[test]
fn a_screen_reader_reads_every_fact_and_presses_the_buttons() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "pt");
    let shown = Shown::new(requests::signature(1, 2));
    tray.present(1, &shown, vec![nothing_unlock(); 2]);
    let began = Instant::now();
    desktop.window();
    // Pressed as often as it can be: it does nothing before its time.
    let ((said, _), _) = tray.hears_while(|| {
        desktop.press(tray.process(), "Aprovar e assinar");
    });
    assert!(began.elapsed() >= ARM_DELAY, "approved after {:?}", began.elapsed());
    assert!(matches!(said, FromTray::Confirmed { approval: 1, choice: Some(0), .. }), "{said:?}");
    tray.say(&dismissed(1, Outcome::Denied));

    tray.present(2, &shown, vec![nothing_unlock(); 2]);
    let read = heard_aloud(&desktop, &tray, "Será negado em");
    for fact in requests::FACTS {
        assert!(read.contains(fact), "{fact} is not read: {read}");
    }
    for (role, name) in
        [("alert", "Confirmar assinatura"), ("push button", "Negar"), ("heading", "Certificado")]
    {
        let found = read.lines().any(|line| line.contains(role) && line.contains(name));
        assert!(found, "no {role} {name}: {read}");
    }
    let second = "JOÃO D'ÁVILA. AC EXEMPLO RFB v5 · até 12/03/2027 · A1 (arquivo) · joao.pfx";
    assert!(desktop.press(tray.process(), second), "{read}");
    until("the second certificate is chosen", || {
        let read = desktop.read_aloud(tray.process());
        let chosen = |line: &str| line.contains("JOÃO") && line.contains("\"checked\"");
        read.lines().any(chosen).then_some(())
    });
    assert!(desktop.press(tray.process(), "Negar"));
    let (said, _) = tray.hears();
    assert_eq!(said, FromTray::Denied { approval: 2, lasting: Lasting::Once });
    assert!(tray.close().success());
}

#[test]
fn without_a_display_or_an_invitation_it_ends_with_a_reason() {
    let ended = |input: &str| {
        let mut command = std::process::Command::new(program());
        command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.lines().count(), 1, "{said}");
        (output.status.code(), said)
    };
    let one_time = "5a".repeat(32);
    let invitation =
        format!(r#"{{"version":1,"endpoint":"/nowhere","oneTime":"{one_time}","language":"pt"}}"#);
    let (code, said) = ended(&format!("{invitation}\n"));
    assert_eq!(code, Some(69), "{said}");
    assert!(said.contains("no display"), "{said}");
    for input in ["", "{}\n", &invitation.replace("\"version\":1", "\"version\":9")] {
        assert_eq!(ended(input).0, Some(64), "{input}");
    }
}

/// Keeps a picture of every page where `SIGNER_PICTURES` names a folder: for people to look at.
#[test]
fn every_page_can_be_seen() {
    let Some(folder) = std::env::var_os("SIGNER_PICTURES").map(std::path::PathBuf::from) else { return };
    let Some(mut desktop) = Desktop::start() else { return };
    for (look, scale, language) in [
        ("light", "1", "pt"),
        ("light", "1", "en"),
        ("light", "1", "es"),
        ("light2x", "2", "pt"),
        ("dark", "1", "pt"),
        ("dark2x", "2", "es"),
    ] {
        if look == "dark" {
            desktop.wish_for_dark();
        }
        let mut command = desktop.command(program());
        command.env("WINIT_X11_SCALE_FACTOR", scale);
        let mut tray = Tray::start(&mut command, desktop.directory(), language);
        let key = UnsealingKey::generate();
        for (approval, (name, request, unlocks)) in (1..).zip(requests::every_page(&key)) {
            tray.present(approval, &Shown::new(request), unlocks);
            let window = desktop.window();
            let_it_arm();
            if name == "signature" {
                assert!(desktop.xdotool(&["type", "--delay", "40", "1234"]));
                until("it is typed", || desktop.read_aloud(tray.process()).contains("\"4 c").then_some(()));
            }
            desktop.picture(&window, &folder.join(format!("{name}-{language}-{look}.png")));
            tray.say(&dismissed(approval, Outcome::Denied));
        }
        assert!(tray.close().success());
    }
}
