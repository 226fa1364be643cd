//! What benches read off a process, and the middle of what they measured.

use std::{fs, io, time::Duration};

/// The middle of these times, in milliseconds; not a number where there is none.
pub fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}

/// How often the threads of a process were switched to, voluntarily or not.
///
/// # Errors
/// Where the process is gone.
pub fn switches(process: u32) -> io::Result<u64> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let status = fs::read_to_string(thread?.path().join("status"))?;
        let counts = status.lines().filter(|line| line.contains("ctxt_switches:"));
        sum += counts.filter_map(|line| line.rsplit('\t').next()?.parse::<u64>().ok()).sum::<u64>();
    }
    Ok(sum)
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
