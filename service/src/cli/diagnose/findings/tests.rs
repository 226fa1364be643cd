//! Each link that may be broken, and what is said of it.

use super::*;
use crate::token::{
    architecture::{Difference, Mismatch},
    client::{PinEntry, TokenDescription},
    error::{TokenError, TriesLeft},
    modules::{Cards, Origin, Rank},
};

/// That of a SafeNet eToken 5100.
const ETOKEN: [u8; 14] = [0x3b, 0xd5, 0x18, 0, 0x81, 0x31, 0xfe, 0x7d, 0x80, 0x73, 0xc8, 0x21, 0x10, 0xf4];
const STRANGE: [u8; 2] = [0x3b, 0];

fn reader(card: Option<&[u8]>) -> Reader {
    let card = card.map(<[u8]>::to_vec);
    Reader { name: "R".to_owned(), card, changes: 0, sharing: Sharing::Shared }
}

fn facts(card: Option<&[u8]>, modules: Vec<Examined>) -> Facts {
    let reader = reader(card);
    Facts {
        sandbox: None,
        card_service: CardService::Running,
        readers: vec![reader],
        card_programs: Vec::new(),
        plugged: Vec::new(),
        modules,
        left_out: Vec::new(),
        now: Moment::new(1_780_000_000, 0),
    }
}

fn examined(product: &str, cards: Cards, outcome: Outcome) -> Examined {
    let (path, origin) = (format!("/{product}.so").into(), Origin::Known);
    let module = Installed { product: product.to_owned(), path, origin, cards, rank: Rank::Vendor };
    Examined { module, outcome }
}

fn opensc(tokens: Vec<SeenToken>) -> Examined {
    examined("OpenSC", Cards::Any, Outcome::Works(tokens))
}

fn token(pin: PinState) -> SeenToken {
    let text = || "T".to_owned();
    let token = TokenDescription {
        label: text(),
        serial: text(),
        manufacturer: text(),
        model: text(),
        slot: 1,
        reader: text(),
        tries_left: TriesLeft::Unknown,
        pin,
        pin_entry: PinEntry::Program,
    };
    SeenToken { token, credentials: Ok(Vec::new()) }
}

fn codes(facts: &Facts) -> Vec<&'static str> {
    conclude(facts).iter().map(Finding::as_str).collect()
}

#[test]
fn before_a_card_is_seen_the_first_broken_link_is_told_alone() {
    let mut facts = facts(None, vec![opensc(Vec::new())]);
    assert_eq!(codes(&facts), ["no-card"]);
    facts.readers.clear();
    assert_eq!(codes(&facts), ["no-reader"]);
    facts.card_service = CardService::NotPermitted;
    assert_eq!(codes(&facts), ["card-service-not-permitted"]);
    facts.sandbox = Some(Sandbox::Flatpak);
    assert_eq!(codes(&facts), ["sandboxed"]);
    facts.sandbox = None;
    facts.card_service = CardService::Running;
    facts.readers.push(reader(Some(&[])));
    assert_eq!(codes(&facts), ["card-silent"]);
}

#[test]
fn a_card_that_a_program_keeps_is_told_with_the_programs() {
    let mut facts = facts(Some(&ETOKEN), vec![opensc(Vec::new())]);
    for reader in &mut facts.readers {
        reader.sharing = Sharing::Exclusive;
    }
    facts.card_programs = vec!["banco".to_owned()];
    let told = conclude(&facts);
    assert!(
        told.iter()
            .any(|finding| matches!(finding, Finding::CardInUse { programs, .. } if programs == &["banco"])),
        "{:?}",
        codes(&facts)
    );
}

#[test]
fn a_card_that_no_module_shows_leads_to_the_module_that_is_missing() {
    assert_eq!(codes(&facts(Some(&ETOKEN), vec![opensc(Vec::new())])), ["module-not-installed"]);
    assert_eq!(codes(&facts(Some(&STRANGE), vec![opensc(Vec::new())])), ["no-token"]);
    assert_eq!(codes(&facts(Some(&STRANGE), Vec::new())), ["no-module"]);
    let own = || examined("SafeNet eToken", Cards::Any, Outcome::Works(Vec::new()));
    assert_eq!(codes(&facts(Some(&ETOKEN), vec![own()])), ["no-token"]);
    // A module for many cards that shows it will do.
    let seen = facts(Some(&ETOKEN), vec![opensc(vec![token(PinState::Usable)])]);
    assert_eq!(codes(&seen), ["no-certificate"]);
}

#[test]
fn a_module_that_fails_is_told_instead_of_what_would_follow() {
    let failed = || Outcome::Failed(TokenError::ModuleNotFound);
    let own = examined("SafeNet eToken", Cards::Any, failed());
    assert_eq!(codes(&facts(Some(&ETOKEN), vec![own, opensc(Vec::new())])), ["module-failed"]);
    // It may be on this machine and for another processor.
    let mut foreign = facts(Some(&ETOKEN), vec![opensc(Vec::new())]);
    foreign.left_out.push(LeftOut {
        product: "SafeNet eToken".to_owned(),
        path: Some("/e.so".into()),
        origin: Origin::Known,
        reason: Reason::Architecture(Mismatch {
            difference: Difference::Width,
            names: ["x86", "x86_64"].map(str::to_owned),
            found: String::new(),
            expected: String::new(),
        }),
    });
    assert_eq!(codes(&foreign), ["module-unusable"]);
}

#[test]
fn a_token_that_two_modules_show_is_told_once() {
    let locked = || opensc(vec![token(PinState::Locked)]);
    assert_eq!(codes(&facts(Some(&STRANGE), vec![locked(), locked()])), ["pin-locked"]);
}
