//! From the list of registered credentials to where each key is now.

use std::path::Path;

use crate::credentials::{
    Source,
    folder::Folder,
    registered::{self, Entry, Place, Registered},
};

/// The registered credentials whose keys are there, the name of the file of each, and where a
/// token host finds the key. A credential of the folder is left out while no file there has its
/// content; a linked file and a stored key are not looked for here.
pub fn of_list<'a>(
    registered: &'a Registered,
    list: &Path,
    folder: Option<&Folder>,
) -> Vec<(&'a Entry, Option<String>, Source)> {
    let any = registered.entries().iter().any(|entry| matches!(entry.place, Place::Folder { .. }));
    let files = folder.filter(|_| any).map(|folder| folder.look().files).unwrap_or_default();
    let placed = |entry: &'a Entry| {
        let (name, source) = match &entry.place {
            Place::Folder { content } => {
                let file = files.iter().find(|file| file.content == *content)?;
                (name(&file.path), Source::File(file.path.clone()))
            }
            Place::Linked(path) => (name(path), Source::File(path.clone())),
            Place::Stored { content, protection, name } => {
                let path = registered::key_file(list, content);
                (name.clone(), Source::Stored { path, protection: *protection })
            }
        };
        Some((entry, name, source))
    };
    registered.entries().iter().filter_map(placed).collect()
}

/// The name of a file without its folder.
pub fn name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}
