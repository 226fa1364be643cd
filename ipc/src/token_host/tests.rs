//! What goes over the wire, and what is refused.

use super::*;
use crate::{sealed::UnsealingKey, secret::Secret};

#[test]
fn the_greeting_never_changes() {
    let mut wire = Vec::new();
    write_request(&mut wire, &Request::Hello { version: 1 }, &Attachment::Nothing).unwrap();
    assert_eq!(&wire[5..], br#"{"request":"hello","version":1}"#);
    let answer = Answer { response: Response::Hello { version: 1 }, parts: Vec::new() };
    let mut wire = Vec::new();
    write_answer(&mut wire, &answer).unwrap();
    assert_eq!(&wire[5..], br#"{"response":"hello","version":1}"#);
}

#[test]
fn a_secret_travels_sealed_beside_the_header() {
    let secret = Secret::from_bytes(b"\xff\"{segredo".to_vec()).unwrap();
    let key = UnsealingKey::generate();
    let sealed = key.sealing_key().seal(&secret).unwrap();
    let mut wire = Vec::new();
    let request = Request::Unlock {
        token: Some(TokenPlace { slot: 7, serial: "31".to_owned() }),
        last_try: LastTry::NotConfirmed,
    };
    write_request(&mut wire, &request, &Attachment::Sealed(&sealed)).unwrap();
    assert!(!wire.windows(7).any(|window| window == b"segredo"));
    let (read, attached) = read_request(&mut wire.as_slice()).unwrap();
    assert_eq!(read, request);
    let Attached::Sealed(read) = attached else { panic!("a secret comes with it") };
    assert_eq!(key.open(&read).unwrap().expose(), secret.expose());
}

#[test]
fn an_attachment_that_does_not_fit_is_never_written() {
    let secret = Secret::from_bytes(b"1234".to_vec()).unwrap();
    let sealed = UnsealingKey::generate().sealing_key().seal(&secret).unwrap();
    let mut wire = Vec::new();
    assert!(write_request(&mut wire, &Request::Tokens, &Attachment::Sealed(&sealed)).is_err());
    let store = |protection| Request::Store { credential: 0, protection };
    assert!(write_request(&mut wire, &store(Protection::Password), &Attachment::Nothing).is_err());
    assert!(write_request(&mut wire, &store(Protection::Keystore), &Attachment::Sealed(&sealed)).is_err());
    assert!(write_request(&mut wire, &Request::OpenFile, &Attachment::Sealed(&sealed)).is_err());
    let unlock = Request::Unlock { token: None, last_try: LastTry::NotConfirmed };
    assert!(write_request(&mut wire, &unlock, &Attachment::Bytes(b"x")).is_err());
    assert_eq!(wire, b"");
}

#[test]
fn credentials_bring_their_certificates() {
    let credential = |id, issuers| Credential {
        id,
        token_label: Some("TESTE".to_owned()),
        friendly_name: None,
        issuers,
        always_authenticate: id == 1,
    };
    let answer = Answer {
        response: Response::Credentials { credentials: vec![credential(0, 2), credential(1, 0)] },
        parts: vec![vec![1], vec![2], vec![3], vec![4]],
    };
    let mut wire = Vec::new();
    write_answer(&mut wire, &answer).unwrap();
    assert_eq!(read_answer(&mut wire.as_slice()).unwrap(), answer);
}

#[test]
fn a_promise_of_too_many_parts_is_refused() {
    let credential = Credential {
        id: 0,
        token_label: None,
        friendly_name: None,
        issuers: u32::MAX,
        always_authenticate: false,
    };
    let header = serde_json::to_vec(&Response::Credentials { credentials: vec![credential] }).unwrap();
    let mut wire = Vec::new();
    frame::write(&mut wire, FrameKind::Header, &header).unwrap();
    assert!(matches!(read_answer(&mut wire.as_slice()), Err(ProtocolError::Malformed)));
}

/// A service that says nothing of the last try has not asked the person.
#[test]
fn an_unlock_without_a_word_about_the_last_try_is_no_request() {
    let mut wire = Vec::new();
    frame::write(&mut wire, FrameKind::Header, br#"{"request":"unlock","token":null}"#).unwrap();
    assert!(matches!(read_request(&mut wire.as_slice()), Err(ProtocolError::Malformed)));
}

#[test]
fn malformed_headers_are_refused() {
    for header in [&b""[..], b"{", b"null", b"[]", br#"{"request":"format-disk"}"#, b"\xff\xfe"] {
        let mut wire = Vec::new();
        frame::write(&mut wire, FrameKind::Header, header).unwrap();
        assert!(matches!(read_request(&mut wire.as_slice()), Err(ProtocolError::Malformed)));
    }
}
