//! What can sign here: the A1 credentials that the person registered, and the tokens of every PKCS#11
//! module that is known or configured. All of it is reached through token hosts.
//!
//! What was found is kept until an event says that it may have changed. A module that was loaded
//! to be looked at stays loaded for a while, so that a request that follows does not wait for it
//! again. A host that took a secret is never used for anything else.

pub mod folder;
mod hosts;
pub mod listing;
mod order;
pub mod registered;
pub mod sources;
pub mod store;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use futures_util::future::{BoxFuture, FutureExt as _};
use signer_core::{
    approval::summary::Storage,
    cms::certificate::Certificate,
    credential::{CredentialError, CredentialId, Holder, check_for_signing},
    error::ErrorCode,
    trust,
};
use signer_ipc::token_host::Protection;

use crate::{
    clock,
    config::Config,
    credentials::{
        folder::Folder,
        hosts::Hosts,
        listing::{Basis, Linked, Listing, Looked, Memory, Told},
        registered::Registered,
    },
    ports::{CredentialState, Credentials, ListedCredential},
    token::{
        client::{HostCredential, TokenDescription, TokenHost},
        error::{Step, TokenError},
        modules::{
            self, Cards, Installed,
            atr::Atr,
            discovery::Places,
            quarantine::{Incident, Quarantine},
        },
        reader::{
            Reader, ReaderError, Sharing, programs,
            watch::{News, ReaderWatch, Sight},
        },
    },
};

/// How long a search may take, over all modules. What was found by then is used.
const SEARCH: Duration = Duration::from_secs(20);
/// How long the hosts of the keys that can be chosen may take to open, all together.
pub const OPENING: Duration = Duration::from_secs(20);

/// Everything that can sign here. Clones are the same.
#[derive(Clone)]
pub struct CredentialStore(Arc<Inner>);

struct Inner {
    /// Where the person's registered A1 files are listed.
    file: PathBuf,
    linked: Linked,
    /// The folder of A1 files that is watched.
    folder: Option<Folder>,
    places: Places,
    quarantine: Quarantine,
    hosts: Hosts,
    search: Duration,
    readers: ReaderWatch,
    memory: Memory,
    /// Grows when all that is known is void.
    epoch: AtomicU64,
}

/// A credential, and where its key is reached.
#[derive(Debug, Clone)]
pub struct FoundCredential {
    /// What it is.
    pub listed: ListedCredential,
    /// Where it is.
    pub source: Source,
    /// Where else it is: other modules show the same token, or a file holds the same key.
    pub others: Vec<Source>,
}

/// Where a credential was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// An A1 file.
    File(PathBuf),
    /// A key of the private store.
    Stored {
        /// Its file.
        path: PathBuf,
        /// Under what it is encrypted.
        protection: Protection,
    },
    /// A token of a module.
    Token {
        /// The module.
        module: PathBuf,
        /// The token, as it described itself.
        token: TokenDescription,
    },
}

/// What one module shows.
struct Shown {
    found: Vec<FoundCredential>,
    told: Told,
}

impl Source {
    /// What a token host opens: the file, the stored key or the module.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Stored { path, .. } => path,
            Self::Token { module, .. } => module,
        }
    }

    /// Whether the file of a registered credential is there: a stick may be pulled out, a linked file moved away.
    /// A token is always where it was found.
    fn is_there(&self) -> bool {
        match self {
            Self::File(path) | Self::Stored { path, .. } => path.is_file(),
            Self::Token { .. } => true,
        }
    }
}

impl CredentialStore {
    /// A store over the file of registered credentials and the modules that are not in quarantine. Nothing is read or started yet. `program`
    /// is this program, to be started as token hosts.
    pub fn new(file: PathBuf, quarantine: Quarantine, program: PathBuf, config: &Config) -> Self {
        Self::searching(file, quarantine, program, config, SEARCH)
    }

    pub(crate) fn searching(
        file: PathBuf,
        quarantine: Quarantine,
        program: PathBuf,
        config: &Config,
        search: Duration,
    ) -> Self {
        Self(Arc::new(Inner {
            search,
            file,
            linked: Linked::default(),
            folder: config.credential_folder.clone().map(Folder::new),
            places: Places::of_login(config),
            quarantine,
            hosts: Hosts::new(program, config.idle),
            readers: ReaderWatch::default(),
            memory: Memory::default(),
            epoch: AtomicU64::new(0),
        }))
    }

    /// All of it, most useful first; the same certificate is listed once. Blocks: for some
    /// microseconds while nothing has changed, else for what the modules take and twenty seconds at
    /// most. The modules are asked side by side, so that one that hangs costs the others nothing.
    /// A file or module that fails, or has not answered when the search is over, is logged and
    /// left out.
    pub fn find(&self) -> Listing {
        self.0.memory.recall(|| self.basis(), |basis| self.look(&basis.sight))
    }

    /// Says that nothing that is known can be believed any more.
    pub fn forget(&self) {
        self.0.epoch.fetch_add(1, Ordering::Relaxed);
        self.0.hosts.end_kept();
    }

    /// The readers, and what is in them.
    pub fn readers(&self) -> &ReaderWatch {
        &self.0.readers
    }

    /// Whether a card is there that another program keeps for itself.
    pub fn is_kept_from_us(&self) -> bool {
        let kept = |reader: &Reader| reader.card.is_some() && reader.sharing == Sharing::Exclusive;
        self.0.readers.look().readers.iter().any(kept)
    }

    /// A host for this file or module, with it opened by `end`. Blocks no longer.
    ///
    /// # Errors
    /// Where it cannot be opened, or not in time.
    pub fn open(&self, source: &Source, end: Instant) -> Result<TokenHost, TokenError> {
        match source {
            Source::File(path) => self.0.hosts.open_file(path, end),
            Source::Stored { path, .. } => self.0.hosts.open_stored(path, end),
            Source::Token { module, .. } => self.0.hosts.open_module(module, end),
        }
    }

    /// A host for a module that has not been used for anything. Blocks as [`CredentialStore::open`].
    ///
    /// # Errors
    /// As [`CredentialStore::open`].
    pub fn open_fresh(&self, source: &Source, end: Instant) -> Result<TokenHost, TokenError> {
        match source {
            Source::File(path) => self.0.hosts.open_file(path, end),
            Source::Stored { path, .. } => self.0.hosts.open_stored(path, end),
            Source::Token { module, .. } => self.0.hosts.start_module(module, end),
        }
    }

    /// Kills every token host, whatever it is doing. Whoever asks one hears of a crash.
    pub fn end_hosts(&self) {
        self.0.hosts.end();
    }

    /// Lets all token hosts end, and kills those that have not after `patience`. For the end of the
    /// service. Blocks.
    pub fn close(&self, patience: Duration) {
        self.0.hosts.close(patience);
    }

    fn basis(&self) -> Basis {
        let (list, linked) = self.0.linked.stamps(&self.0.file);
        Basis {
            sight: self.0.readers.look(),
            list,
            linked,
            folder: self.0.folder.as_ref().map(Folder::look).unwrap_or_default(),
            epoch: self.0.epoch.load(Ordering::Relaxed),
            slept: clock::slept().as_secs(),
        }
    }

    fn look(&self, sight: &Sight) -> Looked {
        let end = Instant::now() + self.0.search;
        let mut found = self.registered();
        let mut told = Told::Yes;
        let mut modules = self.modules(sight);
        let asked = modules.len();
        // The last one is asked here: most people have one, and a thread would cost two wake-ups.
        let last = modules.pop();
        let (report, reports) = mpsc::channel();
        for (place, module) in modules.into_iter().enumerate() {
            let (store, report, sight) = (self.clone(), report.clone(), sight.clone());
            // Fails where the search is over.
            let look = move || drop(report.send((place, store.shown(&module, &sight, end))));
            if let Err(error) = thread::Builder::new().name("search".to_owned()).spawn(look) {
                tracing::error!(%error, "no thread to look at a module");
            }
        }
        drop(report);
        let last = last.map(|module| (asked, self.shown(&module, sight, end)));
        let mut of_modules: BTreeMap<_, _> = last.into_iter().collect();
        while let Ok((place, shown)) = reports.recv_timeout(end.saturating_duration_since(Instant::now())) {
            of_modules.insert(place, shown);
        }
        if of_modules.len() < asked || of_modules.values().any(|shown| shown.told == Told::InPart) {
            told = Told::InPart;
        }
        found.extend(of_modules.into_values().flat_map(|shown| shown.found));
        let found = order::sorted(order::merged(found));
        let until = order::next_change(&found);
        let listed = found.iter().map(|credential| credential.listed.clone()).collect();
        Looked { listing: Listing { found: found.into(), listed }, told, until }
    }

    fn registered(&self) -> Vec<FoundCredential> {
        let registered = Registered::read(&self.0.file).unwrap_or_else(|error| {
            tracing::warn!(%error, "registered certificates are left out");
            Registered::default()
        });
        sources::of_list(&registered, &self.0.file, self.0.folder.as_ref())
            .into_iter()
            .filter(|(_, _, source)| source.is_there())
            .filter_map(|(entry, place, source)| {
                let listed = listed(&entry.certificate, &entry.chain, Storage::A1, place)?;
                Some(FoundCredential::at(source, listed))
            })
            .collect()
    }

    /// The modules to ask, in their order: those that may serve a card that is there, and those
    /// whose tokens are no cards; none that is in quarantine.
    fn modules(&self, sight: &Sight) -> Vec<Installed> {
        let installed = self.0.places.discover().installed;
        let cards = sight.readers.iter().filter_map(|reader| Atr::new(reader.card.as_deref()?));
        let fitting: Vec<Installed> = match &sight.news {
            News::None(ReaderError::Failed(_)) => installed,
            News::Events | News::None(_) | News::Polling => {
                modules::fitting(&installed, &cards.collect::<Vec<_>>()).into_iter().cloned().collect()
            }
        };
        fitting.into_iter().filter(|module| !self.is_in_quarantine(module)).collect()
    }

    fn is_in_quarantine(&self, module: &Installed) -> bool {
        let quarantined = self.0.quarantine.reason(&module.path).is_some();
        if quarantined {
            tracing::warn!(product = %module.product, "a module is in quarantine and left out");
        }
        quarantined
    }

    /// Takes note of what a module did: it worked up to `step`, or failed.
    pub(crate) fn note(&self, module: &Path, step: Step, error: Option<&TokenError>) {
        let incident = error.and_then(|error| Incident::of(error, clock::now().ok()?));
        let noted = match (error, incident) {
            (_, Some(incident)) => self.0.quarantine.failed(module, incident),
            (None, None) => self.0.quarantine.worked(module, step),
            (Some(_), None) => Ok(()),
        };
        if let Err(error) = noted {
            tracing::warn!(%error, "what a module did is not written down");
        }
    }

    /// What a module shows. One that fails is logged, noted and left out.
    fn shown(&self, module: &Installed, sight: &Sight, end: Instant) -> Shown {
        let shown = self.of_module(module, sight, end);
        self.note(&module.path, Step::Credentials, shown.as_ref().err());
        shown.unwrap_or_else(|error| {
            tracing::warn!(code = error.code().as_str(), product = %module.product, "a module is left out");
            tracing::debug!(module = %module.path.display(), %error, "the module that is left out");
            Shown { found: Vec::new(), told: Told::InPart }
        })
    }

    fn of_module(&self, module: &Installed, sight: &Sight, end: Instant) -> Result<Shown, TokenError> {
        let mut look = self.0.hosts.look(&module.path, end)?;
        let in_reader = |token: &TokenDescription| {
            // A slot's description has room for 64 bytes of a reader's name.
            let is = |reader: &Reader| !token.reader.is_empty() && reader.name.starts_with(&token.reader);
            sight.readers.iter().any(is)
        };
        // What such a module does not show yet may come without a card.
        let mut told = look.tokens().iter().all(in_reader)
            && (module.cards != Cards::Independent || !look.tokens().is_empty());
        let mut found = Vec::new();
        for (token, credentials) in look.by_ref() {
            match credentials {
                Ok(credentials) => {
                    found.extend(credentials.iter().filter_map(|one| of_token(one, &module.path, &token)));
                }
                Err(error @ (TokenError::Absent | TokenError::Failed { .. } | TokenError::Removed)) => {
                    tracing::warn!(code = error.code().as_str(), "a token is left out");
                    told = false;
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(host) = look.into_host() {
            self.0.hosts.keep(&module.path, host);
        }
        Ok(Shown { found, told: if told { Told::Yes } else { Told::InPart } })
    }
}

impl Credentials for CredentialStore {
    fn card_programs(&self) -> BoxFuture<'_, Vec<String>> {
        async {
            let programs = tokio::task::spawn_blocking(programs::card_programs).await.unwrap_or_default();
            programs.into_iter().collect()
        }
        .boxed()
    }

    fn list(&self) -> BoxFuture<'_, Arc<[ListedCredential]>> {
        let store = self.clone();
        async move { tokio::task::spawn_blocking(move || store.find()).await.unwrap_or_default().listed }
            .boxed()
    }
}

impl FoundCredential {
    const fn at(source: Source, listed: ListedCredential) -> Self {
        Self { listed, source, others: Vec::new() }
    }
}

fn of_token(credential: &HostCredential, module: &Path, token: &TokenDescription) -> Option<FoundCredential> {
    let place = Some(token.label.clone()).filter(|label| !label.is_empty());
    let listed = listed(&credential.certificate_der, &credential.chain_der, Storage::A3, place)?;
    Some(FoundCredential::at(Source::Token { module: module.to_owned(), token: token.clone() }, listed))
}

/// A certificate as it is listed; nothing where it cannot be read.
fn listed(
    der: &[u8],
    chain: &[Vec<u8>],
    storage: Storage,
    place: Option<String>,
) -> Option<ListedCredential> {
    let certificate = Certificate::from_der(der).ok()?;
    let pool: Vec<_> = chain.iter().filter_map(|der| Certificate::from_der(der).ok()).collect();
    Some(ListedCredential {
        id: CredentialId::of(&certificate),
        chain: trust::order_chain(&certificate, &pool),
        holder: Holder::of(&certificate),
        state: state(&certificate),
        certificate,
        storage,
        place,
    })
}

/// Whether it may sign now. Without a clock nothing is refused here: signing asks again.
fn state(certificate: &Certificate) -> CredentialState {
    let Ok(now) = clock::now() else { return CredentialState::Valid };
    match check_for_signing(certificate, now) {
        Ok(_) => CredentialState::Valid,
        Err(CredentialError::Expired { .. }) => CredentialState::Expired,
        Err(CredentialError::NotYetValid { .. }) => CredentialState::NotYetValid,
        Err(CredentialError::Key(_) | CredentialError::NotEndEntity | CredentialError::NotForSigning) => {
            CredentialState::NotForSigning
        }
    }
}

/// Why a credential in this state cannot sign; nothing where it can.
pub const fn refusal(state: CredentialState) -> Option<ErrorCode> {
    match state {
        CredentialState::Expired => Some(ErrorCode::CredentialExpired),
        CredentialState::NotForSigning => Some(ErrorCode::CredentialNotForSigning),
        CredentialState::NotYetValid => Some(ErrorCode::CredentialNotYetValid),
        CredentialState::TokenAbsent => Some(ErrorCode::TokenAbsent),
        CredentialState::Valid => None,
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
