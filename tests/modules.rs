//! PKCS#11 modules as a person meets them: found by every way that there is, left out with a
//! reason, kept in quarantine when they fail again and again, and explained by `diagnose`.
#![cfg(target_os = "linux")]

#[path = "modules/chain.rs"]
mod chain;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, Instant},
};

use serde_json::Value;
use signer_tests::{
    service::Login,
    signing::code,
    softhsm::{SoftHsm, faulty_module},
};

const PIN: &str = "482915";

/// A login with a SoftHSM token that a test's modules may show.
struct Desk {
    login: Login,
    modules: tempfile::TempDir,
}

impl Desk {
    fn new() -> Option<Self> {
        let mut login = Login::new();
        let token = SoftHsm::new(&login.path("hsm"), "ecpf-a1-moderno.p12", PIN)?;
        login.set("SOFTHSM2_CONF", token.configuration());
        Some(Self { login, modules: tempfile::tempdir().unwrap() })
    }

    /// Configures these modules and no others.
    fn configure(&self, modules: &[&Path]) {
        self.login.configure(&format!("[tokens]\nknown_modules = false\nmodules = {modules:?}\n"));
    }

    fn faulty(&self, how: &str) -> PathBuf {
        faulty_module(self.modules.path(), how)
    }

    fn run(&self, words: &[&str]) -> Output {
        self.login.command().args(words).output().unwrap()
    }

    fn json(&self, words: &[&str]) -> Value {
        json(&self.run(words))
    }

    /// What `diagnose` says of the module at this path.
    fn diagnosed(&self, module: &Path, words: &[&str]) -> Value {
        let diagnosis = self.json(&[&["diagnose", "--json"], words].concat());
        named(&diagnosis["modules"], module)
    }

    /// The certificates that are found without naming a module.
    fn certificates(&self) -> usize {
        self.json(&["certificates", "--json"])["certificates"].as_array().unwrap().len()
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat()
}

/// The one of a list whose path this is.
fn named(list: &Value, path: &Path) -> Value {
    let found = list.as_array().unwrap().iter().find(|item| item["path"] == path.to_str().unwrap());
    found.unwrap_or_else(|| panic!("{} is in {list:#}", path.display())).clone()
}

/// Loads the module as any other program does, and says how that ended.
fn bare_loader(desk: &Desk, module: &Path) -> Command {
    let mut tool = Command::new("timeout");
    tool.args(["3", "pkcs11-tool", "--list-slots", "--module"]).arg(module);
    desk.login.surround(&mut tool);
    tool
}

#[test]
fn what_p11_kit_registers_is_found_and_what_is_left_out_says_why() {
    let Some(desk) = Desk::new() else { return };
    desk.login.configure("");
    let module = desk.faulty("registered");
    let folder = desk.login.path("config/pkcs11/modules");
    fs::create_dir_all(&folder).unwrap();
    let register = |name: &str, text: &str| fs::write(folder.join(format!("{name}.module")), text).unwrap();
    register("mine", &format!("module: {}\ncritical: yes\npriority: 5\n", module.display()));
    register("trust", "module: p11-kit-trust.so\ntrust-policy: yes\n");
    register("other", "module: /other.so\nenable-in: firefox\n");
    register("far", "remote: |ssh far p11-kit remote /far.so\n");

    let listed = desk.json(&["modules", "list", "--json"]);
    let mine = named(&listed["modules"], &module);
    assert_eq!((mine["product"].as_str(), mine["state"].as_str()), (Some("mine"), Some("ready")), "{mine}");
    let file = folder.join("mine.module");
    assert_eq!(mine["origin"]["kind"], "p11-kit");
    assert_eq!(
        (mine["origin"]["file"].as_str(), &mine["origin"]["critical"]),
        (file.to_str(), &Value::Bool(true))
    );
    let left_out = listed["leftOut"].as_array().unwrap();
    for (product, reason) in [("trust", "trust-policy"), ("other", "disabled"), ("far", "remote")] {
        assert!(left_out.iter().any(|it| it["product"] == product && it["reason"] == reason), "{listed:#}");
    }
    // The same eyes look for certificates.
    assert_eq!(desk.certificates(), 1);

    // The login may say that it wants none of it.
    fs::write(desk.login.path("config/pkcs11/pkcs11.conf"), "user-config: none\n").unwrap();
    let listed = desk.json(&["modules", "list", "--json"]);
    assert!(listed["modules"].as_array().unwrap().iter().all(|it| it["product"] != "mine"), "{listed:#}");
}

#[test]
fn the_variable_of_other_signing_programs_is_honoured() {
    let Some(mut desk) = Desk::new() else { return };
    assert_eq!(desk.certificates(), 0, "nothing is configured");
    let module = desk.faulty("driver");
    for (value, product) in [
        (format!("Minha CA::{}", module.display()), "Minha CA"),
        (module.display().to_string(), "faulty-driver.so"),
    ] {
        desk.login.set("PKCS11_DRIVER", value);
        let listed = desk.json(&["modules", "list", "--json"]);
        let found = named(&listed["modules"], &module);
        assert_eq!(
            (found["product"].as_str(), &found["origin"]["kind"]),
            (Some(product), &"environment".into())
        );
        assert_eq!(desk.certificates(), 1);
    }
}

#[test]
fn one_token_behind_two_names_of_a_module_is_asked_once() {
    let Some(desk) = Desk::new() else { return };
    let module = desk.faulty("one");
    let (link, copy) = (desk.modules.path().join("link.so"), desk.modules.path().join("faulty-copy.so"));
    std::os::unix::fs::symlink(&module, &link).unwrap();
    fs::copy(&module, &copy).unwrap();
    desk.configure(&[&link, &module, &copy]);
    let listed = desk.json(&["modules", "list", "--json"]);
    assert_eq!(listed["modules"].as_array().unwrap().len(), 1, "{listed:#}");
    for other in [&module, &copy] {
        let left = named(&listed["leftOut"], other);
        assert_eq!(
            (&left["reason"], left["detail"].as_str()),
            (&"duplicate".into(), link.to_str()),
            "{left}"
        );
    }
}

#[test]
fn what_cannot_be_loaded_is_told_in_plain_words_and_hides_nothing() {
    let Some(desk) = Desk::new() else { return };
    let good = desk.faulty("good");
    let at = |name: &str| desk.modules.path().join(name);
    let mut library = fs::read(&good).unwrap();
    // ELF: 32 bits, and the machine of that.
    (library[4], library[18]) = (1, 3);
    fs::write(at("old.so"), library).unwrap();
    fs::write(at("text.so"), "#!/bin/sh\n").unwrap();
    desk.configure(&[&at("old.so"), &at("text.so"), &at("missing.so"), &good]);

    let listed = desk.json(&["modules", "list", "--json"]);
    for (name, reason) in
        [("old.so", "architecture"), ("text.so", "not-a-library"), ("missing.so", "missing")]
    {
        assert_eq!(named(&listed["leftOut"], &at(name))["reason"], reason, "{listed:#}");
    }
    assert_eq!(desk.certificates(), 1);

    let shown = text(&desk.run(&["diagnose"]));
    for words in ["32-bit library", "64-bit program", "no library of this system", "there is no such file"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let diagnosis = desk.json(&["diagnose", "--json"]);
    let findings = diagnosis["findings"].as_array().unwrap();
    for (name, code) in [
        ("old.so", "module-architecture"),
        ("text.so", "module-unusable"),
        ("missing.so", "module-not-found"),
    ] {
        let of_it = |it: &&Value| it["facts"]["path"] == at(name).to_str().unwrap();
        let finding = findings.iter().find(of_it).unwrap_or_else(|| panic!("{name}: {diagnosis:#}"));
        assert_eq!((&finding["code"], &finding["facts"]["error"]), (&"module-unusable".into(), &code.into()));
    }
    // Who asks for such a module by name hears the same.
    for (name, expected) in [
        ("old.so", "module-architecture"),
        ("text.so", "module-unusable"),
        ("missing.so", "module-not-found"),
    ] {
        let module = at(name);
        let answer = desk.json(&["certificates", "--json", "--module", module.to_str().unwrap()]);
        assert_eq!(code(&answer), expected, "{answer}");
    }
}

#[test]
fn a_module_that_crashes_twice_is_left_alone_until_the_person_says_so() {
    let Some(desk) = Desk::new() else { return };
    let (bad, good) = (desk.faulty("abort-in-initialize"), desk.faulty("good"));
    desk.configure(&[&bad, &good]);
    let alone = bare_loader(&desk, &bad).status().unwrap();
    assert!(!alone.success(), "the fault ends a program that loads the module itself: {alone}");

    for _ in 0..2 {
        let diagnosis = desk.json(&["diagnose", "--json"]);
        assert_eq!(named(&diagnosis["modules"], &bad)["state"], "crashed");
        assert_eq!(certificates_of(&diagnosis, &good), 1);
    }
    let held = desk.diagnosed(&bad, &[]);
    assert_eq!(held["state"], "quarantined", "{held}");
    let incidents = held["incidents"].as_array().unwrap();
    assert!(incidents.len() == 2 && incidents.iter().all(|it| it["step"] == "open-module"), "{held}");
    assert!(incidents[0]["detail"].as_str().unwrap().contains("SIGABRT"), "{held}");
    assert_eq!(desk.certificates(), 1);

    // Everybody sees it, and hears what can be done.
    let shown = text(&desk.run(&["modules", "list"]));
    for words in ["in quarantine", "crashed while loading the module", "modules retry"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let shown = text(&desk.run(&["certificates"]));
    assert!(shown.contains("[module-quarantined]") && shown.contains("ANA FICTICIA"), "{shown}");

    // Who names it gets it.
    let answer = desk.json(&["certificates", "--json", "--module", bad.to_str().unwrap()]);
    assert_eq!(code(&answer), "module-crashed", "{answer}");
    assert_eq!(desk.diagnosed(&bad, &["--module", bad.to_str().unwrap()])["state"], "crashed");

    // The way back, by path and by product; then it is tried again.
    for name in [bad.to_str().unwrap(), "Faulty-Abort-In-Initialize.so"] {
        assert!(desk.run(&["modules", "retry", name]).status.success());
        assert_eq!(desk.run(&["modules", "retry", name]).status.code(), Some(1), "it is free already");
        assert_eq!(desk.diagnosed(&bad, &[])["state"], "crashed");
        assert_eq!(desk.diagnosed(&bad, &[])["state"], "crashed");
        assert_eq!(desk.diagnosed(&bad, &[])["state"], "quarantined");
    }
    // An update is another module.
    fs::remove_file(&bad).unwrap();
    desk.faulty("abort-in-initialize");
    assert_eq!(desk.diagnosed(&bad, &[])["state"], "crashed");
}

#[test]
fn a_module_that_hangs_costs_the_others_nothing() {
    let Some(desk) = Desk::new() else { return };
    let (bad, good) = (desk.faulty("hang-in-initialize"), desk.faulty("good"));
    desk.configure(&[&bad, &good]);
    let alone = bare_loader(&desk, &bad).status().unwrap();
    assert_eq!(alone.code(), Some(124), "a program that loads the module itself hangs: {alone}");

    for state in ["hung", "hung", "quarantined"] {
        let begin = Instant::now();
        let diagnosis = desk.json(&["diagnose", "--json", "--wait", "2"]);
        assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
        assert_eq!(named(&diagnosis["modules"], &bad)["state"], state, "{diagnosis:#}");
        assert_eq!(named(&diagnosis["modules"], &good)["state"], "works", "{diagnosis:#}");
    }
}

#[test]
fn a_damaged_quarantine_is_named_and_taken_as_empty() {
    let Some(desk) = Desk::new() else { return };
    let bad = desk.faulty("abort-in-initialize");
    desk.configure(&[&bad]);
    let file = desk.login.path("state/cybercore-signer/quarantine.json");
    assert!(desk.run(&["modules", "list"]).status.success());
    fs::write(&file, "{").unwrap();
    let shown = text(&desk.run(&["modules", "list"]));
    assert!(shown.contains("quarantine.json is damaged") && shown.contains("ready to be used"), "{shown}");
    for state in ["crashed", "crashed", "quarantined"] {
        assert_eq!(desk.diagnosed(&bad, &[])["state"], state);
    }
}

/// How many certificates `diagnose` shows behind a module.
fn certificates_of(diagnosis: &Value, module: &Path) -> usize {
    let found = named(&diagnosis["modules"], module);
    let tokens = found["tokens"].as_array().unwrap();
    tokens.iter().map(|token| token["certificates"].as_array().unwrap().len()).sum()
}
