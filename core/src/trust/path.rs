//! Paths from a certificate to a trust anchor: found by names and signatures, then judged by
//! the rules of RFC 5280, 6.1.

use crate::{
    cms::{certificate::Certificate, error::CmsError, extension},
    digest::DigestAlgorithm,
    moment::Moment,
    trust::{Anchors, Rule, TrustError, name_constraints},
};

/// Certificates of the longest path, anchor included.
const MAXIMUM_PATH: usize = 10;
/// Certificates of the pool that are considered.
const MAXIMUM_POOL: usize = 512;
/// Steps of the search before it is given up: hostile pools can hold exponentially many paths.
const MAXIMUM_STEPS: usize = 256;

/// Extensions whose meaning is applied here, or restricts nothing that is done with a signature.
const KNOWN: [der::asn1::ObjectIdentifier; 8] = [
    extension::AUTHORITY_KEY_IDENTIFIER,
    extension::BASIC_CONSTRAINTS,
    extension::CERTIFICATE_POLICIES,
    extension::EXTENDED_KEY_USAGE,
    extension::ISSUER_ALT_NAME,
    extension::KEY_USAGE,
    extension::NAME_CONSTRAINTS,
    extension::SUBJECT_ALT_NAME,
];

/// A valid path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    certificates: Vec<Certificate>,
}

impl Path {
    /// From the certificate that was asked about to the trust anchor.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }
}

/// The issuers of `signer` that are in `pool`, nearest first, the root included where it is
/// there: a validator that pins roots by hash finds it in the signature. Neither validity nor
/// trust are looked at.
pub fn order_chain(signer: &Certificate, pool: &[Certificate]) -> Vec<Certificate> {
    let mut chain: Vec<Certificate> = Vec::new();
    while chain.len() + 1 < MAXIMUM_PATH {
        let last = chain.last().unwrap_or(signer);
        if last.is_self_issued() && last.verify_signed_by(last).is_ok() {
            break;
        }
        let next = issuers(last, pool.iter()).into_iter().find(|issuer| {
            *issuer != signer
                && !chain.contains(issuer)
                // A signature that cannot be verified here may be verified elsewhere.
                && !matches!(last.verify_signed_by(issuer), Err(CmsError::SignatureWrong))
        });
        let Some(next) = next else { break };
        chain.push(next.clone());
    }
    chain
}

/// A path from `signer` to one of `anchors` that is valid at `at`, through certificates of
/// `pool`. Several are tried where names allow several; without success the error is that of the
/// first path that reached an anchor.
///
/// # Errors
/// Where no valid path was found within the limits of the search.
pub fn validate_path(
    signer: &Certificate,
    pool: &[Certificate],
    anchors: &Anchors,
    at: Moment,
) -> Result<Path, TrustError> {
    let mut failure = None;
    let mut steps = 0;
    // Each entry is a path not looked at yet, its end last.
    let mut waiting = vec![vec![signer]];
    while let Some(path) = waiting.pop() {
        let Some(last) = path.last().copied() else { continue };
        if anchors.contains(last) {
            match check(&path, at) {
                Ok(()) => return Ok(Path { certificates: path.into_iter().cloned().collect() }),
                Err(error) => failure.get_or_insert(error),
            };
            continue;
        }
        if path.len() == MAXIMUM_PATH {
            continue;
        }
        let candidates = issuers(last, anchors.given().iter().chain(pool.iter().take(MAXIMUM_POOL)));
        // The most promising comes off the stack first.
        for issuer in candidates.into_iter().rev().filter(|issuer| !path.contains(issuer)) {
            steps += 1;
            if steps > MAXIMUM_STEPS {
                return Err(failure.unwrap_or(TrustError::SearchExhausted));
            }
            match check_signature(last, issuer) {
                Ok(()) => waiting.push(path.iter().copied().chain([issuer]).collect()),
                Err(Some(error)) => {
                    failure.get_or_insert(error);
                }
                Err(None) => {}
            }
        }
    }
    Err(failure.unwrap_or(TrustError::NoPath))
}

/// The certificates whose subject is the issuer of `certificate`, those with the key identifier
/// that it names first, each once.
fn issuers<'a>(
    certificate: &Certificate,
    pool: impl Iterator<Item = &'a Certificate>,
) -> Vec<&'a Certificate> {
    let mut found: Vec<&Certificate> = Vec::new();
    for candidate in pool {
        if candidate.subject() == certificate.issuer() && !found.contains(&candidate) {
            found.push(candidate);
        }
    }
    let wanted = certificate.authority_key_id();
    found.sort_by_key(|candidate| wanted.is_none() || candidate.subject_key_id() != wanted);
    found
}

/// Whether the issuer made the signature. A wrong signature only means that this is not the
/// issuer (`Err(None)`); one that is too weak or unknown is worth telling.
fn check_signature(certificate: &Certificate, issuer: &Certificate) -> Result<(), Option<TrustError>> {
    let weak = || Some(TrustError::WeakAlgorithm { subject: name(certificate) });
    match certificate.verify_signed_by(issuer) {
        Ok(()) if certificate.signature_digest() == Some(DigestAlgorithm::Sha1) => Err(weak()),
        Ok(()) => Ok(()),
        Err(CmsError::WeakKey { .. }) => Err(weak()),
        Err(CmsError::UnsupportedAlgorithm { algorithm }) => {
            Err(Some(TrustError::Unsupported { subject: name(certificate), algorithm }))
        }
        Err(
            CmsError::CertificateMalformed { .. }
            | CmsError::ContentType
            | CmsError::DigestAlgorithm { .. }
            | CmsError::DigestMismatch
            | CmsError::Encoding
            | CmsError::LimitExceeded { .. }
            | CmsError::Malformed { .. }
            | CmsError::SignatureWrong
            | CmsError::SignerCount { .. }
            | CmsError::SignerMissing
            | CmsError::SigningCertificate,
        ) => Err(None),
    }
}

/// RFC 5280, 6.1, for a path whose names and signatures fit; the anchor last. Any policy is
/// accepted. The anchor's own validity and limits count too, which the standard leaves open.
fn check(path: &[&Certificate], at: Moment) -> Result<(), TrustError> {
    let broken = |certificate: &Certificate, rule| TrustError::Rule { subject: name(certificate), rule };
    if let Some(signer) = path.first()
        && !signer.permits_signatures()
    {
        return Err(broken(signer, Rule::KeyUsage));
    }
    // Authorities between this one and the end, those that only roll over a key not counted.
    let mut below = 0;
    for (index, certificate) in path.iter().enumerate() {
        check_validity(certificate, at)?;
        if let Some(id) = certificate.critical_extensions().find(|id| !KNOWN.contains(id)) {
            return Err(broken(certificate, Rule::CriticalExtension { id: id.to_string() }));
        }
        if index == 0 {
            continue;
        }
        let signs = certificate.key_usage().is_none_or(|usage| usage.key_cert_sign());
        let constraints = certificate.basic_constraints();
        // A root of version 1 has no extensions: an anchor is an authority because it was named one.
        let anchor = index + 1 == path.len();
        if !signs || !constraints.map_or(anchor, |constraints| constraints.ca) {
            return Err(broken(certificate, Rule::NotAuthority));
        }
        let permitted = constraints.and_then(|constraints| constraints.path_len_constraint);
        if permitted.is_some_and(|permitted| below > usize::from(permitted)) {
            return Err(broken(certificate, Rule::PathLength));
        }
        if !certificate.is_self_issued() {
            below += 1;
        }
        if let Some(constraints) = certificate.extension(extension::NAME_CONSTRAINTS) {
            for (position, lower) in path.iter().take(index).enumerate() {
                // RFC 5280, 6.1.3 (b): self-issued certificates are exempt unless they are the end.
                let exempt = position > 0 && lower.is_self_issued();
                if !exempt && !name_constraints::permit(constraints, lower) {
                    return Err(broken(lower, Rule::NameConstraints));
                }
            }
        }
    }
    Ok(())
}

fn check_validity(certificate: &Certificate, at: Moment) -> Result<(), TrustError> {
    let now = at.unix_seconds();
    let (not_before, not_after) = (certificate.not_before(), certificate.not_after());
    if now > not_after {
        return Err(TrustError::Expired { subject: name(certificate), not_after });
    }
    if now < not_before {
        return Err(TrustError::NotYetValid { subject: name(certificate), not_before });
    }
    Ok(())
}

/// The common name without a person's number.
fn name(certificate: &Certificate) -> String {
    let common_name = certificate.subject_common_name().unwrap_or_default();
    common_name.split(':').next().unwrap_or_default().to_owned()
}
