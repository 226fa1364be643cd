//! Many things found become one list: the same certificate once, the most useful one first.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{clock, credentials::FoundCredential, ports::CredentialState};

/// Each certificate once, where it was found first; the other places are kept beside.
pub(super) fn merged(found: Vec<FoundCredential>) -> Vec<FoundCredential> {
    let mut places = BTreeMap::new();
    let mut merged: Vec<FoundCredential> = Vec::new();
    for credential in found {
        let place = *places.entry(credential.listed.id.to_string()).or_insert(merged.len());
        match merged.get_mut(place) {
            Some(first) => {
                first.others.push(credential.source);
                first.others.extend(credential.others);
            }
            None => merged.push(credential),
        }
    }
    merged
}

/// Those that can sign now before the others, those of persons and companies before those that
/// name none, and what is valid longest first.
pub(super) fn sorted(mut found: Vec<FoundCredential>) -> Vec<FoundCredential> {
    found.sort_by_cached_key(|credential| {
        let listed = &credential.listed;
        (
            rank(listed.state),
            listed.holder.identifier.is_none(),
            Reverse(listed.certificate.not_after()),
            listed.id.to_string(),
        )
    });
    found
}

/// When the first of these certificates begins or ends to be valid; nothing where none does.
pub(super) fn next_change(found: &[FoundCredential]) -> Option<SystemTime> {
    let now = clock::now().ok()?.unix_seconds();
    let bounds = found.iter().flat_map(|credential| {
        let certificate = &credential.listed.certificate;
        [certificate.not_before(), certificate.not_after()]
    });
    // A certificate ends with the last second of its time.
    let next = bounds.filter(|bound| *bound >= now).min()?.checked_add(1)?;
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(next).ok()?))
}

const fn rank(state: CredentialState) -> u8 {
    match state {
        CredentialState::Valid => 0,
        CredentialState::TokenAbsent => 1,
        CredentialState::NotYetValid => 2,
        CredentialState::Expired => 3,
        CredentialState::NotForSigning => 4,
    }
}
