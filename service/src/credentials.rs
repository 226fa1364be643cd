//! What can sign here: the A1 credentials that the person registered, and the tokens of every PKCS#11
//! module that is known or configured. All of it is reached through token hosts.
//!
//! A module that was loaded to be looked at stays loaded for a while, so that a request that
//! follows does not wait for it again. A host that took a secret is never used for anything else.

pub mod folder;
mod hosts;
pub mod registered;
pub mod sources;
pub mod store;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
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
    config::{Config, KnownModules},
    credentials::{folder::Folder, hosts::Hosts, registered::Registered},
    ports::{CredentialState, Credentials, ListedCredential},
    token::{
        client::{HostCredential, TokenDescription, TokenHost},
        error::TokenError,
        modules,
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
    /// The folder of A1 files that is watched.
    folder: Option<Folder>,
    configured: Vec<PathBuf>,
    known: KnownModules,
    hosts: Hosts,
    search: Duration,
}

/// A credential, and where its key is reached.
#[derive(Debug, Clone)]
pub struct FoundCredential {
    /// What it is.
    pub listed: ListedCredential,
    /// Where it is.
    pub source: Source,
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

impl Source {
    /// What a token host opens: the file, the stored key or the module.
    pub fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Stored { path, .. } => path,
            Self::Token { module, .. } => module,
        }
    }
}

impl CredentialStore {
    /// A store over the file of registered credentials. Nothing is read or started yet. `program`
    /// is this program, to be started as token hosts.
    pub fn new(file: PathBuf, program: PathBuf, config: &Config) -> Self {
        Self::searching(file, program, config, SEARCH)
    }

    pub(crate) fn searching(file: PathBuf, program: PathBuf, config: &Config, search: Duration) -> Self {
        Self(Arc::new(Inner {
            search,
            file,
            folder: config.credential_folder.clone().map(Folder::new),
            configured: config.modules.clone(),
            known: config.known_modules,
            hosts: Hosts::new(program, config.idle),
        }))
    }

    /// All of it: registered files first, then tokens; the same certificate is listed once. The
    /// modules are asked side by side, so that one that hangs costs the others nothing. A file or
    /// module that fails, or has not answered when the search is over, is logged and left out.
    /// Blocks, for twenty seconds at most.
    pub fn find(&self) -> Vec<FoundCredential> {
        let end = Instant::now() + self.0.search;
        let mut found = self.registered();
        let (report, reports) = mpsc::channel();
        for (place, module) in self.modules().into_iter().enumerate() {
            let (store, report) = (self.clone(), report.clone());
            let look = move || {
                let credentials = store.of_module(&module, end).unwrap_or_else(|error| {
                    tracing::warn!(code = error.code().as_str(), "a module is left out");
                    tracing::debug!(module = %module.display(), %error, "the module that is left out");
                    Vec::new()
                });
                // Fails where the search is over.
                let _ = report.send((place, credentials));
            };
            if let Err(error) = thread::Builder::new().name("search".to_owned()).spawn(look) {
                tracing::error!(%error, "no thread to look at a module");
            }
        }
        drop(report);
        let mut of_modules = BTreeMap::new();
        while let Ok((place, credentials)) =
            reports.recv_timeout(end.saturating_duration_since(Instant::now()))
        {
            of_modules.insert(place, credentials);
        }
        found.extend(of_modules.into_values().flatten());
        let mut seen = BTreeSet::new();
        found.retain(|credential| seen.insert(credential.listed.id.to_string()));
        found
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

    fn registered(&self) -> Vec<FoundCredential> {
        let registered = Registered::read(&self.0.file).unwrap_or_else(|error| {
            tracing::warn!(%error, "registered certificates are left out");
            Registered::default()
        });
        sources::of_list(&registered, &self.0.file, self.0.folder.as_ref())
            .into_iter()
            .filter_map(|(entry, place, source)| {
                let listed = listed(&entry.certificate, &entry.chain, Storage::A1, place)?;
                Some(FoundCredential { listed, source })
            })
            .collect()
    }

    fn modules(&self) -> Vec<PathBuf> {
        let known = match self.0.known {
            KnownModules::Ignored => Vec::new(),
            KnownModules::Used => modules::installed(),
        };
        let mut paths = self.0.configured.clone();
        paths.extend(known.into_iter().map(|module| module.path));
        let mut seen = BTreeSet::new();
        paths.retain(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())));
        paths
    }

    fn of_module(&self, module: &Path, end: Instant) -> Result<Vec<FoundCredential>, TokenError> {
        let mut host = self.0.hosts.open_module(module, end)?;
        let mut found = Vec::new();
        for token in host.tokens()? {
            match host.credentials(Some(&token)) {
                Ok(credentials) => {
                    found.extend(credentials.iter().filter_map(|one| of_token(one, module, &token)));
                }
                Err(error @ (TokenError::Absent | TokenError::Failed { .. } | TokenError::Removed)) => {
                    tracing::warn!(code = error.code().as_str(), "a token is left out");
                }
                Err(error) => return Err(error),
            }
        }
        self.0.hosts.keep(module, host);
        Ok(found)
    }
}

impl Credentials for CredentialStore {
    fn list(&self) -> BoxFuture<'_, Vec<ListedCredential>> {
        let store = self.clone();
        async move {
            let found = tokio::task::spawn_blocking(move || store.find()).await.unwrap_or_default();
            found.into_iter().map(|credential| credential.listed).collect()
        }
        .boxed()
    }
}

fn of_token(credential: &HostCredential, module: &Path, token: &TokenDescription) -> Option<FoundCredential> {
    let place = Some(token.label.clone()).filter(|label| !label.is_empty());
    let listed = listed(&credential.certificate_der, &credential.chain_der, Storage::A3, place)?;
    let source = Source::Token { module: module.to_owned(), token: token.clone() };
    Some(FoundCredential { listed, source })
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
