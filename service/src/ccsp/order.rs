//! From what a client sends to what is asked of the person: whatever can be refused without
//! asking is refused here.

use std::sync::Arc;

use signer_core::{
    approval::summary,
    credential::CredentialId,
    error::ErrorCode,
    pades::prepare::{PageChoice, Target},
    pdf::{
        permission::{Permission, SignatureType},
        revision::rules::Visibility,
    },
    seal::Placement,
};

use crate::{
    ccsp::{
        Shared, dto,
        problem::Problem,
        spool::{Facts, Spooled},
        work::{Drawn, PadesWork, RawWork, Seal, Slot, Style},
    },
    ports::{CredentialState, SigningJob},
};

/// The most items of one request.
const MOST_ITEMS: usize = 100;
/// The longest name, reason or place, in characters.
const LONGEST_TEXT: usize = 255;

/// One thing to sign, with its name.
pub(super) enum Item {
    /// A document in the spool.
    Document { name: String, document: Arc<Spooled> },
    /// A digest.
    Digest { name: String, digest: signer_core::digest::Digest },
}

/// Refuses requests that have no items, too many, or of the wrong kind.
pub(super) fn check_items(request: &dto::SignatureRequest) -> Result<(), Problem> {
    if request.items.is_empty() {
        return Err(malformed("items is empty"));
    }
    if request.items.len() > MOST_ITEMS {
        return Err(malformed(format!("there are more than {MOST_ITEMS} items")));
    }
    for (index, item) in request.items.iter().enumerate() {
        check_name(&item.name).map_err(|what| malformed(format!("items[{index}].name {what}")))?;
        let fits = match request.format {
            dto::Format::Pades => item.document.is_some() && item.digest.is_none(),
            dto::Format::Raw => item.digest.is_some() && item.document.is_none(),
        };
        if !fits {
            return Err(malformed(format!(
                "items[{index}] must have a document for pades, a digest for raw, and not the other"
            )));
        }
    }
    if request.format == dto::Format::Raw && request.options.is_some() {
        return Err(malformed("options belong to pades"));
    }
    Ok(())
}

/// How documents are signed.
pub(super) fn style(options: &dto::Options) -> Result<Style, Problem> {
    if options.field.is_some() && options.new_field.is_some() {
        return Err(malformed("field and newField exclude each other"));
    }
    for (text, what) in [(&options.reason, "reason"), (&options.location, "location")] {
        if text.as_ref().is_some_and(|text| text.chars().count() > LONGEST_TEXT) {
            return Err(malformed(format!("{what} is longer than {LONGEST_TEXT} characters")));
        }
    }
    let target = match &options.field {
        Some(name) => Target::ExistingField { name: name.clone() },
        None => Target::NewField {
            name: options.new_field.clone(),
            page: options.seal_page.map_or(PageChoice::LAST, PageChoice::of_number),
            placement: placement(options)?,
        },
    };
    Ok(Style {
        digest: options.digest_algorithm.map(dto::DigestName::algorithm),
        signature_type: match options.certify {
            dto::Certify::Annotations => SignatureType::Certification(Permission::Annotations),
            dto::Certify::FormFilling => SignatureType::Certification(Permission::FormFilling),
            dto::Certify::ItiReference => SignatureType::DocMdpReference,
            dto::Certify::NoChanges => SignatureType::Certification(Permission::NoChanges),
            dto::Certify::None => SignatureType::Approval,
        },
        target,
        seal: match options.seal {
            None => Seal::UsualWherePermitted,
            Some(dto::Seal::Default) => Seal::Usual,
            Some(dto::Seal::None) => Seal::None,
        },
        reason: written(options.reason.as_deref()),
        location: written(options.location.as_deref()),
    })
}

/// Where the seal stands.
fn placement(options: &dto::Options) -> Result<Placement, Problem> {
    let wrong = |what: &'static str| move |error| malformed(format!("{what}: {error}"));
    let placement = match &options.seal_at {
        Some(text) => text.parse().map_err(wrong("sealAt"))?,
        None => Placement::default(),
    };
    match &options.seal_size {
        Some(text) => {
            let size = text.parse().map_err(wrong("sealSize"))?;
            placement.sized(size).map_err(wrong("sealSize"))
        }
        None => Ok(placement),
    }
}

/// The style with the reason that the documents' field leaves no choice about, where the client
/// gave none: the person is shown it, and it is signed.
pub(super) fn with_reason(style: Style, items: &[Item]) -> Style {
    let Target::ExistingField { name } = &style.target else { return style };
    if style.reason.is_some() {
        return style;
    }
    let mut reasons = items.iter().map(|item| match item {
        Item::Document { document, .. } => document.facts.reasons.get(name),
        Item::Digest { .. } => None,
    });
    // What differs between documents cannot be shown as one reason: each says so when it is signed.
    let first = reasons.next().flatten();
    let same = reasons.all(|reason| reason == first);
    let reason = first.filter(|reason| same && summary::clean(reason) == **reason).cloned();
    Style { reason, ..style }
}

/// The certificate that is named, where one is: it must be there and be able to sign.
pub(super) async fn certificate(shared: &Shared, id: Option<&str>) -> Result<Option<CredentialId>, Problem> {
    let Some(id) = id else { return Ok(None) };
    let listed = shared.credentials.list().await;
    let found = listed.iter().find(|listed| listed.id.to_string() == id);
    let found = found.ok_or(ErrorCode::CredentialNotFound)?;
    match found.state {
        CredentialState::Expired => Err(ErrorCode::CredentialExpired.into()),
        CredentialState::NotForSigning => Err(ErrorCode::CredentialNotForSigning.into()),
        CredentialState::NotYetValid => Err(ErrorCode::CredentialNotYetValid.into()),
        CredentialState::TokenAbsent | CredentialState::Valid => Ok(Some(found.id.clone())),
    }
}

/// The jobs for the person, and where their products will lie, in the order of the items.
pub(super) fn jobs(items: &[Item], style: &Arc<Style>) -> Result<(Vec<SigningJob>, Vec<Slot>), Problem> {
    let mut jobs = Vec::new();
    let mut slots = Vec::new();
    for item in items {
        let slot = Slot::default();
        jobs.push(match item {
            Item::Document { name, document } => {
                let seal = permitted(style, &document.facts)?;
                let lock = lock(style, &document.facts);
                SigningJob {
                    document: summary::Document {
                        name: name.clone(),
                        content: summary::Content::Pades {
                            size: document.facts.size,
                            pages: document.facts.pages,
                            seal_page: seal_page(style, seal, &document.facts)?,
                            lock,
                        },
                        digest: document.digest.clone(),
                    },
                    work: Box::new(PadesWork {
                        document: Arc::clone(document),
                        slot: slot.clone(),
                        style: Arc::clone(style),
                        seal,
                        lock,
                    }),
                }
            }
            Item::Digest { name, digest } => SigningJob {
                document: summary::Document {
                    name: name.clone(),
                    content: summary::Content::Raw,
                    digest: digest.clone(),
                },
                work: Box::new(RawWork { digest: digest.clone(), slot: slot.clone() }),
            },
        });
        slots.push(slot);
    }
    Ok((jobs, slots))
}

/// A name as the person is shown it. What is shown and told is one and the same.
pub(super) fn shown(name: &str) -> String {
    summary::clean(name)
}

/// A text as the person is shown it and as it is written in the signature: nothing hidden is
/// signed. A text of which nothing can be seen is none.
fn written(text: Option<&str>) -> Option<String> {
    text.map(summary::clean).filter(|text| !text.trim().is_empty())
}

/// A name that can be shown.
pub(super) fn check_name(name: &str) -> Result<(), &'static str> {
    if summary::clean(name).trim().is_empty() {
        return Err("is empty");
    }
    if name.chars().count() > LONGEST_TEXT {
        return Err("is longer than 255 characters");
    }
    Ok(())
}

/// A request that does not fit the contract.
pub(super) fn malformed(detail: impl Into<String>) -> Problem {
    Problem::new(ErrorCode::RequestMalformed).with_detail(detail)
}

/// Whether a seal is drawn; refuses what the document does not take, as far as it is known before.
fn permitted(style: &Style, facts: &Facts) -> Result<Drawn, Problem> {
    let existing = matches!(style.target, Target::ExistingField { .. });
    let drawn = match style.seal {
        Seal::UsualWherePermitted if !existing && facts.permission.is_some() => Drawn::None,
        Seal::Usual | Seal::UsualWherePermitted => Drawn::Usual,
        Seal::None => Drawn::None,
    };
    let visibility = match drawn {
        Drawn::None => Visibility::Unseen,
        Drawn::Usual => Visibility::Seen,
    };
    let checked = facts.rules.check(style.target.field(), style.signature_type, visibility);
    checked.map(|_| drawn).map_err(|error| error.code().into())
}

/// What the person is told of the lock of the field: a certification says no less.
fn lock(style: &Style, facts: &Facts) -> Option<Permission> {
    match (&style.target, style.signature_type) {
        (Target::ExistingField { name }, SignatureType::Approval) => facts.locks.get(name).copied(),
        (Target::ExistingField { .. } | Target::NewField { .. }, _) => None,
    }
}

/// The page of the seal, where it is known before; refuses pages that are not there, and places
/// that are not on the page, of which the size is known of the first ones.
fn seal_page(style: &Style, seal: Drawn, facts: &Facts) -> Result<Option<u32>, Problem> {
    let Target::NewField { page, placement, .. } = &style.target else { return Ok(None) };
    let number = page.number(facts.pages).map_err(|error| Problem::from(error.code()))?;
    if seal == Drawn::None {
        return Ok(None);
    }
    let index = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    if let Some(size) = facts.page_sizes.get(index) {
        placement
            .check(size.width, size.height)
            .map_err(|error| Problem::new(error.code()).with_detail(error.to_string()))?;
    }
    Ok(Some(number))
}
