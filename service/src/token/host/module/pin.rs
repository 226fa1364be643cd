//! A PIN goes to a token once for each time that the person gave it, to the token that it was
//! given for, and on the last try only where the person said so.

use std::{
    thread,
    time::{Duration, Instant},
};

use cryptoki::{
    error::{Error, RvError},
    session::{Session, UserType},
    slot::Slot,
    types::RawAuthPin,
};
use signer_ipc::{
    secret::Secret,
    token_host::{Failure, LastTry, TokenPlace},
};

use crate::token::host::{
    module::{
        Module, objects,
        raw::{Description, Functions},
        signature::SignFailure,
    },
    return_value::{self, Typed, failure},
};

/// How long a reader may take to say that its card was taken out: those that are asked in turns are
/// asked twice a second.
const DEPARTURE: Duration = Duration::from_secs(1);

/// What a login used, as far as the next one needs it.
#[derive(Default)]
pub(super) enum Kept {
    /// No login, or one that is used up.
    #[default]
    Nothing,
    /// Until the first signature, for keys that want the PIN a second time
    /// (`CKA_ALWAYS_AUTHENTICATE`).
    Pin { pin: Secret, last_try: LastTry },
    /// Nothing is typed here.
    Reader { last_try: LastTry },
}

impl Module {
    /// Logs in, at most once.
    pub(in crate::token::host) fn unlock(
        &mut self,
        token: Option<&TokenPlace>,
        pin: Secret,
        last_try: LastTry,
    ) -> Result<(), Failure> {
        let slot = self.meant(token.map(|token| token.slot))?;
        self.open_slot(slot)?;
        // Read right before the PIN goes, and not when the token was listed.
        let now = self.functions.describe(slot).map_err(failure)?;
        if token.is_some_and(|token| token.serial != now.serial) {
            self.forget(slot);
            return Err(Failure::TokenRemoved);
        }
        if !now.needs_login() {
            return Ok(());
        }
        // No PIN is empty; sending one could cost a try.
        if pin.expose().is_empty() && now.typed() == Typed::Here {
            return Err(Failure::PinNeeded);
        }
        may_try(&now, last_try)?;
        let opened = self.slots.get_mut(&slot.id()).ok_or(Failure::TokenAbsent)?;
        let given = (now.typed() == Typed::Here).then_some(&pin);
        match login(&opened.session, UserType::User, given) {
            Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => {
                opened.logged_in = true;
                opened.kept = match now.typed() {
                    Typed::OnReader => Kept::Reader { last_try },
                    Typed::Here if objects::any_always_authenticates(&opened.session) => {
                        Kept::Pin { pin, last_try }
                    }
                    Typed::Here => Kept::Nothing,
                };
                Ok(())
            }
            Err(error) => Err(self.refused(slot, &now, error)),
        }
    }

    /// What a refused login means. The token is asked again: its flags say what is left, and one
    /// that was changed or put back refuses the PIN of the other.
    pub(super) fn refused(&mut self, slot: Slot, before: &Description, error: Error) -> Failure {
        // A general error is a wrong PIN to some modules, and to others a card that was taken out.
        if return_value::is_general(&error) && self.goes_away(slot) {
            self.forget(slot);
            return Failure::TokenRemoved;
        }
        let refused = return_value::of_login(error, before.typed());
        if !matches!(refused, Failure::PinIncorrect { .. }) {
            return self.forget_if_gone(slot, refused);
        }
        match self.functions.describe(slot) {
            Ok(now) if now.serial != before.serial => {
                self.forget(slot);
                Failure::TokenRemoved
            }
            Ok(now) if now.is_locked() => Failure::PinLocked,
            Ok(now) => Failure::PinIncorrect { tries_left: now.tries_left() },
            Err(_) => self.forget_if_gone(slot, refused),
        }
    }

    /// Whether the token is gone, or its reader says so within the moment that readers take.
    fn goes_away(&self, slot: Slot) -> bool {
        let end = Instant::now() + DEPARTURE;
        loop {
            if !self.client.get_slot_info(slot).is_ok_and(|slot| slot.token_present()) {
                return true;
            }
            if Instant::now() >= end {
                return false;
            }
            thread::sleep(DEPARTURE / 20);
        }
    }
}

/// Gives the PIN for the operation that was begun (`CKU_CONTEXT_SPECIFIC`), as [`Module::unlock`]
/// does for the session.
pub(super) fn confirm(
    functions: &Functions,
    slot: Slot,
    session: &Session,
    kept: &Kept,
) -> Result<(), SignFailure> {
    let now = functions.describe(slot).map_err(SignFailure::Sign)?;
    let (given, last_try) = match kept {
        Kept::Nothing => return Err(SignFailure::Refused(Failure::PinNeeded)),
        Kept::Pin { pin, last_try } => (Some(pin), *last_try),
        Kept::Reader { last_try } => (None, *last_try),
    };
    may_try(&now, last_try).map_err(SignFailure::Refused)?;
    match login(session, UserType::ContextSpecific, given) {
        Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => Ok(()),
        Err(error) => Err(SignFailure::Login { error, before: Box::new(now) }),
    }
}

/// Refuses a PIN that is locked, and the last try where the person did not say so.
fn may_try(now: &Description, last_try: LastTry) -> Result<(), Failure> {
    match last_try {
        _ if now.is_locked() => Err(Failure::PinLocked),
        LastTry::NotConfirmed if now.tries_left().is_last() => Err(Failure::LastTryNotConfirmed),
        LastTry::Confirmed | LastTry::NotConfirmed => Ok(()),
    }
}

/// Without a PIN it is typed on the reader.
fn login(session: &Session, user: UserType, pin: Option<&Secret>) -> Result<(), Error> {
    match pin {
        Some(pin) => session.login_with_raw(user, &RawAuthPin::new(Box::new(pin.expose().to_vec()))),
        None => session.login(user, None),
    }
}
