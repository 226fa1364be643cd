//! What follows from what was seen: for each card the first link of the chain that is broken, or
//! that its certificates can sign. Pure.

use signer_core::{credential::check_for_signing, error::ErrorCode, moment::Moment};

use crate::{
    cli::{
        credential,
        diagnose::surroundings::{CardService, Sandbox},
        examine::{Examined, Outcome, SeenToken},
    },
    sign::Signer,
    token::{
        client::PinState,
        modules::{
            Installed, LeftOut, Reason,
            atr::Atr,
            known::{self, Product},
        },
        reader::{Reader, Sharing},
    },
};

/// What was seen.
pub(super) struct Facts {
    pub(super) sandbox: Option<Sandbox>,
    pub(super) card_service: CardService,
    pub(super) readers: Vec<Reader>,
    /// Programs that may keep a card for themselves.
    pub(super) card_programs: Vec<String>,
    /// Known tokens on the USB.
    pub(super) plugged: Vec<&'static Product>,
    pub(super) modules: Vec<Examined>,
    pub(super) left_out: Vec<LeftOut>,
    /// Nothing where the clock is of no use.
    pub(super) now: Option<Moment>,
}

/// A link of the chain from this program to a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    Card,
    CardService,
    Certificate,
    Module,
    Program,
    Reader,
    Token,
}

/// What follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Finding {
    /// Certificates may sign.
    CanSign { count: usize },
    /// The smart card service does not do its work.
    CardService(CardService),
    /// A program keeps a card for itself; these may be it.
    CardInUse { reader: String, programs: Vec<String> },
    /// A card gives no answer.
    CardSilent { reader: String },
    /// A module was loaded, or is in quarantine, and does not work.
    ModuleFailed { product: String, path: String, code: ErrorCode },
    /// A card's product is known and its module is not installed.
    ModuleNotInstalled { reader: String, product: String, software: String },
    /// A module was named or found and cannot be loaded.
    ModuleUnusable(LeftOut),
    /// No reader holds a card.
    NoCard,
    /// A token has no certificate that is seen without a PIN.
    NoCertificate { token: String },
    /// A card is in a reader, and there is no module at all.
    NoModule { reader: String, atr: Atr },
    /// No reader is there; a known token may be plugged in nevertheless.
    NoReader { plugged: Vec<String> },
    /// There are modules for a card, they work, and none shows it.
    NoToken { reader: String, atr: Atr },
    /// All certificates of a token are ruled out; the code is that of the first.
    NoneMaySign { token: String, code: ErrorCode },
    /// The PIN of a token is locked.
    PinLocked { token: String },
    /// This program runs where it reaches neither cards nor modules.
    Sandboxed(Sandbox),
}

impl Finding {
    /// Where in the chain it stands.
    pub(super) const fn link(&self) -> Link {
        match self {
            Self::CanSign { .. } | Self::NoCertificate { .. } | Self::NoneMaySign { .. } => Link::Certificate,
            Self::CardService(_) => Link::CardService,
            Self::CardInUse { .. } | Self::CardSilent { .. } | Self::NoCard => Link::Card,
            Self::ModuleFailed { .. }
            | Self::ModuleNotInstalled { .. }
            | Self::ModuleUnusable(_)
            | Self::NoModule { .. } => Link::Module,
            Self::NoReader { .. } => Link::Reader,
            Self::NoToken { .. } | Self::PinLocked { .. } => Link::Token,
            Self::Sandboxed(_) => Link::Program,
        }
    }

    /// As programs see it.
    pub(super) const fn as_str(&self) -> &'static str {
        match self {
            Self::CanSign { .. } => "can-sign",
            Self::CardService(CardService::Failed(_)) => "card-service-failed",
            Self::CardService(CardService::NotInstalled) => "card-service-not-installed",
            Self::CardService(CardService::NotPermitted) => "card-service-not-permitted",
            Self::CardService(CardService::NotRunning) => "card-service-not-running",
            Self::CardService(CardService::Running) => "card-service-running",
            Self::CardInUse { .. } => "card-in-use",
            Self::CardSilent { .. } => "card-silent",
            Self::ModuleFailed { .. } => "module-failed",
            Self::ModuleNotInstalled { .. } => "module-not-installed",
            Self::ModuleUnusable(_) => "module-unusable",
            Self::NoCard => "no-card",
            Self::NoCertificate { .. } => "no-certificate",
            Self::NoModule { .. } => "no-module",
            Self::NoReader { .. } => "no-reader",
            Self::NoToken { .. } => "no-token",
            Self::NoneMaySign { .. } => "none-may-sign",
            Self::PinLocked { .. } => "pin-locked",
            Self::Sandboxed(_) => "sandboxed",
        }
    }

    /// Whether something is to be done.
    pub(super) const fn is_fault(&self) -> bool {
        !matches!(self, Self::CanSign { .. })
    }
}

impl Link {
    /// As programs see it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::CardService => "card-service",
            Self::Certificate => "certificate",
            Self::Module => "module",
            Self::Program => "program",
            Self::Reader => "reader",
            Self::Token => "token",
        }
    }
}

/// What follows, in the order of the chain; what works comes last. A sandbox explains everything
/// else, as long as nothing can sign.
pub(super) fn conclude(facts: &Facts) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(way_to_the_cards(facts));
    findings.extend(facts.readers.iter().filter_map(|reader| card(facts, reader)));
    findings.extend(failed(facts));
    let tokens = || facts.modules.iter().flat_map(Examined::tokens);
    findings.extend(tokens().filter_map(|seen| token(seen, facts.now)));
    let mut able: Vec<_> = tokens()
        .flat_map(|seen| certificates(seen, facts.now))
        .filter_map(|(signer, verdict)| verdict.is_ok().then(|| signer.certificate.to_der().to_vec()))
        .collect();
    able.sort();
    able.dedup();
    match (facts.sandbox, able.len()) {
        (Some(sandbox), 0) => findings = vec![Finding::Sandboxed(sandbox)],
        (None, 0) => {}
        (_, count) => findings.push(Finding::CanSign { count }),
    }
    // Two modules may show one token.
    findings.into_iter().fold(Vec::new(), |mut told, finding| {
        if !told.contains(&finding) {
            told.push(finding);
        }
        told
    })
}

/// What is wrong before any card is looked at.
fn way_to_the_cards(facts: &Facts) -> Option<Finding> {
    match &facts.card_service {
        CardService::Running => match facts.readers.as_slice() {
            [] => {
                let plugged = facts.plugged.iter().map(|product| product.name.clone()).collect();
                Some(Finding::NoReader { plugged })
            }
            readers => readers.iter().all(|reader| reader.card.is_none()).then_some(Finding::NoCard),
        },
        trouble @ (CardService::Failed(_)
        | CardService::NotInstalled
        | CardService::NotPermitted
        | CardService::NotRunning) => Some(Finding::CardService(trouble.clone())),
    }
}

/// The first link that is broken between a card and its token.
fn card(facts: &Facts, reader: &Reader) -> Option<Finding> {
    let name = reader.name.clone();
    let Some(atr) = Atr::new(reader.card.as_deref()?) else {
        return Some(Finding::CardSilent { reader: name });
    };
    if reader.sharing == Sharing::Exclusive {
        return Some(Finding::CardInUse { reader: name, programs: facts.card_programs.clone() });
    }
    let serving: Vec<_> = facts.modules.iter().filter(|examined| examined.module.may_serve(&atr)).collect();
    // Where nobody lists it, everything was tried; which module showed what nobody knows.
    let serving = if serving.is_empty() { facts.modules.iter().collect() } else { serving };
    if serving.iter().any(|examined| examined.tokens().next().is_some()) {
        return None;
    }
    let products: Vec<_> = known::of_card(&atr).collect();
    let of_card = |product: &str| products.iter().any(|known| known.name == product);
    let of_its_maker = facts.modules.iter().any(|examined| of_card(&examined.module.product));
    if serving.iter().any(|it| it.outcome.fault().is_some() && (of_card(&it.module.product) || !of_its_maker))
    {
        // Each module that fails is told by itself.
        return None;
    }
    let unusable = |left: &LeftOut| of_card(&left.product) && left.reason.code().is_some();
    match products.first() {
        _ if facts.left_out.iter().any(unusable) => None,
        Some(product) if !of_its_maker => Some(Finding::ModuleNotInstalled {
            reader: name,
            product: product.name.clone(),
            software: product.software.clone(),
        }),
        _ if facts.modules.is_empty() => Some(Finding::NoModule { reader: name, atr }),
        Some(_) | None => Some(Finding::NoToken { reader: name, atr }),
    }
}

/// The modules that were wanted and do not work.
fn failed(facts: &Facts) -> impl Iterator<Item = Finding> {
    let loaded = facts.modules.iter().filter_map(|examined| {
        let Installed { product, path, .. } = &examined.module;
        let code = examined.outcome.fault()?;
        Some(Finding::ModuleFailed { product: product.clone(), path: path.display().to_string(), code })
    });
    let unusable = facts.left_out.iter().filter(|left| left.reason.code().is_some());
    loaded.chain(unusable.cloned().map(Finding::ModuleUnusable))
}

/// What keeps a token's certificates from signing, where none of them may.
fn token(seen: &SeenToken, now: Option<Moment>) -> Option<Finding> {
    let token = seen.token.label.clone();
    if seen.token.pin == PinState::Locked {
        return Some(Finding::PinLocked { token });
    }
    let verdicts: Vec<_> = certificates(seen, now).map(|(_, verdict)| verdict).collect();
    match verdicts.first() {
        None => Some(Finding::NoCertificate { token }),
        Some(Err(code)) if verdicts.iter().all(Result::is_err) => {
            Some(Finding::NoneMaySign { token, code: *code })
        }
        Some(_) => None,
    }
}

/// The certificates of a token that can be read, and whether each may sign.
pub(super) fn certificates(
    seen: &SeenToken,
    now: Option<Moment>,
) -> impl Iterator<Item = (Signer, Result<(), ErrorCode>)> {
    let credentials = seen.credentials.as_ref().map(Vec::clone).unwrap_or_default();
    credentials.into_iter().filter_map(|it| credential::parse(it).ok()).map(move |signer| {
        // Without a clock nothing is ruled out here: signing asks again.
        let verdict = now.map_or(Ok(()), |now| {
            check_for_signing(&signer.certificate, now).map(drop).map_err(|error| error.code())
        });
        (signer, verdict)
    })
}

impl Examined {
    /// The tokens that it shows.
    pub(super) fn tokens(&self) -> impl Iterator<Item = &SeenToken> {
        match &self.outcome {
            Outcome::Works(tokens) => tokens.as_slice(),
            Outcome::Failed(_) | Outcome::Quarantined(_) => &[],
        }
        .iter()
    }
}

impl Outcome {
    /// Why the module does not work; nothing where it does.
    pub(super) const fn fault(&self) -> Option<ErrorCode> {
        match self {
            Self::Failed(error) => Some(error.code()),
            Self::Quarantined(_) => Some(ErrorCode::ModuleQuarantined),
            Self::Works(_) => None,
        }
    }
}

impl Reason {
    /// The code of a module that was wanted and cannot be used; nothing where it was not wanted.
    pub(super) const fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Architecture(_) => Some(ErrorCode::ModuleArchitecture),
            Self::Missing => Some(ErrorCode::ModuleNotFound),
            Self::NotALibrary | Self::Relative | Self::Unreadable(_) => Some(ErrorCode::ModuleUnusable),
            Self::Duplicate(_) | Self::NotNamed | Self::P11Kit(_) | Self::SameProduct(_) => None,
        }
    }
}

#[cfg(test)]
mod tests;
