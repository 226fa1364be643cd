//! The endpoint of a login: where the service listens for those who ask the person.
//!
//! A Unix socket in a folder that only the login can enter, or a named pipe that only the login
//! can open. What is said here is in [`crate::message`], who may say it in [`crate::peer`].

mod platform;

use std::{
    fmt,
    io::{self, Read, Write},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use interprocess::local_socket::{Listener, Stream, traits::Listener as _};

use crate::{
    frame::FrameError,
    message::{
        FromTray, MessageError, PROTOCOL_VERSION, Role, ToTray, TrayAttachment, read_from_tray, read_to_tray,
        write_from_tray, write_to_tray,
    },
    peer::{self, Peer},
};

/// How long either side may take to greet.
pub const GREETING: Duration = Duration::from_secs(5);

/// The name of a login's endpoint: the path of a socket, or the name of a pipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointName(String);

/// Where the service waits for connections. Dropping it leaves its name behind: [`remove`].
#[derive(Debug)]
pub struct LoginListener(Listener);

/// One connection. Clones are the same connection; it ends when the last one is dropped, or at
/// once by [`Connection::close`].
#[derive(Debug, Clone)]
pub struct Connection(Arc<Stream>);

/// Why a connection did not come to its messages.
#[derive(Debug, thiserror::Error)]
pub enum GreetingError {
    /// The messages do not fit, or the connection failed.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The service refuses, in words.
    #[error("the service refused: {words}")]
    Refused {
        /// The version of the service's messages.
        version: u32,
        /// Its error code.
        code: String,
        /// Its words, in the language of the service.
        words: String,
    },
    /// The service answered out of turn.
    #[error("the service answered out of turn")]
    Unexpected,
}

/// What the other side said first.
#[derive(Debug, PartialEq, Eq)]
pub struct Greeting {
    /// The version of its messages.
    pub version: u32,
    /// Who it says it is.
    pub role: Role,
    /// The one-time value that came with it; empty for a terminal agent.
    pub one_time: Vec<u8>,
}

/// The name of this login's endpoint. `directory` is a folder that only the login can enter,
/// and holds the socket; pipes have no folder.
///
/// # Errors
/// Where the path is no text or too long for a socket, or the system does not name the login.
pub fn name(directory: &Path) -> io::Result<EndpointName> {
    platform::name(directory).map(EndpointName)
}

/// Takes the name of an endpoint off the system, where it has one. Only for the service that
/// holds the login's lock: another one may be listening there.
///
/// # Errors
/// Where it is there and cannot be removed.
pub fn remove(name: &EndpointName) -> io::Result<()> {
    platform::remove(&name.0)
}

/// Connects to the service. Blocks until it takes the connection.
///
/// # Errors
/// Where nobody listens, or the system refuses.
pub fn connect(name: &EndpointName) -> io::Result<Connection> {
    platform::connect(&name.0).map(|stream| Connection(Arc::new(stream)))
}

impl EndpointName {
    /// Takes a name as it came with an invitation.
    pub const fn from_text(text: String) -> Self {
        Self(text)
    }

    /// The name as it travels.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EndpointName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl LoginListener {
    /// Listens at `name`, for this login alone.
    ///
    /// # Errors
    /// Where the name is taken or the system refuses.
    pub fn bind(name: &EndpointName) -> io::Result<Self> {
        platform::bind(&name.0).map(Self)
    }

    /// Takes over a socket that the system's manager listens at. Its folder and mode are the
    /// manager's matter; the peers are looked at all the same.
    #[cfg(unix)]
    pub fn inherited(listener: std::os::unix::net::UnixListener) -> Self {
        Self(Listener::UdSocket(listener.into()))
    }

    /// Waits for the next connection. Blocks.
    ///
    /// # Errors
    /// What the system says; a later call may succeed.
    pub fn accept(&self) -> io::Result<Connection> {
        self.0.accept().map(|stream| Connection(Arc::new(stream)))
    }
}

impl Connection {
    /// Who is at the other end, as the kernel knows.
    ///
    /// # Errors
    /// Where the other end is gone or the kernel does not say.
    pub fn peer(&self) -> io::Result<Peer> {
        peer::of(&self.0)
    }

    /// Reads what the other side says first, however slowly it sends, for [`GREETING`] at most.
    ///
    /// # Errors
    /// Where it is late, or says something else.
    pub fn read_greeting(&self) -> Result<Greeting, MessageError> {
        let (hello, attachment) = self.timed(|from| read_from_tray(from))?;
        match (hello, attachment) {
            (FromTray::Hello { version, role }, TrayAttachment::OneTime(one_time)) => {
                Ok(Greeting { version, role, one_time })
            }
            (
                FromTray::Confirmed { .. }
                | FromTray::Denied { .. }
                | FromTray::Hello { .. }
                | FromTray::Secret { .. },
                TrayAttachment::Nothing | TrayAttachment::OneTime(_) | TrayAttachment::Secret(_),
            ) => Err(MessageError::Malformed),
        }
    }

    /// Lets the other side in.
    ///
    /// # Errors
    /// Where it is gone.
    pub fn welcome(&mut self) -> Result<(), MessageError> {
        write_to_tray(self, &ToTray::Hello { version: PROTOCOL_VERSION }, None)
    }

    /// Sends the other side away, in words.
    ///
    /// # Errors
    /// Where it is gone already.
    pub fn refuse(&mut self, code: &str, words: &str) -> Result<(), MessageError> {
        let refused =
            ToTray::Refused { version: PROTOCOL_VERSION, code: code.to_owned(), words: words.to_owned() };
        write_to_tray(self, &refused, None)
    }

    /// Greets the service and waits for its answer, for [`GREETING`] at most.
    ///
    /// # Errors
    /// Where it refuses, in its words; where it is late or gone.
    pub fn greet(&mut self, role: Role, one_time: Vec<u8>) -> Result<(), GreetingError> {
        let hello = FromTray::Hello { version: PROTOCOL_VERSION, role };
        // Whoever is not let in at all is told so without being listened to.
        let said = write_from_tray(self, &hello, &TrayAttachment::OneTime(one_time));
        let (answer, _) = match self.timed(|from| read_to_tray(from)) {
            Ok(answer) => answer,
            Err(error) => return Err(said.err().unwrap_or(error).into()),
        };
        match answer {
            ToTray::Hello { version } if version == PROTOCOL_VERSION => Ok(()),
            ToTray::Refused { version, code, words } => Err(GreetingError::Refused { version, code, words }),
            ToTray::Hello { .. }
            | ToTray::AskSecret { .. }
            | ToTray::AwaitToken { .. }
            | ToTray::Dismiss { .. }
            | ToTray::Present { .. }
            | ToTray::Signing { .. }
            | ToTray::Waiting { .. } => Err(GreetingError::Unexpected),
        }
    }

    /// Bounds how long a write may wait for the other side to read. After that the write fails,
    /// and what it wrote may be a part. Named pipes know no such bound: there a write ends when
    /// the other side does, or with [`Connection::close`].
    ///
    /// # Errors
    /// Where the system refuses.
    pub fn limit_writes(&self, longest: Duration) -> io::Result<()> {
        platform::limit_writes(&self.0, longest)
    }

    /// Ends the connection for both sides, also for a clone that waits in a read or a write.
    /// Never waits. What the other side has not read yet may be lost to it.
    pub fn close(&self) {
        platform::close(&self.0);
    }

    fn timed<T>(
        &self,
        read: impl FnOnce(&mut Timed<'_>) -> Result<T, MessageError>,
    ) -> Result<T, MessageError> {
        let mut timed = Timed { stream: &self.0, end: Instant::now() + GREETING };
        let result = read(&mut timed);
        platform::forget_deadline(&self.0).map_err(FrameError::from)?;
        result
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&mut &*self.0).read(buffer)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&mut &*self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&mut &*self.0).flush()
    }
}

/// A connection whose reads all end at one moment.
struct Timed<'a> {
    stream: &'a Stream,
    end: Instant,
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.end.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => platform::read_within(self.stream, buffer, left),
            Some(_) | None => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
