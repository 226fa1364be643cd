//! Windows: the owner of a socket by the system's table of connections and its process's token.
#![expect(unsafe_code, reason = "the system's own functions are called")]

use std::{
    io,
    net::{IpAddr, SocketAddr},
    path::Path,
    ptr,
};

use windows_sys::Win32::{
    Foundation::{CloseHandle, ERROR_INSUFFICIENT_BUFFER, HANDLE, NO_ERROR},
    NetworkManagement::IpHelper::{
        GetExtendedTcpTable, MIB_TCP_STATE_ESTAB, MIB_TCP6ROW_OWNER_PID, MIB_TCPROW_OWNER_PID,
        TCP_TABLE_OWNER_PID_CONNECTIONS,
    },
    Networking::WinSock::{AF_INET, AF_INET6},
    Security::{EqualSid, GetTokenInformation, TOKEN_QUERY, TOKEN_USER, TokenUser},
    System::Threading::{
        GetCurrentProcess, OpenProcess, OpenProcessToken, PROCESS_NAME_WIN32,
        PROCESS_QUERY_LIMITED_INFORMATION, QueryFullProcessImageNameW,
    },
};

use crate::ccsp::peer::Program;

/// A socket of this user, by its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ccsp) struct Socket {
    process: u32,
}

/// A handle of the system, closed when it is dropped.
struct Owned(HANDLE);

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the handle is open and owned here.
        unsafe { CloseHandle(self.0) };
    }
}

/// The other end of the connection from `peer` to `local`, where it is established and this
/// user's.
pub(in crate::ccsp::peer) fn own_socket(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<Socket>> {
    let Some(process) = owner(peer, local)? else { return Ok(None) };
    let own = user(&token(None)?)?;
    let others = user(&token(Some(process))?)?;
    Ok(same(&own, &others).then_some(Socket { process }))
}

/// The program that holds the socket.
pub(in crate::ccsp::peer) fn program(socket: Socket) -> Option<Program> {
    let process = open(socket.process).ok()?;
    let mut buffer = vec![0_u16; 32 << 10];
    let mut len = u32::try_from(buffer.len()).ok()?;
    // SAFETY: the handle is open; the buffer is as long as is said and lives through the call.
    let done = unsafe {
        QueryFullProcessImageNameW(process.0, PROCESS_NAME_WIN32, buffer.as_mut_ptr(), &raw mut len)
    };
    let path = (done != 0).then(|| buffer.get(..usize::try_from(len).ok()?)).flatten();
    let path = path.map(String::from_utf16_lossy);
    let name = path.as_deref().and_then(|path| Path::new(path).file_name());
    Some(Program {
        name: name.map(|name| name.to_string_lossy().into_owned()),
        path: path.clone(),
        process: Some(socket.process),
    })
}

/// The process at the other end.
fn owner(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<u32>> {
    // Ports stand in network order in the low half of a number.
    let wire = |port: u16| u32::from(port.to_be());
    let (near, far) = (wire(peer.port()), wire(local.port()));
    match (peer.ip(), local.ip()) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let (source, destination) =
                (u32::from_ne_bytes(source.octets()), u32::from_ne_bytes(destination.octets()));
            let rows: Vec<MIB_TCPROW_OWNER_PID> = rows(u32::from(AF_INET))?;
            let found = rows.iter().find(|row| {
                row.dwState == MIB_TCP_STATE_ESTAB.cast_unsigned()
                    && (row.dwLocalAddr, row.dwLocalPort & 0xffff) == (source, near)
                    && (row.dwRemoteAddr, row.dwRemotePort & 0xffff) == (destination, far)
            });
            Ok(found.map(|row| row.dwOwningPid))
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            let rows: Vec<MIB_TCP6ROW_OWNER_PID> = rows(u32::from(AF_INET6))?;
            let found = rows.iter().find(|row| {
                row.dwState == MIB_TCP_STATE_ESTAB.cast_unsigned()
                    && (row.ucLocalAddr, row.dwLocalPort & 0xffff) == (source.octets(), near)
                    && (row.ucRemoteAddr, row.dwRemotePort & 0xffff) == (destination.octets(), far)
            });
            Ok(found.map(|row| row.dwOwningPid))
        }
        (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => Ok(None),
    }
}

/// The table of connections of a family. It may grow between two calls, so a few are made.
fn rows<Row: Copy>(family: u32) -> io::Result<Vec<Row>> {
    let mut size = 0_u32;
    let mut buffer: Vec<u64> = Vec::new();
    for _ in 0..8 {
        let table = if buffer.is_empty() { ptr::null_mut() } else { buffer.as_mut_ptr().cast() };
        // SAFETY: the buffer, where there is one, is as long as is said and lives through the call.
        let result = unsafe {
            GetExtendedTcpTable(table, &raw mut size, 0, family, TCP_TABLE_OWNER_PID_CONNECTIONS, 0)
        };
        match result {
            NO_ERROR if !buffer.is_empty() => return Ok(read_rows(&buffer)),
            NO_ERROR | ERROR_INSUFFICIENT_BUFFER => {
                size = size.max(64).saturating_mul(2);
                buffer = vec![0; usize::try_from(size).map_err(io::Error::other)?.div_ceil(8)];
            }
            code => return Err(io::Error::from_raw_os_error(code.cast_signed())),
        }
    }
    Err(io::ErrorKind::Interrupted.into())
}

/// A table is a number and as many rows, each of 32-bit numbers and bytes.
fn read_rows<Row: Copy>(buffer: &[u64]) -> Vec<Row> {
    let bytes: Vec<u8> = buffer.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let count = bytes.first_chunk().map_or(0, |count| u32::from_ne_bytes(*count));
    let rows = bytes.get(4..).unwrap_or_default().chunks_exact(size_of::<Row>());
    rows.take(usize::try_from(count).unwrap_or(0))
        // SAFETY: a row is plain numbers, and the chunk is exactly as long as one.
        .map(|row| unsafe { ptr::read_unaligned(row.as_ptr().cast()) })
        .collect()
}

fn open(process: u32) -> io::Result<Owned> {
    // SAFETY: no pointer is passed.
    let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) };
    if handle.is_null() { Err(io::Error::last_os_error()) } else { Ok(Owned(handle)) }
}

/// The access token of a process; of this one where none is named.
fn token(process: Option<u32>) -> io::Result<Owned> {
    let opened = process.map(open).transpose()?;
    let handle = match &opened {
        Some(process) => process.0,
        // SAFETY: returns a constant that stands for this process.
        None => unsafe { GetCurrentProcess() },
    };
    let mut token = ptr::null_mut();
    // SAFETY: the handle is open and the result is written to a local.
    let done = unsafe { OpenProcessToken(handle, TOKEN_QUERY, &raw mut token) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(Owned(token)) }
}

/// `TOKEN_USER` of a token: the structure and, behind it, the SID that it points to.
fn user(token: &Owned) -> io::Result<Vec<u64>> {
    let mut buffer = vec![0_u64; 32];
    let size = u32::try_from(size_of_val(buffer.as_slice())).map_err(io::Error::other)?;
    let mut needed = 0;
    // SAFETY: the handle is open; the buffer is as long as is said and lives through the call.
    let done =
        unsafe { GetTokenInformation(token.0, TokenUser, buffer.as_mut_ptr().cast(), size, &raw mut needed) };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(buffer) }
}

fn same(left: &[u64], right: &[u64]) -> bool {
    // SAFETY: both were filled by `user`, and are aligned as the structure must be.
    let left = unsafe { ptr::read(left.as_ptr().cast::<TOKEN_USER>()) };
    // SAFETY: as above.
    let right = unsafe { ptr::read(right.as_ptr().cast::<TOKEN_USER>()) };
    // SAFETY: both point into buffers that live through the call.
    unsafe { EqualSid(left.User.Sid, right.User.Sid) != 0 }
}
