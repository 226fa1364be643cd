//! A gibibyte passes through: memory does not grow with it, and signing it reads only its structure.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Command, Stdio},
};

use serde_json::json;
use signer_ipc::message::Lasting;
use signer_tests::signer_program;

use crate::{
    http::{self, Answer},
    person::Reaction,
    server::Server,
};

/// Tells this program that it is the server of the test below.
const ROLE: &str = "SIGNER_CCSP_TEST_SERVER";
/// Of the server.
const MOST_MEMORY_KIB: u64 = 24 << 10;
const LEN: u64 = 1 << 30;

/// The server, in a process of its own so that its memory can be told: started by the test
/// below, it prints its port and lives until its standard input ends.
#[test]
fn serve_for_the_other_test() {
    if std::env::var_os(ROLE).is_none() {
        return;
    }
    let server = Server::start();
    server.person.will(&[Reaction::Yes(Lasting::Once), Reaction::Yes(Lasting::Once)]);
    println!("port {}", server.address.port());
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

#[test]
fn a_gibibyte_is_signed_in_little_memory_and_without_being_read_again() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["memory::serve_for_the_other_test", "--exact", "--nocapture"])
        .env(ROLE, "1")
        // Built before, so that building it is no part of what is measured.
        .env("SIGNER_PROGRAM", signer_program())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let port = lines.find_map(|line| line.unwrap().split_once("port ")?.1.trim().parse::<u16>().ok());
    let address = ([127, 0, 0, 1], port.unwrap()).into();
    let body = json!({ "scopes": ["sign"] }).to_string();
    let answer = http::ask(
        address,
        "POST /ccsp/v1/pairings",
        &[("Content-Type", "application/json")],
        body.as_bytes(),
    );
    let token = answer.json()["token"].as_str().unwrap().to_owned();

    let uploaded = upload(address, &token);
    assert_eq!(uploaded.status, 201, "{uploaded:?}");
    let request = json!({ "format": "pades", "items": [{ "name": "a", "document": uploaded.json()["id"] }] });
    let bearer = format!("Bearer {token}");
    let fields =
        [("Authorization", bearer.as_str()), ("Content-Type", "application/json"), ("Prefer", "wait=60")];
    let before = read_bytes(child.id());
    let done = http::ask(address, "POST /ccsp/v1/signatures", &fields, request.to_string().as_bytes()).json();
    let read = read_bytes(child.id()) - before;
    assert_eq!(done["items"][0]["state"], "signed", "{done}");
    // The time from the upload to the signature does not depend on the size: the document was
    // hashed while it came, and only its structure is read again.
    assert!(read < LEN / 64, "{read} bytes were read to sign");
    let size = done["items"][0]["size"].as_u64().unwrap();
    let len = download(address, &token, done["items"][0]["content"].as_str().unwrap());
    assert_eq!(len, size);

    let peak = peak_kib(child.id());
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    println!("a gibibyte: peak {peak} KiB, {read} bytes read to sign");
    assert!(peak < MOST_MEMORY_KIB, "{peak} KiB");
}

/// A document of [`LEN`] bytes and a little, most of them one stream of zeros.
fn upload(address: std::net::SocketAddr, token: &str) -> Answer {
    let mut front = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for object in [
        "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n".to_owned(),
        "2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n".to_owned(),
        "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>\nendobj\n".to_owned(),
        format!("4 0 obj\n<< /Length {LEN} >>\nstream\n"),
    ] {
        offsets.push(front.len());
        front.extend_from_slice(object.as_bytes());
    }
    let table = front.len() as u64 + LEN + "\nendstream\nendobj\n".len() as u64;
    let mut back = String::from("\nendstream\nendobj\nxref\n0 5\n0000000000 65535 f \n");
    for offset in offsets {
        back.push_str(&format!("{offset:010} 00000 n \n"));
    }
    back.push_str(&format!("trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"));
    let mut stream = http::connect(address);
    let head = format!(
        "POST /ccsp/v1/documents HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/pdf\r\nContent-Length: {}\r\n\r\n",
        front.len() as u64 + LEN + back.len() as u64
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(&front).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..LEN >> 20 {
        stream.write_all(&zeros).unwrap();
    }
    stream.write_all(back.as_bytes()).unwrap();
    Answer::parse(&http::rest(&mut stream)).unwrap().0
}

/// How many bytes come.
fn download(address: std::net::SocketAddr, token: &str, path: &str) -> u64 {
    let mut stream = http::connect(address);
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut reader = BufReader::with_capacity(1 << 20, stream);
    let mut line = String::new();
    while line != "\r\n" {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0);
    }
    std::io::copy(&mut reader, &mut std::io::sink()).unwrap()
}

/// How many bytes a process has read so far, from files and from pipes.
fn read_bytes(process: u32) -> u64 {
    let io = std::fs::read_to_string(format!("/proc/{process}/io")).unwrap();
    let line = io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    line.parse().unwrap()
}

fn peak_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
