//! Requests that lie, flood or dawdle: answered within limits, and the service lives on.

use std::{
    io::{Read as _, Write as _},
    time::{Duration, Instant},
};

use serde_json::json;
use signer_core::error::ErrorCode;
use signer_ipc::message::Lasting;
use signer_service::ccsp::Limits;
use signer_tests::documents::{Layout, document};

use crate::{
    http::{self, Answer, connect, exchange, rest},
    person::Reaction,
    server::{SITE, Server, names},
};

const STATUS: &str = "GET /ccsp/v1/status HTTP/1.1\r\nHost: localhost\r\n";

fn strict() -> Limits {
    Limits {
        head_bytes: 8192,
        head_fields: 20,
        head_time: Duration::from_millis(300),
        body_pause: Duration::from_millis(300),
        body_grace: Duration::from_millis(300),
        ..Limits::default()
    }
}

fn lives(server: &Server) {
    assert_eq!(server.ask("GET /ccsp/v1/status", &[], b"").status, 200);
}

fn status_of(received: &[u8]) -> Option<u16> {
    Answer::parse(received).map(|(answer, _)| answer.status)
}

#[test]
fn heads_have_limits_of_size_number_and_time() {
    let server = Server::with("ecpf-a1-moderno.p12", strict());
    let long = format!("{STATUS}X-Long: {}\r\n\r\n", "a".repeat(20_000));
    assert_eq!(status_of(&exchange(server.address, long.as_bytes())), Some(431));
    let many = format!("{STATUS}{}\r\n", "X-Many: a\r\n".repeat(40));
    assert_eq!(status_of(&exchange(server.address, many.as_bytes())), Some(431));
    let path = format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "a".repeat(70_000));
    let refused = status_of(&exchange(server.address, path.as_bytes()));
    assert!(matches!(refused, Some(414 | 431)), "{refused:?}");

    // A head that never ends, and one that never begins.
    for beginning in [STATUS, ""] {
        let started = Instant::now();
        let mut stream = connect(server.address);
        stream.write_all(beginning.as_bytes()).unwrap();
        assert_eq!(rest(&mut stream), b"", "{beginning:?}");
        assert!(started.elapsed() >= strict().head_time && started.elapsed() < http::PATIENCE);
    }
    lives(&server);
    server.assert_untouched();
}

#[test]
fn what_is_no_http_is_refused_or_cut() {
    let server = Server::with("ecpf-a1-moderno.p12", strict());
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"GET /ccsp/v1/status\r\n\r\n",
        b"GET  /ccsp/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /ccsp/v1/status HTTP/3.0\r\nHost: localhost\r\n\r\n",
        b"GET /ccsp/v1/status HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"GET /ccsp/v1/status HTTP/1.1\r\nHost: localhost\r\nX-Null: a\0b\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let received = exchange(server.address, bytes);
        let status = status_of(&received);
        assert!(matches!(status, None | Some(400 | 505)), "{bytes:?}: {status:?}");
    }
    // A target without a path names nothing.
    let star = b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(status_of(&exchange(server.address, star)), Some(404));
    lives(&server);
    server.assert_untouched();
}

#[test]
fn requests_in_a_row_are_answered_in_a_row() {
    let server = Server::start();
    let three = format!(
        "{STATUS}\r\nGET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n{STATUS}Connection: close\r\n\r\n"
    );
    let received = exchange(server.address, three.as_bytes());
    let (first, left) = Answer::parse(&received).unwrap();
    let (second, left) = Answer::parse(left).unwrap();
    let (third, left) = Answer::parse(left).unwrap();
    assert_eq!([first.status, second.status, third.status], [200, 404, 200]);
    assert_eq!(left, b"");
}

#[test]
fn bodies_that_lie_about_themselves_change_nothing() {
    let server = Server::with("ecpf-a1-moderno.p12", strict());
    let site = server.paired(Some(SITE));
    let asked = server.person.questions();
    let head = |path: &str, media: &str, fields: &str| {
        format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: {SITE}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: {media}\r\n{fields}\r\n",
            site.token
        )
    };
    let pdf = document(Layout::Table, 1, 2000);
    let upload = |fields: &str, body: &[u8]| {
        let mut bytes = head("/ccsp/v1/documents", "application/pdf", fields).into_bytes();
        bytes.extend_from_slice(body);
        exchange(server.address, &bytes)
    };
    let code = |received: &[u8]| Answer::parse(received).map(|(answer, _)| answer.refusal());
    let refused = |status: u16, code: &str| Some((status, code.to_owned()));

    // A size that is no number of a chunk, and a chunk that is longer than it says.
    for body in ["zz\r\n", "-1\r\n", "4\r\nabcdef\r\n0\r\n\r\n", "ffffffffffffffffff\r\n"] {
        let received = upload("Transfer-Encoding: chunked\r\n", body.as_bytes());
        assert_eq!(code(&received), refused(400, "request-malformed"), "{body:?}");
    }
    // Less than declared, then silence; nothing, then silence.
    for sent in [&pdf[..1000], b""] {
        let received = upload(&format!("Content-Length: {}\r\n", pdf.len()), sent);
        assert_eq!(code(&received), refused(408, "request-timeout"));
        let received = upload("Transfer-Encoding: chunked\r\n", b"");
        assert_eq!(code(&received), refused(408, "request-timeout"));
    }
    // Less than declared, then the end.
    let mut stream = connect(server.address);
    let declared = format!("Content-Length: {}\r\n", pdf.len());
    stream.write_all(head("/ccsp/v1/documents", "application/pdf", &declared).as_bytes()).unwrap();
    stream.write_all(&pdf[..1000]).unwrap();
    drop(stream);
    // Two lengths, or a length beside chunks, are two readings of one request.
    for fields in
        ["Content-Length: 5\r\nContent-Length: 6\r\n", "Content-Length: 5, 6\r\n", "Content-Length: +5\r\n"]
    {
        let received = upload(fields, b"12345");
        assert!(matches!(status_of(&received), None | Some(400)), "{fields}");
    }
    let received = upload("Transfer-Encoding: gzip\r\n", b"");
    assert!(matches!(status_of(&received), None | Some(400)));
    // More than declared is the next request, and that is none.
    let mut bytes = head("/ccsp/v1/documents", "application/pdf", "Content-Length: 5\r\n").into_bytes();
    bytes.extend_from_slice(b"12345GARBAGE\r\n\r\n");
    let received = exchange(server.address, &bytes);
    let (first, left) = Answer::parse(&received).unwrap();
    assert_eq!(first.refusal(), (422, "document-unreadable".to_owned()));
    assert_eq!(status_of(left), Some(400));

    assert_eq!(server.person.questions(), asked);
    assert_eq!(names(&server.spool()), [""; 0]);
    lives(&server);
}

#[test]
fn drops_of_a_body_do_not_hold_a_place_for_ever() {
    let limits = Limits { body_pause: Duration::from_secs(10), ..strict() };
    let server = Server::with("ecpf-a1-moderno.p12", limits);
    let started = Instant::now();
    let mut stream = connect(server.address);
    let head = "POST /ccsp/v1/pairings HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 1000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut reader = stream.try_clone().unwrap();
    let answer = std::thread::spawn(move || rest(&mut reader));
    while !answer.is_finished() {
        if stream.write_all(b" ").is_err() {
            break;
        }
        std::thread::park_timeout(Duration::from_millis(5));
    }
    let received = answer.join().unwrap();
    assert_eq!(Answer::parse(&received).unwrap().0.refusal(), (408, "request-timeout".to_owned()));
    assert!(started.elapsed() < Duration::from_secs(10));
    server.assert_untouched();
}

#[test]
fn an_answer_before_the_end_of_a_body_is_not_lost() {
    const BODY_BYTES: usize = 32 << 20;
    let server = Server::with("ecpf-a1-moderno.p12", Limits { json_bytes: 500, ..strict() });
    let body = vec![b' '; BODY_BYTES];
    for (path, media, refusal) in [
        ("/ccsp/v1/pairings", "application/json", (413, "request-too-large")),
        ("/ccsp/v1/documents", "application/pdf", (401, "pairing-required")),
    ] {
        let mut stream = connect(server.address);
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media}\r\n\
             Content-Length: {BODY_BYTES}\r\n\r\n"
        );
        // As many clients do: everything is sent before anything is read.
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        let received = rest(&mut stream);
        let refused = Answer::parse(&received).unwrap().0.refusal();
        assert_eq!(refused, (refusal.0, refusal.1.to_owned()), "{path}");
    }
    server.assert_untouched();
}

#[test]
fn what_comes_too_large_without_saying_so_is_cut_off() {
    let limits = Limits { document_bytes: 10_000, json_bytes: 500, ..strict() };
    let server = Server::with("ecpf-a1-moderno.p12", limits);
    let site = server.paired(Some(SITE));
    let chunk = format!("1000\r\n{}\r\n", "a".repeat(0x1000));
    for (path, media) in [
        ("/ccsp/v1/documents", "application/pdf"),
        ("/ccsp/v1/signatures", "application/pdf"),
        ("/ccsp/v1/signatures", "application/json"),
    ] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nOrigin: {SITE}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: {media}\r\nTransfer-Encoding: chunked\r\n\r\n{}",
            site.token,
            chunk.repeat(8)
        );
        let received = exchange(server.address, head.as_bytes());
        assert_eq!(Answer::parse(&received).unwrap().0.refusal(), (413, "request-too-large".to_owned()));
    }
    assert_eq!(names(&server.spool()), [""; 0]);
}

#[test]
fn each_client_has_its_places_and_others_have_theirs() {
    let limits = Limits { requests: 2, approvals: 1, ..Limits::default() };
    let server = Server::with("ecpf-a1-moderno.p12", limits);
    let (site, other) = (server.paired(Some(SITE)), server.paired(Some("https://other.example")));
    server.person.will(&[Reaction::Look]);
    let asking = format!(
        "POST /ccsp/v1/certificates/selection HTTP/1.1\r\nHost: localhost\r\nOrigin: {SITE}\r\n\
         Authorization: Bearer {}\r\n\r\n",
        site.token
    );
    let mut first = connect(server.address);
    first.write_all(asking.as_bytes()).unwrap();
    wait_until(|| server.person.questions() == 3);

    // One question of a client waits; another one is not even asked.
    let refused = site.ask("POST /ccsp/v1/certificates/selection");
    assert_eq!(refused.refusal(), (429, "approval-busy".to_owned()));
    assert_eq!(refused.field("retry-after"), Some("5"));
    assert_eq!(server.person.questions(), 3);
    // It is told to whoever keeps the audit trail.
    let told = format!("{SITE} wants a certificate: approval-busy");
    assert_eq!(*server.person.refused.lock().unwrap(), [told]);

    let mut second = connect(server.address);
    let half = format!(
        "POST /ccsp/v1/pairings HTTP/1.1\r\nHost: localhost\r\nOrigin: {SITE}\r\n\
         Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{{"
    );
    second.write_all(half.as_bytes()).unwrap();
    wait_until(|| site.ask("GET /ccsp/v1/pairings/current").status == 429);
    let refused = site.ask("GET /ccsp/v1/pairings/current");
    assert_eq!(refused.refusal(), (429, "too-many-requests".to_owned()));
    assert_eq!(refused.field("retry-after"), Some("1"));
    assert_eq!(other.ask("GET /ccsp/v1/pairings/current").status, 200);
    lives(&server);

    // Places are free again when their requests are gone, and the question is taken back.
    drop((first, second));
    wait_until(|| site.ask("GET /ccsp/v1/pairings/current").status == 200);
    wait_until(|| server.person.withdrawn() == 1);
    server.person.will(&[Reaction::Failure(ErrorCode::TokenFailed)]);
    let answer = site.ask("POST /ccsp/v1/certificates/selection");
    assert_eq!(answer.refusal(), (502, "token-failed".to_owned()));
}

#[test]
fn connections_have_a_number_and_others_wait_for_their_turn() {
    let limits = Limits { connections: 2, head_time: Duration::from_millis(500), ..Limits::default() };
    let server = Server::with("ecpf-a1-moderno.p12", limits);
    let idle = [connect(server.address), connect(server.address)];
    let started = Instant::now();
    lives(&server);
    assert!(started.elapsed() >= Duration::from_millis(200), "it waited for a place");
    drop(idle);
}

#[test]
fn a_defect_is_one_answer_and_the_service_lives() {
    let server = Server::start();
    server.person.will(&[Reaction::Defect]);
    let answer = server.ask_to_pair(Some(SITE), &json!(["sign"]));
    assert_eq!(answer.refusal(), (500, "internal".to_owned()));
    assert_eq!(answer.field("access-control-allow-origin"), Some(SITE));
    server.person.will(&[Reaction::Vanish, Reaction::Yes(Lasting::Once)]);
    let answer = server.ask_to_pair(Some(SITE), &json!(["sign"]));
    assert_eq!(answer.refusal(), (500, "internal".to_owned()));
    assert_eq!(server.ask_to_pair(Some(SITE), &json!(["sign"])).status, 201);
}

#[test]
fn a_service_that_stops_lets_requests_end_and_cuts_the_rest() {
    let limits = Limits { farewell: Duration::from_millis(300), ..Limits::default() };
    let server = Server::with("ecpf-a1-moderno.p12", limits);
    let mut idle = connect(server.address);
    let mut half = connect(server.address);
    half.write_all(STATUS.as_bytes()).unwrap();
    lives(&server);
    let (started, address) = (Instant::now(), server.address);
    drop(server);
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(idle.read(&mut [0]).unwrap_or(0), 0);
    assert_eq!(half.read(&mut [0]).unwrap_or(0), 0);
    assert!(std::net::TcpStream::connect(address).is_err());
}

/// Waits on a condition.
pub(crate) fn wait_until(condition: impl Fn() -> bool) {
    let end = Instant::now() + http::PATIENCE;
    while !condition() {
        assert!(Instant::now() < end, "it never came to that");
        std::thread::yield_now();
    }
}
