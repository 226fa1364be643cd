//! The laws of an approval, over random sequences of events at random times.
//!
//! Half of the events are random; the other half are the answers of a driver that does what it
//! is told, so that runs reach every state and not only the first ones.

use std::time::Duration;

use proptest::prelude::*;

use super::{
    sample::{self, Kind, confirmed},
    *,
};

/// One run: what went in, and what came out of it.
struct Run {
    approval: Approval,
    steps: Vec<Step>,
    began: Instant,
    ended: Option<Instant>,
}

struct Step {
    /// None for the opening.
    event: Option<Event>,
    effects: Vec<Effect>,
    before: Stage,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Law 1: nothing is unlocked or signed before a confirmation of exactly what this request
    /// shows, and then with the certificate that was chosen and documents that it names.
    #[test]
    fn law_1_no_signature_without_a_confirmation_of_what_was_shown(run in runs()) {
        let mut chosen = None;
        for step in &run.steps {
            if let (Stage::Presented, Some(Event::Confirmed { shown, choice, .. })) = (step.before, &step.event)
                && shown == run.approval.summary().digest()
                && choice.is_some_and(|choice| choice < 2)
            {
                chosen = *choice;
            }
            for effect in &step.effects {
                if let Effect::Sign { choice, .. } | Effect::Unlock { choice, .. } = effect {
                    prop_assert_eq!(Some(*choice), chosen);
                }
                if let Effect::Sign { item, .. } = effect {
                    prop_assert!((*item as usize) < run.approval.summary().documents().len());
                }
            }
        }
    }

    /// Law 2: every run ends, once, with one reply.
    #[test]
    fn law_2_every_run_ends_with_exactly_one_reply(run in runs()) {
        let mut replies = Vec::new();
        for effect in run.effects() {
            if let Effect::Reply { outcome } = effect {
                replies.push(*outcome);
            }
        }
        prop_assert_eq!(replies, Vec::from_iter(run.approval.outcome()));
        prop_assert!(run.approval.outcome().is_some());
    }

    /// Law 3: the intent is on disk before anybody is sought, the outcome before it is told, and
    /// what is told is what is on disk; else it is `audit-unavailable`.
    #[test]
    fn law_3_records_come_first(run in runs()) {
        let mut on_disk: Vec<Record> = Vec::new();
        let mut asked: Vec<Record> = Vec::new();
        for step in &run.steps {
            if let Some(Event::Recorded(record)) = step.event && asked.contains(&record) {
                on_disk.push(record);
            }
            for effect in &step.effects {
                match effect {
                    Effect::Record(record) => asked.push(*record),
                    Effect::SummonTray => prop_assert!(on_disk.contains(&Record::Intent)),
                    Effect::Reply { outcome: Outcome::Failed(ErrorCode::AuditUnavailable) } => {}
                    Effect::Reply { outcome } => prop_assert!(on_disk.contains(&Record::Outcome(*outcome))),
                    Effect::AskSecret { .. }
                    | Effect::AwaitToken
                    | Effect::Dismiss { .. }
                    | Effect::Present
                    | Effect::Sign { .. }
                    | Effect::Unlock { .. } => {}
                }
            }
        }
        let leaves = run.approval.results().unwrap().iter().any(Result::is_ok);
        let approved = matches!(run.approval.outcome(), Some(Outcome::Approved { .. }));
        prop_assert!(approved || !leaves);
    }

    /// Law 4: after the reply there is only the dismissal, and late events change nothing.
    #[test]
    fn law_4_after_the_end_nothing_happens(run in runs(), late in prop::collection::vec(events(), 0..20)) {
        let after: Vec<_> = run.effects().skip_while(|effect| !matches!(effect, Effect::Reply { .. })).collect();
        let outcome = run.approval.outcome().unwrap();
        prop_assert_eq!(after, [&Effect::Reply { outcome }, &Effect::Dismiss { outcome }]);
        let Run { mut approval, .. } = run;
        let results = approval.results();
        for (event, later) in late {
            prop_assert_eq!(approval.on(event, Instant(later)), []);
        }
        prop_assert_eq!((approval.outcome(), approval.results()), (Some(outcome), results));
    }

    /// Law 5: every use of a secret is the answer to one that was given for it: the confirmation
    /// or the answer to a question. None is used twice, none is used that was not asked for.
    #[test]
    fn law_5_each_secret_is_tried_once(run in runs()) {
        let mut asked = false;
        for step in &run.steps {
            let uses = step.effects.iter().filter(|effect| matches!(effect, Effect::Unlock { .. })).count();
            match &step.event {
                Some(Event::Confirmed { .. }) => prop_assert!(uses <= 1 && (uses == 0 || step.before == Stage::Presented)),
                Some(Event::SecretGiven { .. }) => {
                    prop_assert!(uses <= usize::from(asked));
                    asked = false;
                }
                _ => prop_assert_eq!(uses, 0),
            }
            asked |= step.effects.iter().any(|effect| matches!(effect, Effect::AskSecret { .. }));
        }
    }

    /// Law 6: a secret may be spent on the last try only where the person said so of this very
    /// secret, and after the token told that one try is left none is used without that word.
    #[test]
    fn law_6_the_last_try_is_the_persons(run in runs()) {
        let mut one_left = false;
        for step in &run.steps {
            let said = match &step.event {
                Some(Event::Confirmed { last_try, .. } | Event::SecretGiven { last_try }) => Some(*last_try),
                _ => None,
            };
            for effect in &step.effects {
                if let Effect::Unlock { last_try, .. } = effect {
                    prop_assert_eq!(Some(*last_try), said);
                    prop_assert!(*last_try == LastTry::Confirmed || !one_left);
                }
                if let Effect::AskSecret { tries_left, .. } = effect {
                    one_left = *tries_left == Some(1);
                }
            }
        }
    }

    /// Law 7: a run lasts no longer than its life and the writing of its outcome, where the
    /// driver ticks when it is told to.
    #[test]
    fn law_7_life_is_bounded(run in runs()) {
        let deadlines = Deadlines::default();
        let documents = u32::try_from(run.approval.summary().documents().len()).unwrap();
        let life = deadlines.life + (deadlines.unlocking + deadlines.signing) * documents + deadlines.recording;
        prop_assert!(run.began.until(run.ended.unwrap()) <= life);
    }
}

impl Run {
    fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.steps.iter().flat_map(|step| &step.effects)
    }
}

/// Laws are empty where no run gets that far.
#[test]
fn runs_reach_every_outcome_and_sign() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let (mut signed, mut words) = (0, std::collections::BTreeSet::new());
    for _ in 0..2_000 {
        let run = runs().new_tree(&mut runner).unwrap().current();
        signed += run.effects().filter(|effect| matches!(effect, Effect::Sign { .. })).count();
        words.insert(run.approval.outcome().unwrap().as_str());
    }
    assert!(signed > 200, "{signed}");
    assert_eq!(words.len(), 5, "{words:?}");
}

fn runs() -> impl Strategy<Value = Run> {
    let kind = prop_oneof![1 => Just(Kind::Pairing), 1 => Just(Kind::Selection), 4 => Just(Kind::Signature)];
    let steps = prop::collection::vec(prop_oneof![1 => events().prop_map(Some), 3 => Just(None)], 0..40);
    (kind, 0_usize..4, 0_u64..1_000_000_000, steps)
        .prop_map(|(kind, documents, began, steps)| play(kind, documents, Instant(began), steps))
}

/// An event and how many milliseconds later it comes.
fn events() -> impl Strategy<Value = (Event, u64)> {
    let own = sample::summary(Kind::Signature, 3);
    let mut all = sample::events(&own);
    all.extend((0..3).map(|choice| confirmed(&own, Some(choice))));
    all.extend([confirmed(&own, None), confirmed(&sample::summary(Kind::Pairing, 0), None)]);
    all.push(Event::SecretIncorrect { tries_left: Some(0) });
    let (shown, choice) = (own.digest().clone(), Some(1));
    all.push(Event::Confirmed { shown, choice, last_try: LastTry::Confirmed });
    let pause = prop_oneof![6 => Just(0_u64), 3 => 0_u64..20_000, 1 => 0_u64..200_000];
    (prop::sample::select(all), pause)
}

/// Plays random events among a driver's answers; then ticks whenever it is due until the end.
fn play(kind: Kind, documents: usize, began: Instant, steps: Vec<Option<(Event, u64)>>) -> Run {
    let (approval, effects) = Approval::open(sample::summary(kind, documents), Deadlines::default(), began);
    let mut run = Run { approval, steps: Vec::new(), began, ended: None };
    let mut now = began;
    let mut answers = answers(&run, &effects);
    run.steps.push(Step { event: None, effects, before: Stage::Requested });
    for step in steps {
        let (event, pause) = match step {
            Some(random) => random,
            None => (answers.pop().unwrap_or(Event::Tick), 1),
        };
        let then = now.after(Duration::from_millis(pause));
        while run.approval.deadline().is_some_and(|deadline| deadline < then) {
            now = run.approval.deadline().unwrap();
            feed(&mut run, &mut answers, Event::Tick, now);
        }
        now = then;
        feed(&mut run, &mut answers, event, now);
    }
    while let Some(deadline) = run.approval.deadline() {
        feed(&mut run, &mut answers, Event::Tick, deadline);
    }
    run
}

fn feed(run: &mut Run, answers: &mut Vec<Event>, event: Event, now: Instant) {
    let before = run.approval.stage();
    let effects = run.approval.on(event.clone(), now);
    answers.extend(self::answers(run, &effects));
    run.steps.push(Step { event: Some(event), effects, before });
    if run.approval.outcome().is_some() {
        run.ended.get_or_insert(now);
    }
}

/// What a driver answers whose disk, tray, person and token work.
fn answers(run: &Run, effects: &[Effect]) -> Vec<Event> {
    let choice = (!run.approval.summary().certificates().is_empty()).then_some(1);
    effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::AskSecret { tries_left: Some(1), .. } => {
                Some(Event::SecretGiven { last_try: LastTry::Confirmed })
            }
            Effect::AskSecret { .. } => Some(Event::SecretGiven { last_try: LastTry::NotConfirmed }),
            Effect::AwaitToken => Some(Event::TokenPresent),
            Effect::Dismiss { .. } | Effect::Reply { .. } => None,
            Effect::Present => Some(confirmed(run.approval.summary(), choice)),
            Effect::Record(record) => Some(Event::Recorded(*record)),
            Effect::Sign { item, .. } => Some(Event::ItemSigned { item: *item }),
            Effect::SummonTray => Some(Event::TrayReady),
            Effect::Unlock { .. } => Some(Event::Unlocked),
        })
        .collect()
}

impl std::fmt::Debug for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for step in &self.steps {
            writeln!(f, "{:?} {:?} -> {:?}", step.before, step.event, step.effects)?;
        }
        Ok(())
    }
}
