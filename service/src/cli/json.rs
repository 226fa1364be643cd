//! What the commands say to programs: the JSON of certificates, signatures and verdicts.

use serde_json::{Value, json};
use signer_core::{
    cms::certificate::Certificate,
    credential::{CredentialId, Holder},
    moment::Moment,
    pades::verdict::{Coverage, Verdict},
    pdf::permission::Permission,
};

/// A certificate as every command shows it. The holder's number is masked.
pub(super) fn certificate(certificate: &Certificate) -> Value {
    let holder = Holder::of(certificate);
    json!({
        "id": CredentialId::of(certificate).to_string(),
        "name": holder.name,
        "identifier": holder.identifier.as_ref().map(|identifier| identifier.masked()),
        "kind": holder.kind.as_str(),
        "issuer": certificate.issuer_common_name(),
        "notBefore": moment(certificate.not_before()),
        "notAfter": moment(certificate.not_after()),
    })
}

/// Seconds since the epoch as RFC 3339 in UTC; `null` outside the years 1970 to 9999.
pub(super) fn moment(unix_seconds: i64) -> Option<String> {
    Moment::new(unix_seconds, 0).map(Moment::to_rfc3339)
}

/// The time that the signer claims; `None` where the file has none that is a time.
pub(super) fn claimed_time(verdict: &Verdict) -> Option<Moment> {
    verdict.claimed_time.as_deref().and_then(Moment::from_pdf_date)
}

/// A verdict.
pub(super) fn verdict(verdict: &Verdict) -> Value {
    json!({
        "field": verdict.field,
        "indication": verdict.indication.as_str(),
        "subIndication": verdict.sub_indication.map(|sub| sub.as_str()),
        "detail": verdict.detail,
        "coverage": match verdict.coverage {
            Coverage::EntireFile => "entire-file",
            Coverage::Revision { .. } => "revision",
            Coverage::Partial => "partial",
        },
        "subFilter": verdict.sub_filter,
        "claimedTime": claimed_time(verdict).map(Moment::to_rfc3339),
        "digestAlgorithm": verdict.digest.map(|digest| digest.name()),
        "signer": verdict.signer.as_ref().map(certificate),
        "permission": verdict.permission.map(Permission::as_str),
        "path": verdict.path.iter().map(certificate).collect::<Vec<_>>(),
    })
}
