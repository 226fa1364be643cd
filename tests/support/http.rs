//! HTTP as a test writes it: bytes out, bytes in.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// A test that waits longer is broken.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Names in small letters, and values.
    pub fields: Vec<(String, String)>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Answer {
    /// Reads one answer from the front of `bytes` and returns the rest.
    pub fn parse(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
        let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let fields: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let answer = Self { status, fields, body: Vec::new() };
        let len = answer.field("content-length").map_or(Some(0), |len| len.parse().ok())?;
        let body = bytes.get(end + 4..end + 4 + len)?;
        Some((Self { body: body.to_vec(), ..answer }, &bytes[end + 4 + len..]))
    }

    /// The value of a field, where it is there once.
    ///
    /// # Panics
    /// Where it is there twice.
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut found = self.fields.iter().filter(|(known, _)| known == name);
        let (first, second) = (found.next(), found.next());
        assert!(second.is_none(), "{name} is there twice: {self:?}");
        first.map(|(_, value)| value.as_str())
    }

    /// The body, or null where it is no JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The stable code of a problem, which is whole.
    ///
    /// # Panics
    /// Where a part of the problem is missing.
    pub fn code(&self) -> String {
        let problem = self.json();
        let Some(code) = problem["code"].as_str() else { return format!("{self:?}") };
        assert_eq!(self.field("content-type"), Some("application/problem+json"));
        assert_eq!(problem["status"], self.status);
        assert!(problem["title"].is_string() && problem["remedy"].is_string(), "{problem}");
        assert_eq!(problem["requestId"].as_str().map(str::len), Some(16), "{problem}");
        code.to_owned()
    }

    /// Status and code.
    pub fn refusal(&self) -> (u16, String) {
        (self.status, self.code())
    }
}

/// Sends `bytes` and reads whatever comes until the other side closes.
pub fn exchange(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect(address);
    // The other side may refuse before all is sent.
    let _ = stream.write_all(bytes);
    rest(&mut stream)
}

/// A connection with patience.
///
/// # Panics
/// Where nobody listens.
pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// All that comes until the other side closes.
///
/// # Panics
/// Where it does not close in time.
pub fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut received = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return received,
            Ok(count) => received.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return received,
            Err(error) => panic!("{error}, after {:?}", String::from_utf8_lossy(&received)),
        }
    }
}

/// A request on a connection of its own.
///
/// # Panics
/// Where the answer is not whole.
pub fn ask(address: SocketAddr, line: &str, fields: &[(&str, &str)], body: &[u8]) -> Answer {
    let received = exchange(address, &request(line, fields, body));
    let parsed = Answer::parse(&received);
    parsed.unwrap_or_else(|| panic!("{line}: {:?}", String::from_utf8_lossy(&received))).0
}

/// The bytes of a request that asks for the end of the connection, too.
pub fn request(line: &str, fields: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{line} HTTP/1.1\r\nConnection: close\r\n").into_bytes();
    if !fields.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        bytes.extend_from_slice(b"Host: 127.0.0.1\r\n");
    }
    for (name, value) in fields {
        bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    }
    if !body.is_empty() {
        bytes.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}
