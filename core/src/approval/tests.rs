//! Every event in every state, and the paths that have names.

use std::time::Duration;

use super::{
    sample::{self, Kind, confirmed},
    *,
};

const START: Instant = Instant(1_000);
const GIVEN: Event = Event::SecretGiven { last_try: LastTry::NotConfirmed };

/// Every stage, reached with three documents and two certificates; where a stage has two faces,
/// each of them.
const FACES: [Face; 12] = [
    Face::Requested,
    Face::Summoning,
    Face::Presented,
    Face::AwaitingToken,
    Face::SecretTried,
    Face::SecretAsked,
    Face::SecretAskedLast,
    Face::Signing,
    Face::SigningStopped,
    Face::SecretAskedAgain,
    Face::Settling,
    Face::Ended,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Face {
    Requested,
    Summoning,
    Presented,
    AwaitingToken,
    SecretTried,
    SecretAsked,
    SecretAskedLast,
    Signing,
    SigningStopped,
    SecretAskedAgain,
    Settling,
    Ended,
}

/// What an event does; where it does nothing there is no row.
enum Does {
    /// It leads there with this effect.
    Goes(Stage, Effect),
    /// The outcome is decided.
    Settles(Outcome),
    /// It is remembered.
    Notes,
}

fn does(face: Face, event: &Event) -> Option<Does> {
    use Does::{Goes, Notes, Settles};
    use Face::*;
    let failed = |code| Some(Settles(Outcome::Failed(code)));
    let asks = matches!(face, SecretAsked | SecretAskedLast | SecretAskedAgain);
    let waits = asks || matches!(face, Presented | AwaitingToken | SecretTried);
    let signs = matches!(face, Signing | SigningStopped);
    let ask = |reason, tries_left| Some(Goes(Stage::Unlocking, Effect::AskSecret { reason, tries_left }));
    match (face, event) {
        (Requested, Event::Recorded(Record::Intent)) => Some(Goes(Stage::Summoning, Effect::SummonTray)),
        (Requested, Event::RecordFailed(Record::Intent)) => failed(ErrorCode::AuditUnavailable),
        (Requested | Summoning, Event::ClientGone | Event::ShuttingDown) => Some(Settles(Outcome::Cancelled)),
        (Summoning, Event::TrayReady) => Some(Goes(Stage::Presented, Effect::Present)),
        (Summoning, Event::TrayGone) => failed(ErrorCode::TrayUnavailable),
        (Presented, Event::Confirmed { last_try, .. }) => {
            Some(Goes(Stage::Unlocking, Effect::Unlock { choice: 1, last_try: *last_try }))
        }
        (AwaitingToken, Event::TokenPresent) => ask(SecretReason::First, None),
        (SecretTried, Event::SecretIncorrect { tries_left }) => ask(SecretReason::Incorrect, *tries_left),
        (SecretTried, Event::LastTryNotConfirmed) => ask(SecretReason::LastTry, Some(1)),
        (SecretTried, Event::SecretNeeded) => ask(SecretReason::First, None),
        (SecretTried, Event::Unlocked) => Some(Goes(Stage::Signing, Effect::Sign { choice: 1, item: 0 })),
        (SecretTried | SecretAsked | SecretAskedLast, Event::TokenAbsent) => {
            Some(Goes(Stage::AwaitingToken, Effect::AwaitToken))
        }
        (SecretAskedAgain, Event::TokenAbsent) => failed(ErrorCode::TokenRemoved),
        (
            AwaitingToken | SecretTried | SecretAsked | SecretAskedLast | SecretAskedAgain,
            Event::TokenFailed { code },
        ) => failed(*code),
        (SecretAskedLast, Event::SecretGiven { last_try: LastTry::NotConfirmed }) => {
            failed(ErrorCode::PinLastTry)
        }
        (SecretAsked | SecretAskedAgain | SecretAskedLast, Event::SecretGiven { last_try }) => {
            Some(Goes(Stage::Unlocking, Effect::Unlock { choice: 1, last_try: *last_try }))
        }
        (Signing, Event::SecretNeeded) => ask(SecretReason::EverySignature, None),
        (SigningStopped, Event::SecretNeeded) => Some(Settles(Outcome::Denied)),
        // One of three was signed before.
        (Signing, Event::ItemSigned { item: 1 } | Event::ItemFailed { item: 1, .. }) => {
            Some(Goes(Stage::Signing, Effect::Sign { choice: 1, item: 2 }))
        }
        (SigningStopped, Event::ItemSigned { item: 1 } | Event::ItemFailed { item: 1, .. })
        | (Signing | SigningStopped, Event::TokenAbsent | Event::TokenFailed { .. }) => {
            Some(Settles(Outcome::Approved { choice: Some(1) }))
        }
        (Settling, Event::Recorded(Record::Outcome(Outcome::Denied))) => {
            let outcome = Outcome::Denied;
            Some(Goes(Stage::Ended, Effect::Reply { outcome }))
        }
        (Settling, Event::RecordFailed(Record::Outcome(Outcome::Denied))) => {
            let outcome = Outcome::Failed(ErrorCode::AuditUnavailable);
            Some(Goes(Stage::Ended, Effect::Reply { outcome }))
        }
        (_, Event::Denied) if waits => Some(Settles(Outcome::Denied)),
        (_, Event::ClientGone | Event::ShuttingDown) if waits => Some(Settles(Outcome::Cancelled)),
        (_, Event::TrayGone) if waits => failed(ErrorCode::TrayUnavailable),
        (_, Event::Denied | Event::ClientGone | Event::ShuttingDown | Event::TrayGone) if signs => {
            Some(Notes)
        }
        _ => None,
    }
}

#[test]
fn every_event_in_every_state_does_what_the_table_says() {
    for face in FACES {
        for event in sample::events(&sample::summary(Kind::Signature, 3)) {
            let mut approval = reach(face);
            let (stage, items) = (approval.stage(), approval.items().to_vec());
            let effects = approval.on(event.clone(), START);
            let told = format!("{face:?} {event:?} {effects:?}");
            match does(face, &event) {
                Some(Does::Goes(stage, effect)) => {
                    assert_eq!((approval.stage(), effects.first()), (stage, Some(&effect)), "{told}");
                    assert_eq!(effects.len(), if stage == Stage::Ended { 2 } else { 1 }, "{told}");
                }
                Some(Does::Settles(outcome)) => {
                    assert_eq!(effects, [Effect::Record(Record::Outcome(outcome))], "{told}");
                    assert_eq!(approval.stage(), Stage::Settling, "{told}");
                }
                Some(Does::Notes) | None => {
                    assert_eq!((approval.stage(), effects), (stage, Vec::new()), "{told}");
                    assert_eq!(approval.items(), items, "{told}");
                }
            }
        }
    }
}

#[test]
fn every_deadline_ends_its_state() {
    let failed = Outcome::Failed;
    for (face, seconds, outcome) in [
        (Face::Requested, 5, failed(ErrorCode::AuditUnavailable)),
        (Face::Summoning, 10, failed(ErrorCode::TrayUnavailable)),
        (Face::Presented, 120, Outcome::Expired),
        (Face::AwaitingToken, 60, Outcome::Expired),
        (Face::SecretTried, 60, failed(ErrorCode::TokenFailed)),
        (Face::SecretAsked, 60, Outcome::Expired),
        (Face::SecretAskedLast, 60, Outcome::Expired),
        (Face::SecretAskedAgain, 60, Outcome::Expired),
        (Face::Signing, 90, Outcome::Approved { choice: Some(1) }),
    ] {
        let mut approval = reach(face);
        let due = START.after(Duration::from_secs(seconds));
        assert_eq!(approval.deadline(), Some(due), "{face:?}");
        assert_eq!(approval.on(Event::Tick, Instant(due.0 - 1)), [], "{face:?}");
        let effects = approval.on(Event::Tick, due);
        assert_eq!(effects, [Effect::Record(Record::Outcome(outcome))], "{face:?}");
    }
    let mut approval = reach(Face::Settling);
    let outcome = Outcome::Failed(ErrorCode::AuditUnavailable);
    let effects = approval.on(Event::Tick, START.after(Duration::from_secs(5)));
    assert_eq!(effects, [Effect::Reply { outcome }, Effect::Dismiss { outcome }]);
    assert_eq!(approval.deadline(), None);
}

/// Proves law 7 where every state is left in time and only the whole lasts too long.
#[test]
fn a_secret_that_is_wrong_for_ever_ends_with_the_life_of_the_approval() {
    let mut approval = unlocked(1);
    approval.on(Event::SecretNeeded, START);
    let life = START.after(Duration::from_secs(600 + 60 + 90));
    let mut now = START;
    while approval.stage() == Stage::Unlocking && now < life.after(Duration::from_secs(60)) {
        now = now.after(Duration::from_secs(7));
        approval.on(GIVEN, now);
        approval.on(Event::SecretIncorrect { tries_left: None }, now);
    }
    assert_eq!(approval.stage(), Stage::Settling);
    assert!(now >= life && now < life.after(Duration::from_secs(7)), "{now:?}");
}

#[test]
fn a_clock_that_went_back_gives_no_more_time() {
    let mut approval = reach(Face::SecretTried);
    let later = START.after(Duration::from_secs(50));
    approval.on(Event::Tick, later);
    approval.on(Event::SecretIncorrect { tries_left: None }, Instant(0));
    assert_eq!(approval.deadline(), Some(later.after(Duration::from_secs(60))));
}

#[test]
fn a_confirmation_after_the_deadline_is_none() {
    let mut approval = reach(Face::Presented);
    let late = START.after(Duration::from_secs(120));
    let yes = confirmed(approval.summary(), Some(1));
    assert_eq!(approval.on(yes, late), [Effect::Record(Record::Outcome(Outcome::Expired))]);
}

#[test]
fn a_record_on_disk_counts_however_late_that_is_told() {
    let mut approval = reach(Face::Settling);
    let late = START.after(Duration::from_secs(3_600));
    let effects = approval.on(Event::Recorded(Record::Outcome(Outcome::Denied)), late);
    let outcome = Outcome::Denied;
    assert_eq!(effects, [Effect::Reply { outcome }, Effect::Dismiss { outcome }]);
}

#[test]
fn a_pairing_and_a_selection_are_settled_by_their_confirmation() {
    for (kind, choice) in [(Kind::Pairing, None), (Kind::Selection, Some(1))] {
        let mut approval = presented(kind, 0);
        let yes = confirmed(approval.summary(), choice);
        let outcome = Outcome::Approved { choice };
        assert_eq!(approval.on(yes, START), [Effect::Record(Record::Outcome(outcome))]);
        assert_eq!(approval.outcome(), None);
        approval.on(Event::Recorded(Record::Outcome(outcome)), START);
        assert_eq!((approval.outcome(), approval.choice()), (Some(outcome), choice));
        assert_eq!(approval.results(), Some(Vec::new()));
    }
}

/// Proves A17.
#[test]
fn a_choice_out_of_range_or_another_digest_signs_nothing() {
    let other = sample::summary(Kind::Signature, 2);
    for (kind, choices) in [
        (Kind::Pairing, &[Some(0)][..]),
        (Kind::Selection, &[None, Some(2), Some(u32::MAX)][..]),
        (Kind::Signature, &[None, Some(2), Some(u32::MAX)][..]),
    ] {
        let own = presented(kind, 1);
        let wrong = choices.iter().map(|choice| confirmed(own.summary(), *choice));
        for event in wrong.chain([confirmed(&other, Some(0)), confirmed(&other, None)]) {
            let mut approval = presented(kind, 1);
            let effects = approval.on(event.clone(), START);
            let outcome = Outcome::Failed(ErrorCode::Internal);
            assert_eq!(effects, [Effect::Record(Record::Outcome(outcome))], "{event:?}");
            assert_eq!(approval.choice(), None);
        }
    }
    let mut empty = presented(Kind::Signature, 0);
    let yes = confirmed(empty.summary(), Some(0));
    let outcome = Outcome::Failed(ErrorCode::Internal);
    assert_eq!(empty.on(yes, START), [Effect::Record(Record::Outcome(outcome))]);
}

#[test]
fn one_failed_document_leaves_the_others_and_all_failed_are_a_failure() {
    let mut approval = unlocked(3);
    approval.on(Event::ItemFailed { item: 0, code: ErrorCode::FieldLocked }, START);
    approval.on(Event::ItemSigned { item: 1 }, START);
    approval.on(Event::ItemFailed { item: 2, code: ErrorCode::InputChanged }, START);
    let results = [Err(ErrorCode::FieldLocked), Ok(()), Err(ErrorCode::InputChanged)];
    assert_eq!(recorded(&mut approval), Outcome::Approved { choice: Some(1) });
    assert_eq!(approval.results().unwrap(), results);

    let mut approval = unlocked(2);
    approval.on(Event::ItemFailed { item: 0, code: ErrorCode::FieldLocked }, START);
    approval.on(Event::ItemFailed { item: 1, code: ErrorCode::InputChanged }, START);
    assert_eq!(recorded(&mut approval), Outcome::Failed(ErrorCode::FieldLocked));
    let results = [Err(ErrorCode::FieldLocked), Err(ErrorCode::InputChanged)];
    assert_eq!(approval.results().unwrap(), results);
}

#[test]
fn a_key_that_wants_its_secret_each_time_goes_round() {
    let mut approval = unlocked(2);
    approval.on(Event::ItemSigned { item: 0 }, START);
    let ask = Effect::AskSecret { reason: SecretReason::EverySignature, tries_left: None };
    assert_eq!(approval.on(Event::SecretNeeded, START), [ask]);
    assert_eq!(approval.on(GIVEN, START), [Effect::Unlock { choice: 1, last_try: LastTry::NotConfirmed }]);
    assert_eq!(approval.on(GIVEN, START), []);
    let again = approval.on(Event::SecretIncorrect { tries_left: Some(2) }, START);
    assert_eq!(again, [Effect::AskSecret { reason: SecretReason::Incorrect, tries_left: Some(2) }]);
    approval.on(GIVEN, START);
    assert_eq!(approval.on(Event::Unlocked, START), [Effect::Sign { choice: 1, item: 1 }]);
    approval.on(Event::ItemSigned { item: 1 }, START);
    assert_eq!(recorded(&mut approval), Outcome::Approved { choice: Some(1) });
    assert_eq!(approval.results().unwrap(), [Ok(()), Ok(())]);
}

#[test]
fn a_no_at_the_repeated_question_takes_back_the_whole_batch() {
    let mut approval = reach(Face::SecretAskedAgain);
    approval.on(Event::Denied, START);
    assert_eq!(recorded(&mut approval), Outcome::Denied);
    assert_eq!(approval.results().unwrap(), [Err(ErrorCode::ApprovalDenied); 3]);
}

#[test]
fn the_last_try_that_was_wrong_is_a_locked_pin() {
    let mut approval = reach(Face::SecretTried);
    approval.on(Event::SecretIncorrect { tries_left: Some(0) }, START);
    assert_eq!(recorded(&mut approval), Outcome::Failed(ErrorCode::PinLocked));
}

/// Proves A32.
#[test]
fn the_last_try_is_used_only_for_a_secret_that_was_given_for_it() {
    let given = |last_try| Event::SecretGiven { last_try };
    let unlock = |last_try| [Effect::Unlock { choice: 1, last_try }];
    for asked in [Event::LastTryNotConfirmed, Event::SecretIncorrect { tries_left: Some(1) }] {
        let mut approval = reach(Face::SecretTried);
        approval.on(asked.clone(), START);
        let effects = approval.on(given(LastTry::NotConfirmed), START);
        let outcome = Outcome::Failed(ErrorCode::PinLastTry);
        assert_eq!(effects, [Effect::Record(Record::Outcome(outcome))], "{asked:?}");

        let mut approval = reach(Face::SecretTried);
        approval.on(asked, START);
        assert_eq!(approval.on(given(LastTry::Confirmed), START), unlock(LastTry::Confirmed));
        // The word was for that one secret.
        approval.on(Event::SecretIncorrect { tries_left: None }, START);
        assert_eq!(approval.on(given(LastTry::NotConfirmed), START), unlock(LastTry::NotConfirmed));
    }
}

#[test]
fn a_tray_that_dies_while_the_key_works_is_missed_only_for_the_next_secret() {
    let mut approval = unlocked(2);
    assert_eq!(approval.on(Event::TrayGone, START), []);
    assert_eq!(approval.on(Event::ItemSigned { item: 0 }, START), [Effect::Sign { choice: 1, item: 1 }]);
    approval.on(Event::SecretNeeded, START);
    assert_eq!(recorded(&mut approval), Outcome::Failed(ErrorCode::TrayUnavailable));
    assert_eq!(approval.results().unwrap(), [Err(ErrorCode::TrayUnavailable); 2]);
}

#[test]
fn what_has_not_begun_is_stopped() {
    let mut approval = reach(Face::SigningStopped);
    approval.on(Event::ItemSigned { item: 1 }, START);
    assert_eq!(recorded(&mut approval), Outcome::Approved { choice: Some(1) });
    assert_eq!(approval.results().unwrap(), [Ok(()), Ok(()), Err(ErrorCode::ApprovalDenied)]);
}

/// Proves A18.
#[test]
fn a_signature_whose_record_cannot_be_written_does_not_leave() {
    let mut approval = unlocked(1);
    approval.on(Event::ItemSigned { item: 0 }, START);
    let record = Record::Outcome(Outcome::Approved { choice: Some(1) });
    let outcome = Outcome::Failed(ErrorCode::AuditUnavailable);
    let effects = approval.on(Event::RecordFailed(record), START);
    assert_eq!(effects, [Effect::Reply { outcome }, Effect::Dismiss { outcome }]);
    assert_eq!(approval.results().unwrap(), [Err(ErrorCode::AuditUnavailable)]);
}

#[test]
fn the_trail_says_who_what_and_how_and_nothing_personal() {
    let mut approval = unlocked(2);
    let boot = crate::audit::Boot([7; 16]);
    let time = crate::moment::Moment::new(1_796_075_368, 0).unwrap();
    approval.on(Event::ItemFailed { item: 0, code: ErrorCode::FieldLocked }, START);
    approval.on(Event::ItemSigned { item: 1 }, START);
    let record = Record::Outcome(Outcome::Approved { choice: Some(1) });
    let entry = approval.entry(record, 9, boot, time);
    assert_eq!(entry.certificate.as_ref(), Some(&approval.summary().certificates()[1].id));
    assert_eq!(entry.event, crate::audit::Event::Outcome(crate::audit::Outcome::Approved));
    let codes: Vec<_> = entry.documents.iter().map(|document| document.code).collect();
    assert_eq!(codes, [Some(ErrorCode::FieldLocked), None]);
    let line = crate::audit::next(&crate::audit::Position::start(), &entry);
    for personal in sample::PERSONAL {
        assert!(!line.as_str().contains(personal), "{personal}: {}", line.as_str());
        assert!(String::from_utf8_lossy(approval.summary().canonical()).contains(personal));
    }
    let intent = presented(Kind::Signature, 1).entry(Record::Intent, 9, boot, time);
    assert_eq!((intent.certificate, intent.event), (None, crate::audit::Event::Intent));
}

#[test]
fn a_refusal_is_an_outcome_that_says_who_what_and_why_and_nothing_personal() {
    let boot = crate::audit::Boot([7; 16]);
    let time = crate::moment::Moment::new(1_800_000_000, -180).unwrap();
    let summary = sample::summary(Kind::Signature, 2);
    let entry = summary.refusal(ErrorCode::ApprovalBusy, 9, boot, time);
    let outcome = crate::audit::Outcome::Failed(ErrorCode::ApprovalBusy);
    assert_eq!(
        (entry.event, entry.kind),
        (crate::audit::Event::Outcome(outcome), crate::audit::Kind::Signature)
    );
    assert_eq!((entry.approval, entry.certificate.as_ref()), (9, None));
    let digests: Vec<_> = entry.documents.iter().map(|document| &document.digest).collect();
    assert_eq!(digests, summary.documents().iter().map(|document| &document.digest).collect::<Vec<_>>());
    let line = crate::audit::next(&crate::audit::Position::start(), &entry);
    assert!(line.as_str().contains("approval-busy") && line.as_str().contains("firefox"));
    for personal in sample::PERSONAL {
        assert!(!line.as_str().contains(personal), "{personal}: {}", line.as_str());
    }
}

/// Lets the outcome be written down.
fn recorded(approval: &mut Approval) -> Outcome {
    let outcomes = sample::outcomes().map(|outcome| Event::Recorded(Record::Outcome(outcome)));
    for event in outcomes {
        approval.on(event, START);
    }
    approval.outcome().unwrap()
}

fn reach(face: Face) -> Approval {
    let mut approval = Approval::open(sample::summary(Kind::Signature, 3), Deadlines::default(), START).0;
    let yes = confirmed(approval.summary(), Some(1));
    let start = [Event::Recorded(Record::Intent), Event::TrayReady, yes];
    let signing = [&start[..], &[Event::Unlocked, Event::ItemSigned { item: 0 }]].concat();
    let events = match face {
        Face::Requested => Vec::new(),
        Face::Summoning => start[..1].to_vec(),
        Face::Presented => start[..2].to_vec(),
        Face::AwaitingToken => [&start[..], &[Event::TokenAbsent]].concat(),
        Face::SecretTried => start.to_vec(),
        Face::SecretAsked => [&start[..], &[Event::SecretNeeded]].concat(),
        Face::SecretAskedLast => [&start[..], &[Event::LastTryNotConfirmed]].concat(),
        Face::Signing => signing,
        Face::SigningStopped => [&signing[..], &[Event::Denied]].concat(),
        Face::SecretAskedAgain => [&signing[..], &[Event::SecretNeeded]].concat(),
        Face::Settling => [&start[..], &[Event::Denied]].concat(),
        Face::Ended => {
            let told = Event::Recorded(Record::Outcome(Outcome::Denied));
            [&start[..], &[Event::Denied, told]].concat()
        }
    };
    for event in events {
        approval.on(event, START);
    }
    approval
}

fn presented(kind: Kind, documents: usize) -> Approval {
    let mut approval = Approval::open(sample::summary(kind, documents), Deadlines::default(), START).0;
    approval.on(Event::Recorded(Record::Intent), START);
    approval.on(Event::TrayReady, START);
    approval
}

fn unlocked(documents: usize) -> Approval {
    let mut approval = presented(Kind::Signature, documents);
    let yes = confirmed(approval.summary(), Some(1));
    approval.on(yes, START);
    approval.on(Event::Unlocked, START);
    approval
}
