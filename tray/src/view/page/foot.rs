//! The bottom: remarks about the secret, its field, the time that is left, the buttons.

use signer_ipc::message::{Entry, Lasting, SecretReason};

use crate::{
    screen::{Button, Field, Request, Stage, Target, Typing},
    text::{Entered, Sentence, tries_left},
    view::{
        Liveness, Mark, Means, Rect, Shape,
        fonts::Style,
        page::{CONTENT, Column, GAP, MARGIN, RADIUS},
        palette::Tint,
    },
};

const CONTROL: f32 = 40.0;
const PADDING: f32 = 12.0;
const BUTTON_PADDING: f32 = 24.0;
const LEAST_BUTTON: f32 = 110.0;
const BETWEEN: f32 = 10.0;
const BOX: f32 = 20.0;
const BOX_ROW: f32 = 32.0;
const BULLET: f32 = 8.0;
const BULLET_STEP: f32 = 13.0;
/// The field shows so many bullets and no more: it is wide enough for any PIN.
const MOST_BULLETS: usize = 33;

pub(super) fn fill(column: &mut Column<'_, '_>, request: &Request) {
    column.gap(8.0);
    remarks(column, request);
    if let Field::Typed(what) = request.field() {
        secret(column, request, what);
    }
    if request.remembers() {
        remember(column, request);
    }
    buttons(column, request);
    column.gap(MARGIN);
}

fn remarks(column: &mut Column<'_, '_>, request: &Request) {
    let entered = match request.field() {
        Field::Typed(what) => what,
        Field::Locked | Field::Nothing | Field::Reader | Field::TokenAbsent => Entered::Pin,
    };
    let said = match (&request.stage, request.field()) {
        (_, Field::Locked) => {
            let tool = request.unlock().and_then(|unlock| unlock.unlock_tool.as_deref());
            Some((Sentence::Locked(tool), Tint::Error))
        }
        (Stage::AskingSecret { reason: SecretReason::Incorrect, unlock }, _) => {
            Some((Sentence::Incorrect(entered, unlock.tries_left), Tint::Error))
        }
        (Stage::AskingSecret { reason: SecretReason::EverySignature, .. }, _) => {
            Some((Sentence::AgainForEverySignature, Tint::Warning))
        }
        (Stage::AskingSecret { reason: SecretReason::LastTry, .. }, _) => {
            Some((Sentence::NotTried, Tint::Warning))
        }
        (Stage::Signing { .. }, _) if on_reader(request) => Some((Sentence::WatchReader, Tint::Secondary)),
        (Stage::Asking, Field::Reader) => Some((Sentence::ReaderLater, Tint::Secondary)),
        (Stage::Sent | Stage::AskingSecret { .. }, Field::Reader) => {
            Some((Sentence::ReaderNow, Tint::Warning))
        }
        (Stage::Asking, Field::TokenAbsent) => Some((Sentence::TokenLater, Tint::Warning)),
        (Stage::Sent, _) => Some((Sentence::Wait, Tint::Secondary)),
        (
            Stage::Asking
            | Stage::AskingSecret { reason: SecretReason::First, .. }
            | Stage::AwaitingToken
            | Stage::Ended { .. }
            | Stage::LastTry { .. }
            | Stage::Signing { .. },
            Field::Nothing | Field::Reader | Field::TokenAbsent | Field::Typed(_),
        ) => None,
    };
    if let Some((sentence, tint)) = said {
        let text = column.say(sentence);
        let means =
            if tint == Tint::Secondary { Means::Text(text.clone()) } else { Means::Alert(text.clone()) };
        column.words(&text, Style::Body, tint, means);
        column.gap(8.0);
    }
    before_the_first_try(column, request);
    match request.typed_early {
        Typing::ThrownAway => {
            let text = column.say(Sentence::TypeAgain);
            column.words(&text, Style::Body, Tint::Warning, Means::Alert(text.clone()));
            column.gap(8.0);
        }
        Typing::Early | Typing::InTime => {}
    }
}

/// Fewer tries than usual are told before one more is used.
fn before_the_first_try(column: &mut Column<'_, '_>, request: &Request) {
    let unlock = match (&request.stage, request.field()) {
        (Stage::Asking, Field::Typed(Entered::Pin) | Field::Reader) => request.unlock(),
        (
            Stage::AskingSecret {
                reason: SecretReason::First | SecretReason::EverySignature | SecretReason::LastTry,
                unlock,
            },
            Field::Typed(Entered::Pin) | Field::Reader,
        ) => Some(unlock),
        (
            Stage::Asking
            | Stage::AskingSecret { .. }
            | Stage::AwaitingToken
            | Stage::Ended { .. }
            | Stage::LastTry { .. }
            | Stage::Sent
            | Stage::Signing { .. },
            _,
        ) => None,
    };
    let Some(unlock) = unlock else { return };
    let text = tries_left(unlock.tries_left, column.setting.language).into_owned();
    if !text.is_empty() {
        column.words(&text, Style::Body, Tint::Warning, Means::Alert(text.clone()));
        column.gap(8.0);
    }
}

fn secret(column: &mut Column<'_, '_>, request: &Request, what: Entered) {
    let label = column.say(Sentence::SecretLabel(what));
    let hint = column.say(Sentence::SecretHint(what));
    column.words(&label, Style::Bold, Tint::Text, Means::Decoration);
    column.gap(4.0);
    let rect = Rect::new(MARGIN, column.y, CONTENT, CONTROL);
    let mut shapes = vec![
        Shape::Fill { rect, radius: RADIUS, tint: Tint::Card },
        Shape::Edge { rect, radius: RADIUS, thickness: column.setting.edge, tint: Tint::Control },
    ];
    let bullets = request.letters.min(MOST_BULLETS);
    let middle = column.y + CONTROL / 2.0;
    let mut x = MARGIN + PADDING;
    for _ in 0..bullets {
        let bullet = Rect::new(x, middle - BULLET / 2.0, BULLET, BULLET);
        shapes.push(Shape::Fill { rect: bullet, radius: BULLET / 2.0, tint: Tint::Text });
        x += BULLET_STEP;
    }
    if request.letters == 0 {
        let block = column.block(&hint, Style::Body, CONTENT - 2.0 * PADDING);
        let y = middle - block.height() / 2.0;
        shapes.push(Shape::Words { x: MARGIN + PADDING + 5.0, y, block, tint: Tint::Secondary });
    }
    if request.focus == Target::Secret {
        let caret = Rect::new(x, middle - 10.0, 1.0, 20.0);
        shapes.push(Shape::Fill { rect: caret, radius: 0.0, tint: Tint::Text });
    }
    let length = (request.letters > 0).then(|| column.say(Sentence::SecretLength(request.letters)));
    column.add(CONTROL, Means::Secret { label, hint, length }, shapes);
    column.gap(GAP);
}

fn remember(column: &mut Column<'_, '_>, request: &Request) {
    let label = column.say(Sentence::Remember);
    let mark = match request.lasting {
        Lasting::Always => Mark::On,
        Lasting::Once => Mark::Off,
    };
    let square = Rect::new(MARGIN, column.y + (BOX_ROW - BOX) / 2.0, BOX, BOX);
    let block = column.block(&label, Style::Body, CONTENT - BOX - BETWEEN);
    let y = column.y + (BOX_ROW - block.height()) / 2.0;
    let mut shapes = match mark {
        Mark::On => vec![
            Shape::Fill { rect: square, radius: 4.0, tint: Tint::Accent },
            Shape::Tick { rect: square, tint: Tint::OnAccent },
        ],
        Mark::Off => vec![
            Shape::Fill { rect: square, radius: 4.0, tint: Tint::Card },
            Shape::Edge { rect: square, radius: 4.0, thickness: column.setting.edge, tint: Tint::Control },
        ],
    };
    shapes.push(Shape::Words { x: MARGIN + BOX + BETWEEN, y, block, tint: Tint::Text });
    column.add(BOX_ROW, Means::Check { label, mark }, shapes);
    column.gap(8.0);
}

/// The time that is left at the left, at the right no and then yes.
fn buttons(column: &mut Column<'_, '_>, request: &Request) {
    let now = column.setting.now;
    let no = match &request.stage {
        Stage::Ended { .. } => Sentence::Close,
        Stage::LastTry { .. } => Sentence::NoLastTry,
        Stage::Signing { of, .. } if *of > 1 => Sentence::Stop,
        Stage::Asking
        | Stage::AskingSecret { .. }
        | Stage::AwaitingToken
        | Stage::Sent
        | Stage::Signing { .. } => Sentence::Deny,
    };
    let yes = match &request.stage {
        Stage::AskingSecret { .. } => Sentence::Continue,
        Stage::LastTry { .. } => Sentence::UseLastTry,
        Stage::Asking | Stage::AwaitingToken | Stage::Ended { .. } | Stage::Sent | Stage::Signing { .. } => {
            Sentence::Approve(request.summary.kind)
        }
    };
    let mut right = MARGIN + CONTENT;
    let mut drawn = Vec::new();
    for (target, sentence, state) in
        [(Target::Yes, yes, request.yes(now)), (Target::No, no, request.no_button())]
    {
        let liveness = match state {
            Button::Absent => continue,
            Button::Dead => Liveness::Dead,
            Button::Live => Liveness::Live,
        };
        let weight = weight(&request.stage, target);
        let label = column.say(sentence);
        let block = column.block(&label, Style::Bold, CONTENT);
        let width = (block.width() + 2.0 * BUTTON_PADDING).max(LEAST_BUTTON).ceil();
        let rect = Rect::new(right - width, column.y, width, CONTROL);
        let words = Shape::Words {
            x: rect.x + (width - block.width()) / 2.0,
            y: rect.y + (CONTROL - block.height()) / 2.0,
            block,
            tint: lettering(weight, liveness),
        };
        drawn.push((
            rect,
            Means::Button { target, label, state: liveness },
            faces(column, rect, weight, liveness),
            words,
        ));
        right = rect.x - BETWEEN;
    }
    remaining(column, request, right - MARGIN);
    // In the order of the Tab key: no, then yes.
    for (rect, means, mut shapes, words) in drawn.into_iter().rev() {
        shapes.push(words);
        column.put(rect, means, shapes);
    }
    column.gap(CONTROL);
}

/// Whether a button is the one that catches the eye.
#[derive(Clone, Copy)]
enum Weight {
    Heavy,
    Light,
}

/// It is the yes, except where the no is the wiser one.
const fn weight(stage: &Stage, target: Target) -> Weight {
    match (stage, target) {
        (Stage::LastTry { .. }, Target::No) => Weight::Heavy,
        (Stage::LastTry { .. }, _) => Weight::Light,
        (_, Target::Yes) => Weight::Heavy,
        (_, Target::Body | Target::Certificate(_) | Target::No | Target::Remember | Target::Secret) => {
            Weight::Light
        }
    }
}

const fn lettering(weight: Weight, state: Liveness) -> Tint {
    match (weight, state) {
        (Weight::Heavy, Liveness::Live) => Tint::OnAccent,
        (_, Liveness::Dead) => Tint::Secondary,
        (Weight::Light, Liveness::Live) => Tint::Text,
    }
}

fn faces(column: &Column<'_, '_>, rect: Rect, weight: Weight, state: Liveness) -> Vec<Shape> {
    let edge = |tint| Shape::Edge { rect, radius: RADIUS, thickness: column.setting.edge, tint };
    match (weight, state) {
        (Weight::Heavy, Liveness::Live) => vec![Shape::Fill { rect, radius: RADIUS, tint: Tint::Accent }],
        (_, Liveness::Dead) => vec![edge(Tint::Divider)],
        (Weight::Light, Liveness::Live) => {
            vec![Shape::Fill { rect, radius: RADIUS, tint: Tint::Card }, edge(Tint::Control)]
        }
    }
}

fn on_reader(request: &Request) -> bool {
    request.unlock().is_some_and(|unlock| unlock.entry == Entry::Reader)
}

/// The countdown, and who waits, beside the buttons.
fn remaining(column: &mut Column<'_, '_>, request: &Request, width: f32) {
    let mut lines = Vec::new();
    if let Some(seconds) = request.seconds_left(column.setting.now) {
        let text = column.say(Sentence::Countdown(seconds));
        lines.push((text.clone(), Means::Timer(text, seconds)));
    }
    if request.waiting > 0 {
        let text = column.say(Sentence::Waiting(request.waiting));
        lines.push((text.clone(), Means::Text(text)));
    }
    let mut blocks = Vec::new();
    let mut height = 0.0;
    for (text, means) in lines {
        let block = column.block(&text, Style::Fact, width);
        height += block.height();
        blocks.push((block, means));
    }
    let mut y = column.y + (CONTROL - height) / 2.0;
    for (block, means) in blocks {
        let rect = Rect::new(MARGIN, y, width, block.height());
        let shape = Shape::Words { x: MARGIN, y, block, tint: Tint::Secondary };
        column.put(rect, means, vec![shape]);
        y = rect.bottom();
    }
}
