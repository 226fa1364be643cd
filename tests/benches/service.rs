//! `cargo xtask bench service`: how long the service takes from its start to its first answer,
//! beside a bare axum server, interleaved; and what it costs while nobody asks for anything.
//!
//! *first 200* is from starting the process to the end of its first answer to `status`, asked in
//! a tight loop. *idle* counts the context switches of all threads in twenty seconds.
//!
//! *answer* is from the person's yes, with the password, to the signed document being ready: what
//! is left to do once a document of this size has arrived. *key* is what opening the key and
//! using it once costs without a service; *rest* is the difference. *question* is from the end of
//! the upload and the request for a signature to the moment when the person is asked.

use std::{
    error::Error,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use signer_core::{algorithm::SignatureAlgorithm, digest::DigestAlgorithm};
use signer_ipc::{message::Lasting, secret::Secret};
use signer_service::token::client::TokenHost;
use signer_tests::{
    agent::Agent,
    documents::{Layout, document},
    machine,
    measure::{Switches, median, resident},
    page::Page,
    service::Login,
    signer_program,
    signing::{PASSWORD, a1},
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// How often each server is started.
const ROUNDS: usize = 41;
/// How long an idle service is watched.
const WATCH: Duration = Duration::from_secs(20);
/// The documents' names and bytes, and how often they are signed at most.
const SIZES: [(&str, usize, usize); 4] =
    [("100 KB", 100_000, 11), ("5 MB", 5_000_000, 11), ("50 MB", 50_000_000, 11), ("1 GiB", 1 << 30, 3)];
/// An RSA key of 2048 bits in a file as ICP-Brasil's authorities make it.
const KEY: &str = "ecpf-a1-moderno.p12";

fn main() -> Outcome<()> {
    let once = std::env::args().any(|word| word == "once");
    let (rounds, watch) = if once { (1, Duration::from_secs(1)) } else { (ROUNDS, WATCH) };
    let home = tempfile::tempdir()?;
    let bare = std::env::var_os("BARE_AXUM").map(PathBuf::from).ok_or("BARE_AXUM names no program")?;
    println!("{}\n", machine());

    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        ours.push(first_answer(service(home.path()))?.1);
        theirs.push(first_answer(|port| Command::new(&bare).arg(port.to_string()).spawn())?.1);
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!("| server | spawn to first 200, ms |\n| --- | --- |");
    println!(
        "| bare axum | {theirs:.2} |\n| cybercore-signer serve | {ours:.2} |\n| ratio | {:.2} |\n",
        ours / theirs
    );

    let (server, _) = first_answer(service(home.path()))?;
    let before = Switches::of(server.0.id())?;
    thread::sleep(watch);
    let switches = Switches::of(server.0.id())?.since(&before);
    println!("| idle service | |\n| --- | --- |");
    println!("| resident memory, MiB | {:.1} |", resident(server.0.id())?);
    println!("| context switches in {} s | {} |", watch.as_secs(), switches);
    drop(server);
    signatures(if once { 1 } else { usize::MAX })
}

/// What follows an upload, by its size.
fn signatures(rounds: usize) -> Outcome<()> {
    let login = Login::with_key(KEY);
    let service = login.start();
    let mut agent = Agent::terminal(&login.endpoint());
    let page = Page::let_in(&service, &mut agent, Lasting::Once);
    println!(
        "\n| document | question, ms | answer, ms | key, ms | rest, ms |\n| --- | --- | --- | --- | --- |"
    );
    for (name, len, most) in SIZES {
        // One signature each shows that the bench works; a gibibyte adds nothing to that.
        if rounds == 1 && len > 50_000_000 {
            continue;
        }
        let document = document(Layout::Table, 10, len);
        let (mut questions, mut answers, mut keys) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds.min(most) {
            keys.push(key_alone()?);
            let id = page.upload(&document);
            let uploaded = Instant::now();
            let pending = page.ask_to_sign(&id);
            let question = agent.question();
            questions.push(uploaded.elapsed());
            let confirmed = Instant::now();
            agent.confirm(&question, Some(PASSWORD));
            let answer = pending.answer().ok_or("no answer")?.json();
            answers.push(confirmed.elapsed());
            if answer["items"][0]["state"] != "signed" {
                return Err(format!("not signed: {answer}").into());
            }
            page.ask(&format!("DELETE /ccsp/v1/documents/{id}"));
        }
        let (question, answer, key) = (median(questions), median(answers), median(keys));
        println!("| {name} | {question:.1} | {answer:.1} | {key:.1} | {:.1} |", answer - key);
    }
    Ok(())
}

/// Unlocks the key in a host that has its file open, and signs one digest.
fn key_alone() -> Outcome<Duration> {
    let mut host = TokenHost::spawn(signer_program())?;
    host.open_file(&a1(KEY))?;
    let secret = Secret::from_bytes(PASSWORD.into())?;
    let begin = Instant::now();
    host.unlock(None, &secret)?;
    let credential = host.credentials(None)?.into_iter().next().ok_or("no key")?;
    host.sign(&credential, SignatureAlgorithm::RsaPkcs1(DigestAlgorithm::Sha256), b"signed attributes")?;
    Ok(begin.elapsed())
}

/// A server that is ended when nobody needs it any more.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the service with folders of its own.
fn service(home: &Path) -> impl Fn(u16) -> std::io::Result<Child> {
    move |port| {
        Command::new(signer_program())
            .args(["serve", "--port", &port.to_string()])
            .env_clear()
            .env("HOME", home)
            .env("XDG_RUNTIME_DIR", home)
            .stderr(Stdio::null())
            .spawn()
    }
}

/// Starts a server on a free port and asks until it answers.
fn first_answer(start: impl Fn(u16) -> std::io::Result<Child>) -> Outcome<(Server, Duration)> {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
    let begin = Instant::now();
    let mut server = Server(start(port)?);
    loop {
        if let Ok(mut connection) = TcpStream::connect((Ipv4Addr::LOCALHOST, port)) {
            let host = format!("127.0.0.1:{port}");
            write!(connection, "GET /ccsp/v1/status HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
            let mut answer = Vec::new();
            connection.read_to_end(&mut answer)?;
            if answer.starts_with(b"HTTP/1.1 200") {
                return Ok((server, begin.elapsed()));
            }
            return Err(format!("not 200: {}", String::from_utf8_lossy(&answer)).into());
        }
        if let Some(status) = server.0.try_wait()? {
            return Err(format!("the server ended with {status}").into());
        }
        if begin.elapsed() > Duration::from_secs(10) {
            return Err("no answer in ten seconds".into());
        }
    }
}
