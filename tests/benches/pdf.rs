//! `cargo xtask bench pdf`: signing beside hashing the same bytes, and beside pyHanko,
//! interleaved; medians and peaks.
//!
//! *hash* reads the file once and hashes it with SHA-256: no signature can cost less. *sign* is
//! the whole of one signature in a process whose token host is unlocked already: open, seal,
//! copy, hash, RSA-2048 in the token host, check, name; without and with flushing to disk.
//! *process* is the program from start to end with an A1 file, *first* the first signature of a
//! fresh process from the moment when its token host is unlocked. *pyHanko* is one signature in a
//! process that has loaded the same key already. Peaks are of fresh processes.

use std::{
    error::Error,
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use nix::sys::resource::{UsageWho, getrusage};
use serde_json::{Value, json};
use signer_core::{
    credential::Holder,
    digest::{Digest, DigestAlgorithm, RunningDigest},
    moment::Moment,
    pades::prepare::{PageChoice, Room, Target, Terms},
    pdf::{document::Document, limits::Limits, permission::SignatureType},
    seal::{Corner, Placement, SealText},
};
use signer_service::{
    file::{
        destination::{Durability, Existing},
        source::FileSource,
    },
    sign::{Check, Job, Signer, sign},
    token::client::TokenHost,
};
use signer_tests::{
    documents::{Layout, document},
    machine, repository, signer_program,
    signing::{PASSWORD, a1, signer},
    unlocked::Unlocked,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const KEY: &str = "ecpf-a1-moderno.p12";

/// Name, pages, bytes and rounds.
const SIZES: &[(&str, usize, usize, usize)] = &[
    ("100 KB", 10, 100_000, 61),
    ("5 MB", 100, 5_000_000, 31),
    ("50 MB", 1000, 50_000_000, 15),
    ("1 GiB", 1000, 1 << 30, 5),
];

fn main() -> Outcome<()> {
    let arguments: Vec<_> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["peak-in-process", input, output] => peak_in_process(Path::new(input), Path::new(output)),
        ["peak-of-process", input, output] => peak_of_process(Path::new(input), Path::new(output)),
        ["first-in-process", input, output] => first_in_process(Path::new(input), Path::new(output)),
        ["once"] => bench(1),
        [] => bench(usize::MAX),
        other => Err(format!("unknown words {other:?}").into()),
    }
}

/// Prints the table; `rounds` caps the repetitions.
fn bench(rounds: usize) -> Outcome<()> {
    let directory = tempfile::tempdir()?;
    println!("{}\n", machine());
    println!(
        "| document | hash ms | sign ms | sign/hash | with fsync ms | first ms | process ms | pyHanko ms \
         | peak in process MiB | peak of process MiB | pyHanko's peak MiB |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (name, pages, len, most) in SIZES {
        // One signature each shows that the bench works; a gibibyte adds nothing to that.
        if rounds == 1 && *len > 50_000_000 {
            continue;
        }
        for layout in [Layout::Table, Layout::ObjectStreams] {
            let input = directory.path().join("in.pdf");
            fs::write(&input, document(layout, *pages, *len))?;
            File::open(&input)?.sync_all()?;
            let row = Row::measure(&input, directory.path(), rounds.min(*most))?;
            println!(
                "| {name}, {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.1} | {:.1} | {:.1} | {:.1} |",
                match layout {
                    Layout::ObjectStreams => "object streams",
                    Layout::Table => "table",
                },
                row.hash,
                row.sign,
                row.sign / row.hash,
                row.synced,
                row.first,
                row.process,
                row.pyhanko,
                row.peak_in_process,
                row.peak_of_process,
                row.peak_of_pyhanko,
            );
        }
    }
    Ok(())
}

struct Row {
    hash: f64,
    sign: f64,
    synced: f64,
    first: f64,
    process: f64,
    pyhanko: f64,
    peak_in_process: f64,
    peak_of_process: f64,
    peak_of_pyhanko: f64,
}

impl Row {
    fn measure(input: &Path, directory: &Path, rounds: usize) -> Outcome<Self> {
        let mut desk = Desk::open(input, directory)?;
        let mut peer = Peer::start()?;
        let (mut hash, mut plain, mut synced, mut first, mut process, mut pyhanko) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut peak_of_pyhanko: f64 = 0.0;
        for _ in 0..rounds {
            hash.push(timed(|| hash_only(input).map(drop))?);
            plain.push(timed(|| desk.sign(Durability::Unsynced))?);
            desk.clear()?;
            synced.push(timed(|| desk.sign(Durability::Synced))?);
            desk.clear()?;
            first.push(Duration::from_secs_f64(apart("first-in-process", input, &desk.output)? / 1000.0));
            desk.clear()?;
            process.push(timed(|| desk.sign_in_a_process())?);
            desk.clear()?;
            let (time, peak) = peer.sign(input, &desk.output)?;
            pyhanko.push(time);
            peak_of_pyhanko = peak_of_pyhanko.max(peak);
            desk.clear()?;
        }
        let peak = |mode| -> Outcome<f64> {
            let peak = apart(mode, input, &desk.output)?;
            desk.clear()?;
            Ok(peak)
        };
        Ok(Self {
            hash: median(hash),
            sign: median(plain),
            synced: median(synced),
            first: median(first),
            process: median(process),
            pyhanko: median(pyhanko),
            peak_in_process: peak("peak-in-process")?,
            peak_of_process: peak("peak-of-process")?,
            peak_of_pyhanko,
        })
    }
}

/// The number that this program prints in a process of its own.
fn apart(mode: &str, input: &Path, output: &Path) -> Outcome<f64> {
    let program = std::env::current_exe()?;
    let output = Command::new(program).arg(mode).args([input, output]).output()?;
    let text = String::from_utf8(output.stdout)?;
    text.trim().parse().map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned().into())
}

/// pyHanko in a process that has loaded the key. Ended on drop.
struct Peer {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    fn start() -> Outcome<Self> {
        let mut child = Command::new(repository().join(".venv/bin/python"))
            .arg(repository().join("tests/benches/peer.py"))
            .arg(a1(KEY))
            .arg(PASSWORD)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let questions = child.stdin.take().ok_or("no input")?;
        let answers = BufReader::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, questions, answers })
    }

    /// Time and peak memory, in MiB, of one signature.
    fn sign(&mut self, input: &Path, output: &Path) -> Outcome<(Duration, f64)> {
        writeln!(self.questions, "{}", json!({ "input": input, "output": output }))?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let answer: Value = serde_json::from_str(&line)?;
        let number = |key: &str| answer[key].as_f64().ok_or("pyHanko did not sign");
        Ok((Duration::from_secs_f64(number("ms")? / 1000.0), number("peak_mib")?))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn timed(work: impl FnOnce() -> Outcome<()>) -> Outcome<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

/// In milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0)
}

fn hash_only(input: &Path) -> Outcome<Digest> {
    let mut file = File::open(input)?;
    let mut digest = RunningDigest::new(DigestAlgorithm::Sha256);
    let mut buffer = vec![0; 256 << 10];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(digest.finish());
        }
        digest.update(buffer.get(..count).unwrap_or_default());
    }
}

/// An unlocked token host and what it shall sign.
struct Desk {
    host: TokenHost,
    signer: Signer,
    seal: SealText,
    input: PathBuf,
    output: PathBuf,
    secret: PathBuf,
}

impl Desk {
    fn open(input: &Path, directory: &Path) -> Outcome<Self> {
        let Unlocked { host, signer } = Unlocked::start(signer_program(), KEY)?;
        let holder = Holder::of(&signer.certificate);
        let masked = holder.identifier.as_ref().map(|identifier| identifier.masked());
        let seal = SealText::signature(&holder.name, masked.as_deref(), moment()?, Some("Aprovação"), None);
        let secret = directory.join("secret");
        fs::write(&secret, PASSWORD)?;
        let (input, output) = (input.to_owned(), directory.join("out.pdf"));
        Ok(Self { host, signer, seal, input, output, secret })
    }

    fn sign(&mut self, durability: Durability) -> Outcome<()> {
        let job = Job {
            output: &self.output,
            existing: Existing::Keep,
            durability,
            check: Check::Running,
            terms: Terms {
                digest: None,
                moment: moment()?,
                signature_type: SignatureType::Approval,
                target: Target::NewField {
                    name: None,
                    page: PageChoice::Number(1),
                    placement: Placement::at(Corner::BottomRight),
                },
                seal: Some(&self.seal),
                reason: Some("Aprovação"),
                location: None,
                name: None,
                room: Room::Estimated,
            },
        };
        let input = FileSource::open(&self.input)?;
        let document = Document::open(&input, Limits::default())?;
        sign(&document, &mut self.host, &self.signer, &job, &mut |_| ())?;
        Ok(())
    }

    fn sign_in_a_process(&self) -> Outcome<()> {
        let status = signer()
            .args(["sign", "--json", "--seal", "default", "--reason", "Aprovação", "--p12"])
            .arg(a1(KEY))
            .arg("--p12-password-file")
            .args([&self.secret, &self.input, &self.output])
            .stdout(Stdio::null())
            .status()?;
        if status.success() { Ok(()) } else { Err("the program did not sign".into()) }
    }

    fn clear(&self) -> Outcome<()> {
        Ok(fs::remove_file(&self.output)?)
    }
}

/// The moment of every signature: far from any certificate's end.
fn moment() -> Outcome<Moment> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?;
    Moment::new(i64::try_from(now.as_secs())?, -180).ok_or_else(|| "no moment".into())
}

/// The first signature of this process, in milliseconds.
fn first_in_process(input: &Path, output: &Path) -> Outcome<()> {
    let directory = output.parent().ok_or("no folder")?;
    let mut desk = Desk::open(input, directory)?;
    let time = timed(|| desk.sign(Durability::Unsynced))?;
    println!("{}", time.as_secs_f64() * 1000.0);
    Ok(())
}

fn peak_in_process(input: &Path, output: &Path) -> Outcome<()> {
    let directory = output.parent().ok_or("no folder")?;
    Desk::open(input, directory)?.sign(Durability::Unsynced)?;
    // Not getrusage: a process that is started by a large one inherits its peak there.
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no peak")?;
    print_mebibytes(peak.trim().trim_end_matches(" kB").parse()?);
    Ok(())
}

/// The largest of the program and its token host.
fn peak_of_process(input: &Path, output: &Path) -> Outcome<()> {
    let directory = output.parent().ok_or("no folder")?;
    let status = signer()
        .args(["sign", "--json", "--seal", "default", "--p12"])
        .arg(a1(KEY))
        .arg("--p12-password-file")
        .args([&directory.join("secret"), input, output])
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err("the program did not sign".into());
    }
    print_mebibytes(getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss() as f64);
    Ok(())
}

fn print_mebibytes(kibibytes: f64) {
    println!("{:.1}", kibibytes / 1024.0);
}
