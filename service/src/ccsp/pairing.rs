//! Pairings: who was let in, and who never is.
//!
//! A pairing is a bearer secret bound to a client. Only its SHA-256 is kept, in a file of the
//! person's that is replaced in one step, or in memory where it ends with the service.

use std::{
    collections::HashMap,
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};
use signer_core::{approval::summary::Scope, digest::DigestAlgorithm, error::ErrorCode};
use signer_ipc::message::Lasting;

use crate::{
    ccsp::{client::Binding, id},
    file::bounded,
};

/// The version of the file.
const VERSION: u32 = 1;
/// The longest file in bytes.
const LONGEST: u64 = 16 << 20;
/// What a bearer secret begins with, so that one that leaks is recognised by scanners.
const PREFIX: &str = "ccsp_";
/// How long a pairing holds that the person gave "always": a year.
const ALWAYS_SECONDS: i64 = 365 * 86_400;
/// How long a pairing holds that the person gave "once", where the service lives that long.
const ONCE_SECONDS: i64 = 12 * 3600;

/// The pairings of this login. Calls may read or write the file, and block then.
#[derive(Debug)]
pub struct PairingStore {
    path: PathBuf,
    state: Mutex<State>,
}

/// Somebody who was let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairing {
    /// Which.
    pub number: PairingNumber,
    /// Who.
    pub client: Binding,
    /// For what.
    pub scopes: Vec<Scope>,
    /// Since when, in seconds since the epoch.
    pub created: i64,
    /// Until when, in seconds since the epoch.
    pub expires: i64,
}

/// A pairing's number while the service runs; tells nothing of its secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PairingNumber(u64);

#[derive(Debug, Default)]
struct State {
    loaded: bool,
    /// Where a damaged file was put.
    set_aside: Option<PathBuf>,
    entries: Vec<Entry>,
    /// Clients that are never let in.
    refused: Vec<Binding>,
    /// Clients that were refused once, and when.
    recently: HashMap<Binding, Instant>,
    next: u64,
}

#[derive(Debug, Clone)]
struct Entry {
    secret: SecretDigest,
    pairing: Pairing,
    lasting: Lasting,
}

/// The SHA-256 of a bearer secret. Secrets are random, so its search needs no constant time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SecretDigest([u8; 32]);

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stored {
    version: u32,
    pairings: Vec<StoredPairing>,
    refused: Vec<Binding>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StoredPairing {
    secret_digest: String,
    client: Binding,
    scopes: Vec<String>,
    created: i64,
    expires: i64,
}

impl PairingStore {
    /// The pairings in the file at `path`, which need not exist and is not read yet.
    pub fn new(path: PathBuf) -> Self {
        Self { path, state: Mutex::new(State::default()) }
    }

    /// Lets a client in and returns its bearer secret, which is nowhere else.
    ///
    /// # Errors
    /// `internal` where there is no randomness or the file cannot be written; the client is not
    /// let in then.
    pub(super) fn allow(
        &self,
        client: &Binding,
        scopes: Vec<Scope>,
        lasting: Lasting,
        now: i64,
    ) -> Result<(String, Pairing), ErrorCode> {
        let secret = format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(id::random::<32>()?));
        let mut state = self.loaded(now)?;
        let seconds = match lasting {
            Lasting::Always => ALWAYS_SECONDS,
            Lasting::Once => ONCE_SECONDS,
        };
        let pairing = Pairing {
            number: state.number(),
            client: client.clone(),
            scopes,
            created: now,
            expires: now.saturating_add(seconds),
        };
        let entry = Entry { secret: SecretDigest::of(&secret), pairing: pairing.clone(), lasting };
        let refused = state.refused.clone();
        state.entries.push(entry);
        state.refused.retain(|refused| refused != client);
        let to_be_kept = lasting == Lasting::Always || state.refused != refused;
        if to_be_kept && let Err(code) = self.save(&state) {
            state.entries.pop();
            state.refused = refused;
            return Err(code);
        }
        state.recently.remove(client);
        Ok((secret, pairing))
    }

    /// Remembers a no: for a minute, or for ever.
    ///
    /// # Errors
    /// `internal` where "for ever" cannot be written down.
    pub(super) fn refuse(&self, client: &Binding, lasting: Lasting, now: i64) -> Result<(), ErrorCode> {
        let mut state = self.loaded(now)?;
        state.recently.insert(client.clone(), Instant::now());
        match lasting {
            Lasting::Always if !state.refused.contains(client) => {
                state.refused.push(client.clone());
                self.save(&state)
            }
            Lasting::Always | Lasting::Once => Ok(()),
        }
    }

    /// Whether a client was refused for ever, or within the last `memory`.
    ///
    /// # Errors
    /// `internal` where the file cannot be read.
    pub(super) fn is_refused(&self, client: &Binding, memory: Duration, now: i64) -> Result<bool, ErrorCode> {
        let mut state = self.loaded(now)?;
        state.recently.retain(|_, at| at.elapsed() < memory);
        Ok(state.recently.contains_key(client) || state.refused.contains(client))
    }

    /// The pairing of a bearer secret, where it is this client's and has not ended.
    ///
    /// # Errors
    /// `internal` where the file cannot be read.
    pub(super) fn find(
        &self,
        secret: &str,
        client: &Binding,
        now: i64,
    ) -> Result<Option<Pairing>, ErrorCode> {
        let digest = SecretDigest::of(secret);
        let state = self.loaded(now)?;
        let entry = state.entries.iter().find(|entry| entry.secret == digest);
        let fits = |entry: &&Entry| entry.pairing.client == *client && entry.pairing.expires > now;
        Ok(entry.filter(fits).map(|entry| entry.pairing.clone()))
    }

    /// Ends a pairing.
    ///
    /// # Errors
    /// `internal` where the file cannot be written; the pairing is ended while the service runs.
    pub fn end(&self, number: PairingNumber, now: i64) -> Result<(), ErrorCode> {
        let mut state = self.loaded(now)?;
        state.entries.retain(|entry| entry.pairing.number != number);
        self.save(&state)
    }

    /// All pairings, and those who are never let in.
    ///
    /// # Errors
    /// `internal` where the file cannot be read.
    pub fn list(&self, now: i64) -> Result<(Vec<Pairing>, Vec<Binding>), ErrorCode> {
        let state = self.loaded(now)?;
        Ok((state.entries.iter().map(|entry| entry.pairing.clone()).collect(), state.refused.clone()))
    }

    /// Where the file was put when it was found damaged, if it was.
    pub fn set_aside(&self) -> Option<PathBuf> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).set_aside.clone()
    }

    /// Takes a "never" back.
    ///
    /// # Errors
    /// `internal` where the file cannot be written.
    pub fn forgive(&self, client: &Binding, now: i64) -> Result<(), ErrorCode> {
        let mut state = self.loaded(now)?;
        state.refused.retain(|refused| refused != client);
        state.recently.remove(client);
        self.save(&state)
    }

    /// The state, read from the file the first time and rid of what has ended.
    fn loaded(&self, now: i64) -> Result<std::sync::MutexGuard<'_, State>, ErrorCode> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.loaded {
            match read(&self.path) {
                Ok(Some(stored)) => state.take(stored),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    // Nobody is let in by what cannot be read; the person is asked again.
                    tracing::warn!("the file of pairings is damaged; it is set aside");
                    let aside = self.path.with_extension("damaged");
                    fs::rename(&self.path, &aside).map_err(|error| unusable(&error))?;
                    state.set_aside = Some(aside);
                }
                Err(error) => return Err(unusable(&error)),
            }
            state.loaded = true;
        }
        state.entries.retain(|entry| entry.pairing.expires > now);
        Ok(state)
    }

    /// Replaces the file in one step. Only the person may read it.
    fn save(&self, state: &State) -> Result<(), ErrorCode> {
        let lasting = state.entries.iter().filter(|entry| entry.lasting == Lasting::Always);
        let stored = Stored {
            version: VERSION,
            pairings: lasting.map(StoredPairing::from).collect(),
            refused: state.refused.clone(),
        };
        write(&self.path, &stored).map_err(|error| unusable(&error))
    }
}

impl Pairing {
    /// Whether it permits this.
    pub fn permits(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl State {
    fn number(&mut self) -> PairingNumber {
        self.next += 1;
        PairingNumber(self.next)
    }

    fn take(&mut self, stored: Stored) {
        for stored in stored.pairings {
            let Some(secret) = SecretDigest::parse(&stored.secret_digest) else { continue };
            let scopes = stored.scopes.iter().filter_map(|scope| parse_scope(scope)).collect();
            let pairing = Pairing {
                number: self.number(),
                client: stored.client,
                scopes,
                created: stored.created,
                expires: stored.expires,
            };
            self.entries.push(Entry { secret, pairing, lasting: Lasting::Always });
        }
        self.refused = stored.refused;
    }
}

impl SecretDigest {
    fn of(secret: &str) -> Self {
        let digest = DigestAlgorithm::Sha256.digest(secret.as_bytes());
        let mut bytes = [0; 32];
        for (to, from) in bytes.iter_mut().zip(digest.as_bytes()) {
            *to = *from;
        }
        Self(bytes)
    }

    fn parse(text: &str) -> Option<Self> {
        BASE64_URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok().map(Self)
    }
}

impl From<&Entry> for StoredPairing {
    fn from(entry: &Entry) -> Self {
        Self {
            secret_digest: BASE64_URL_SAFE_NO_PAD.encode(entry.secret.0),
            client: entry.pairing.client.clone(),
            scopes: entry.pairing.scopes.iter().map(|scope| scope.as_str().to_owned()).collect(),
            created: entry.pairing.created,
            expires: entry.pairing.expires,
        }
    }
}

fn parse_scope(text: &str) -> Option<Scope> {
    [Scope::Certificates, Scope::Sign].into_iter().find(|scope| scope.as_str() == text)
}

fn read(path: &Path) -> io::Result<Option<Stored>> {
    let bytes = match bounded::read(path, LONGEST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let stored: Stored = serde_json::from_slice(&bytes).map_err(|_| io::ErrorKind::InvalidData)?;
    if stored.version != VERSION {
        return Err(io::ErrorKind::InvalidData.into());
    }
    Ok(Some(stored))
}

fn write(path: &Path, stored: &Stored) -> io::Result<()> {
    let directory = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    // A temporary file is made with mode 0600.
    let mut file = tempfile::Builder::new().prefix(".pairings-").tempfile_in(directory)?;
    file.write_all(&serde_json::to_vec_pretty(stored)?)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn unusable(error: &io::Error) -> ErrorCode {
    tracing::error!(kind = ?error.kind(), "the file of pairings cannot be used");
    ErrorCode::Internal
}

#[cfg(test)]
mod tests;
