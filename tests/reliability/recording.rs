//! The service is killed while a record goes to the disk: strace kills it in fdatasync(2), where
//! the record is in the file and nobody knows yet whether it is on the disk.

use std::{
    fs,
    os::unix::process::ExitStatusExt as _,
    process::{Child, Command, Stdio},
};

use signer_tests::{page::Pending, service::until};

use crate::{
    Seen, lost, row,
    steps::{Step, Who},
    trail_of,
    world::{Tray, World},
};

/// The first words of both rows.
const RECORDING: &str = "on the way to the disk: ";

/// Whether a running service may be traced: it is closed to other processes of its own login.
pub(crate) fn is_possible() -> bool {
    nix::unistd::geteuid().is_root()
        && Command::new("strace")
            .args(["-o", "/dev/null", "true"])
            .status()
            .is_ok_and(|status| status.success())
}

/// The document before these rows, which are its last.
pub(crate) fn without(document: &str) -> &str {
    let end = document.find(&format!("| {RECORDING}")).unwrap_or(document.len());
    &document[..end]
}

pub(crate) fn rows() -> Vec<String> {
    if !is_possible() {
        println!("left out: only root may trace the service");
        return Vec::new();
    }
    let intent = killed_while_recording(Step::Paired);
    let outcome = killed_while_recording(Step::SignatureShown);
    vec![
        row(&format!("{RECORDING}the intent to ask for a signature"), Who::Service, &intent),
        row(&format!("{RECORDING}the outcome, with the signature made"), Who::Service, &outcome),
    ]
}

/// After `step`, the next record is the last thing that the service does.
fn killed_while_recording(step: Step) -> Seen {
    let mut world = World::at(step, Who::Client);
    if step == Step::Paired {
        let mut strace = kill_in_fdatasync(world.service().process());
        world.ask_in_one_call();
        end(&mut world, &mut strace);
    } else {
        let mut strace = kill_in_fdatasync(world.service().process());
        world.say_yes_if_asked();
        end(&mut world, &mut strace);
    }
    let client = lost(&world.pending.take().map(Pending::rest).expect("a request"));
    let trail = trail_of(&world, Step::SignatureAsked, Who::Service);
    assert_eq!(fs::read_dir(world.login.spool()).unwrap().count(), 0);
    world.start_again();
    world.sign_afresh();
    assert!(world.service.take().expect("a service runs").stop().success());
    world.login.trail();
    Seen { client, trail }
}

fn end(world: &mut World, strace: &mut Child) {
    let status = world.service.take().expect("a service runs").ended();
    assert_eq!(status.signal(), Some(9), "{status}");
    world.tray = Tray::Nobody;
    until("strace ends with it", || strace.try_wait().expect("its state is known"));
}

fn kill_in_fdatasync(process: u32) -> Child {
    let strace = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=fdatasync"])
        .args(["-e", "inject=fdatasync:signal=KILL:when=1", "-p", &process.to_string()])
        .stdin(Stdio::null())
        .spawn()
        .expect("strace starts");
    until("every thread is traced", || {
        let threads = fs::read_dir(format!("/proc/{process}/task")).expect("it runs").flatten();
        let mut tracers = threads.map(|thread| {
            let status = fs::read_to_string(thread.path().join("status")).unwrap_or_default();
            status.lines().any(|line| line.starts_with("TracerPid:") && !line.ends_with("\t0"))
        });
        tracers.all(|traced| traced).then_some(())
    });
    strace
}
