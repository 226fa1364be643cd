//! `credentials list`: what is registered, where the key of each is, and what is not as it should be.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use signer_ipc::token_host::Protection;

use crate::{
    cli::{arguments::language, failure::Failure, registered, screen},
    credentials::registered::{Entry, Place, Registered, key_file},
    dirs::Dirs,
};

/// Runs the command.
pub(super) fn run(as_json: bool) -> Result<(), Failure> {
    let dirs = registered::dirs()?;
    let list = registered::list(&dirs)?;
    let Watched { known, waiting, not_looked_at } = watched(&dirs, &list)?;
    let found = |entry| find(entry, &dirs.credentials_file(), &known);
    if as_json {
        let with = |entry| {
            let mut facts = as_facts(entry);
            facts.insert("present".to_owned(), found(entry).is_some().into());
            if let (Place::Folder { .. }, Some(path)) = (&entry.place, found(entry)) {
                facts.insert("file".to_owned(), json!(path));
            }
            Value::Object(facts)
        };
        let entries: Vec<Value> = list.entries().iter().map(with).collect();
        screen::json(&json!({
            "credentials": entries,
            "waiting": waiting,
            "notLookedAt": not_looked_at,
        }));
        return Ok(());
    }
    let language = language();
    for entry in list.entries() {
        match (found(entry), &entry.place) {
            (Some(path), Place::Folder { .. }) => {
                screen::line(&format!("{}  {}", registered::name(entry), path.display()));
            }
            (Some(_), Place::Linked(_) | Place::Stored { .. }) => screen::line(&line(entry)),
            (None, _) => screen::line(&format!(
                "{}  {}",
                line(entry),
                language.choose([
                    "(o arquivo não está lá)",
                    "(the file is not there)",
                    "(el archivo no está allí)",
                ])
            )),
        }
    }
    let sentence = language.choose([
        "espera a senha; dê-a com «credentials add --link»",
        "waits for its password; give it by 'credentials add --link'",
        "espera su contraseña; indíquela con «credentials add --link»",
    ]);
    for path in waiting {
        screen::line(&format!("{}  {sentence}", path.display()));
    }
    if not_looked_at > 0 {
        let sentence = language.choose([
            "A pasta vigiada tem arquivos demais; não são vistos:",
            "The watched folder holds too many files; not looked at:",
            "La carpeta vigilada tiene demasiados archivos; no se miran:",
        ]);
        screen::line(&format!("{sentence} {not_looked_at}"));
    }
    Ok(())
}

/// The files of the watched folder.
#[derive(Default)]
struct Watched {
    /// Those that the list knows.
    known: Vec<(Place, PathBuf)>,
    /// Those that it does not.
    waiting: Vec<PathBuf>,
    /// How many more there are.
    not_looked_at: usize,
}

fn watched(dirs: &Dirs, list: &Registered) -> Result<Watched, Failure> {
    let mut watched = Watched::default();
    let Some(folder) = registered::folder(dirs)? else { return Ok(watched) };
    let found = folder.look();
    watched.not_looked_at = found.not_looked_at;
    for file in found.files {
        let place = Place::Folder { content: file.content };
        if list.entries().iter().any(|entry| entry.place == place) {
            watched.known.push((place, file.path));
        } else {
            watched.waiting.push(file.path);
        }
    }
    Ok(watched)
}

/// Where the file of a credential is; nothing where it is not there.
fn find(entry: &Entry, list: &Path, known: &[(Place, PathBuf)]) -> Option<PathBuf> {
    match &entry.place {
        Place::Folder { .. } => {
            known.iter().find(|(place, _)| *place == entry.place).map(|(_, path)| path.clone())
        }
        Place::Linked(path) => path.is_file().then(|| path.clone()),
        Place::Stored { content, .. } => Some(key_file(list, content)).filter(|path| path.is_file()),
    }
}

/// Identifier, holder and where the key is.
pub(super) fn line(entry: &Entry) -> String {
    let place = match &entry.place {
        Place::Folder { .. } => language()
            .choose(["na pasta vigiada", "in the watched folder", "en la carpeta vigilada"])
            .to_owned(),
        Place::Linked(path) => path.display().to_string(),
        Place::Stored { protection, name, .. } => {
            let stored = language().choose(match protection {
                Protection::Keystore => [
                    "guardada, sob o chaveiro do sistema",
                    "stored, under the keystore of the system",
                    "guardada, bajo el llavero del sistema",
                ],
                Protection::Password => {
                    ["guardada, sob senha", "stored, under a password", "guardada, bajo contraseña"]
                }
            });
            format!("{}  ({stored})", name.as_deref().unwrap_or_default())
        }
    };
    format!("{}  {place}", registered::name(entry))
}

/// The same for programs.
pub(super) fn as_facts(entry: &Entry) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut fact = |name: &str, value: Value| drop(facts.insert(name.to_owned(), value));
    fact("id", json!(entry.id().map(|id| id.to_string())));
    match &entry.place {
        Place::Folder { .. } => {
            fact("place", json!("folder"));
            fact("file", Value::Null);
        }
        Place::Linked(path) => {
            fact("place", json!("linked"));
            fact("file", json!(path));
        }
        Place::Stored { protection, name, .. } => {
            fact("place", json!("stored"));
            fact("protection", json!(protection));
            fact("name", json!(name));
        }
    }
    facts
}
