//! Whoever asks the person, played by a test: a terminal agent or, through `stage`, a tray.
//! It can say yes or no to what it is shown, be silent, or vanish, at any step.

use std::{
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::net::UnixStream,
    sync::{
        Arc,
        mpsc::{self, Receiver},
    },
    thread,
};

use signer_core::digest::DigestAlgorithm;
use signer_ipc::{
    login::{self, Connection, EndpointName},
    message::{
        DIGEST_LEN, FromTray, Lasting, MessageError, Outcome, PROTOCOL_VERSION, Role, SecretAttached, ToTray,
        TrayAttachment, Unlock, read_to_tray, write_from_tray,
    },
    sealed::SealingKey,
    secret::Secret,
    summary::Summary,
    token_host::LastTry,
};

use crate::http::PATIENCE;

/// Somebody whom the service let in.
pub struct Agent {
    wire: Wire,
    heard: Receiver<(ToTray, Option<Vec<u8>>)>,
}

/// A connection to the service, not greeted yet.
#[derive(Clone)]
pub(crate) enum Wire {
    /// Of this process.
    Direct(Connection),
    /// Of a tray that passes on what is said.
    Relayed(Arc<UnixStream>),
}

/// Why an agent was not let in.
#[derive(Debug, PartialEq, Eq)]
pub enum NotLetIn {
    /// The connection ended without a word.
    Closed,
    /// In words.
    Refused {
        /// The version of the service.
        version: u32,
        /// Its code.
        code: String,
        /// Its words.
        words: String,
    },
}

/// What an agent is to show.
pub struct Question {
    /// Which approval.
    pub approval: u64,
    /// How each certificate is unlocked.
    pub unlocks: Vec<Unlock>,
    /// What is shown.
    pub summary: Summary,
    /// The SHA-256 of what came.
    pub shown: [u8; DIGEST_LEN],
}

impl Agent {
    /// A terminal agent of this process.
    ///
    /// # Panics
    /// Where it is not let in.
    pub fn terminal(endpoint: &EndpointName) -> Self {
        Self::greet(endpoint, PROTOCOL_VERSION, Role::Terminal, Vec::new())
            .expect("a terminal agent is let in")
    }

    /// Connects from this process and greets in any way.
    ///
    /// # Errors
    /// Where it is not let in.
    ///
    /// # Panics
    /// Where nobody listens.
    pub fn greet(
        endpoint: &EndpointName,
        version: u32,
        role: Role,
        one_time: Vec<u8>,
    ) -> Result<Self, NotLetIn> {
        let connection = login::connect(endpoint).expect("the service listens");
        Self::greet_on(Wire::Direct(connection), version, role, one_time)
    }

    pub(crate) fn greet_on(
        mut wire: Wire,
        version: u32,
        role: Role,
        one_time: Vec<u8>,
    ) -> Result<Self, NotLetIn> {
        let hello = FromTray::Hello { version, role };
        // The other side may have refused before it heard.
        drop(write_from_tray(&mut wire, &hello, &TrayAttachment::OneTime(one_time)));
        match read_to_tray(&mut wire) {
            Ok((ToTray::Hello { .. }, _)) => Ok(Self::of(wire)),
            Ok((ToTray::Refused { version, code, words }, _)) => {
                Err(NotLetIn::Refused { version, code, words })
            }
            Ok((other, _)) => panic!("the service answers out of turn: {other:?}"),
            Err(_) => Err(NotLetIn::Closed),
        }
    }

    fn of(wire: Wire) -> Self {
        let (to, heard) = mpsc::channel();
        let mut reader = wire.clone();
        thread::spawn(move || {
            while let Ok(message) = read_to_tray(&mut reader) {
                if to.send(message).is_err() {
                    return;
                }
            }
        });
        Self { wire, heard }
    }

    /// What it is told next; nothing where the service closed the connection.
    ///
    /// # Panics
    /// Where it is told nothing in time.
    pub fn hears(&self) -> Option<(ToTray, Option<Vec<u8>>)> {
        match self.heard.recv_timeout(PATIENCE) {
            Ok(message) => Some(message),
            Err(mpsc::RecvTimeoutError::Disconnected) => None,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("the agent is told nothing"),
        }
    }

    /// The next question that it is to show. What is said of others is passed over.
    ///
    /// # Panics
    /// Where there is none.
    pub fn question(&self) -> Question {
        self.question_in_time().expect("the agent is asked")
    }

    /// As [`Agent::question`]; nothing where it is told nothing in time.
    ///
    /// # Panics
    /// Where the service closed the connection.
    pub fn question_in_time(&self) -> Option<Question> {
        loop {
            let message = match self.heard.recv_timeout(PATIENCE) {
                Ok(message) => message,
                Err(mpsc::RecvTimeoutError::Timeout) => return None,
                Err(mpsc::RecvTimeoutError::Disconnected) => panic!("the service left before it asked"),
            };
            if let (ToTray::Present { approval, unlocks, .. }, Some(bytes)) = message {
                let digest = DigestAlgorithm::Sha256.digest(&bytes);
                let summary = Summary::parse(&bytes).expect("a summary can be read");
                let shown = digest.as_bytes().try_into().expect("a SHA-256");
                return Some(Question { approval, unlocks, summary, shown });
            }
        }
    }

    /// Waits until another request waits behind the one that it shows.
    ///
    /// # Panics
    /// Where none does.
    pub fn hears_of_another(&self) {
        while !matches!(self.hears().expect("the service lives").0, ToTray::Waiting { waiting: 1.. }) {}
    }

    /// How the secret is asked for, again or for the first time.
    ///
    /// # Panics
    /// Where it is not.
    pub fn asked_for_secret(&self) -> Unlock {
        loop {
            if let (ToTray::AskSecret { unlock, .. }, _) = self.hears().expect("the service asks") {
                return unlock;
            }
        }
    }

    /// How a question ends.
    ///
    /// # Panics
    /// Where the service goes before.
    pub fn dismissed(&self, question: &Question) -> Outcome {
        loop {
            match self.hears().expect("the service tells the end") {
                (ToTray::Dismiss { approval, outcome }, _) if approval == question.approval => {
                    return outcome;
                }
                _ => {}
            }
        }
    }

    /// Says anything.
    ///
    /// # Errors
    /// Where the service is gone.
    pub fn say(&mut self, message: &FromTray, attachment: &TrayAttachment) -> Result<(), MessageError> {
        write_from_tray(&mut self.wire, message, attachment)
    }

    /// Says yes to what is asked, with the first certificate, and gives the secret along.
    ///
    /// # Panics
    /// Where the service is gone.
    pub fn confirm(&mut self, question: &Question, secret: Option<&str>) {
        self.confirm_as(question, question.shown, Lasting::Once, secret);
    }

    /// Says yes, so that it holds for so long, to what has this digest.
    ///
    /// # Panics
    /// Where the service is gone.
    pub fn confirm_as(
        &mut self,
        question: &Question,
        shown: [u8; DIGEST_LEN],
        lasting: Lasting,
        secret: Option<&str>,
    ) {
        self.confirm_with(question, shown, lasting, secret, LastTry::NotConfirmed);
    }

    /// Says yes and that the last try may be used, and gives the secret along.
    ///
    /// # Panics
    /// Where the service is gone.
    pub fn risk(&mut self, question: &Question, secret: Option<&str>) {
        self.confirm_with(question, question.shown, Lasting::Once, secret, LastTry::Confirmed);
    }

    fn confirm_with(
        &mut self,
        question: &Question,
        shown: [u8; DIGEST_LEN],
        lasting: Lasting,
        secret: Option<&str>,
        last_try: LastTry,
    ) {
        let choice = (!question.summary.certificates.is_empty()).then_some(0);
        let sealed = secret.and_then(|secret| Some(seal(question.unlocks.first()?, secret)));
        let (secret, attachment) = match sealed {
            Some(sealed) => (SecretAttached::Yes, sealed),
            None => (SecretAttached::No, TrayAttachment::Nothing),
        };
        let approval = question.approval;
        let yes = FromTray::Confirmed { approval, shown, choice, secret, last_try, lasting };
        self.say(&yes, &attachment).expect("the service hears");
    }

    /// Gives the secret that was asked for.
    ///
    /// # Panics
    /// Where the service is gone.
    pub fn give(&mut self, approval: u64, unlock: &Unlock, secret: &str) {
        self.give_as(approval, unlock, secret, LastTry::NotConfirmed);
    }

    /// Gives the secret that was asked for, and says whether it may be the last try.
    ///
    /// # Panics
    /// Where the service is gone.
    pub fn give_as(&mut self, approval: u64, unlock: &Unlock, secret: &str, last_try: LastTry) {
        let message = FromTray::Secret { approval, secret: SecretAttached::Yes, last_try };
        self.say(&message, &seal(unlock, secret)).expect("the service hears");
    }

    /// Says no.
    ///
    /// # Panics
    /// Where the service is gone.
    pub fn deny(&mut self, question: &Question) {
        let no = FromTray::Denied { approval: question.approval, lasting: Lasting::Once };
        self.say(&no, &TrayAttachment::Nothing).expect("the service hears");
    }

    /// Ends the connection at once, as the end of its process would.
    pub fn vanish(self) {
        self.wire.close();
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        self.wire.close();
    }
}

fn seal(unlock: &Unlock, secret: &str) -> TrayAttachment {
    let key = unlock.key.expect("the secret is typed here");
    let key = SealingKey::from_bytes(&key).expect("a key");
    let secret = Secret::from_bytes(secret.as_bytes().to_vec()).expect("a secret");
    TrayAttachment::Secret(key.seal(&secret).expect("random bytes"))
}

impl Wire {
    fn close(&self) {
        match self {
            Self::Direct(connection) => connection.close(),
            // Fails where the other side is gone already.
            Self::Relayed(stream) => drop(stream.shutdown(Shutdown::Both)),
        }
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Direct(connection) => connection.read(buffer),
            Self::Relayed(stream) => (&**stream).read(buffer),
        }
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Direct(connection) => connection.write(bytes),
            Self::Relayed(stream) => (&**stream).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
