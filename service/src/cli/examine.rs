//! Modules looked at without a PIN: each in a token host of its own, side by side, for a limited
//! time. One that hangs costs the others nothing.

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use signer_core::error::ErrorCode;

use crate::{
    cli::failure::Failure,
    clock,
    token::{
        client::{HostCredential, TokenDescription, TokenHost},
        error::{Step, TokenError},
        modules::{
            Installed, Origin,
            quarantine::{Incident, Quarantine, Quarantined},
        },
    },
};

/// A module, and what its token host saw.
pub(super) struct Examined {
    pub(super) module: Installed,
    pub(super) outcome: Outcome,
}

/// What a token host saw of a module.
pub(super) enum Outcome {
    /// It failed, crashed or hung.
    Failed(TokenError),
    /// It was not loaded.
    Quarantined(Quarantined),
    /// It works, and these are its tokens.
    Works(Vec<SeenToken>),
}

/// A token, and what it shows without a PIN.
pub(super) struct SeenToken {
    pub(super) token: TokenDescription,
    pub(super) credentials: Result<Vec<HostCredential>, TokenError>,
}

/// Looks at all of them; blocks for `patience`, and for the few seconds that a host that does not
/// end is given. What went wrong is written down in the quarantine. A module that was named on the
/// command line is loaded whatever is written there, and nothing is written of it.
pub(super) fn examine(
    modules: Vec<Installed>,
    quarantine: &Quarantine,
    patience: Duration,
) -> Result<Vec<Examined>, Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::of(ErrorCode::Internal, &error))?;
    let end = Instant::now() + patience;
    let look = |module: &Installed| {
        if module.origin == Origin::CommandLine {
            let seen = look_at(&program, &module.path, end);
            return seen.map_or_else(Outcome::Failed, Outcome::Works);
        }
        if let Some(held) = quarantine.reason(&module.path) {
            return Outcome::Quarantined(held);
        }
        let seen = look_at(&program, &module.path, end);
        remember(quarantine, &module.path, &seen);
        seen.map_or_else(Outcome::Failed, Outcome::Works)
    };
    let outcomes = thread::scope(|scope| {
        let looking: Vec<_> = modules.iter().map(|module| scope.spawn(|| look(module))).collect();
        // A panic in one of the threads is a defect, and said as such of its module.
        let defect = || Outcome::Failed(TokenError::Internal { reason: "panic".to_owned() });
        looking.into_iter().map(|thread| thread.join().unwrap_or_else(|_| defect())).collect::<Vec<_>>()
    });
    Ok(modules.into_iter().zip(outcomes).map(|(module, outcome)| Examined { module, outcome }).collect())
}

fn look_at(program: &Path, module: &Path, end: Instant) -> Result<Vec<SeenToken>, TokenError> {
    let mut host = TokenHost::spawn(program)?;
    host.answer_until(Some(end));
    host.open_module(module)?;
    let mut seen = Vec::new();
    for token in host.tokens()? {
        let credentials = host.credentials(Some(&token));
        // A crash or a missed deadline is the module's, not the token's.
        match credentials {
            Err(error @ (TokenError::Crashed { .. } | TokenError::TimedOut { .. })) => return Err(error),
            credentials => seen.push(SeenToken { token, credentials }),
        }
    }
    Ok(seen)
}

/// Failing to write it down must not hide what was seen.
fn remember<T>(quarantine: &Quarantine, module: &Path, seen: &Result<T, TokenError>) {
    let written = match seen {
        Ok(_) => quarantine.worked(module, Step::Credentials),
        Err(error) => match clock::now().ok().and_then(|now| Incident::of(error, now)) {
            Some(incident) => quarantine.failed(module, incident),
            None => Ok(()),
        },
    };
    if let Err(error) = written {
        tracing::warn!(%error, "what a module did is not remembered");
    }
}
