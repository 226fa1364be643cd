//! A login without rights, for what must not need any.

use std::{
    fs, io,
    os::unix::{fs::lchown, process::CommandExt as _},
    path::Path,
    process::Command,
};

use nix::unistd::{Gid, Uid, User, geteuid};

/// Whom programs run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunAs {
    /// The user of the test.
    Own,
    /// Another one, whom only root can become.
    Other {
        /// Its number.
        user: Uid,
        /// Of its group.
        group: Gid,
    },
}

impl RunAs {
    /// Somebody without rights: `nobody` where the test runs as root.
    ///
    /// # Panics
    /// Where this system has no `nobody`.
    pub fn unprivileged() -> Self {
        if !geteuid().is_root() {
            return Self::Own;
        }
        let nobody = User::from_name("nobody").expect("the users can be read").expect("there is a nobody");
        Self::Other { user: nobody.uid, group: nobody.gid }
    }

    /// Lets the command run as this user.
    pub fn apply(self, command: &mut Command) {
        match self {
            Self::Own => {}
            Self::Other { user, group } => {
                command.uid(user.as_raw()).gid(group.as_raw());
            }
        }
    }

    /// Gives a folder and everything in it to this user.
    ///
    /// # Panics
    /// Where that fails.
    pub fn own(self, path: &Path) {
        match self {
            Self::Own => {}
            Self::Other { user, group } => give(path, user, group).expect("root gives what it has"),
        }
    }
}

fn give(path: &Path, user: Uid, group: Gid) -> io::Result<()> {
    lchown(path, Some(user.as_raw()), Some(group.as_raw()))?;
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), user, group)?;
        }
    }
    Ok(())
}
