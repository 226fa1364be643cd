//! What stands between a finished signature and its release: the room for the CMS, and the check
//! of the own result. The bugs of the writer itself are planted in core's tests.

use std::{
    fs,
    path::{Path, PathBuf},
};

use signer_core::{
    digest::{Digest, DigestAlgorithm},
    error::ErrorCode,
    pades::{
        prepare::{Order, Prepared, Room, Signed, Target, Terms},
        verdict::SubIndication,
        verify::{self, CheckError},
    },
    pdf::{document::Document, error::PdfError, limits::Limits, permission::Permission, source::SourceError},
};
use signer_service::{
    file::{
        destination::{Durability, Existing},
        source::FileSource,
    },
    sign::{Check, Job, Outcome, SignError, sign, spooled::sign_in_place},
};
use signer_tests::{
    documents::{Layout, document, with_fields},
    judges::{self, PyHanko},
    signer_program,
    unlocked::{Unlocked, invisible},
};

const KEYS: [&str; 2] = ["ecpf-a1-moderno.p12", "ecdsa-p256.p12"];

#[test]
fn a_cms_that_outgrows_its_room_is_made_once_more_and_fits() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("in.pdf");
    for layout in [Layout::Table, Layout::ObjectStreams] {
        fs::write(&input, document(layout, 2, 30_000)).unwrap();
        for (number, key) in KEYS.into_iter().enumerate() {
            let output = directory.path().join(format!("{number}.pdf"));
            let mut unlocked = Unlocked::start(signer_program(), key).unwrap();
            let tight = Terms { room: Room::Bytes(100), ..invisible() };
            let outcome = sign_file(&mut unlocked, &input, &output, tight);
            accepted(&output, &outcome);
            // What was kept free is what the CMS takes, and little more.
            let estimated = directory.path().join("estimated.pdf");
            sign_file(&mut unlocked, &input, &estimated, invisible());
            let (tight, estimated) = (len(&output), len(&estimated));
            assert!(tight.abs_diff(estimated) <= 2048, "{tight} and {estimated} bytes");
            fs::remove_file(directory.path().join("estimated.pdf")).unwrap();
            fs::remove_file(output).unwrap();
        }
    }
}

#[test]
fn where_the_document_lies_a_cms_that_outgrows_its_room_fits_too() {
    let bytes = document(Layout::Table, 2, 30_000);
    let mut unlocked = Unlocked::start(signer_program(), KEYS[0]).unwrap();
    for algorithm in [DigestAlgorithm::Sha256, DigestAlgorithm::Sha512] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("spooled.pdf");
        fs::write(&path, &bytes).unwrap();
        let file = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let mut running = signer_core::digest::RunningDigest::new(DigestAlgorithm::Sha256);
        running.update(&bytes);
        let tight = Terms { room: Room::Bytes(1), digest: Some(algorithm), ..invisible() };
        let Unlocked { host, signer } = &mut unlocked;
        let outcome = sign_in_place(&file, running, host, signer, &tight, None).unwrap();
        assert_eq!(outcome.digest.algorithm(), algorithm);
        assert!(fs::read(&path).unwrap().starts_with(&bytes));
        accepted(&path, &outcome);
    }
}

/// Proves A31. Who confirmed one thing does not sign another: a lock that the person was not told of.
#[test]
fn where_the_document_lies_no_lock_is_signed_that_the_person_was_not_told_of() {
    let mut unlocked = Unlocked::start(signer_program(), KEYS[0]).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("spooled.pdf");
    for (lock, told, released) in [
        ("/P 1", None, false),
        ("/P 1", Some(Permission::FormFilling), false),
        ("/P 1", Some(Permission::NoChanges), true),
        ("/P 2", Some(Permission::NoChanges), true),
        ("", None, true),
    ] {
        let field = format!("/T (s) /Rect [9 9 99 99] /Lock << /Action /All {lock} >>");
        let bytes = with_fields(&[&field]);
        fs::write(&path, &bytes).unwrap();
        let file = fs::OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let mut running = signer_core::digest::RunningDigest::new(DigestAlgorithm::Sha256);
        running.update(&bytes);
        let terms = Terms { target: Target::ExistingField { name: "s".to_owned() }, ..invisible() };
        let Unlocked { host, signer } = &mut unlocked;
        let outcome = sign_in_place(&file, running, host, signer, &terms, told);
        assert_eq!(outcome.is_ok(), released, "{lock} {told:?}: {outcome:?}");
        assert_eq!(len(&path) == bytes.len() as u64, !released, "{lock} {told:?}");
    }
}

/// A check that could not be made says what kept it from being made.
#[test]
fn what_cannot_be_checked_is_not_called_an_invalid_signature() {
    let check = |error: PdfError| SignError::from(CheckError::Pdf(error)).code();
    let gone = SourceError(std::io::ErrorKind::UnexpectedEof.into());
    assert_eq!(check(PdfError::Source(gone)), ErrorCode::InputUnreadable);
    assert_eq!(check(PdfError::Limit { what: "the number of objects" }), ErrorCode::DocumentLimitExceeded);
    assert_eq!(check(PdfError::NotAPdf), ErrorCode::SignatureInvalid);
    let failed =
        CheckError::Failed { sub_indication: SubIndication::HashFailure, detail: "another".to_owned() };
    assert_eq!(SignError::from(failed).code(), ErrorCode::SignatureInvalid);
}

/// Proves A28.
#[test]
fn a_result_that_is_not_what_was_signed_is_not_released() {
    let original = document(Layout::Table, 2, 30_000);
    let mut unlocked = Unlocked::start(signer_program(), KEYS[0]).unwrap();

    let (signed, right) = make(&mut unlocked, &original, None);
    checked(&original, signed.update(), &right, &signed).unwrap();

    let wrong = DigestAlgorithm::Sha256.digest(b"another document");
    let (other, _) = make(&mut unlocked, &original, Some(&wrong));
    failed(checked(&original, other.update(), &right, &other), SubIndication::HashFailure);

    // One digit of the CMS: the signature value, near its end.
    let mut update = signed.update().to_vec();
    let hole = usize::try_from(signed.byte_range().hole().end).unwrap() - original.len() - 1;
    let last = (0..hole).rev().find(|&at| update[at] != b'0').unwrap();
    update[last] = if update[last] == b'1' { b'2' } else { b'1' };
    failed(checked(&original, &update, &right, &signed), SubIndication::SigCryptoFailure);

    // The digits of the CMS one place further: no structure at all.
    let mut update = signed.update().to_vec();
    let start = usize::try_from(signed.byte_range().hole().start).unwrap() - original.len() + 1;
    update[start..hole].rotate_right(1);
    failed(checked(&original, &update, &right, &signed), SubIndication::FormatFailure);

    // A bracket of the hole.
    let mut update = signed.update().to_vec();
    update[hole] = b'0';
    assert!(checked(&original, &update, &right, &signed).is_err());
}

/// Signs `original`, with another digest than its own where one is given.
fn make(unlocked: &mut Unlocked, original: &[u8], digest: Option<&Digest>) -> (Signed, Digest) {
    let Unlocked { host, signer } = unlocked;
    let document = Document::open(original, Limits::default()).unwrap();
    let terms = invisible();
    let order = Order { signer: &signer.certificate, chain: &signer.chain, terms: &terms };
    let prepared = Prepared::new(&document, &order).unwrap();
    let [first, second] = prepared.hashed_parts();
    let right = DigestAlgorithm::Sha256.digest(&[original, first, second].concat());
    let pending = prepared.with_digest(digest.unwrap_or(&right)).unwrap();
    let value = host.sign(&signer.credential, pending.algorithm(), pending.to_be_signed()).unwrap();
    (pending.complete(&value).unwrap(), right)
}

fn checked(original: &[u8], update: &[u8], digest: &Digest, signed: &Signed) -> Result<(), CheckError> {
    let whole = [original, update].concat();
    let (before, after) = (
        Document::open(original, Limits::default()).unwrap(),
        Document::open(whole.as_slice(), Limits::default()).map_err(CheckError::Pdf)?,
    );
    verify::check_own(&before, &after, signed.field_name(), &mut |_, _| Ok(digest.clone()))
}

fn failed(result: Result<(), CheckError>, expected: SubIndication) {
    match result {
        Err(CheckError::Failed { sub_indication, .. }) => assert_eq!(sub_indication, expected),
        other => panic!("{other:?}"),
    }
}

fn sign_file(unlocked: &mut Unlocked, input: &Path, output: &PathBuf, terms: Terms<'_>) -> Outcome {
    let job =
        Job { output, existing: Existing::Keep, durability: Durability::Unsynced, check: Check::Full, terms };
    let source = FileSource::open(input).unwrap();
    let document = Document::open(&source, Limits::default()).unwrap();
    sign(&document, &mut unlocked.host, &unlocked.signer, &job, &mut |_| ()).unwrap()
}

fn accepted(path: &Path, outcome: &Outcome) {
    assert_eq!(len(path), outcome.len);
    let Some(mut pyhanko) = PyHanko::start() else { return };
    let judgements = pyhanko.judge(path, &judges::test_root()).unwrap();
    let own = judgements.iter().find(|judgement| judgement.field == outcome.field).unwrap();
    assert!(own.ok && own.coverage == "ENTIRE_FILE", "{own:?}");
    if let Some(status) = judges::qpdf_check(path) {
        assert_eq!(status, 0);
    }
}

fn len(path: &Path) -> u64 {
    path.metadata().unwrap().len()
}
