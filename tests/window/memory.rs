//! Looking into another process: its memory, as root, and its use of the processor.

use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    time::Duration,
};

/// How often `marker` stands in the writable memory of a process. `None` where it cannot be
/// read, as the process is closed against all but root.
pub fn copies(process: u32, marker: &[u8]) -> Option<usize> {
    let mut memory = File::open(format!("/proc/{process}/mem")).ok()?;
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
    let mut found = 0;
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (Some(range), Some(rights)) = (words.next(), words.next()) else { continue };
        if !rights.starts_with("rw") {
            continue;
        }
        let (from, to) = range.split_once('-').expect("a range");
        let place = |digits: &str| u64::from_str_radix(digits, 16).expect("an address");
        let (from, to) = (place(from), place(to));
        memory.seek(SeekFrom::Start(from)).expect("a place in the memory");
        let mut bytes = vec![0; usize::try_from(to - from).expect("it fits")];
        // A device's memory cannot be read, and holds none of ours.
        if memory.read_exact(&mut bytes).is_ok() {
            found += bytes.windows(marker.len()).filter(|window| *window == marker).count();
        }
    }
    Some(found)
}

/// How much memory the process keeps out of the swap, in KiB.
pub fn locked_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmLck:")).expect("Linux says how much");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

/// How long the process has been at work, in user code and in the kernel.
pub fn processor_time(process: u32) -> Duration {
    /// `sysconf(_SC_CLK_TCK)` is 100 on every Linux that this is built for.
    const TICK: Duration = Duration::from_millis(10);
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("it runs");
    // The name, in brackets, may hold anything; user and system time are the 12th and 13th after.
    let (_, rest) = stat.rsplit_once(')').expect("the name is in brackets");
    let ticks = rest.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u32>().expect("a number"));
    TICK * ticks.sum::<u32>()
}
