//! What the person types, in one page of memory that is neither swapped out nor dumped.
//!
//! A character is kept once, in its place, and overwritten when it is erased; all of it is
//! overwritten when it was sealed, cleared or dropped, and when the program panics.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use signer_ipc::{
    sealed::{SealedError, SealedSecret, SealingKey},
    secret::Secret,
};
use zeroize::Zeroize as _;

use crate::{os, screen::LONGEST_SECRET};

/// The longest UTF-8 form of [`LONGEST_SECRET`] characters.
const LEN: usize = LONGEST_SECRET * 4;

/// One page of its own: what is locked and kept out of dumps is this and nothing else.
#[repr(C, align(4096))]
pub(crate) struct Page {
    bytes: [u8; LEN],
    filled: usize,
    rest: [u8; 4096 - LEN - size_of::<usize>()],
}

/// Not on the heap and not on a stack: it has one address for the life of the program, which the
/// panic hook knows too.
static PAGE: Mutex<Page> =
    Mutex::new(Page { bytes: [0; LEN], filled: 0, rest: [0; 4096 - LEN - size_of::<usize>()] });

/// The field's content. There is one in the program.
pub(crate) struct Pin(());

/// Why what was typed could not be sealed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PinError {
    /// The key is none, or there is no randomness.
    #[error(transparent)]
    Sealing(#[from] SealedError),
    /// The text is longer than a secret may be.
    #[error("what was typed is too long")]
    TooLong,
}

impl Pin {
    /// Locks the page. Where the system does not allow that, the page is used all the same: it
    /// is a defence in depth, and a window that does not open is none.
    pub(crate) fn open() -> Self {
        let page = lock();
        // The page has its address for good; failing to lock it is no reason to refuse.
        drop(os::keep_in_memory(&page));
        drop(page);
        Self(())
    }

    /// Adds a character, as UTF-8. One that does not fit is not taken.
    pub(crate) fn push(&mut self, character: char) {
        let mut page = lock();
        let from = page.filled;
        let to = from + character.len_utf8();
        if let Some(place) = page.bytes.get_mut(from..to) {
            character.encode_utf8(place);
            page.filled = to;
        }
    }

    /// Overwrites the last character.
    pub(crate) fn erase(&mut self) {
        let mut page = lock();
        let typed = page.bytes.get(..page.filled).unwrap_or_default();
        let from = typed.iter().rposition(|byte| byte & 0b1100_0000 != 0b1000_0000).unwrap_or_default();
        let filled = page.filled;
        if let Some(last) = page.bytes.get_mut(from..filled) {
            last.zeroize();
        }
        page.filled = from;
    }

    /// Overwrites all of it.
    pub(crate) fn clear(&mut self) {
        lock().wipe();
    }

    /// Seals what was typed, and overwrites it.
    ///
    /// # Errors
    /// Where `key` is none or the system has no randomness; it is overwritten then too.
    pub(crate) fn seal(&mut self, key: &[u8]) -> Result<SealedSecret, PinError> {
        let mut page = lock();
        let secret = Secret::from_bytes(page.bytes.get(..page.filled).unwrap_or_default().to_vec());
        page.wipe();
        drop(page);
        let secret = secret.map_err(|_| PinError::TooLong)?;
        Ok(SealingKey::from_bytes(key)?.seal(&secret)?)
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Page {
    fn wipe(&mut self) {
        self.bytes.zeroize();
        self.rest.zeroize();
        self.filled = 0;
    }
}

/// Overwrites what is typed when the program panics, before the panic is told. Where the panic
/// is in this file, the drop of [`Pin`] does it.
pub(crate) fn wipe_on_panic() {
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        match PAGE.try_lock() {
            Ok(mut page) => page.wipe(),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().wipe(),
            Err(TryLockError::WouldBlock) => {}
        }
        told(panic);
    }));
}

fn lock() -> MutexGuard<'static, Page> {
    PAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use signer_ipc::sealed::UnsealingKey;

    use super::*;

    /// One test: the page is one, and tests run side by side.
    #[test]
    fn what_is_typed_is_sealed_once_and_overwritten() {
        let mut pin = Pin::open();
        let typed = |expected: &str| {
            let page = lock();
            assert_eq!(&page.bytes[..page.filled], expected.as_bytes());
            assert!(page.bytes[page.filled..].iter().all(|byte| *byte == 0), "something is left behind");
        };
        for character in "a9çã€".chars() {
            pin.push(character);
        }
        typed("a9çã€");
        pin.erase();
        pin.erase();
        typed("a9ç");
        pin.push('1');
        let key = UnsealingKey::generate();
        let sealed = pin.seal(key.sealing_key().as_bytes()).unwrap();
        typed("");
        assert_eq!(key.open(&sealed).unwrap().expose(), "a9ç1".as_bytes());

        (0..LONGEST_SECRET + 3).for_each(|_| pin.push('€'));
        pin.clear();
        typed("");
        (0..LEN + 3).for_each(|_| pin.push('1'));
        assert!(pin.seal(&[0; 5]).is_err());
        typed("");
        pin.erase();
        typed("");
        pin.push('1');
        drop(pin);
        typed("");

        let mut pin = Pin::open();
        pin.push('7');
        wipe_on_panic();
        std::thread::spawn(|| panic!("on purpose")).join().unwrap_err();
        typed("");
    }
}
