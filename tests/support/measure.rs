//! What benches read off a process, and the middle of what they measured.

use std::{collections::BTreeMap, ffi::OsString, fs, io, time::Duration};

/// The middle of these times, in milliseconds; not a number where there is none.
pub fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}

/// How often each thread of a process was switched to, voluntarily or not.
#[derive(Debug, Clone)]
pub struct Switches(BTreeMap<OsString, u64>);

impl Switches {
    /// Of the threads that a process has now.
    ///
    /// # Errors
    /// Where the process is gone.
    pub fn of(process: u32) -> io::Result<Self> {
        let mut threads = BTreeMap::new();
        for thread in fs::read_dir(format!("/proc/{process}/task"))? {
            let thread = thread?;
            let status = fs::read_to_string(thread.path().join("status"))?;
            let counts = status.lines().filter(|line| line.contains("ctxt_switches:"));
            let counts = counts.filter_map(|line| line.rsplit('\t').next()?.parse::<u64>().ok());
            threads.insert(thread.file_name(), counts.sum());
        }
        Ok(Self(threads))
    }

    /// How many there were since `before`. A thread that ended meanwhile was switched to for that
    /// once at least.
    pub fn since(&self, before: &Self) -> u64 {
        let lived = self.0.iter().map(|(thread, count)| count - before.0.get(thread).unwrap_or(&0));
        let ended = before.0.keys().filter(|thread| !self.0.contains_key(*thread)).map(|_| 1);
        lived.chain(ended).sum()
    }
}

/// Resident memory of a process, in mebibytes.
///
/// # Errors
/// Where the process is gone.
pub fn resident(process: u32) -> io::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok());
    Ok(kibibytes.ok_or(io::ErrorKind::InvalidData)? / 1024.0)
}
