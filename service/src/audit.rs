//! The audit trail on disk: every intent and every outcome, durable before anything goes on.
//!
//! The lines are core's ([`signer_core::audit`]). Here they go into files of the person's alone,
//! that are only ever appended to; a new file begins after eight mebibytes, and the chain goes
//! on across files. [`mod@trail`] reads them.

pub mod trail;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use ring::rand::{SecureRandom as _, SystemRandom};
use signer_core::{
    approval::{Approval, Record, summary::Summary},
    audit::{self, Boot, Entry, Position},
    error::ErrorCode,
};

use crate::{clock, dirs::Dirs};

/// A file that is longer is not appended to any more.
const ROTATE_AT: u64 = 8 << 20;

/// The trail of this login, to be appended to. Only the service that holds the login's lock has
/// one. Clones are the same.
#[derive(Clone)]
pub struct Ledger(Arc<Inner>);

struct Inner {
    dirs: Dirs,
    boot: Boot,
    rotate_at: u64,
    /// Nothing before the first use, and after a failure until the trail is looked at again.
    open: Mutex<Option<OpenTrail>>,
}

struct OpenTrail {
    file: File,
    number: u32,
    len: u64,
    position: Position,
}

/// Why a record is not on disk. Nothing is signed then.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The clock of this machine cannot be used.
    #[error("a record needs the time")]
    Clock(#[from] clock::ClockError),
    /// The last line of the trail is none of ours; nothing is appended to it.
    #[error("the audit trail {} ends in a line that is no record", .0.display())]
    Damaged(PathBuf),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes")]
    Random,
    /// The system refuses.
    #[error("the audit trail cannot be written")]
    Write(#[from] io::Error),
}

impl LedgerError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Clock(_) | Self::Damaged(_) | Self::Random | Self::Write(_) => ErrorCode::AuditUnavailable,
        }
    }
}

impl Ledger {
    /// The trail in the login's folders. Nothing is touched yet.
    ///
    /// # Errors
    /// Where the system gives no random bytes to tell this run of the service from others.
    pub fn new(dirs: Dirs) -> Result<Self, LedgerError> {
        Self::rotating(dirs, ROTATE_AT)
    }

    fn rotating(dirs: Dirs, rotate_at: u64) -> Result<Self, LedgerError> {
        let mut boot = [0; 16];
        SystemRandom::new().fill(&mut boot).map_err(|_| LedgerError::Random)?;
        Ok(Self(Arc::new(Inner { dirs, boot: Boot(boot), rotate_at, open: Mutex::new(None) })))
    }

    /// Whether a record could be written now, as far as can be seen without writing one.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self) -> Result<(), LedgerError> {
        self.with_open(|_| Ok(()))
    }

    /// What is to be written down of an approval.
    ///
    /// # Errors
    /// Where the clock cannot be used.
    pub fn entry(&self, approval: &Approval, number: u64, record: Record) -> Result<Entry, LedgerError> {
        Ok(approval.entry(record, number, self.0.boot, clock::now()?))
    }

    /// What is to be written down of a request that was refused before anybody was asked.
    ///
    /// # Errors
    /// Where the clock cannot be used.
    pub fn refusal(&self, summary: &Summary, code: ErrorCode, number: u64) -> Result<Entry, LedgerError> {
        Ok(summary.refusal(code, number, self.0.boot, clock::now()?))
    }

    /// Writes one record. Blocks until it is on disk.
    ///
    /// # Errors
    /// Where it is not; a part of it that was written is taken back, now or before the next one.
    pub fn append(&self, entry: &Entry) -> Result<(), LedgerError> {
        let rotate_at = self.0.rotate_at;
        self.with_open(|trail| {
            if trail.len >= rotate_at {
                trail.rotate(&self.0.dirs.audit_path())?;
            }
            let line = audit::next(&trail.position, entry);
            trail.write(line.as_str())?;
            trail.position = line.position().clone();
            Ok(())
        })
    }

    /// Uses the trail; after a failure it is opened anew, and so repaired.
    fn with_open<T>(
        &self,
        job: impl FnOnce(&mut OpenTrail) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever took the files away took the trail away: it is not written to where nobody
        // would find it.
        let mut trail = match open.take() {
            Some(trail) if trail.is_in(&self.0.dirs.audit_path()) => trail,
            Some(_) | None => OpenTrail::open(&self.0.dirs)?,
        };
        let result = job(&mut trail)?;
        *open = Some(trail);
        Ok(result)
    }
}

impl OpenTrail {
    /// Opens the newest file, after what a killed service may have left in it is settled.
    fn open(dirs: &Dirs) -> Result<Self, LedgerError> {
        let directory = dirs.audit().map_err(io::Error::other)?;
        let number = trail::numbers(&directory)?.last().copied().unwrap_or(1);
        let path = trail::path(&directory, number);
        let file = append_to(&path)?;
        // A name that is not on disk yet must not be lost with what is written under it.
        sync(&directory)?;
        let mut trail = Self { len: file.metadata()?.len(), file, number, position: Position::start() };
        trail.repair(&directory)?;
        trail.position = match trail::last_line(&path)? {
            Some(line) => Position::after(&line).map_err(|_| LedgerError::Damaged(path))?,
            None => match number.checked_sub(1).filter(|previous| *previous > 0) {
                Some(previous) => end_of(&trail::path(&directory, previous))?,
                None => Position::start(),
            },
        };
        Ok(trail)
    }

    /// Settles a last line without an end. A whole record gets its end; a part of one, for which
    /// nobody ever waited successfully, is moved to a file of its own and told.
    fn repair(&mut self, directory: &Path) -> Result<(), LedgerError> {
        let path = trail::path(directory, self.number);
        let Some((start, torn)) = trail::torn(&path)? else { return Ok(()) };
        if Position::after(&torn).is_ok() {
            self.file.write_all(b"\n")?;
            self.len += 1;
        } else {
            tracing::warn!(bytes = torn.len(), "the audit trail ends in a part of a record; it is set aside");
            let mut aside = append_to(&trail::torn_path(directory, self.number))?;
            aside.write_all(&torn)?;
            aside.write_all(b"\n")?;
            aside.sync_all()?;
            self.file.set_len(start)?;
            self.len = start;
        }
        self.file.sync_all()?;
        sync(directory)?;
        Ok(())
    }

    fn rotate(&mut self, directory: &Path) -> Result<(), LedgerError> {
        let number = self.number.saturating_add(1);
        self.file = append_to(&trail::path(directory, number))?;
        sync(directory)?;
        (self.number, self.len) = (number, self.file.metadata()?.len());
        Ok(())
    }

    fn write(&mut self, line: &str) -> io::Result<()> {
        let bytes = [line.as_bytes(), b"\n"].concat();
        let written = self.file.write_all(&bytes).and_then(|()| self.file.sync_data());
        if written.is_err() {
            // Where this fails too, the part is found when the trail is opened again.
            let _ = self.file.set_len(self.len);
        }
        written?;
        self.len += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    #[cfg(unix)]
    fn is_in(&self, directory: &Path) -> bool {
        use std::os::unix::fs::MetadataExt as _;

        let place = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let named = fs::symlink_metadata(trail::path(directory, self.number)).map(place);
        named.ok() == self.file.metadata().map(place).ok()
    }

    /// An open file cannot be taken away there.
    #[cfg(not(unix))]
    fn is_in(&self, directory: &Path) -> bool {
        trail::path(directory, self.number).exists()
    }
}

fn end_of(path: &Path) -> Result<Position, LedgerError> {
    let line = trail::last_line(path)?.ok_or_else(|| LedgerError::Damaged(path.to_owned()))?;
    Position::after(&line).map_err(|_| LedgerError::Damaged(path.to_owned()))
}

fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if let Ok(found) = fs::symlink_metadata(path)
        && !found.is_file()
    {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a file of the audit trail is no file"));
    }
    options.open(path)
}

#[cfg(unix)]
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_directory: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
