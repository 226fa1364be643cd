//! `approve`: the terminal agent. It asks the person in the terminal that they opened themselves,
//! on machines without a display and over SSH; it shows what the window shows and decides nothing.

mod facts;
mod line;
mod requests;
mod terminal;
mod words;

use std::{
    process::ExitCode,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use signer_core::{digest::DigestAlgorithm, error::ErrorCode};
use signer_ipc::{
    frame::FrameError,
    login::{self, Connection, GreetingError},
    message::{self, MessageError, Outcome, Role, ToTray},
    summary::Summary,
};

use crate::{
    cli::{
        approve::{
            requests::{Left, Requests, Said},
            terminal::{Terminal, TerminalError},
        },
        arguments::{ApproveArguments, language},
        failure::Failure,
    },
    dirs::Dirs,
    serve::StopSignal,
};

/// What can happen while the agent runs.
enum Happening {
    /// The person ended a line in the terminal.
    Line(terminal::Line),
    /// The service said something.
    Said(Box<Said>),
    /// The connection ended.
    ServiceGone(MessageError),
    /// Something was said that cannot be shown whole; nothing of it is shown.
    Unfit,
    /// The system or the person asks this program to end.
    Stop,
}

/// Runs the command.
pub(super) fn run(arguments: &ApproveArguments) -> ExitCode {
    match serve(arguments) {
        Ok(code) => code,
        Err(failure) => failure.show(false),
    }
}

fn serve(arguments: &ApproveArguments) -> Result<ExitCode, Failure> {
    let (happens, inbox) = mpsc::channel();
    let keys = happens.clone();
    let no_terminal = |error: TerminalError| Failure::of(ErrorCode::TrayUnavailable, &error);
    let terminal =
        Terminal::open(move |line| keys.send(Happening::Line(line)).is_ok()).map_err(no_terminal)?;
    let connection = connect()?;
    listen(connection.clone(), happens.clone())
        .and_then(|()| watch_stop(happens))
        .map_err(|error| Failure::of(ErrorCode::Internal, &error))?;

    let mut requests = Requests::new(connection, terminal, inbox, language());
    loop {
        let ended = match requests.next() {
            Ok(outcome) => outcome,
            Err(Left::ByPerson) => return Ok(ExitCode::SUCCESS),
            Err(Left::ServiceGone(MessageError::Frame(FrameError::Closed))) if !arguments.once => {
                requests.say(words::SERVICE_ENDED);
                return Ok(ExitCode::SUCCESS);
            }
            Err(Left::ServiceGone(error)) => return Err(Failure::of(ErrorCode::ServiceUnavailable, &error)),
            Err(Left::Unfit) => return Err(Failure::new(ErrorCode::ProtocolMismatch)),
            Err(Left::Terminal(error)) => return Err(no_terminal(error)),
        };
        if arguments.once {
            return Ok(match ended {
                Outcome::Approved => ExitCode::SUCCESS,
                Outcome::Denied | Outcome::Expired | Outcome::Cancelled | Outcome::Failed { .. } => {
                    ExitCode::FAILURE
                }
            });
        }
    }
}

/// Connects to the service of this login and greets it.
fn connect() -> Result<Connection, Failure> {
    let dirs = Dirs::of_login().map_err(|error| Failure::of(ErrorCode::ServiceUnavailable, &error))?;
    let runtime = dirs.runtime().map_err(|error| Failure::of(ErrorCode::ServiceUnavailable, &error))?;
    let absent = |error: std::io::Error| {
        Failure::of(ErrorCode::ServiceUnavailable, &error).with_note(language().choose(words::START_SERVICE))
    };
    let name = login::name(runtime).map_err(absent)?;
    let mut connection = login::connect(&name).map_err(absent)?;
    match connection.greet(Role::Terminal, Vec::new()) {
        Ok(()) => Ok(connection),
        Err(GreetingError::Refused { code, words, .. }) => {
            let known = ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code);
            Err(Failure::new(known.unwrap_or(ErrorCode::ProtocolMismatch)).with_note(words))
        }
        Err(error @ (GreetingError::Message(_) | GreetingError::Unexpected)) => {
            Err(Failure::of(ErrorCode::ServiceUnavailable, &error))
        }
    }
}

/// Reads what the service says, on a thread of its own that ends with the connection.
fn listen(mut connection: Connection, happens: mpsc::Sender<Happening>) -> std::io::Result<()> {
    let read = move || {
        loop {
            let happening = match message::read_to_tray(&mut connection) {
                Ok((message, summary)) => match parse(message, summary) {
                    Some(said) => Happening::Said(Box::new(said)),
                    None => Happening::Unfit,
                },
                Err(error) => Happening::ServiceGone(error),
            };
            let last = matches!(happening, Happening::ServiceGone(_) | Happening::Unfit);
            if happens.send(happening).is_err() || last {
                return;
            }
        }
    };
    thread::Builder::new().name("service".to_owned()).spawn(read).map(drop)
}

/// A message with the summary that belongs to it; nothing where the summary cannot be shown whole.
fn parse(message: ToTray, summary: Option<Vec<u8>>) -> Option<Said> {
    let heard = Instant::now();
    let summary = match (&message, summary) {
        (ToTray::Present { unlocks, .. }, Some(bytes)) => {
            let shown = DigestAlgorithm::Sha256.digest(&bytes).as_bytes().try_into().ok()?;
            let summary = Summary::parse(&bytes).ok()?;
            if unlocks.len() != summary.certificates.len() {
                return None;
            }
            Some((summary, shown))
        }
        (_, Some(_)) | (ToTray::Present { .. }, None) => return None,
        (_, None) => None,
    };
    Some(Said { message, summary, heard })
}

/// Watches for the signals that ask to end, on a thread of its own.
fn watch_stop(happens: mpsc::Sender<Happening>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let stop = {
        let _within = runtime.enter();
        StopSignal::watch()?
    };
    let wait = move || {
        runtime.block_on(stop.asked());
        // Fails where the program is about to end anyway.
        let _ = happens.send(Happening::Stop);
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

/// The moment after so many milliseconds.
fn after(heard: Instant, milliseconds: u64) -> Instant {
    // A day is longer than any deadline of the service.
    heard + Duration::from_millis(milliseconds.min(86_400_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRING: &str = r#"{"certificates":[],"client":{"host":"a.example","kind":"site","origin":"https://a.example"},"documents":[],"kind":"pairing","reason":null,"scopes":["sign"]}"#;

    fn present(bytes: &str) -> Option<Said> {
        let message = ToTray::Present { approval: 1, deadline_ms: 1000, unlocks: Vec::new(), waiting: 0 };
        parse(message, Some(bytes.as_bytes().to_vec()))
    }

    #[test]
    fn only_what_is_shown_whole_is_taken() {
        let (_, shown) = present(PAIRING).unwrap().summary.unwrap();
        assert_eq!(shown, DigestAlgorithm::Sha256.digest(PAIRING.as_bytes()).as_bytes());
        for bytes in [
            PAIRING.replace("\"reason\":null", "\"reason\":\"unseen\""),
            PAIRING.replace("\"scopes\":[\"sign\"]", "\"scopes\":[]"),
            PAIRING.replace("\"pairing\"", "\"signature\""),
            PAIRING.replace("\"kind\":\"pairing\"", "\"kind\":\"pairing\",\"more\":1"),
        ] {
            assert!(present(&bytes).is_none(), "{bytes}");
        }
    }
}
