//! The guard's rules over sockets: exact status and code, and nothing touched.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use serde_json::json;
use signer_ipc::message::Lasting;
use signer_service::ccsp::Limits;
use signer_tests::left_out;

use crate::{
    http::{self, Answer, exchange},
    person::Reaction,
    server::{SITE, Server},
};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const PDF: (&str, &str) = ("Content-Type", "application/pdf");

fn refused(code: (u16, &str)) -> (u16, String) {
    (code.0, code.1.to_owned())
}

#[test]
fn status_is_for_everybody_of_this_login() {
    let server = Server::start();
    for fields in [
        &[][..],
        &[("Origin", "null")],
        &[("Origin", "http://evil.example")],
        &[("Origin", "https://a.example"), ("Origin", "https://b.example")],
        &[("Sec-Fetch-Mode", "navigate")],
    ] {
        let answer = server.ask("GET /ccsp/v1/status", fields, b"");
        assert_eq!(answer.status, 200, "{fields:?}");
        assert_eq!(answer.field("access-control-allow-origin"), Some("*"));
        assert_eq!(answer.field("cache-control"), Some("no-store"));
        let status = answer.json();
        assert_eq!(status["protocols"], json!(["1"]));
        assert_eq!(status["canAsk"], false);
        assert_eq!(status.as_object().unwrap().len(), 5, "nothing personal: {status}");
    }
    let other = std::net::SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, server.address.port()));
    if std::net::TcpStream::connect(other).is_ok() {
        assert_eq!(http::ask(other, "GET /ccsp/v1/status", &[("Host", "[::1]")], b"").status, 200);
    }
    server.person.will(&[Reaction::Nothing]);
    assert_eq!(server.ask("GET /ccsp/v1/status", &[], b"").json()["canAsk"], true);
    server.assert_untouched();
}

/// Proves A22.
#[test]
fn only_our_own_names_are_hosts() {
    let server = Server::start();
    let port = server.address.port();
    for host in ["localhost", "127.0.0.1", "[::1]", &format!("localhost:{port}"), "[::1]:1"] {
        assert_eq!(server.ask("GET /ccsp/v1/status", &[("Host", host)], b"").status, 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example", "127.0.0.2", "localhost:x", "LOCALHOST", ""] {
        for line in
            ["GET /ccsp/v1/status", "POST /ccsp/v1/pairings", "GET /nothing", "OPTIONS /ccsp/v1/status"]
        {
            let answer = server.ask(line, &[("Host", host), ("Origin", SITE), JSON], b"{}");
            assert_eq!(answer.refusal(), refused((421, "host-refused")), "{line} {host}");
            assert_eq!(answer.field("access-control-allow-origin"), None);
        }
    }
    for head in [
        "GET /ccsp/v1/status HTTP/1.1\r\nConnection: close\r\n\r\n",
        "GET /ccsp/v1/status HTTP/1.0\r\n\r\n",
        "GET /ccsp/v1/status HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        "GET /ccsp/v1/status HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
        "GET http://evil.example/ccsp/v1/status HTTP/1.1\r\nConnection: close\r\nHost: localhost\r\n\r\n",
    ] {
        let received = exchange(server.address, head.as_bytes());
        let (answer, rest) = Answer::parse(&received).unwrap();
        assert_eq!(answer.refusal(), refused((421, "host-refused")), "{head}");
        assert!(rest.is_empty());
    }
    server.assert_untouched();
}

/// Proves A22.
#[test]
fn pages_need_one_secure_origin_and_browsers_cannot_pass_as_programs() {
    let server = Server::start();
    for fields in [
        &[("Origin", "null")][..],
        &[("Origin", "http://erp.example")],
        &[("Origin", "https://erp.example/")],
        &[("Origin", "https://erp.example https://b.example")],
        &[("Origin", SITE), ("Origin", SITE)],
        &[("Origin", "file://")],
        &[("Origin", "chrome-extension://abcdef")],
        &[("Origin", "")],
        &[("Sec-Fetch-Site", "cross-site")],
        &[("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")],
        &[("sec-fetch-user", "?1")],
    ] {
        for line in [
            "GET /ccsp/v1/openapi.json",
            "POST /ccsp/v1/pairings",
            "GET /ccsp/v1/certificates",
            "OPTIONS /ccsp/v1/pairings",
            "GET /nothing",
        ] {
            let mut all = vec![JSON, ("Access-Control-Request-Method", "POST")];
            all.extend_from_slice(fields);
            let answer = server.ask(line, &all, br#"{"scopes":["sign"]}"#);
            assert_eq!(answer.refusal(), refused((403, "origin-refused")), "{line} {fields:?}");
            assert_eq!(answer.field("access-control-allow-origin"), None, "{line} {fields:?}");
        }
    }
    server.assert_untouched();
}

#[test]
fn methods_media_types_and_sizes_come_before_the_token() {
    let limits = Limits { json_bytes: 1000, document_bytes: 5000, ..Limits::default() };
    let server = Server::with("ecpf-a1-moderno.p12", limits);
    let large = ("Content-Length", "5001");
    for (line, fields, expected) in [
        ("GET /", &[][..], (404, "resource-not-found")),
        ("GET /ccsp/v1/status/", &[], (404, "resource-not-found")),
        ("GET /ccsp/v1/../v1/status/", &[], (404, "resource-not-found")),
        ("GET /ccsp/v1/documents/../status", &[], (404, "resource-not-found")),
        ("GET /ccsp/v1/%73tatus", &[], (404, "resource-not-found")),
        ("GET /CCSP/v1/status", &[], (404, "resource-not-found")),
        ("GET //ccsp/v1/status", &[], (404, "resource-not-found")),
        ("POST /ccsp/v1/status", &[], (405, "method-not-allowed")),
        ("PUT /ccsp/v1/documents", &[PDF], (405, "method-not-allowed")),
        ("TRACE /ccsp/v1/documents", &[], (405, "method-not-allowed")),
        ("PATCH /ccsp/v1/signatures", &[JSON], (405, "method-not-allowed")),
        ("GET /ccsp/v1/pairings", &[], (405, "method-not-allowed")),
        ("OPTIONS /ccsp/v1/documents", &[], (405, "method-not-allowed")),
        ("POST /ccsp/v1/pairings", &[], (415, "media-type-unsupported")),
        ("POST /ccsp/v1/pairings", &[("Content-Type", "text/plain")], (415, "media-type-unsupported")),
        ("POST /ccsp/v1/pairings", &[JSON, JSON], (415, "media-type-unsupported")),
        ("POST /ccsp/v1/pairings", &[JSON, ("Content-Encoding", "gzip")], (415, "media-type-unsupported")),
        ("POST /ccsp/v1/documents", &[JSON], (415, "media-type-unsupported")),
        ("POST /ccsp/v1/documents", &[PDF, large], (413, "request-too-large")),
        ("POST /ccsp/v1/signatures", &[PDF, large], (413, "request-too-large")),
        ("POST /ccsp/v1/signatures", &[JSON, ("Content-Length", "1001")], (413, "request-too-large")),
        ("POST /ccsp/v1/pairings", &[JSON, ("Content-Length", "1001")], (413, "request-too-large")),
        ("GET /ccsp/v1/certificates", &[("Content-Length", "1")], (413, "request-too-large")),
        ("GET /ccsp/v1/certificates", &[("Transfer-Encoding", "chunked")], (413, "request-too-large")),
        ("POST /ccsp/v1/certificates/selection", &[("Content-Length", "1")], (413, "request-too-large")),
        ("GET /ccsp/v1/certificates", &[], (401, "pairing-required")),
        ("POST /ccsp/v1/documents", &[PDF, ("Content-Length", "5000")], (401, "pairing-required")),
        ("GET /ccsp/v1/pairings/current", &[("Authorization", "Bearer x")], (401, "pairing-required")),
        ("GET /ccsp/v1/certificates/x", &[("Authorization", "Basic eDp4")], (401, "pairing-required")),
        ("DELETE /ccsp/v1/signatures/x", &[("Authorization", "Bearer")], (401, "pairing-required")),
        ("GET /ccsp/v1/signatures/x/items/1/content", &[], (401, "pairing-required")),
    ] {
        let mut all = vec![("Origin", SITE)];
        all.extend_from_slice(fields);
        let answer = server.ask(line, &all, b"");
        assert_eq!(answer.refusal(), refused(expected), "{line} {fields:?}");
        // What passed the third rule may be read by the page that asked.
        let reader = if line.ends_with(" /ccsp/v1/status") { "*" } else { SITE };
        assert_eq!(answer.field("access-control-allow-origin"), Some(reader), "{line}");
        assert_eq!(answer.field("allow").is_some(), expected.0 == 405, "{line}");
        assert_eq!(answer.field("www-authenticate").is_some(), expected.0 == 401, "{line}");
    }
    let head = "HEAD /ccsp/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert!(exchange(server.address, head.as_bytes()).starts_with(b"HTTP/1.1 405 "));
    server.assert_untouched();
}

/// Proves A22.
#[test]
fn nothing_of_a_refused_body_is_asked_for() {
    let server = Server::start();
    for fields in ["Host: evil.example", "Host: localhost\r\nOrigin: null", "Host: localhost"] {
        let head = format!(
            "POST /ccsp/v1/documents HTTP/1.1\r\n{fields}\r\nContent-Type: application/pdf\r\n\
             Expect: 100-continue\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n"
        );
        let received = exchange(server.address, head.as_bytes());
        let (answer, _) = Answer::parse(&received).unwrap();
        assert!(matches!(answer.status, 421 | 403 | 401), "{answer:?}");
    }
    server.assert_untouched();
}

#[test]
fn browsers_learn_what_a_page_may_ask() {
    let server = Server::start();
    let asks = ("Access-Control-Request-Method", "POST");
    let preflight = |line: &str, more: &[(&str, &str)]| {
        let mut fields = vec![("Origin", SITE), asks];
        fields.extend_from_slice(more);
        server.ask(line, &fields, b"")
    };
    let answer = preflight("OPTIONS /ccsp/v1/signatures", &[]);
    assert_eq!((answer.status, answer.body.len()), (204, 0));
    assert_eq!(answer.field("access-control-allow-origin"), Some(SITE));
    assert_eq!(answer.field("access-control-allow-methods"), Some("POST"));
    assert!(answer.field("access-control-allow-headers").unwrap().contains("authorization"));
    assert_eq!(answer.field("vary"), Some("Origin"));
    assert_eq!(answer.field("access-control-allow-private-network"), None);
    assert_eq!(answer.field("access-control-allow-credentials"), None);

    let private = ("Access-Control-Request-Private-Network", "true");
    let answer = preflight("OPTIONS /ccsp/v1/documents/x", &[private]);
    assert_eq!(answer.field("access-control-allow-private-network"), Some("true"));
    assert_eq!(answer.field("access-control-allow-methods"), Some("GET, DELETE"));

    let answer = server.ask("OPTIONS /ccsp/v1/status", &[("Origin", "null"), asks, private], b"");
    assert_eq!(answer.field("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.field("access-control-allow-private-network"), None);
    assert_eq!(preflight("OPTIONS /nothing", &[]).refusal(), refused((404, "resource-not-found")));
    server.assert_untouched();
}

/// Proves A22.
#[test]
fn a_token_is_good_for_its_client_and_its_scopes_only() {
    let server = Server::start();
    let site = server.paired_for(Some(SITE), &json!(["sign"]));
    let bearer = format!("Bearer {}", site.token);
    let current = |fields: &[(&str, &str)]| server.ask("GET /ccsp/v1/pairings/current", fields, b"");
    assert_eq!(site.ask("GET /ccsp/v1/pairings/current").status, 200);
    let authorized = ("Authorization", bearer.as_str());
    for fields in [
        &[authorized][..],
        &[authorized, ("Origin", "https://other.example")],
        &[authorized, ("Origin", "https://erp.example:8443")],
        &[authorized, authorized, ("Origin", SITE)],
    ] {
        assert_eq!(current(fields).refusal(), refused((401, "pairing-required")), "{fields:?}");
    }
    assert_eq!(site.ask("GET /ccsp/v1/certificates").refusal(), refused((401, "pairing-required")));

    let program = server.paired(None);
    let pairing = program.ask("GET /ccsp/v1/pairings/current").json();
    assert_eq!(pairing["client"].as_str(), std::env::current_exe().unwrap().to_str());
    let bearer = format!("Bearer {}", program.token);
    let answer = current(&[("Authorization", &bearer), ("Origin", SITE)]);
    assert_eq!(answer.refusal(), refused((401, "pairing-required")));
    // Another program of this login is another client.
    let other = Command::new("bash")
        .arg("-c")
        .arg(raw_client(server.address.port(), &format!("Authorization: Bearer {}\\r\\n", program.token)))
        .output()
        .unwrap();
    let (answer, _) = Answer::parse(&other.stdout).unwrap();
    assert_eq!(answer.refusal(), refused((401, "pairing-required")));

    assert_eq!(site.ask("DELETE /ccsp/v1/pairings/current").status, 204);
    assert_eq!(site.ask("GET /ccsp/v1/pairings/current").refusal(), refused((401, "pairing-required")));
}

/// Needs a second user of the machine: another login is told nothing but that it is another.
#[test]
fn another_login_is_refused() {
    if !nix::unistd::geteuid().is_root() {
        left_out("only root can be another user as well");
        return;
    }
    let server = Server::start();
    let program = server.paired(None);
    let asked = server.person.questions();
    let fields = format!("Authorization: Bearer {}\\r\\n", program.token);
    let client = |uid| {
        let script = raw_client(server.address.port(), &fields);
        let mut command = Command::new("bash");
        command.arg("-c").arg(script).uid(uid).current_dir("/");
        let output = command.output().unwrap();
        Answer::parse(&output.stdout).unwrap_or_else(|| panic!("{output:?}")).0
    };
    assert_eq!(client(65_534).refusal(), refused((403, "other-login")));
    assert_eq!(client(1).refusal(), refused((403, "other-login")));
    assert_eq!(client(0).refusal(), refused((401, "pairing-required")));
    assert_eq!(server.person.questions(), asked);
    server.person.will(&[Reaction::No(Lasting::Once)]);
}

/// A program that asks for the current pairing and shows the answer.
fn raw_client(port: u16, fields: &str) -> String {
    format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port}; \
         printf 'GET /ccsp/v1/pairings/current HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n{fields}\\r\\n' >&3; \
         cat <&3"
    )
}
