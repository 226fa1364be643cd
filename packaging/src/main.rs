//! `cargo xtask`: sets up a machine, demonstrates, tests and measures CyberCore Signer.
//!
//! Only `std`: this crate builds before anything that the others need is installed.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool speaks to its terminal")]

mod bench;
mod command;
mod cross;
mod demo;
mod deny;
mod failure;
mod fuzz;
mod gate;
mod machine;
mod setup;

use std::process::ExitCode;

use crate::{command::say, failure::Failure, setup::Purpose};

const HELP: &str = "\
cargo xtask COMMAND

  setup                            installs what building, the demo and the tests need
  demo [FILE.pdf] [--unattended]   signs a sample (or your PDF) with a fictitious A1 certificate
                                   and validates it; --unattended: exit code 0 only if our
                                   validator and pdfsig both accept it
  test                             everything that CI runs, with a summary
  bench pdf                        time and memory of signing, beside hashing the same bytes
  huge                             signs documents past 4 GiB and past offsets of ten digits, and
                                   has others judge them: minutes, and 11 GB of disk
  bench tokens                     listing what can sign, beside others on the same module; readers
                                   while nobody asks
  bench seal                       drawing a seal, the first of a holder and the next ones
  bench service                    from start to first answer beside a bare server; idle costs
  fuzz [TARGET] [--seconds N] [--jobs N]
                                   campaigns of libFuzzer over the engine (docs/fuzzing.md)
  windows check                    type-checks what is shipped for x86_64-pc-windows-gnu
  macos check                      type-checks what is shipped for aarch64-apple-darwin
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Result<(), Failure> {
    match words {
        [] | ["help" | "--help" | "-h"] => {
            print!("{HELP}");
            Ok(())
        }
        ["setup"] => setup::run(Purpose::Test),
        ["demo", rest @ ..] => demo::run_demo(&demo::Request::parse(rest)?),
        ["test"] => gate::run_all(),
        ["bench", "pdf"] => bench::pdf(),
        ["bench", "seal"] => bench::seal(),
        ["bench", "service"] => bench::service(),
        ["bench", "tokens"] => bench::tokens(),
        ["huge"] => bench::huge(),
        ["fuzz", rest @ ..] => fuzz::campaign(&fuzz::Request::parse(rest)?),
        ["windows", "check"] => cross::report("windows check", &cross::windows()?),
        ["macos", "check"] => cross::report("macos check", &cross::macos()?),
        unknown => {
            say(HELP);
            Err(Failure::new(format!("unknown command: {}", unknown.join(" "))))
        }
    }
}
