//! The registered credentials, as the commands find them.

use signer_core::{
    cms::certificate::Certificate,
    credential::{CredentialId, Holder},
    error::ErrorCode,
};

use crate::{
    cli::{arguments::language, failure::Failure},
    config::Config,
    credentials::{
        Source,
        folder::Folder,
        registered::{Entry, Registered},
        sources,
    },
    dirs::Dirs,
};

/// The folders of this login.
pub(super) fn dirs() -> Result<Dirs, Failure> {
    Dirs::of_login().map_err(|error| Failure::of(ErrorCode::InputUnreadable, &error))
}

/// The list of this login.
pub(super) fn list(dirs: &Dirs) -> Result<Registered, Failure> {
    Registered::read(&dirs.credentials_file()).map_err(|error| Failure::of(error.code(), &error))
}

/// The watched folder, where this login's configuration names one.
pub(super) fn folder(dirs: &Dirs) -> Result<Option<Folder>, Failure> {
    let config = Config::read_or_default(&dirs.config_file());
    let config = config.map_err(|error| Failure::of(error.code(), &error))?;
    Ok(config.credential_folder.map(Folder::new))
}

/// The one credential whose identifier, or its beginning, is `id`, and where its key is.
pub(super) fn source(id: &str) -> Result<(CredentialId, Source), Failure> {
    let dirs = dirs()?;
    let (list, folder) = (list(&dirs)?, folder(&dirs)?);
    let mut fitting = sources::of_list(&list, &dirs.credentials_file(), folder.as_ref());
    let fits = |entry: &Entry| entry.id().is_some_and(|known| known.matches(id));
    fitting.retain(|(entry, ..)| fits(entry));
    if fitting.len() > 1 {
        let names: Vec<_> = fitting.iter().map(|(entry, ..)| name(entry)).collect();
        return Err(Failure::new(ErrorCode::CredentialAmbiguous).with_note(names.join("\n  ")));
    }
    let found = fitting.pop().and_then(|(entry, .., source)| Some((entry.id()?, source)));
    found.ok_or_else(|| {
        let failure = Failure::new(ErrorCode::CredentialNotFound);
        match list.entries().iter().find(|entry| fits(entry)) {
            Some(entry) => failure.with_note(format!(
                "{}: {}",
                language().choose([
                    "Nenhum arquivo da pasta vigiada a contém agora",
                    "No file of the watched folder holds it now",
                    "Ningún archivo de la carpeta vigilada lo contiene ahora",
                ]),
                name(entry)
            )),
            None => failure,
        }
    })
}

/// Identifier and holder, to choose by.
pub(super) fn name(entry: &Entry) -> String {
    let id = entry.id().map(|id| id.to_string()).unwrap_or_default();
    let holder = Certificate::from_der(&entry.certificate).map(|it| Holder::of(&it).name).unwrap_or_default();
    format!("{}  {holder}", id.get(..16).unwrap_or(&id))
}
