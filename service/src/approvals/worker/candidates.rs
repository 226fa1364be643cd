//! What can be chosen for one request, and the token hosts that hold the keys.
//!
//! Candidates of one file or module share a host. Each host has made the key that the secret is
//! sealed to; the secret itself is only ever handed through.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use signer_core::{cms::certificate::Certificate, credential::CredentialId, error::ErrorCode, trust};
use signer_ipc::{
    message::{Entry, Unlock},
    sealed::{KEY_LEN, SealedSecret},
    secret::Secret,
    token_host::{LastTry, Protection, TriesLeft},
};

use crate::{
    approvals::worker::Wanted,
    credentials::{CredentialStore, FoundCredential, OPENING, Source, refusal},
    ports::{CredentialState, ListedCredential},
    sign::Signer,
    token::{
        client::{
            HostCredential, HostProcess, PinEntry, PinState, SecretWanted, TokenDescription, TokenHost,
        },
        error::{Step, TokenError},
        unlock_tool::unlock_tool,
    },
};

/// How long a card is waited for that another program keeps for itself.
const COURTESY: Duration = Duration::from_secs(2);

pub(super) struct Candidates {
    store: CredentialStore,
    found: Vec<Candidate>,
    hosts: Vec<OpenHost>,
    processes: Processes,
}

struct Candidate {
    credential: FoundCredential,
    unlock: Unlock,
    /// Which host; none where no key is wanted.
    host: Option<usize>,
}

struct OpenHost {
    source: Source,
    host: TokenHost,
    key: [u8; KEY_LEN],
    /// The tokens of a module as they are now: a listing may be older than the last wrong PIN.
    tokens: Vec<TokenDescription>,
}

/// The processes of the hosts of one request, to be ended from elsewhere.
#[derive(Clone, Default)]
pub(super) struct Processes(Arc<Mutex<Vec<HostProcess>>>);

/// A key that works.
pub(super) struct Unlocked {
    /// Which candidate's.
    pub(super) choice: u32,
    host: usize,
    signer: Signer,
    /// For another signature.
    lasts: Lasts,
}

/// Whether a key works once more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lasts {
    No,
    Yes,
}

impl Unlocked {
    /// Which candidate it is, where its key wants its secret again before the next signature.
    pub(super) fn wants_secret_again(&self) -> Option<u32> {
        (self.lasts == Lasts::No).then_some(self.choice)
    }
}

impl Processes {
    /// Kills every host, whatever it is doing.
    pub(super) fn end(&self) {
        for process in self.entered().iter() {
            process.end();
        }
    }

    fn enter(&self, host: &TokenHost) {
        self.entered().push(host.process());
    }

    fn entered(&self) -> MutexGuard<'_, Vec<HostProcess>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Candidates {
    /// Finds what can be chosen, and opens the hosts of the keys that are wanted. Blocks. Every host is entered in `processes`.
    pub(super) fn find(
        store: CredentialStore,
        wanted: &Wanted,
        processes: Processes,
    ) -> Result<Self, ErrorCode> {
        let found = usable(&store, wanted)?;
        let end = Instant::now() + OPENING;
        let mut candidates = Self { store, found: Vec::new(), hosts: Vec::new(), processes };
        let mut failure = None;
        for credential in found {
            let added = match wanted {
                Wanted::Certificates => {
                    candidates.add_without_key(credential);
                    Ok(())
                }
                Wanted::Keys { .. } => candidates.add(credential, end),
            };
            if let Err(error) = added {
                tracing::warn!(code = error.code().as_str(), "a certificate cannot be offered");
                failure = failure.or(Some(error.code()));
            }
        }
        // A locked one is shown, so that the person learns of it, but not suggested.
        candidates.found.sort_by_key(|candidate| candidate.unlock.entry == Entry::Locked);
        if candidates.found.is_empty() {
            return Err(failure.unwrap_or(ErrorCode::CredentialNotFound));
        }
        Ok(candidates)
    }

    pub(super) fn credentials(&self) -> Vec<ListedCredential> {
        self.found.iter().map(|candidate| candidate.credential.listed.clone()).collect()
    }

    pub(super) fn unlocks(&self) -> Vec<Unlock> {
        self.found.iter().map(|candidate| candidate.unlock.clone()).collect()
    }

    /// Uses the secret for the key of this candidate, once, whatever comes of it.
    pub(super) fn unlock(
        &mut self,
        choice: u32,
        secret: Option<SealedSecret>,
        last_try: LastTry,
    ) -> Result<Unlocked, TokenError> {
        let unlocked = self.unlock_once(choice, secret, last_try);
        if let Err(error) = &unlocked {
            self.note(choice, Step::Unlock, Some(error));
        }
        unlocked
    }

    /// Takes note of what the module of this candidate did, if it has one.
    pub(super) fn note(&self, choice: u32, step: Step, error: Option<&TokenError>) {
        let candidate = usize::try_from(choice).ok().and_then(|index| self.found.get(index));
        if let Some(Source::Token { module, .. }) = candidate.map(|candidate| &candidate.credential.source) {
            self.store.note(module, step, error);
        }
    }

    fn unlock_once(
        &mut self,
        choice: u32,
        secret: Option<SealedSecret>,
        last_try: LastTry,
    ) -> Result<Unlocked, TokenError> {
        let (candidate, opened) = self.parts(choice)?;
        let token = token_of(&candidate.credential.source);
        match candidate.unlock.entry {
            Entry::Locked => return Err(TokenError::PinLocked),
            Entry::TokenAbsent => return Err(TokenError::Absent),
            Entry::Nothing if token.is_some() => {}
            // The reader or the keystore of the system unlocks it; nothing is typed here.
            Entry::Nothing | Entry::Reader => {
                let nothing = Secret::from_bytes(Vec::new()).map_err(|_| TokenError::SecretUnreadable)?;
                opened.host.unlock_as(token, &nothing, last_try)?;
            }
            Entry::Password | Entry::Pin => {
                let secret = secret.ok_or(TokenError::PinNeeded)?;
                opened.host.unlock_sealed(token, &secret, last_try)?;
            }
        }
        let wanted = &candidate.credential.listed.id;
        let signer = opened
            .host
            .credentials(token)?
            .into_iter()
            .find_map(|credential| signer(credential, wanted))
            .ok_or(TokenError::NoPrivateKey)?;
        let host = candidate.host.ok_or(TokenError::Unexpected)?;
        Ok(Unlocked { choice, host, signer, lasts: Lasts::Yes })
    }

    /// The host and the signer of a key that works, for one signature.
    pub(super) fn ready<'a>(
        &'a mut self,
        unlocked: &'a mut Unlocked,
    ) -> Option<(&'a mut TokenHost, &'a Signer)> {
        match unlocked.signer.credential.wants {
            SecretWanted::EachTime => unlocked.lasts = Lasts::No,
            SecretWanted::Once => {}
        }
        Some((&mut self.hosts.get_mut(unlocked.host)?.host, &unlocked.signer))
    }

    /// How the next secret for this candidate is given: with a new key, and as the token now is.
    pub(super) fn next_unlock(&mut self, choice: u32) -> Result<Unlock, TokenError> {
        let (candidate, opened) = self.parts(choice)?;
        opened.key = *opened.host.sealing_key()?.as_bytes();
        if let Source::Token { token, .. } = &mut candidate.credential.source {
            let now = opened.host.tokens()?;
            *token = now.into_iter().find(|known| same(known, token)).ok_or(TokenError::Absent)?;
        }
        candidate.unlock = unlock(&candidate.credential.source, opened.key);
        Ok(candidate.unlock.clone())
    }

    /// Whether the token of this candidate is there, with this very certificate. A host that
    /// fails is replaced by a new one.
    pub(super) fn is_present(&mut self, choice: u32) -> bool {
        let Ok((candidate, opened)) = self.parts(choice) else { return false };
        let wanted = candidate.credential.listed.id.clone();
        let Source::Token { token, .. } = &mut candidate.credential.source else { return true };
        if let Ok(found) = look(&mut opened.host, token, &wanted) {
            return found.map(|found| *token = found).is_some();
        }
        let source = candidate.credential.source.clone();
        if let Ok(mut fresh) = self.store.open_fresh(&source, Instant::now() + OPENING) {
            fresh.answer_until(None);
            self.processes.enter(&fresh);
            let Ok((_, opened)) = self.parts(choice) else { return false };
            opened.host = fresh;
        }
        false
    }

    /// A number that is another one after every change of readers and cards.
    pub(super) fn changes(&self) -> u64 {
        self.store.readers().number()
    }

    fn add_without_key(&mut self, credential: FoundCredential) {
        let unlock = plain(Entry::Nothing, None);
        self.found.push(Candidate { credential, unlock, host: None });
    }

    /// Opens it where it was found, or else where it is too. No secret is used yet.
    fn add(&mut self, mut credential: FoundCredential, end: Instant) -> Result<(), TokenError> {
        let mut failure = None;
        for source in std::iter::once(credential.source.clone()).chain(credential.others.clone()) {
            credential.source = source;
            match self.add_there(credential.clone(), end) {
                Ok(()) => return Ok(()),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or(TokenError::Unexpected))
    }

    fn add_there(&mut self, mut credential: FoundCredential, end: Instant) -> Result<(), TokenError> {
        let path = credential.source.path();
        let host = match self.hosts.iter().position(|opened| opened.source.path() == path) {
            Some(index) => index,
            None => {
                let mut host = self.store.open(&credential.source, end)?;
                self.processes.enter(&host);
                let key = *host.sealing_key()?.as_bytes();
                let tokens = if token_of(&credential.source).is_some() { host.tokens()? } else { Vec::new() };
                // From here on each step has its own time: a person types, a card works.
                host.answer_until(None);
                self.hosts.push(OpenHost { source: credential.source.clone(), host, key, tokens });
                self.hosts.len() - 1
            }
        };
        let opened = self.hosts.get(host).ok_or(TokenError::Unexpected)?;
        if let Source::Token { token, .. } = &mut credential.source {
            let now = opened.tokens.iter().find(|now| same(now, token)).ok_or(TokenError::Absent)?;
            token.clone_from(now);
        }
        let unlock = unlock(&credential.source, opened.key);
        self.found.push(Candidate { credential, unlock, host: Some(host) });
        Ok(())
    }

    fn parts(&mut self, choice: u32) -> Result<(&mut Candidate, &mut OpenHost), TokenError> {
        let index = usize::try_from(choice).map_err(|_| TokenError::Unexpected)?;
        let candidate = self.found.get_mut(index).ok_or(TokenError::Unexpected)?;
        let host = candidate.host.ok_or(TokenError::Unexpected)?;
        let opened = self.hosts.get_mut(host).ok_or(TokenError::Unexpected)?;
        Ok((candidate, opened))
    }
}

/// Those of all that fit and can sign, or why there is none. A card that another program keeps for
/// itself is waited for a moment: most give it back at once.
fn usable(store: &CredentialStore, wanted: &Wanted) -> Result<Vec<FoundCredential>, ErrorCode> {
    match fitting(store.find().found.to_vec(), wanted) {
        Err(ErrorCode::CredentialNotFound) if store.is_kept_from_us() => {}
        result => return result,
    }
    let end = Instant::now() + COURTESY;
    while store.is_kept_from_us() {
        if !store.readers().wait(end) {
            return Err(ErrorCode::TokenInUse);
        }
    }
    fitting(store.find().found.to_vec(), wanted)
}

fn fitting(mut found: Vec<FoundCredential>, wanted: &Wanted) -> Result<Vec<FoundCredential>, ErrorCode> {
    if let Wanted::Keys { certificate: Some(id) } = wanted {
        found.retain(|credential| credential.listed.id == *id);
    }
    let first = found.first().map(|credential| credential.listed.state);
    found.retain(|credential| credential.listed.state == CredentialState::Valid);
    if found.is_empty() {
        return Err(first.and_then(refusal).unwrap_or(ErrorCode::CredentialNotFound));
    }
    Ok(found)
}

fn unlock(source: &Source, key: [u8; KEY_LEN]) -> Unlock {
    match source {
        Source::File(_) | Source::Stored { protection: Protection::Password, .. } => {
            plain(Entry::Password, Some(key))
        }
        Source::Stored { protection: Protection::Keystore, .. } => plain(Entry::Nothing, None),
        Source::Token { module, token } => {
            let entry = match (token.pin, token.pin_entry) {
                (PinState::Locked, _) => Entry::Locked,
                (PinState::NotNeeded, _) => Entry::Nothing,
                (PinState::Usable, PinEntry::Program) => Entry::Pin,
                (PinState::Usable, PinEntry::Reader) => Entry::Reader,
            };
            let key = (entry == Entry::Pin).then_some(key);
            let unlock_tool = unlock_tool(&token.model, &token.manufacturer, module).map(str::to_owned);
            Unlock { entry, tries_left: token.tries_left, key, unlock_tool }
        }
    }
}

const fn plain(entry: Entry, key: Option<[u8; KEY_LEN]>) -> Unlock {
    Unlock { entry, tries_left: TriesLeft::Unknown, key, unlock_tool: None }
}

const fn token_of(source: &Source) -> Option<&TokenDescription> {
    match source {
        Source::File(_) | Source::Stored { .. } => None,
        Source::Token { token, .. } => Some(token),
    }
}

fn same(one: &TokenDescription, other: &TokenDescription) -> bool {
    one.serial == other.serial && one.label == other.label && one.model == other.model
}

/// The token that holds the wanted certificate, if it is there.
fn look(
    host: &mut TokenHost,
    known: &TokenDescription,
    wanted: &CredentialId,
) -> Result<Option<TokenDescription>, TokenError> {
    for token in host.tokens()? {
        if same(&token, known)
            && host.credentials(Some(&token))?.iter().any(|credential| is(credential, wanted))
        {
            return Ok(Some(token));
        }
    }
    Ok(None)
}

fn is(credential: &HostCredential, wanted: &CredentialId) -> bool {
    Certificate::from_der(&credential.certificate_der)
        .is_ok_and(|certificate| CredentialId::of(&certificate) == *wanted)
}

fn signer(credential: HostCredential, wanted: &CredentialId) -> Option<Signer> {
    let certificate = Certificate::from_der(&credential.certificate_der).ok()?;
    if CredentialId::of(&certificate) != *wanted {
        return None;
    }
    let pool: Vec<_> =
        credential.chain_der.iter().filter_map(|der| Certificate::from_der(der).ok()).collect();
    let chain = trust::order_chain(&certificate, &pool);
    Some(Signer { credential, certificate, chain })
}

/// How many tries are left, where the token gives a number.
pub(super) const fn count(tries_left: TriesLeft) -> Option<u32> {
    match tries_left {
        TriesLeft::Exactly(count) => Some(count),
        TriesLeft::Last => Some(1),
        TriesLeft::Low | TriesLeft::Unknown => None,
    }
}
