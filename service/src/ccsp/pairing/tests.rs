//! Pairings in memory and on disk.

use super::*;

const NOW: i64 = 1_796_083_200;
const MEMORY: Duration = Duration::from_secs(60);

fn site(origin: &str) -> Binding {
    Binding::Site { origin: origin.to_owned() }
}

fn store(directory: &Path) -> PairingStore {
    PairingStore::new(directory.join("pairings.json"))
}

#[test]
fn a_secret_is_good_for_its_client_and_its_time() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let (secret, pairing) =
        store.allow(&site("https://a.example"), vec![Scope::Sign], Lasting::Once, NOW).unwrap();
    assert_eq!(store.find(&secret, &site("https://a.example"), NOW).unwrap(), Some(pairing.clone()));
    assert!(pairing.permits(Scope::Sign) && !pairing.permits(Scope::Certificates));
    assert_eq!(store.find(&secret, &site("https://b.example"), NOW).unwrap(), None);
    assert_eq!(store.find(&secret, &Binding::Program { path: None }, NOW).unwrap(), None);
    assert_eq!(store.find(&secret[1..], &site("https://a.example"), NOW).unwrap(), None);
    assert_eq!(store.find("", &site("https://a.example"), NOW).unwrap(), None);
    assert_eq!(store.find(&secret, &site("https://a.example"), pairing.expires).unwrap(), None);
}

#[test]
fn always_outlives_the_service_and_once_does_not() {
    let directory = tempfile::tempdir().unwrap();
    let first = store(directory.path());
    let (always, _) =
        first.allow(&site("https://a.example"), vec![Scope::Sign], Lasting::Always, NOW).unwrap();
    let (once, _) = first.allow(&site("https://b.example"), vec![Scope::Sign], Lasting::Once, NOW).unwrap();
    let second = store(directory.path());
    let found = second.find(&always, &site("https://a.example"), NOW).unwrap().unwrap();
    assert_eq!(found.scopes, [Scope::Sign]);
    assert_eq!(second.find(&once, &site("https://b.example"), NOW).unwrap(), None);
    second.end(found.number, NOW).unwrap();
    assert_eq!(store(directory.path()).find(&always, &site("https://a.example"), NOW).unwrap(), None);
}

#[test]
fn the_file_holds_no_secret_and_is_the_persons_alone() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let (secret, _) =
        store.allow(&site("https://a.example"), vec![Scope::Sign], Lasting::Always, NOW).unwrap();
    let path = directory.path().join("pairings.json");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("https://a.example") && !text.contains(&secret[PREFIX.len()..]));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_no_holds_for_a_minute_and_never_for_ever() {
    let directory = tempfile::tempdir().unwrap();
    let first = store(directory.path());
    let (once, never) = (site("https://once.example"), site("https://never.example"));
    first.refuse(&once, Lasting::Once, NOW).unwrap();
    first.refuse(&never, Lasting::Always, NOW).unwrap();
    assert!(first.is_refused(&once, MEMORY, NOW).unwrap());
    assert!(!first.is_refused(&once, Duration::ZERO, NOW).unwrap());
    assert!(first.is_refused(&never, Duration::ZERO, NOW).unwrap());
    let second = store(directory.path());
    assert!(second.is_refused(&never, MEMORY, NOW).unwrap());
    assert!(!second.is_refused(&once, MEMORY, NOW).unwrap());
    second.forgive(&never, NOW).unwrap();
    assert!(!store(directory.path()).is_refused(&never, MEMORY, NOW).unwrap());
}

#[test]
fn what_cannot_be_read_lets_nobody_in_and_is_kept_aside() {
    for text in ["", "{}", "{\"version\":2,\"pairings\":[],\"refused\":[]}"] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pairings.json");
        fs::write(&path, text).unwrap();
        let store = store(directory.path());
        assert_eq!(store.list(NOW).unwrap(), (Vec::new(), Vec::new()));
        assert_eq!(store.set_aside(), Some(path.with_extension("damaged")));
        assert_eq!(fs::read_to_string(path.with_extension("damaged")).unwrap(), text);
    }
}

#[test]
fn nobody_is_let_in_where_it_cannot_be_written_down() {
    let directory = tempfile::tempdir().unwrap();
    let store = PairingStore::new(directory.path().join("missing/pairings.json"));
    let refused = store.allow(&site("https://a.example"), vec![Scope::Sign], Lasting::Always, NOW);
    assert_eq!(refused.unwrap_err(), ErrorCode::Internal);
    assert_eq!(store.list(NOW).unwrap().0, []);
}
