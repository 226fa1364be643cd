//! The service is told to stop while the key is at work.

use signer_core::audit::Kind;
use signer_tests::{
    http::Answer,
    page::Pending,
    processes::{children, is_alive},
    service::until,
    softhsm::SoftHsm,
};

use crate::{
    refusal,
    steps::{Step, Who},
    trail_of,
    world::World,
};

/// A world where the key is at work and the service was told to stop; its process.
fn stopping() -> Option<(World, u32)> {
    let place = tempfile::tempdir().unwrap();
    SoftHsm::new(place.path(), "ecdsa-p256.p12", "1234")?;
    let world = World::at(Step::Signing, Who::Client);
    let process = world.service().process();
    world.service().signal(nix::sys::signal::Signal::SIGTERM);
    until("it has heard", || world.login.log().contains("the service stops").then_some(()));
    Some((world, process))
}

#[test]
fn told_to_stop_while_the_key_works_it_lets_the_signature_be_done() {
    let Some((mut world, _)) = stopping() else { return };
    world.walk_to(Step::Done);
    assert!(world.service.take().expect("a service").ended().success());
    assert_eq!(trail_of(&world, Step::Signing, Who::Client), "approved");
}

#[test]
fn told_to_stop_it_does_not_wait_for_ever_for_a_key_that_hangs() {
    let Some((mut world, process)) = stopping() else { return };
    let hosts = world.service().hosts();
    assert_eq!(hosts.len(), 1);
    let answer = world.pending.take().and_then(Pending::answer);
    assert!(world.service.take().expect("a service").ended().success());
    let answer: Answer = answer.expect("an answer before the end");
    assert!(answer.status >= 500, "{}", refusal(&answer));
    let trail = world.login.trail();
    let last = trail.last().expect("a record");
    assert_eq!(last.entry.kind, Kind::Signature);
    assert_eq!(trail_of(&world, Step::Signing, Who::Client), format!("failed `{}`", answer.code()));
    assert_eq!(children(process), [0; 0]);
    until("the token host is gone", || (!is_alive(hosts[0])).then_some(()));
}
