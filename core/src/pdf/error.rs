//! What can go wrong while a PDF is read or an update is built.

use crate::error::ErrorCode;
use crate::pdf::seed_value::SeedValueEntry;
use crate::pdf::source::SourceError;

/// Why a document cannot be read or signed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PdfError {
    /// Two readings of the file differ, so that nobody could say what is signed.
    #[error("two readings of the document differ: {what}")]
    Ambiguous {
        /// What can be read in two ways.
        what: &'static str,
    },
    /// A certification must be the first signature, and there is one already.
    #[error("only the first signature of a document can certify it, and this one is signed already")]
    CertificationNotFirst,
    /// The document forbids every change: a certification (DocMDP) or a lock with `/P 1`.
    #[error("the document forbids every further signature: {what} says so (P 1)")]
    ChangesForbidden {
        /// What forbids them.
        what: &'static str,
    },
    /// The CMS structure does not fit into the bytes that were reserved for it.
    #[error("the signature needs {needed} bytes and {reserved} were reserved")]
    ContentsTooLarge {
        /// Bytes needed.
        needed: usize,
        /// Bytes reserved.
        reserved: usize,
    },
    /// The file is damaged past what this reader mends.
    #[error("the document is damaged: {what}{}", at(*offset))]
    Damaged {
        /// What is wrong.
        what: &'static str,
        /// Where, in bytes from the start of the file, if it is known.
        offset: Option<u64>,
    },
    /// The document is encrypted in a way that this reader does not open.
    #[error("the document is encrypted {what}")]
    Encrypted {
        /// In which way.
        what: &'static str,
    },
    /// The named signature field is already signed.
    #[error("the field \"{name}\" is already signed")]
    FieldAlreadySigned {
        /// The fully qualified name.
        name: String,
    },
    /// An earlier signature locks the field (FieldMDP).
    #[error("the field \"{name}\" is locked by an earlier signature")]
    FieldLocked {
        /// The fully qualified name.
        name: String,
    },
    /// A new field cannot have this name: it is taken, empty, or holds a period.
    #[error("a new field cannot be named \"{name}\"")]
    FieldNameUnusable {
        /// The name that was asked for.
        name: String,
    },
    /// There is no signature field of this name.
    #[error("there is no signature field \"{name}\"")]
    FieldNotFound {
        /// The name that was asked for.
        name: String,
    },
    /// The document passes a limit kept against hostile files.
    #[error("the document passes a limit: {what}")]
    Limit {
        /// Which limit.
        what: &'static str,
    },
    /// The file has no PDF header.
    #[error("the file is not a PDF")]
    NotAPdf,
    /// The page does not exist.
    #[error("page {asked} does not exist: the document has {count}")]
    PageNotFound {
        /// The page that was asked for, from 1.
        asked: u32,
        /// How many there are.
        count: u32,
    },
    /// The document is encrypted, and the empty password does not open it.
    #[error("the document needs a password to be opened")]
    PasswordRequired,
    /// The password is neither the user's nor the owner's.
    #[error("the password is neither the user's nor the owner's")]
    PasswordWrong,
    /// The password that opened the document does not permit the change (table 22).
    #[error("the document does not permit {what}; the owner password lifts this")]
    PermissionDenied {
        /// The change, and the bit that is missing.
        what: &'static str,
    },
    /// The seed value of the field asks for something that this signature has not (12.7.5.5).
    #[error("the field asks for {wanted} in /{entry}")]
    SeedValueUnmet {
        /// Which of its entries.
        entry: SeedValueEntry,
        /// What it asks for, in the field's own words.
        wanted: String,
    },
    /// The bytes could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The document uses a feature that this reader does not know.
    #[error("the document uses {what}, which is not supported")]
    Unsupported {
        /// Which feature.
        what: &'static str,
    },
    /// A new field that is seen would break a certification or a lock with `/P`.
    #[error(
        "a new field that is seen would break what {by} permits: sign without a seal, or in a field \
         that the document has"
    )]
    VisibleFieldForbidden {
        /// What forbids it.
        by: &'static str,
    },
}

impl PdfError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Ambiguous { .. } => ErrorCode::DocumentAmbiguous,
            Self::CertificationNotFirst => ErrorCode::CertificationNotFirst,
            Self::ChangesForbidden { .. } => ErrorCode::DocumentChangesForbidden,
            Self::ContentsTooLarge { .. } => ErrorCode::Internal,
            Self::Damaged { .. } | Self::NotAPdf | Self::Unsupported { .. } => ErrorCode::DocumentUnreadable,
            Self::Encrypted { .. } => ErrorCode::DocumentEncrypted,
            Self::FieldAlreadySigned { .. } => ErrorCode::FieldAlreadySigned,
            Self::FieldLocked { .. } => ErrorCode::FieldLocked,
            Self::FieldNameUnusable { .. } => ErrorCode::FieldNameUnusable,
            Self::FieldNotFound { .. } => ErrorCode::FieldNotFound,
            Self::Limit { .. } => ErrorCode::DocumentLimitExceeded,
            Self::PageNotFound { .. } => ErrorCode::PageNotFound,
            Self::PasswordRequired => ErrorCode::DocumentPasswordRequired,
            Self::PasswordWrong => ErrorCode::DocumentPasswordWrong,
            Self::PermissionDenied { .. } => ErrorCode::DocumentPermissionDenied,
            Self::SeedValueUnmet { .. } => ErrorCode::SeedValueUnmet,
            Self::Source(_) => ErrorCode::InputUnreadable,
            Self::VisibleFieldForbidden { .. } => ErrorCode::VisibleFieldForbidden,
        }
    }

    /// Damage at a known place.
    pub(crate) const fn damaged(what: &'static str, offset: u64) -> Self {
        Self::Damaged { what, offset: Some(offset) }
    }

    /// Damage without a place.
    pub(crate) const fn broken(what: &'static str) -> Self {
        Self::Damaged { what, offset: None }
    }

    /// Whether another reading of the same bytes, a recovery scan, may succeed.
    pub(crate) const fn is_damage(&self) -> bool {
        matches!(self, Self::Damaged { .. })
    }
}

fn at(offset: Option<u64>) -> String {
    offset.map(|offset| format!(" (byte {offset})")).unwrap_or_default()
}
