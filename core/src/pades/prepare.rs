//! A signature in the making: [`Prepared`] → [`Pending`] → [`Signed`], each a type.
//!
//! [`Prepared`] holds the update to append with a hole for the CMS; the caller hashes the
//! original's bytes and [`Prepared::hashed_parts`]; [`Pending`] holds what the key signs;
//! [`Signed`] holds the finished update. Level B-B: no `signing-time` attribute, the time
//! stands in `/M`.

use crate::{
    algorithm::SignatureAlgorithm,
    cms::{certificate::Certificate, signed_data::ToBeSigned},
    credential::{self, CredentialWarning},
    digest::{Digest, DigestAlgorithm, RunningDigest},
    moment::Moment,
    pades::{error::PadesError, seed_value},
    pdf::{
        byte_range::ByteRange,
        crypt::Act,
        document::Document,
        error::PdfError,
        field::SignatureField,
        geometry::Rectangle,
        page::Page,
        permission::{Permission, SignatureType},
        revision::{
            self, Description, FieldChoice, SignatureRequest, SignedRevision,
            rules::{SigningRules, Visibility},
        },
        seed_value::SeedValueEntry,
        source::Source,
        warning::DocumentWarning,
    },
    seal::{self, Language, Placement, SealText},
};

/// Where a signature goes.
#[derive(Debug, Clone)]
pub enum Target {
    /// A new signature field.
    NewField {
        /// Its name; an unused one is found where none is given.
        name: Option<String>,
        /// The page of its widget.
        page: PageChoice,
        /// Where its seal stands; without a seal the field is invisible.
        placement: Placement,
    },
    /// An empty signature field of the document, with its own page and rectangle.
    ExistingField {
        /// Its fully qualified name.
        name: String,
    },
}

/// A page of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageChoice {
    /// A page counted from the end: 1 is the last one.
    FromEnd(u32),
    /// A page by its number, from 1.
    Number(u32),
}

/// Bytes kept free for the CMS (`/Contents`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// This many.
    Bytes(usize),
    /// What the CMS takes with the signer's own chain and the longest value of its key.
    Estimated,
}

/// How one document is signed, whoever holds it and whoever signs.
#[derive(Debug, Clone)]
pub struct Terms<'a> {
    /// The digest; `None` takes the one that goes with the key.
    pub digest: Option<DigestAlgorithm>,
    /// The time that `/M` and the seal show, and at which the certificate must be valid.
    pub moment: Moment,
    /// What the signature is to the document.
    pub signature_type: SignatureType,
    /// The field.
    pub target: Target,
    /// The seal; `None` for an invisible signature.
    pub seal: Option<&'a SealText>,
    /// `/Reason`. What the field alone prescribes is taken over before, by
    /// [`crate::pdf::seed_value::SeedValue::reason`], as the seal and the person see it too.
    pub reason: Option<&'a str>,
    /// `/Location`.
    pub location: Option<&'a str>,
    /// `/Name`: the holder as shown.
    pub name: Option<&'a str>,
    /// The room for the CMS.
    pub room: Room,
}

/// All that is decided before a signature is prepared.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    /// The certificate whose key will sign.
    pub signer: &'a Certificate,
    /// Its issuers in order, as they go into the CMS.
    pub chain: &'a [Certificate],
    /// How.
    pub terms: &'a Terms<'a>,
}

/// An update with a hole for the CMS.
#[derive(Debug)]
pub struct Prepared {
    revision: SignedRevision,
    algorithm: SignatureAlgorithm,
    signer: Certificate,
    chain: Vec<Certificate>,
    warnings: Vec<CredentialWarning>,
    document_warnings: Vec<DocumentWarning>,
    ignored: Vec<SeedValueEntry>,
    lock: Option<Permission>,
    signature_type: SignatureType,
}

/// An update whose digest is known: waits for the signature value.
#[derive(Debug)]
pub struct Pending {
    revision: SignedRevision,
    algorithm: SignatureAlgorithm,
    to_be_signed: ToBeSigned,
}

/// A finished update: append it to the original and the document is signed.
#[derive(Debug)]
pub struct Signed {
    revision: SignedRevision,
}

impl Target {
    /// The field, as the document's rules know it.
    pub fn field(&self) -> FieldChoice<'_> {
        match self {
            Self::ExistingField { name } => FieldChoice::Existing { name },
            Self::NewField { name, .. } => FieldChoice::New { name: name.as_deref() },
        }
    }
}

impl PageChoice {
    /// The last page.
    pub const LAST: Self = Self::FromEnd(1);

    /// The page that a number means: from 1 from the beginning, from -1 from the end.
    pub const fn of_number(number: i32) -> Self {
        if number < 0 { Self::FromEnd(number.unsigned_abs()) } else { Self::Number(number.unsigned_abs()) }
    }

    /// Its number in a document of so many pages.
    ///
    /// # Errors
    /// [`PdfError::PageNotFound`].
    pub const fn number(self, count: u32) -> Result<u32, PdfError> {
        let (asked, number) = match self {
            Self::FromEnd(from_end) => (from_end, count.saturating_add(1).saturating_sub(from_end)),
            Self::Number(number) => (number, number),
        };
        if asked == 0 || number == 0 || number > count {
            return Err(PdfError::PageNotFound { asked, count });
        }
        Ok(number)
    }
}

/// Refuses a signature that the document does not take, before anybody is asked for a secret.
///
/// # Errors
/// As [`SigningRules::check`]; [`PdfError::PageNotFound`], [`seal::SealError::OutsidePage`], and what reading the
/// document gives.
pub fn check<S: Source>(
    document: &Document<S>,
    target: &Target,
    signature_type: SignatureType,
    visibility: Visibility,
) -> Result<(), PadesError> {
    SigningRules::of(document)?.check(target.field(), signature_type, visibility)?;
    let Target::NewField { page, placement, .. } = target else { return Ok(()) };
    let page = chosen_page(document, *page)?;
    if visibility == Visibility::Seen {
        seal::rectangle(&page.geometry, placement)?;
    }
    Ok(())
}

/// What may be done to the document after an approval signature in the empty `field`, as its lock
/// says or as it insists that its lock shall say; `None` where it says nothing. Who signs there is
/// told.
///
/// # Errors
/// As [`Document::open`], and where the field cannot be read.
pub fn lock_after<S: Source>(
    document: &Document<S>,
    field: &SignatureField,
) -> Result<Option<Permission>, PdfError> {
    seed_value::lock_after(document, field)
}

fn chosen_page<S: Source>(document: &Document<S>, page: PageChoice) -> Result<Page, PdfError> {
    // Where the count is not right, a page is still found by its number.
    let number = match page {
        PageChoice::FromEnd(_) => page.number(document.page_count()?.max(1))?,
        PageChoice::Number(number) => number,
    };
    document.page(number)
}

impl Prepared {
    /// Checks the certificate against the moment, draws the seal and builds the update. Reads
    /// `document` where needed, never as a whole.
    ///
    /// # Errors
    /// Where the certificate may not sign at that moment, the document cannot be signed, or
    /// the field or page does not exist.
    pub fn new<S: Source>(document: &Document<S>, order: &Order<'_>) -> Result<Self, PadesError> {
        let terms = order.terms;
        let warnings = credential::check_for_signing(order.signer, terms.moment)?;
        let mut obeyed = seed_value::Obeyed::default();
        let mut lock = None;
        let field = terms.target.field();
        let (page, rectangle) = match &terms.target {
            Target::NewField { page, placement, .. } => {
                let page = chosen_page(document, *page)?;
                let rectangle = match terms.seal {
                    Some(_) => seal::rectangle(&page.geometry, placement)?,
                    None => Rectangle::EMPTY,
                };
                (page, rectangle)
            }
            Target::ExistingField { name } => {
                let fields = document.fields()?;
                let field = fields
                    .iter()
                    .find(|field| field.name == *name)
                    .ok_or_else(|| PdfError::FieldNotFound { name: name.clone() })?;
                if field.value.is_none() {
                    let seed = document.seed_value(field)?;
                    lock = document.lock_permission(field)?;
                    obeyed = seed_value::obey(seed.as_ref(), lock, fields, order)?;
                    lock = [lock, obeyed.lock].into_iter().flatten().min();
                }
                let page = document.page_of_field(field)?;
                let rectangle = field.rectangle.unwrap_or(Rectangle::EMPTY);
                (page, rectangle)
            }
        };
        let act = match field {
            FieldChoice::Existing { .. } => Act::SignField,
            FieldChoice::New { .. } => Act::MakeField,
        };
        let key = order.signer.key_kind();
        let digest = terms.digest.or(obeyed.digest).unwrap_or_else(|| key.default_digest());
        let algorithm = key.signature_algorithm(digest)?;
        let mut update = revision::begin(document)?;
        let visible = rectangle.width() > 0.0 && rectangle.height() > 0.0;
        let appearance = match terms.seal {
            Some(text) if visible => Some(seal::draw(text, &rectangle, &page.geometry, &mut update)?),
            Some(_) | None => None,
        };
        let description = match terms.seal {
            Some(text) if visible => Some(describe(document, text)?),
            Some(_) | None => None,
        };
        let revision = revision::sign_revision(
            document,
            update,
            &SignatureRequest {
                page: page.number,
                field,
                rectangle,
                appearance,
                description: description
                    .as_ref()
                    .map(|(text, language)| Description { text, language: *language }),
                signature_type: terms.signature_type,
                lock: obeyed.lock,
                reason: terms.reason,
                location: terms.location,
                name: terms.name,
                date: terms.moment,
                contents_len: match terms.room {
                    Room::Bytes(len) => len,
                    Room::Estimated => ToBeSigned::reserve_len(order.signer, order.chain, algorithm),
                },
            },
        )?;
        Ok(Self {
            revision,
            algorithm,
            signer: order.signer.clone(),
            chain: order.chain.to_vec(),
            warnings,
            document_warnings: document.warnings(act, &page.dictionary)?,
            ignored: obeyed.ignored,
            lock,
            signature_type: terms.signature_type,
        })
    }

    /// What the person should know about the certificate.
    pub fn warnings(&self) -> &[CredentialWarning] {
        &self.warnings
    }

    /// What the person should know about the document.
    pub fn document_warnings(&self) -> &[DocumentWarning] {
        &self.document_warnings
    }

    /// What the field would like, and this signature has not.
    pub fn ignored_seed_values(&self) -> &[SeedValueEntry] {
        &self.ignored
    }

    /// What the lock of the field permits after the signature; `None` where it says nothing.
    pub const fn lock(&self) -> Option<Permission> {
        self.lock
    }

    /// Refuses an approval whose lock is stricter than what the person was told.
    ///
    /// # Errors
    /// [`PdfError::SeedValueUnmet`] with the lock.
    pub fn check_lock(&self, told: Option<Permission>) -> Result<(), PdfError> {
        let untold = self.lock.filter(|lock| told.is_none_or(|told| *lock < told));
        match untold.filter(|_| self.signature_type == SignatureType::Approval) {
            Some(lock) => Err(SeedValueEntry::Lock.unmet(format!("P {}", lock.number()))),
            None => Ok(()),
        }
    }

    /// The name of the signature field.
    pub fn field_name(&self) -> &str {
        &self.revision.field_name
    }

    /// The algorithm the key will use; its digest is the one to hash the document with.
    pub const fn algorithm(&self) -> SignatureAlgorithm {
        self.algorithm
    }

    /// The bytes to append, the hole still filled with zeros.
    pub fn update(&self) -> &[u8] {
        &self.revision.bytes
    }

    /// The spans that will be signed, counted from byte 0 of the whole file.
    pub const fn byte_range(&self) -> &ByteRange {
        &self.revision.byte_range
    }

    /// The parts of the update that are hashed, after all bytes of the original.
    pub fn hashed_parts(&self) -> [&[u8]; 2] {
        self.revision.hashed_parts()
    }

    /// Feeds the update's hashed parts to a digest that has seen the whole original, and goes on.
    ///
    /// # Errors
    /// Where the CMS attributes cannot be made.
    pub fn finish_digest(self, mut original: RunningDigest) -> Result<Pending, PadesError> {
        for part in self.hashed_parts() {
            original.update(part);
        }
        self.with_digest(&original.finish())
    }

    /// Goes on with the digest of the byte range.
    ///
    /// # Errors
    /// Where the digest has another algorithm or the CMS attributes cannot be made.
    pub fn with_digest(self, content: &Digest) -> Result<Pending, PadesError> {
        let to_be_signed = ToBeSigned::new(content, &self.signer, &self.chain, self.algorithm)?;
        Ok(Pending { revision: self.revision, algorithm: self.algorithm, to_be_signed })
    }
}

/// What a seal is, in the document's language where it is one of ours, else in the seal's; with
/// the tag of a language that the document does not have.
fn describe<S: Source>(
    document: &Document<S>,
    text: &SealText,
) -> Result<(String, Option<&'static str>), PdfError> {
    let own = document.language()?.and_then(|tag| Language::of_tag(&tag));
    Ok(match own {
        Some(language) => (text.description(language), None),
        None => (text.description(text.language()), Some(text.language().tag())),
    })
}

impl Pending {
    /// What the key signs: the DER of the signed attributes (RFC 5652, 5.4).
    pub fn to_be_signed(&self) -> &[u8] {
        self.to_be_signed.bytes()
    }

    /// The algorithm the key signs it with.
    pub const fn algorithm(&self) -> SignatureAlgorithm {
        self.algorithm
    }

    /// Checks the signature value against the certificate and fills the hole.
    ///
    /// # Errors
    /// Where the value is not a signature by the certificate's key, or the hole is too small.
    pub fn complete(mut self, signature: &[u8]) -> Result<Signed, PadesError> {
        let cms = self.to_be_signed.complete(signature)?;
        self.revision.fill(&cms)?;
        Ok(Signed { revision: self.revision })
    }
}

impl Signed {
    /// The bytes to append to the original.
    pub fn update(&self) -> &[u8] {
        &self.revision.bytes
    }

    /// The name of the signature field.
    pub fn field_name(&self) -> &str {
        &self.revision.field_name
    }

    /// The spans that are signed.
    pub const fn byte_range(&self) -> &ByteRange {
        &self.revision.byte_range
    }
}
