//! That a service runs in this login, and where: a lock that ends with its process, and a small
//! file for the other commands.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use signer_core::error::ErrorCode;

/// Far longer than anybody holds the lock who only looks.
const GLANCE: Duration = Duration::from_millis(100);

/// The lock of this login, held. Dropping it gives it back, as does the end of the process.
#[derive(Debug)]
pub struct Lock {
    directory: PathBuf,
    _file: File,
}

/// Whether somebody holds the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// No service runs.
    No,
    /// A service runs.
    Yes,
}

/// Why the lock is not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another service holds it.
    #[error("a service runs in this login already")]
    Running,
    /// The system refuses.
    #[error("the lock cannot be used")]
    System(#[source] io::Error),
}

/// Where the running service is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// Its process.
    pub process: u32,
    /// The loopback ports of its HTTP interface.
    pub ports: Vec<u16>,
}

impl LockError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Running => ErrorCode::ServiceRunning,
            Self::System(_) => ErrorCode::OutputUnwritable,
        }
    }
}

impl Lock {
    /// Takes the lock of the login whose runtime folder this is. Waits a moment where it is held:
    /// it may be by a command that only looks.
    ///
    /// # Errors
    /// [`LockError::Running`] where another service holds it.
    pub fn take(directory: &Path) -> Result<Self, LockError> {
        let end = Instant::now() + GLANCE;
        loop {
            match Self::try_take(directory) {
                // Whoever looks whether a service runs holds it for a moment.
                Err(LockError::Running) if Instant::now() < end => thread::sleep(GLANCE / 20),
                other => return other,
            }
        }
    }

    fn try_take(directory: &Path) -> Result<Self, LockError> {
        let path = directory.join("service.lock");
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(LockError::System)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { directory: directory.to_owned(), _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Running),
            Err(TryLockError::Error(error)) => Err(LockError::System(error)),
        }
    }

    /// Whether a service holds the lock now.
    pub fn look(directory: &Path) -> Held {
        match Self::try_take(directory) {
            Err(LockError::Running) => Held::Yes,
            Ok(_) | Err(LockError::System(_)) => Held::No,
        }
    }
}

impl Presence {
    /// What the running service wrote; nothing where none runs.
    pub fn read(directory: &Path) -> Option<Self> {
        // The file first: where there is none, a service that is about to start finds its lock free.
        let presence = serde_json::from_slice(&fs::read(path(directory)).ok()?).ok()?;
        (Lock::look(directory) == Held::Yes).then_some(presence)
    }

    /// Tells the other commands, in one step.
    pub(super) fn write(&self, lock: &Lock) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(&lock.directory)?;
        serde_json::to_writer(&mut file, self)?;
        file.flush()?;
        file.persist(path(&lock.directory)).map_err(|error| error.error)?;
        Ok(())
    }

    pub(super) fn remove(lock: &Lock) -> io::Result<()> {
        match fs::remove_file(path(&lock.directory)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn path(directory: &Path) -> PathBuf {
    directory.join("service.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_and_it_tells_where_it_is() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(Presence::read(place.path()), None);
        let lock = Lock::take(place.path()).unwrap();
        assert!(matches!(Lock::take(place.path()), Err(LockError::Running)));
        let presence = Presence { process: 7, ports: vec![29443] };
        presence.write(&lock).unwrap();
        assert_eq!(Presence::read(place.path()), Some(presence));
        drop(lock);
        // A service that was killed has left its file, but not its lock.
        assert_eq!(Presence::read(place.path()), None);
        Lock::take(place.path()).unwrap();
    }
}
