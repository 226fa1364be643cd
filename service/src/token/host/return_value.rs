//! What each PKCS#11 return value (`CK_RV`) means to the person. The map is total.

use cryptoki::{
    context::Function,
    error::{Error, RvError},
};
use signer_ipc::token_host::{Failure, TriesLeft};

/// Where a PIN was typed that a login used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Typed {
    /// In our window or terminal.
    Here,
    /// On the reader.
    OnReader,
}

/// The failure that an error of the module is. PIN errors are those of a login; how many tries
/// are left is for the caller to find out.
pub(super) fn failure(error: Error) -> Failure {
    match error {
        Error::Pkcs11(value, function) => of_value(value, function),
        Error::LibraryLoading(error) => Failure::ModuleUnusable { reason: error.to_string() },
        Error::MissingSymbol(name) => Failure::ModuleUnusable { reason: format!("no {name} in it") },
        error @ (Error::NotSupported
        | Error::TryFromInt(_)
        | Error::TryFromSlice(_)
        | Error::ParseInt(_)
        | Error::Utf8(_)
        | Error::NulError(_)
        | Error::NullFunctionPointer
        | Error::InvalidValue
        | Error::PinNotSet) => {
            Failure::TokenFailed { function: "the module".to_owned(), value: error.to_string() }
        }
    }
}

/// Whether an error says nothing of its cause.
pub(super) const fn is_general(error: &Error) -> bool {
    matches!(error, Error::Pkcs11(RvError::GeneralError | RvError::FunctionFailed, _))
}

/// The failure that an error of a login is. Some modules have only a general error for a wrong
/// PIN; to say that the token failed would make the person try it once more.
pub(super) fn of_login(error: Error, typed: Typed) -> Failure {
    match typed {
        Typed::Here if is_general(&error) => Failure::PinIncorrect { tries_left: TriesLeft::Unknown },
        Typed::Here | Typed::OnReader => failure(error),
    }
}

fn of_value(value: RvError, function: Function) -> Failure {
    match value {
        RvError::Cancel | RvError::FunctionCanceled | RvError::FunctionRejected => Failure::Cancelled,
        RvError::DeviceRemoved | RvError::SessionClosed | RvError::SessionHandleInvalid => {
            Failure::TokenRemoved
        }
        RvError::TokenNotPresent | RvError::TokenNotRecognized | RvError::SlotIdInvalid => {
            Failure::TokenAbsent
        }
        RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange => {
            Failure::PinIncorrect { tries_left: TriesLeft::Unknown }
        }
        RvError::PinLocked => Failure::PinLocked,
        RvError::PinExpired | RvError::UserPinNotInitialized => Failure::PinUnusable,
        RvError::UserNotLoggedIn => Failure::PinNeeded,
        RvError::KeySizeRange
        | RvError::KeyTypeInconsistent
        | RvError::CurveNotSupported
        | RvError::DomainParamsInvalid
        | RvError::MechanismInvalid
        | RvError::MechanismParamInvalid => {
            Failure::KeyUnsupported { kind: format!("{} returned {value:?}", name(function)) }
        }
        RvError::HostMemory
        | RvError::GeneralError
        | RvError::FunctionFailed
        | RvError::ArgumentsBad
        | RvError::NoEvent
        | RvError::NeedToCreateThreads
        | RvError::CantLock
        | RvError::AttributeReadOnly
        | RvError::AttributeSensitive
        | RvError::AttributeTypeInvalid
        | RvError::AttributeValueInvalid
        | RvError::ActionProhibited
        | RvError::DataInvalid
        | RvError::DataLenRange
        | RvError::DeviceError
        | RvError::DeviceMemory
        | RvError::EncryptedDataInvalid
        | RvError::EncryptedDataLenRange
        | RvError::FunctionNotParallel
        | RvError::FunctionNotSupported
        | RvError::KeyHandleInvalid
        | RvError::KeyNotNeeded
        | RvError::KeyChanged
        | RvError::KeyNeeded
        | RvError::KeyIndigestible
        | RvError::KeyFunctionNotPermitted
        | RvError::KeyNotWrappable
        | RvError::KeyUnextractable
        | RvError::ObjectHandleInvalid
        | RvError::OperationActive
        | RvError::OperationNotInitialized
        | RvError::SessionCount
        | RvError::SessionParallelNotSupported
        | RvError::SessionReadOnly
        | RvError::SessionExists
        | RvError::SessionReadOnlyExists
        | RvError::SessionReadWriteSoExists
        | RvError::SignatureInvalid
        | RvError::SignatureLenRange
        | RvError::TemplateIncomplete
        | RvError::TemplateInconsistent
        | RvError::TokenWriteProtected
        | RvError::UnwrappingKeyHandleInvalid
        | RvError::UnwrappingKeySizeRange
        | RvError::UnwrappingKeyTypeInconsistent
        | RvError::UserAlreadyLoggedIn
        | RvError::UserTypeInvalid
        | RvError::UserAnotherAlreadyLoggedIn
        | RvError::UserTooManyTypes
        | RvError::WrappedKeyInvalid
        | RvError::WrappedKeyLenRange
        | RvError::WrappingKeyHandleInvalid
        | RvError::WrappingKeySizeRange
        | RvError::WrappingKeyTypeInconsistent
        | RvError::RandomSeedNotSupported
        | RvError::RandomNoRng
        | RvError::BufferTooSmall
        | RvError::SavedStateInvalid
        | RvError::InformationSensitive
        | RvError::StateUnsaveable
        | RvError::CryptokiNotInitialized
        | RvError::CryptokiAlreadyInitialized
        | RvError::MutexBad
        | RvError::MutexNotLocked
        | RvError::NewPinMode
        | RvError::NextOtp
        | RvError::ExceededMaxIterations
        | RvError::FipsSelfTestFailed
        | RvError::LibraryLoadFailed
        | RvError::PinTooWeak
        | RvError::PublicKeyInvalid => {
            Failure::TokenFailed { function: name(function), value: format!("{value:?}") }
        }
        RvError::VendorDefined(number) | RvError::UnknownErrorCode(number) => {
            Failure::TokenFailed { function: name(function), value: format!("{number:#x}") }
        }
    }
}

/// The function as the standard writes it.
fn name(function: Function) -> String {
    format!("C_{function:?}")
}

#[cfg(test)]
mod tests {
    use cryptoki::error::Rv;

    use super::*;

    #[test]
    fn every_value_has_a_meaning() {
        let of = |number| match Rv::from(number) {
            Rv::Ok => panic!("0 is no error"),
            Rv::Error(value) => of_value(value, Function::Login),
        };
        assert_eq!(of(0xa0), Failure::PinIncorrect { tries_left: TriesLeft::Unknown });
        assert_eq!(of(0xa4), Failure::PinLocked);
        assert_eq!(of(0x32), Failure::TokenRemoved);
        assert_eq!(of(0xe0), Failure::TokenAbsent);
        assert_eq!(of(0x50), Failure::Cancelled);
        assert_eq!(of(0x200), Failure::Cancelled);
        assert_eq!((of(0xa3), of(0x102)), (Failure::PinUnusable, Failure::PinUnusable));
        let login = |number, typed| match Rv::from(number) {
            Rv::Ok => panic!("0 is no error"),
            Rv::Error(value) => of_login(Error::Pkcs11(value, Function::Login), typed),
        };
        assert!(matches!(login(0x05, Typed::OnReader), Failure::TokenFailed { .. }));
        for wrong in [0x05, 0x06, 0xa0, 0xa1, 0xa2] {
            assert_eq!(login(wrong, Typed::Here), Failure::PinIncorrect { tries_left: TriesLeft::Unknown });
        }
        for (number, text) in [(0x05, "GeneralError"), (0x8000_0042, "0x80000042"), (0x7777, "0x7777")] {
            let Failure::TokenFailed { value, .. } = of(number) else { panic!("{number}") };
            assert_eq!(value, text);
        }
    }
}
