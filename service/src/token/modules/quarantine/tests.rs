//! The file of the quarantine: what survives, what is forgotten, and what a damaged one does.

use std::fs;

use super::*;

struct Place {
    folder: tempfile::TempDir,
    quarantine: Quarantine,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let quarantine = Quarantine::open(folder.path().join("quarantine.json"));
        Self { folder, quarantine }
    }

    fn module(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, name).unwrap();
        path
    }

    fn fail(&self, module: &Path) {
        let what = What::Crashed { status: "signal: 6 (SIGABRT)".to_owned() };
        self.quarantine.failed(module, Incident { what, step: Step::OpenModule, at: 1_780_000_000 }).unwrap();
    }
}

#[test]
fn a_module_that_failed_twice_is_held_until_the_person_says_otherwise() {
    let place = Place::new();
    let (one, other) = (place.module("one.so"), place.module("other.so"));
    place.fail(&one);
    place.fail(&other);
    assert_eq!(place.quarantine.reason(&one), None);
    place.fail(&one);
    // Another process sees it, too.
    let held = Quarantine::open(place.quarantine.path.clone()).reason(&one).unwrap();
    assert_eq!((held.path.as_path(), held.incidents.len()), (one.as_path(), 2));
    let refused = place.quarantine.permit(&one).unwrap_err().to_string();
    assert_eq!(
        refused,
        "the module is in quarantine: crashed (signal: 6 (SIGABRT)) while loading the module"
    );
    assert!(place.quarantine.permit(&other).is_ok());
    assert_eq!(place.quarantine.reason(&other), None);
    assert_eq!(place.quarantine.inmates().modules, [held]);
    place.quarantine.release(&one).unwrap();
    assert_eq!(place.quarantine.reason(&one), None);
    place.fail(&one);
    assert_eq!(place.quarantine.reason(&one), None, "released, it begins anew");
}

#[test]
fn another_file_of_that_name_is_another_module() {
    let place = Place::new();
    let module = place.module("m.so");
    place.fail(&module);
    place.fail(&module);
    assert!(place.quarantine.reason(&module).is_some());
    fs::write(&module, "an update").unwrap();
    assert_eq!(place.quarantine.reason(&module), None);
    assert!(place.quarantine.inmates().modules.is_empty());
    place.fail(&module);
    assert_eq!(place.quarantine.reason(&module), None);
}

#[test]
fn what_worked_is_forgiven() {
    let place = Place::new();
    let module = place.module("m.so");
    place.fail(&module);
    place.quarantine.worked(&module, Step::Credentials).unwrap();
    place.fail(&module);
    assert_eq!(place.quarantine.reason(&module), None);
    // Of a module that never failed nothing is written.
    let other = Place::new();
    other.quarantine.worked(&other.module("m.so"), Step::Sign).unwrap();
    assert!(!other.quarantine.path.exists());
}

#[test]
fn a_damaged_file_is_named_and_taken_as_empty() {
    for text in ["", "{}", "{\"version\":2,\"modules\":[]}", "{\"version\":1,\"modules\":[{}]}", "\0"] {
        let place = Place::new();
        let module = place.module("m.so");
        fs::write(&place.quarantine.path, text).unwrap();
        let inmates = place.quarantine.inmates();
        assert!(inmates.modules.is_empty());
        let damage = inmates.damage.unwrap().to_string();
        assert!(damage.contains("quarantine.json") && damage.contains("taken as empty"), "{damage}");
        assert_eq!(place.quarantine.reason(&module), None);
        place.fail(&module);
        place.fail(&module);
        assert!(place.quarantine.reason(&module).is_some(), "{text}");
        assert!(place.quarantine.inmates().damage.is_none());
    }
}

#[test]
fn two_processes_lose_nothing_of_what_the_other_writes() {
    let place = Place::new();
    let modules: Vec<_> = (0..8).map(|number| place.module(&format!("{number}.so"))).collect();
    std::thread::scope(|scope| {
        for module in &modules {
            scope.spawn(|| {
                place.fail(module);
                place.fail(module);
            });
        }
    });
    assert_eq!(place.quarantine.inmates().modules.len(), modules.len());
}
