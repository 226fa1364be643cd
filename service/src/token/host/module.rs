//! One PKCS#11 module, loaded: its tokens, their credentials, signatures.
//!
//! The module is called from one thread. A PIN goes to a token once for each time that the
//! person typed it.

mod objects;
mod signature;

use std::{collections::BTreeMap, io, path::Path};

use cryptoki::{
    context::{CInitializeArgs, CInitializeFlags, Pkcs11},
    error::{Error, RvError},
    session::{Session, UserType},
    slot::{Slot, TokenInfo},
    types::RawAuthPin,
};
use signer_ipc::{
    secret::Secret,
    token_host::{Failure, Scheme, Token, TriesLeft},
};
use spki::SubjectPublicKeyInfoOwned;

use crate::token::{
    architecture::{Library, Mismatch},
    host::{
        Listed,
        return_value::failure,
        verify::{self, Input},
    },
};

/// A loaded and initialised module.
pub(super) struct Module {
    slots: BTreeMap<u64, Opened>,
    /// What was listed, by the number that requests use.
    known: Vec<Known>,
    client: Pkcs11,
}

/// A slot with an open session.
struct Opened {
    session: Session,
    label: String,
    logged_in: bool,
    /// Kept from a login until the first signature, for keys that want the PIN a second time
    /// (`CKA_ALWAYS_AUTHENTICATE`).
    pin: Option<Secret>,
    /// Whether the PIN is typed on the reader.
    protected_authentication_path: bool,
}

/// A credential that was listed.
struct Known {
    slot: u64,
    certificate: Vec<u8>,
    key_id: Vec<u8>,
    public: SubjectPublicKeyInfoOwned,
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
        Ok(Self { slots: BTreeMap::new(), known: Vec::new(), client })
    }

    /// The initialised tokens that are present.
    pub(super) fn tokens(&mut self) -> Result<Vec<Token>, Failure> {
        let present = self.present()?;
        self.slots.retain(|slot, _| present.iter().any(|(token, _)| token.slot == *slot));
        Ok(present.into_iter().map(|(token, _)| token).collect())
    }

    /// Logs in, at most once and never with a PIN that is locked.
    pub(super) fn unlock(&mut self, slot: Option<u64>, pin: Secret) -> Result<(), Failure> {
        let slot = self.meant(slot)?;
        let info = self.client.get_token_info(slot).map_err(failure)?;
        if !info.login_required() {
            return Ok(());
        }
        if info.user_pin_locked() {
            return Err(Failure::PinLocked);
        }
        // No PIN is empty; sending one could cost a try.
        if pin.expose().is_empty() && !info.protected_authentication_path() {
            return Err(Failure::PinNeeded);
        }
        self.open_slot(slot)?;
        let opened = self.slots.get_mut(&slot.id()).ok_or(Failure::TokenAbsent)?;
        let result = login(&opened.session, UserType::User, opened.protected_authentication_path, &pin);
        match result {
            Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => {
                opened.logged_in = true;
                opened.pin = objects::any_always_authenticates(&opened.session).then_some(pin);
                Ok(())
            }
            Err(error) => Err(self.login_failed(slot, error)),
        }
    }

    /// What can sign, of one slot or of all.
    pub(super) fn credentials(&mut self, slot: Option<u64>) -> Result<Vec<Listed>, Failure> {
        let slots = match slot {
            Some(_) => vec![self.meant(slot)?],
            None => self.present()?.into_iter().map(|(_, slot)| slot).collect(),
        };
        let mut listed = Vec::new();
        for slot in slots {
            self.open_slot(slot)?;
            let Some(opened) = self.slots.get(&slot.id()) else { continue };
            let found = match objects::credentials(&opened.session, opened.logged_in) {
                Ok(found) => found,
                Err(error) => {
                    let failure = self.forget_if_gone(slot, failure(error));
                    return Err(failure);
                }
            };
            let label = opened.label.clone();
            let certificates = found.certificates;
            for credential in found.credentials {
                let issuers = certificates.iter().filter(|other| **other != credential.certificate);
                let issuers = issuers.cloned().collect();
                let certificate = credential.certificate.clone();
                let friendly_name = credential.label.clone();
                let id = self.remember(slot.id(), credential);
                listed.push(Listed {
                    id,
                    token_label: Some(label.clone()),
                    friendly_name,
                    certificate,
                    issuers,
                });
            }
        }
        Ok(listed)
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
        let key = objects::private_key(&opened.session, &known.key_id, &known.public).map_err(failure);
        let signed =
            match key {
                Ok(Some(key)) if key.always_authenticate => {
                    let pin = opened.pin.take();
                    if pin.is_none() && !opened.protected_authentication_path {
                        return Err(Failure::PinNeeded);
                    }
                    let session = &opened.session;
                    let path = opened.protected_authentication_path;
                    signature::sign_authenticated(session, &mechanisms, key.handle, scheme, input, || {
                        match &pin {
                            Some(pin) => login(session, UserType::ContextSpecific, path, pin),
                            None => session.login(UserType::ContextSpecific, None),
                        }
                    })
                }
                Ok(Some(key)) => signature::sign(&opened.session, &mechanisms, key.handle, scheme, input),
                Ok(None) if opened.logged_in => return Err(Failure::KeyMismatch),
                Ok(None) => return Err(Failure::PinNeeded),
                Err(failure) => return Err(self.forget_if_gone(slot, failure)),
            };
        let value = match signed {
            Ok(value) => value,
            Err(signature::SignFailure::Login(error)) => {
                self.renew_session(slot);
                return Err(self.login_failed(slot, error));
            }
            Err(signature::SignFailure::Sign(error)) => {
                self.renew_session(slot);
                return Err(self.forget_if_gone(slot, failure(error)));
            }
            Err(signature::SignFailure::Refused(failure)) => return Err(failure),
        };
        verify::check(&known.public, scheme, input, &value)?;
        Ok(value)
    }

    /// Tokens with their slots. A slot whose token cannot be described is left out.
    fn present(&self) -> Result<Vec<(Token, Slot)>, Failure> {
        let slots = self.client.get_slots_with_token().map_err(failure)?;
        Ok(slots.into_iter().filter_map(|slot| Some((self.describe(slot)?, slot))).collect())
    }

    fn describe(&self, slot: Slot) -> Option<Token> {
        let reader = self.client.get_slot_info(slot).ok();
        let reader = reader.map(|slot| trimmed(slot.slot_description())).unwrap_or_default();
        match self.client.get_token_info(slot) {
            // SoftHSM always offers one more token, which is not initialised.
            Ok(info) if !info.token_initialized() && !info.user_pin_initialized() => None,
            Ok(info) => Some(Token {
                slot: slot.id(),
                reader,
                label: trimmed(info.label()),
                serial: trimmed(info.serial_number()),
                manufacturer: trimmed(info.manufacturer_id()),
                model: trimmed(info.model()),
                tries_left: tries_left(&info),
                locked: info.user_pin_locked(),
                login_required: info.login_required(),
                protected_authentication_path: info.protected_authentication_path(),
            }),
            Err(Error::Pkcs11(..)) => None,
            // The module answered, with something malformed such as its clock: the token is
            // there, and only its description is not.
            Err(_) => Some(Token {
                slot: slot.id(),
                label: reader.clone(),
                reader,
                serial: String::new(),
                manufacturer: String::new(),
                model: String::new(),
                tries_left: TriesLeft::Unknown,
                locked: false,
                login_required: true,
                protected_authentication_path: false,
            }),
        }
    }

    /// The slot that a request means: the one it names, or the only one.
    fn meant(&self, slot: Option<u64>) -> Result<Slot, Failure> {
        let present = self.present()?;
        let mut fitting = present.into_iter().filter(|(token, _)| slot.is_none_or(|slot| token.slot == slot));
        match (fitting.next(), fitting.next()) {
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
        let info = self.client.get_token_info(slot).ok();
        let session = self.client.open_ro_session(slot).map_err(failure)?;
        let opened = Opened {
            session,
            label: info.as_ref().map(|info| trimmed(info.label())).unwrap_or_default(),
            logged_in: false,
            pin: None,
            protected_authentication_path: info.is_some_and(|info| info.protected_authentication_path()),
        };
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
            public: credential.public,
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

    /// A PIN was refused: the flags, read again, say what is left.
    fn login_failed(&mut self, slot: Slot, error: Error) -> Failure {
        let refused = failure(error);
        if !matches!(refused, Failure::PinIncorrect { .. }) {
            return self.forget_if_gone(slot, refused);
        }
        match self.client.get_token_info(slot) {
            Ok(info) if info.user_pin_locked() => Failure::PinLocked,
            Ok(info) => Failure::PinIncorrect { tries_left: tries_left(&info) },
            Err(_) => refused,
        }
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

fn login(session: &Session, user: UserType, on_reader: bool, pin: &Secret) -> Result<(), Error> {
    if on_reader {
        return session.login(user, None);
    }
    session.login_with_raw(user, &RawAuthPin::new(Box::new(pin.expose().to_vec())))
}

fn tries_left(info: &TokenInfo) -> TriesLeft {
    if info.user_pin_final_try() {
        TriesLeft::Last
    } else if info.user_pin_count_low() {
        TriesLeft::Low
    } else {
        TriesLeft::Unknown
    }
}

fn trimmed(text: &str) -> String {
    text.trim_matches(|character| character == ' ' || character == '\0').to_owned()
}
