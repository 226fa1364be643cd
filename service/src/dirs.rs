//! Where the program keeps its own files: the only place that knows the system's folders.
//!
//! Every folder is made on first use and, on Unix, can be entered by its owner alone.

use std::{
    fs::DirBuilder,
    io,
    path::{Path, PathBuf},
};

use directories::{BaseDirs, ProjectDirs};

/// The folders of one login. Cheap to make; nothing is touched before it is asked for.
#[derive(Debug, Clone)]
pub struct Dirs {
    config: PathBuf,
    state: PathBuf,
    spool: PathBuf,
    runtime: PathBuf,
}

/// Why there is no place for our files.
#[derive(Debug, thiserror::Error)]
pub enum DirsError {
    /// The system does not say where this login's folders are.
    #[error("this login has no home folder")]
    Homeless,
    /// A folder cannot be made or closed to others.
    #[error("the folder {} cannot be used", path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// The system's words.
        #[source]
        source: io::Error,
    },
}

impl Dirs {
    /// The folders that the environment and the system name.
    ///
    /// # Errors
    /// Where this login has no home.
    pub fn of_login() -> Result<Self, DirsError> {
        let project = ProjectDirs::from("", "", "cybercore-signer").ok_or(DirsError::Homeless)?;
        let bases = BaseDirs::new().ok_or(DirsError::Homeless)?;
        let state =
            project.state_dir().map_or_else(|| project.data_local_dir().join("state"), Path::to_owned);
        // Other programs keep their folders under the same one; without it the socket is among
        // our own files.
        let runtime =
            bases.runtime_dir().map_or_else(|| state.join("run"), |runtime| runtime.join("cybercore-signer"));
        Ok(Self {
            config: project.config_dir().to_owned(),
            spool: project.cache_dir().join("spool"),
            runtime,
            state,
        })
    }

    /// Where this login has its configuration of p11-kit, whether it is there or not.
    pub fn p11_kit_of_login() -> Option<PathBuf> {
        let bases = BaseDirs::new()?;
        // p11-kit knows `XDG_CONFIG_HOME` on every Unix, and no other folder of the system's.
        let config = match std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from) {
            Some(config) if config.is_absolute() => config,
            Some(_) | None => bases.home_dir().join(".config"),
        };
        Some(config.join("pkcs11"))
    }

    /// Folders within another one, for tests.
    #[cfg(all(test, unix))]
    pub(crate) fn within(root: &Path) -> Self {
        Self {
            config: root.join("config"),
            state: root.join("state"),
            spool: root.join("spool"),
            runtime: root.join("run"),
        }
    }

    /// Where `config.toml` lies, if anybody wrote one.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// Pairings, registered credentials, stored keys, modules in quarantine and the audit trail.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn state(&self) -> Result<&Path, DirsError> {
        private(&self.state)
    }

    /// The audit trail.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn audit(&self) -> Result<PathBuf, DirsError> {
        self.state()?;
        let path = self.state.join("audit");
        private(&path)?;
        Ok(path)
    }

    /// The audit trail, whether it is there or not.
    pub fn audit_path(&self) -> PathBuf {
        self.state.join("audit")
    }

    /// The file of registered credentials, whether it is there or not.
    pub fn credentials_file(&self) -> PathBuf {
        self.state.join("credentials.json")
    }

    /// The stored keys.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn keys(&self) -> Result<PathBuf, DirsError> {
        self.state()?;
        let path = self.state.join("keys");
        private(&path)?;
        Ok(path)
    }

    /// The file of modules in quarantine, whether it is there or not.
    pub fn quarantine_file(&self) -> PathBuf {
        self.state.join("quarantine.json")
    }

    /// The file of pairings, whether it is there or not.
    pub fn pairings_file(&self) -> PathBuf {
        self.state.join("pairings.json")
    }

    /// Documents on their way. On a disk, not in memory.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn spool(&self) -> Result<&Path, DirsError> {
        private(&self.spool)
    }

    /// The socket of the login and the lock of its service.
    ///
    /// # Errors
    /// Where it cannot be made, or is somebody else's.
    pub fn runtime(&self) -> Result<&Path, DirsError> {
        private(&self.runtime)
    }
}

/// Makes a folder with its parents, and closes it to others. One that is there is closed, too.
fn private(path: &Path) -> Result<&Path, DirsError> {
    let unusable = |source| DirsError::Unusable { path: path.to_owned(), source };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(unusable)?;
    #[cfg(unix)]
    close(path).map_err(unusable)?;
    Ok(path)
}

/// A folder of another user is refused: setting the mode fails there.
#[cfg(unix)]
fn close(path: &Path) -> io::Result<()> {
    use std::{
        fs,
        os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    };

    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not a folder of this user"));
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::*;

    #[test]
    fn folders_are_closed_to_others_and_links_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b");
        private(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        private(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        let link = place.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(private(&link).is_err());
    }
}
