//! A point in time with the zone it is shown in. Core has no clock: callers hand moments in.

/// Seconds since 1970-01-01T00:00:00Z, and the zone's offset in which to show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    unix_seconds: i64,
    offset_minutes: i16,
}

/// A moment taken apart in its own zone (proleptic Gregorian calendar).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Civil {
    /// Year, 0 to 9999.
    pub year: u16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
    /// Hour, 0 to 23.
    pub hour: u8,
    /// Minute, 0 to 59.
    pub minute: u8,
    /// Second, 0 to 59.
    pub second: u8,
}

const SECONDS_PER_DAY: i64 = 86_400;
/// 9999-12-31T23:59:59Z less one day, so that any offset stays within year 9999.
const LATEST: i64 = 253_402_214_400;

impl Moment {
    /// A moment within the years 1970 to 9999, offset within ±18 hours; `None` outside.
    pub fn new(unix_seconds: i64, offset_minutes: i16) -> Option<Self> {
        let fits =
            (SECONDS_PER_DAY..LATEST).contains(&unix_seconds) && (-1080..=1080).contains(&offset_minutes);
        fits.then_some(Self { unix_seconds, offset_minutes })
    }

    /// The inverse of [`Moment::to_rfc3339`]; `None` for every other form.
    pub fn parse_rfc3339(text: &str) -> Option<Self> {
        let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<u32>().ok();
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        let offset = i16::try_from(number(20..22)? * 60 + number(23..25)?).ok()?;
        let offset = if text.get(19..20)? == "-" { -offset } else { offset };
        // Days from year, month and day: the way back of `civil`.
        let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
        let (era, year_of_era) = (year / 400, year % 400);
        let day_of_year = (153 * month + 2) / 5 + day.checked_sub(1)?;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = i64::from(era) * 146_097 + i64::from(day_of_era) - 719_468;
        let seconds = days * SECONDS_PER_DAY + i64::from(hour * 3600 + minute * 60 + second);
        let moment = Self::new(seconds - i64::from(offset) * 60, offset)?;
        (moment.to_rfc3339() == text).then_some(moment)
    }

    /// Reads a PDF date string (ISO 32000-2, 7.9.4). Whatever stands after the year may be
    /// missing; without a zone the time is taken as UTC. `None` for everything else.
    pub fn from_pdf_date(text: &str) -> Option<Self> {
        let text = text.strip_prefix("D:").unwrap_or(text);
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, zone) = text.split_at_checked(end)?;
        if !matches!(digits.len(), 4 | 6 | 8 | 10 | 12 | 14) {
            return None;
        }
        let part = |from: usize, len: usize, missing: i64| match digits.get(from..from + len) {
            Some(digits) => digits.parse().ok(),
            None => Some(missing),
        };
        let (year, month, day) = (part(0, 4, 0)?, part(4, 2, 1)?, part(6, 2, 1)?);
        let (hour, minute, second) = (part(8, 2, 0)?, part(10, 2, 0)?, part(12, 2, 0)?);
        let offset = offset_of(zone)?;
        // The inverse of `civil`: years begin on 1 March.
        let (shifted_year, shifted_month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
        let era = shifted_year.div_euclid(400);
        let year_of_era = shifted_year.rem_euclid(400);
        let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        let days = era * 146_097 + day_of_era - 719_468;
        let local = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second;
        let found = Self::new(local - i64::from(offset) * 60, offset)?;
        // 31 February and 25 o'clock are dates that come back as others.
        let Civil { year: y, month: m, day: d, hour: h, minute: min, second: s } = found.civil();
        let back = [i64::from(y), m.into(), d.into(), h.into(), min.into(), s.into()];
        (back == [year, month, day, hour, minute, second]).then_some(found)
    }

    /// Seconds since the epoch.
    pub const fn unix_seconds(self) -> i64 {
        self.unix_seconds
    }

    /// The zone's offset in minutes east of UTC.
    pub const fn offset_minutes(self) -> i16 {
        self.offset_minutes
    }

    /// The moment in its own zone.
    pub fn civil(self) -> Civil {
        let local = self.unix_seconds + i64::from(self.offset_minutes) * 60;
        let (days, seconds) = (local.div_euclid(SECONDS_PER_DAY), local.rem_euclid(SECONDS_PER_DAY));
        // Days to year, month and day: eras of 400 years that begin on 1 March.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        let small = |value: i64| u8::try_from(value).unwrap_or(0);
        Civil {
            year: u16::try_from(year).unwrap_or(0),
            month: small(month),
            day: small(day),
            hour: small(seconds / 3600),
            minute: small(seconds / 60 % 60),
            second: small(seconds % 60),
        }
    }

    /// The PDF date string (ISO 32000-2, 7.9.4): `D:20261130184928-03'00'`.
    pub fn to_pdf_date(self) -> String {
        let Civil { year, month, day, hour, minute, second } = self.civil();
        let (sign, hours, minutes) = self.offset_parts();
        format!("D:{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}{sign}{hours:02}'{minutes:02}'")
    }

    /// RFC 3339 with the zone: `2026-11-30T18:49:28-03:00`.
    pub fn to_rfc3339(self) -> String {
        let Civil { year, month, day, hour, minute, second } = self.civil();
        let (sign, hours, minutes) = self.offset_parts();
        format!(
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{sign}{hours:02}:{minutes:02}"
        )
    }

    /// As a Brazilian reader writes it, with the zone: `30/11/2026 18:49:28 -03:00`.
    pub fn to_brazilian(self) -> String {
        let Civil { year, month, day, hour, minute, second } = self.civil();
        let (sign, hours, minutes) = self.offset_parts();
        format!(
            "{day:02}/{month:02}/{year:04} {hour:02}:{minute:02}:{second:02} {sign}{hours:02}:{minutes:02}"
        )
    }

    fn offset_parts(self) -> (char, u16, u16) {
        let sign = if self.offset_minutes < 0 { '-' } else { '+' };
        let minutes = self.offset_minutes.unsigned_abs();
        (sign, minutes / 60, minutes % 60)
    }
}

/// The zone of a PDF date in minutes east of UTC: `Z`, `+HH`, `-HH'mm` or `-HH'mm'`; missing is UTC.
fn offset_of(zone: &str) -> Option<i16> {
    let (sign, rest) = match zone.split_at_checked(1) {
        None | Some(("Z", _)) => return Some(0),
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        Some(_) => return None,
    };
    let (hours, minutes) = rest.split_once('\'').unwrap_or((rest, ""));
    let minutes = minutes.strip_suffix('\'').unwrap_or(minutes);
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?;
    let hours: i16 = number(hours).filter(|_| hours.len() == 2)?;
    let minutes: i16 = if minutes.is_empty() { 0 } else { number(minutes).filter(|_| minutes.len() == 2)? };
    Some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_in_their_zone() {
        let moment = Moment::new(1_796_075_368, -180).unwrap();
        assert_eq!(moment.to_rfc3339(), "2026-11-30T18:49:28-03:00");
        assert_eq!(moment.to_pdf_date(), "D:20261130184928-03'00'");
        assert_eq!(moment.to_brazilian(), "30/11/2026 18:49:28 -03:00");
    }

    #[test]
    fn leap_days_and_century_ends_are_right() {
        for (seconds, text) in [
            (951_782_400, "2000-02-29T00:00:00+00:00"),
            (1_709_164_800, "2024-02-29T00:00:00+00:00"),
            (4_107_542_399, "2100-02-28T23:59:59+00:00"),
            (4_107_542_400, "2100-03-01T00:00:00+00:00"),
        ] {
            assert_eq!(Moment::new(seconds, 0).unwrap().to_rfc3339(), text);
        }
    }

    #[test]
    fn only_what_was_written_here_is_read_back() {
        for seconds in [951_782_400, 1_709_164_800, 1_796_075_368, 4_107_542_399, 253_402_214_399] {
            for offset in [-1080, -180, 0, 330, 1080] {
                let moment = Moment::new(seconds, offset).unwrap();
                assert_eq!(Moment::parse_rfc3339(&moment.to_rfc3339()), Some(moment));
            }
        }
        for text in [
            "",
            "2026-11-30T18:49:28Z",
            "2026-11-30T18:49:28-00:00",
            "2026-11-30 18:49:28-03:00",
            "2026-11-31T18:49:28-03:00",
            "2025-02-29T00:00:00+00:00",
            "2026-00-30T18:49:28-03:00",
            "2026-13-30T18:49:28-03:00",
            "2026-11-00T18:49:28-03:00",
            "2026-11-30T24:00:00-03:00",
            "2026-11-30T18:49:28.5-03:00",
            "2026-11-30T18:49:28-99:99",
            "+026-11-30T18:49:28-03:00",
            "1969-11-30T18:49:28-03:00",
            "2026-11-30T18:49:28-03:0é",
        ] {
            assert_eq!(Moment::parse_rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn pdf_dates_are_read_as_they_are_written() {
        for (text, expected) in [
            ("D:20261130184928-03'00'", Some("2026-11-30T18:49:28-03:00")),
            ("D:20261130184928-03'00", Some("2026-11-30T18:49:28-03:00")),
            ("20261130184928+0530", None),
            ("D:20240229235959Z", Some("2024-02-29T23:59:59+00:00")),
            ("D:20240229235959Z00'00'", Some("2024-02-29T23:59:59+00:00")),
            ("D:202611301849", Some("2026-11-30T18:49:00+00:00")),
            ("D:2026", Some("2026-01-01T00:00:00+00:00")),
            ("D:20260229000000Z", None),
            ("D:20261130250000Z", None),
            ("D:20261130184928*03'00'", None),
            ("D:20261130184928-99'00'", None),
            ("D:20261130184928-0", None),
            ("ontem", None),
            ("", None),
        ] {
            let found = Moment::from_pdf_date(text).map(Moment::to_rfc3339);
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn years_outside_the_calendar_of_pdf_are_refused() {
        assert_eq!(Moment::new(i64::MAX, 0), None);
        assert_eq!(Moment::new(-1, 0), None);
        assert_eq!(Moment::new(1_796_075_368, 2000), None);
    }
}
