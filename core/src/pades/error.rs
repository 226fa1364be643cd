//! Why a PAdES signature could not be made.

use crate::{
    algorithm::AlgorithmError, cms::error::CmsError, credential::CredentialError, error::ErrorCode,
    pdf::error::PdfError, seal::SealError,
};

/// Why a signature could not be prepared or completed.
#[derive(Debug, thiserror::Error)]
pub enum PadesError {
    /// The key or digest may not make new signatures.
    #[error("the key cannot make this signature")]
    Algorithm(#[from] AlgorithmError),
    /// The CMS could not be made.
    #[error("the CMS signature could not be made")]
    Cms(#[from] CmsError),
    /// The certificate may not sign.
    #[error("the certificate may not sign")]
    Credential(#[from] CredentialError),
    /// The document could not be read or changed.
    #[error("the document cannot be signed")]
    Pdf(#[from] PdfError),
    /// The seal could not be drawn.
    #[error("the seal could not be drawn")]
    Seal(#[from] SealError),
}

impl PadesError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Algorithm(error) => error.code(),
            Self::Cms(error) => error.code(),
            Self::Credential(error) => error.code(),
            Self::Pdf(error) => error.code(),
            Self::Seal(error) => error.code(),
        }
    }
}
