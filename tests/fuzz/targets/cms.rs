//! CMS structures and certificates, as they stand in documents and files.

use signer_core::{
    cms::{
        certificate::{self, Certificate},
        signed_data::SignedData,
    },
    credential::{self, Holder, Kind},
    digest::DigestAlgorithm,
    moment::Moment,
    trust::{self, Anchors},
};

use crate::targets::skeleton::between;

pub(super) fn run(input: &[u8]) {
    if let Ok(data) = SignedData::parse(input) {
        signed_data(&data);
    }
    if let Ok(certificate) = Certificate::from_der(input) {
        // What was read is what stands there.
        assert!(input.starts_with(certificate.to_der()));
        one(&certificate, &[]);
    }
    for certificate in certificate::from_pem_or_der(input).unwrap_or_default().iter().take(4) {
        one(certificate, &[]);
    }
}

/// CMS structures and certificates: whole files, and what signed documents hold.
pub(super) fn seeds(bytes: &[u8]) -> Vec<Vec<u8>> {
    if !bytes.starts_with(b"%PDF") {
        return if bytes.len() < 16 << 10 { vec![bytes.to_vec()] } else { Vec::new() };
    }
    let texts = between(bytes, b"/Contents", b">").into_iter();
    let texts = texts.filter_map(|text| text.iter().position(|byte| *byte == b'<').map(|at| &text[at + 1..]));
    let decoded = texts.map(|text| {
        let digits = text.iter().filter_map(|byte| (*byte as char).to_digit(16));
        let digits: Vec<u8> = digits.filter_map(|digit| u8::try_from(digit).ok()).collect();
        let mut bytes: Vec<u8> = digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect();
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        bytes
    });
    decoded.filter(|cms| (64..16 << 10).contains(&cms.len())).take(4).collect()
}

fn signed_data(data: &SignedData) {
    let contents: [&[u8]; 2] = [b"What is signed.\n", b"What is not signed.\n"];
    let algorithm = data.digest_algorithm().unwrap_or(DigestAlgorithm::Sha256);
    let accepted = contents.map(|content| data.verify(&algorithm.digest(content)).is_ok());
    assert_ne!(accepted, [true, true], "one signature over two contents");
    let _ = (data.uses_sha1(), data.signature_algorithm());
    if let Some(signer) = data.signer_certificate() {
        one(signer, data.certificates());
    }
}

fn one(certificate: &Certificate, pool: &[Certificate]) {
    let holder = Holder::of(certificate);
    let _ = (Kind::of(certificate), holder);
    let _ = (certificate.subject_common_name(), certificate.serial(), certificate.permits_signatures());
    let _ = certificate.verify_signed_by(certificate);
    assert!(certificate.public_key_matches(certificate.public_key_info()));
    let Some(at) = Moment::new(certificate.not_before(), 0) else { return };
    let _ = credential::check_for_signing(certificate, at);
    // Trusted by itself: the rules of a path are all that can speak against it.
    let anchors = Anchors::new(vec![certificate.clone()]);
    let _ = trust::validate_path(certificate, pool, &anchors, at);
    let _ = trust::validate_path(certificate, pool, &Anchors::new(Vec::new()), at);
    let chain = trust::order_chain(certificate, pool);
    assert!(chain.len() < 10);
}
