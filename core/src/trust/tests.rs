//! Paths through the test PKI, its rules broken one at a time, and hostile pools.

use super::*;
use crate::{
    cms::certificate::{Certificate, fixture},
    moment::Moment,
};

/// 2026-12-01T00:00:00Z.
const NOW: i64 = 1_796_083_200;

fn at(unix_seconds: i64) -> Moment {
    Moment::new(unix_seconds, 0).unwrap()
}

fn certificates(names: &[&str]) -> Vec<Certificate> {
    names.iter().map(|name| fixture::certificate(name)).collect()
}

fn anchors() -> Anchors {
    Anchors::new(vec![fixture::root()])
}

fn validate(name: &str, pool: &[Certificate]) -> Result<Vec<Certificate>, TrustError> {
    validate_path(&fixture::certificate(name), pool, &anchors(), at(NOW))
        .map(|path| path.certificates().to_vec())
}

#[test]
fn a_path_leads_to_the_anchor_whatever_the_order_of_the_pool() {
    let expected = [certificates(&["ana-a1", "ac2", "ac1"]), vec![fixture::root()]].concat();
    for pool in [["ac1", "ac2", "alheia"], ["alheia", "ac2", "ac1"], ["ac2", "ac1", "ac2"]] {
        assert_eq!(validate("ana-a1", &certificates(&pool)).unwrap(), expected);
    }
}

#[test]
fn without_every_link_or_the_anchor_there_is_no_path() {
    let pool = certificates(&["ac1", "ac2", "alheia"]);
    assert_eq!(validate("ana-a1", &pool[..1]), Err(TrustError::NoPath));
    assert_eq!(validate("ana-a1", &[]), Err(TrustError::NoPath));
    assert_eq!(validate("cadeia-alheia", &pool), Err(TrustError::NoPath));
    let with_root = [pool, vec![fixture::root()]].concat();
    let none = Anchors::new(Vec::new());
    assert_eq!(
        validate_path(&fixture::certificate("ana-a1"), &with_root, &none, at(NOW)),
        Err(TrustError::NoPath)
    );
}

#[test]
fn time_and_purpose_are_judged() {
    let pool = certificates(&["ac1", "ac2"]);
    assert!(matches!(validate("expirado", &pool), Err(TrustError::Expired { .. })));
    assert!(matches!(validate("futuro", &pool), Err(TrustError::NotYetValid { .. })));
    assert!(matches!(validate("so-cifra", &pool), Err(TrustError::Rule { rule: Rule::KeyUsage, .. })));
    assert!(matches!(validate("tsa", &pool), Err(TrustError::Rule { rule: Rule::KeyUsage, .. })));
    assert!(validate("p256", &pool).is_ok());
    let expired = fixture::certificate("expirado");
    assert!(validate_path(&expired, &pool, &anchors(), at(expired.not_after())).is_ok());
}

#[test]
fn the_chain_is_ordered_from_the_issuer_to_the_root() {
    let signer = fixture::certificate("ana-a1");
    let pool = [vec![fixture::root()], certificates(&["alheia", "ac2", "ac1", "ac1", "ana-a1"])].concat();
    let expected = [certificates(&["ac2", "ac1"]), vec![fixture::root()]].concat();
    assert_eq!(order_chain(&signer, &pool), expected);
    assert_eq!(order_chain(&signer, &certificates(&["ac1"])), []);
    assert_eq!(order_chain(&fixture::root(), &pool), []);
}

/// 2030-03-17T17:46:40Z: the certificates that break rules begin later than the others.
const RULES_NOW: i64 = 1_900_000_000;

fn validate_rule(name: &str, pool: &[&str], root: &str) -> Result<Vec<Certificate>, TrustError> {
    let pool: Vec<_> = pool.iter().map(|name| fixture::rule(name)).collect();
    let anchors = Anchors::new(vec![fixture::rule(root)]);
    validate_path(&fixture::rule(name), &pool, &anchors, at(RULES_NOW))
        .map(|path| path.certificates().to_vec())
}

#[test]
fn each_rule_of_rfc_5280_refuses_what_breaks_it() {
    for (name, pool, expected) in [
        ("end", &[][..], None),
        ("limited-end", &["limited"], None),
        ("too-deep", &["limited", "below"], Some(Rule::PathLength)),
        ("by-end", &["end"], Some(Rule::NotAuthority)),
        ("by-no-cert-sign", &["no-cert-sign"], Some(Rule::NotAuthority)),
        ("critical", &[], Some(Rule::CriticalExtension { id: "1.2.3.4".to_owned() })),
        ("inside", &["constrained"], None),
        ("outside", &["constrained"], Some(Rule::NameConstraints)),
        ("excluded", &["constrained"], Some(Rule::NameConstraints)),
    ] {
        let found = match validate_rule(name, pool, "root") {
            Ok(_) => None,
            Err(TrustError::Rule { rule, .. }) => Some(rule),
            Err(error) => panic!("{name}: {error}"),
        };
        assert_eq!(found, expected, "{name}");
    }
    assert!(matches!(validate_rule("sha1", &[], "root"), Err(TrustError::WeakAlgorithm { .. })));
}

#[test]
fn a_cross_certificate_leads_to_whichever_root_is_trusted() {
    let pool = ["crossed-by-other", "crossed-by-root", "root", "other"];
    for (root, by) in [("root", "crossed-by-root"), ("other", "crossed-by-other")] {
        let path = validate_rule("crossed-end", &pool, root).unwrap();
        assert_eq!(path, ["crossed-end", by, root].map(fixture::rule), "{root}");
    }
}

#[test]
fn authorities_that_certify_each_other_end_the_search() {
    let pool = ["loop-a", "loop-b"];
    assert_eq!(validate_rule("loop-end", &pool, "root"), Err(TrustError::NoPath));
    let pool: Vec<_> = pool.iter().map(|name| fixture::rule(name)).collect();
    assert_eq!(order_chain(&fixture::rule("loop-end"), &pool), pool);
}

#[test]
fn an_anchor_given_by_name_of_an_intermediate_ends_the_path_there() {
    let path = validate_rule("limited-end", &["limited", "root"], "limited").unwrap();
    assert_eq!(path, ["limited-end", "limited"].map(fixture::rule));
    assert_eq!(validate_rule("end", &[], "end").unwrap(), [fixture::rule("end")]);
}
