//! Readers and cards as PC/SC sees them. Only this module and what is below it name `pcsc`.

pub mod programs;
pub mod watch;

use std::ffi::CStr;

/// A reader and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// Its name.
    pub name: String,
    /// The card's answer to reset, where a card is present.
    pub card: Option<Vec<u8>>,
    /// How often a card came or went, as far as PC/SC counts: a card that was taken out and put
    /// back is told from one that stayed.
    pub changes: u32,
    /// Whether somebody has the card for himself (`SCARD_SHARE_EXCLUSIVE`).
    pub sharing: Sharing,
}

/// Whether others may use the card in a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// A program keeps all others out.
    Exclusive,
    /// Everybody may.
    Shared,
}

/// Why the readers are not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReaderError {
    /// The smart card service refuses this program or this login.
    #[error("the smart card service refuses this login")]
    NotPermitted,
    /// The smart card service does not run.
    #[error("the smart card service (pcscd) is not running")]
    ServiceAbsent,
    /// PC/SC answered with another error.
    #[error("PC/SC: {0}")]
    Failed(String),
}

/// The readers that are connected now. Does not wait for anything.
///
/// # Errors
/// Where the smart card service is absent or fails. No reader is not an error.
pub fn readers() -> Result<Vec<Reader>, ReaderError> {
    let context = pcsc::Context::establish(pcsc::Scope::User).map_err(refused)?;
    let names = match context.list_readers_owned() {
        Ok(names) => names,
        Err(pcsc::Error::NoReadersAvailable) => return Ok(Vec::new()),
        Err(error) => return Err(refused(error)),
    };
    names.iter().map(|name| look_into(&context, name)).collect()
}

fn look_into(context: &pcsc::Context, name: &CStr) -> Result<Reader, ReaderError> {
    let mut states = [pcsc::ReaderState::new(name, pcsc::State::UNAWARE)];
    context.get_status_change(std::time::Duration::ZERO, &mut states).map_err(refused)?;
    let [state] = states;
    Ok(Reader::of(&state))
}

impl Reader {
    fn of(state: &pcsc::ReaderState) -> Self {
        let seen = state.event_state();
        Self {
            name: state.name().to_string_lossy().into_owned(),
            card: seen.contains(pcsc::State::PRESENT).then(|| state.atr().to_vec()),
            changes: state.event_count(),
            sharing: if seen.contains(pcsc::State::EXCLUSIVE) { Sharing::Exclusive } else { Sharing::Shared },
        }
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other codes of PC/SC mean the same here")]
fn refused(error: pcsc::Error) -> ReaderError {
    match error {
        pcsc::Error::NoService | pcsc::Error::ServiceStopped => ReaderError::ServiceAbsent,
        pcsc::Error::NoAccess | pcsc::Error::SecurityViolation => ReaderError::NotPermitted,
        other => ReaderError::Failed(other.to_string()),
    }
}
