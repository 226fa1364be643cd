//! The body: the facts about what is asked, or how it went.

use signer_ipc::{
    message::Outcome,
    summary::{Certificate, Document, Format, Kind, Scope, Storage, Summary},
};

use crate::{
    screen::{Request, Stage, Target},
    text::{Fact, Sentence, date, grouped, shortened, size},
    view::{
        Mark, Means, Rect, Shape,
        fonts::Style,
        page::{CARD_RADIUS, CONTENT, Column, GAP, MARGIN},
        palette::Tint,
    },
};

const ROW_GAP: f32 = 5.0;
const LABEL_GAP: f32 = 14.0;
/// Between the documents and the certificate.
const SECTION: f32 = 7.0;
const PADDING: f32 = 10.0;
const RADIO: f32 = 18.0;
const BAR: f32 = 8.0;
/// Names of documents in a list, and of all things beside a label, in lines.
const LIST_LINES: usize = 2;

pub(super) fn fill(column: &mut Column<'_, '_>, request: &Request) {
    // The focus ring of what stands first needs its place.
    column.gap(4.0);
    match &request.stage {
        Stage::Asking => asked(column, request),
        Stage::AskingSecret { .. } | Stage::Sent => chosen(column, request),
        Stage::AwaitingToken => {
            let certificate = request.summary.certificates.get(request.choice);
            let place = certificate.and_then(|certificate| certificate.place.as_deref());
            let text = column.say(Sentence::InsertToken(place));
            column.words(&text, Style::Bold, Tint::Warning, Means::Alert(text.clone()));
            column.gap(GAP);
            chosen(column, request);
        }
        Stage::Signing { done, of } => {
            progress(column, *done, *of);
            documents(column, &request.summary.documents);
        }
        Stage::Ended { outcome, .. } => ended(column, &request.summary, outcome),
    }
    column.gap(4.0);
}

fn asked(column: &mut Column<'_, '_>, request: &Request) {
    let summary = &request.summary;
    match summary.kind {
        Kind::Pairing => scopes(column, &summary.scopes),
        Kind::Selection => certificates(column, request),
        Kind::Signature => {
            certification(column, summary);
            documents(column, &summary.documents);
            column.gap(SECTION);
            certificates(column, request);
        }
    }
    if let Some(reason) = &summary.reason {
        fact(column, Fact::Reason, &[(reason.clone(), Style::Fact, Tint::Text)]);
    }
}

/// After the yes: the documents and the certificate that was chosen.
fn chosen(column: &mut Column<'_, '_>, request: &Request) {
    certification(column, &request.summary);
    documents(column, &request.summary.documents);
    column.gap(SECTION);
    if let Some(certificate) = request.summary.certificates.get(request.choice) {
        facts_of_certificate(column, certificate);
    }
}

/// What the signature says of later changes: before all else, as it cannot be taken back.
fn certification(column: &mut Column<'_, '_>, summary: &Summary) {
    let sentence = summary.certification.map(Sentence::Certifies);
    if let Some(sentence) = sentence.or_else(|| summary.lock().map(Sentence::Locks)) {
        let text = column.say(sentence);
        column.words(&text, Style::Bold, Tint::Warning, Means::Text(text.clone()));
        column.gap(GAP);
    }
}

fn scopes(column: &mut Column<'_, '_>, scopes: &[Scope]) {
    for scope in scopes {
        let text = column.say(match scope {
            Scope::Certificates => Sentence::ScopeCertificates,
            Scope::Sign => Sentence::ScopeSign,
        });
        let block = column.block(&text, Style::Body, CONTENT - 16.0);
        let height = block.height();
        let dot = Rect::new(MARGIN + 2.0, column.y + 7.0, 5.0, 5.0);
        let shapes = vec![
            Shape::Fill { rect: dot, radius: 2.5, tint: Tint::Accent },
            Shape::Words { x: MARGIN + 16.0, y: column.y, block, tint: Tint::Text },
        ];
        column.add(height, Means::Item(text), shapes);
        column.gap(ROW_GAP);
    }
}

fn certificates(column: &mut Column<'_, '_>, request: &Request) {
    match request.summary.certificates.as_slice() {
        [] => {}
        [only] => facts_of_certificate(column, only),
        several => {
            heading(column, Sentence::Certificates);
            for (place, certificate) in several.iter().enumerate() {
                let mark = if place == request.choice { Mark::On } else { Mark::Off };
                choice(column, place, certificate, mark);
                column.gap(8.0);
            }
        }
    }
}

fn facts_of_certificate(column: &mut Column<'_, '_>, certificate: &Certificate) {
    fact(column, Fact::Holder, &[(certificate.holder.clone(), Style::FactBold, Tint::Text)]);
    if let Some(number) = &certificate.number {
        let label = if number.contains('/') { Fact::Cnpj } else { Fact::Cpf };
        fact(column, label, &[(number.clone(), Style::Fact, Tint::Text)]);
    }
    fact(column, Fact::Issuer, &[(certificate.issuer.clone(), Style::Fact, Tint::Text)]);
    let until = until(column, certificate);
    fact(column, Fact::Validity, &[(until, Style::Fact, Tint::Text)]);
    let stored = stored(column, certificate);
    fact(column, Fact::Stored, &[(stored, Style::Fact, Tint::Text)]);
}

/// A certificate as one of several.
fn choice(column: &mut Column<'_, '_>, place: usize, certificate: &Certificate, mark: Mark) {
    let top = column.y;
    let left = MARGIN + PADDING + RADIO + 10.0;
    let width = MARGIN + CONTENT - PADDING - left;
    let details = [
        certificate.number.clone(),
        Some(certificate.issuer.clone()),
        Some(until(column, certificate)),
        Some(stored(column, certificate)),
    ];
    let details = details.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let holder = column.cut(&certificate.holder, Style::FactBold, width, LIST_LINES);
    let below = column.block(&details, Style::Fact, width);
    let (first, second) = (holder.height(), below.height());
    let height = first + second + 2.0 * PADDING;
    let rect = Rect::new(MARGIN, top, CONTENT, height);
    let radio = Rect::new(MARGIN + PADDING, top + PADDING, RADIO, RADIO);
    let (edge, tint) = match mark {
        Mark::On => (2.0, Tint::Accent),
        Mark::Off => (column.setting.edge, Tint::Control),
    };
    let mut shapes = vec![
        Shape::Fill { rect, radius: CARD_RADIUS, tint: Tint::Card },
        Shape::Edge { rect, radius: CARD_RADIUS, thickness: column.setting.edge, tint },
        Shape::Edge { rect: radio, radius: RADIO / 2.0, thickness: edge, tint },
        Shape::Words { x: left, y: top + PADDING, block: holder, tint: Tint::Text },
        Shape::Words { x: left, y: top + PADDING + first, block: below, tint: Tint::Secondary },
    ];
    match mark {
        Mark::On => shapes.push(Shape::Fill {
            rect: radio.grown(-5.0),
            radius: RADIO / 2.0 - 5.0,
            tint: Tint::Accent,
        }),
        Mark::Off => {}
    }
    let label = format!("{}. {details}", certificate.holder);
    column.add(height, Means::Choice { target: Target::Certificate(place), label, mark }, shapes);
}

fn documents(column: &mut Column<'_, '_>, documents: &[Document]) {
    match documents {
        [] => {}
        [only] => {
            fact(column, Fact::Document, &[(only.name.clone(), Style::FactBold, Tint::Text)]);
            match only.format {
                Format::Pades => {
                    let details = details(column, only);
                    fact(column, Fact::Pages, &[(details, Style::Fact, Tint::Text)]);
                }
                Format::Raw => {
                    let alone = column.say(Sentence::DigestOnly);
                    remark(column, &alone, Tint::Warning);
                }
            }
            let digest = grouped(&only.digest);
            row(column, &only.digest_algorithm, &[(digest, Style::Fact, Tint::Text)]);
        }
        several => {
            heading(column, Sentence::Documents(several.len()));
            for (place, document) in several.iter().enumerate() {
                item(column, place + 1, document);
            }
        }
    }
}

/// A document as one of several: its name, and below it what else is known.
fn item(column: &mut Column<'_, '_>, number: usize, document: &Document) {
    let number = format!("{number}.");
    let indent = column.width("000.", Style::Fact) + 6.0;
    let width = CONTENT - indent;
    let name = column.cut(&document.name, Style::Fact, width, LIST_LINES);
    let (details, tint) = match document.format {
        Format::Pades => (details(column, document), Tint::Secondary),
        Format::Raw => (column.say(Sentence::DigestOnly), Tint::Warning),
    };
    let digest = format!("{} {}", document.digest_algorithm, shortened(&document.digest));
    let details = format!("{details} · {digest}");
    let count = column.block(&number, Style::Fact, indent);
    let below = column.block(&details, Style::Fact, width);
    let (first, second) = (name.height(), below.height());
    let label = format!("{number} {}. {details}. {}", document.name, grouped(&document.digest));
    let (x, y) = (MARGIN + indent, column.y);
    let shapes = vec![
        Shape::Words { x: MARGIN, y, block: count, tint: Tint::Secondary },
        Shape::Words { x, y, block: name, tint: Tint::Text },
        Shape::Words { x, y: y + first, block: below, tint },
    ];
    column.add(first + second, Means::Item(label), shapes);
    column.gap(ROW_GAP);
}

fn details(column: &Column<'_, '_>, document: &Document) -> String {
    let pages = document.pages.map(|pages| column.say(Sentence::PageCount(pages)));
    let bytes = document.size.map(|bytes| size(bytes, column.setting.language));
    let seal = column.say(document.seal_page.map_or(Sentence::NoSeal, Sentence::SealOn));
    [pages, bytes, Some(seal)].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn until(column: &Column<'_, '_>, certificate: &Certificate) -> String {
    column.say(Sentence::Until(&date(certificate.not_after, column.setting.language)))
}

fn stored(column: &Column<'_, '_>, certificate: &Certificate) -> String {
    let storage = column.say(match certificate.storage {
        Storage::A1 => Sentence::StoredA1,
        Storage::A3 => Sentence::StoredA3,
    });
    match &certificate.place {
        Some(place) => format!("{storage} · {place}"),
        None => storage,
    }
}

fn progress(column: &mut Column<'_, '_>, done: u32, of: u32) {
    let text = column.say(if of > 1 { Sentence::Batch(done, of) } else { Sentence::SigningNow });
    column.words(&text, Style::Bold, Tint::Text, Means::Decoration);
    column.gap(ROW_GAP);
    let rect = Rect::new(MARGIN, column.y, CONTENT, BAR);
    let part = f64::from(done.min(of)) / f64::from(of.max(1));
    let mut shapes = vec![Shape::Fill { rect, radius: BAR / 2.0, tint: Tint::Divider }];
    if done > 0 {
        let filled = narrow(f64::from(CONTENT) * part).max(BAR);
        let rect = Rect { width: filled, ..rect };
        shapes.push(Shape::Fill { rect, radius: BAR / 2.0, tint: Tint::Accent });
    }
    column.add(BAR, Means::Progress { label: text, done, of }, shapes);
    column.gap(GAP);
}

fn ended(column: &mut Column<'_, '_>, summary: &Summary, outcome: &Outcome) {
    let (text, tint) = match outcome {
        Outcome::Approved => {
            let sentence = match summary.kind {
                Kind::Pairing => Sentence::EndedPairing,
                Kind::Selection => Sentence::EndedSelection,
                Kind::Signature => Sentence::EndedSigned(summary.documents.len()),
            };
            (column.say(sentence), Tint::Success)
        }
        Outcome::Cancelled => (column.say(Sentence::EndedCancelled), Tint::Warning),
        Outcome::Denied => (column.say(Sentence::EndedDenied), Tint::Text),
        Outcome::Expired => (column.say(Sentence::EndedExpired), Tint::Warning),
        Outcome::Failed { words, .. } => (words.clone(), Tint::Error),
    };
    column.words(&text, Style::Bold, tint, Means::Alert(text.clone()));
    if let Outcome::Failed { code, .. } = outcome {
        column.gap(ROW_GAP);
        column.words(code, Style::Fact, Tint::Secondary, Means::Text(code.clone()));
    }
    column.gap(GAP);
}

fn heading(column: &mut Column<'_, '_>, sentence: Sentence<'_>) {
    let text = column.say(sentence);
    column.words(&text, Style::Bold, Tint::Text, Means::Heading(text.clone()));
    column.gap(ROW_GAP);
}

fn remark(column: &mut Column<'_, '_>, text: &str, tint: Tint) {
    column.words(text, Style::Fact, tint, Means::Text(text.to_owned()));
    column.gap(ROW_GAP);
}

fn fact(column: &mut Column<'_, '_>, label: Fact, values: &[(String, Style, Tint)]) {
    let label = column.say(Sentence::Fact(label));
    row(column, &label, values);
}

/// A label and what it is about: one node, so that it is read as one line.
fn row(column: &mut Column<'_, '_>, label: &str, values: &[(String, Style, Tint)]) {
    let widest = [Fact::Document, Fact::Validity, Fact::Stored, Fact::Pages]
        .map(|fact| column.say(Sentence::Fact(fact)))
        .map(|label| column.width(&label, Style::Fact));
    let algorithm = column.width("SHA-256", Style::Fact);
    let indent = widest.into_iter().fold(algorithm, f32::max).ceil() + LABEL_GAP;
    let name = column.block(label, Style::Fact, indent);
    let mut shapes = vec![Shape::Words { x: MARGIN, y: column.y, block: name, tint: Tint::Secondary }];
    let mut height = 0.0;
    let mut said = Vec::new();
    for (text, style, tint) in values {
        let block = column.block(text, *style, CONTENT - indent);
        let line = block.height();
        shapes.push(Shape::Words { x: MARGIN + indent, y: column.y + height, block, tint: *tint });
        height += line;
        said.push(text.as_str());
    }
    column.add(height, Means::Text(format!("{label}: {}", said.join(", "))), shapes);
    column.gap(ROW_GAP);
}

/// A length is at most the window's: nothing is lost.
#[expect(clippy::cast_possible_truncation, reason = "a part of the window's width")]
const fn narrow(length: f64) -> f32 {
    length as f32
}
