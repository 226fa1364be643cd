//! Which other programs of this login use cards: who to ask when one keeps a card for itself.
//! PC/SC does not tell; a program that has its client library loaded may be it.

use std::collections::BTreeSet;

/// The file names of programs, this one not among them, that may have a card in use. Best effort:
/// programs of other users are not seen. Reads the process table; not for busy paths.
pub fn card_programs() -> BTreeSet<String> {
    platform::loading("libpcsclite")
}

#[cfg(target_os = "linux")]
mod platform {
    use std::{
        collections::BTreeSet,
        fs::{self, File},
        io::{BufRead as _, BufReader},
        path::Path,
    };

    pub(super) fn loading(library: &str) -> BTreeSet<String> {
        let own = fs::read_link("/proc/self/exe").ok();
        let Ok(processes) = fs::read_dir("/proc") else { return BTreeSet::new() };
        let programs = processes.flatten().filter_map(|process| {
            let place = process.path();
            let program = fs::read_link(place.join("exe")).ok()?;
            if own.as_deref() == Some(&program) || !maps(&place, library) {
                return None;
            }
            Some(program.file_name()?.to_string_lossy().trim_end_matches(" (deleted)").to_owned())
        });
        programs.collect()
    }

    fn maps(process: &Path, library: &str) -> bool {
        let Ok(file) = File::open(process.join("maps")) else { return false };
        // Modules bring their own copy under the same name; what a name cannot tell is not told.
        BufReader::new(file).split(b'\n').map_while(Result::ok).any(|line| {
            line.rsplit(|byte| *byte == b'/').next().is_some_and(|name| name.starts_with(library.as_bytes()))
        })
    }
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
mod platform {
    use std::collections::BTreeSet;

    pub(super) const fn loading(_: &str) -> BTreeSet<String> {
        BTreeSet::new()
    }
}
