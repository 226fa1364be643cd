//! The closed list of stable error codes, and what a person can do about each.
//!
//! Every typed error of the workspace maps to one [`ErrorCode`] through its `code()`
//! method; the sentences that people read are made where they are shown.

/// A stable, documented error code. Its text ([`ErrorCode::as_str`]) never changes meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorCode {
    /// Too many requests of this client wait for the person.
    ApprovalBusy,
    /// The request was withdrawn, or the service stopped.
    ApprovalCancelled,
    /// The person said no.
    ApprovalDenied,
    /// Nobody answered in time.
    ApprovalExpired,
    /// The chain of the audit trail is broken: a line was changed, removed or added.
    AuditBroken,
    /// The audit trail cannot be written; nothing is signed.
    AuditUnavailable,
    /// A certification was asked for and the document is signed already.
    CertificationNotFirst,
    /// No certificate up to a trust anchor could be found.
    ChainUntrusted,
    /// The configuration cannot be used.
    ConfigInvalid,
    /// More than one credential fits what was asked for.
    CredentialAmbiguous,
    /// The validity period of the certificate has ended.
    CredentialExpired,
    /// The private key does not belong to the certificate.
    CredentialKeyMismatch,
    /// The key usage of the certificate does not permit signatures.
    CredentialNotForSigning,
    /// No credential fits what was asked for.
    CredentialNotFound,
    /// The validity period of the certificate has not begun.
    CredentialNotYetValid,
    /// The A1 file or the certificate cannot be read.
    CredentialUnreadable,
    /// The key is shorter than what may be used today.
    CredentialWeak,
    /// The document has features that are refused because two readings of it differ.
    DocumentAmbiguous,
    /// The document forbids the change (certification, permissions).
    DocumentChangesForbidden,
    /// The document is encrypted for certain recipients, or in a way that is not supported.
    DocumentEncrypted,
    /// The document passes a limit kept against hostile files.
    DocumentLimitExceeded,
    /// The document needs a password to be opened.
    DocumentPasswordRequired,
    /// The password does not open the document.
    DocumentPasswordWrong,
    /// The permissions of the encrypted document do not include the change.
    DocumentPermissionDenied,
    /// The file is not a PDF or is damaged.
    DocumentUnreadable,
    /// The signature field that was named is already signed.
    FieldAlreadySigned,
    /// An earlier signature locks the field.
    FieldLocked,
    /// A new field cannot have the name that was given.
    FieldNameUnusable,
    /// No signature field has the name that was given.
    FieldNotFound,
    /// The `Host` of a request is not this service's.
    HostRefused,
    /// The same idempotency key came with another request.
    IdempotencyConflict,
    /// The input was changed while it was read.
    InputChanged,
    /// A file that was named as input cannot be opened.
    InputUnreadable,
    /// A defect of this program.
    Internal,
    /// The keystore of the operating system is not there, is locked, or refused.
    KeystoreUnavailable,
    /// The media type of a request is not accepted there.
    MediaTypeUnsupported,
    /// The resource has no such method.
    MethodNotAllowed,
    /// The module is built for another processor architecture.
    ModuleArchitecture,
    /// The module crashed; its token host ended with it.
    ModuleCrashed,
    /// The module file does not exist.
    ModuleNotFound,
    /// The module crashed or hung again and again and is not loaded any more.
    ModuleQuarantined,
    /// The module cannot be loaded or initialised.
    ModuleUnusable,
    /// The origin of a request is not accepted.
    OriginRefused,
    /// The request comes from another user of the machine.
    OtherLogin,
    /// The output exists and replacing it was not asked for.
    OutputExists,
    /// The output cannot be written.
    OutputUnwritable,
    /// The page that was asked for does not exist.
    PageNotFound,
    /// The client is not paired, or its pairing does not permit this.
    PairingRequired,
    /// The password of the A1 file is wrong.
    PasswordIncorrect,
    /// The PIN is wrong.
    PinIncorrect,
    /// One try is left, and nobody said that it may be used; the PIN was not tried.
    PinLastTry,
    /// The PIN is locked.
    PinLocked,
    /// The PIN has expired or was never set.
    PinUnusable,
    /// None of the ports of the service is free.
    PortUnavailable,
    /// Two parts of the program are of different versions.
    ProtocolMismatch,
    /// A request cannot be understood.
    RequestMalformed,
    /// A request arrived too slowly.
    RequestTimeout,
    /// A request passes a limit of size.
    RequestTooLarge,
    /// There is no such resource, or it is another client's.
    ResourceNotFound,
    /// The seal would leave its page.
    SealOutsidePage,
    /// A secret is needed and there is no way to ask for it here.
    SecretMissing,
    /// The signature field asks for something that this signature has not.
    SeedValueUnmet,
    /// The service of this login runs already.
    ServiceRunning,
    /// The service does not run or does not answer.
    ServiceUnavailable,
    /// The signature that was made does not verify; nothing was written.
    SignatureInvalid,
    /// The result is not there yet.
    SignaturePending,
    /// No space is left where the output goes.
    StorageFull,
    /// The token is not there.
    TokenAbsent,
    /// The token or its module failed.
    TokenFailed,
    /// Another program keeps the token for itself.
    TokenInUse,
    /// The login at the token was ended: the computer slept, or the session was locked.
    TokenLoginEnded,
    /// The token was removed while it was used.
    TokenRemoved,
    /// A client asks for too much at once.
    TooManyRequests,
    /// Nobody can ask the person: no display and no terminal agent, or it ended.
    TrayUnavailable,
    /// The algorithm is not supported.
    UnsupportedAlgorithm,
    /// The words of the command line do not fit together.
    Usage,
    /// A new field that is seen would break what the document's certification permits.
    VisibleFieldForbidden,
}

/// What the person can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Remedy {
    /// Ask whoever administers the machine.
    AskAdministrator,
    /// Choose another credential, field, page or output.
    ChooseAnother,
    /// Check the network.
    CheckNetwork,
    /// Close the other program that keeps the token for itself.
    CloseProgram,
    /// Type the PIN or password again, with care for the tries left.
    EnterPinAgain,
    /// Mend or replace the document.
    FixDocument,
    /// Insert the token.
    InsertToken,
    /// Nothing can be done.
    Nothing,
    /// Update the module, or say that it is to be tried again.
    ReleaseModule,
    /// Try once more.
    Retry,
    /// Give the document's password on the command line, or save a copy that needs none.
    UnlockDocument,
    /// Unlock the token with its vendor's tool.
    UnlockToken,
}

impl ErrorCode {
    /// Every code, in the order of its text.
    pub const ALL: &'static [Self] = &[
        Self::ApprovalBusy,
        Self::ApprovalCancelled,
        Self::ApprovalDenied,
        Self::ApprovalExpired,
        Self::AuditBroken,
        Self::AuditUnavailable,
        Self::CertificationNotFirst,
        Self::ChainUntrusted,
        Self::ConfigInvalid,
        Self::CredentialAmbiguous,
        Self::CredentialExpired,
        Self::CredentialKeyMismatch,
        Self::CredentialNotForSigning,
        Self::CredentialNotFound,
        Self::CredentialNotYetValid,
        Self::CredentialUnreadable,
        Self::CredentialWeak,
        Self::DocumentAmbiguous,
        Self::DocumentChangesForbidden,
        Self::DocumentEncrypted,
        Self::DocumentLimitExceeded,
        Self::DocumentPasswordRequired,
        Self::DocumentPasswordWrong,
        Self::DocumentPermissionDenied,
        Self::DocumentUnreadable,
        Self::FieldAlreadySigned,
        Self::FieldLocked,
        Self::FieldNameUnusable,
        Self::FieldNotFound,
        Self::HostRefused,
        Self::IdempotencyConflict,
        Self::InputChanged,
        Self::InputUnreadable,
        Self::Internal,
        Self::KeystoreUnavailable,
        Self::MediaTypeUnsupported,
        Self::MethodNotAllowed,
        Self::ModuleArchitecture,
        Self::ModuleCrashed,
        Self::ModuleNotFound,
        Self::ModuleQuarantined,
        Self::ModuleUnusable,
        Self::OriginRefused,
        Self::OtherLogin,
        Self::OutputExists,
        Self::OutputUnwritable,
        Self::PageNotFound,
        Self::PairingRequired,
        Self::PasswordIncorrect,
        Self::PinIncorrect,
        Self::PinLastTry,
        Self::PinLocked,
        Self::PinUnusable,
        Self::PortUnavailable,
        Self::ProtocolMismatch,
        Self::RequestMalformed,
        Self::RequestTimeout,
        Self::RequestTooLarge,
        Self::ResourceNotFound,
        Self::SealOutsidePage,
        Self::SecretMissing,
        Self::SeedValueUnmet,
        Self::ServiceRunning,
        Self::ServiceUnavailable,
        Self::SignatureInvalid,
        Self::SignaturePending,
        Self::StorageFull,
        Self::TokenAbsent,
        Self::TokenFailed,
        Self::TokenInUse,
        Self::TokenLoginEnded,
        Self::TokenRemoved,
        Self::TooManyRequests,
        Self::TrayUnavailable,
        Self::UnsupportedAlgorithm,
        Self::Usage,
        Self::VisibleFieldForbidden,
    ];

    /// The code as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ApprovalBusy => "approval-busy",
            Self::ApprovalCancelled => "approval-cancelled",
            Self::ApprovalDenied => "approval-denied",
            Self::ApprovalExpired => "approval-expired",
            Self::AuditBroken => "audit-broken",
            Self::AuditUnavailable => "audit-unavailable",
            Self::CertificationNotFirst => "certification-not-first",
            Self::ChainUntrusted => "chain-untrusted",
            Self::ConfigInvalid => "config-invalid",
            Self::CredentialAmbiguous => "credential-ambiguous",
            Self::CredentialExpired => "credential-expired",
            Self::CredentialKeyMismatch => "credential-key-mismatch",
            Self::CredentialNotForSigning => "credential-not-for-signing",
            Self::CredentialNotFound => "credential-not-found",
            Self::CredentialNotYetValid => "credential-not-yet-valid",
            Self::CredentialUnreadable => "credential-unreadable",
            Self::CredentialWeak => "credential-weak",
            Self::DocumentAmbiguous => "document-ambiguous",
            Self::DocumentChangesForbidden => "document-changes-forbidden",
            Self::DocumentEncrypted => "document-encrypted",
            Self::DocumentLimitExceeded => "document-limit-exceeded",
            Self::DocumentPasswordRequired => "document-password-required",
            Self::DocumentPasswordWrong => "document-password-wrong",
            Self::DocumentPermissionDenied => "document-permission-denied",
            Self::DocumentUnreadable => "document-unreadable",
            Self::FieldAlreadySigned => "field-already-signed",
            Self::FieldLocked => "field-locked",
            Self::FieldNameUnusable => "field-name-unusable",
            Self::FieldNotFound => "field-not-found",
            Self::HostRefused => "host-refused",
            Self::IdempotencyConflict => "idempotency-conflict",
            Self::InputChanged => "input-changed",
            Self::InputUnreadable => "input-unreadable",
            Self::Internal => "internal",
            Self::KeystoreUnavailable => "keystore-unavailable",
            Self::MediaTypeUnsupported => "media-type-unsupported",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::ModuleArchitecture => "module-architecture",
            Self::ModuleCrashed => "module-crashed",
            Self::ModuleNotFound => "module-not-found",
            Self::ModuleQuarantined => "module-quarantined",
            Self::ModuleUnusable => "module-unusable",
            Self::OriginRefused => "origin-refused",
            Self::OtherLogin => "other-login",
            Self::OutputExists => "output-exists",
            Self::OutputUnwritable => "output-unwritable",
            Self::PageNotFound => "page-not-found",
            Self::PairingRequired => "pairing-required",
            Self::PasswordIncorrect => "password-incorrect",
            Self::PinIncorrect => "pin-incorrect",
            Self::PinLastTry => "pin-last-try",
            Self::PinLocked => "pin-locked",
            Self::PinUnusable => "pin-unusable",
            Self::PortUnavailable => "port-unavailable",
            Self::ProtocolMismatch => "protocol-mismatch",
            Self::RequestMalformed => "request-malformed",
            Self::RequestTimeout => "request-timeout",
            Self::RequestTooLarge => "request-too-large",
            Self::ResourceNotFound => "resource-not-found",
            Self::SealOutsidePage => "seal-outside-page",
            Self::SecretMissing => "secret-missing",
            Self::SeedValueUnmet => "seed-value-unmet",
            Self::ServiceRunning => "service-running",
            Self::ServiceUnavailable => "service-unavailable",
            Self::SignatureInvalid => "signature-invalid",
            Self::SignaturePending => "signature-pending",
            Self::StorageFull => "storage-full",
            Self::TokenAbsent => "token-absent",
            Self::TokenFailed => "token-failed",
            Self::TokenInUse => "token-in-use",
            Self::TokenLoginEnded => "token-login-ended",
            Self::TokenRemoved => "token-removed",
            Self::TooManyRequests => "too-many-requests",
            Self::TrayUnavailable => "tray-unavailable",
            Self::UnsupportedAlgorithm => "unsupported-algorithm",
            Self::Usage => "usage",
            Self::VisibleFieldForbidden => "visible-field-forbidden",
        }
    }

    /// What the person can do.
    pub const fn remedy(self) -> Remedy {
        match self {
            Self::AuditBroken
            | Self::AuditUnavailable
            | Self::ChainUntrusted
            | Self::ConfigInvalid
            | Self::ModuleArchitecture
            | Self::ModuleCrashed
            | Self::ModuleNotFound
            | Self::ModuleUnusable
            | Self::PortUnavailable
            | Self::ProtocolMismatch
            | Self::TrayUnavailable => Remedy::AskAdministrator,
            Self::CertificationNotFirst
            | Self::CredentialAmbiguous
            | Self::CredentialExpired
            | Self::CredentialKeyMismatch
            | Self::CredentialNotForSigning
            | Self::CredentialNotFound
            | Self::CredentialNotYetValid
            | Self::CredentialUnreadable
            | Self::CredentialWeak
            | Self::FieldAlreadySigned
            | Self::FieldLocked
            | Self::FieldNameUnusable
            | Self::FieldNotFound
            | Self::IdempotencyConflict
            | Self::InputUnreadable
            | Self::OutputExists
            | Self::OutputUnwritable
            | Self::PageNotFound
            | Self::SealOutsidePage
            | Self::SeedValueUnmet
            | Self::StorageFull
            | Self::UnsupportedAlgorithm
            | Self::Usage
            | Self::VisibleFieldForbidden => Remedy::ChooseAnother,
            Self::DocumentPasswordWrong
            | Self::PasswordIncorrect
            | Self::PinIncorrect
            | Self::PinLastTry
            | Self::SecretMissing => Remedy::EnterPinAgain,
            Self::DocumentAmbiguous
            | Self::DocumentChangesForbidden
            | Self::DocumentEncrypted
            | Self::DocumentLimitExceeded
            | Self::DocumentUnreadable
            | Self::RequestTooLarge => Remedy::FixDocument,
            Self::TokenAbsent | Self::TokenRemoved => Remedy::InsertToken,
            Self::ApprovalDenied
            | Self::HostRefused
            | Self::Internal
            | Self::MediaTypeUnsupported
            | Self::MethodNotAllowed
            | Self::OriginRefused
            | Self::OtherLogin
            | Self::PairingRequired
            | Self::RequestMalformed
            | Self::ResourceNotFound
            | Self::ServiceRunning
            | Self::SignatureInvalid => Remedy::Nothing,
            Self::ApprovalBusy
            | Self::ApprovalCancelled
            | Self::ApprovalExpired
            | Self::InputChanged
            | Self::KeystoreUnavailable
            | Self::RequestTimeout
            | Self::ServiceUnavailable
            | Self::SignaturePending
            | Self::TokenFailed
            | Self::TokenLoginEnded
            | Self::TooManyRequests => Remedy::Retry,
            Self::ModuleQuarantined => Remedy::ReleaseModule,
            Self::DocumentPasswordRequired | Self::DocumentPermissionDenied => Remedy::UnlockDocument,
            Self::TokenInUse => Remedy::CloseProgram,
            Self::PinLocked | Self::PinUnusable => Remedy::UnlockToken,
        }
    }
}

impl Remedy {
    /// The remedy as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AskAdministrator => "ask-administrator",
            Self::ChooseAnother => "choose-another",
            Self::CheckNetwork => "check-network",
            Self::CloseProgram => "close-program",
            Self::EnterPinAgain => "enter-pin-again",
            Self::FixDocument => "fix-document",
            Self::InsertToken => "insert-token",
            Self::Nothing => "nothing",
            Self::ReleaseModule => "release-module",
            Self::Retry => "retry",
            Self::UnlockDocument => "unlock-document",
            Self::UnlockToken => "unlock-token",
        }
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_sorted_kebab_case() {
        let texts: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        let mut sorted = texts.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(texts, sorted);
        for text in texts {
            assert!(text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{text}");
        }
    }
}
