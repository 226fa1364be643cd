//! The machine's time and zone, as values for core.

mod platform;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use signer_core::moment::Moment;

/// Why the machine's clock or a written time cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClockError {
    /// The clock shows a year outside 1970 to 9999.
    #[error("the clock of this machine is set to an impossible time")]
    Impossible,
    /// The text is no time.
    #[error("not a time: write it as 2026-11-30T18:49:28-03:00")]
    Unreadable,
}

/// Now, in the machine's time zone.
///
/// # Errors
/// Where the clock is set to an impossible time.
pub fn now() -> Result<Moment, ClockError> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| ClockError::Impossible)?;
    let seconds = i64::try_from(since.as_secs()).map_err(|_| ClockError::Impossible)?;
    let timestamp = jiff::Timestamp::from_second(seconds).map_err(|_| ClockError::Impossible)?;
    let offset = jiff::tz::TimeZone::system().to_offset(timestamp).seconds() / 60;
    Moment::new(seconds, i16::try_from(offset).unwrap_or(0)).ok_or(ClockError::Impossible)
}

/// How long the machine has slept since an unknown moment: only the difference of two answers says
/// something.
pub fn slept() -> Duration {
    platform::slept()
}

/// Reads a time in RFC 3339 with its zone.
///
/// # Errors
/// Where the text is no such time.
pub fn parse(text: &str) -> Result<Moment, ClockError> {
    let timestamp: jiff::Timestamp = text.parse().map_err(|_| ClockError::Unreadable)?;
    let pieces = jiff::fmt::temporal::Pieces::parse(text).map_err(|_| ClockError::Unreadable)?;
    let minutes = pieces.to_numeric_offset().map_or(0, |offset| offset.seconds() / 60);
    Moment::new(timestamp.as_second(), i16::try_from(minutes).unwrap_or(0)).ok_or(ClockError::Unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_times_keep_their_zone() {
        assert_eq!(parse("2026-11-30T18:49:28-03:00").unwrap().to_rfc3339(), "2026-11-30T18:49:28-03:00");
        assert_eq!(parse("2026-11-30T18:49:28Z").unwrap().to_rfc3339(), "2026-11-30T18:49:28+00:00");
        assert!(parse("amanhã").is_err());
        assert!(parse("2026-11-30T18:49:28").is_err());
    }
}
