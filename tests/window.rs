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
    token_host::{LastTry, TriesLeft},
};
use signer_tests::{
    desktop::{Desktop, until},
    reading::Reading,
    tray::{Shown, Tray, program},
};

/// What a yes waits for, as SECURITY.md promises.
const ARM_DELAY: Duration = Duration::from_millis(700);
/// How often this machine may be too slow to bring a key within [`ARM_DELAY`].
const ATTEMPTS: u64 = 5;
const PIN: &str = "73915208";
const SIGN: &str = "Aprovar e assinar";
const ALLOW: &str = "Permitir";
const USE_LAST_TRY: &str = "Usar a última tentativa";
const NO_LAST_TRY: &str = "Não arriscar";

fn tray(desktop: &Desktop, language: &str) -> Tray {
    Tray::start(&mut desktop.command(program()), desktop.directory(), language)
}

fn pin_unlock(key: &UnsealingKey) -> Unlock {
    let key = Some(*key.sealing_key().as_bytes());
    Unlock { entry: Entry::Pin, tries_left: TriesLeft::Unknown, key, unlock_tool: None }
}

fn nothing_unlock() -> Unlock {
    Unlock { entry: Entry::Nothing, tries_left: TriesLeft::Unknown, key: None, unlock_tool: None }
}

fn dismissed(approval: u64, outcome: Outcome) -> ToTray {
    ToTray::Dismiss { approval, outcome }
}

/// Ends a request and waits until its window is gone.
fn end(desktop: &Desktop, tray: &mut Tray, approval: u64) {
    tray.say(&dismissed(approval, Outcome::Denied));
    until("the window goes", || desktop.windows().is_empty().then_some(()));
}

/// Types into the field and waits until all of it is there.
fn type_secret(desktop: &Desktop, tray: &Tray, secret: &str, told: &str) {
    assert!(desktop.xdotool(&["type", "--delay", "40", secret]));
    desktop.reads(tray.process(), told, |reading| reading.typed() == Some(told));
}

/// Waits until the button `yes` works where a secret is asked for: it needs one character, which
/// is taken away again.
fn let_it_arm(desktop: &Desktop, tray: &Tray, yes: &str) {
    desktop.press_keys(&["0"]);
    desktop.reads(tray.process(), yes, |reading| reading.works(yes));
    desktop.press_keys(&["BackSpace"]);
    desktop.reads(tray.process(), "an empty field", |reading| reading.typed() == Some(""));
}

/// Takes the keyboard from the window and gives it back.
fn away_and_back(desktop: &Desktop, window: &str) {
    assert!(desktop.xdotool(&["windowminimize", "--sync", window]));
    until("the window comes back", || {
        desktop.xdotool(&["windowactivate", window]);
        desktop.has_keyboard().then_some(())
    });
}

/// Asks until the machine is quick enough: what meets the window together with the keyboard,
/// a yes by Enter and then a no by Escape, is a no.
fn only_the_no_is_heard(
    desktop: &Desktop,
    tray: &mut Tray,
    request: &str,
    unlocks: &[Unlock],
    prepare: impl Fn(&Tray),
) {
    let shown = Shown::new(request);
    for approval in 1..=ATTEMPTS {
        tray.present(approval, &shown, unlocks.to_vec());
        let window = desktop.window();
        prepare(tray);
        let goes_on = tray.meets(|| {
            away_and_back(desktop, &window);
            desktop.press_keys(&["Return", "Escape"]);
        });
        let (said, _) = tray.hears();
        let waited = goes_on.elapsed();
        if matches!(said, FromTray::Confirmed { .. }) {
            assert!(waited >= ARM_DELAY, "approved {waited:?} after the window came back");
            let (said, _) = tray.hears();
            assert!(matches!(said, FromTray::Denied { .. }), "{said:?}");
            end(desktop, tray, approval);
            continue;
        }
        assert_eq!(said, FromTray::Denied { approval, lasting: Lasting::Once });
        end(desktop, tray, approval);
        return;
    }
    panic!("this machine never brought a key within the delay");
}

#[test]
fn a_yes_does_nothing_in_the_first_moments_and_after_each_change_of_focus() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "pt");
    let shown = Shown::new(requests::pairing());
    let began = Instant::now();
    tray.present(9, &shown, Vec::new());
    desktop.window();
    // From no to yes; from here on Enter is pressed as often as it can be.
    desktop.press_keys(&["Tab"]);
    let (said, _) = tray.hears_while(|| desktop.press_keys(&["Return"]));
    let waited = began.elapsed();
    assert!(waited >= ARM_DELAY, "approved after {waited:?}");
    let FromTray::Confirmed { approval: 9, shown: digest, choice: None, secret, lasting, .. } = said else {
        panic!("{said:?}")
    };
    assert_eq!((digest, secret, lasting), (shown.digest, SecretAttached::No, Lasting::Once));
    end(&desktop, &mut tray, 9);

    only_the_no_is_heard(&desktop, &mut tray, &requests::pairing(), &[], |tray| {
        desktop.press_keys(&["Tab"]);
        let ready = |reading: &Reading| reading.works(ALLOW) && reading.has_focus(ALLOW);
        desktop.reads(tray.process(), "the yes has the keyboard and works", ready);
    });
    let key = UnsealingKey::generate();
    let with_pin = requests::signature(1, 1);
    only_the_no_is_heard(&desktop, &mut tray, &with_pin, &[pin_unlock(&key)], |tray| {
        let_it_arm(&desktop, tray, SIGN);
        type_secret(&desktop, tray, PIN, "8 caracteres");
        desktop.reads(tray.process(), "the yes works", |reading| reading.works(SIGN));
    });
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
    let_it_arm(&desktop, &tray, SIGN);
    type_secret(&desktop, &tray, PIN, "8 caracteres");
    let reading = desktop.reading(tray.process());
    assert!(!reading.says(PIN), "the PIN is read aloud: {reading:#?}");
    let readable = memory::copies(tray.process(), PIN.as_bytes()).is_some();
    let copies = || memory::copies(tray.process(), PIN.as_bytes()).unwrap_or_default();
    if readable {
        assert_eq!(copies(), 1, "copies of the PIN while it is typed");
    } else {
        println!("left out: only root reads the memory of the tray");
    }
    assert!(memory::locked_kib(tray.process()) >= 4, "no page is locked");

    desktop.press_keys(&["Return"]);
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
    // It is overwritten once it is sent.
    until("no copy of the PIN is left", || (copies() == 0).then_some(()));

    // A wrong one is asked for again, sealed to another key, and can be erased and refused.
    let key = UnsealingKey::generate();
    let again = Unlock { tries_left: TriesLeft::Exactly(2), ..pin_unlock(&key) };
    tray.say(&ToTray::AskSecret {
        approval: 1,
        deadline_ms: 60_000,
        reason: SecretReason::Incorrect,
        unlock: again,
    });
    let wrong = "PIN incorreto. Restam 2 tentativas.";
    desktop.reads(tray.process(), wrong, |reading| reading.says(wrong));
    type_secret(&desktop, &tray, "1ç3", "3 caracteres");
    desktop.press_keys(&["BackSpace", "4"]);
    desktop.press_keys(&["Return"]);
    let (said, attachment) = tray.hears();
    let last_try = LastTry::NotConfirmed;
    assert_eq!(said, FromTray::Secret { approval: 1, secret: SecretAttached::Yes, last_try });
    let TrayAttachment::Secret(sealed) = attachment else { panic!("{attachment:?}") };
    assert_eq!(key.open(&sealed).unwrap().expose(), "1ç4".as_bytes());
    assert!(tray.close().success());
}

/// Proves A32.
#[test]
fn the_last_try_is_a_question_of_its_own_with_the_no_at_hand() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "pt");
    let shown = Shown::new(requests::signature(1, 1));
    let asked = |tray: &mut Tray, approval| {
        let key = UnsealingKey::generate();
        let tool = Some("TokenAdmin (SafeSign)".to_owned());
        let last = Unlock { tries_left: TriesLeft::Last, unlock_tool: tool, ..pin_unlock(&key) };
        tray.present(approval, &shown, vec![last]);
        desktop.window();
        let_it_arm(&desktop, tray, SIGN);
        type_secret(&desktop, tray, PIN, "8 caracteres");
        desktop.press_keys(&["Return"]);
        let reading = desktop
            .reads(tray.process(), "the no has the keyboard", |reading| reading.has_focus(NO_LAST_TRY));
        for words in ["Última tentativa do PIN", "Resta UMA tentativa.", "TokenAdmin (SafeSign)"] {
            assert!(reading.says(words), "{words}: {reading:#?}");
        }
        assert!(!reading.says(PIN), "{reading:#?}");
        key
    };
    // Enter once more is a no.
    asked(&mut tray, 1);
    desktop.press_keys(&["Return"]);
    let (said, attachment) = tray.hears();
    assert_eq!(said, FromTray::Denied { approval: 1, lasting: Lasting::Once });
    assert_eq!(attachment, TrayAttachment::Nothing);
    end(&desktop, &mut tray, 1);

    // The yes is reached by the keyboard, and has its delay.
    let key = asked(&mut tray, 2);
    let began = Instant::now();
    desktop.press_keys(&["Tab"]);
    desktop.reads(tray.process(), "the yes works", |reading| {
        reading.works(USE_LAST_TRY) && reading.has_focus(USE_LAST_TRY)
    });
    let (said, attachment) = tray.hears_while(|| desktop.press_keys(&["Return"]));
    assert!(began.elapsed() < Duration::from_secs(60));
    assert!(
        matches!(said, FromTray::Confirmed { approval: 2, last_try: LastTry::Confirmed, .. }),
        "{said:?}"
    );
    let TrayAttachment::Secret(sealed) = attachment else { panic!("{attachment:?}") };
    assert_eq!(key.open(&sealed).unwrap().expose(), PIN.as_bytes());
    end(&desktop, &mut tray, 2);

    // A screen reader presses it.
    asked(&mut tray, 3);
    desktop.reads(tray.process(), USE_LAST_TRY, |reading| reading.works(USE_LAST_TRY));
    let (said, _) = tray.hears_while(|| {
        desktop.press(tray.process(), USE_LAST_TRY);
    });
    assert!(matches!(said, FromTray::Confirmed { last_try: LastTry::Confirmed, .. }), "{said:?}");
    assert!(tray.close().success());
}

#[test]
fn a_pin_that_was_begun_too_early_is_not_tried() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "en");
    let shown = Shown::new(requests::signature(1, 1));
    let (sign, again) = ("Approve and sign", "Enter it again: the window had only just opened.");
    for approval in 1.. {
        let key = UnsealingKey::generate();
        tray.present(approval, &shown, vec![pin_unlock(&key)]);
        let window = desktop.window();
        tray.meets(|| {
            away_and_back(&desktop, &window);
            desktop.press_keys(&["7"]);
        });
        type_secret(&desktop, &tray, "39", "3 characters");
        desktop.reads(tray.process(), sign, |reading| reading.works(sign));
        // The word about it, or the answer of a machine that was too slow.
        desktop.press_keys(&["Return"]);
        let sent = until("the window says something", || {
            let thrown_away = || desktop.reading(tray.process()).says(again).then_some(None);
            tray.hears_within(Duration::from_millis(1)).map(Some).or_else(thrown_away)
        });
        if sent.is_none() {
            type_secret(&desktop, &tray, "12", "2 characters");
            desktop.press_keys(&["Return"]);
            let (said, attachment) = tray.hears();
            let TrayAttachment::Secret(sealed) = attachment else { panic!("{said:?}") };
            assert_eq!(key.open(&sealed).unwrap().expose(), b"12");
            break;
        }
        assert!(approval < ATTEMPTS, "a PIN that was begun too early is sent each time");
        end(&desktop, &mut tray, approval);
    }
    assert!(tray.close().success());
}

#[test]
fn escape_a_closed_window_and_the_button_say_no() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "es");
    let shown = Shown::new(requests::pairing());
    for (approval, key) in (1..).zip(["Escape", "alt+F4", "Return"]) {
        tray.present(approval, &shown, Vec::new());
        desktop.window();
        desktop.press_keys(&[key]);
        let (said, attachment) = tray.hears();
        assert_eq!(said, FromTray::Denied { approval, lasting: Lasting::Once }, "{key}");
        assert_eq!(attachment, TrayAttachment::Nothing);
        end(&desktop, &mut tray, approval);
    }
    assert!(tray.close().success());
}

#[test]
fn a_screen_reader_reads_every_fact_and_presses_the_buttons() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "pt");
    let shown = Shown::new(requests::signature(1, 2));
    let began = Instant::now();
    tray.present(1, &shown, vec![nothing_unlock(); 2]);
    // Pressed as often as it can be: it does nothing before its time.
    let (said, _) = tray.hears_while(|| {
        desktop.press(tray.process(), SIGN);
    });
    assert!(began.elapsed() >= ARM_DELAY, "approved after {:?}", began.elapsed());
    assert!(matches!(said, FromTray::Confirmed { approval: 1, choice: Some(0), .. }), "{said:?}");
    end(&desktop, &mut tray, 1);

    tray.present(2, &shown, vec![nothing_unlock(); 2]);
    let reading = desktop.reads(tray.process(), "the time that is left", |reading| {
        reading.says("Será negado em") && reading.says(requests::FACTS[0])
    });
    for fact in requests::FACTS {
        assert!(reading.says(fact), "{fact} is not read: {reading:#?}");
    }
    for (role, name) in
        [("alert", "Confirmar assinatura"), ("push button", "Negar"), ("heading", "Certificado")]
    {
        let found = reading.nodes().iter().any(|node| node.role == role && node.name == name);
        assert!(found, "no {role} {name}: {reading:#?}");
    }
    let second = "JOÃO D'ÁVILA. AC EXEMPLO RFB v5 · até 12/03/2027 · A1 (arquivo) · joao.pfx";
    assert!(desktop.press(tray.process(), second), "{reading:#?}");
    desktop.reads(tray.process(), "the second certificate is chosen", |reading| {
        reading.button(second).is_some_and(|button| button.is("checked"))
    });
    assert!(desktop.press(tray.process(), "Negar"));
    let (said, _) = tray.hears();
    assert_eq!(said, FromTray::Denied { approval: 2, lasting: Lasting::Once });
    assert!(tray.close().success());
}

#[test]
fn a_screen_reader_presses_a_yes_with_a_pin_only_when_it_works() {
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "pt");
    let shown = Shown::new(requests::signature(1, 1));
    let key = UnsealingKey::generate();
    tray.present(1, &shown, vec![pin_unlock(&key)]);
    let window = desktop.window();
    let_it_arm(&desktop, &tray, SIGN);
    // Without a PIN there is nothing to approve with.
    assert!(!desktop.reading(tray.process()).works(SIGN));
    type_secret(&desktop, &tray, PIN, "8 caracteres");
    desktop.reads(tray.process(), SIGN, |reading| reading.works(SIGN));
    let back = Instant::now();
    away_and_back(&desktop, &window);
    let (said, attachment) = tray.hears_while(|| {
        desktop.press(tray.process(), SIGN);
    });
    assert!(back.elapsed() >= ARM_DELAY, "approved {:?} after the window came back", back.elapsed());
    assert!(matches!(said, FromTray::Confirmed { approval: 1, .. }), "{said:?}");
    let TrayAttachment::Secret(sealed) = attachment else { panic!("{attachment:?}") };
    assert_eq!(key.open(&sealed).unwrap().expose(), PIN.as_bytes());
    assert!(tray.close().success());
}

#[test]
fn a_window_that_is_only_looked_at_rests() {
    const LOOKED_AT: Duration = Duration::from_secs(4);
    let Some(desktop) = Desktop::start() else { return };
    let mut tray = tray(&desktop, "pt");
    let key = UnsealingKey::generate();
    tray.present(1, &Shown::new(requests::signature(5, 1)), vec![pin_unlock(&key)]);
    desktop.window();
    let_it_arm(&desktop, &tray, SIGN);
    let before = memory::processor_time(tray.process());
    assert!(tray.hears_within(LOOKED_AT).is_none(), "nobody has answered");
    let used = memory::processor_time(tray.process()) - before;
    // A frame a second, in a build that is not optimised.
    assert!(used < LOOKED_AT / 4, "{used:?} of the processor in {LOOKED_AT:?}");
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
            let seconds = |reading: &Reading| reading.nodes().iter().any(|node| node.role == "timer");
            desktop.reads(tray.process(), "the time that is left", seconds);
            if name == "signature" {
                assert!(desktop.xdotool(&["type", "--delay", "40", "1234"]));
                let typed = |reading: &Reading| reading.typed().is_some_and(|typed| typed.starts_with('4'));
                desktop.reads(tray.process(), "four characters", typed);
            }
            if name == "last-try-asked" {
                // As soon as it works, in any language.
                until("the question about the last try", || {
                    desktop.xdotool(&["type", "--delay", "40", "1"]);
                    desktop.press_keys(&["Return"]);
                    let reading = desktop.reading(tray.process());
                    let asks = reading.nodes().iter().all(|node| node.role != "password text");
                    asks.then_some(())
                });
            }
            desktop.picture(&window, &folder.join(format!("{name}-{language}-{look}.png")));
            tray.say(&dismissed(approval, Outcome::Denied));
        }
        assert!(tray.close().success());
    }
}
