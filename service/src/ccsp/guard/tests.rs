//! The guard's rules on heads alone; tests/ccsp.rs sends them over sockets.

use axum::http::HeaderName;

use super::*;

fn head(fields: &[(&'static str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(HeaderName::from_static(name), HeaderValue::try_from(*value).unwrap());
    }
    headers
}

#[test]
fn exactly_one_host_and_it_is_ours() {
    let code = |uri: &str, fields: &[(&'static str, &str)]| {
        check_host(&uri.parse().unwrap(), &head(fields)).err().map(|problem| problem.code())
    };
    assert_eq!(code("/", &[("host", "localhost:29443")]), None);
    assert_eq!(code("http://127.0.0.1:29443/x", &[("host", "127.0.0.1:29443")]), None);
    for (uri, fields) in [
        ("/", &[][..]),
        ("/", &[("host", "evil.example")]),
        ("/", &[("host", "localhost"), ("host", "localhost")]),
        ("/", &[("host", "localhost"), ("host", "evil.example")]),
        ("http://evil.example/x", &[("host", "localhost")]),
    ] {
        assert_eq!(code(uri, fields), Some(ErrorCode::HostRefused), "{uri} {fields:?}");
    }
}

#[test]
fn pages_are_told_from_programs() {
    assert_eq!(speaker(&head(&[])), Ok(Speaker::Program));
    assert_eq!(speaker(&head(&[("referer", "https://a.example/")])), Ok(Speaker::Program));
    let site = Speaker::Site(Origin::parse("https://a.example").unwrap());
    assert_eq!(speaker(&head(&[("origin", "https://a.example")])), Ok(site.clone()));
    assert_eq!(speaker(&head(&[("origin", "https://a.example"), ("sec-fetch-mode", "cors")])), Ok(site));
    for fields in [
        &[("origin", "null")][..],
        &[("origin", "http://a.example")],
        &[("origin", "")],
        &[("origin", "https://a.example"), ("origin", "https://a.example")],
        &[("origin", "https://a.example https://b.example")],
        &[("sec-fetch-mode", "navigate")],
        &[("sec-fetch-site", "none")],
        &[("sec-fetch-anything", "")],
    ] {
        let code = speaker(&head(fields)).unwrap_err().code();
        assert_eq!(code, ErrorCode::OriginRefused, "{fields:?}");
    }
}

#[test]
fn media_types_are_compared_without_their_parameters() {
    let check = |rule, value: &str| check_media_type(rule, &head(&[("content-type", value)])).is_ok();
    assert!(check(BodyRule::Json, "application/json"));
    assert!(check(BodyRule::Json, "Application/JSON; charset=utf-8"));
    assert!(!check(BodyRule::Json, "text/plain"));
    assert!(!check(BodyRule::Json, "application/jsonp"));
    assert!(!check(BodyRule::Document, "application/json"));
    assert!(check(BodyRule::JsonOrDocument, "application/pdf"));
    assert!(check_media_type(BodyRule::Json, &head(&[])).is_err());
    let twice = head(&[("content-type", "application/json"), ("content-type", "application/json")]);
    assert!(check_media_type(BodyRule::Json, &twice).is_err());
    let packed = head(&[("content-type", "application/json"), ("content-encoding", "gzip")]);
    assert!(check_media_type(BodyRule::Json, &packed).is_err());
}

#[test]
fn declared_sizes_are_held_against_the_limit_of_the_body() {
    let limits = Limits { json_bytes: 10, document_bytes: 100, ..Limits::default() };
    let check = |rule, media: &str, len: usize| {
        let declared = Declared::of(&Body::from(vec![0; len]));
        check_size(rule, &head(&[("content-type", media)]), declared, &limits).is_ok()
    };
    assert!(check(BodyRule::Json, JSON, 10) && !check(BodyRule::Json, JSON, 11));
    assert!(check(BodyRule::Document, PDF, 100) && !check(BodyRule::Document, PDF, 101));
    assert!(check(BodyRule::JsonOrDocument, PDF, 100) && !check(BodyRule::JsonOrDocument, JSON, 100));
    assert!(check(BodyRule::Nothing, JSON, 0) && !check(BodyRule::Nothing, JSON, 1));
}
