//! The search over modules that hang.

use super::{
    hosts::tests::silent,
    registered::{Entry, Place},
    *,
};
use crate::config::KnownModules;

#[test]
fn a_search_ends_in_time_with_what_came_until_then() {
    let place = tempfile::tempdir().unwrap();
    let pem = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/pki/certificates/expirado.pem");
    let certificate =
        signer_core::cms::certificate::from_pem_or_der(&std::fs::read(pem).unwrap()).unwrap().remove(0);
    let file = place.path().join("credentials.json");
    // A linked file is offered as long as it is there; it is opened at a signature only.
    let linked = place.path().join("a.p12");
    std::fs::write(&linked, "").unwrap();
    let mut registered = Registered::default();
    registered.add(Entry {
        place: Place::Linked(linked),
        certificate: certificate.to_der().to_vec(),
        chain: Vec::new(),
    });
    registered.write(&file).unwrap();

    // The beginning of a library for this processor, and never loaded.
    let mut library = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    library.truncate(64);
    let module = |number: u8| {
        let path = place.path().join(format!("module-{number}.so"));
        std::fs::write(&path, [&library[..], &[number]].concat()).unwrap();
        path
    };
    let modules = (0..5).map(module).collect();
    let config = Config { modules, known_modules: KnownModules::Ignored, ..Config::default() };
    let quarantine = Quarantine::open(place.path().join("quarantine.json"));
    let search = Duration::from_millis(500);
    let store = CredentialStore::searching(file, quarantine, silent(place.path()), &config, search);
    let begun = Instant::now();
    let found = store.find();
    assert!(begun.elapsed() >= search);
    // One after the other they would take five times as long as one host may, which is 30 s.
    assert!(begun.elapsed() < Duration::from_secs(25));
    let states: Vec<_> = found.found.iter().map(|credential| credential.listed.state).collect();
    assert_eq!(states, [CredentialState::Expired]);
    store.close(Duration::from_secs(120));
}
