//! The `cybercore-signer-tray` program: the window that asks the person.
//!
//! The service starts it and invites it through its standard input; it connects back, shows
//! what it is told to show, and answers what the person decided. It holds no key, reads no
//! document and decides nothing.

mod access;
mod app;
mod icon;
mod link;
mod os;
mod pin;
mod screen;
mod text;
mod view;

use std::{
    io::{self, Write as _},
    process::ExitCode,
    time::Instant,
};

use signer_ipc::invitation::{Invitation, InvitationError};
use winit::event_loop::EventLoop;

use crate::{app::App, pin::Pin};

/// `EX_USAGE` of sysexits.h: started in a way that cannot work.
const NOT_INVITED: u8 = 64;
/// `EX_UNAVAILABLE`: there is no display, or no service where there should be one.
const UNAVAILABLE: u8 = 69;
/// `EX_SOFTWARE`: something that should not happen did.
const INTERNAL: u8 = 70;

fn main() -> ExitCode {
    match run(Instant::now()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let said = writeln!(io::stderr(), "cybercore-signer-tray: {failure}");
            // With nowhere to write, the exit code still tells.
            drop(said);
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Why the program ends badly.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// Nobody invited it.
    #[error("{0}; this program is started by cybercore-signer and not by hand")]
    NotInvited(#[from] InvitationError),
    /// There is nowhere to show a window.
    #[error("no display: {0}")]
    NoDisplay(#[source] winit::error::EventLoopError),
    /// The window or the connection failed.
    #[error(transparent)]
    App(#[from] app::AppError),
    /// The process could not be closed against others.
    #[error("the process cannot be protected: {0}")]
    Unprotected(#[source] io::Error),
}

impl Failure {
    const fn exit_code(&self) -> u8 {
        match self {
            Self::NotInvited(_) => NOT_INVITED,
            Self::NoDisplay(_) => UNAVAILABLE,
            Self::App(_) | Self::Unprotected(_) => INTERNAL,
        }
    }
}

fn run(began: Instant) -> Result<(), Failure> {
    os::harden().map_err(Failure::Unprotected)?;
    pin::wipe_on_panic();
    let invitation = Invitation::read(io::stdin().lock())?;
    let events = EventLoop::with_user_event().build().map_err(Failure::NoDisplay)?;
    let mut app = App::new(&events, &invitation, Pin::open(), began)?;
    events.run_app(&mut app).map_err(app::AppError::from)?;
    Ok(app.ended()?)
}
