//! `fuzz`: campaigns of libFuzzer over the engine's targets (`tests/fuzz`), on stable Rust.
//!
//! LLVM's coverage pass is switched on by stable flags; libFuzzer itself is compiled by the C++
//! compiler of `setup`. The crate has a target folder of its own, so that ordinary builds are not
//! rebuilt with these flags.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
};

use crate::{
    command::{cargo, output, program, repository, run, say, target},
    failure::Failure,
};

/// The targets, in the order of their campaigns: those of `tests/fuzz/targets.rs`.
const TARGETS: [&str; 7] = ["cms", "crypt", "object", "open", "recover", "sign", "xref"];
/// Counters of edges, their addresses for reports, and comparisons for guessing.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing";
/// The one system whose libFuzzer is used here.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";

/// What the person asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    targets: Vec<&'static str>,
    seconds: u32,
    jobs: u32,
}

impl Request {
    /// `[TARGET] [--seconds N] [--jobs N]`.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, Failure> {
        let mut request = Self { targets: TARGETS.to_vec(), seconds: 60, jobs: 1 };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || {
                let number = words.next().and_then(|word| word.parse().ok()).filter(|number| *number > 0);
                number.ok_or_else(|| Failure::new(format!("{word} needs a number")))
            };
            match *word {
                "--seconds" => request.seconds = number()?,
                "--jobs" => request.jobs = number()?,
                name => match TARGETS.iter().find(|target| **target == name) {
                    Some(target) => request.targets = vec![target],
                    None => {
                        let known = TARGETS.join(", ");
                        return Err(Failure::new(format!("no target {name}: there are {known}")));
                    }
                },
            }
        }
        Ok(request)
    }
}

/// Builds, runs a campaign for each target, and prints what came of it.
pub(crate) fn campaign(request: &Request) -> Result<(), Failure> {
    let folder = target().join("fuzz");
    let manifest = repository().join("tests/fuzz/Cargo.toml");
    let mut build = cargo(["build", "--release", "--locked", "--target", TRIPLE, "--manifest-path"]);
    run(build.arg(manifest).env("CARGO_TARGET_DIR", &folder).env("RUSTFLAGS", FLAGS))?;
    let mut table = vec![format!(
        "{:<8} {:>12} {:>8} {:>9} {:>9}",
        "target", "executions", "edges", "features", "findings"
    )];
    let mut reproducers = Vec::new();
    for name in &request.targets {
        table.push(one(name, request, &folder, &mut reproducers)?);
    }
    say("\n== campaigns");
    table.iter().for_each(|line| say(line));
    if reproducers.is_empty() {
        return Ok(());
    }
    reproducers.iter().for_each(|file| say(&format!("finding: {}", file.display())));
    Err(Failure::new("docs/fuzzing.md says how a finding becomes a regression test"))
}

/// One target's campaign; its line of the table.
fn one(
    name: &str,
    request: &Request,
    folder: &Path,
    reproducers: &mut Vec<PathBuf>,
) -> Result<String, Failure> {
    let place = |kind: &str| folder.join(kind).join(name);
    let (corpus, seeds, findings) = (place("corpus"), place("seeds"), place("findings"));
    for made in [&corpus, &seeds, &findings] {
        fs::create_dir_all(made).map_err(Failure::at(made))?;
    }
    let before = files(&findings);
    let mut campaign = program(folder.join(TRIPLE).join("release/signer-fuzz"), [""; 0]);
    campaign
        .arg(format!("-max_total_time={}", request.seconds))
        .arg("-timeout=1")
        .arg("-rss_limit_mb=512")
        .arg("-max_len=32768")
        .arg("-print_final_stats=1")
        .arg(format!("-dict={}", repository().join("tests/fuzz/pdf.dict").display()))
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .args([&corpus, &seeds])
        .current_dir(&findings)
        .env("SIGNER_FUZZ_TARGET", name)
        .env("SIGNER_FUZZ_SEEDS", &seeds)
        .env("SIGNER_FUZZ_DOCUMENTS", std::env::join_paths(documents()).unwrap_or_default());
    if request.jobs > 1 {
        // Workers go on after a finding of one of them.
        campaign.arg(format!("-fork={}", request.jobs)).arg("-ignore_crashes=1");
    }
    say(&format!("\n== {name}, {} s", request.seconds));
    let result = output(campaign.stdout(Stdio::piped()))?;
    let said = String::from_utf8_lossy(&result.stderr);
    let new: Vec<PathBuf> = files(&findings).into_iter().filter(|file| !before.contains(file)).collect();
    if !result.status.success() && new.is_empty() {
        return Err(Failure::new(format!("the campaign of {name} did not run\n{}", said.trim_end())));
    }
    for line in said.lines().filter(|line| line.contains("panicked at") || line.contains("SUMMARY")) {
        say(line);
    }
    let line = format!(
        "{name:<8} {:>12} {:>8} {:>9} {:>9}",
        executions(&said),
        last(&said, "cov: "),
        last(&said, "ft: "),
        new.len()
    );
    say(&line);
    reproducers.extend(new);
    Ok(line)
}

/// Folders that seeds are made from: the tests' and, where it is there, the corpus beside the repository.
fn documents() -> Vec<PathBuf> {
    let shared = match std::env::var_os("SIGNER_SHARED") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => repository().parent().map(|folder| folder.join("shared")),
    };
    let corpus = shared.map(|shared| shared.join("corpus")).filter(|corpus| corpus.is_dir());
    if corpus.is_none() {
        say("the corpus is not beside this repository: its seeds are left out");
    }
    std::iter::once(repository().join("tests/fixtures")).chain(corpus).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// How many inputs were executed: libFuzzer's last word on it.
fn executions(said: &str) -> String {
    let single = last(said, "stat::number_of_executed_units: ");
    if single != "-" {
        return single;
    }
    // Workers together: `#123: cov: …`.
    let lines = said.lines().filter_map(|line| line.strip_prefix('#'));
    let count = |line: &str| line.split(|c: char| !c.is_ascii_digit()).next().map(str::to_owned);
    lines.filter_map(count).next_back().unwrap_or_else(|| "-".into())
}

/// The number after the last `word`.
fn last(said: &str, word: &str) -> String {
    let after = said.rsplit_once(word).map(|(_, after)| after.trim_start());
    let digits = after.map(|after| after.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.filter(|digits| !digits.is_empty()).unwrap_or_else(|| "-".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_names_one_target_or_none() {
        let parsed = Request::parse(&["open", "--seconds", "5", "--jobs", "2"]).unwrap();
        assert_eq!(parsed, Request { targets: vec!["open"], seconds: 5, jobs: 2 });
        assert_eq!(Request::parse(&[]).unwrap().targets, TARGETS);
        for words in [&["closed"][..], &["--seconds"], &["--jobs", "0"], &["--seconds", "soon"]] {
            assert!(Request::parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn what_libfuzzer_said_is_read() {
        let said = "#2 INITED cov: 5 ft: 6\n#9\tDONE   cov: 7 ft: 8 corp: 3/9b\nstat::number_of_executed_units: 42\n";
        assert_eq!(executions(said), "42");
        assert_eq!((last(said, "cov: "), last(said, "ft: ")), ("7".into(), "8".into()));
        assert_eq!(executions("#17: cov: 3 ft: 4"), "17");
        assert_eq!(last("", "cov: "), "-");
    }

    #[test]
    fn the_targets_are_those_of_the_crate() {
        let text = fs::read_to_string(repository().join("tests/fuzz/targets.rs")).unwrap();
        let named: Vec<&str> =
            text.split("Target { name: \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(named, TARGETS);
    }
}
