//! Signing a document where it lies: a private file whose bytes were hashed while it was
//! written. It costs the update, not the file.

use std::{fs::File, io, path::Path};

use signer_core::{
    digest::{DigestAlgorithm, RunningDigest},
    pades::prepare::Terms,
    pdf::{document::Document, limits::Limits, permission::Permission},
};

use crate::{
    file::{
        destination::DestinationError,
        source::{FileSource, read_at},
    },
    sign::{self, Outcome, SignError, Signer},
    token::client::TokenHost,
};

/// Reading buffer where the document must be hashed once more.
const BUFFER_BYTES: usize = 256 << 10;

/// Signs the document that `file` consists of and appends the update to it. `running` has seen
/// all of its bytes and nothing else; where the key goes with another digest, the file is read
/// once more. `told` is what the person knows of the lock of the field. Blocks.
///
/// # Errors
/// With every error the file has its old length and bytes again.
pub fn sign_in_place(
    file: &File,
    running: RunningDigest,
    host: &mut TokenHost,
    signer: &Signer,
    terms: &Terms<'_>,
    told: Option<Permission>,
) -> Result<Outcome, SignError> {
    let copy = file.try_clone().map_err(SignError::Input)?;
    // The path is for messages; this file has none.
    let source = FileSource::from_file(copy, Path::new("")).map_err(SignError::Input)?;
    let document = Document::open(&source, Limits::default())?;
    let prepared = sign::prepare(&document, signer, terms)?;
    let (warnings, ignored) = (prepared.warnings().to_vec(), prepared.ignored_seed_values().to_vec());
    prepared.check_lock(told)?;
    let (document_warnings, lock) = (prepared.document_warnings().to_vec(), prepared.lock());

    let (len, algorithm) = (document.len(), prepared.algorithm().digest());
    let original = if algorithm == running.algorithm() {
        running
    } else {
        hash(file, len, algorithm).map_err(SignError::Input)?
    };
    let (signed, digest) = sign::complete(&document, prepared, &original, host, signer, terms)?;

    sign::check_running(&document, &signed, &digest)?;
    if let Err(error) = sign::append(file, len, signed.update()) {
        file.set_len(len).map_err(DestinationError::from)?;
        return Err(error.into());
    }
    Ok(Outcome {
        field: signed.field_name().to_owned(),
        digest,
        len: len + signed.update().len() as u64,
        warnings,
        document_warnings,
        ignored,
        lock,
    })
}

fn hash(file: &File, len: u64, algorithm: DigestAlgorithm) -> io::Result<RunningDigest> {
    let mut digest = RunningDigest::new(algorithm);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut done = 0;
    while done < len {
        let count = read_at(file, done, &mut buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        digest.update(buffer.get(..count).unwrap_or_default());
        done += count as u64;
    }
    Ok(digest)
}
