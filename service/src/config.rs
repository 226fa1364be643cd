//! The configuration: one TOML file, read once. What is not understood is refused, with the
//! line, the key and what was probably meant.

mod keys;

use std::{
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Deserialize;
use signer_core::{approval::Deadlines, error::ErrorCode};

use crate::file::bounded;

/// The commented file that `config sample` prints.
pub const SAMPLE: &str = include_str!("config/sample.toml");

/// The form of the file that this program reads.
const VERSION: u32 = 1;
/// The longest file in bytes.
const LONGEST: u64 = 1 << 20;

/// All settings, with their defaults where the file says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Config {
    /// How much is logged.
    pub log: LogLevel,
    /// The loopback ports to try, in order.
    pub ports: Ports,
    /// The largest document in bytes.
    pub document_limit: DocumentLimit,
    /// How long an approval may take.
    pub deadlines: Deadlines,
    /// Whether a terminal is asked.
    pub terminal: TerminalUse,
    /// The tray program, where it is not beside this one.
    pub tray: Option<PathBuf>,
    /// A folder whose A1 files are offered.
    pub credential_folder: Option<PathBuf>,
    /// Further PKCS#11 modules.
    pub modules: Vec<PathBuf>,
    /// Whether the known modules are used.
    pub known_modules: KnownModules,
    /// After which time an unused module is unloaded.
    pub idle: IdleTime,
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogLevel {
    /// Also values that may name people.
    Debug,
    /// Failures of ours.
    Error,
    /// What happens.
    #[default]
    Info,
    /// Everything.
    Trace,
    /// What deserves attention.
    Warn,
}

/// Whether a terminal agent is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TerminalUse {
    /// Where no window can be shown.
    #[default]
    Fallback,
    /// Before the window.
    First,
    /// Not at all.
    Never,
}

/// Whether modules are used that this login did not name: registered with p11-kit, or known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KnownModules {
    /// Only those that the configuration, the command line or the environment names are.
    Ignored,
    /// They are.
    #[default]
    Used,
}

/// Loopback ports, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ports(pub Vec<u16>);

/// A size in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentLimit(pub u64);

/// A time without use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdleTime(pub Duration);

impl Default for Ports {
    fn default() -> Self {
        Self(vec![29443, 29444, 29445, 29446])
    }
}

impl Default for DocumentLimit {
    fn default() -> Self {
        Self(2 << 30)
    }
}

impl Default for IdleTime {
    fn default() -> Self {
        Self(Duration::from_secs(60))
    }
}

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A line is at fault.
    #[error("{}:{line}: {fault}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong in it.
        fault: Fault,
    },
    /// The file cannot be read.
    #[error("{} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's words.
        #[source]
        source: io::Error,
    },
}

/// What is wrong in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is no TOML, or a value is of the wrong kind.
    Syntax(String),
    /// There is no such key.
    UnknownKey {
        /// The key, with its table.
        key: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// The value cannot be used.
    Value {
        /// The key, with its table.
        key: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// The file is of another version.
    Version(u32),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(words) => f.write_str(words),
            Self::UnknownKey { key, nearest: Some(nearest) } => {
                write!(f, "there is no key `{key}`; did you mean `{nearest}`?")
            }
            Self::UnknownKey { key, nearest: None } => write!(f, "there is no key `{key}`"),
            Self::Value { key, expected } => write!(f, "`{key}` must be {expected}"),
            Self::Version(version) => {
                write!(f, "the file has version {version} and this program reads version {VERSION}")
            }
        }
    }
}

impl ConfigError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Line { .. } | Self::Unreadable { .. } => ErrorCode::ConfigInvalid,
        }
    }
}

impl Config {
    /// Reads the file that was named; it must be there.
    ///
    /// # Errors
    /// Where it cannot be read or used.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let unreadable = |source| ConfigError::Unreadable { path: path.to_owned(), source };
        let bytes = bounded::read(path, LONGEST).map_err(unreadable)?;
        let no_text = |error| unreadable(io::Error::new(io::ErrorKind::InvalidData, error));
        Self::parse(std::str::from_utf8(&bytes).map_err(no_text)?, path)
    }

    /// Reads the login's file; where there is none, everything has its default.
    ///
    /// # Errors
    /// Where it is there and cannot be read or used.
    pub fn read_or_default(path: &Path) -> Result<Self, ConfigError> {
        match Self::read(path) {
            Err(ConfigError::Unreadable { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(Self::default())
            }
            other => other,
        }
    }

    /// Takes the text of `path`.
    ///
    /// # Errors
    /// Where a line cannot be used.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ConfigError> {
        keys::parse(text).map_err(|(offset, fault)| ConfigError::Line {
            path: path.to_owned(),
            line: text.get(..offset).map_or(1, |before| before.matches('\n').count() + 1),
            fault,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text, Path::new("config.toml")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_sample_names_every_key_with_its_default() {
        assert_eq!(parse(SAMPLE), Ok(Config::default()));
        let uncommented: String = SAMPLE
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(setting) if !setting.starts_with(' ') => format!("{setting}\n"),
                Some(_) | None => format!("{line}\n"),
            })
            .collect();
        let all = parse(&uncommented).unwrap();
        let expected = Config {
            tray: Some("/usr/bin/cybercore-signer-tray".into()),
            credential_folder: Some("/srv/a1".into()),
            modules: vec!["/usr/lib/softhsm/libsofthsm2.so".into()],
            ..Config::default()
        };
        assert_eq!(all, expected);
        for key in keys::ALL {
            let name = key.rsplit('.').next().unwrap();
            assert!(
                SAMPLE.lines().any(|line| line.trim_start_matches('#').starts_with(&format!("{name} ="))),
                "{key}"
            );
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line_and_what_was_meant() {
        let error = parse("version = 1\n\n[http]\nport = [1]\n").unwrap_err();
        assert_eq!(error, "config.toml:4: there is no key `http.port`; did you mean `http.ports`?");
        let error = parse("version = 1\nlogg = \"info\"\n").unwrap_err();
        assert_eq!(error, "config.toml:2: there is no key `logg`; did you mean `log`?");
        let error = parse("version = 1\n[colours]\nx = 1\n").unwrap_err();
        assert_eq!(error, "config.toml:2: there is no key `colours`");
    }

    #[test]
    fn values_are_checked_where_they_stand() {
        let cases = [
            ("version = 2\n", "config.toml:1: the file has version 2 and this program reads version 1"),
            ("log = \"info\"\n", "config.toml:1: `version` must be 1"),
            (
                "version = 1\n[http]\nports = []\n",
                "config.toml:3: `http.ports` must be a list of ports, at least one",
            ),
            ("version = 1\n[http]\nports = [80, 70000]\n", "config.toml:3: "),
            (
                "version = 1\n[approval]\nanswer_seconds = 0\n",
                "config.toml:3: `approval.answer_seconds` must be 10 to 3600 seconds",
            ),
            ("version = 1\n[ask]\ntray = \"tray\"\n", "config.toml:3: `ask.tray` must be an absolute path"),
            ("version = 1\n[ask]\nterminal = \"yes\"\n", "config.toml:3: "),
            ("version = 1\n[tokens\n", "config.toml:2: "),
        ];
        for (text, expected) in cases {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
