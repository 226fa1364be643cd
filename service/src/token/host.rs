//! The host's side: hardens itself, opens one source, answers until nobody asks any more.
//!
//! The only place that names `cryptoki`, and the only one where private keys are.

mod absence;
mod ber;
mod file;
mod key;
mod keystore;
mod module;
mod pbe;
mod pkcs12;
mod return_value;
mod rsa;
mod stored;
mod verify;
mod walk;

use std::{
    io::{BufReader, Write as _},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    sync::{Arc, Weak, mpsc},
    thread,
    time::Duration,
};

use signer_ipc::{
    endpoint::{Endpoint, Receiver, Sender},
    sealed::{SealedSecret, UnsealingKey},
    secret::Secret,
    token_host::{
        self, Answer, Attached, Credential, Failure, PROTOCOL_VERSION, Protection, ProtocolError, Request,
        Response, Scheme,
    },
};

use crate::token::{
    host::{absence::AbsenceWatch, module::Module, pkcs12::A1File, stored::StoredKey, verify::Input},
    platform,
};

/// How long a module may take to finish once the service is gone.
const FAREWELL: Duration = Duration::from_secs(2);

/// What this host opened.
enum Source {
    Nothing,
    File(A1File),
    Module(Box<Module>),
    Stored(Box<StoredKey>),
    /// It was closed with its login: the person may be away.
    Closed,
}

/// What the main thread is woken by.
enum Woken {
    /// The person may be away.
    Away,
    Asked(Request, Attached),
}

/// This process.
struct Host {
    source: Source,
    /// For the next secret.
    key: Option<UnsealingKey>,
    absence: Option<AbsenceWatch>,
    /// Wakes the main thread when the person may be away.
    away: Weak<mpsc::SyncSender<Woken>>,
    sender: Sender,
}

/// Whether further requests are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Onward {
    No,
    Yes,
}

/// A credential as a source lists it.
struct Listed {
    id: u32,
    token_label: Option<String>,
    friendly_name: Option<String>,
    certificate: Vec<u8>,
    issuers: Vec<Vec<u8>>,
    always_authenticate: bool,
}

/// Serves the process that started this one, until it is gone. Blocks.
pub fn run() -> ExitCode {
    if let Err(error) = platform::harden() {
        return refuse(&format!("the token host cannot be closed against others: {error}"));
    }
    let Ok(Endpoint { receiver, sender }) = Endpoint::inherited() else {
        return refuse("the token host is started by the program itself, not by hand");
    };
    let (wake, woken) = mpsc::sync_channel(0);
    // Only the thread that listens keeps the loop below alive.
    let wake = Arc::new(wake);
    let away = Arc::downgrade(&wake);
    let (served, finished) = mpsc::channel::<()>();
    // The module gets the main thread, as some expect; whether the service is still there is
    // watched beside it, because a call into a module may never return.
    let watcher = thread::Builder::new().name("requests".to_owned()).spawn(move || {
        listen(receiver, &wake);
        drop(wake);
        if finished.recv_timeout(FAREWELL) == Err(mpsc::RecvTimeoutError::Timeout) {
            platform::die();
        }
    });
    if watcher.is_err() {
        return refuse("the token host cannot start a thread");
    }
    let mut host = Host { source: Source::Nothing, key: None, absence: None, away, sender };
    for woken in woken {
        match woken {
            Woken::Asked(request, attached) => {
                if host.answer(request, attached) == Onward::No {
                    break;
                }
            }
            Woken::Away => host.source = Source::Closed,
        }
    }
    let Host { source, sender, .. } = host;
    drop(source);
    drop(served);
    // The connection ends with the process, so that its end tells that the process is gone.
    std::mem::forget(sender);
    ExitCode::SUCCESS
}

impl Host {
    /// Answers a request: once, and where everything is looked at, once more for each token.
    fn answer(&mut self, request: Request, attached: Attached) -> Onward {
        let looks = matches!(request, Request::Look);
        let (response, onward) = self.answer_once(request, attached);
        let Response::Tokens { tokens } = response else { return onward };
        let mut slots = tokens.iter().filter(|_| looks).map(|token| token.slot);
        let mut each =
            |slot| self.answer_once(Request::Credentials { slot: Some(slot) }, Attached::Nothing).1;
        if onward == Onward::Yes && slots.all(|slot| each(slot) == Onward::Yes) {
            Onward::Yes
        } else {
            Onward::No
        }
    }

    fn answer_once(&mut self, request: Request, attached: Attached) -> (Response, Onward) {
        let unlocks = matches!(request, Request::Unlock { .. });
        let signs = matches!(request, Request::Sign { .. } | Request::SignDigest { .. });
        if signs && self.absence.as_ref().is_some_and(AbsenceWatch::has_slept) {
            self.source = Source::Closed;
        }
        let (source, key) = (&mut self.source, &mut self.key);
        let answer = catch_unwind(AssertUnwindSafe(|| serve(source, key, request, attached)));
        let defect = answer.is_err();
        let answer = answer.unwrap_or_else(|_| failed(given_up(&self.source)));
        if unlocks && answer.response == Response::Done {
            let away = self.away.clone();
            // Waits while the module works: a signature that was begun is made.
            let tell = move || drop(away.upgrade().map(|wake| wake.send(Woken::Away)));
            self.absence.get_or_insert_with(|| AbsenceWatch::begin(tell));
        }
        // An answer that passes a limit is said as such; where nobody listens any more, it ends.
        let sent = match token_host::write_answer(&mut self.sender, &answer) {
            Err(ProtocolError::Malformed) => {
                let reason = "an answer passes a limit".to_owned();
                token_host::write_answer(&mut self.sender, &failed(Failure::Internal { reason }))
            }
            sent => sent,
        };
        (answer.response, if sent.is_err() || defect { Onward::No } else { Onward::Yes })
    }
}

fn listen(receiver: Receiver, wake: &mpsc::SyncSender<Woken>) {
    let mut receiver = BufReader::new(receiver);
    while let Ok((request, attached)) = token_host::read_request(&mut receiver) {
        if wake.send(Woken::Asked(request, attached)).is_err() {
            break;
        }
    }
}

fn serve(
    source: &mut Source,
    key: &mut Option<UnsealingKey>,
    request: Request,
    attached: Attached,
) -> Answer {
    let done = |result: Result<(), Failure>| result.map(|()| only(Response::Done));
    let result = match (request, attached) {
        // Whatever the other side's version is: it compares.
        (Request::Hello { .. }, _) => Ok(only(Response::Hello { version: PROTOCOL_VERSION })),
        (Request::OpenFile, Attached::Bytes(path)) => done(open_file(source, &path)),
        (Request::OpenModule, Attached::Bytes(path)) => done(open_module(source, &path)),
        (Request::OpenStored, Attached::Bytes(path)) => done(open_stored(source, &path)),
        (Request::Look | Request::Tokens, _) => match source {
            Source::Module(module) => module.tokens().map(|tokens| only(Response::Tokens { tokens })),
            Source::File(_) | Source::Stored(_) => Ok(only(Response::Tokens { tokens: Vec::new() })),
            Source::Closed => Err(Failure::LoginEnded),
            Source::Nothing => Err(Failure::Unexpected),
        },
        (Request::SealingKey, _) => {
            let part = key.insert(UnsealingKey::generate()).sealing_key().as_bytes().to_vec();
            Ok(Answer { response: Response::SealingKey, parts: vec![part] })
        }
        (Request::Unlock { token, last_try }, Attached::Sealed(sealed)) => {
            done(unseal(key.take(), &sealed).and_then(|secret| match (source, token) {
                (Source::Module(module), token) => module.unlock(token.as_ref(), secret, last_try),
                (Source::File(file), None) => file.unlock(&secret),
                (Source::Stored(stored), None) => stored.unlock(&secret),
                (Source::Closed, _) => Err(Failure::LoginEnded),
                (Source::File(_) | Source::Stored(_), Some(_)) | (Source::Nothing, _) => {
                    Err(Failure::Unexpected)
                }
            }))
        }
        (Request::Credentials { slot }, _) => match (source, slot) {
            (Source::Module(module), slot) => module.credentials(slot).map(credentials),
            (Source::File(file), None) => file.credentials().map(credentials),
            (Source::Stored(stored), None) => Ok(credentials(stored.credentials())),
            (Source::Closed, _) => Err(Failure::LoginEnded),
            (Source::File(_) | Source::Stored(_), Some(_)) | (Source::Nothing, _) => Err(Failure::Unexpected),
        },
        (Request::Sign { credential, scheme }, Attached::Bytes(message)) => {
            sign(source, credential, scheme, Input::Message(&message))
        }
        (Request::SignDigest { credential, scheme }, Attached::Bytes(digest)) => {
            sign(source, credential, scheme, Input::Digest(&digest))
        }
        (Request::Store { credential, protection: Protection::Password }, Attached::Sealed(sealed)) => {
            unseal(key.take(), &sealed).and_then(|password| store(source, credential, Some(&password)))
        }
        (Request::Store { credential, protection: Protection::Keystore }, Attached::Nothing) => {
            store(source, credential, None)
        }
        (
            Request::OpenFile
            | Request::OpenModule
            | Request::OpenStored
            | Request::Store { .. }
            | Request::Unlock { .. }
            | Request::Sign { .. }
            | Request::SignDigest { .. },
            Attached::Nothing | Attached::Bytes(_) | Attached::Sealed(_),
        ) => Err(Failure::Unexpected),
    };
    result.unwrap_or_else(failed)
}

/// After a panic. Where a module was called, the cause is most likely a number of its own that is
/// beyond everything.
fn given_up(source: &Source) -> Failure {
    match source {
        Source::Module(_) => Failure::TokenFailed {
            function: "the module".to_owned(),
            value: "an answer beyond all bounds".to_owned(),
        },
        Source::Closed | Source::File(_) | Source::Nothing | Source::Stored(_) => {
            Failure::Internal { reason: "panic".to_owned() }
        }
    }
}

/// Opens a secret with the key it was sealed to, which is gone then.
fn unseal(key: Option<UnsealingKey>, sealed: &SealedSecret) -> Result<Secret, Failure> {
    key.and_then(|key| key.open(sealed).ok()).ok_or(Failure::SecretUnreadable)
}

fn open_file(source: &mut Source, path: &[u8]) -> Result<(), Failure> {
    let (Source::Nothing, Some(path)) = (&source, platform::path_from_bytes(path)) else {
        return Err(Failure::Unexpected);
    };
    *source = Source::File(A1File::open(&path)?);
    Ok(())
}

fn open_module(source: &mut Source, path: &[u8]) -> Result<(), Failure> {
    let (Source::Nothing, Some(path)) = (&source, platform::path_from_bytes(path)) else {
        return Err(Failure::Unexpected);
    };
    *source = Source::Module(Box::new(Module::open(&path)?));
    Ok(())
}

fn open_stored(source: &mut Source, path: &[u8]) -> Result<(), Failure> {
    let (Source::Nothing, Some(path)) = (&source, platform::path_from_bytes(path)) else {
        return Err(Failure::Unexpected);
    };
    *source = Source::Stored(Box::new(StoredKey::open(&path)?));
    Ok(())
}

fn store(source: &Source, credential: u32, password: Option<&Secret>) -> Result<Answer, Failure> {
    let Source::File(file) = source else { return Err(Failure::Unexpected) };
    let stored = stored::encrypt(&file.key(credential)?, password)?;
    Ok(Answer { response: Response::Stored, parts: vec![stored] })
}

fn sign(source: &mut Source, credential: u32, scheme: Scheme, input: Input<'_>) -> Result<Answer, Failure> {
    input.fits(scheme)?;
    let value = match source {
        Source::File(file) => file.sign(credential, scheme, input),
        Source::Module(module) => module.sign(credential, scheme, input),
        Source::Stored(stored) => stored.sign(credential, scheme, input),
        Source::Closed => Err(Failure::LoginEnded),
        Source::Nothing => Err(Failure::Unexpected),
    }?;
    Ok(Answer { response: Response::Signature, parts: vec![value] })
}

fn credentials(listed: Vec<Listed>) -> Answer {
    let mut parts = Vec::new();
    let credentials = listed.into_iter().map(|listed| {
        let issuers = u32::try_from(listed.issuers.len()).unwrap_or(u32::MAX);
        parts.push(listed.certificate);
        parts.extend(listed.issuers);
        Credential {
            id: listed.id,
            token_label: listed.token_label,
            friendly_name: listed.friendly_name,
            issuers,
            always_authenticate: listed.always_authenticate,
        }
    });
    let credentials = credentials.collect();
    Answer { response: Response::Credentials { credentials }, parts }
}

fn failed(failure: Failure) -> Answer {
    only(Response::Failed { failure })
}

const fn only(response: Response) -> Answer {
    Answer { response, parts: Vec::new() }
}

fn refuse(words: &str) -> ExitCode {
    // Standard error may be closed; the exit code says enough then.
    let _ = writeln!(std::io::stderr(), "{words}");
    ExitCode::from(2)
}
