//! `cargo xtask bench tokens`: how long it takes to list what can sign, beside others on the same
//! module, interleaved; and what readers and a card cost while nobody asks for anything.
//!
//! *first* loads the module too. *again* asks a module that is loaded. *cached* asks while nothing
//! has changed: in the process of the service, and over HTTP on a connection that stays open.
//! *module* is what the module itself takes in a program that has it in its own process.

use std::{
    error::Error,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use signer_ipc::message::Lasting;
use signer_service::{config::Config, credentials::CredentialStore, token::modules::quarantine::Quarantine};
use signer_tests::{
    agent::Agent,
    card::Reader,
    machine,
    measure::{Switches, median, resident},
    page::Page,
    repository,
    service::{Login, Service, until},
    signer_program,
    softhsm::SoftHsm,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const PIN: &str = "482915";
/// Four keys of a token.
const KEYS: [&str; 4] = ["ecpf-a1-moderno.p12", "ecnpj-a1.p12", "selo-eletronico.p12", "ecpf-a3.p12"];

/// How much is measured.
#[derive(Clone, Copy)]
struct Effort {
    rounds: usize,
    watch: Duration,
}

fn main() -> Outcome<()> {
    let once = std::env::args().any(|word| word == "once");
    let effort = if once {
        Effort { rounds: 1, watch: Duration::from_secs(1) }
    } else {
        Effort { rounds: 21, watch: Duration::from_secs(60) }
    };
    // Token hosts have the environment of the program that is measured here, so it begins anew.
    let Some(place) = std::env::var_os("SOFTHSM2_CONF") else {
        let place = tempfile::tempdir()?;
        let status = Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env("SOFTHSM2_CONF", place.path().join("softhsm2.conf"))
            .status()?;
        return if status.success() { Ok(()) } else { Err("the bench failed".into()) };
    };
    println!("{}\n", machine());
    let place = Path::new(&place).parent().ok_or("no folder")?;
    let Some(token) = SoftHsm::new(place, KEYS[0], PIN) else { return Ok(()) };
    fill(&token, SoftHsm::LABEL, 1);
    println!("| listing, ms | first | again | cached, in process | cached, over HTTP |");
    println!("| --- | --- | --- | --- | --- |");
    list("1 token, 4 certificates", &token, effort)?;
    if !once {
        for number in 1..10 {
            let label = format!("TESTE {number}");
            token.make_token(&label);
            fill(&token, &label, 0);
        }
        list("10 tokens, 40 certificates", &token, effort)?;
    }
    idle(effort)
}

/// Puts the keys on a token, from this one on.
fn fill(token: &SoftHsm, label: &str, first: usize) {
    for (number, key) in KEYS.iter().enumerate().skip(first) {
        token.import_into(label, key, &format!("{:02}", number + 1));
    }
}

/// A row for each program.
fn list(what: &str, token: &SoftHsm, effort: Effort) -> Outcome<()> {
    let configuration = token.configuration();
    let bare = std::env::var_os("BARE_LISTER").map(PathBuf::from).ok_or("BARE_LISTER names no program")?;
    let python = repository().join(".venv/bin/python");
    let script = repository().join("tests/benches/peer_lister.py");
    let rounds = effort.rounds.to_string();
    let others = [
        ("the module itself", vec![bare.into_os_string()]),
        ("python-pkcs11 (pyHanko)", vec![python.into_os_string(), script.into_os_string()]),
    ];
    for (name, words) in others {
        let (program, arguments) = words.split_first().ok_or("no program")?;
        let output = Command::new(program)
            .args(arguments)
            .args([token.module(), &rounds])
            .env("SOFTHSM2_CONF", &configuration)
            .output()?;
        let lines: Vec<_> = BufReader::new(output.stdout.as_slice()).lines().collect::<Result<_, _>>()?;
        let times: Vec<Duration> = lines.iter().filter_map(|line| micros(line)).collect();
        let [load, first, again @ ..] = times.as_slice() else {
            return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)).into());
        };
        let first = (*load + *first).as_secs_f64() * 1000.0;
        println!("| {what}: {name} | {first:.2} | {:.2} | | |", median(again.to_vec()));
    }
    let mut tool = Vec::new();
    for _ in 0..effort.rounds {
        let begin = Instant::now();
        let listed = Command::new("pkcs11-tool")
            .args(["--module", token.module(), "--list-objects", "--type", "cert"])
            .env("SOFTHSM2_CONF", &configuration)
            .output()?;
        tool.push(begin.elapsed());
        if !listed.status.success() {
            return Err(String::from_utf8_lossy(&listed.stderr).into());
        }
    }
    println!("| {what}: pkcs11-tool, a process of one token | {:.2} | | | |", median(tool));

    let (mut first, mut again, mut cached) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..effort.rounds {
        let place = tempfile::tempdir()?;
        let file = place.path().join("credentials.json");
        let store = store(&file, place.path(), token);
        first.push(timed(|| store.find()).0);
        // Another file of registered credentials, and nothing of the rest has changed.
        std::fs::write(&file, r#"{"version":1,"credentials":[]}"#)?;
        let (time, listing) = timed(|| store.find());
        again.push(time);
        if listing.found.is_empty() {
            return Err("nothing is listed".into());
        }
        let (time, _) = timed(|| (0..100).map(|_| store.find().found.len()).sum::<usize>());
        cached.push(time / 100);
        store.close(Duration::from_secs(3));
    }
    let http = over_http(token, effort)?;
    println!(
        "| {what}: cybercore-signer | {:.2} | {:.2} | {:.4} | {http:.3} |",
        median(first),
        median(again),
        median(cached)
    );
    Ok(())
}

fn micros(line: &str) -> Option<Duration> {
    Some(Duration::from_micros(line.split(' ').next()?.parse().ok()?))
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let begin = Instant::now();
    let done = work();
    (begin.elapsed(), done)
}

/// A store as the service has one, over this module.
fn store(file: &Path, place: &Path, token: &SoftHsm) -> CredentialStore {
    let config = format!("version = 1\n[tokens]\nknown_modules = false\nmodules = [{:?}]\n", token.module());
    let config = Config::parse(&config, Path::new("config.toml")).expect("a configuration");
    let quarantine = Quarantine::open(place.join("quarantine.json"));
    CredentialStore::new(file.to_owned(), quarantine, signer_program().to_owned(), &config)
}

/// The middle of many answers on one connection, while nothing changes, in milliseconds.
fn over_http(token: &SoftHsm, effort: Effort) -> Outcome<f64> {
    let (login, service) = serve(token.module(), Some(&token.configuration()));
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    page.ask("GET /ccsp/v1/certificates");
    let mut connection = TcpStream::connect(page.address)?;
    connection.set_nodelay(true)?;
    let request = String::from_utf8(page.request("GET /ccsp/v1/certificates", &[], b""))?
        .replace("Connection: close\r\n", "");
    let mut reader = BufReader::new(connection.try_clone()?);
    let mut times = Vec::new();
    for _ in 0..effort.rounds * 10 {
        let begin = Instant::now();
        connection.write_all(request.as_bytes())?;
        let mut len = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                len = value.trim().parse()?;
            }
            if line.trim().is_empty() {
                break;
            }
        }
        std::io::Read::read_exact(&mut reader, &mut vec![0; len])?;
        times.push(begin.elapsed());
    }
    Ok(median(times))
}

fn serve(module: &str, configuration: Option<&Path>) -> (Login, Service) {
    let mut login = Login::new();
    if let Some(configuration) = configuration {
        login.set("SOFTHSM2_CONF", configuration);
    }
    login.configure(&format!("[tokens]\nknown_modules = false\nmodules = [{module:?}]\nidle_seconds = 10\n"));
    let service = login.start();
    (login, service)
}

/// What readers and a card cost a service that lists them and that nobody asks.
fn idle(effort: Effort) -> Outcome<()> {
    let Some(reader) = Reader::connect() else { return Ok(()) };
    let place = tempfile::tempdir()?;
    let card = reader.insert(KEYS[0], PIN, &place.path().join("state"), &[]);
    let (login, service) = serve(reader.module(), None);
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    let fresh = resident(service.process())?;
    page.ask("GET /ccsp/v1/certificates");
    let hosts = service.hosts();
    let with_hosts = resident(service.process())?;
    let host = hosts.first().map(|host| resident(*host)).transpose()?.unwrap_or(f64::NAN);
    println!("\n| two readers, one with a card | |\n| --- | --- |");
    println!("| resident memory before the first listing, MiB | {fresh:.1} |");
    println!("| resident memory with a token host, MiB | {with_hosts:.1} |");
    println!("| resident memory of the token host (OpenSC), MiB | {host:.1} |");
    // A moment after the listing its threads are gone.
    thread::sleep(Duration::from_secs(1));
    let processes = [service.process()].into_iter().chain(service.hosts());
    let before: Vec<_> =
        processes.map(|process| Ok((process, Switches::of(process)?))).collect::<Outcome<_>>()?;
    // The host still waits to be asked again for these.
    thread::sleep(effort.watch.min(Duration::from_secs(5)));
    let mut sum = 0;
    for (process, count) in before {
        sum += Switches::of(process)?.since(&count);
    }
    println!("| context switches of service and token host in {} s | {sum} |", effort.watch.as_secs().min(5));
    until("the token host is over", || service.hosts().is_empty().then_some(()));
    let before = Switches::of(service.process())?;
    thread::sleep(effort.watch);
    println!(
        "| context switches of the service in {} s | {} |",
        effort.watch.as_secs(),
        Switches::of(service.process())?.since(&before)
    );
    println!("| resident memory without a token host, MiB | {:.1} |", resident(service.process())?);
    drop(card);
    Ok(())
}
