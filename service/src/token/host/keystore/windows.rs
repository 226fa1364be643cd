//! DPAPI: the system encrypts each key for this user of this machine, and keeps nothing.

use std::{io, ptr, slice};

use signer_ipc::token_host::Failure;
use windows_sys::Win32::{
    Foundation::LocalFree,
    Security::Cryptography::{
        CRYPT_INTEGER_BLOB, CRYPTPROTECT_UI_FORBIDDEN, CryptProtectData, CryptUnprotectData,
    },
};
use zeroize::{Zeroize as _, Zeroizing};

use crate::token::host::{
    keystore::unavailable,
    stored::{KEY_LEN, WrappingKey, random},
};

pub(super) const NAME: &str = "dpapi";

/// Other programs of the user that do not mean this one's keys do not open them by accident.
const ENTROPY: &[u8] = b"cybercore-signer stored key";

pub(super) fn new_key() -> Result<(WrappingKey, Vec<u8>), Failure> {
    let key = Zeroizing::new(random::<KEY_LEN>()?);
    let wrapped = protect(&*key)?;
    Ok((key, wrapped))
}

pub(super) fn key(wrapped: &[u8]) -> Result<WrappingKey, Failure> {
    let bytes = unprotect(wrapped)?;
    let mut key = Zeroizing::new([0; KEY_LEN]);
    if bytes.len() != KEY_LEN {
        return Err(Failure::FileDamaged { reason: "its wrapped key has the wrong length".to_owned() });
    }
    key.copy_from_slice(&bytes);
    Ok(key)
}

#[expect(unsafe_code, reason = "DPAPI has no safe interface")]
fn protect(bytes: &[u8]) -> Result<Vec<u8>, Failure> {
    let (input, entropy, mut output) = (blob(bytes)?, blob(ENTROPY)?, Output::new());
    // SAFETY: the blobs point to slices that live until the call returns, and are only read; the
    // output is a blob for the system to fill.
    let done = unsafe {
        CryptProtectData(
            &input,
            ptr::null(),
            &entropy,
            ptr::null(),
            ptr::null(),
            CRYPTPROTECT_UI_FORBIDDEN,
            &mut output.0,
        )
    };
    if done == 0 {
        return Err(unavailable(io::Error::last_os_error()));
    }
    Ok(output.bytes().to_vec())
}

#[expect(unsafe_code, reason = "DPAPI has no safe interface")]
fn unprotect(bytes: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let (input, entropy, mut output) = (blob(bytes)?, blob(ENTROPY)?, Output::new());
    // SAFETY: as in `protect`; no description is asked for.
    let done = unsafe {
        CryptUnprotectData(
            &input,
            ptr::null_mut(),
            &entropy,
            ptr::null(),
            ptr::null(),
            CRYPTPROTECT_UI_FORBIDDEN,
            &mut output.0,
        )
    };
    if done == 0 {
        return Err(unavailable(io::Error::last_os_error()));
    }
    Ok(Zeroizing::new(output.bytes().to_vec()))
}

fn blob(bytes: &[u8]) -> Result<CRYPT_INTEGER_BLOB, Failure> {
    let len = u32::try_from(bytes.len());
    let len = len.map_err(|_| Failure::FileDamaged { reason: "its wrapped key is too long".to_owned() })?;
    // The system does not write through it, whatever its type says.
    Ok(CRYPT_INTEGER_BLOB { cbData: len, pbData: bytes.as_ptr().cast_mut() })
}

/// What the system allocated; overwritten and freed when dropped.
struct Output(CRYPT_INTEGER_BLOB);

impl Output {
    const fn new() -> Self {
        Self(CRYPT_INTEGER_BLOB { cbData: 0, pbData: ptr::null_mut() })
    }

    #[expect(unsafe_code, reason = "the system says where its memory is")]
    fn bytes(&mut self) -> &mut [u8] {
        let len = usize::try_from(self.0.cbData).unwrap_or(0);
        if self.0.pbData.is_null() || len == 0 {
            return &mut [];
        }
        // SAFETY: the system filled the blob with memory of this length, which is this value's.
        unsafe { slice::from_raw_parts_mut(self.0.pbData, len) }
    }
}

impl Drop for Output {
    #[expect(unsafe_code, reason = "memory of the system is given back to it")]
    fn drop(&mut self) {
        self.bytes().zeroize();
        // SAFETY: the memory is the system's to free, once; freeing nothing is permitted.
        unsafe { LocalFree(self.0.pbData.cast()) };
    }
}
