//! From the words of the command line to an open document, with its password where it needs one.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
};

use signer_core::{
    error::ErrorCode,
    pdf::{crypt::Password, document::Document, error::PdfError, limits::Limits},
};

use crate::{
    cli::{arguments::language, failure::Failure, secret},
    file::source::FileSource,
};

/// The file at `path`, to be opened as a document.
pub(super) fn input(path: &Path) -> Result<FileSource, Failure> {
    FileSource::open(path).map_err(|error| {
        Failure::of(ErrorCode::InputUnreadable, &error).with_note(path.display().to_string())
    })
}

/// Opens the document in `source` with the password in `password_file`. Without one it is opened
/// with the empty password and, where that does not do, with one that is typed on the terminal.
pub(super) fn open<'a>(
    source: &'a FileSource,
    password_file: Option<&Path>,
) -> Result<Document<&'a FileSource>, Failure> {
    let failure = |error: PdfError| Failure::of(error.code(), &error);
    let typed_at = |prompt: &str| {
        let secret = secret::obtain(password_file, prompt)?;
        let password = Password::new(secret.expose());
        Document::open_with_password(source, Limits::default(), &password).map_err(failure)
    };
    if password_file.is_some() {
        return typed_at("");
    }
    match Document::open(source, Limits::default()) {
        Err(PdfError::PasswordRequired) if io::stdin().is_terminal() => typed_at(language().choose([
            "Senha do documento: ",
            "Password of the document: ",
            "Contraseña del documento: ",
        ])),
        opened => opened.map_err(failure),
    }
}

/// Refuses to read two secrets from standard input, of which the second would be empty.
pub(super) fn one_secret_at_most_from_standard_input(files: &[Option<&Path>]) -> Result<(), Failure> {
    let from_input = files.iter().filter(|file| **file == Some(Path::new("-")));
    if from_input.count() < 2 {
        return Ok(());
    }
    Err(Failure::new(ErrorCode::Usage).with_note(language().choose([
        "Só um segredo pode vir da entrada padrão («-»).",
        "Only one secret can come from standard input ('-').",
        "Solo un secreto puede venir de la entrada estándar («-»).",
    ])))
}
