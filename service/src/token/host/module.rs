//! One PKCS#11 module, loaded: its tokens, their credentials, signatures.
//!
//! The module is called from one thread, and believed within bounds: so many slots, objects and
//! bytes, and no more.

mod objects;
mod pin;
mod raw;
mod signature;

use std::{collections::BTreeMap, io, path::Path};

use cryptoki::{
    context::{CInitializeArgs, CInitializeFlags, Pkcs11},
    error::{Error, RvError},
    session::Session,
    slot::Slot,
};
use signer_ipc::token_host::{Failure, MAX_PARTS, MAX_PARTS_LEN, Scheme, Token};

use crate::token::{
    architecture::{Library, Mismatch},
    host::{
        Listed,
        module::{pin::Kept, raw::Functions, signature::SignFailure},
        return_value::failure,
        verify::{self, Input},
    },
};

/// A loaded and initialised module.
pub(super) struct Module {
    slots: BTreeMap<u64, Opened>,
    /// What was listed, by the number that requests use.
    known: Vec<Known>,
    functions: Functions,
    client: Pkcs11,
}

/// A slot with an open session.
struct Opened {
    session: Session,
    label: String,
    logged_in: bool,
    /// Of the last login.
    kept: Kept,
}

/// A credential that was listed.
struct Known {
    slot: u64,
    certificate: Vec<u8>,
    key_id: Vec<u8>,
    read: objects::Read,
}

impl Module {
    /// Loads the library at `path` and initialises it.
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let unusable = |error: io::Error| {
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
                return Failure::ModuleNotFound;
            }
            Failure::ModuleUnusable { reason: error.to_string() }
        };
        // What is no library at all is left to the loader.
        if let Library::Foreign(Mismatch { found, expected, .. }) = Library::read(path).map_err(unusable)? {
            return Err(Failure::ModuleArchitecture { found, expected });
        }
        let client = Pkcs11::new(path).map_err(loading)?;
        initialise(&client)?;
        let functions = Functions::of(path).map_err(loading)?;
        Ok(Self { slots: BTreeMap::new(), known: Vec::new(), functions, client })
    }

    /// The initialised tokens that are present.
    pub(super) fn tokens(&mut self) -> Result<Vec<Token>, Failure> {
        let present = self.present()?;
        self.slots.retain(|slot, _| present.iter().any(|(token, _)| token.slot == *slot));
        Ok(present.into_iter().map(|(token, _)| token).collect())
    }

    /// What can sign, of one slot or of all.
    pub(super) fn credentials(&mut self, slot: Option<u64>) -> Result<Vec<Listed>, Failure> {
        let slots = match slot {
            Some(slot) => vec![Slot::try_from(slot).map_err(|_| Failure::TokenAbsent)?],
            None => self.present()?.into_iter().map(|(_, slot)| slot).collect(),
        };
        let mut listed = Vec::new();
        for slot in slots {
            self.open_slot(slot)?;
            let Some(opened) = self.slots.get(&slot.id()) else { continue };
            let known = |der: &[u8]| {
                let known = self.known.iter().find(|known| known.certificate == der)?;
                Some(known.read.clone())
            };
            let found = match objects::credentials(&self.functions, &opened.session, opened.logged_in, known)
            {
                Ok(found) => found,
                Err(error) => {
                    let failure = self.forget_if_gone(slot, failure(error));
                    return Err(failure);
                }
            };
            let label = opened.label.clone();
            let authorities = found.authorities;
            for credential in found.credentials {
                let issuers = authorities.iter().filter(|other| **other != credential.certificate);
                let issuers = issuers.cloned().collect();
                let certificate = credential.certificate.clone();
                let friendly_name = credential.label.clone();
                let always_authenticate = credential.always_authenticate;
                let id = self.remember(slot.id(), credential);
                listed.push(Listed {
                    id,
                    token_label: Some(label.clone()),
                    friendly_name,
                    certificate,
                    issuers,
                    always_authenticate,
                });
            }
        }
        Ok(tellable(listed))
    }

    /// Signs with a credential of [`Module::credentials`].
    pub(super) fn sign(
        &mut self,
        credential: u32,
        scheme: Scheme,
        input: Input<'_>,
    ) -> Result<Vec<u8>, Failure> {
        let index = usize::try_from(credential).map_err(|_| Failure::CredentialUnknown)?;
        let known = self.known.get(index).ok_or(Failure::CredentialUnknown)?;
        let slot = Slot::try_from(known.slot).map_err(failure)?;
        let mechanisms = self.client.get_mechanism_list(slot).map_err(failure)?;
        let opened = self.slots.get_mut(&known.slot).ok_or(Failure::TokenRemoved)?;
        let key = objects::private_key(&opened.session, &known.key_id, &known.read.public).map_err(failure);
        let signed = match key {
            Ok(Some(key)) if key.always_authenticate => {
                let kept = opened.kept_for_one();
                let (session, functions) = (&opened.session, &self.functions);
                signature::sign_authenticated(session, &mechanisms, key.handle, scheme, input, || {
                    pin::confirm(functions, slot, session, &kept)
                })
            }
            Ok(Some(key)) => signature::sign(&opened.session, &mechanisms, key.handle, scheme, input),
            Ok(None) if opened.logged_in => return Err(Failure::KeyMismatch),
            Ok(None) => return Err(Failure::PinNeeded),
            Err(failure) => return Err(self.forget_if_gone(slot, failure)),
        };
        let value = match signed {
            Ok(value) => value,
            Err(failed) => {
                self.renew_session(slot);
                return Err(match failed {
                    SignFailure::Login { error, before } => self.refused(slot, &before, error),
                    SignFailure::Sign(error) => self.forget_if_gone(slot, failure(error)),
                    SignFailure::Refused(failure) => failure,
                });
            }
        };
        verify::check(&known.read.public, scheme, input, &value)?;
        Ok(value)
    }

    /// Tokens with their slots. A slot whose token cannot be described is left out.
    fn present(&self) -> Result<Vec<(Token, Slot)>, Failure> {
        let slots = self.functions.slots_with_token().map_err(failure)?;
        Ok(slots.into_iter().filter_map(|slot| Some((self.describe(slot)?, slot))).collect())
    }

    fn describe(&self, slot: Slot) -> Option<Token> {
        let description = self.functions.describe(slot).ok()?;
        description.is_initialized().then(|| description.token(slot, self.functions.reader(slot)))
    }

    /// The slot that a request means: the one it names, or the only one. Only that one is looked at:
    /// with many tokens each look adds up.
    fn meant(&self, slot: Option<u64>) -> Result<Slot, Failure> {
        if let Some(slot) = slot {
            let slot = Slot::try_from(slot).map_err(|_| Failure::TokenAbsent)?;
            let there = self.functions.describe(slot).is_ok_and(|token| token.is_initialized());
            return if there { Ok(slot) } else { Err(Failure::TokenAbsent) };
        }
        let mut present = self.present()?.into_iter();
        match (present.next(), present.next()) {
            (Some((_, slot)), None) => Ok(slot),
            (None, _) => Err(Failure::TokenAbsent),
            (Some(_), Some(_)) => Err(Failure::Unexpected),
        }
    }

    fn open_slot(&mut self, slot: Slot) -> Result<(), Failure> {
        if let Some(opened) = self.slots.get(&slot.id()) {
            match opened.session.get_session_info() {
                Ok(_) => return Ok(()),
                // The card was taken out and put back: what was known of it is void.
                Err(_) => self.forget(slot),
            }
        }
        let description = self.functions.describe(slot).map_err(failure)?;
        if !description.is_initialized() {
            return Err(Failure::TokenAbsent);
        }
        let session = self.client.open_ro_session(slot).map_err(failure)?;
        let label = description.label().to_owned();
        let opened = Opened { session, label, logged_in: false, kept: Kept::Nothing };
        self.slots.insert(slot.id(), opened);
        Ok(())
    }

    /// A failed signature may leave its operation active, and only the end of its session ends
    /// that for sure. The new session comes first: without any, the login would be lost.
    fn renew_session(&mut self, slot: Slot) {
        if let (Ok(session), Some(opened)) =
            (self.client.open_ro_session(slot), self.slots.get_mut(&slot.id()))
        {
            opened.session = session;
        }
    }

    fn remember(&mut self, slot: u64, credential: objects::Found) -> u32 {
        let known = Known {
            slot,
            certificate: credential.certificate,
            key_id: credential.key_id,
            read: credential.read,
        };
        let same = |other: &Known| other.slot == known.slot && other.certificate == known.certificate;
        let index = match self.known.iter().position(same) {
            Some(index) => {
                if let Some(place) = self.known.get_mut(index) {
                    *place = known;
                }
                index
            }
            None => {
                self.known.push(known);
                self.known.len() - 1
            }
        };
        u32::try_from(index).unwrap_or(u32::MAX)
    }

    /// A session dies with its token; the next request opens a new one.
    fn forget_if_gone(&mut self, slot: Slot, failure: Failure) -> Failure {
        let still_there = self.client.get_slot_info(slot).is_ok_and(|slot| slot.token_present());
        if failure == Failure::TokenRemoved || !still_there {
            self.forget(slot);
            return Failure::TokenRemoved;
        }
        failure
    }

    fn forget(&mut self, slot: Slot) {
        self.slots.remove(&slot.id());
    }
}

impl Opened {
    /// What is kept of the login, for one signature; a PIN is gone then.
    fn kept_for_one(&mut self) -> Kept {
        match self.kept {
            Kept::Reader { last_try } => Kept::Reader { last_try },
            Kept::Nothing | Kept::Pin { .. } => std::mem::take(&mut self.kept),
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // Sessions first, then C_Finalize: the module may keep the card locked otherwise.
        self.slots.clear();
        let _ = self.client.clone().finalize();
    }
}

fn initialise(client: &Pkcs11) -> Result<(), Failure> {
    let initialised = match client.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
        // Some modules know no locks; they are called from one thread only.
        Err(Error::Pkcs11(RvError::CantLock | RvError::ArgumentsBad, _)) => {
            client.initialize(CInitializeArgs::new(CInitializeFlags::empty()))
        }
        result => result,
    };
    match initialised {
        Ok(()) | Err(Error::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => Ok(()),
        Err(error) => Err(loading(error)),
    }
}

/// While a module is loaded, whatever it returns means that it is not usable.
fn loading(error: Error) -> Failure {
    let refused = failure(error);
    if matches!(refused, Failure::ModuleUnusable { .. }) {
        return refused;
    }
    let reason = if let Failure::TokenFailed { function, value } = &refused {
        format!("{function} returned {value}")
    } else {
        format!("{refused:?}")
    };
    Failure::ModuleUnusable { reason }
}

/// As much as one answer holds: more credentials than that are left out.
fn tellable(listed: Vec<Listed>) -> Vec<Listed> {
    let (mut parts, mut bytes) = (0_usize, 0_usize);
    let fits = |one: &Listed| {
        parts = parts.saturating_add(1 + one.issuers.len());
        let len = one.issuers.iter().map(Vec::len).sum::<usize>();
        bytes = bytes.saturating_add(len).saturating_add(one.certificate.len());
        parts <= MAX_PARTS && bytes <= MAX_PARTS_LEN
    };
    listed.into_iter().take_while(fits).collect()
}
