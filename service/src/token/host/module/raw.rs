//! Slots, tokens and certificates as the module gives them, without `cryptoki` in between: it takes a
//! list of any length, refuses a whole token for a malformed clock, its PIN flags with it, and asks
//! for the length of each attribute before its value.

use std::path::Path;

use cryptoki::{
    context::Function,
    error::{Error, Rv},
    object::ObjectHandle,
    session::Session,
    slot::Slot,
};
use cryptoki_sys::{
    CK_ATTRIBUTE, CK_ATTRIBUTE_TYPE, CK_FLAGS, CK_FUNCTION_LIST, CK_SLOT_ID, CK_SLOT_INFO, CK_TOKEN_INFO,
    CK_TRUE, CK_ULONG, CKA_ID, CKA_LABEL, CKA_VALUE, CKF_LOGIN_REQUIRED, CKF_PROTECTED_AUTHENTICATION_PATH,
    CKF_TOKEN_INITIALIZED, CKF_USER_PIN_COUNT_LOW, CKF_USER_PIN_FINAL_TRY, CKF_USER_PIN_INITIALIZED,
    CKF_USER_PIN_LOCKED, Pkcs11,
};
use signer_ipc::token_host::{Token, TriesLeft};

use crate::token::host::return_value::Typed;

/// A module that has more slots with a token than this is not believed.
const MAX_SLOTS: usize = 256;

/// Room for a certificate: those of people are two kilobytes.
const CERTIFICATE_ROOM: usize = 8 << 10;
/// Room for an identifier or a label.
const NAME_ROOM: usize = 256;

/// What one call tells of a certificate. An attribute that it has not is empty.
pub(super) struct CertificateAttributes {
    pub(super) value: Vec<u8>,
    pub(super) id: Vec<u8>,
    pub(super) label: Vec<u8>,
}

/// The functions of a module that `cryptoki` has loaded and initialised.
pub(super) struct Functions {
    list: CK_FUNCTION_LIST,
    /// The functions are gone with it.
    _library: Pkcs11,
}

/// A token as it describes itself (`CK_TOKEN_INFO`).
pub(super) struct Description {
    label: String,
    manufacturer: String,
    model: String,
    pub(super) serial: String,
    flags: CK_FLAGS,
}

impl Functions {
    /// The functions of the library at `path`.
    #[expect(unsafe_code, reason = "a vendor's module is loaded")]
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        // SAFETY: the library is loaded already, so that its initialisers do not run again.
        let library = unsafe { Pkcs11::new(path) }.map_err(Error::LibraryLoading)?;
        if library.C_GetFunctionList.is_err() {
            return Err(Error::MissingSymbol("C_GetFunctionList"));
        }
        let mut list: *mut CK_FUNCTION_LIST = std::ptr::null_mut();
        // SAFETY: the pointer that is filled is ours.
        Rv::from(unsafe { library.C_GetFunctionList(&raw mut list) })
            .into_result(Function::GetFunctionList)?;
        if list.is_null() {
            return Err(Error::NullFunctionPointer);
        }
        // SAFETY: PKCS#11 wants a list there that lives as long as the library.
        let list = unsafe { *list };
        Ok(Self { list, _library: library })
    }

    /// The slots that have a token, 256 at most.
    #[expect(unsafe_code, reason = "a vendor's module is called")]
    pub(super) fn slots_with_token(&self) -> Result<Vec<Slot>, Error> {
        let call = self.list.C_GetSlotList.ok_or(Error::NullFunctionPointer)?;
        let mut count: CK_ULONG = 0;
        // Asked without room first: some modules look for slots then only.
        // SAFETY: without room the module writes the count alone.
        Rv::from(unsafe { call(CK_TRUE, std::ptr::null_mut(), &raw mut count) })
            .into_result(Function::GetSlotList)?;
        if count == 0 {
            return Ok(Vec::new());
        }
        // Room for all that is looked at, whatever the count says.
        let mut slots: [CK_SLOT_ID; MAX_SLOTS] = [0; MAX_SLOTS];
        let mut count = CK_ULONG::try_from(MAX_SLOTS)?;
        // SAFETY: there is room for as many slots as `count` says.
        Rv::from(unsafe { call(CK_TRUE, slots.as_mut_ptr(), &raw mut count) })
            .into_result(Function::GetSlotList)?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        slots.iter().take(count).map(|slot| Slot::try_from(*slot)).collect()
    }

    /// What a slot is called: often as its reader; nothing where the module does not say.
    #[expect(unsafe_code, reason = "a vendor's module is called")]
    pub(super) fn reader(&self, slot: Slot) -> String {
        let Some(call) = self.list.C_GetSlotInfo else { return String::new() };
        let mut info = CK_SLOT_INFO::default();
        // SAFETY: there is room for one description.
        let result = unsafe { call(CK_SLOT_ID::from(slot), &raw mut info) };
        Rv::from(result)
            .into_result(Function::GetSlotInfo)
            .map_or_else(|_| String::new(), |()| text(&info.slotDescription))
    }

    /// How the token in a slot describes itself.
    #[expect(unsafe_code, reason = "a vendor's module is called")]
    pub(super) fn describe(&self, slot: Slot) -> Result<Description, Error> {
        let call = self.list.C_GetTokenInfo.ok_or(Error::NullFunctionPointer)?;
        let mut token = CK_TOKEN_INFO::default();
        // SAFETY: there is room for one description.
        Rv::from(unsafe { call(CK_SLOT_ID::from(slot), &raw mut token) })
            .into_result(Function::GetTokenInfo)?;
        Ok(Description {
            label: text(&token.label),
            manufacturer: text(&token.manufacturerID),
            model: text(&token.model),
            serial: text(&token.serialNumber),
            flags: token.flags,
        })
    }

    /// The value, identifier and label of a certificate, in one call: each costs some modules a look
    /// at a file or a card. Nothing where the module cannot tell all three at once, or one is longer
    /// than is usual; each may be asked by itself then.
    #[expect(unsafe_code, reason = "a vendor's module is called")]
    pub(super) fn certificate(
        &self,
        session: &Session,
        object: ObjectHandle,
    ) -> Option<CertificateAttributes> {
        let call = self.list.C_GetAttributeValue?;
        let mut value = vec![0; CERTIFICATE_ROOM];
        let (mut id, mut label) = (vec![0; NAME_ROOM], vec![0; NAME_ROOM]);
        let mut wanted = [
            attribute(CKA_VALUE, &mut value)?,
            attribute(CKA_ID, &mut id)?,
            attribute(CKA_LABEL, &mut label)?,
        ];
        let count = CK_ULONG::try_from(wanted.len()).ok()?;
        // SAFETY: each attribute has the room that it says, and the room outlives the call.
        let result = unsafe { call(session.handle(), object.handle(), wanted.as_mut_ptr(), count) };
        Rv::from(result).into_result(Function::GetAttributeValue).ok()?;
        for (room, told) in [&mut value, &mut id, &mut label].into_iter().zip(&wanted) {
            // A length beyond the room is that of an attribute that is not there, or a lie.
            let len = usize::try_from(told.ulValueLen).ok().filter(|len| *len <= room.len())?;
            room.truncate(len);
        }
        Some(CertificateAttributes { value, id, label })
    }
}

/// Asks for an attribute, with room for it.
fn attribute(which: CK_ATTRIBUTE_TYPE, room: &mut [u8]) -> Option<CK_ATTRIBUTE> {
    let len = CK_ULONG::try_from(room.len()).ok()?;
    Some(CK_ATTRIBUTE { type_: which, pValue: room.as_mut_ptr().cast(), ulValueLen: len })
}

impl Description {
    /// As it is told to the service, with what its slot is called.
    pub(super) fn token(self, slot: Slot, reader: String) -> Token {
        Token {
            slot: slot.id(),
            reader,
            tries_left: self.tries_left(),
            locked: self.is_locked(),
            login_required: self.needs_login(),
            protected_authentication_path: self.typed() == Typed::OnReader,
            label: self.label,
            serial: self.serial,
            manufacturer: self.manufacturer,
            model: self.model,
        }
    }

    /// Its label.
    pub(super) fn label(&self) -> &str {
        &self.label
    }

    /// Whether there is anything on it: SoftHSM always offers one more token that is empty.
    pub(super) const fn is_initialized(&self) -> bool {
        self.has(CKF_TOKEN_INITIALIZED) || self.has(CKF_USER_PIN_INITIALIZED)
    }

    /// Whether signing needs a login.
    pub(super) const fn needs_login(&self) -> bool {
        self.has(CKF_LOGIN_REQUIRED)
    }

    /// Where its PIN is typed.
    pub(super) const fn typed(&self) -> Typed {
        if self.has(CKF_PROTECTED_AUTHENTICATION_PATH) { Typed::OnReader } else { Typed::Here }
    }

    /// Whether the PIN is locked.
    pub(super) const fn is_locked(&self) -> bool {
        self.has(CKF_USER_PIN_LOCKED)
    }

    /// What the flags say. That none is set says nothing: many tokens never set one.
    pub(super) const fn tries_left(&self) -> TriesLeft {
        if self.has(CKF_USER_PIN_FINAL_TRY) {
            TriesLeft::Last
        } else if self.has(CKF_USER_PIN_COUNT_LOW) {
            TriesLeft::Low
        } else {
            TriesLeft::Unknown
        }
    }

    const fn has(&self, flag: CK_FLAGS) -> bool {
        self.flags & flag != 0
    }
}

/// A text padded with blanks, or ended by a zero as in C, whatever its letters are.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let text = String::from_utf8_lossy(bytes.get(..end).unwrap_or_default());
    text.trim_matches(' ').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flagged(flags: CK_FLAGS) -> Description {
        let nothing = String::new;
        Description { label: nothing(), manufacturer: nothing(), model: nothing(), serial: nothing(), flags }
    }

    #[test]
    fn the_last_try_counts_more_than_a_low_one_and_no_flag_says_nothing() {
        assert_eq!(flagged(0).tries_left(), TriesLeft::Unknown);
        assert_eq!(flagged(CKF_USER_PIN_COUNT_LOW).tries_left(), TriesLeft::Low);
        let both = CKF_USER_PIN_COUNT_LOW | CKF_USER_PIN_FINAL_TRY;
        assert_eq!(flagged(both).tries_left(), TriesLeft::Last);
    }

    #[test]
    fn texts_are_read_however_they_are_padded() {
        for (bytes, expected) in [
            (&b"TOKEN   "[..], "TOKEN"),
            (b"TOKEN\0\xff\xff", "TOKEN"),
            (b"\xc7\xc3O ", "\u{fffd}\u{fffd}O"),
            (b"", ""),
        ] {
            assert_eq!(text(bytes), expected);
        }
    }
}
