//! Every signature of a document, judged: integrity, coverage, path to an anchor.
//!
//! Revocation is not consulted. What was added after a signature is permitted where it is only
//! what signing adds ([`crate::pdf::later`]); otherwise the signature is at best
//! [`Indication::Indeterminate`].

use crate::{
    cms::{certificate::Certificate, error::CmsError, signed_data::SignedData},
    credential::Holder,
    digest::{Digest, DigestAlgorithm},
    error::ErrorCode,
    moment::Moment,
    pades::range_digests::DigestError,
    pades::verdict::{Coverage, Indication, SubIndication, Verdict},
    pdf::{
        byte_range::ByteRange,
        document::Document,
        error::PdfError,
        field::SignatureField,
        later::{Effort, Later},
        revision::inspection::{self, Flaw},
        signature::SignatureValue,
        source::Source,
    },
    trust::{self, Anchors, TrustError},
};

/// Where the digest of a byte range comes from: read from the file, or known already.
pub type DigestOf<'a> = dyn FnMut(&ByteRange, DigestAlgorithm) -> Result<Digest, DigestError> + 'a;

/// What a signature is judged against.
#[derive(Debug, Clone)]
pub struct Reference<'a> {
    /// The trust anchors.
    pub anchors: &'a Anchors,
    /// Certificates that may help to build a path, beside those in the signature.
    pub pool: &'a [Certificate],
    /// The time of validation.
    pub at: Moment,
}

/// Why an own signature is not released.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The signed document cannot be read.
    #[error("the signed document cannot be read")]
    Pdf(#[from] PdfError),
    /// The signature is not what was meant.
    #[error("the signature does not verify: {sub_indication:?} ({detail})")]
    Failed {
        /// What the validator says.
        sub_indication: SubIndication,
        /// Why.
        detail: String,
    },
}

impl CheckError {
    /// The stable code. What could not be read or passed a limit says nothing of the signature.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Pdf(error @ (PdfError::Limit { .. } | PdfError::Source(_))) => error.code(),
            Self::Failed { .. } | Self::Pdf(_) => ErrorCode::SignatureInvalid,
        }
    }
}

/// Judges every signature of `document`, in the order of its fields.
///
/// # Errors
/// Where the document itself cannot be read; a signature that cannot be read has a verdict.
pub fn verify<S: Source>(
    document: &Document<S>,
    reference: &Reference<'_>,
    digest_of: &mut DigestOf<'_>,
) -> Result<Vec<Verdict>, PdfError> {
    let fields = document.fields()?;
    let mut signed: Vec<_> =
        fields.iter().filter_map(|field| Some((field, field.value.as_ref()?))).enumerate().collect();
    // As they were made: each one's bytes begin with those of the one before.
    signed.sort_by_key(|(_, (_, value))| value.byte_range.map_or(0, |range| range.end()));
    let mut effort = Effort::default();
    let mut verdicts = Vec::new();
    for (place, (field, value)) in signed {
        verdicts.push((place, judge(document, field, value, reference, digest_of, &mut effort)?));
    }
    verdicts.sort_by_key(|(place, _)| *place);
    Ok(verdicts.into_iter().map(|(_, verdict)| verdict).collect())
}

/// Checks the signature just made in `field`, trust aside: the update that was appended to
/// `original`, entire coverage, CMS, digest.
///
/// # Errors
/// Where the document does not hold such a signature, intact, or the update is not as it must be.
pub fn check_own<O: Source, S: Source>(
    original: &Document<O>,
    document: &Document<S>,
    field: &str,
    digest_of: &mut DigestOf<'_>,
) -> Result<(), CheckError> {
    let own = inspection::inspect(original, document, field).map_err(|flaw| match flaw {
        Flaw::Found { what } => {
            CheckError::Failed { sub_indication: SubIndication::FormatFailure, detail: what.to_owned() }
        }
        Flaw::Pdf(error) => CheckError::Pdf(error),
    })?;
    let value = own.value.as_ref().ok_or_else(|| CheckError::Failed {
        sub_indication: SubIndication::FormatFailure,
        detail: "the signature field is empty".to_owned(),
    })?;
    let integrity = check_integrity(document, value, digest_of)?;
    if let Err(failure) = integrity.outcome {
        return Err(CheckError::Failed { sub_indication: failure.0, detail: failure.1 });
    }
    match integrity.coverage {
        Coverage::EntireFile => Ok(()),
        Coverage::Revision { .. } | Coverage::Partial => Err(CheckError::Failed {
            sub_indication: SubIndication::FormatFailure,
            detail: "the signature does not cover the entire file".to_owned(),
        }),
    }
}

struct Failure(SubIndication, String);

/// What the bytes of the document say, before any trust.
struct Integrity {
    coverage: Coverage,
    signed_data: Option<SignedData>,
    outcome: Result<(), Failure>,
}

fn judge<S: Source>(
    document: &Document<S>,
    field: &SignatureField,
    value: &SignatureValue,
    reference: &Reference<'_>,
    digest_of: &mut DigestOf<'_>,
    effort: &mut Effort,
) -> Result<Verdict, PdfError> {
    let integrity = check_integrity(document, value, digest_of)?;
    let signer = integrity.signed_data.as_ref().and_then(SignedData::signer_certificate).cloned();
    let mut path = Vec::new();
    let mut outcome = integrity.outcome;
    if let (Ok(()), Some(signer), Some(data)) = (&outcome, &signer, &integrity.signed_data) {
        let mut pool = data.certificates().to_vec();
        pool.extend_from_slice(reference.pool);
        match trust::validate_path(signer, &pool, reference.anchors, reference.at) {
            Ok(found) => path = found.certificates().to_vec(),
            Err(error) => outcome = Err(Failure(sub_indication_of_trust(&error), describe(&error))),
        }
    }
    if outcome.is_ok() {
        match integrity.coverage {
            Coverage::EntireFile => {}
            Coverage::Revision { end } => match document.later_changes(field, end, effort)? {
                Later::Permitted => {}
                Later::Other { what } => {
                    outcome = Err(Failure(SubIndication::LaterChanges, what.to_owned()));
                }
            },
            Coverage::Partial => {
                let detail = "the signature does not cover a whole revision".to_owned();
                outcome = Err(Failure(SubIndication::FormatFailure, detail));
            }
        }
    }
    let (indication, sub_indication, detail) = match outcome {
        Ok(()) => (Indication::TotalPassed, None, None),
        Err(Failure(sub, detail)) => (sub.indication(), Some(sub), Some(detail)),
    };
    Ok(Verdict {
        field: field.name.clone(),
        indication,
        sub_indication,
        detail,
        coverage: integrity.coverage,
        sub_filter: value.sub_filter.clone(),
        claimed_time: value.claimed_time.clone(),
        digest: integrity.signed_data.as_ref().and_then(SignedData::digest_algorithm),
        algorithm: integrity.signed_data.as_ref().and_then(SignedData::signature_algorithm),
        holder: signer.as_ref().map(Holder::of),
        signer,
        // What cannot be read permits nothing that is told; later changes are judged by themselves.
        permission: document.permission_after(field).unwrap_or_default(),
        path,
    })
}

fn check_integrity<S: Source>(
    document: &Document<S>,
    value: &SignatureValue,
    digest_of: &mut DigestOf<'_>,
) -> Result<Integrity, PdfError> {
    let failed = |coverage, signed_data, sub, detail: String| Integrity {
        coverage,
        signed_data,
        outcome: Err(Failure(sub, detail)),
    };
    let range = match &value.byte_range {
        Ok(range) => range,
        Err(error) => {
            let detail = describe(error);
            return Ok(failed(Coverage::Partial, None, SubIndication::FormatFailure, detail));
        }
    };
    let coverage = coverage_of(document, range)?;
    let data = match SignedData::parse(&value.contents) {
        Ok(data) => data,
        Err(error) => return Ok(failed(coverage, None, sub_indication_of_cms(&error), describe(&error))),
    };
    if !matches!(
        value.sub_filter.as_deref(),
        Some("ETSI.CAdES.detached" | "adbe.pkcs7.detached" | "PBAD.PAdES")
    ) {
        let detail = format!("SubFilter {}", value.sub_filter.as_deref().unwrap_or("is missing"));
        return Ok(failed(coverage, Some(data), SubIndication::Unsupported, detail));
    }
    let Some(algorithm) = data.digest_algorithm() else {
        let detail = "the digest algorithm is not supported".to_owned();
        return Ok(failed(coverage, Some(data), SubIndication::Unsupported, detail));
    };
    let digest = match digest_of(range, algorithm) {
        Ok(digest) => digest,
        Err(DigestError::Source(error)) => return Err(error.into()),
        Err(error @ DigestError::TooMuch) => {
            return Ok(failed(coverage, Some(data), SubIndication::Unsupported, error.to_string()));
        }
    };
    if let Err(error) = data.verify(&digest) {
        return Ok(failed(coverage, Some(data), sub_indication_of_cms(&error), describe(&error)));
    }
    if data.uses_sha1() {
        let detail = "SHA-1 no longer protects a document".to_owned();
        return Ok(failed(coverage, Some(data), SubIndication::CryptoConstraintsFailure, detail));
    }
    Ok(Integrity { coverage, signed_data: Some(data), outcome: Ok(()) })
}

fn coverage_of<S: Source>(document: &Document<S>, range: &ByteRange) -> Result<Coverage, PdfError> {
    let end = range.end();
    if end == document.len() {
        return Ok(Coverage::EntireFile);
    }
    let ends = document.revision_ends()?;
    Ok(if ends.contains(&end) { Coverage::Revision { end } } else { Coverage::Partial })
}

const fn sub_indication_of_cms(error: &CmsError) -> SubIndication {
    match error {
        CmsError::CertificateMalformed { .. }
        | CmsError::ContentType
        | CmsError::DigestAlgorithm { .. }
        | CmsError::Encoding
        | CmsError::LimitExceeded { .. }
        | CmsError::Malformed { .. }
        | CmsError::SignerCount { .. } => SubIndication::FormatFailure,
        CmsError::DigestMismatch => SubIndication::HashFailure,
        CmsError::SignatureWrong => SubIndication::SigCryptoFailure,
        // A reference to another certificate means that the signer's is not there
        // (EN 319 102-1, 5.2.3.4).
        CmsError::SignerMissing | CmsError::SigningCertificate => SubIndication::NoSigningCertificateFound,
        CmsError::UnsupportedAlgorithm { .. } => SubIndication::Unsupported,
        CmsError::WeakKey { .. } => SubIndication::CryptoConstraintsFailure,
    }
}

const fn sub_indication_of_trust(error: &TrustError) -> SubIndication {
    match error {
        TrustError::Expired { .. } => SubIndication::OutOfBoundsNoPoe,
        TrustError::NoPath | TrustError::SearchExhausted => SubIndication::NoCertificateChainFound,
        TrustError::NotYetValid { .. } => SubIndication::OutOfBoundsNotYetValid,
        TrustError::Rule { .. } => SubIndication::CertificateChainGeneralFailure,
        TrustError::Unsupported { .. } => SubIndication::Unsupported,
        TrustError::WeakAlgorithm { .. } => SubIndication::CryptoConstraintsFailure,
    }
}

/// An error with its causes, for engineers.
fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
