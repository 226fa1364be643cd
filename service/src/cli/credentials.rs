//! `credentials`: which A1 credentials are offered, and where their keys are.

mod list;

use std::{
    io::{self, IsTerminal as _},
    path::Path,
    process::ExitCode,
};

use serde_json::{Value, json};
use signer_core::{
    cms::certificate::Certificate,
    credential::{CredentialError, Holder, check_for_signing},
    digest::DigestAlgorithm,
    error::ErrorCode,
};
use signer_ipc::{secret::Secret, token_host::Protection};

use crate::{
    cli::{
        arguments::{CredentialAddArguments, CredentialsCommand, ProtectChoice, language},
        credential::{self, Opened},
        document,
        failure::Failure,
        registered, screen, secret,
    },
    clock,
    credentials::{
        registered::{Entry, Place},
        sources,
        store::{Store, StoreError},
    },
    file::bounded,
    token::client::HostCredential,
};

/// No A1 file is longer.
const LONGEST: u64 = 1 << 20;

/// Runs the command.
pub(super) fn run(command: &CredentialsCommand) -> ExitCode {
    let (result, as_json) = match command {
        CredentialsCommand::Add(arguments) => (add(arguments), arguments.json),
        CredentialsCommand::List { json } => (list::run(*json), *json),
        CredentialsCommand::Remove { id } => (remove(id), false),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.show(as_json),
    }
}

fn add(arguments: &CredentialAddArguments) -> Result<(), Failure> {
    let password_file = arguments.p12_password_file.as_deref();
    document::one_secret_at_most_from_standard_input(&[
        password_file,
        arguments.new_password_file.as_deref(),
    ])?;
    let path = arguments.file.canonicalize().map_err(|error| unreadable(&error, &arguments.file))?;
    let (opened, password) = credential::open_file(&path, password_file)?;
    if arguments.link {
        link(opened, &path, arguments.json)
    } else {
        import(opened, &password, &path, arguments)
    }
}

/// Registers what is in a file, which stays where it is.
fn link(mut opened: Opened, path: &Path, as_json: bool) -> Result<(), Failure> {
    let dirs = registered::dirs()?;
    let folder = registered::folder(&dirs)?;
    let place = if folder.is_some_and(|folder| folder.holds(path)) {
        let bytes = bounded::read(path, LONGEST).map_err(|error| unreadable(&error, path))?;
        Place::Folder { content: DigestAlgorithm::Sha256.digest(&bytes) }
    } else {
        Place::Linked(path.to_owned())
    };
    let found = opened.host.credentials(None).map_err(|error| credential::of_token(&error))?;
    let entries = found.into_iter().map(|found| entry(found, place.clone())).collect();
    commit(Store::open(&dirs).map_err(|error| of_store(&error))?, entries, &[], as_json)
}

/// Stores the keys of a file that can sign, encrypted anew in the token host. The file is not
/// touched.
fn import(
    mut opened: Opened,
    password: &Secret,
    path: &Path,
    arguments: &CredentialAddArguments,
) -> Result<(), Failure> {
    let (importable, left_out) = importable(&mut opened)?;
    let (protection, new_password) = match arguments.protect {
        ProtectChoice::Keystore if arguments.new_password_file.is_some() => {
            return Err(Failure::new(ErrorCode::Usage).with_note(language().choose([
                "Sob o chaveiro do sistema não há senha: tire --new-password-file.",
                "Under the keystore of the system there is no password: leave --new-password-file out.",
                "Bajo el llavero del sistema no hay contraseña: quite --new-password-file.",
            ])));
        }
        ProtectChoice::Keystore => (Protection::Keystore, None),
        ProtectChoice::Password => {
            (Protection::Password, other_password(password, arguments.new_password_file.as_deref())?)
        }
    };
    let under = match protection {
        Protection::Keystore => None,
        Protection::Password => Some(new_password.as_ref().unwrap_or(password)),
    };
    let mut stored = Vec::new();
    for found in importable {
        let key = opened.host.store(&found, under).map_err(|error| credential::of_token(&error))?;
        stored.push((found, key));
    }
    let mut store = Store::open(&registered::dirs()?).map_err(|error| of_store(&error))?;
    let mut entries = Vec::new();
    for (found, key) in stored {
        let content = store.put(&key).map_err(|error| of_store(&error))?;
        let place = Place::Stored { content, protection, name: sources::name(path) };
        entries.push(entry(found, place));
    }
    commit(store, entries, &left_out, arguments.json)
}

/// A certificate that is not imported: its holder, and why.
type LeftOut = (String, ErrorCode);

/// Those that may make signatures, now or once their validity begins, and the others. Where there
/// is none, the first one's reason is the failure.
fn importable(opened: &mut Opened) -> Result<(Vec<HostCredential>, Vec<LeftOut>), Failure> {
    let now = clock::now().map_err(|error| Failure::of(ErrorCode::Internal, &error))?;
    let (mut importable, mut refused) = (Vec::new(), Vec::new());
    for found in opened.host.credentials(None).map_err(|error| credential::of_token(&error))? {
        let certificate = Certificate::from_der(&found.certificate_der)
            .map_err(|error| Failure::of(ErrorCode::CredentialUnreadable, &error))?;
        match check_for_signing(&certificate, now) {
            Ok(_) | Err(CredentialError::NotYetValid { .. }) => importable.push(found),
            Err(
                error @ (CredentialError::Expired { .. }
                | CredentialError::Key(_)
                | CredentialError::NotEndEntity
                | CredentialError::NotForSigning),
            ) => refused.push((Holder::of(&certificate).name, error)),
        }
    }
    if importable.is_empty() {
        let first = refused.first().map(|(_, error)| Failure::of(error.code(), error));
        return Err(first.unwrap_or_else(|| Failure::new(ErrorCode::CredentialNotFound)));
    }
    let left_out = refused.into_iter().map(|(holder, error)| (holder, error.code())).collect();
    Ok((importable, left_out))
}

/// Another password for the stored key, where one was named or is needed. An empty one is none:
/// whoever has the file would have the key.
fn other_password(password: &Secret, file: Option<&Path>) -> Result<Option<Secret>, Failure> {
    let empty = || {
        Failure::new(ErrorCode::SecretMissing).with_note(language().choose([
            "Uma chave guardada não fica sob uma senha vazia: dê outra com --new-password-file, \
             use --protect keystore ou --link.",
            "A stored key is not put under an empty password: give another one by --new-password-file, \
             use --protect keystore or --link.",
            "Una clave guardada no queda bajo una contraseña vacía: indique otra con --new-password-file, \
             use --protect keystore o --link.",
        ]))
    };
    let new = match file {
        Some(file) => secret::obtain(Some(file), "")?,
        None if !password.expose().is_empty() => return Ok(None),
        None if io::stdin().is_terminal() => typed_twice()?,
        None => return Err(empty()),
    };
    if new.expose().is_empty() { Err(empty()) } else { Ok(Some(new)) }
}

fn typed_twice() -> Result<Secret, Failure> {
    let [first, second] = [
        [
            "Nova senha, para a chave guardada: ",
            "New password, for the stored key: ",
            "Nueva contraseña, para la clave guardada: ",
        ],
        ["A mesma, outra vez: ", "The same once more: ", "La misma, otra vez: "],
    ]
    .map(|prompt| secret::obtain(None, language().choose(prompt)));
    let (first, second) = (first?, second?);
    if first.expose() == second.expose() {
        return Ok(first);
    }
    Err(Failure::new(ErrorCode::SecretMissing).with_note(language().choose([
        "As duas não são iguais.",
        "The two are not the same.",
        "Las dos no son iguales.",
    ])))
}

fn entry(found: HostCredential, place: Place) -> Entry {
    Entry { place, certificate: found.certificate_der, chain: found.chain_der }
}

/// Registers the entries in one step, and says so, and what was left out.
fn commit(mut store: Store, entries: Vec<Entry>, left_out: &[LeftOut], as_json: bool) -> Result<(), Failure> {
    entries.iter().for_each(|entry| store.registered().add(entry.clone()));
    store.commit().map_err(|error| of_store(&error))?;
    if as_json {
        let credentials: Vec<_> = entries.iter().map(list::as_facts).collect();
        let left_out: Vec<Value> = left_out
            .iter()
            .map(|(holder, code)| json!({ "holder": holder, "code": code.as_str() }))
            .collect();
        screen::json(&json!({ "credentials": credentials, "leftOut": left_out }));
        return Ok(());
    }
    let language = language();
    let label = language.choose(["Deixada de fora", "Left out", "Omitida"]);
    for (holder, code) in left_out {
        screen::error_line(&format!("{label}: {holder}: {} [{code}]", language.error(*code)));
    }
    for entry in &entries {
        screen::line(&list::line(entry));
    }
    Ok(())
}

fn remove(id: &str) -> Result<(), Failure> {
    let dirs = registered::dirs()?;
    // A list that is not there is not made by asking.
    if registered::list(&dirs)?.entries().is_empty() {
        return Err(Failure::new(ErrorCode::CredentialNotFound));
    }
    let mut store = Store::open(&dirs).map_err(|error| of_store(&error))?;
    let removed = store.registered().remove(id);
    if removed.is_empty() {
        return Err(Failure::new(ErrorCode::CredentialNotFound));
    }
    store.commit().map_err(|error| of_store(&error))?;
    for entry in &removed {
        screen::line(&list::line(entry));
        screen::line(language().choose(match &entry.place {
            Place::Folder { .. } | Place::Linked(_) => [
                "  Esquecida; o arquivo A1 fica onde está.",
                "  Forgotten; the A1 file stays where it is.",
                "  Olvidada; el archivo A1 se queda donde está.",
            ],
            Place::Stored { .. } => [
                "  A chave guardada foi apagada; o arquivo A1 original não foi tocado.",
                "  The stored key was deleted; the original A1 file was not touched.",
                "  La clave guardada fue borrada; el archivo A1 original no fue tocado.",
            ],
        }));
    }
    Ok(())
}

fn unreadable(error: &io::Error, path: &Path) -> Failure {
    Failure::of(ErrorCode::InputUnreadable, error).with_note(path.display().to_string())
}

fn of_store(error: &StoreError) -> Failure {
    Failure::of(error.code(), error)
}
