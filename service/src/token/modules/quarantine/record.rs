//! What happened to one module, and what follows from it. Reads no clock and, but for
//! [`FileState::read`], no file.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::{Duration, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};
use signer_core::moment::Moment;

use crate::token::error::{End, ModuleLoaded, Step, TokenError};

/// After how many incidents in a row a module is not loaded any more.
const LIMIT: usize = 2;
/// How many incidents are kept.
const KEPT: usize = 8;

/// What went wrong in a token host, by the module's fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Incident {
    /// What.
    pub what: What,
    /// What the host was doing.
    pub step: Step,
    /// When, in seconds since the epoch.
    pub at: i64,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum What {
    /// The host ended.
    Crashed {
        /// How, as the system says it.
        status: String,
    },
    /// The host did not answer in time.
    Hung {
        /// After how many seconds it was given up.
        seconds: u64,
    },
}

/// What a file was when something happened: by this it is known whether it is still the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FileState {
    /// Zero where the system has none.
    inode: u64,
    /// Nanoseconds since the epoch.
    modified: u64,
    size: u64,
}

/// A module with what happened to it since it last worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Record {
    path: PathBuf,
    file: FileState,
    incidents: Vec<Incident>,
}

impl Incident {
    /// What an error of a token host says against its module; nothing where the module is not to
    /// blame.
    ///
    /// A host that was killed was killed by somebody else. While a PIN is taken or a signature is
    /// made, the person may be the one who is waited for.
    pub fn of(error: &TokenError, now: Moment) -> Option<Self> {
        let at = now.unix_seconds();
        if let TokenError::Crashed { step, module: ModuleLoaded::Yes, end: End::ByItself, status } = error {
            return Some(Self { what: What::Crashed { status: status.clone() }, step: *step, at });
        }
        let TokenError::TimedOut { step, after } = error else { return None };
        let nobody_is_waited_for = matches!(step, Step::OpenModule | Step::Tokens | Step::Credentials);
        nobody_is_waited_for.then_some(Self {
            what: What::Hung { seconds: after.as_secs() },
            step: *step,
            at,
        })
    }
}

impl FileState {
    /// That of the file at `path` now; nothing where there is none.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Self {
            inode,
            modified: u64::try_from(modified.as_nanos()).unwrap_or(u64::MAX),
            size: metadata.len(),
        })
    }
}

impl Record {
    /// What is known of a module after an incident. What happened to another file of its name
    /// does not count.
    pub(super) fn after(known: Option<Self>, module: &Path, file: FileState, incident: Incident) -> Self {
        let mut incidents =
            known.filter(|known| known.file == file).map(|known| known.incidents).unwrap_or_default();
        incidents.push(incident);
        let surplus = incidents.len().saturating_sub(KEPT);
        incidents.drain(..surplus);
        Self { path: module.to_owned(), file, incidents }
    }

    /// What is left after the module did everything up to `step`; nothing where nothing is.
    pub(super) fn without(mut self, step: Step) -> Option<Self> {
        self.incidents.retain(|incident| reach(incident.step) > reach(step));
        (!self.incidents.is_empty()).then_some(self)
    }

    /// Whether a file in this state is in quarantine.
    pub(super) fn holds(&self, state: &FileState) -> bool {
        self.file == *state && self.incidents.len() >= LIMIT
    }

    pub(super) fn is_of(&self, module: &Path) -> bool {
        self.path == module
    }

    /// Whether its file is still there, and still the same.
    pub(super) fn is_current(&self) -> bool {
        FileState::read(&self.path).is_some_and(|state| state == self.file)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn into_parts(self) -> (PathBuf, Vec<Incident>) {
        (self.path, self.incidents)
    }
}

/// How far into its work a module is at a step.
const fn reach(step: Step) -> u8 {
    match step {
        Step::Start => 0,
        Step::OpenFile | Step::OpenModule => 1,
        Step::Tokens => 2,
        Step::Credentials => 3,
        Step::Unlock => 4,
        // Modules store nothing.
        Step::Sign | Step::Store => 5,
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Crashed { status } => write!(f, "crashed ({status})"),
            Self::Hung { seconds } => write!(f, "did not answer within {seconds} s"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_780_000_000;

    fn state(inode: u64) -> FileState {
        FileState { inode, modified: 1, size: 1 }
    }

    fn crash(step: Step) -> Incident {
        Incident { what: What::Crashed { status: "signal: 6 (SIGABRT)".to_owned() }, step, at: NOW }
    }

    fn after(incidents: &[Incident]) -> Record {
        let add = |known, incident: &Incident| {
            Some(Record::after(known, Path::new("/m.so"), state(1), incident.clone()))
        };
        incidents.iter().fold(None, add).unwrap()
    }

    #[test]
    fn two_in_a_row_are_too_many() {
        assert!(!after(&[crash(Step::OpenModule)]).holds(&state(1)));
        let twice = after(&[crash(Step::OpenModule), crash(Step::Tokens)]);
        assert!(twice.holds(&state(1)));
        assert!(!twice.holds(&state(2)), "another file of that name");
        let anew = Record::after(Some(twice), Path::new("/m.so"), state(2), crash(Step::Tokens));
        assert!(!anew.holds(&state(2)), "what happened to the other file does not count");
    }

    #[test]
    fn what_worked_is_forgiven_as_far_as_it_worked() {
        assert_eq!(after(&[crash(Step::OpenModule), crash(Step::Tokens)]).without(Step::Credentials), None);
        // A module that lists and never signs is in quarantine for it after all.
        let listed = after(&[crash(Step::Sign)]).without(Step::Credentials).unwrap();
        let again = Record::after(Some(listed), Path::new("/m.so"), state(1), crash(Step::Sign));
        assert!(again.holds(&state(1)));
        assert_eq!(again.without(Step::Sign), None);
    }

    #[test]
    fn a_record_does_not_grow() {
        let many: Vec<_> = (0..100).map(|at| Incident { at, ..crash(Step::Tokens) }).collect();
        let record = after(&many);
        assert_eq!(record.incidents.len(), KEPT);
        assert_eq!(record.incidents.last().unwrap().at, 99);
    }

    #[test]
    fn the_module_is_blamed_for_its_own_faults_only() {
        let now = Moment::new(NOW, 0).unwrap();
        let crashed = |module, end| TokenError::Crashed {
            step: Step::Sign,
            module,
            end,
            status: "signal: 11 (SIGSEGV)".to_owned(),
        };
        let timed_out = |step| TokenError::TimedOut { step, after: Duration::from_secs(20) };
        let blamed = |error: &TokenError| Incident::of(error, now).map(|incident| incident.what);
        assert_eq!(
            blamed(&crashed(ModuleLoaded::Yes, End::ByItself)),
            Some(What::Crashed { status: "signal: 11 (SIGSEGV)".to_owned() })
        );
        assert_eq!(blamed(&timed_out(Step::Tokens)), Some(What::Hung { seconds: 20 }));
        for error in [
            crashed(ModuleLoaded::No, End::ByItself),
            crashed(ModuleLoaded::Yes, End::Killed),
            timed_out(Step::Start),
            timed_out(Step::Sign),
            timed_out(Step::Unlock),
            TokenError::Absent,
        ] {
            assert_eq!(blamed(&error), None, "{error}");
        }
    }
}
