//! One document is signed by one credential of a token host: from file to file here, in place
//! in [`spooled`].
//!
//! The steps, in order: the input is opened lazily and the update prepared with a hole; the
//! original is copied and hashed in one pass; the token host signs; the result is checked by
//! our own validator; only then it gets its name.

pub mod spooled;

use std::{fs::File, io::Write as _, path::Path};

use signer_core::{
    cms::certificate::Certificate,
    credential::CredentialWarning,
    digest::{Digest, RunningDigest},
    error::ErrorCode,
    pades::{
        error::PadesError,
        prepare::{Order, Prepared, Room, Signed, Terms},
        range_digests::RangeDigests,
        verify::{self, CheckError},
    },
    pdf::{
        document::Document, error::PdfError, permission::Permission, seed_value::SeedValueEntry,
        source::Source, warning::DocumentWarning,
    },
};

use crate::{
    file::{
        copy::copy_and_digest,
        destination::{Destination, DestinationError, Durability, Existing},
        overlay::Overlay,
        source::FileSource,
    },
    token::{
        client::{HostCredential, TokenHost},
        error::TokenError,
    },
};

/// Bytes kept free beyond what a CMS took that did not fit.
const SPARE_BYTES: usize = 256;

/// How the result is checked before it is released.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// The finished file is read and hashed again.
    Full,
    /// Structure, byte range, CMS and the digest of the one pass.
    Running,
}

/// What the person wants signed, and how.
#[derive(Debug, Clone)]
pub struct Job<'a> {
    /// Where the result goes.
    pub output: &'a Path,
    /// What to do where the result exists already.
    pub existing: Existing,
    /// Whether the result is flushed to disk.
    pub durability: Durability,
    /// How the result is checked.
    pub check: Check,
    /// How the document is signed.
    pub terms: Terms<'a>,
}

/// A credential ready to sign: its certificate and issuers, parsed.
#[derive(Debug)]
pub struct Signer {
    /// What the token host calls it.
    pub credential: HostCredential,
    /// The certificate.
    pub certificate: Certificate,
    /// Its issuers in order, as they go into the signature.
    pub chain: Vec<Certificate>,
}

/// What was made.
#[derive(Debug)]
pub struct Outcome {
    /// The name of the signature field.
    pub field: String,
    /// The digest of the signed bytes.
    pub digest: Digest,
    /// The length of the result in bytes.
    pub len: u64,
    /// What the person should know about the certificate.
    pub warnings: Vec<CredentialWarning>,
    /// What the person should know about the document.
    pub document_warnings: Vec<DocumentWarning>,
    /// What the field would like, and the signature has not.
    pub ignored: Vec<SeedValueEntry>,
    /// What the lock of the field permits after the signature; `None` where it says nothing.
    pub lock: Option<Permission>,
}

/// Why a document was not signed. No output exists then that was not there before.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The result would not verify.
    #[error("the result does not verify and was thrown away")]
    Check(#[from] CheckError),
    /// The output cannot be made.
    #[error("the output cannot be made")]
    Destination(#[from] DestinationError),
    /// The input was changed while it was signed.
    #[error("the input changed while it was signed")]
    InputChanged,
    /// The input cannot be opened or read.
    #[error("the input cannot be read")]
    Input(#[source] std::io::Error),
    /// The document or the certificate refuses.
    #[error("the signature cannot be made")]
    Pades(#[from] PadesError),
    /// The token host refuses or failed.
    #[error("the token did not sign")]
    Token(#[from] TokenError),
}

impl SignError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Check(error) => error.code(),
            Self::Destination(error) => error.code(),
            Self::InputChanged => ErrorCode::InputChanged,
            Self::Input(_) => ErrorCode::InputUnreadable,
            Self::Pades(error) => error.code(),
            Self::Token(error) => error.code(),
        }
    }
}

impl From<PdfError> for SignError {
    fn from(error: PdfError) -> Self {
        Self::Pades(error.into())
    }
}

/// Signs `document` and publishes the result. Blocks; `progress` hears how many
/// bytes of the original are done.
///
/// # Errors
/// With every error the output is as it was before.
pub fn sign(
    document: &Document<&FileSource>,
    host: &mut TokenHost,
    signer: &Signer,
    job: &Job<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<Outcome, SignError> {
    let destination = Destination::create(job.output, job.existing)?;
    let result = sign_to(&destination, document, host, signer, job, progress);
    // Whatever went wrong since with a document that somebody wrote to, that is why. What the token
    // said stays: it may have cost a try.
    if !matches!(result, Err(SignError::Token(_))) && !document.source().is_unchanged().unwrap_or(false) {
        return Err(SignError::InputChanged);
    }
    let outcome = result?;
    destination.publish(job.durability)?;
    Ok(outcome)
}

/// Makes and checks the result, which has no name yet.
fn sign_to(
    destination: &Destination,
    document: &Document<&FileSource>,
    host: &mut TokenHost,
    signer: &Signer,
    job: &Job<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<Outcome, SignError> {
    let input = *document.source();
    let prepared = prepare(document, signer, &job.terms)?;
    let (warnings, ignored) = (prepared.warnings().to_vec(), prepared.ignored_seed_values().to_vec());
    let (document_warnings, lock) = (prepared.document_warnings().to_vec(), prepared.lock());

    let original_len = document.len();
    let algorithm = prepared.algorithm().digest();
    let running = copy_and_digest(input.file(), destination.file(), original_len, algorithm, progress)
        .map_err(DestinationError::from)?;
    let (signed, digest) = complete(document, prepared, &running, host, signer, &job.terms)?;

    append(destination.file(), original_len, signed.update())?;
    check(destination, document, &signed, &digest, job.check)?;
    Ok(Outcome {
        field: signed.field_name().to_owned(),
        digest,
        len: original_len + signed.update().len() as u64,
        warnings,
        document_warnings,
        ignored,
        lock,
    })
}

/// Prepares the update of `document`.
fn prepare<S: Source>(
    document: &Document<S>,
    signer: &Signer,
    terms: &Terms<'_>,
) -> Result<Prepared, SignError> {
    let order = Order { signer: &signer.certificate, chain: &signer.chain, terms };
    Ok(Prepared::new(document, &order)?)
}

/// Goes on from a digest that has seen the whole original: has the token host sign. A CMS that
/// does not fit into its room is made once more, with the room that it takes.
fn complete<S: Source>(
    document: &Document<S>,
    prepared: Prepared,
    original: &RunningDigest,
    host: &mut TokenHost,
    signer: &Signer,
    terms: &Terms<'_>,
) -> Result<(Signed, Digest), SignError> {
    match complete_once(prepared, original.clone(), host, signer) {
        Err(SignError::Pades(PadesError::Pdf(PdfError::ContentsTooLarge { needed, .. }))) => {
            // Another value of the key may be some bytes longer.
            let room = Room::Bytes(needed.saturating_add(SPARE_BYTES));
            let prepared = prepare(document, signer, &Terms { room, ..terms.clone() })?;
            complete_once(prepared, original.clone(), host, signer)
        }
        other => other,
    }
}

fn complete_once(
    prepared: Prepared,
    mut original: RunningDigest,
    host: &mut TokenHost,
    signer: &Signer,
) -> Result<(Signed, Digest), SignError> {
    for part in prepared.hashed_parts() {
        original.update(part);
    }
    let digest = original.finish();
    let pending = prepared.with_digest(&digest)?;
    let value = host.sign(&signer.credential, pending.algorithm(), pending.to_be_signed())?;
    Ok((pending.complete(&value)?, digest))
}

fn append(mut file: &File, original_len: u64, update: &[u8]) -> Result<(), DestinationError> {
    use std::io::{Seek, SeekFrom};

    file.seek(SeekFrom::Start(original_len))?;
    file.write_all(update)?;
    Ok(())
}

/// Our own validator reads the result; the digest comes from the one pass or from the file.
fn check(
    destination: &Destination,
    original: &Document<&FileSource>,
    signed: &Signed,
    digest: &Digest,
    check: Check,
) -> Result<(), SignError> {
    match check {
        Check::Running => check_running(original, signed, digest)?,
        Check::Full => {
            let file = destination.file().try_clone().map_err(DestinationError::from)?;
            let result =
                FileSource::from_file(file, original.source().path()).map_err(DestinationError::from)?;
            let document = original.reopen(&result)?;
            verify::check_own(original, &document, signed.field_name(), &mut |range, algorithm| {
                RangeDigests::new(&result).digest(range, algorithm)
            })?;
        }
    }
    Ok(())
}

/// As the validator sees original and update together, with the digest of the one pass.
fn check_running(
    original: &Document<&FileSource>,
    signed: &Signed,
    digest: &Digest,
) -> Result<(), SignError> {
    let result = Overlay::new(*original.source(), signed.update());
    let document = original.reopen(&result)?;
    verify::check_own(original, &document, signed.field_name(), &mut |range, algorithm| {
        if range == signed.byte_range() && algorithm == digest.algorithm() {
            Ok(digest.clone())
        } else {
            RangeDigests::new(&result).digest(range, algorithm)
        }
    })?;
    Ok(())
}
