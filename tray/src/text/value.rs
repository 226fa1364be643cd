//! Dates, sizes and digests as people read them.

use crate::text::Language;

const DAY: i64 = 86_400;

/// A day in UTC: `12/03/2027`, in English `2027-03-12`.
pub(crate) fn date(seconds: i64, language: Language) -> String {
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    match language {
        Language::Pt | Language::Es => format!("{day:02}/{month:02}/{year}"),
        Language::En => format!("{year}-{month:02}-{day:02}"),
    }
}

/// A size with the unit that keeps it short.
pub(crate) fn size(bytes: u64, language: Language) -> String {
    let mut unit = "B";
    let (mut tenths, mut thousand) = (u128::from(bytes) * 10, 1_u128);
    for larger in ["kB", "MB", "GB", "TB"] {
        if tenths < 10_000 {
            break;
        }
        unit = larger;
        thousand *= 1000;
        tenths = (u128::from(bytes) * 10 + thousand / 2) / thousand;
    }
    let (whole, tenth) = (tenths / 10, tenths % 10);
    let point = match language {
        Language::Pt | Language::Es => ',',
        Language::En => '.',
    };
    if tenth == 0 || whole >= 100 {
        format!("{whole} {unit}")
    } else {
        format!("{whole}{point}{tenth} {unit}")
    }
}

/// A digest in groups of four digits.
pub(crate) fn grouped(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 4);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && place % 4 == 0 {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

/// The first and the last groups of a digest.
pub(crate) fn shortened(digits: &str) -> String {
    const GROUPS: usize = 2;
    let grouped = grouped(digits);
    let groups: Vec<&str> = grouped.split(' ').collect();
    match (groups.get(..GROUPS), groups.len().checked_sub(GROUPS).and_then(|from| groups.get(from..))) {
        (Some(first), Some(last)) if groups.len() > 2 * GROUPS => {
            format!("{} … {}", first.join(" "), last.join(" "))
        }
        (Some(_) | None, Some(_) | None) => grouped,
    }
}

/// Year, month and day of a day since 1970-01-01 in the proleptic Gregorian calendar.
const fn civil(days: i64) -> (i64, i64, i64) {
    // Eras of 400 years that begin on the first of March, so that leap days come last.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carried) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (year_of_era + era * 400 + carried, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, shown) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (1_804_809_600, "2027-03-12"),
            (4_107_542_399, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
            (-1, "1969-12-31"),
        ] {
            assert_eq!(date(seconds, Language::En), shown);
        }
        assert_eq!(date(1_804_809_600, Language::Pt), "12/03/2027");
    }

    #[test]
    fn sizes_are_short() {
        for (bytes, shown) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1 kB"),
            (84_312, "84,3 kB"),
            (1_000_000, "1 MB"),
            (1_250_000, "1,3 MB"),
            (u64::MAX, "18446744 TB"),
        ] {
            assert_eq!(size(bytes, Language::Pt), shown);
        }
    }

    #[test]
    fn digests_are_in_groups() {
        assert_eq!(grouped("3f7a91c20b4d"), "3f7a 91c2 0b4d");
        assert_eq!(shortened("3f7a91c2000000000b4dc91e"), "3f7a 91c2 … 0b4d c91e");
        assert_eq!(shortened("3f7a91c2"), "3f7a 91c2");
    }
}
