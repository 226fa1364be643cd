//! Linux: the owner of a socket by socket diagnostics, its program by a look through /proc.
//!
//! `sock_diag(7)` answers for one pair of addresses in a few microseconds. `/proc/net/tcp` would
//! be read as a whole for every connection, and can miss a row while others come and go.

use std::{
    fs, io,
    net::{IpAddr, SocketAddr},
    os::unix::fs::MetadataExt as _,
    path::Path,
};

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType,
    netlink::{self, SocketAddrNetlink},
};

use crate::ccsp::peer::Program;

/// `SOCK_DIAG_BY_FAMILY`.
const BY_FAMILY: u16 = 20;
/// `NLM_F_REQUEST`.
const REQUEST: u16 = 1;
/// `NLMSG_ERROR`.
const ERROR: u16 = 2;
const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const IPPROTO_TCP: u8 = 6;
/// `TCP_ESTABLISHED`, and `TCP_FIN_WAIT1` and `TCP_FIN_WAIT2` of a client that has said all it
/// wanted to and waits for the answer.
const CONNECTED: [u8; 3] = [1, 4, 5];

/// A socket of this user, by its inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::ccsp) struct Socket {
    inode: u32,
}

/// The other end of the connection from `peer` to `local`, where it is connected and this
/// user's.
pub(in crate::ccsp::peer) fn own_socket(peer: SocketAddr, local: SocketAddr) -> io::Result<Option<Socket>> {
    let channel = rustix::net::socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    let question = question(peer, local);
    rustix::net::sendto(&channel, &question, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut buffer = [0; 1024];
    let (_, count) = rustix::net::recv(&channel, &mut buffer, RecvFlags::DONTWAIT)?;
    let Some(answer) = Answer::read(buffer.get(..count).unwrap_or_default()) else { return Ok(None) };
    // Once no process holds the peer's socket, the kernel says user 0 and inode 0.
    let own = CONNECTED.contains(&answer.state)
        && answer.inode != 0
        && answer.user == rustix::process::geteuid().as_raw();
    Ok(own.then_some(Socket { inode: answer.inode }))
}

/// The program that holds the socket: the first one that shows it.
pub(in crate::ccsp::peer) fn program(socket: Socket) -> Option<Program> {
    let user = rustix::process::geteuid().as_raw();
    let link = format!("socket:[{}]", socket.inode);
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let process: u32 = entry.file_name().to_str()?.parse().ok()?;
        let own = entry.metadata().is_ok_and(|metadata| metadata.uid() == user);
        (own && holds(&entry.path(), &link)).then(|| describe(&entry.path(), process))
    })
}

fn holds(process: &Path, link: &str) -> bool {
    let descriptors = fs::read_dir(process.join("fd"));
    descriptors
        .into_iter()
        .flatten()
        .flatten()
        .any(|descriptor| fs::read_link(descriptor.path()).is_ok_and(|target| target.as_os_str() == link))
}

fn describe(process: &Path, number: u32) -> Program {
    // A process that is closed to others does not tell its path; its short name is public.
    let path = fs::read_link(process.join("exe")).ok();
    let name = match path.as_deref().and_then(Path::file_name) {
        Some(name) => Some(name.to_string_lossy().into_owned()),
        None => fs::read_to_string(process.join("comm")).ok().map(|name| name.trim_end().to_owned()),
    };
    Program { name, path: path.map(|path| path.to_string_lossy().into_owned()), process: Some(number) }
}

/// `nlmsghdr` and `inet_diag_req_v2` for exactly one socket: the one at `peer`.
fn question(peer: SocketAddr, local: SocketAddr) -> Vec<u8> {
    let (source, destination) = (peer.ip().to_canonical(), local.ip().to_canonical());
    let family = match source {
        IpAddr::V4(_) => AF_INET,
        IpAddr::V6(_) => AF_INET6,
    };
    let mut message = Vec::with_capacity(72);
    message.extend_from_slice(&72_u32.to_ne_bytes());
    message.extend_from_slice(&BY_FAMILY.to_ne_bytes());
    message.extend_from_slice(&REQUEST.to_ne_bytes());
    message.extend_from_slice(&[0; 8]);
    message.extend_from_slice(&[family, IPPROTO_TCP, 0, 0]);
    message.extend_from_slice(&u32::MAX.to_ne_bytes());
    message.extend_from_slice(&peer.port().to_be_bytes());
    message.extend_from_slice(&local.port().to_be_bytes());
    message.extend_from_slice(&octets(source));
    message.extend_from_slice(&octets(destination));
    message.extend_from_slice(&[0; 4]);
    // `INET_DIAG_NOCOOKIE`, twice.
    message.extend_from_slice(&[0xff; 8]);
    message
}

fn octets(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            [a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        }
        IpAddr::V6(address) => address.octets(),
    }
}

/// What of `inet_diag_msg` matters.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    state: u8,
    user: u32,
    inode: u32,
}

impl Answer {
    /// `None` for an error, which says that there is no such socket.
    fn read(message: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_ne_bytes(message.get(at..at + 4)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(message.get(4..6)?.try_into().ok()?);
        if kind == ERROR || kind != BY_FAMILY {
            return None;
        }
        Some(Self { state: *message.get(17)?, user: number(80)?, inode: number(84)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_names_one_socket() {
        let question =
            question("127.0.0.1:40000".parse().unwrap(), "[::ffff:127.0.0.1]:29443".parse().unwrap());
        assert_eq!(question.len(), 72);
        assert_eq!(question[16..18], [AF_INET, IPPROTO_TCP]);
        assert_eq!(question[24..28], [0x9c, 0x40, 0x73, 0x03]);
        assert_eq!(question[28..32], [127, 0, 0, 1]);
        assert_eq!(question[44..48], [127, 0, 0, 1]);
    }

    #[test]
    fn short_and_foreign_answers_are_none() {
        let mut message = [0; 88];
        message[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
        message[17] = CONNECTED[0];
        message[80..84].copy_from_slice(&1000_u32.to_ne_bytes());
        message[84..88].copy_from_slice(&7_u32.to_ne_bytes());
        assert_eq!(Answer::read(&message), Some(Answer { state: CONNECTED[0], user: 1000, inode: 7 }));
        assert_eq!(Answer::read(&message[..87]), None);
        assert_eq!(Answer::read(&[]), None);
        message[4..6].copy_from_slice(&ERROR.to_ne_bytes());
        assert_eq!(Answer::read(&message), None);
    }
}
