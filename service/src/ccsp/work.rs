//! The signing of one item, once it is confirmed: a document in the spool, or a bare digest.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use signer_core::{
    algorithm::SignatureAlgorithm,
    approval::summary,
    credential::{self, Holder},
    digest::{Digest, DigestAlgorithm},
    error::ErrorCode,
    moment::Moment,
    pades::{
        error::PadesError,
        prepare::{Room, Target, Terms},
        verdict::SubIndication,
        verify::CheckError,
    },
    pdf::{
        error::PdfError,
        permission::{Permission, SignatureType},
        warning::DocumentWarning,
    },
    seal::SealText,
};

use crate::{
    ccsp::spool::Spooled,
    ports::SignWork,
    sign::{SignError, Signer, spooled::sign_in_place},
    token::client::TokenHost,
};

/// Where the product of one item comes to lie.
#[derive(Clone, Default)]
pub(super) struct Slot(Arc<Mutex<Product>>);

/// What came of one item.
#[derive(Default)]
struct Product {
    made: Option<Made>,
    /// What the field asks for, where that is why there is nothing.
    unmet: Option<String>,
}

/// What was made of one item.
#[derive(Clone)]
pub(super) enum Made {
    /// A signed document.
    Document(Signed),
    /// A signature value.
    Value(Value),
}

/// A signed document in the spool.
#[derive(Clone)]
pub(super) struct Signed {
    /// The file.
    pub(super) document: Arc<Spooled>,
    /// Its length, the update included.
    pub(super) len: u64,
    /// The field that holds the signature.
    pub(super) field: String,
    /// What the person should know about the document.
    pub(super) warnings: Vec<DocumentWarning>,
    /// What the field would like, and the signature has not.
    pub(super) ignored: Vec<&'static str>,
    /// What the lock of the field permits afterwards.
    pub(super) lock: Option<Permission>,
}

/// A signature value.
#[derive(Clone)]
pub(super) struct Value {
    /// How it was made.
    pub(super) algorithm: SignatureAlgorithm,
    /// The value.
    pub(super) bytes: Vec<u8>,
}

/// Signs a document in the spool.
pub(super) struct PadesWork {
    /// The document.
    pub(super) document: Arc<Spooled>,
    /// Where the result goes.
    pub(super) slot: Slot,
    /// How.
    pub(super) style: Arc<Style>,
    /// Whether there is a seal.
    pub(super) seal: Drawn,
    /// What the person was told of the lock of the field.
    pub(super) lock: Option<Permission>,
}

/// How documents are signed.
#[derive(Debug, Clone)]
pub(super) struct Style {
    /// The digest; `None` takes the one that goes with the key.
    pub(super) digest: Option<DigestAlgorithm>,
    /// What each signature is to its document.
    pub(super) signature_type: SignatureType,
    /// The field.
    pub(super) target: Target,
    /// Whether there is a seal.
    pub(super) seal: Seal,
    /// `/Reason`.
    pub(super) reason: Option<String>,
    /// `/Location`.
    pub(super) location: Option<String>,
}

/// Whether there shall be a seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seal {
    /// No.
    None,
    /// The usual one.
    Usual,
    /// The usual one, where the document permits a new field that is seen.
    UsualWherePermitted,
}

/// Whether there is a seal in one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drawn {
    /// No.
    None,
    /// The usual one.
    Usual,
}

/// Signs a digest.
pub(super) struct RawWork {
    /// The digest.
    pub(super) digest: Digest,
    /// Where the value goes.
    pub(super) slot: Slot,
}

impl Slot {
    /// What was made, where something was.
    pub(super) fn made(&self) -> Option<Made> {
        self.product().made.clone()
    }

    /// What the field asks for, where the item failed with `code` because that is not met.
    pub(super) fn unmet(&self, code: ErrorCode) -> Option<String> {
        self.product().unmet.clone().filter(|_| code == ErrorCode::SeedValueUnmet)
    }

    /// Destroys what was made.
    pub(super) fn clear(&self) {
        *self.product() = Product::default();
    }

    fn put(&self, made: Made) {
        self.product().made = Some(made);
    }

    fn product(&self) -> MutexGuard<'_, Product> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SignWork for PadesWork {
    fn sign(self: Box<Self>, host: &mut TokenHost, signer: &Signer, now: Moment) -> Result<(), SignError> {
        let style = &self.style;
        let holder = Holder::of(&signer.certificate);
        // As the window shows it.
        let name = summary::clean(&holder.name);
        let (reason, location) = (style.reason.as_deref(), style.location.as_deref());
        let seal = match self.seal {
            Drawn::None => None,
            Drawn::Usual => {
                let number = holder.identifier.as_ref().map(|identifier| identifier.masked());
                Some(SealText::signature(&name, number.as_deref(), now, reason, location))
            }
        };
        let terms = Terms {
            digest: style.digest,
            moment: now,
            signature_type: style.signature_type,
            target: style.target.clone(),
            seal: seal.as_ref(),
            reason,
            location,
            name: Some(&name),
            room: Room::Estimated,
        };
        let running = self.document.running.clone();
        let outcome = sign_in_place(&self.document.file, running, host, signer, &terms, self.lock);
        let outcome = outcome.inspect_err(|error| {
            if let SignError::Pades(PadesError::Pdf(error @ PdfError::SeedValueUnmet { .. })) = error {
                self.slot.product().unmet = Some(error.to_string());
            }
        })?;
        let document = Arc::clone(&self.document);
        let ignored = outcome.ignored.iter().map(|entry| entry.as_str()).collect();
        self.slot.put(Made::Document(Signed {
            document,
            len: outcome.len,
            field: outcome.field,
            warnings: outcome.document_warnings,
            ignored,
            lock: outcome.lock,
        }));
        Ok(())
    }
}

impl SignWork for RawWork {
    fn sign(self: Box<Self>, host: &mut TokenHost, signer: &Signer, now: Moment) -> Result<(), SignError> {
        credential::check_for_signing(&signer.certificate, now).map_err(PadesError::from)?;
        let key = signer.certificate.key_kind();
        let algorithm = key.signature_algorithm(self.digest.algorithm()).map_err(PadesError::from)?;
        let bytes = host.sign_digest(&signer.credential, algorithm, &self.digest)?;
        // As with documents: what our own validator does not accept is not released.
        signer.certificate.verify_signed_digest(algorithm, &self.digest, &bytes).map_err(|error| {
            CheckError::Failed { sub_indication: SubIndication::SigCryptoFailure, detail: error.to_string() }
        })?;
        self.slot.put(Made::Value(Value { algorithm, bytes }));
        Ok(())
    }
}
