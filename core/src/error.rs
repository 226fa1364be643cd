//! The closed list of stable error codes, and what a person can do about each.
//!
//! Every typed error of the workspace maps to one [`ErrorCode`] through its `code()`
//! method; the sentences that people read are made where they are shown.

/// A stable, documented error code. Its text ([`ErrorCode::as_str`]) never changes meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ErrorCode {
    /// No certificate up to a trust anchor could be found.
    ChainUntrusted,
    /// The validity period of the certificate has ended.
    CredentialExpired,
    /// The private key does not belong to the certificate.
    CredentialKeyMismatch,
    /// More than one credential fits what was asked for.
    CredentialAmbiguous,
    /// No credential fits what was asked for.
    CredentialNotFound,
    /// The key usage of the certificate does not permit signatures.
    CredentialNotForSigning,
    /// The validity period of the certificate has not begun.
    CredentialNotYetValid,
    /// The A1 file or the certificate cannot be read.
    CredentialUnreadable,
    /// The key is shorter than what may be used today.
    CredentialWeak,
    /// The document forbids the change (certification, permissions).
    DocumentChangesForbidden,
    /// The document is encrypted and the password is missing or wrong.
    DocumentEncrypted,
    /// The document has features that are refused because two readings of it differ.
    DocumentAmbiguous,
    /// The document passes a limit kept against hostile files.
    DocumentLimitExceeded,
    /// The file is not a PDF or is damaged.
    DocumentUnreadable,
    /// The signature field that was named is already signed.
    FieldAlreadySigned,
    /// An earlier signature locks the field.
    FieldLocked,
    /// No signature field has the name that was given.
    FieldNotFound,
    /// The input was changed while it was read.
    InputChanged,
    /// A file that was named as input cannot be opened.
    InputUnreadable,
    /// A defect of this program.
    Internal,
    /// The module is built for another processor architecture.
    ModuleArchitecture,
    /// The module crashed; its token host ended with it.
    ModuleCrashed,
    /// The module file does not exist.
    ModuleNotFound,
    /// The module cannot be loaded or initialised.
    ModuleUnusable,
    /// The output exists and replacing it was not asked for.
    OutputExists,
    /// The output cannot be written.
    OutputUnwritable,
    /// The page that was asked for does not exist.
    PageNotFound,
    /// The password of the A1 file is wrong.
    PasswordIncorrect,
    /// The PIN is wrong.
    PinIncorrect,
    /// The PIN is locked.
    PinLocked,
    /// A secret is needed and there is no way to ask for it here.
    SecretMissing,
    /// The signature that was made does not verify; nothing was written.
    SignatureInvalid,
    /// No space is left where the output goes.
    StorageFull,
    /// The token is not there.
    TokenAbsent,
    /// The token or its module failed.
    TokenFailed,
    /// The token was removed while it was used.
    TokenRemoved,
    /// The algorithm is not supported.
    UnsupportedAlgorithm,
    /// The words of the command line do not fit together.
    Usage,
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
    /// Type the PIN or password again, with care for the tries left.
    EnterPinAgain,
    /// Mend or replace the document.
    FixDocument,
    /// Insert the token.
    InsertToken,
    /// Nothing can be done.
    Nothing,
    /// Try once more.
    Retry,
    /// Unlock the token with its vendor's tool.
    UnlockToken,
}

impl ErrorCode {
    /// Every code, in the order of its text.
    pub const ALL: &'static [Self] = &[
        Self::ChainUntrusted,
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
        Self::DocumentUnreadable,
        Self::FieldAlreadySigned,
        Self::FieldLocked,
        Self::FieldNotFound,
        Self::InputChanged,
        Self::InputUnreadable,
        Self::Internal,
        Self::ModuleArchitecture,
        Self::ModuleCrashed,
        Self::ModuleNotFound,
        Self::ModuleUnusable,
        Self::OutputExists,
        Self::OutputUnwritable,
        Self::PageNotFound,
        Self::PasswordIncorrect,
        Self::PinIncorrect,
        Self::PinLocked,
        Self::SecretMissing,
        Self::SignatureInvalid,
        Self::StorageFull,
        Self::TokenAbsent,
        Self::TokenFailed,
        Self::TokenRemoved,
        Self::UnsupportedAlgorithm,
        Self::Usage,
    ];

    /// The code as programs see it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ChainUntrusted => "chain-untrusted",
            Self::CredentialAmbiguous => "credential-ambiguous",
            Self::CredentialExpired => "credential-expired",
            Self::CredentialKeyMismatch => "credential-key-mismatch",
            Self::CredentialNotFound => "credential-not-found",
            Self::CredentialNotForSigning => "credential-not-for-signing",
            Self::CredentialNotYetValid => "credential-not-yet-valid",
            Self::CredentialUnreadable => "credential-unreadable",
            Self::CredentialWeak => "credential-weak",
            Self::DocumentAmbiguous => "document-ambiguous",
            Self::DocumentChangesForbidden => "document-changes-forbidden",
            Self::DocumentEncrypted => "document-encrypted",
            Self::DocumentLimitExceeded => "document-limit-exceeded",
            Self::DocumentUnreadable => "document-unreadable",
            Self::FieldAlreadySigned => "field-already-signed",
            Self::FieldLocked => "field-locked",
            Self::FieldNotFound => "field-not-found",
            Self::InputChanged => "input-changed",
            Self::InputUnreadable => "input-unreadable",
            Self::Internal => "internal",
            Self::ModuleArchitecture => "module-architecture",
            Self::ModuleCrashed => "module-crashed",
            Self::ModuleNotFound => "module-not-found",
            Self::ModuleUnusable => "module-unusable",
            Self::OutputExists => "output-exists",
            Self::OutputUnwritable => "output-unwritable",
            Self::PageNotFound => "page-not-found",
            Self::PasswordIncorrect => "password-incorrect",
            Self::PinIncorrect => "pin-incorrect",
            Self::PinLocked => "pin-locked",
            Self::SecretMissing => "secret-missing",
            Self::SignatureInvalid => "signature-invalid",
            Self::StorageFull => "storage-full",
            Self::TokenAbsent => "token-absent",
            Self::TokenFailed => "token-failed",
            Self::TokenRemoved => "token-removed",
            Self::UnsupportedAlgorithm => "unsupported-algorithm",
            Self::Usage => "usage",
        }
    }

    /// What the person can do.
    pub const fn remedy(self) -> Remedy {
        match self {
            Self::ChainUntrusted
            | Self::ModuleArchitecture
            | Self::ModuleCrashed
            | Self::ModuleNotFound
            | Self::ModuleUnusable => Remedy::AskAdministrator,
            Self::CredentialAmbiguous
            | Self::CredentialExpired
            | Self::CredentialKeyMismatch
            | Self::CredentialNotFound
            | Self::CredentialNotForSigning
            | Self::CredentialNotYetValid
            | Self::CredentialUnreadable
            | Self::CredentialWeak
            | Self::FieldAlreadySigned
            | Self::FieldLocked
            | Self::FieldNotFound
            | Self::InputUnreadable
            | Self::OutputExists
            | Self::OutputUnwritable
            | Self::PageNotFound
            | Self::StorageFull
            | Self::UnsupportedAlgorithm
            | Self::Usage => Remedy::ChooseAnother,
            Self::DocumentAmbiguous
            | Self::DocumentChangesForbidden
            | Self::DocumentEncrypted
            | Self::DocumentLimitExceeded
            | Self::DocumentUnreadable => Remedy::FixDocument,
            Self::Internal | Self::SignatureInvalid => Remedy::Nothing,
            Self::PasswordIncorrect | Self::PinIncorrect | Self::SecretMissing => Remedy::EnterPinAgain,
            Self::PinLocked => Remedy::UnlockToken,
            Self::TokenAbsent | Self::TokenRemoved => Remedy::InsertToken,
            Self::InputChanged | Self::TokenFailed => Remedy::Retry,
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
            Self::EnterPinAgain => "enter-pin-again",
            Self::FixDocument => "fix-document",
            Self::InsertToken => "insert-token",
            Self::Nothing => "nothing",
            Self::Retry => "retry",
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
