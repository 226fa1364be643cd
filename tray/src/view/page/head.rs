//! The top: what is asked, and who asks.

use signer_ipc::{message::Outcome, summary::Client};

use crate::{
    screen::{Request, Stage},
    text::Sentence,
    view::{
        Means, Rect, Shape,
        fonts::Style,
        page::{CARD_RADIUS, CONTENT, Column, GAP, MARGIN},
        palette::Tint,
    },
};

const PADDING: f32 = 14.0;

pub(super) fn fill(column: &mut Column<'_, '_>, request: &Request) {
    column.gap(MARGIN);
    let title = match &request.stage {
        Stage::Ended { outcome: Outcome::Failed { .. }, .. } => Sentence::Failed,
        Stage::LastTry { .. } => Sentence::LastTryTitle,
        Stage::Asking
        | Stage::AskingSecret { .. }
        | Stage::AwaitingToken
        | Stage::Ended { .. }
        | Stage::Sent
        | Stage::Signing { .. } => Sentence::Title(request.summary.kind),
    };
    let title = column.say(title);
    column.words(&title, Style::Title, Tint::Text, Means::Title(title.clone()));
    column.gap(GAP);
    card(column, request);
    column.gap(GAP);
}

/// The client in a frame: first its name in full, then what proves it, then what it wants.
fn card(column: &mut Column<'_, '_>, request: &Request) {
    let asks = column.say(Sentence::Asks(request.summary.kind, request.summary.documents.len()));
    let mut lines: Vec<(String, Style, Tint)> = Vec::new();
    match &request.summary.client {
        Client::Site { origin, host } => {
            lines.push((host.clone(), Style::Site, Tint::Text));
            if *origin != format!("https://{host}") {
                lines.push((origin.clone(), Style::Fact, Tint::Secondary));
            }
        }
        Client::Program { name, path, process } => {
            let name = column.say(Sentence::Program(name.as_deref()));
            lines.push((name, Style::Site, Tint::Text));
            let process = process.map(|process| column.say(Sentence::Process(process)));
            let proof: Vec<String> = path.clone().into_iter().chain(process).collect();
            if !proof.is_empty() {
                lines.push((proof.join(" · "), Style::Fact, Tint::Secondary));
            }
        }
    }
    lines.push((asks, Style::Fact, Tint::Secondary));

    let top = column.y;
    let mut y = top + PADDING - 2.0;
    let mut shapes = Vec::new();
    for (text, style, tint) in &lines {
        let block = column.block(text, *style, CONTENT - 2.0 * PADDING);
        let height = block.height();
        shapes.push(Shape::Words { x: MARGIN + PADDING, y, block, tint: *tint });
        y += height;
    }
    let height = y + PADDING - 2.0 - top;
    let rect = Rect::new(MARGIN, top, CONTENT, height);
    let mut all = vec![
        Shape::Fill { rect, radius: CARD_RADIUS, tint: Tint::Card },
        Shape::Edge { rect, radius: CARD_RADIUS, thickness: 1.0, tint: Tint::Divider },
    ];
    all.extend(shapes);
    let said = lines.into_iter().map(|(text, ..)| text).collect::<Vec<_>>().join("\n");
    column.add(height, Means::Text(said), all);
}
