//! `cargo xtask bench seal`: how long a seal takes to be drawn and made ready for a document.
//!
//! *first* has the letters of a holder for whom none was drawn before, so that the font is cut anew.
//! *again* is the next seal of the same holder at another time, as a service draws it.

use std::{error::Error, hint::black_box, time::Instant};

use signer_core::{
    moment::Moment,
    pdf::{
        geometry::{PageGeometry, Rectangle, Rotation},
        update::{Body, Update},
    },
    seal::{self, Placement, SealText},
};
use signer_tests::{machine, measure::median};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let rounds: i64 = if std::env::args().any(|word| word == "once") { 1 } else { 501 };
    println!("{}\n", machine());
    println!("| seal, ms | first | again | bytes |");
    println!("| --- | --- | --- | --- |");
    for (kind, name, reason) in [
        ("usual", "MARIA APARECIDA DA CONCEIÇÃO DOS SANTOS", None),
        (
            "with reason and place",
            "PADARIA SÃO JOSÉ COMÉRCIO DE ALIMENTOS LTDA",
            Some("Aprovação do contrato"),
        ),
    ] {
        let (mut first, mut again, mut bytes) = (Vec::new(), Vec::new(), 0);
        for round in 0..rounds {
            // A letter more makes another subset.
            let letter = u32::try_from(round % 600).ok().and_then(|offset| char::from_u32(0x100 + offset));
            let other = format!("{name} {}", letter.unwrap_or('Ω'));
            let start = Instant::now();
            bytes = draw(&other, reason, round)?;
            first.push(start.elapsed());
            let start = Instant::now();
            draw(&other, reason, round + 1)?;
            again.push(start.elapsed());
        }
        println!("| {kind} | {:.2} | {:.2} | {bytes} |", median(first), median(again));
    }
    Ok(())
}

/// Draws a seal and tells how many bytes its streams have.
fn draw(name: &str, reason: Option<&str>, second: i64) -> Outcome<usize> {
    let a4 = Rectangle::between(0.0, 0.0, 595.0, 842.0);
    let page = PageGeometry { media_box: a4, crop_box: a4, rotation: Rotation::None, user_unit: 1.0 };
    let moment = Moment::new(1_796_075_368 + second, -180).ok_or("no moment")?;
    let text = SealText::signature(name, Some("***.456.789-**"), moment, reason, reason.map(|_| "São Paulo"));
    let mut update = Update::starting_at(4);
    let rectangle = seal::rectangle(&page, &Placement::default())?;
    seal::draw(&text, &rectangle, &page, &mut update)?;
    let len = update.objects().iter().map(|(_, body)| match body {
        Body::Object(_) => 0,
        Body::Stream(stream) => stream.data.len(),
    });
    Ok(black_box(len.sum()))
}
