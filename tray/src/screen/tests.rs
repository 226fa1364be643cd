//! Tests of the machine: what keys, clicks, messages and time do on each page.

use std::time::Duration;

use signer_ipc::{
    message::{Entry, FromTray, Lasting, Outcome, SecretAttached, SecretReason},
    sealed::KEY_LEN,
    token_host::{LastTry, TriesLeft},
};

use crate::{
    screen::{
        ARM_DELAY, Action, Button, Edit, Field, GOOD_END, Incoming, Input, Key, LINGER, LONGEST_SECRET,
        OTHER_END, Presented, Screen, Stage, Target, Typing,
        sample::{
            APPROVAL, BEGAN, last_try, pages, presented, presented_with, screen, single, summary, unlock,
        },
    },
    text::Language,
};

const ARMED: Duration = Duration::from_millis(1700);
const EARLY: Duration = Duration::from_millis(1699);
const SITE: &str = r#"{"kind":"site","origin":"https://a.example","host":"a.example"}"#;

fn shown(presented: Presented) -> Screen {
    screen(Language::Pt, presented)
}

fn pairing() -> Presented {
    presented(&summary("pairing", SITE, 0, &[]), Entry::Nothing)
}

fn press(screen: &mut Screen, keys: &[Key], now: Duration) -> Vec<Action> {
    keys.iter().flat_map(|key| screen.take(Input::Key(*key), now)).collect()
}

fn answers(actions: &[Action]) -> Vec<&FromTray> {
    actions
        .iter()
        .filter_map(|action| match action {
            Action::Answer { message, .. } => Some(message),
            Action::Edit(_) | Action::Leave => None,
        })
        .collect()
}

fn denied(lasting: Lasting) -> FromTray {
    FromTray::Denied { approval: APPROVAL, lasting }
}

#[test]
fn a_yes_waits_for_the_delay_after_the_first_frame_and_after_each_focus() {
    assert_eq!(ARMED, BEGAN + ARM_DELAY);
    let yes = Input::Pressed(Target::Yes);
    let mut first = shown(pairing());
    assert_eq!(first.take(yes, EARLY), []);
    assert_eq!(first.shown().unwrap().yes(EARLY), Button::Dead);
    assert_eq!(first.shown().unwrap().yes(ARMED), Button::Live);
    assert_eq!(answers(&first.take(yes, ARMED)).len(), 1);

    let mut again = shown(pairing());
    let back = ARMED + Duration::from_secs(5);
    again.take(Input::FocusGained, back);
    assert_eq!(again.take(yes, back + ARM_DELAY - Duration::from_millis(1)), []);
    assert_eq!(answers(&again.take(yes, back + ARM_DELAY)).len(), 1);

    // Before a frame is seen no time passes.
    let mut unseen = Screen::new(Language::Pt, Duration::ZERO);
    unseen.receive(Incoming::Present(Box::new(pairing())), BEGAN);
    unseen.take(Input::FocusGained, BEGAN);
    assert_eq!(unseen.take(yes, BEGAN + Duration::from_secs(30)), []);
}

#[test]
fn the_answer_is_about_what_was_shown() {
    let request = presented(&single(), Entry::Pin);
    let digest = request.digest;
    let mut screen = shown(request);
    let mut actions: Vec<Action> =
        "12".chars().flat_map(|typed| screen.take(Input::Typed(typed), ARMED)).collect();
    assert_eq!(actions, [Action::Edit(Edit::Push('1')), Action::Edit(Edit::Push('2'))]);
    actions = press(&mut screen, &[Key::Enter], ARMED);
    let confirmed = FromTray::Confirmed {
        approval: APPROVAL,
        shown: digest,
        choice: Some(0),
        secret: SecretAttached::Yes,
        last_try: LastTry::NotConfirmed,
        lasting: Lasting::Once,
    };
    let sealed = Action::Answer { message: confirmed, key: Some([9; KEY_LEN]) };
    assert_eq!(actions, [sealed, Action::Edit(Edit::Clear)]);
    assert_eq!(press(&mut screen, &[Key::Enter], ARMED), [], "nothing is confirmed twice");
}

#[test]
fn no_is_always_heard() {
    for (input, lasting) in [
        (Input::Closed, Lasting::Once),
        (Input::Key(Key::Escape), Lasting::Once),
        (Input::Pressed(Target::No), Lasting::Once),
        (Input::Key(Key::Enter), Lasting::Once),
        (Input::Key(Key::Space), Lasting::Once),
    ] {
        let mut screen = shown(pairing());
        let actions = screen.take(input, BEGAN);
        assert_eq!(answers(&actions), [&denied(lasting)], "{input:?}");
    }
}

#[test]
fn an_answer_lasts_only_where_the_box_is_ticked_and_the_button_is_pressed() {
    let mut screen = shown(pairing());
    screen.take(Input::Pressed(Target::Remember), BEGAN);
    assert_eq!(answers(&screen.take(Input::Pressed(Target::No), BEGAN)), [&denied(Lasting::Always)]);
    let mut screen = shown(pairing());
    press(&mut screen, &[Key::BackTab, Key::Space], BEGAN);
    assert_eq!(screen.shown().unwrap().lasting, Lasting::Always);
    let actions = screen.take(Input::Pressed(Target::Yes), ARMED);
    assert!(matches!(answers(&actions)[..], [FromTray::Confirmed { lasting: Lasting::Always, .. }]));
    // Escape is too easy to mean for ever.
    let mut screen = shown(pairing());
    screen.take(Input::Pressed(Target::Remember), BEGAN);
    assert_eq!(answers(&press(&mut screen, &[Key::Escape], BEGAN)), [&denied(Lasting::Once)]);
    // There is no such box for a signature.
    let mut screen = shown(presented(&single(), Entry::Nothing));
    screen.take(Input::Pressed(Target::Remember), BEGAN);
    assert_eq!(screen.shown().unwrap().lasting, Lasting::Once);
}

#[test]
fn the_focus_goes_round_and_never_begins_on_yes() {
    let round = |request: Presented| {
        let mut screen = shown(request);
        let mut visited = vec![screen.shown().unwrap().focus];
        loop {
            press(&mut screen, &[Key::Tab], BEGAN);
            let focus = screen.shown().unwrap().focus;
            if focus == visited[0] {
                press(&mut screen, &[Key::BackTab], BEGAN);
                assert_eq!(screen.shown().unwrap().focus, *visited.last().unwrap());
                return visited;
            }
            visited.push(focus);
        }
    };
    assert_eq!(round(presented(&single(), Entry::Pin)), [Target::Secret, Target::No, Target::Yes]);
    assert_eq!(round(presented(&single(), Entry::Locked)), [Target::No, Target::Yes]);
    assert_eq!(round(pairing()), [Target::No, Target::Yes, Target::Remember]);
    let choice = presented(&summary("selection", SITE, 3, &[]), Entry::Nothing);
    assert_eq!(round(choice), [Target::No, Target::Yes, Target::Certificate(0)]);
    for (name, screen) in pages(Language::En) {
        assert_ne!(screen.shown().unwrap().focus, Target::Yes, "{name}");
    }
}

#[test]
fn a_secret_that_was_begun_too_early_is_thrown_away() {
    let mut screen = shown(presented(&single(), Entry::Pin));
    screen.take(Input::Typed('1'), EARLY);
    screen.take(Input::Typed('2'), ARMED);
    assert_eq!(press(&mut screen, &[Key::Enter], ARMED), [Action::Edit(Edit::Clear)]);
    let request = screen.shown().unwrap();
    assert_eq!((request.letters, request.typed_early), (0, Typing::ThrownAway));
    screen.take(Input::Typed('3'), ARMED);
    assert_eq!(screen.shown().unwrap().typed_early, Typing::InTime);
    assert_eq!(answers(&press(&mut screen, &[Key::Enter], ARMED)).len(), 1);
}

#[test]
fn the_field_takes_characters_and_nothing_else() {
    let mut screen = shown(presented(&single(), Entry::Pin));
    assert_eq!(screen.take(Input::Typed('\u{8}'), ARMED), []);
    assert_eq!(press(&mut screen, &[Key::Backspace], ARMED), []);
    assert_eq!(press(&mut screen, &[Key::Space], ARMED), [Action::Edit(Edit::Push(' '))]);
    assert_eq!(press(&mut screen, &[Key::Backspace], ARMED), [Action::Edit(Edit::Erase)]);
    assert_eq!(press(&mut screen, &[Key::Enter], ARMED), [], "an empty secret is none");
    for _ in 0..LONGEST_SECRET {
        assert_eq!(screen.take(Input::Typed('1'), ARMED).len(), 1);
    }
    assert_eq!(screen.take(Input::Typed('1'), ARMED), []);
    // Elsewhere keys are not characters.
    press(&mut screen, &[Key::Tab], ARMED);
    assert_eq!(screen.take(Input::Typed('1'), ARMED), []);
}

#[test]
fn another_certificate_wants_its_own_secret() {
    let mut screen = shown(presented(&summary("selection", SITE, 2, &[]), Entry::Pin));
    screen.take(Input::Typed('1'), ARMED);
    assert_eq!(screen.take(Input::Pressed(Target::Certificate(1)), ARMED), [Action::Edit(Edit::Clear)]);
    let request = screen.shown().unwrap();
    assert_eq!((request.choice, request.letters), (1, 0));
    assert_eq!(press(&mut screen, &[Key::Up], ARMED), [Action::Edit(Edit::Clear)]);
    assert_eq!(press(&mut screen, &[Key::Up], ARMED), [], "there is none before the first");
    assert_eq!(screen.take(Input::Pressed(Target::Certificate(9)), ARMED), []);
}

#[test]
fn each_way_to_unlock_has_its_place() {
    use crate::text::Entered;
    for (entry, field, yes) in [
        (Entry::Locked, Field::Locked, Button::Dead),
        (Entry::Nothing, Field::Nothing, Button::Live),
        (Entry::Password, Field::Typed(Entered::Password), Button::Dead),
        (Entry::Pin, Field::Typed(Entered::Pin), Button::Dead),
        (Entry::Reader, Field::Reader, Button::Live),
        (Entry::TokenAbsent, Field::TokenAbsent, Button::Live),
    ] {
        let screen = shown(presented(&single(), entry));
        let request = screen.shown().unwrap();
        assert_eq!((request.field(), request.yes(ARMED)), (field, yes), "{entry:?}");
    }
}

#[test]
fn a_wrong_secret_is_asked_for_again_and_never_sent_twice() {
    let mut screen = shown(presented(&single(), Entry::Pin));
    screen.take(Input::Typed('1'), ARMED);
    press(&mut screen, &[Key::Enter], ARMED);
    let again = Incoming::AskSecret {
        approval: APPROVAL,
        deadline: ARMED + Duration::from_secs(60),
        reason: SecretReason::Incorrect,
        unlock: unlock(Entry::Pin, TriesLeft::Exactly(2)),
    };
    assert_eq!(screen.receive(again, ARMED), [Action::Edit(Edit::Clear)]);
    assert_eq!(screen.shown().unwrap().focus, Target::Secret);
    assert_eq!(press(&mut screen, &[Key::Enter], ARMED), []);
    screen.take(Input::Typed('2'), ARMED);
    let actions = press(&mut screen, &[Key::Enter], ARMED);
    let message =
        FromTray::Secret { approval: APPROVAL, secret: SecretAttached::Yes, last_try: LastTry::NotConfirmed };
    assert_eq!(actions, [Action::Answer { message, key: Some([9; KEY_LEN]) }, Action::Edit(Edit::Clear)]);
}

/// Proves A32.
#[test]
fn the_last_try_has_a_question_of_its_own_whose_default_is_no() {
    let risky = || shown(presented_with(&single(), Entry::Pin, TriesLeft::Last));
    let again = ARMED + ARM_DELAY;
    let confirmed = |actions: &[Action]| match answers(actions)[..] {
        [FromTray::Confirmed { last_try, secret, .. }] => Some((*last_try, *secret)),
        _ => None,
    };
    // A yes leads to the question, and what was typed waits for its answer.
    let mut screen = risky();
    screen.take(Input::Typed('1'), ARMED);
    assert_eq!(press(&mut screen, &[Key::Enter], ARMED), []);
    let request = screen.shown().unwrap();
    assert_eq!((request.focus, request.yes(ARMED)), (Target::No, Button::Dead));
    assert_eq!(request.order(), [Target::No, Target::Yes]);
    assert_eq!(screen.take(Input::Typed('2'), ARMED), [], "nothing is typed there");

    // Its yes is armed by its own frame, and is a deed of its own.
    assert_eq!(screen.take(Input::Pressed(Target::Yes), again), []);
    screen.take(Input::Painted, ARMED);
    assert_eq!(screen.take(Input::Pressed(Target::Yes), again - Duration::from_millis(1)), []);
    let actions = screen.take(Input::Pressed(Target::Yes), again);
    assert_eq!(confirmed(&actions), Some((LastTry::Confirmed, SecretAttached::Yes)));
    assert!(matches!(&actions[0], Action::Answer { key: Some(_), .. }));

    // By the keyboard: Tab and Enter; Enter alone, Escape and the button are a no.
    let mut screen = last_try(risky());
    let actions = press(&mut screen, &[Key::Tab, Key::Enter], again);
    assert_eq!(confirmed(&actions), Some((LastTry::Confirmed, SecretAttached::Yes)));
    for input in [Input::Key(Key::Enter), Input::Key(Key::Escape), Input::Pressed(Target::No), Input::Closed]
    {
        let mut screen = last_try(risky());
        let actions = screen.take(input, again);
        assert_eq!(answers(&actions), [&denied(Lasting::Once)], "{input:?}");
        assert!(actions.contains(&Action::Edit(Edit::Clear)), "{input:?}");
    }

    // On the reader as well, and for a PIN that is asked for again.
    let mut screen = last_try(shown(presented_with(&single(), Entry::Reader, TriesLeft::Exactly(1))));
    let actions = screen.take(Input::Pressed(Target::Yes), again);
    assert_eq!(confirmed(&actions), Some((LastTry::Confirmed, SecretAttached::No)));
    let mut screen = shown(presented(&single(), Entry::Pin));
    let ask = Incoming::AskSecret {
        approval: APPROVAL,
        deadline: ARMED + Duration::from_secs(60),
        reason: SecretReason::LastTry,
        unlock: unlock(Entry::Pin, TriesLeft::Last),
    };
    screen.receive(ask, BEGAN);
    let mut screen = last_try(screen);
    let actions = screen.take(Input::Pressed(Target::Yes), again);
    assert!(
        matches!(answers(&actions)[..], [FromTray::Secret { last_try: LastTry::Confirmed, .. }]),
        "{actions:?}"
    );

    // A password has no last try, and other tries need no question.
    for (entry, tries) in [(Entry::Password, TriesLeft::Last), (Entry::Pin, TriesLeft::Low)] {
        let mut screen = shown(presented_with(&single(), entry, tries));
        screen.take(Input::Typed('1'), ARMED);
        let actions = press(&mut screen, &[Key::Enter], ARMED);
        assert_eq!(confirmed(&actions), Some((LastTry::NotConfirmed, SecretAttached::Yes)), "{entry:?}");
    }
}

#[test]
fn only_a_batch_can_be_stopped_while_it_is_signed() {
    let signing = |done, of| {
        let mut screen = shown(presented(&single(), Entry::Nothing));
        screen.receive(Incoming::Signing { approval: APPROVAL, done, of }, ARMED);
        screen.take(Input::Closed, ARMED)
    };
    assert_eq!(signing(0, 1), []);
    assert_eq!(signing(5, 5), []);
    assert_eq!(answers(&signing(2, 5)), [&denied(Lasting::Once)]);
}

#[test]
fn results_stay_for_their_time() {
    let failed = Outcome::Failed { code: "pin-locked".into(), words: "…".into() };
    for (outcome, stays) in [
        (Outcome::Approved, Some(GOOD_END)),
        (Outcome::Denied, Some(Duration::ZERO)),
        (Outcome::Cancelled, Some(OTHER_END)),
        (Outcome::Expired, Some(OTHER_END)),
        (failed, None),
    ] {
        let mut screen = shown(presented(&single(), Entry::Nothing));
        screen.receive(Incoming::Dismiss { approval: APPROVAL, outcome: outcome.clone() }, ARMED);
        match stays {
            Some(Duration::ZERO) => {}
            Some(stays) => {
                assert_eq!(screen.wakes(ARMED), ARMED + stays);
                screen.take(Input::Elapsed, ARMED + stays - Duration::from_millis(1));
                assert!(screen.shown().is_some(), "{outcome:?}");
                screen.take(Input::Elapsed, ARMED + stays);
            }
            None => {
                screen.take(Input::Elapsed, ARMED + Duration::from_secs(3600));
                assert!(matches!(screen.shown().unwrap().stage, Stage::Ended { .. }));
                screen.take(Input::Key(Key::Enter), ARMED);
            }
        }
        assert!(screen.shown().is_none(), "{outcome:?}");
    }
}

#[test]
fn the_next_request_waits_for_the_result_and_is_armed_anew() {
    let mut screen = shown(presented(&single(), Entry::Nothing));
    let failed = Outcome::Failed { code: "pin-locked".into(), words: "…".into() };
    screen.receive(Incoming::Dismiss { approval: APPROVAL, outcome: failed }, ARMED);
    let mut next = pairing();
    next.approval = 8;
    screen.receive(Incoming::Present(Box::new(next)), ARMED);
    assert_eq!(screen.shown().unwrap().approval, APPROVAL);
    let later = ARMED + OTHER_END;
    screen.take(Input::Elapsed, later);
    assert_eq!(screen.shown().unwrap().approval, 8);
    assert_eq!(screen.take(Input::Pressed(Target::Yes), later), []);
    screen.take(Input::Painted, later);
    assert_eq!(screen.take(Input::Pressed(Target::Yes), later), []);
    assert_eq!(answers(&screen.take(Input::Pressed(Target::Yes), later + ARM_DELAY)).len(), 1);
}

#[test]
fn messages_about_others_change_nothing() {
    let mut screen = shown(presented(&single(), Entry::Nothing));
    screen.receive(Incoming::Dismiss { approval: 99, outcome: Outcome::Approved }, BEGAN);
    screen.receive(Incoming::Signing { approval: 99, done: 1, of: 2 }, BEGAN);
    screen.receive(Incoming::AwaitToken { approval: 99, deadline: BEGAN }, BEGAN);
    assert_eq!(screen.shown().unwrap().stage, Stage::Asking);
    screen.receive(Incoming::Waiting(3), BEGAN);
    assert_eq!(screen.shown().unwrap().waiting, 3);
}

#[test]
fn the_time_runs_by_the_second_and_a_late_yes_is_none() {
    let screen = shown(presented(&single(), Entry::Nothing));
    let request = screen.shown().unwrap();
    let seconds = |millis: u64| request.seconds_left(Duration::from_millis(millis));
    assert_eq!(seconds(1000), Some(60));
    assert_eq!(seconds(1001), Some(60));
    assert_eq!(seconds(2000), Some(59));
    assert_eq!(seconds(61_000), Some(0));
    assert_eq!(screen.wakes(Duration::from_millis(2300)), Duration::from_secs(3));
    assert_eq!(screen.wakes(BEGAN), ARMED);
    assert_eq!(request.yes(Duration::from_secs(61)), Button::Dead);
}

#[test]
fn with_nothing_to_show_it_leaves_after_a_while() {
    let mut screen = Screen::new(Language::Pt, BEGAN);
    assert_eq!(screen.wakes(BEGAN), BEGAN + LINGER);
    assert_eq!(screen.take(Input::Elapsed, BEGAN + LINGER - Duration::from_millis(1)), []);
    assert_eq!(screen.take(Input::Elapsed, BEGAN + LINGER), [Action::Leave]);
    let mut busy = shown(pairing());
    assert!(!busy.take(Input::Elapsed, BEGAN + LINGER * 9).contains(&Action::Leave));
}
