//! Windows: the process at the other end of a pipe, and the owner of that process.

use std::{
    io,
    mem::MaybeUninit,
    os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle},
    ptr,
};

use interprocess::local_socket::{Stream, traits::StreamCommon as _};
use windows_sys::Win32::{
    Foundation::{HANDLE, LocalFree},
    Security::{
        Authorization::ConvertSidToStringSidW, GetTokenInformation, TOKEN_QUERY, TOKEN_USER, TokenUser,
    },
    System::Threading::{
        GetCurrentProcess, OpenProcess, OpenProcessToken, PROCESS_QUERY_LIMITED_INFORMATION,
    },
};

use crate::peer::{Peer, PeerUser};

/// A user's token information with its identifier: the structure and the longest identifier.
const USER_LEN: usize = 128;

pub(in crate::peer) fn peer(stream: &Stream) -> io::Result<Peer> {
    let process = stream.peer_creds()?.pid().ok_or(io::ErrorKind::Unsupported)?;
    let handle = open(process)?;
    let theirs = user_of(handle.as_raw_handle())?;
    Ok(Peer { user: if theirs == own_user()? { PeerUser::Own } else { PeerUser::Other }, process })
}

/// The identifier of this process's user, such as `S-1-5-21-…-1001`.
#[expect(unsafe_code, reason = "the standard library does not know its own process's handle")]
pub(crate) fn own_user() -> io::Result<String> {
    // SAFETY: takes nothing and returns a pseudo handle that is always valid.
    user_of(unsafe { GetCurrentProcess() })
}

#[expect(unsafe_code, reason = "the standard library does not open processes")]
fn open(process: u32) -> io::Result<OwnedHandle> {
    // SAFETY: takes values only.
    let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) };
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open and nobody else's.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}

#[expect(unsafe_code, reason = "the standard library knows no users")]
fn user_of(process: HANDLE) -> io::Result<String> {
    let mut token: HANDLE = ptr::null_mut();
    // SAFETY: the process is open and `token` is a place for a handle.
    if unsafe { OpenProcessToken(process, TOKEN_QUERY, &raw mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open and nobody else's.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };

    // Of words, so that it is aligned as the structure in it wants.
    let mut buffer = [MaybeUninit::<usize>::zeroed(); USER_LEN / size_of::<usize>()];
    let capacity = u32::try_from(USER_LEN).map_err(|_| io::ErrorKind::InvalidData)?;
    let mut len = 0;
    // SAFETY: the token is open and the buffer is as long as it is said to be.
    let known = unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TokenUser,
            buffer.as_mut_ptr().cast(),
            capacity,
            &raw mut len,
        )
    };
    if known == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above wrote a TOKEN_USER at the beginning of the aligned buffer.
    let user = unsafe { buffer.as_ptr().cast::<TOKEN_USER>().read() };

    let mut text: *mut u16 = ptr::null_mut();
    // SAFETY: the identifier lies in `buffer`, which is alive, and `text` is a place for a pointer.
    if unsafe { ConvertSidToStringSidW(user.User.Sid, &raw mut text) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: on success `text` is a string of UTF-16 that ends in zero.
    let identifier = unsafe { widestring::U16CStr::from_ptr_str(text) }.to_string_lossy();
    // SAFETY: the string was allocated by the call above for its caller to free.
    unsafe { LocalFree(text.cast()) };
    Ok(identifier)
}
