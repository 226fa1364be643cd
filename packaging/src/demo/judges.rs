//! `pdfsig` as the second judge, with a trust store that knows only the demonstration's root.

use std::{fmt, path::Path};

use crate::{
    command::{exists, output, program, quiet, say},
    failure::Failure,
};

/// What pdfsig thinks of the new signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Opinion {
    /// It was not asked.
    Absent,
    /// The new signature is valid, its certificate trusted, the whole document covered.
    Accepted,
    /// What is missing.
    Refused(String),
}

impl fmt::Display for Opinion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("not installed, not asked"),
            Self::Accepted => {
                f.write_str("Signature is Valid, Certificate is Trusted, Total document signed")
            }
            Self::Refused(missing) => write!(f, "NOT accepted, it does not say: {missing}"),
        }
    }
}

/// Asks pdfsig about `signed`, made from `original`, trusting `root` through a new NSS database.
pub(crate) fn pdfsig(
    original: &Path,
    signed: &Path,
    root: &Path,
    database: &Path,
) -> Result<Opinion, Failure> {
    if !exists("pdfsig") || !exists("certutil") {
        return Ok(Opinion::Absent);
    }
    std::fs::create_dir_all(database).map_err(Failure::at(database))?;
    let store = format!("sql:{}", database.display());
    quiet(&mut program("certutil", ["-N", "--empty-password", "-d", &store]))?;
    let trust = ["-A", "-d", &store, "-n", "root", "-t", "CT,C,C", "-i"];
    quiet(program("certutil", trust).arg(root))?;
    let ask = |document: &Path| {
        let words = ["-nssdir", &store];
        let answer = output(program("pdfsig", words).arg(document).env("LC_ALL", "C"))?;
        Ok(String::from_utf8_lossy(&answer.stdout).into_owned())
    };
    let answer = ask(signed)?;
    say(answer.trim_end());
    Ok(opinion(&ask(original)?, &answer))
}

/// Compares what was said of the document before and after: each statement once more.
fn opinion(before: &str, after: &str) -> Opinion {
    let missing: Vec<&str> = ["Signature is Valid.", "Certificate is Trusted."]
        .into_iter()
        .filter(|statement| after.matches(statement).count() <= before.matches(statement).count())
        // Earlier signatures of the document covered all of an earlier revision only.
        .chain((!after.contains("Total document signed")).then_some("Total document signed"))
        .collect();
    if missing.is_empty() { Opinion::Accepted } else { Opinion::Refused(missing.join(" ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "- Total document signed\n- Signature Validation: Signature is Valid.\n\
                        - Certificate Validation: Certificate is Trusted.\n";

    #[test]
    fn all_three_statements_are_needed() {
        assert_eq!(opinion("", GOOD), Opinion::Accepted);
        for statement in ["Signature is Valid.", "Certificate is Trusted.", "Total document signed"] {
            assert_eq!(opinion("", &GOOD.replace(statement, "")), Opinion::Refused(statement.into()));
        }
    }

    #[test]
    fn statements_about_earlier_signatures_do_not_count() {
        assert!(matches!(opinion(GOOD, GOOD), Opinion::Refused(_)));
    }
}
