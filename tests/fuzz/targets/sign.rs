//! Sign, then validate: whatever opens and is signed is what was meant, and nothing else.

#[path = "sign/invariants.rs"]
mod invariants;

use p256::ecdsa::{DerSignature, SigningKey, signature::hazmat::PrehashSigner};
use signer_core::{
    cms::certificate::Certificate,
    digest::RunningDigest,
    error::ErrorCode,
    moment::Moment,
    pades::{
        prepare::{Order, PageChoice, Prepared, Room, Target, Terms},
        range_digests::RangeDigests,
        verdict::Verdict,
        verify::{self, Reference},
    },
    pdf::{document::Document, error::PdfError, limits::Limits, permission::SignatureType, source::Source},
    seal::{Corner, Placement, SealText},
    trust::Anchors,
};

use crate::targets::skeleton::{known, open};

/// The certificate of [`key`], issued by itself; PROVENANCE.md says how it was made.
const SIGNER: &[u8] = include_bytes!("../signer.der");
/// Within its validity.
const NOW: i64 = 1_796_300_000;

/// How an input is signed: the inputs themselves stay whole documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// In the first empty field, with a seal.
    Existing,
    /// In a new field that is not seen.
    Invisible,
    /// In a new field with a seal on the last page.
    Visible,
}

pub(super) fn run(input: &[u8]) {
    let Some(before) = open(input) else { return };
    let verdicts = known(verdicts(input));
    for way in [Way::Existing, Way::Invisible, Way::Visible] {
        // One way each, as the length has it: three would make every input three times as slow.
        if input.len() % 3 != way as usize {
            continue;
        }
        let Some((update, field)) = signed(input, way) else { continue };
        let after = [input, &update].concat();
        invariants::hold(&before, input, &after, &field);
        if let Some(verdicts) = &verdicts {
            invariants::keep(verdicts, &after, &field);
        }
    }
}

/// What is appended to sign `input`, and the field's name; `None` where it may not be signed.
pub fn signed(input: &[u8], way: Way) -> Option<(Vec<u8>, String)> {
    signed_from(&open(input)?, input, way)
}

/// As [`signed`], where `document` is read from a source that holds `input`.
pub fn signed_from<S: Source>(document: &Document<S>, input: &[u8], way: Way) -> Option<(Vec<u8>, String)> {
    let moment = Moment::new(NOW, -180)?;
    let seal = SealText::signature("Assinante do fuzzing", None, moment, Some("Teste"), None);
    let target = match way {
        Way::Existing => {
            let fields = known(document.fields())?;
            let field = fields.iter().find(|field| field.value.is_none())?;
            Target::ExistingField { name: field.name.clone() }
        }
        Way::Invisible | Way::Visible => Target::NewField {
            name: None,
            page: if way == Way::Visible { PageChoice::LAST } else { PageChoice::Number(1) },
            placement: Placement::at(Corner::BottomRight),
        },
    };
    let terms = Terms {
        digest: None,
        moment,
        signature_type: SignatureType::Approval,
        target,
        seal: (way != Way::Invisible).then_some(&seal),
        reason: Some("Teste"),
        location: None,
        name: None,
        room: Room::Estimated,
    };
    let signer = signer();
    let prepared = match Prepared::new(document, &Order { signer: &signer, chain: &[], terms: &terms }) {
        Ok(prepared) => prepared,
        Err(error) => {
            assert_ne!(error.code(), ErrorCode::Internal, "{error}");
            return None;
        }
    };
    let mut digest = RunningDigest::new(prepared.algorithm().digest());
    digest.update(input);
    let pending = prepared.finish_digest(digest).expect("the digest is the algorithm's");
    let digest = pending.algorithm().digest().digest(pending.to_be_signed());
    let value: DerSignature = key().sign_prehash(digest.as_bytes()).expect("a digest is signed");
    let signed = pending.complete(value.as_bytes()).expect("the value is the key's and fits");
    Some((signed.update().to_vec(), signed.field_name().to_owned()))
}

/// What the validator says of every signature in `bytes`, where the fixed key is trusted.
pub fn verdicts(bytes: &[u8]) -> Result<Vec<Verdict>, PdfError> {
    verdicts_from(&Document::open(bytes, Limits::default())?, bytes)
}

/// As [`verdicts`], where `document` is read from a source, and `bytes` are hashed.
pub fn verdicts_from<S: Source, B: Source + ?Sized>(
    document: &Document<S>,
    bytes: &B,
) -> Result<Vec<Verdict>, PdfError> {
    verdicts_with(document, bytes, &Anchors::new(vec![signer()]), NOW)
}

/// What the validator says at a time, with other anchors.
pub fn verdicts_with<S: Source, B: Source + ?Sized>(
    document: &Document<S>,
    bytes: &B,
    anchors: &Anchors,
    now: i64,
) -> Result<Vec<Verdict>, PdfError> {
    let at = Moment::new(now, 0).expect("a time that is known");
    let reference = Reference { anchors, pool: &[], at };
    let mut digests = RangeDigests::new(bytes);
    let mut digest_of = |range: &_, algorithm| digests.digest(range, algorithm);
    verify::verify(document, &reference, &mut digest_of)
}

/// The certificate that belongs to the fixed key.
fn signer() -> Certificate {
    Certificate::from_der(SIGNER).expect("the certificate is one")
}

/// A key that everybody may know.
fn key() -> SigningKey {
    SigningKey::from_slice(&[0x2a; 32]).expect("the number is a key")
}
