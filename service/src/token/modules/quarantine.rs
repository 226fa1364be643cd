//! Modules that are not loaded any more because their token hosts crashed or hung again and again,
//! until their file changes or the person says so. Kept in a small file of this login.
//!
//! What happened and what follows from it is in `record`; here is the file.

mod record;

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    clock,
    file::bounded,
    token::error::{Step, TokenError},
};

use record::{FileState, Record};
pub use record::{Incident, What};

/// The form of the file.
const VERSION: u32 = 1;
/// The longest file in bytes.
const LONGEST: u64 = 1 << 20;

/// The file of this login. Cheap to make and to clone; every call reads the file anew, because the
/// service and the command line share it.
#[derive(Debug, Clone)]
pub struct Quarantine {
    path: PathBuf,
}

/// A module in quarantine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The module.
    pub path: PathBuf,
    /// What happened, oldest first; at least two.
    pub incidents: Vec<Incident>,
}

/// Everything that is in quarantine.
#[derive(Debug, Default)]
pub struct Inmates {
    /// The modules.
    pub modules: Vec<Quarantined>,
    /// Why the file is taken as empty, where it is there and cannot be used.
    pub damage: Option<QuarantineError>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum QuarantineError {
    /// It is not what this program writes.
    #[error("{} is damaged, or of a newer version; it is taken as empty", .0.display())]
    Damaged(PathBuf),
    /// It cannot be read.
    #[error("{} cannot be read; it is taken as empty", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// It cannot be written.
    #[error("{} cannot be written", .0.display())]
    Write(PathBuf, #[source] io::Error),
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnDisk {
    version: u32,
    modules: Vec<Record>,
}

/// What is to be done with the record of a module.
enum Change {
    Forget,
    Keep,
    Write(Record),
}

impl Quarantine {
    /// Over the file at `path`, which need not be there. Its folder must be, for what is written.
    pub const fn open(path: PathBuf) -> Self {
        Self { path }
    }

    /// Why this module is not to be loaded; nothing where it may be. A few system calls.
    pub fn reason(&self, module: &Path) -> Option<Quarantined> {
        let state = FileState::read(module)?;
        let records = self.read().unwrap_or_default();
        records
            .into_iter()
            .find(|record| record.is_of(module))
            .filter(|record| record.holds(&state))
            .map(inmate)
    }

    /// Whether this module may be loaded.
    ///
    /// # Errors
    /// [`TokenError::ModuleQuarantined`] where it is in quarantine.
    pub fn permit(&self, module: &Path) -> Result<(), TokenError> {
        let Some(Quarantined { incidents, .. }) = self.reason(module) else { return Ok(()) };
        let last = incidents.last().map(|incident| format!("{} while {}", incident.what, incident.step));
        Err(TokenError::ModuleQuarantined { reason: last.unwrap_or_default() })
    }

    /// Everything that is in quarantine.
    pub fn inmates(&self) -> Inmates {
        let (records, damage) = match self.read() {
            Ok(records) => (records, None),
            Err(damage) => (Vec::new(), Some(damage)),
        };
        let holds =
            |record: &Record| FileState::read(record.path()).is_some_and(|state| record.holds(&state));
        Inmates { modules: records.into_iter().filter(holds).map(inmate).collect(), damage }
    }

    /// Writes down what happened in the module's token host. Durable when it returns.
    ///
    /// # Errors
    /// Where it cannot be written; what was known before is as it was then.
    pub fn failed(&self, module: &Path, incident: Incident) -> Result<(), QuarantineError> {
        // A module that is gone needs no quarantine.
        let Some(state) = FileState::read(module) else { return Ok(()) };
        self.change(module, |known| Change::Write(Record::after(known, module, state, incident)))
    }

    /// The module did everything up to `step`: what went wrong there before is forgiven. Costs a
    /// few system calls where nothing did.
    ///
    /// # Errors
    /// As [`Quarantine::failed`].
    pub fn worked(&self, module: &Path, step: Step) -> Result<(), QuarantineError> {
        if !self.read().unwrap_or_default().iter().any(|record| record.is_of(module)) {
            return Ok(());
        }
        self.change(module, |known| match known {
            None => Change::Keep,
            Some(known) => known.without(step).map_or(Change::Forget, Change::Write),
        })
    }

    /// Writes down how it went up to `step`: [`Quarantine::worked`], or [`Quarantine::failed`] where
    /// the module is to blame. That it cannot be written is logged, and hides nothing else.
    pub fn note<T>(&self, module: &Path, step: Step, result: &Result<T, TokenError>) {
        let written = match result {
            Ok(_) => self.worked(module, step),
            Err(error) => match clock::now().ok().and_then(|now| Incident::of(error, now)) {
                Some(incident) => self.failed(module, incident),
                None => Ok(()),
            },
        };
        if let Err(error) = written {
            tracing::warn!(%error, "what a module did is not remembered");
        }
    }

    /// Forgets everything about a module, because the person says so.
    ///
    /// # Errors
    /// As [`Quarantine::failed`].
    pub fn release(&self, module: &Path) -> Result<(), QuarantineError> {
        self.change(module, |known| if known.is_some() { Change::Forget } else { Change::Keep })
    }

    /// Changes one record while no other process of this login does.
    fn change(
        &self,
        module: &Path,
        decide: impl FnOnce(Option<Record>) -> Change,
    ) -> Result<(), QuarantineError> {
        let unwritable = |error| QuarantineError::Write(self.path.clone(), error);
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.path.with_extension("lock"))
            .map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        let mut records = self.read().unwrap_or_else(|error| {
            tracing::warn!(%error, "what was known of modules that failed is lost");
            Vec::new()
        });
        let known = records.iter().position(|record| record.is_of(module)).map(|at| records.remove(at));
        match decide(known) {
            Change::Keep => return Ok(()),
            Change::Forget => {}
            Change::Write(record) => records.push(record),
        }
        // A module that is gone, or another one now, needs no record.
        records.retain(Record::is_current);
        self.write(records).map_err(unwritable)
    }

    fn read(&self) -> Result<Vec<Record>, QuarantineError> {
        let bytes = match bounded::read(&self.path, LONGEST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(QuarantineError::Read(self.path.clone(), error)),
        };
        match serde_json::from_slice(&bytes) {
            Ok(OnDisk { version: VERSION, modules }) => Ok(modules),
            Ok(_) | Err(_) => Err(QuarantineError::Damaged(self.path.clone())),
        }
    }

    fn write(&self, modules: Vec<Record>) -> io::Result<()> {
        let bytes = serde_json::to_vec_pretty(&OnDisk { version: VERSION, modules })?;
        let directory = self.path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(directory)?;
        file.write_all(&bytes)?;
        file.as_file().sync_all()?;
        file.persist(&self.path).map_err(|error| error.error)?;
        #[cfg(unix)]
        std::fs::File::open(directory)?.sync_all()?;
        Ok(())
    }
}

fn inmate(record: Record) -> Quarantined {
    let (path, incidents) = record.into_parts();
    Quarantined { path, incidents }
}

#[cfg(test)]
mod tests;
