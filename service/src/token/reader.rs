//! Readers and cards as PC/SC sees them. The only place that names `pcsc`.

use std::ffi::CStr;

/// A reader and what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reader {
    /// Its name.
    pub name: String,
    /// The card's answer to reset, where a card is present.
    pub card: Option<Vec<u8>>,
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
    let card = states
        .first()
        .filter(|state| state.event_state().contains(pcsc::State::PRESENT))
        .map(|state| state.atr().to_vec());
    Ok(Reader { name: name.to_string_lossy().into_owned(), card })
}

#[expect(clippy::wildcard_enum_match_arm, reason = "all other codes of PC/SC mean the same here")]
fn refused(error: pcsc::Error) -> ReaderError {
    match error {
        pcsc::Error::NoService | pcsc::Error::ServiceStopped => ReaderError::ServiceAbsent,
        pcsc::Error::NoAccess | pcsc::Error::SecurityViolation => ReaderError::NotPermitted,
        other => ReaderError::Failed(other.to_string()),
    }
}
