//! Reads the files of the audit trail, oldest first: to list them, to verify them, and to find
//! their end.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use signer_core::audit::{Break, Record, Verifier};

/// The longest line that is looked at: a batch of some ten thousand documents.
const LONGEST_LINE: u64 = 4 << 20;

/// What was found in one line.
#[derive(Debug)]
pub enum Found {
    /// A record, and the chain holds.
    Record(Box<Record>),
    /// The chain breaks here.
    Break {
        /// In which file.
        file: PathBuf,
        /// Where and why.
        fault: Break,
    },
    /// The last line has no end: the service was killed while it wrote, or is writing.
    Torn {
        /// In which file.
        file: PathBuf,
    },
}

/// Reads the whole trail in `directory` and gives each line to `take`. A trail that is not there
/// is empty. Whether the oldest file is the first of all is known from its number.
///
/// # Errors
/// Where a file cannot be read.
pub fn read(directory: &Path, mut take: impl FnMut(Found)) -> io::Result<()> {
    let numbers = numbers(directory)?;
    let mut verifier = match numbers.first() {
        Some(1) | None => Verifier::from_start(),
        Some(_) => Verifier::from_first_line(),
    };
    for number in numbers {
        verifier.begin_file();
        let file = path(directory, number);
        let mut reader = BufReader::new(File::open(&file)?);
        let mut line = Vec::new();
        loop {
            line.clear();
            if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            let Some(record) = line.strip_suffix(b"\n") else {
                take(Found::Torn { file });
                break;
            };
            take(match verifier.take(record) {
                Ok(record) => Found::Record(Box::new(record)),
                Err(fault) => Found::Break { file: file.clone(), fault },
            });
        }
    }
    Ok(())
}

/// The numbers of the files, in order. A folder that is not there has none.
pub(super) fn numbers(directory: &Path) -> io::Result<Vec<u32>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("trail-")?.strip_suffix(".jsonl"));
        numbers.extend(number.and_then(|number| number.parse::<u32>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

pub(super) fn path(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("trail-{number:06}.jsonl"))
}

/// Where parts of records are set aside.
pub(super) fn torn_path(directory: &Path, number: u32) -> PathBuf {
    directory.join(format!("torn-{number:06}.txt"))
}

/// The last line with an end, without it; nothing where there is none.
pub(super) fn last_line(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let (tail, _) = tail(path)?;
    let whole = tail.iter().rposition(|byte| *byte == b'\n').map(|end| tail.get(..end).unwrap_or_default());
    Ok(whole.and_then(|whole| whole.rsplit(|byte| *byte == b'\n').next()).map(<[u8]>::to_vec))
}

/// A last line without an end, and where it begins.
pub(super) fn torn(path: &Path) -> io::Result<Option<(u64, Vec<u8>)>> {
    let (tail, start) = tail(path)?;
    let line = tail.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let before = u64::try_from(tail.len() - line.len()).unwrap_or(u64::MAX);
    Ok((!line.is_empty()).then(|| (start + before, line.to_vec())))
}

/// The end of a file, long enough for two lines, and where it begins.
fn tail(path: &Path) -> io::Result<(Vec<u8>, u64)> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(2 * LONGEST_LINE);
    file.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    Ok((tail, start))
}
