//! Inputs to begin with: what the documents of the tests and of the corpus give a target.

use std::{
    fs,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::{Path, PathBuf},
};

use crate::targets::Target;

/// Every input that the files in `folders` give `target`, in a fixed order, none twice.
pub fn of(target: &Target, folders: &[PathBuf]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for file in folders.iter().flat_map(|folder| files(folder)) {
        let Ok(bytes) = fs::read(&file) else { continue };
        seeds.extend((target.seeds)(&bytes).into_iter().filter(|seed| seed.len() <= target.longest));
    }
    seeds.sort();
    seeds.dedup();
    seeds
}

/// Writes them into `folder`, each under a name that its content gives.
pub fn write(target: &Target, documents: &[PathBuf], folder: &Path) {
    fs::create_dir_all(folder).expect("the folder is writable");
    for seed in of(target, documents) {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        let file = folder.join(format!("{:016x}", hasher.finish()));
        fs::write(file, seed).expect("the folder is writable");
    }
}

/// The files below `folder`, in the order of their names.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    let inside = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.into_iter().flat_map(inside).collect()
}
