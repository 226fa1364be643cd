//! The watched folder of A1 files: what is in it is looked at when somebody asks, and costs nothing
//! while nobody does.
//!
//! The certificates of an A1 file are encrypted as a rule. Such a file says nothing but its name
//! until its password was given once; from then on its certificate is known by the content of the
//! file, wherever in the folder it lies and whatever it is called.

use std::{
    collections::HashMap,
    fs::{self, Metadata},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use signer_core::digest::{Digest, DigestAlgorithm};

use crate::file::bounded;

/// A larger file is no A1 file.
const LONGEST: u64 = 1 << 20;
/// More files than this are not looked at; how many is told.
const MOST: usize = 256;
/// What the names of A1 files end in.
const EXTENSIONS: [&str; 2] = ["p12", "pfx"];

/// A folder that is looked at. What was read of a file is kept until the file changes.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    last: Mutex<Last>,
}

/// What the last look found.
#[derive(Debug, Default)]
struct Last {
    read: HashMap<PathBuf, (Stamp, Digest)>,
    not_looked_at: usize,
}

/// What is in the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InFolder {
    /// The A1 files, by name.
    pub files: Vec<FolderFile>,
    /// How many more files have names of A1 files and were not looked at, as they are too many.
    pub not_looked_at: usize,
}

/// An A1 file in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Where it is.
    pub path: PathBuf,
    /// The SHA-256 of its content.
    pub content: Digest,
}

/// What changes with the content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    len: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl Folder {
    /// A folder that need not be there. Nothing is read yet.
    pub fn new(path: PathBuf) -> Self {
        Self { path, last: Mutex::default() }
    }

    /// Whether the file at `path` lies in it.
    pub fn holds(&self, path: &Path) -> bool {
        let folder = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        path.canonicalize().is_ok_and(|path| path.parent() == Some(&folder))
    }

    /// The A1 files that are in it now. A file whose content was read before and has not changed
    /// since is not read again. That some are not looked at is logged when their number changes.
    pub fn look(&self) -> InFolder {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut now = HashMap::new();
        let (candidates, not_looked_at) = self.candidates();
        for (path, stamp) in candidates {
            let known = last.read.remove(&path).filter(|(known, _)| *known == stamp);
            let content = match known {
                Some((_, content)) => content,
                None => match bounded::read(&path, LONGEST) {
                    Ok(bytes) => DigestAlgorithm::Sha256.digest(&bytes),
                    // Gone since, or not for this login to read.
                    Err(_) => continue,
                },
            };
            now.insert(path, (stamp, content));
        }
        let mut files: Vec<_> = now
            .iter()
            .map(|(path, (_, content))| FolderFile { path: path.clone(), content: content.clone() })
            .collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        if not_looked_at != last.not_looked_at && not_looked_at > 0 {
            tracing::warn!(
                most = MOST,
                not_looked_at,
                "the watched folder holds more files than are looked at"
            );
        }
        *last = Last { read: now, not_looked_at };
        InFolder { files, not_looked_at }
    }

    /// The files to look at, and how many more there are.
    fn candidates(&self) -> (Vec<(PathBuf, Stamp)>, usize) {
        let entries = match fs::read_dir(&self.path) {
            Ok(entries) => entries,
            Err(error) => {
                tracing::debug!(folder = %self.path.display(), %error, "the watched folder cannot be read");
                return (Vec::new(), 0);
            }
        };
        let mut paths: Vec<_> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_named_so(path)).collect();
        paths.sort();
        let more = paths.len().saturating_sub(MOST);
        paths.truncate(MOST);
        let stamped = |path: PathBuf| {
            let metadata = path.metadata().ok().filter(Metadata::is_file)?;
            (metadata.len() <= LONGEST).then(|| (path, Stamp::of(&metadata)))
        };
        (paths.into_iter().filter_map(stamped).collect(), more)
    }
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        Self {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            inode: std::os::unix::fs::MetadataExt::ino(metadata),
        }
    }
}

fn is_named_so(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_change_and_go() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path().join("a1"));
        assert_eq!(folder.look(), InFolder::default());
        fs::create_dir(place.path().join("a1")).unwrap();
        let file = |name: &str| place.path().join("a1").join(name);
        for (name, content) in [("b.PFX", "b"), ("a.p12", "a"), ("c.txt", "c")] {
            fs::write(file(name), content).unwrap();
        }
        fs::create_dir(file("d.p12")).unwrap();
        let names = || folder.look().files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
        assert_eq!(names(), [file("a.p12"), file("b.PFX")]);
        let before = folder.look().files;
        fs::write(file("a.p12"), "longer").unwrap();
        fs::rename(file("b.PFX"), file("e.p12")).unwrap();
        let after = folder.look().files;
        assert_eq!(names(), [file("a.p12"), file("e.p12")]);
        assert_ne!(after[0].content, before[0].content);
        assert_eq!(after[1].content, before[1].content);
        assert!(folder.holds(&file("e.p12")) && !folder.holds(&file("b.PFX")) && !folder.holds(place.path()));
        fs::remove_file(file("e.p12")).unwrap();
        assert_eq!(names(), [file("a.p12")]);
    }

    #[test]
    fn what_is_not_looked_at_is_counted() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::new(place.path().to_owned());
        for number in 0..MOST + 3 {
            fs::write(place.path().join(format!("{number:04}.p12")), "a").unwrap();
        }
        let found = folder.look();
        assert_eq!((found.files.len(), found.not_looked_at), (MOST, 3));
        for number in 0..3 {
            fs::remove_file(place.path().join(format!("{number:04}.p12"))).unwrap();
        }
        let found = folder.look();
        assert_eq!((found.files.len(), found.not_looked_at), (MOST, 0));
    }
}
