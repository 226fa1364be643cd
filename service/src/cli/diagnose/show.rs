//! A diagnosis for the person: what was seen, link by link, then what follows.

use signer_core::{credential::Holder, error::ErrorCode, moment::Moment};

use crate::{
    cli::{
        arguments::language,
        credential,
        diagnose::{
            Diagnosis,
            findings::{self, Facts, Finding},
            surroundings::CardService,
        },
        examine::{Examined, Outcome, SeenToken},
        modules, screen,
    },
    text::{
        Sentence,
        diagnosis::{self as sentences, Told, told, told_by_code},
        modules as words,
    },
    token::{
        client::{PinEntry, PinState},
        modules::{LeftOut, Reason, atr::Atr, known, quarantine::Incident},
        reader::Reader,
    },
};

pub(super) fn show(diagnosis: &Diagnosis) {
    let facts = &diagnosis.facts;
    screen::line(&format!("CyberCore Signer {}", env!("CARGO_PKG_VERSION")));
    show_clock(facts.now);
    show_service(diagnosis);
    heading(["Leitores e cartões", "Readers and cards", "Lectores y tarjetas"]);
    show_readers(facts);
    heading([
        "Módulos, tokens e certificados",
        "Modules, tokens and certificates",
        "Módulos, tokens y certificados",
    ]);
    show_modules(facts);
    heading(["Conclusão", "Conclusion", "Conclusión"]);
    for finding in &diagnosis.findings {
        let Told { what, remedy } = words(finding);
        let mark = if finding.is_fault() { '✗' } else { '✓' };
        screen::line(&format!("  {mark} {what}"));
        if let Some(remedy) = remedy {
            screen::line(&format!("    → {remedy}"));
        }
    }
}

fn say(sentence: Sentence) -> &'static str {
    language().choose(sentence)
}

fn heading(sentence: Sentence) {
    screen::line("");
    screen::line(say(sentence));
}

fn show_clock(now: Option<Moment>) {
    let clock = say(["Relógio", "Clock", "Reloj"]);
    match now {
        Some(now) => screen::line(&format!("{clock}: {}", now.to_brazilian())),
        None => screen::line(&format!(
            "{clock}: ✗ {}",
            say(["sem uma data possível", "without a possible date", "sin una fecha posible"])
        )),
    }
}

fn show_service(diagnosis: &Diagnosis) {
    let service = say(["Serviço deste login", "Service of this login", "Servicio de esta sesión"]);
    let state = match &diagnosis.service {
        Some(presence) => format!(
            "{} ({} {}, http://127.0.0.1:{})",
            say(["em execução", "running", "en ejecución"]),
            say(["processo", "process", "proceso"]),
            presence.process,
            presence.ports.first().copied().unwrap_or_default(),
        ),
        None => say(["não está em execução", "not running", "no está en ejecución"]).to_owned(),
    };
    screen::line(&format!("{service}: {state}"));
    if let Some(fault) = &diagnosis.config_fault {
        screen::line(&format!("✗ {} ({fault})", language().error(ErrorCode::ConfigInvalid)));
    }
}

fn show_readers(facts: &Facts) {
    if facts.card_service == CardService::Running && facts.readers.is_empty() {
        screen::line(say(["  – nenhum", "  – none", "  – ninguno"]));
    }
    if facts.card_service != CardService::Running {
        screen::line(say([
            "  ✗ o serviço de cartões não responde",
            "  ✗ the smart card service does not answer",
            "  ✗ el servicio de tarjetas no responde",
        ]));
    }
    for reader in &facts.readers {
        show_reader(reader);
    }
    for product in &facts.plugged {
        let usb = say(["  USB: token", "  USB: token", "  USB: token"]);
        screen::line(&format!("{usb} {}", product.name));
    }
}

fn show_reader(reader: &Reader) {
    let Some(bytes) = &reader.card else {
        screen::line(&format!("  – {}: {}", reader.name, say(["sem cartão", "no card", "sin tarjeta"])));
        return;
    };
    let Some(atr) = Atr::new(bytes) else {
        let silent = say(["o cartão não responde", "the card does not answer", "la tarjeta no responde"]);
        screen::line(&format!("  ✗ {}: {silent}", reader.name));
        return;
    };
    let products: Vec<_> = known::of_card(&atr).map(|product| product.name.as_str()).collect();
    let card = if products.is_empty() {
        say(["cartão de modelo desconhecido", "card of an unknown model", "tarjeta de modelo desconocido"])
            .to_owned()
    } else {
        products.join(say([" ou ", " or ", " o "]))
    };
    screen::line(&format!("  ✓ {}: {card} (ATR {atr})", reader.name));
}

fn show_modules(facts: &Facts) {
    if facts.modules.is_empty() {
        screen::line(say([
            "  – nenhum módulo instalado",
            "  – no module is installed",
            "  – ningún módulo instalado",
        ]));
    }
    for examined in &facts.modules {
        show_module(facts, examined);
    }
    if !facts.left_out.is_empty() {
        screen::line(say(["  Não usados:", "  Not used:", "  No usados:"]));
    }
    for left in &facts.left_out {
        screen::line(&format!("    – {}", modules::left_out(left)));
    }
}

fn show_module(facts: &Facts, examined: &Examined) {
    let language = language();
    let module = &examined.module;
    let mark = if examined.outcome.fault().is_some() { '✗' } else { '✓' };
    let origin = words::origin(language, &module.origin);
    screen::line(&format!("  {mark} {} ({}; {origin})", module.product, module.path.display()));
    match &examined.outcome {
        Outcome::Failed(error) => {
            // What happened in the person's words, where they are known.
            let incident = facts.now.and_then(|now| Incident::of(error, now));
            let detail = incident.map_or_else(|| error.to_string(), |it| words::incident(language, &it));
            screen::line(&format!("    {} [{}]", language.error(error.code()), error.code()));
            screen::line(&format!("    ({detail})"));
        }
        Outcome::Quarantined(held) => {
            screen::line(&format!("    {}", language.error(ErrorCode::ModuleQuarantined)));
            modules::show_incidents("    – ", &held.incidents);
        }
        Outcome::Works(tokens) if tokens.is_empty() => {
            screen::line(say([
                "    – não mostra nenhum token",
                "    – shows no token",
                "    – no muestra ningún token",
            ]));
        }
        Outcome::Works(tokens) => {
            for seen in tokens {
                show_token(facts, seen);
            }
        }
    }
    let product = known::products().iter().find(|product| product.name == module.product);
    let without_tokens = examined.tokens().next().is_none();
    if let Some(note) = product.and_then(|product| product.note).filter(|_| without_tokens) {
        screen::line(&format!("    {}", language.choose(words::note(note))));
    }
}

fn show_token(facts: &Facts, seen: &SeenToken) {
    let token = &seen.token;
    let pin = match (token.pin, token.pin_entry) {
        (PinState::Locked, _) => say(["PIN bloqueado", "PIN locked", "PIN bloqueado"]).to_owned(),
        (PinState::NotNeeded, _) => say(["sem PIN", "no PIN", "sin PIN"]).to_owned(),
        (PinState::Usable, PinEntry::Reader) => {
            say(["PIN digitado no leitor", "PIN typed on the reader", "PIN escrito en el lector"]).to_owned()
        }
        (PinState::Usable, PinEntry::Program) => match credential::tries_left(token.tries_left) {
            (words, Some(_)) => format!("PIN: {}", words.trim_end_matches('.')),
            (_, None) => say(["PIN utilizável", "PIN usable", "PIN utilizable"]).to_owned(),
        },
    };
    let mark = if token.pin == PinState::Locked { '✗' } else { '✓' };
    let label = if token.label.is_empty() { "?" } else { token.label.as_str() };
    let serial = say(["número de série", "serial number", "número de serie"]);
    screen::line(&format!("    {mark} {label} ({serial} {}); {pin}", token.serial));
    if let Err(error) = &seen.credentials {
        screen::line(&format!("      ✗ {} [{}]", language().error(error.code()), error.code()));
    }
    for (signer, verdict) in findings::certificates(seen, facts.now) {
        let holder = Holder::of(&signer.certificate);
        let number = holder.identifier.as_ref().map(|identifier| format!(" ({})", identifier.masked()));
        let zone = facts.now.map_or(0, Moment::offset_minutes);
        let until =
            Moment::new(signer.certificate.not_after(), zone).map(Moment::to_brazilian).unwrap_or_default();
        let (mark, may) = match verdict {
            Ok(()) => ('✓', say(["pode assinar", "may sign", "puede firmar"]).to_owned()),
            Err(code) => ('✗', format!("{} [{code}]", language().error(code))),
        };
        let valid = say(["válido até", "valid until", "válido hasta"]);
        screen::line(&format!(
            "      {mark} {}{}; {valid} {until}; {may}",
            holder.name,
            number.unwrap_or_default()
        ));
    }
}

/// The program to install for a known product.
fn software(product: &str) -> Option<&'static str> {
    let known = known::products().iter().find(|known| known.name == product);
    known.map(|known| known.software.as_str())
}

/// What is said of a module that cannot be loaded.
fn unusable(left: &LeftOut) -> Told {
    let language = language();
    let path = left.path.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let (why, origin) = (words::reason(language, &left.reason), words::origin(language, &left.origin));
    let remedy = match left.reason {
        Reason::Architecture(_) => sentences::MODULE_FOREIGN,
        Reason::Duplicate(_)
        | Reason::Missing
        | Reason::NotALibrary
        | Reason::NotNamed
        | Reason::P11Kit(_)
        | Reason::Relative
        | Reason::SameProduct(_)
        | Reason::Unreadable(_) => sentences::MODULE_MISPLACED,
    };
    let software = software(&left.product).unwrap_or(&left.product);
    told(language, sentences::MODULE_LEFT_OUT, remedy, &[&left.product, &path, &why, software, &origin])
}

/// A finding in the person's language.
pub(super) fn words(finding: &Finding) -> Told {
    let language = language();
    let plain = |[what, remedy]: [Sentence; 2], values: &[&str]| told(language, what, remedy, values);
    match finding {
        Finding::CanSign { count } => {
            told(language, sentences::CAN_SIGN, sentences::NOTHING, &[&count.to_string()])
        }
        Finding::CardService(CardService::Failed(words)) => plain(sentences::CARD_SERVICE_FAILED, &[words]),
        Finding::CardService(CardService::NotInstalled) => plain(sentences::CARD_SERVICE_NOT_INSTALLED, &[]),
        Finding::CardService(CardService::NotPermitted) => plain(sentences::CARD_SERVICE_NOT_PERMITTED, &[]),
        Finding::CardService(CardService::NotRunning | CardService::Running) => {
            plain(sentences::CARD_SERVICE_NOT_RUNNING, &[])
        }
        Finding::CardInUse { reader, programs } if programs.is_empty() => {
            plain(sentences::CARD_IN_USE_BY_SOMEBODY, &[reader])
        }
        Finding::CardInUse { reader, programs } => {
            plain(sentences::CARD_IN_USE, &[reader, &programs.join(", ")])
        }
        Finding::CardSilent { reader } => plain(sentences::CARD_SILENT, &[reader]),
        Finding::ModuleFailed { product, path, code: ErrorCode::ModuleQuarantined } => {
            plain(sentences::MODULE_QUARANTINED, &[product, path])
        }
        Finding::ModuleFailed { product, path, code } => {
            let software = software(product).unwrap_or(product);
            plain(sentences::MODULE_FAILED, &[product, path, language.error(*code), software])
        }
        Finding::ModuleUnusable(left) => unusable(left),
        Finding::ModuleNotInstalled { reader, product, software } => {
            plain(sentences::MODULE_NOT_INSTALLED, &[reader, product, software])
        }
        Finding::NoCard => plain(sentences::NO_CARD, &[]),
        Finding::NoCertificate { token } => plain(sentences::NO_CERTIFICATE, &[token]),
        Finding::NoModule { reader, atr } => plain(sentences::NO_MODULE, &[reader, &atr.to_string()]),
        Finding::NoReader { plugged } if plugged.is_empty() => plain(sentences::NO_READER, &[]),
        Finding::NoReader { plugged } => plain(sentences::NO_READER_BUT_PLUGGED, &[&plugged.join(", ")]),
        Finding::NoToken { reader, atr } => plain(sentences::NO_TOKEN, &[reader, &atr.to_string()]),
        Finding::NoneMaySign { token, code } => {
            let Told { what, remedy } = told_by_code(language, sentences::NONE_MAY_SIGN, *code, &[token]);
            Told { what, remedy: sentences::of_no_use(*code).map(|it| say(it).to_owned()).or(remedy) }
        }
        Finding::PinLocked { token } => {
            told_by_code(language, sentences::PIN_LOCKED, ErrorCode::PinLocked, &[token])
        }
        Finding::Sandboxed(sandbox) => plain(sentences::SANDBOXED, &[sandbox.as_str()]),
    }
}
