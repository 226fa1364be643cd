//! Why a token host did not do what it was asked.

use std::{io, time::Duration};

use serde::{Deserialize, Serialize};
use signer_core::error::ErrorCode;
use signer_ipc::token_host::{Failure, ProtocolError};

pub use signer_ipc::token_host::TriesLeft;

/// What a token host was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Listing credentials.
    Credentials,
    /// Opening an A1 file.
    OpenFile,
    /// Loading and initialising a module.
    OpenModule,
    /// Signing.
    Sign,
    /// Starting.
    Start,
    /// Listing tokens.
    Tokens,
    /// Taking the PIN or password.
    Unlock,
}

/// Why a token host did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// No token is in the slot.
    #[error("no token is present")]
    Absent,
    /// The person cancelled, in the module's own window or on the reader.
    #[error("cancelled in the module's window or on the reader")]
    Cancelled,
    /// The host died: its module, or the code that reads the file, crashed.
    #[error("the token host ended while {step} ({status})")]
    Crashed {
        /// What it was doing.
        step: Step,
        /// Whether a vendor's module was loaded, or being loaded.
        module: ModuleLoaded,
        /// Whether it ended by itself.
        end: End,
        /// How it ended, as the system says it.
        status: String,
    },
    /// The credential is not one that this host listed.
    #[error("the credential is not known to this token host")]
    CredentialUnknown,
    /// The token or its module returned an error.
    #[error("{function} returned {value}")]
    Failed {
        /// The PKCS#11 function.
        function: String,
        /// The return value (`CK_RV`).
        value: String,
    },
    /// The A1 file is damaged or is no PKCS#12 file.
    #[error("not a readable PKCS#12 file: {reason}")]
    FileDamaged {
        /// What does not fit.
        reason: String,
    },
    /// The A1 file cannot be opened or read.
    #[error("the certificate file cannot be opened: {reason}")]
    FileUnreadable {
        /// The system's words.
        reason: String,
    },
    /// A defect of the host.
    #[error("internal error of the token host: {reason}")]
    Internal {
        /// What went wrong.
        reason: String,
    },
    /// No private key belongs to a certificate.
    #[error("no private key belongs to the certificate")]
    KeyMismatch,
    /// The key, the scheme or the encryption of the file is not supported.
    #[error("not supported: {kind}")]
    KeyUnsupported {
        /// Which.
        kind: String,
    },
    /// The module is for another architecture.
    #[error("the module is for {found}; this program is for {expected}")]
    ModuleArchitecture {
        /// What the module is for.
        found: String,
        /// What this program is for.
        expected: String,
    },
    /// There is no such module file.
    #[error("there is no module file of that name")]
    ModuleNotFound,
    /// The module failed again and again and is not loaded any more.
    #[error("the module is in quarantine: {reason}")]
    ModuleQuarantined {
        /// What happened, and when.
        reason: String,
    },
    /// The module cannot be loaded or initialised.
    #[error("the module cannot be loaded: {reason}")]
    ModuleUnusable {
        /// The loader's or the module's words.
        reason: String,
    },
    /// The login was ended: the computer slept, or the session was locked.
    #[error("the login at the token was ended because the computer slept or the session was locked")]
    LoginEnded,
    /// The source holds no private key.
    #[error("there is no private key")]
    NoPrivateKey,
    /// The password of the A1 file is wrong.
    #[error("the password does not open the certificate file")]
    PasswordIncorrect,
    /// The PIN is wrong. It was tried exactly once.
    #[error("the PIN is wrong")]
    PinIncorrect {
        /// From the token's flags, read after the try.
        tries_left: TriesLeft,
    },
    /// The PIN is locked.
    #[error("the PIN is locked")]
    PinLocked,
    /// The PIN must be given (again) before this.
    #[error("the PIN is needed for this")]
    PinNeeded,
    /// The host and this program do not understand each other.
    #[error("the token host answered out of turn")]
    Protocol(#[from] ProtocolError),
    /// The token went away.
    #[error("the token was removed")]
    Removed,
    /// The secret was not sealed to the key of this host. It was not tried.
    #[error("the secret was not sealed for this token host")]
    SecretUnreadable,
    /// The host program cannot be started.
    #[error("the token host cannot be started")]
    Start(#[from] io::Error),
    /// The host took too long and was ended.
    #[error("the token host did not answer within {} s while {step}", after.as_secs())]
    TimedOut {
        /// What it was doing.
        step: Step,
        /// How long it was given.
        after: Duration,
    },
    /// The request does not fit what is open.
    #[error("the request does not fit what is open in the token host")]
    Unexpected,
}

/// How a host ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By its own doing.
    ByItself,
    /// Somebody killed it: this program, the system or the person.
    Killed,
}

/// Whether a vendor's code was part of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleLoaded {
    /// Only our own code ran.
    No,
    /// A module was loaded, or being loaded.
    Yes,
}

impl TokenError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Absent => ErrorCode::TokenAbsent,
            Self::Cancelled
            | Self::Crashed { module: ModuleLoaded::No, .. }
            | Self::Failed { .. }
            | Self::TimedOut { .. } => ErrorCode::TokenFailed,
            Self::Crashed { module: ModuleLoaded::Yes, .. } => ErrorCode::ModuleCrashed,
            Self::Internal { .. } | Self::Protocol(_) | Self::Start(_) | Self::Unexpected => {
                ErrorCode::Internal
            }
            Self::CredentialUnknown | Self::NoPrivateKey => ErrorCode::CredentialNotFound,
            Self::FileDamaged { .. } => ErrorCode::CredentialUnreadable,
            Self::FileUnreadable { .. } => ErrorCode::InputUnreadable,
            Self::KeyMismatch => ErrorCode::CredentialKeyMismatch,
            Self::KeyUnsupported { .. } => ErrorCode::UnsupportedAlgorithm,
            Self::LoginEnded => ErrorCode::TokenLoginEnded,
            Self::ModuleArchitecture { .. } => ErrorCode::ModuleArchitecture,
            Self::ModuleNotFound => ErrorCode::ModuleNotFound,
            Self::ModuleQuarantined { .. } => ErrorCode::ModuleQuarantined,
            Self::ModuleUnusable { .. } => ErrorCode::ModuleUnusable,
            Self::PasswordIncorrect => ErrorCode::PasswordIncorrect,
            Self::PinIncorrect { .. } => ErrorCode::PinIncorrect,
            Self::PinLocked => ErrorCode::PinLocked,
            Self::PinNeeded => ErrorCode::SecretMissing,
            Self::Removed => ErrorCode::TokenRemoved,
            Self::SecretUnreadable => ErrorCode::SecretMissing,
        }
    }
}

impl From<Failure> for TokenError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Cancelled => Self::Cancelled,
            Failure::CredentialUnknown => Self::CredentialUnknown,
            Failure::FileDamaged { reason } => Self::FileDamaged { reason },
            Failure::FileUnreadable { reason } => Self::FileUnreadable { reason },
            Failure::Internal { reason } => Self::Internal { reason },
            Failure::KeyMismatch => Self::KeyMismatch,
            Failure::KeyUnsupported { kind } => Self::KeyUnsupported { kind },
            Failure::LoginEnded => Self::LoginEnded,
            Failure::ModuleArchitecture { found, expected } => Self::ModuleArchitecture { found, expected },
            Failure::ModuleNotFound => Self::ModuleNotFound,
            Failure::ModuleUnusable { reason } => Self::ModuleUnusable { reason },
            Failure::NoPrivateKey => Self::NoPrivateKey,
            Failure::PasswordIncorrect => Self::PasswordIncorrect,
            Failure::PinIncorrect { tries_left } => Self::PinIncorrect { tries_left },
            Failure::PinLocked => Self::PinLocked,
            Failure::PinNeeded => Self::PinNeeded,
            Failure::SecretUnreadable => Self::SecretUnreadable,
            Failure::TokenAbsent => Self::Absent,
            Failure::TokenFailed { function, value } => Self::Failed { function, value },
            Failure::TokenRemoved => Self::Removed,
            Failure::Unexpected => Self::Unexpected,
        }
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Credentials => "listing credentials",
            Self::OpenFile => "opening the file",
            Self::OpenModule => "loading the module",
            Self::Sign => "signing",
            Self::Start => "starting",
            Self::Tokens => "listing tokens",
            Self::Unlock => "unlocking",
        })
    }
}
