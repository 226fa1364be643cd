//! macOS: the owner of a socket by a look through the descriptors of this user's processes.
//!
//! `libproc` tells the sockets of processes of the same user alone, so a socket that is found is
//! this user's. The structures are those of `sys/proc_info.h`.
#![expect(unsafe_code, reason = "libproc is called, for which there is no safe interface")]

use std::{
    ffi::{c_int, c_void},
    io,
    net::{IpAddr, SocketAddr},
    path::Path,
};

use crate::ccsp::peer::Program;

const PROC_UID_ONLY: u32 = 4;
const PROC_PIDLISTFDS: c_int = 1;
const PROC_PIDFDSOCKETINFO: c_int = 3;
const PROX_FDTYPE_SOCKET: u32 = 2;
/// `SOCKINFO_TCP`.
const KIND_TCP: c_int = 2;
/// `TSI_S_ESTABLISHED`.
const ESTABLISHED: c_int = 4;
/// `PROC_PIDPATHINFO_MAXSIZE`.
const LONGEST_PATH: usize = 4096;

/// A socket of this user, by its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ccsp) struct Socket {
    process: c_int,
}

/// `struct proc_fdinfo`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Descriptor {
    number: i32,
    kind: u32,
}

/// `struct socket_fdinfo` as far as TCP fills it: `proc_fileinfo`, `socket_info` up to its
/// union, and of that `tcp_sockinfo`.
#[repr(C)]
#[derive(Clone, Copy)]
struct SocketFacts {
    /// `pfi`, `soi_stat`, `soi_so`, `soi_pcb`.
    before: [u64; 3 + 17 + 2],
    kind_type: c_int,
    protocol: c_int,
    family: c_int,
    /// `soi_options` to `soi_error`.
    small: [u16; 8],
    out_of_band: u32,
    /// `soi_rcv`, `soi_snd`.
    buffers: [u32; 12],
    kind: c_int,
    reserved: u32,
    tcp: TcpFacts,
    /// What other kinds of socket need more.
    rest: [u64; 64],
}

/// `struct tcp_sockinfo` up to its state.
#[repr(C)]
#[derive(Clone, Copy)]
struct TcpFacts {
    foreign_port: c_int,
    local_port: c_int,
    generation: u64,
    flags: u32,
    flow: u32,
    version: u8,
    time_to_live: u8,
    reserved: u32,
    foreign: [u8; 16],
    local: [u8; 16],
    version_4: u8,
    version_6: [u32; 3],
    state: c_int,
}

unsafe extern "C" {
    fn proc_listpids(kind: u32, of: u32, buffer: *mut c_void, size: c_int) -> c_int;
    fn proc_pidinfo(process: c_int, flavor: c_int, argument: u64, buffer: *mut c_void, size: c_int) -> c_int;
    fn proc_pidfdinfo(
        process: c_int,
        descriptor: c_int,
        flavor: c_int,
        buffer: *mut c_void,
        size: c_int,
    ) -> c_int;
    fn proc_pidpath(process: c_int, buffer: *mut c_void, size: u32) -> c_int;
}

/// The other end of the connection from `peer` to `local`, where it is established and this
/// user's.
pub(in crate::ccsp::peer) fn own_socket(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<Socket>> {
    let found = processes()?.into_iter().find(|&process| {
        descriptors(process).into_iter().any(|descriptor| {
            descriptor.kind == PROX_FDTYPE_SOCKET
                && facts(process, descriptor.number).is_some_and(|facts| is_end(&facts, peer, local))
        })
    });
    Ok(found.map(|process| Socket { process }))
}

/// The program that holds the socket.
pub(in crate::ccsp::peer) fn program(socket: Socket) -> Option<Program> {
    let mut buffer = vec![0_u8; LONGEST_PATH];
    // SAFETY: the buffer is as long as is said and lives through the call.
    let count = unsafe {
        proc_pidpath(socket.process, buffer.as_mut_ptr().cast(), u32::try_from(LONGEST_PATH).ok()?)
    };
    let path = buffer.get(..usize::try_from(count).ok()?).filter(|path| !path.is_empty());
    let path = path.map(|path| String::from_utf8_lossy(path).into_owned());
    let name = path.as_deref().and_then(|path| Path::new(path).file_name());
    Some(Program {
        name: name.map(|name| name.to_string_lossy().into_owned()),
        path: path.clone(),
        process: u32::try_from(socket.process).ok(),
    })
}

fn is_end(facts: &SocketFacts, peer: SocketAddr, local: SocketAddr) -> bool {
    facts.kind == KIND_TCP
        && facts.tcp.state == ESTABLISHED
        && port(facts.tcp.local_port) == Some(peer.port())
        && port(facts.tcp.foreign_port) == Some(local.port())
        && holds(&facts.tcp.local, peer.ip())
        && holds(&facts.tcp.foreign, local.ip())
}

/// Ports stand in network order in the low half of a number.
fn port(number: c_int) -> Option<u16> {
    u16::try_from(number & 0xffff).ok().map(u16::from_be)
}

/// An IPv4 address stands in the last four bytes (`in4in6_addr`).
fn holds(bytes: &[u8; 16], address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => bytes.ends_with(&address.octets()),
        IpAddr::V6(address) => *bytes == address.octets(),
    }
}

fn processes() -> io::Result<Vec<c_int>> {
    let user = rustix::process::geteuid().as_raw();
    let mut found = vec![0; 4096];
    let size = c_int::try_from(size_of_val(found.as_slice())).map_err(io::Error::other)?;
    // SAFETY: the buffer is as long as is said and lives through the call.
    let count = unsafe { proc_listpids(PROC_UID_ONLY, user, found.as_mut_ptr().cast(), size) };
    let count = usize::try_from(count).map_err(|_| io::Error::last_os_error())?;
    found.truncate(count / size_of::<c_int>());
    Ok(found)
}

fn descriptors(process: c_int) -> Vec<Descriptor> {
    let mut found = vec![Descriptor::default(); 8192];
    let Ok(size) = c_int::try_from(size_of_val(found.as_slice())) else { return Vec::new() };
    // SAFETY: the buffer is as long as is said and lives through the call.
    let count = unsafe { proc_pidinfo(process, PROC_PIDLISTFDS, 0, found.as_mut_ptr().cast(), size) };
    found.truncate(usize::try_from(count).unwrap_or(0) / size_of::<Descriptor>());
    found
}

fn facts(process: c_int, descriptor: c_int) -> Option<SocketFacts> {
    let mut facts = std::mem::MaybeUninit::<SocketFacts>::zeroed();
    let size = c_int::try_from(size_of::<SocketFacts>()).ok()?;
    // SAFETY: the structure is as long as is said and lives through the call.
    let count =
        unsafe { proc_pidfdinfo(process, descriptor, PROC_PIDFDSOCKETINFO, facts.as_mut_ptr().cast(), size) };
    // SAFETY: numbers alone, and all of them were zeroed.
    (count > 0).then(|| unsafe { facts.assume_init() })
}
