//! The connection to the service: a thread that reads, and a hand that writes.
//!
//! What comes is made ready for the screen here; what does not fit ends the program, which the
//! service sees as a tray that is gone. Nothing is shown that was not parsed as a whole.

use std::{
    convert::Infallible,
    io::Read,
    thread,
    time::{Duration, Instant},
};

use sha2::{Digest as _, Sha256};
use signer_ipc::{
    frame::FrameError,
    invitation::Invitation,
    login::{self, Connection, GreetingError},
    message::{self, FromTray, MessageError, Role, ToTray, TrayAttachment},
    sealed::SealedSecret,
    summary::{Summary, SummaryError},
};

use crate::screen::{Incoming, Presented};

/// The writing side.
pub(crate) struct Link {
    connection: Connection,
}

/// Why the connection ended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinkError {
    /// The service closed it: nothing is left to do.
    #[error("the service closed the connection")]
    Closed,
    /// The service does not take this program, or is not there.
    #[error(transparent)]
    Greeting(#[from] GreetingError),
    /// It failed, or what came is no message.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// What is to be shown is not what this version shows.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// A message came out of turn, or its parts do not fit each other.
    #[error("the service sent something that cannot be shown")]
    OutOfTurn,
}

impl Link {
    /// Connects to the service that sent `invitation`, and greets it and reads what it says in a
    /// thread of its own. `tell` gets every message, and at last the error that ended the
    /// connection.
    ///
    /// # Errors
    /// Where nobody listens.
    pub(crate) fn open(
        invitation: &Invitation,
        began: Instant,
        tell: impl Fn(Result<Incoming, LinkError>) + Send + 'static,
    ) -> Result<Self, LinkError> {
        let failed = |error| LinkError::Message(MessageError::Frame(FrameError::Connection(error)));
        let connection = login::connect(&invitation.endpoint).map_err(failed)?;
        let mut reader = connection.clone();
        let one_time = invitation.one_time.to_vec();
        let listen = move || {
            let ended = reader
                .greet(Role::Tray, one_time)
                .map_err(LinkError::from)
                .and_then(|()| listen(&mut reader, began, |incoming| tell(Ok(incoming))));
            let error = match ended {
                Ok(never) => match never {},
                Err(error) => error,
            };
            tell(Err(error));
        };
        thread::Builder::new().name("service".into()).spawn(listen).map_err(failed)?;
        Ok(Self { connection })
    }

    /// Answers the service. Blocks until the few bytes are handed over.
    ///
    /// # Errors
    /// Where the service is gone.
    pub(crate) fn answer(
        &mut self,
        message: &FromTray,
        secret: Option<SealedSecret>,
    ) -> Result<(), LinkError> {
        let attachment = secret.map_or(TrayAttachment::Nothing, TrayAttachment::Secret);
        Ok(message::write_from_tray(&mut self.connection, message, &attachment)?)
    }
}

fn listen(reader: &mut impl Read, began: Instant, tell: impl Fn(Incoming)) -> Result<Infallible, LinkError> {
    loop {
        let (message, summary) = read(reader)?;
        tell(ready(message, summary, began.elapsed())?);
    }
}

fn read(reader: &mut impl Read) -> Result<(ToTray, Option<Vec<u8>>), LinkError> {
    message::read_to_tray(reader).map_err(|error| match error {
        MessageError::Frame(FrameError::Closed) => LinkError::Closed,
        MessageError::Frame(_) | MessageError::Malformed => LinkError::Message(error),
    })
}

/// A message as the screen takes it.
fn ready(message: ToTray, summary: Option<Vec<u8>>, now: Duration) -> Result<Incoming, LinkError> {
    let at = |deadline_ms| now.saturating_add(Duration::from_millis(deadline_ms));
    Ok(match message {
        ToTray::Hello { .. } | ToTray::Refused { .. } => return Err(LinkError::OutOfTurn),
        ToTray::Present { approval, deadline_ms, unlocks, waiting } => {
            let bytes = summary.ok_or(LinkError::OutOfTurn)?;
            let digest = Sha256::digest(&bytes).into();
            let summary = Summary::parse(&bytes)?;
            if unlocks.len() != summary.certificates.len() {
                return Err(LinkError::OutOfTurn);
            }
            let deadline = at(deadline_ms);
            Incoming::Present(Box::new(Presented { approval, summary, digest, unlocks, deadline, waiting }))
        }
        ToTray::Waiting { waiting } => Incoming::Waiting(waiting),
        ToTray::AwaitToken { approval, deadline_ms } => {
            Incoming::AwaitToken { approval, deadline: at(deadline_ms) }
        }
        ToTray::AskSecret { approval, deadline_ms, reason, unlock } => {
            Incoming::AskSecret { approval, deadline: at(deadline_ms), reason, unlock }
        }
        ToTray::Signing { approval, done, of } => Incoming::Signing { approval, done, of },
        ToTray::Dismiss { approval, outcome } => Incoming::Dismiss { approval, outcome },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRING: &str = r#"{"certificates":[],"client":{"host":"a.example","kind":"site","origin":"https://a.example"},"documents":[],"kind":"pairing","reason":null,"scopes":["sign"]}"#;

    fn present(bytes: &str) -> Result<Incoming, LinkError> {
        let message = ToTray::Present { approval: 1, deadline_ms: 1000, unlocks: Vec::new(), waiting: 0 };
        ready(message, Some(bytes.as_bytes().to_vec()), Duration::from_secs(2))
    }

    #[test]
    fn the_digest_is_of_the_bytes_that_came() {
        let Ok(Incoming::Present(presented)) = present(PAIRING) else { panic!("not presented") };
        assert_eq!(presented.digest, <[u8; 32]>::from(Sha256::digest(PAIRING)));
        assert_eq!(presented.deadline, Duration::from_secs(3));
    }

    #[test]
    fn what_would_not_be_shown_is_refused() {
        let refused = [
            PAIRING.replace("\"reason\":null", "\"reason\":\"unseen\""),
            PAIRING.replace("\"scopes\":[\"sign\"]", "\"scopes\":[]"),
            PAIRING.replace("\"pairing\"", "\"signature\""),
            PAIRING.replace("\"kind\":\"pairing\"", "\"kind\":\"pairing\",\"more\":1"),
        ];
        for bytes in refused {
            assert!(present(&bytes).is_err(), "{bytes}");
        }
    }

    #[test]
    fn the_end_of_the_connection_is_told_from_a_fault() {
        let ended = |bytes: &[u8]| listen(&mut &*bytes, Instant::now(), |_| panic!("nothing was said"));
        assert!(matches!(ended(&[]), Err(LinkError::Closed)));
        assert!(matches!(ended(&[1, 0, 0]), Err(LinkError::Message(_))));
        let mut bytes = Vec::new();
        message::write_to_tray(&mut bytes, &ToTray::Hello { version: 1 }, None).unwrap();
        assert!(matches!(ended(&bytes), Err(LinkError::OutOfTurn)));
    }
}
