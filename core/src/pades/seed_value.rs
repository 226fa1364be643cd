//! What a signature field asks for, against what is to be signed (ISO 32000-2, 12.7.5.5): obeyed,
//! refused with the entry and what it asks for, or, where it is only a preference, noted.

#[cfg(test)]
mod tests;

use crate::{
    cms::certificate::Certificate,
    digest::DigestAlgorithm,
    pades::prepare::Order,
    pdf::{
        document::Document,
        error::PdfError,
        field::SignatureField,
        permission::{Permission, SignatureType},
        seed_value::{
            CertificateSeedValue, Constraint, LockDocument, Mdp, Presence, SeedValue, SeedValueEntry,
        },
        source::Source,
    },
};

/// `/Filter` and `/SubFilter` of the signatures that are made here.
const FILTER: &str = "Adobe.PPKLite";
const SUB_FILTER: &str = "ETSI.CAdES.detached";
/// The newest seed value dictionary that is understood: that of PDF 2.0 (table 237, `V`).
const VERSION: f64 = 3.0;
/// Issuers and certificates that are compared at most, as a signature is verified for each pair.
const COMPARED: usize = 64;

/// The attributes of a name that have a key of their own (table 238, `SubjectDN`).
const ATTRIBUTES: [(&str, &str); 9] = [
    ("C", "2.5.4.6"),
    ("CN", "2.5.4.3"),
    ("DC", "0.9.2342.19200300.100.1.25"),
    ("E", "1.2.840.113549.1.9.1"),
    ("L", "2.5.4.7"),
    ("O", "2.5.4.10"),
    ("OU", "2.5.4.11"),
    ("SERIALNUMBER", "2.5.4.5"),
    ("ST", "2.5.4.8"),
];

/// How a field is obeyed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Obeyed {
    /// The digest to sign with; `None` where the field does not matter.
    pub(super) digest: Option<DigestAlgorithm>,
    /// `/P` that the field's lock gets.
    pub(super) lock: Option<Permission>,
    /// Preferences that are not followed.
    pub(super) ignored: Vec<SeedValueEntry>,
}

/// Compares what the field asks for with what is ordered. `lock` is `/P` of its lock, `fields` are
/// those of the document.
///
/// # Errors
/// [`PdfError::SeedValueUnmet`] with the first required entry that is not met.
pub(super) fn obey(
    seed: Option<&SeedValue>,
    lock: Option<Permission>,
    fields: &[SignatureField],
    order: &Order<'_>,
) -> Result<Obeyed, PdfError> {
    let asked = order.terms.signature_type;
    // A certification that promises more than the field's lock would outbid it.
    if let (Some(lock), Some(permission)) = (lock, asked.permission())
        && lock < permission
    {
        return Err(SeedValueEntry::Lock.unmet(format!("P {}", lock.number())));
    }
    let Some(seed) = seed else { return Ok(Obeyed::default()) };
    let mut obeying = Obeying { seed, fields, order, obeyed: Obeyed::default() };
    obeying.form()?;
    obeying.certificate()?;
    obeying.signature_type(lock)?;
    obeying.digest()?;
    obeying.reason()?;
    obeying.additions()?;
    Ok(obeying.obeyed)
}

/// What the lock of the empty `field` permits after an approval signature in it: what it says, or
/// what the field insists on. `None` where neither says anything.
///
/// # Errors
/// Where the field cannot be read.
pub(super) fn lock_after<S: Source>(
    document: &Document<S>,
    field: &SignatureField,
) -> Result<Option<Permission>, PdfError> {
    let own = document.lock_permission(field)?;
    let seed = document.seed_value(field)?;
    let insisted = match seed {
        Some(seed) => insisted_lock(&seed, own, document.fields()?, SignatureType::Approval),
        None => None,
    };
    Ok([own, insisted].into_iter().flatten().min())
}

/// `/P` that the field's lock gets because the field insists on it, beside `own` that it has.
///
/// Locking more than the signer said is done only then, and a field whose lock was changed would
/// break the signatures that are there.
fn insisted_lock(
    seed: &SeedValue,
    own: Option<Permission>,
    fields: &[SignatureField],
    asked: SignatureType,
) -> Option<Permission> {
    let insists = seed.lock_document == Some(LockDocument::Yes)
        && seed.constraint(SeedValueEntry::LockDocument) == Constraint::Required;
    let signed = fields.iter().any(|field| field.value.is_some());
    let add = insists && !signed && asked == SignatureType::Approval && own != Some(Permission::NoChanges);
    add.then_some(Permission::NoChanges)
}

struct Obeying<'a> {
    seed: &'a SeedValue,
    fields: &'a [SignatureField],
    order: &'a Order<'a>,
    obeyed: Obeyed,
}

impl Obeying<'_> {
    /// An entry that is not met: an error, or a preference that is noted.
    fn unmet(&mut self, entry: SeedValueEntry, wanted: impl AsRef<str>) -> Result<(), PdfError> {
        match self.seed.constraint(entry) {
            Constraint::Required => Err(entry.unmet(wanted)),
            Constraint::Preferred => {
                self.obeyed.ignored.push(entry);
                Ok(())
            }
        }
    }

    /// What the signature is made of.
    fn form(&mut self) -> Result<(), PdfError> {
        if let Some(version) = self.seed.version.filter(|version| *version > VERSION) {
            self.unmet(SeedValueEntry::Version, format!("{version}"))?;
        }
        if let Some(filter) = self.seed.filter.as_deref().filter(|filter| *filter != FILTER) {
            self.unmet(SeedValueEntry::Filter, filter)?;
        }
        let forms = &self.seed.sub_filters;
        if !forms.is_empty() && !forms.iter().any(|form| form == SUB_FILTER) {
            self.unmet(SeedValueEntry::SubFilter, forms.join(" "))?;
        }
        Ok(())
    }

    /// `MDP`, `LockDocument` and `LegalAttestation`.
    fn signature_type(&mut self, lock: Option<Permission>) -> Result<(), PdfError> {
        let asked = self.order.terms.signature_type;
        let met = match self.seed.mdp {
            None => true,
            Some(Mdp::Approval) => asked == SignatureType::Approval,
            Some(Mdp::Certification(permission)) => asked == SignatureType::Certification(permission),
        };
        if !met {
            let wanted = match self.seed.mdp {
                Some(Mdp::Certification(permission)) => {
                    format!("a certification with P {}", permission.number())
                }
                Some(Mdp::Approval) | None => "an approval (P 0)".to_owned(),
            };
            self.unmet(SeedValueEntry::Mdp, wanted)?;
        }
        let locked = asked.permission().or(lock);
        match (self.seed.lock_document, locked) {
            (Some(LockDocument::Yes), Some(Permission::NoChanges))
            | (Some(LockDocument::No), Some(Permission::FormFilling | Permission::Annotations) | None)
            | (None, _) => {}
            (Some(LockDocument::Yes), _) => {
                self.obeyed.lock = insisted_lock(self.seed, lock, self.fields, asked);
                if self.obeyed.lock.is_none() {
                    self.unmet(SeedValueEntry::LockDocument, "true (no changes afterwards)")?;
                }
            }
            (Some(LockDocument::No), Some(Permission::NoChanges)) => {
                self.unmet(SeedValueEntry::LockDocument, "false (changes afterwards)")?;
            }
        }
        // Only a certification has a legal attestation, and none is written.
        let certifies = matches!(asked, SignatureType::Certification(_));
        if certifies && !self.seed.legal_attestations.is_empty() {
            self.unmet(SeedValueEntry::LegalAttestation, self.seed.legal_attestations.join(", "))?;
        }
        Ok(())
    }

    /// The digest that was asked for must be among the field's; else the best of these is taken.
    fn digest(&mut self) -> Result<(), PdfError> {
        if self.seed.digest_methods.is_empty() {
            return Ok(());
        }
        let key = self.order.signer.key_kind();
        let usable: Vec<DigestAlgorithm> = self
            .seed
            .digest_methods
            .iter()
            .filter_map(|name| digest_named(name))
            .filter(|digest| key.signature_algorithm(*digest).is_ok())
            .collect();
        let usual = key.default_digest();
        match self.order.terms.digest {
            Some(asked) if usable.contains(&asked) => {}
            None if usable.contains(&usual) => self.obeyed.digest = Some(usual),
            None if !usable.is_empty() => self.obeyed.digest = usable.first().copied(),
            Some(_) | None => {
                self.unmet(SeedValueEntry::DigestMethod, self.seed.digest_methods.join(" "))?;
            }
        }
        Ok(())
    }

    fn reason(&mut self) -> Result<(), PdfError> {
        let given = self.order.terms.reason;
        if self.seed.reason(given)? != given {
            // Whoever shows the person what is signed must have taken it over before.
            return Err(SeedValueEntry::Reasons.unmet(self.seed.reasons.join(", ")));
        }
        if let Some(given) = given
            && !self.seed.reasons.is_empty()
            && !self.seed.reasons.iter().any(|reason| reason == given)
        {
            self.obeyed.ignored.push(SeedValueEntry::Reasons);
        }
        Ok(())
    }

    /// What would be added to the signature, and is not made.
    fn additions(&mut self) -> Result<(), PdfError> {
        if self.seed.revocation_values == Some(Presence::Present) {
            self.unmet(SeedValueEntry::AddRevInfo, "true (revocation information)")?;
        }
        if self.seed.time_stamp.is_some() {
            self.unmet(SeedValueEntry::TimeStamp, "a time-stamp")?;
        }
        if let Some(name) = self.seed.appearance_filter.clone() {
            self.unmet(SeedValueEntry::AppearanceFilter, name)?;
        }
        Ok(())
    }

    /// The signer's certificate.
    fn certificate(&mut self) -> Result<(), PdfError> {
        let (seed, signer) = (&self.seed.certificate, self.order.signer);
        if !seed.subjects.is_empty() && !seed.subjects.iter().any(|der| der == signer.to_der()) {
            self.unmet(SeedValueEntry::CertSubject, described(&seed.subjects))?;
        }
        let missing = missing_attribute(seed, signer);
        if let Some((key, value)) = missing {
            self.unmet(SeedValueEntry::CertSubjectDn, format!("{key}={value}"))?;
        }
        if !seed.key_usages.is_empty() && !seed.key_usages.iter().any(|usage| has_key_usage(signer, usage)) {
            self.unmet(SeedValueEntry::CertKeyUsage, seed.key_usages.join(" "))?;
        }
        if !seed.issuers.is_empty() && !is_below(signer, self.order.chain, &seed.issuers) {
            self.unmet(SeedValueEntry::CertIssuer, described(&seed.issuers))?;
        }
        // Policies count only where issuers are named (table 238, `OID`).
        let policies: Vec<String> = signer.policies().iter().map(ToString::to_string).collect();
        let lacks = |policy: &&String| !policies.iter().any(|own| own == policy.trim());
        if let Some(policy) = seed.policies.iter().find(lacks).filter(|_| !seed.issuers.is_empty()) {
            self.unmet(SeedValueEntry::CertOid, policy)?;
        }
        if let Some(policy) = &seed.signature_policy {
            self.unmet(SeedValueEntry::CertSignaturePolicy, policy)?;
        }
        Ok(())
    }
}

/// `SHA256`, which producers also write in other ways.
fn digest_named(name: &str) -> Option<DigestAlgorithm> {
    let plain = |name: &str| name.replace(['-', '_'], "").to_ascii_uppercase();
    [DigestAlgorithm::Sha256, DigestAlgorithm::Sha384, DigestAlgorithm::Sha512]
        .into_iter()
        .find(|digest| plain(digest.name()) == plain(name))
}

/// The first attribute that the signer's name has not.
fn missing_attribute<'a>(
    seed: &'a CertificateSeedValue,
    signer: &Certificate,
) -> Option<&'a (String, String)> {
    let own: Vec<(String, String)> =
        signer.subject_attributes().into_iter().map(|(id, text)| (id.to_string(), text)).collect();
    seed.subject_attributes.iter().find(|(key, value)| {
        let known = ATTRIBUTES.iter().find(|(name, _)| name.eq_ignore_ascii_case(key));
        let wanted = known.map_or(key.as_str(), |(_, id)| id);
        !own.iter().any(|(id, text)| id == wanted && text.trim() == value.trim())
    })
}

/// Whether the key usage has every bit of `1` and none of `0` (table 238, `KeyUsage`); what the
/// text leaves out does not matter.
fn has_key_usage(signer: &Certificate, wanted: &str) -> bool {
    let Some(usage) = signer.key_usage() else { return !wanted.contains('1') };
    let bits = [
        usage.digital_signature(),
        usage.non_repudiation(),
        usage.key_encipherment(),
        usage.data_encipherment(),
        usage.key_agreement(),
        usage.key_cert_sign(),
        usage.crl_sign(),
        usage.encipher_only(),
        usage.decipher_only(),
    ];
    wanted.chars().zip(bits).all(|(wanted, bit)| match wanted {
        '0' => !bit,
        '1' => bit,
        _ => true,
    })
}

/// Whether one of `issuers`, in DER, issued the signer's certificate or one above it.
fn is_below(signer: &Certificate, chain: &[Certificate], issuers: &[Vec<u8>]) -> bool {
    let issuers: Vec<Certificate> =
        issuers.iter().take(COMPARED).filter_map(|der| Certificate::from_der(der).ok()).collect();
    [signer].into_iter().chain(chain).take(COMPARED).any(|certificate| {
        issuers.iter().any(|issuer| {
            issuer.subject() == certificate.issuer() && certificate.verify_signed_by(issuer).is_ok()
        })
    })
}

/// The names of certificates, for whoever looks for one.
fn described(certificates: &[Vec<u8>]) -> String {
    let names = certificates.iter().take(3).map(|der| {
        let certificate = Certificate::from_der(der).ok();
        let name = certificate.as_ref().and_then(Certificate::subject_common_name);
        name.unwrap_or("a certificate that cannot be read").to_owned()
    });
    names.collect::<Vec<_>>().join(", ")
}
