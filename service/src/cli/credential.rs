//! From the words of the command line to a credential in a token host.

use std::path::Path;

use serde_json::{Value, json};
use signer_core::{
    cms::certificate::Certificate,
    credential::{CredentialId, Holder},
    error::ErrorCode,
    trust,
};
use signer_ipc::{
    secret::Secret,
    token_host::{LastTry, Protection},
};

use crate::{
    cli::{
        arguments::{CredentialArguments, language},
        failure::Failure,
        registered, screen, secret,
    },
    credentials::Source,
    sign::Signer,
    text::last_try,
    token::{
        client::{HostCredential, PinEntry, PinState, TokenDescription, TokenHost},
        error::{TokenError, TriesLeft},
        unlock_tool::unlock_tool,
    },
};

/// A token host with its source opened.
pub(super) struct Opened {
    pub(super) host: TokenHost,
    /// The token that was chosen, where the source is a module.
    token: Option<TokenDescription>,
    /// What the key still waits for.
    lock: Lock,
    /// The certificate that was registered, where the key was looked up by it.
    registered: Option<CredentialId>,
}

/// What a key waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lock {
    /// The keystore of the system.
    Keystore,
    /// Its password.
    Password,
    /// The PIN of its token.
    Pin,
    /// Nothing.
    Unlocked,
}

/// Starts a token host and opens what the arguments name. An A1 file is unlocked; a token or a
/// stored key is not yet, as its certificate is known before.
pub(super) fn open(arguments: &CredentialArguments) -> Result<Opened, Failure> {
    let password_file = arguments.p12_password_file.as_deref();
    match (&arguments.p12, &arguments.module, &arguments.credential) {
        (Some(path), None, None) => open_file(path, password_file).map(|(opened, _)| opened),
        (None, Some(path), None) => open_module(path, arguments.token.as_deref()),
        (None, None, Some(id)) => open_registered(id, password_file),
        (None | Some(_), None | Some(_), None | Some(_)) => {
            Err(Failure::new(ErrorCode::Usage).with_note(language().choose([
                "Diga onde está o certificado: --p12 ARQUIVO, --credential ID ou --module BIBLIOTECA.",
                "Say where the certificate is: --p12 FILE, --credential ID or --module LIBRARY.",
                "Indique dónde está el certificado: --p12 ARCHIVO, --credential ID o --module BIBLIOTECA.",
            ])))
        }
    }
}

/// Starts the host and the secret's reading side by side: both take time. The password that
/// opened the file comes along.
pub(super) fn open_file(path: &Path, password_file: Option<&Path>) -> Result<(Opened, Secret), Failure> {
    let mut host = spawn()?;
    host.open_file(path).map_err(|error| of_token(&error).with_note(path.display().to_string()))?;
    let password = password(password_file)?;
    host.unlock(None, &password).map_err(|error| of_token(&error))?;
    Ok((Opened { host, token: None, lock: Lock::Unlocked, registered: None }, password))
}

fn password(file: Option<&Path>) -> Result<Secret, Failure> {
    let prompt = language().choose(["Senha do certificado: ", "Certificate password: ", "Contraseña: "]);
    secret::obtain(file, prompt)
}

fn open_registered(id: &str, password_file: Option<&Path>) -> Result<Opened, Failure> {
    let (id, source) = registered::source(id)?;
    let registered = Some(id);
    match source {
        Source::File(path) => {
            let (opened, _) = open_file(&path, password_file)?;
            Ok(Opened { registered, ..opened })
        }
        Source::Stored { path, protection } => {
            let mut host = spawn()?;
            host.open_stored(&path)
                .map_err(|error| of_token(&error).with_note(path.display().to_string()))?;
            let lock = match protection {
                Protection::Keystore => Lock::Keystore,
                Protection::Password => Lock::Password,
            };
            Ok(Opened { host, token: None, lock, registered })
        }
        Source::Token { .. } => Err(Failure::new(ErrorCode::Internal)),
    }
}

fn open_module(path: &Path, wanted: Option<&str>) -> Result<Opened, Failure> {
    let mut host = spawn()?;
    host.open_module(path).map_err(|error| of_token(&error).with_note(path.display().to_string()))?;
    let tokens = host.tokens().map_err(|error| of_token(&error))?;
    let mut fitting: Vec<_> = tokens
        .iter()
        .filter(|token| wanted.is_none_or(|wanted| token.label == wanted || token.serial == wanted))
        .cloned()
        .collect();
    match (fitting.pop(), fitting.is_empty()) {
        (Some(token), true) => Ok(Opened { host, token: Some(token), lock: Lock::Pin, registered: None }),
        (Some(_), false) => Err(Failure::new(ErrorCode::CredentialAmbiguous)
            .with_note(lines(
                language().choose([
                    "Há mais de um token; diga qual com --token (rótulo ou número de série):",
                    "There is more than one token; say which with --token (label or serial number):",
                    "Hay más de un token; indique cuál con --token (etiqueta o número de serie):",
                ]),
                &tokens,
            ))
            .with_fact("tokens", described(&tokens))),
        (None, _) if tokens.is_empty() => Err(Failure::new(ErrorCode::TokenAbsent)),
        (None, _) => Err(Failure::new(ErrorCode::TokenAbsent)
            .with_note(lines(
                language().choose([
                    "Os que estão lá têm outro rótulo e outro número de série:",
                    "Those that are there have another label and another serial number:",
                    "Los que están allí tienen otra etiqueta y otro número de serie:",
                ]),
                &tokens,
            ))
            .with_fact("tokens", described(&tokens))),
    }
}

/// A sentence, and a line for each token below it.
fn lines(sentence: &str, tokens: &[TokenDescription]) -> String {
    let token = |token: &TokenDescription| format!("\n    {}  {}", token.label, token.serial);
    tokens.iter().map(token).fold(sentence.to_owned(), |all, line| all + &line)
}

fn described(tokens: &[TokenDescription]) -> Vec<Value> {
    tokens.iter().map(|token| json!({ "label": token.label, "serial": token.serial })).collect()
}

fn spawn() -> Result<TokenHost, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::of(ErrorCode::Internal, &error))?;
    TokenHost::spawn(&program).map_err(|error| of_token(&error))
}

impl Opened {
    /// Unlocks the chosen token with the PIN, or the stored key. Once: a wrong PIN or password is
    /// the person's to type again, and the last try is the person's to risk.
    pub(super) fn unlock(&mut self, arguments: &CredentialArguments) -> Result<(), Failure> {
        let secret = match self.lock {
            Lock::Unlocked => return Ok(()),
            Lock::Keystore => nothing()?,
            Lock::Password => password(arguments.p12_password_file.as_deref())?,
            Lock::Pin => return self.unlock_token(arguments),
        };
        self.host.unlock(None, &secret).map_err(|error| of_token(&error))?;
        self.lock = Lock::Unlocked;
        Ok(())
    }

    fn unlock_token(&mut self, arguments: &CredentialArguments) -> Result<(), Failure> {
        let Some(token) = &self.token else { return Ok(()) };
        let locked = |error: &TokenError| {
            let tool = arguments
                .module
                .as_deref()
                .and_then(|module| unlock_tool(&token.model, &token.manufacturer, module));
            match (tool, error) {
                (Some(tool), TokenError::PinLocked | TokenError::PinUnusable) => {
                    of_token(error).with_note(language().unlock_with(tool)).with_fact("unlockTool", tool)
                }
                _ => of_token(error),
            }
        };
        match token.pin {
            PinState::Locked => return Err(locked(&TokenError::PinLocked)),
            PinState::NotNeeded => return Ok(()),
            PinState::Usable => {}
        }
        // Before the PIN is read or typed: it may be that none should be.
        let last_try = last_try(arguments, token.tries_left)?;
        let pin = match token.pin_entry {
            PinEntry::Program => {
                let prompt = language().choose(["PIN do token", "PIN of the token", "PIN del token"]);
                secret::obtain(arguments.pin_file.as_deref(), &format!("{prompt} {}: ", token.label))?
            }
            PinEntry::Reader => {
                screen::error_line(language().choose([
                    "Digite o PIN no leitor.",
                    "Enter the PIN on the reader.",
                    "Escriba el PIN en el lector.",
                ]));
                nothing()?
            }
        };
        if let (PinEntry::Program, true, Some(path)) =
            (token.pin_entry, pin.expose().is_empty(), arguments.pin_file.as_deref())
        {
            return Err(Failure::new(ErrorCode::SecretMissing).with_note(format!(
                "{}: {}",
                language().choose(["O arquivo está vazio", "The file is empty", "El archivo está vacío"]),
                path.display()
            )));
        }
        self.host.unlock_as(Some(token), &pin, last_try).map_err(|error| locked(&error))?;
        self.lock = Lock::Unlocked;
        Ok(())
    }

    /// The credentials that can be seen now.
    pub(super) fn credentials(&mut self) -> Result<Vec<Signer>, Failure> {
        let credentials = self.host.credentials(self.token.as_ref()).map_err(|error| of_token(&error))?;
        let mut signers = credentials.into_iter().map(parse).collect::<Result<Vec<_>, _>>()?;
        if let Some(registered) = &self.registered {
            // What was put in its place since is not what was asked for.
            signers.retain(|signer| CredentialId::of(&signer.certificate) == *registered);
            if signers.is_empty() {
                return Err(Failure::new(ErrorCode::CredentialKeyMismatch));
            }
        }
        Ok(signers)
    }

    /// The one credential that the arguments mean.
    pub(super) fn choose(&mut self, arguments: &CredentialArguments) -> Result<Signer, Failure> {
        let mut fitting = self.credentials()?;
        if let Some(text) = &arguments.certificate {
            fitting.retain(|signer| CredentialId::of(&signer.certificate).matches(text));
        }
        if fitting.len() > 1 {
            let known = fitting.iter().map(|signer| name(&signer.certificate)).collect::<Vec<_>>();
            return Err(Failure::new(ErrorCode::CredentialAmbiguous)
                .with_note(known.join("\n  "))
                .with_fact("certificates", known));
        }
        fitting.pop().ok_or_else(|| Failure::new(ErrorCode::CredentialNotFound))
    }
}

/// What is given where nothing is typed here.
fn nothing() -> Result<Secret, Failure> {
    Secret::from_bytes(Vec::new()).map_err(|error| Failure::of(ErrorCode::Internal, &error))
}

/// Whether the last try may be used, where it is the last: by the argument, or by the word that the
/// person types.
fn last_try(arguments: &CredentialArguments, tries_left: TriesLeft) -> Result<LastTry, Failure> {
    if arguments.use_last_try {
        return Ok(LastTry::Confirmed);
    }
    if !tries_left.is_last() {
        return Ok(LastTry::NotConfirmed);
    }
    let refused = Failure::new(ErrorCode::PinLastTry).with_fact("triesLeft", 1);
    if arguments.pin_file.is_some() {
        return Err(refused.with_note(language().choose([
            "Com --use-last-try o PIN do arquivo é usado; se estiver errado, o token será bloqueado.",
            "With --use-last-try the PIN of the file is used; if it is wrong, the token locks.",
            "Con --use-last-try se usa el PIN del archivo; si es incorrecto, el token se bloqueará.",
        ])));
    }
    screen::error_line(language().choose(last_try::CAUTION));
    if secret::word(language().choose(last_try::QUESTION), language().choose(last_try::WORD)) {
        Ok(LastTry::Confirmed)
    } else {
        Err(refused)
    }
}

/// Identifier and holder, to choose by.
fn name(certificate: &Certificate) -> String {
    let id = CredentialId::of(certificate).to_string();
    format!("{}  {}", id.get(..16).unwrap_or(&id), Holder::of(certificate).name)
}

/// A credential with its certificate and the issuers that came with it, read.
pub(super) fn parse(credential: HostCredential) -> Result<Signer, Failure> {
    let unreadable =
        |error: signer_core::cms::error::CmsError| Failure::of(ErrorCode::CredentialUnreadable, &error);
    let certificate = Certificate::from_der(&credential.certificate_der).map_err(unreadable)?;
    // A broken issuer certificate beside a good credential must not stop it: it is left out.
    let pool: Vec<_> =
        credential.chain_der.iter().filter_map(|der| Certificate::from_der(der).ok()).collect();
    let chain = trust::order_chain(&certificate, &pool);
    Ok(Signer { credential, certificate, chain })
}

/// A token's error with what the person needs to know: above all how many tries are left.
pub(super) fn of_token(error: &TokenError) -> Failure {
    let failure = Failure::of(error.code(), error);
    let TokenError::PinIncorrect { tries_left: left } = error else { return failure };
    let (note, fact) = tries_left(*left);
    failure.with_note(note).with_fact("triesLeft", fact.unwrap_or(Value::Null))
}

/// How many tries are left, for the person, and for programs where anything is known.
pub(super) fn tries_left(left: TriesLeft) -> (String, Option<Value>) {
    let language = language();
    let (note, fact) = match left {
        TriesLeft::Exactly(1) | TriesLeft::Last => (
            language
                .choose([
                    "Resta UMA tentativa antes do bloqueio.",
                    "ONE try is left before the token locks.",
                    "Queda UN intento antes del bloqueo.",
                ])
                .to_owned(),
            Some(Value::from(1)),
        ),
        TriesLeft::Exactly(count) => (
            match language {
                crate::text::Language::Portuguese => format!("Restam {count} tentativas."),
                crate::text::Language::English => format!("{count} tries are left."),
                crate::text::Language::Spanish => format!("Quedan {count} intentos."),
            },
            Some(Value::from(count)),
        ),
        TriesLeft::Low => (
            language
                .choose(["Restam poucas tentativas.", "Few tries are left.", "Quedan pocos intentos."])
                .to_owned(),
            Some(Value::from("few")),
        ),
        TriesLeft::Unknown => (
            language
                .choose([
                    "O token não diz quantas tentativas restam.",
                    "The token does not say how many tries are left.",
                    "El token no dice cuántos intentos quedan.",
                ])
                .to_owned(),
            None,
        ),
    };
    (note, fact)
}
