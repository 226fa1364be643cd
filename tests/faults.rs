//! Modules that crash, hang or answer nonsense, under the shipped program: what they do to a
//! program that loads them itself, and that the service outlives each of them.
#![cfg(target_os = "linux")]

#[path = "faults/bare.rs"]
mod bare;
#[path = "faults/card.rs"]
mod card;
#[path = "faults/desk.rs"]
mod desk;
#[path = "faults/pins.rs"]
mod pins;
#[path = "faults/tries.rs"]
mod tries;
#[path = "faults/twice.rs"]
mod twice;

use bare::Bare;
use desk::{Case, Desk};

/// A fault of a module: its name, and what it does to a program that loads it itself.
type Fault = (&'static str, Bare);

/// Of the fault's own certificate only the end of its request is known; the other module goes on
/// as if nothing had happened.
fn survives(faults: &[Fault], code: &str) {
    let Some(desk) = Desk::new() else { return };
    for (how, bare) in faults {
        let case = desk.case(how);
        bare.check(how, case.module());
        case.signs_with_the_other();
        let before = case.memory_kib();
        case.is_refused(code);
        case.is_well(before);
    }
}

/// The module is left out: its certificate is not listed, and that of the other one is.
fn is_left_out(faults: &[Fault]) {
    let Some(desk) = Desk::new() else { return };
    for (how, bare) in faults {
        let case = desk.case(how);
        bare.check(how, case.module());
        assert_eq!(case.listed(), [case.other()], "{how}");
        case.signs_with_the_other();
        // What is in use once stays in use; the second time shows what a fault leaves behind.
        let before = case.memory_kib();
        assert_eq!(case.listed(), [case.other()], "{how}");
        case.is_well(before);
    }
}

/// Proves A33.
#[test]
fn a_module_that_crashes_while_it_is_looked_at_is_left_out() {
    is_left_out(&[
        ("abort-on-load", Bare::Dies),
        ("abort-in-initialize", Bare::Dies),
        ("abort-in-slot-list", Bare::Dies),
    ]);
}

/// Proves A33. A signature is given up by the service's own deadline, and its token host with it.
/// What hangs is waited for, so that all of them are waited for at once.
#[test]
fn a_module_that_hangs_is_left_out_or_given_up_with_its_login() {
    std::thread::scope(|scope| {
        for how in ["hang-in-initialize", "hang-in-slot-list"] {
            scope.spawn(move || is_left_out_once(how));
        }
        survives(&[("hang-in-sign", Bare::Hangs)], "token-failed");
    });
}

/// As [`is_left_out`], with no more requests than needed: each waits until the search is over.
fn is_left_out_once(how: &str) {
    let Some(desk) = Desk::new() else { return };
    let case = desk.case(how);
    Bare::Hangs.check(how, case.module());
    let before = case.memory_kib();
    assert_eq!(case.listed(), [case.other()], "{how}");
    // The first signature of a service takes memory that stays in use.
    case.is_well(before + (8 << 10));
}

/// Proves A33.
#[test]
fn certificates_that_are_none_are_not_listed() {
    is_left_out(&[
        ("huge-attribute", Bare::Dies),
        ("empty-certificate", Bare::Says("certificate 0 ")),
        ("garbage-certificate", Bare::Says("[30, 30, 30, 30]")),
        ("endless-objects", Bare::DiesOrHangs),
    ]);
}

/// Proves A33.
#[test]
fn a_module_that_crashes_at_work_is_an_answer_with_a_code() {
    survives(
        &[
            ("abort-in-login", Bare::Dies),
            ("abort-in-sign", Bare::Dies),
            ("scribble-in-sign", Bare::Dies),
            ("endless-value", Bare::Dies),
        ],
        "module-crashed",
    );
}

/// Proves A33.
#[test]
fn a_module_that_answers_nonsense_signs_nothing() {
    survives(
        &[("wrong-value", Bare::Says("value 256")), ("short-value", Bare::Says("value 17"))],
        "credential-key-mismatch",
    );
    survives(&[("fail-in-sign", Bare::FailsAfter("logged in"))], "token-failed");
}

/// What is odd and harms nothing is believed as far as it goes.
#[test]
fn odd_descriptions_are_no_fault() {
    let Some(desk) = Desk::new() else { return };
    for (how, bare) in [
        // The crate refuses the whole token, with the flags of its PIN.
        ("bad-clock", Bare::FailsAfter("slots ")),
        ("bad-labels", Bare::Says("\u{fffd}\u{fffd}")),
        ("endless-slot-list", Bare::Dies),
    ] {
        let case = desk.case(how);
        bare.check(how, case.module());
        assert_eq!(case.listed().len(), 2, "{how}");
        case.signs_with_its_own();
        let before = case.memory_kib();
        case.signs_with_its_own();
        case.is_well(before);
    }
}

impl Case<'_> {
    /// The service answers, its memory is back, no host of the module is left, and the next
    /// signature works.
    fn is_well(&self, before: u64) {
        /// What the allocator may keep, and one thread more or less.
        const SLACK_KIB: u64 = 2 << 10;
        self.answers();
        self.signs_with_the_other();
        self.no_host_of_the_module_is_left();
        let after = self.memory_kib();
        assert!(after <= before + SLACK_KIB, "{}: {before} KiB before, {after} KiB after", self.how());
    }
}
