//! A token as the service knows it.

use signer_ipc::token_host::Token;

use crate::token::error::TriesLeft;

/// A token in a slot, as its module describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenDescription {
    /// Its label, trimmed.
    pub label: String,
    /// Its serial number, trimmed.
    pub serial: String,
    /// Who made it.
    pub manufacturer: String,
    /// Its model.
    pub model: String,
    /// Where it is.
    pub slot: u64,
    /// What its slot is called, trimmed: often the name of its reader.
    pub reader: String,
    /// What its flags say about tries left, before any PIN is given.
    pub tries_left: TriesLeft,
    /// The state of its PIN.
    pub pin: PinState,
    /// Where the PIN is typed.
    pub pin_entry: PinEntry,
}

/// What a token says about its PIN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinState {
    /// It is locked; no PIN is tried any more.
    Locked,
    /// Signing needs no login.
    NotNeeded,
    /// It can be given.
    Usable,
}

/// Where a PIN is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinEntry {
    /// Here: the PIN goes to the token through the module.
    Program,
    /// On the reader (`CKF_PROTECTED_AUTHENTICATION_PATH`): the secret given to
    /// [`super::TokenHost::unlock`] is not used.
    Reader,
}

impl From<Token> for TokenDescription {
    fn from(token: Token) -> Self {
        Self {
            label: token.label,
            serial: token.serial,
            manufacturer: token.manufacturer,
            model: token.model,
            slot: token.slot,
            reader: token.reader,
            tries_left: token.tries_left,
            pin: match (token.locked, token.login_required) {
                (true, _) => PinState::Locked,
                (false, true) => PinState::Usable,
                (false, false) => PinState::NotNeeded,
            },
            pin_entry: if token.protected_authentication_path { PinEntry::Reader } else { PinEntry::Program },
        }
    }
}
