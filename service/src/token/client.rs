//! The service's side of a token host: starts it, asks it, ends it.

mod credentials;
mod process;
mod stored;
mod token;

use std::{
    io::BufReader,
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use signer_core::{
    algorithm::SignatureAlgorithm,
    digest::{Digest, DigestAlgorithm},
};
use signer_ipc::{
    endpoint::{Endpoint, Receiver, Sender},
    sealed::{SealedSecret, SealingKey},
    secret::Secret,
    token_host::{
        self, Answer, Attachment, LastTry, PROTOCOL_VERSION, ProtocolError, Request, Response, Scheme,
        TokenPlace,
    },
};

use crate::token::{
    HOST_COMMAND,
    error::{End, ModuleLoaded, Step, TokenError},
    platform,
};

pub use credentials::{HostCredential, Look, SecretWanted};
pub use process::HostProcess;
use process::OwnProcess;
pub use token::{PinEntry, PinState, TokenDescription};

/// How long a host may take to end by itself once nobody needs it.
const FAREWELL: Duration = Duration::from_secs(3);

/// A running token host. It lives as long as this value: dropping it closes the connection,
/// waits up to three seconds for the host to finish its module, then kills and reaps it.
///
/// Every call blocks until the host answers or its deadline passes; after a crash or a missed
/// deadline the host is gone and every further call fails.
pub struct TokenHost {
    process: OwnProcess,
    /// `None` once the host is to end.
    sender: Option<Sender>,
    answers: mpsc::Receiver<Result<Answer, ProtocolError>>,
    greeted: bool,
    module: ModuleLoaded,
    /// When all answers must have come, whatever each may take.
    until: Option<Instant>,
}

impl TokenHost {
    /// Starts `program` (this program) as a token host with a scrubbed environment. Does not wait
    /// for it.
    ///
    /// # Errors
    /// Where the program cannot be started.
    pub fn spawn(program: &Path) -> Result<Self, TokenError> {
        let mut command = Command::new(program);
        command
            .arg(HOST_COMMAND)
            .env_clear()
            .envs(platform::host_environment())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        platform::prepare(&mut command);
        let (started, start) = mpsc::channel();
        let (answered, answers) = mpsc::channel();
        // The thread that starts the host also listens to it, and so lives as long as the host:
        // on Linux the host is killed when the very thread that started it ends.
        thread::Builder::new().name("token-host".to_owned()).spawn(move || {
            match Endpoint::spawn(command) {
                Ok((child, Endpoint { receiver, sender })) => {
                    if started.send(Ok((child, sender))).is_ok() {
                        listen(receiver, &answered);
                    }
                }
                Err(error) => drop(started.send(Err(error))),
            }
        })?;
        let (child, sender) =
            start.recv().map_err(|_| std::io::Error::from(std::io::ErrorKind::BrokenPipe))??;
        let mut host = Self {
            process: OwnProcess::new(child),
            sender: Some(sender),
            answers,
            greeted: false,
            module: ModuleLoaded::No,
            until: None,
        };
        host.send(Step::Start, &Request::Hello { version: PROTOCOL_VERSION }, &Attachment::Nothing)?;
        Ok(host)
    }

    /// Sets a moment by which every further answer must have come, beside the deadline that each
    /// has anyway; nothing takes it away again.
    pub const fn answer_until(&mut self, end: Option<Instant>) {
        self.until = end;
    }

    /// Opens the A1 file at `path`. It stays locked.
    ///
    /// # Errors
    /// Where the file cannot be read or is no PKCS#12 file.
    pub fn open_file(&mut self, path: &Path) -> Result<(), TokenError> {
        let path = absolute(path)?;
        self.ask_done(Step::OpenFile, &Request::OpenFile, &Attachment::Bytes(&path))
    }

    /// Loads and initialises the PKCS#11 module at `path`, within 30 seconds.
    ///
    /// # Errors
    /// Where there is no such file, it is for another architecture, or it fails or crashes.
    pub fn open_module(&mut self, path: &Path) -> Result<(), TokenError> {
        let path = absolute(path)?;
        self.module = ModuleLoaded::Yes;
        self.ask_done(Step::OpenModule, &Request::OpenModule, &Attachment::Bytes(&path))
    }

    /// The tokens of the module that are present and initialised; none for an A1 file.
    ///
    /// # Errors
    /// Where the module fails.
    pub fn tokens(&mut self) -> Result<Vec<TokenDescription>, TokenError> {
        self.ask_tokens(&Request::Tokens)
    }

    fn ask_tokens(&mut self, request: &Request) -> Result<Vec<TokenDescription>, TokenError> {
        let answer = self.ask(Step::Tokens, request, &Attachment::Nothing)?;
        match answer.response {
            Response::Tokens { tokens } => Ok(tokens.into_iter().map(TokenDescription::from).collect()),
            Response::Credentials { .. }
            | Response::Done
            | Response::Failed { .. }
            | Response::Hello { .. }
            | Response::SealingKey
            | Response::Signature
            | Response::Stored => Err(ProtocolError::Malformed.into()),
        }
    }

    /// Unlocks the token with the PIN, or the A1 file (`None`) with its password. A PIN is tried
    /// exactly once, whatever happens; a locked one is not tried at all, nor is one on the last
    /// try.
    ///
    /// # Errors
    /// [`TokenError::LastTryNotConfirmed`], [`TokenError::PinIncorrect`], [`TokenError::PinLocked`],
    /// [`TokenError::PasswordIncorrect`] and whatever the token or file has to say.
    pub fn unlock(&mut self, token: Option<&TokenDescription>, secret: &Secret) -> Result<(), TokenError> {
        self.unlock_as(token, secret, LastTry::NotConfirmed)
    }

    /// As [`TokenHost::unlock`], on the last try too where the person confirmed that.
    ///
    /// # Errors
    /// As [`TokenHost::unlock`].
    pub fn unlock_as(
        &mut self,
        token: Option<&TokenDescription>,
        secret: &Secret,
        last_try: LastTry,
    ) -> Result<(), TokenError> {
        let sealed = self.sealing_key()?.seal(secret).map_err(|_| TokenError::SecretUnreadable)?;
        self.unlock_sealed(token, &sealed, last_try)
    }

    /// Has the host make the key for one secret. A later call replaces it.
    ///
    /// # Errors
    /// Where the host is gone.
    pub fn sealing_key(&mut self) -> Result<SealingKey, TokenError> {
        let mut answer = self.ask(Step::Unlock, &Request::SealingKey, &Attachment::Nothing)?;
        let key = answer.parts.pop().filter(|_| answer.response == Response::SealingKey);
        key.and_then(|key| SealingKey::from_bytes(&key).ok()).ok_or(ProtocolError::Malformed.into())
    }

    /// As [`TokenHost::unlock_as`], with a secret that was sealed elsewhere to the key of the last
    /// [`TokenHost::sealing_key`]. Whatever happens, that key is used up.
    ///
    /// # Errors
    /// As [`TokenHost::unlock`]; [`TokenError::SecretUnreadable`] where it was sealed to another
    /// key, and nothing was tried then.
    pub fn unlock_sealed(
        &mut self,
        token: Option<&TokenDescription>,
        secret: &SealedSecret,
        last_try: LastTry,
    ) -> Result<(), TokenError> {
        let token = token.map(|token| TokenPlace { slot: token.slot, serial: token.serial.clone() });
        let request = Request::Unlock { token, last_try };
        self.ask_done(Step::Unlock, &request, &Attachment::Sealed(secret))
    }

    /// Signs `message` (the host hashes it) with the credential's key. The value is checked with
    /// the certificate's key before it is returned.
    ///
    /// # Errors
    /// Where the key cannot make such a signature, and whatever the token has to say.
    pub fn sign(
        &mut self,
        credential: &HostCredential,
        algorithm: SignatureAlgorithm,
        message: &[u8],
    ) -> Result<Vec<u8>, TokenError> {
        let request = Request::Sign { credential: credential.id, scheme: scheme(algorithm)? };
        self.ask_signature(&request, message)
    }

    /// Signs a digest that was made elsewhere, with the digest's own algorithm. The value is
    /// checked as by [`TokenHost::sign`].
    ///
    /// # Errors
    /// As [`TokenHost::sign`].
    pub fn sign_digest(
        &mut self,
        credential: &HostCredential,
        algorithm: SignatureAlgorithm,
        digest: &Digest,
    ) -> Result<Vec<u8>, TokenError> {
        if algorithm.digest() != digest.algorithm() {
            return Err(TokenError::Unexpected);
        }
        let request = Request::SignDigest { credential: credential.id, scheme: scheme(algorithm)? };
        self.ask_signature(&request, digest.as_bytes())
    }

    /// The process of the host, for diagnosis. It may have ended.
    pub const fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// A way to end it from elsewhere, whatever it is doing.
    pub fn process(&self) -> HostProcess {
        self.process.shared()
    }

    fn ask_signature(&mut self, request: &Request, bytes: &[u8]) -> Result<Vec<u8>, TokenError> {
        let mut answer = self.ask(Step::Sign, request, &Attachment::Bytes(bytes))?;
        match (answer.response, answer.parts.pop()) {
            (Response::Signature, Some(value)) => Ok(value),
            (
                Response::Credentials { .. }
                | Response::Done
                | Response::Failed { .. }
                | Response::Hello { .. }
                | Response::SealingKey
                | Response::Signature
                | Response::Stored
                | Response::Tokens { .. },
                _,
            ) => Err(ProtocolError::Malformed.into()),
        }
    }

    fn ask_done(
        &mut self,
        step: Step,
        request: &Request,
        attachment: &Attachment<'_>,
    ) -> Result<(), TokenError> {
        let answer = self.ask(step, request, attachment)?;
        if answer.response == Response::Done { Ok(()) } else { Err(ProtocolError::Malformed.into()) }
    }

    fn ask(
        &mut self,
        step: Step,
        request: &Request,
        attachment: &Attachment<'_>,
    ) -> Result<Answer, TokenError> {
        self.ask_ready(step, request, attachment)?;
        self.receive_success(step)
    }

    /// Sends a request to a host that has greeted.
    fn ask_ready(
        &mut self,
        step: Step,
        request: &Request,
        attachment: &Attachment<'_>,
    ) -> Result<(), TokenError> {
        if !self.greeted {
            self.greet()?;
        }
        self.send(step, request, attachment)
    }

    fn receive_success(&mut self, step: Step) -> Result<Answer, TokenError> {
        let answer = self.receive(step)?;
        match answer.response {
            Response::Failed { failure } => Err(failure.into()),
            Response::Credentials { .. }
            | Response::Done
            | Response::Hello { .. }
            | Response::SealingKey
            | Response::Signature
            | Response::Stored
            | Response::Tokens { .. } => Ok(answer),
        }
    }

    fn greet(&mut self) -> Result<(), TokenError> {
        let Response::Hello { version } = self.receive(Step::Start)?.response else {
            return Err(ProtocolError::Malformed.into());
        };
        if version != PROTOCOL_VERSION {
            return Err(ProtocolError::Version { ours: PROTOCOL_VERSION, theirs: version }.into());
        }
        self.greeted = true;
        Ok(())
    }

    fn send(&mut self, step: Step, request: &Request, attachment: &Attachment<'_>) -> Result<(), TokenError> {
        let Some(sender) = &mut self.sender else { return Err(self.crashed(step)) };
        match token_host::write_request(sender, request, attachment) {
            Ok(()) => Ok(()),
            Err(ProtocolError::Frame(
                signer_ipc::frame::FrameError::Closed | signer_ipc::frame::FrameError::Connection(_),
            )) => Err(self.crashed(step)),
            Err(error) => Err(error.into()),
        }
    }

    fn receive(&mut self, step: Step) -> Result<Answer, TokenError> {
        let mut after = deadline(step);
        if let Some(until) = self.until {
            after = after.min(until.saturating_duration_since(Instant::now()));
        }
        match self.answers.recv_timeout(after) {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(ProtocolError::Frame(
                signer_ipc::frame::FrameError::Closed | signer_ipc::frame::FrameError::Connection(_),
            )))
            | Err(RecvTimeoutError::Disconnected) => Err(self.crashed(step)),
            Ok(Err(error)) => {
                let _ = self.end();
                Err(error.into())
            }
            Err(RecvTimeoutError::Timeout) => {
                let _ = self.end();
                Err(TokenError::TimedOut { step, after })
            }
        }
    }

    /// The connection ended unasked: reaps the host and says how it went.
    fn crashed(&mut self, step: Step) -> TokenError {
        let status = self.end();
        let end = status.as_ref().map_or(End::ByItself, platform::end);
        let status = status.map_or_else(|error| error.to_string(), |status| status.to_string());
        TokenError::Crashed { step, module: self.module, end, status }
    }

    /// Kills the host if it still lives, and reaps it.
    fn end(&mut self) -> std::io::Result<std::process::ExitStatus> {
        self.sender = None;
        // A host that closed its connection is about to be a corpse: its own status is the one
        // that tells something.
        loop {
            match self.answers.recv_timeout(FAREWELL / 10) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.process.kill()?;
                    break;
                }
            }
        }
        self.process.wait()
    }
}

impl Drop for TokenHost {
    fn drop(&mut self) {
        self.sender = None;
        // The listening thread ends when the host has ended.
        loop {
            match self.answers.recv_timeout(FAREWELL) {
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    // Fails only where the process has ended, which is what is wanted.
                    let _ = self.process.kill();
                    break;
                }
            }
        }
        let _ = self.process.wait();
    }
}

/// Hands every answer over until the host closes its end, which it does only by ending.
fn listen(receiver: Receiver, answered: &mpsc::Sender<Result<Answer, ProtocolError>>) {
    let mut receiver = BufReader::new(receiver);
    loop {
        let answer = token_host::read_answer(&mut receiver);
        let over = answer.is_err();
        if answered.send(answer).is_err() || over {
            break;
        }
    }
    // What follows a malformed answer has no meaning; it is read only to see the end.
    let _ = std::io::copy(&mut receiver, &mut std::io::sink());
}

/// How long a host may take. People type PINs on readers, and cards are slow.
const fn deadline(step: Step) -> Duration {
    Duration::from_secs(match step {
        Step::Start | Step::OpenFile | Step::OpenModule => 30,
        Step::Tokens | Step::Credentials => 90,
        Step::Sign | Step::Store | Step::Unlock => 300,
    })
}

fn absolute(path: &Path) -> Result<Vec<u8>, TokenError> {
    let path = std::path::absolute(path)
        .map_err(|error| TokenError::FileUnreadable { reason: error.to_string() })?;
    Ok(platform::path_to_bytes(&path))
}

fn scheme(algorithm: SignatureAlgorithm) -> Result<Scheme, TokenError> {
    match algorithm {
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256) => Ok(Scheme::RsaPkcs1Sha256),
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha384) => Ok(Scheme::RsaPkcs1Sha384),
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha512) => Ok(Scheme::RsaPkcs1Sha512),
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha256) => Ok(Scheme::EcdsaSha256),
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha384) => Ok(Scheme::EcdsaSha384),
        SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha512) => Ok(Scheme::EcdsaSha512),
        SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha1)
        | SignatureAlgorithm::Ecdsa(DigestAlgorithm::Sha1) => {
            Err(TokenError::KeyUnsupported { kind: "SHA-1".to_owned() })
        }
    }
}
