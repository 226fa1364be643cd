//! The connection between a process and the child it starts: made before, inherited, nameless.
//!
//! Nobody else can connect to it. It ends when either side closes it or dies.

mod platform;

use std::{
    io::{self, Read, Write},
    process::{Child, Command},
};

/// One side of the connection.
#[derive(Debug)]
pub struct Endpoint {
    /// Reads what the other side wrote.
    pub receiver: Receiver,
    /// Writes to the other side.
    pub sender: Sender,
}

/// The reading half. Reads block; zero bytes mean that the other side is gone.
#[derive(Debug)]
pub struct Receiver(platform::Receiver);

/// The writing half. Dropping it tells the other side that nothing more comes.
#[derive(Debug)]
pub struct Sender(platform::Sender);

impl Endpoint {
    /// Starts `command` with the other end of a new connection as its standard input (on Windows
    /// standard input and output). The child is the caller's to wait for.
    ///
    /// # Errors
    /// Where the connection cannot be made or the program does not start.
    pub fn spawn(command: Command) -> io::Result<(Child, Self)> {
        let (child, receiver, sender) = platform::spawn(command)?;
        Ok((child, Self { receiver: Receiver(receiver), sender: Sender(sender) }))
    }

    /// Takes over the end that this process inherited. What reads standard input or writes
    /// standard output afterwards does not reach it. Call it once, before anything else runs.
    ///
    /// # Errors
    /// Where this process was not started by [`Endpoint::spawn`].
    pub fn inherited() -> io::Result<Self> {
        let (receiver, sender) = platform::inherited()?;
        Ok(Self { receiver: Receiver(receiver), sender: Sender(sender) })
    }
}

impl Read for Receiver {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for Sender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        platform::close(&self.0);
    }
}
