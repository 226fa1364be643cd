//! What the command line says, in Portuguese, English and Spanish.
//!
//! Every sentence is a match over a closed set in all three languages, so a missing
//! translation does not compile.

pub(crate) mod certification;
pub(crate) mod diagnosis;
mod errors;
pub(crate) mod modules;
mod warnings;

use signer_core::{
    error::{ErrorCode, Remedy},
    pdf::warning::DocumentWarning,
};

/// A language of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// Brazilian Portuguese, the default.
    Portuguese,
    /// English.
    English,
    /// Spanish.
    Spanish,
}

/// One sentence in the three languages: Portuguese, English, Spanish.
pub type Sentence = [&'static str; 3];

impl Language {
    /// The language that the environment asks for: `LC_ALL`, `LC_MESSAGES`, then `LANG`;
    /// Portuguese where none of them names one of ours.
    pub fn of_environment() -> Self {
        ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty())
            .map_or(Self::Portuguese, |value| Self::parse(&value))
    }

    /// The language of a locale name such as `pt_BR.UTF-8`; Portuguese for all we do not know.
    pub fn parse(locale: &str) -> Self {
        match locale.get(..2) {
            Some("en") => Self::English,
            Some("es") => Self::Spanish,
            Some(_) | None => Self::Portuguese,
        }
    }

    /// The primary subtag of its tag (RFC 5646), without a region.
    pub const fn subtag(self) -> &'static str {
        match self {
            Self::Portuguese => "pt",
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// The first of our languages in a list such as `Accept-Language` holds (RFC 9110, 12.5.4),
    /// whatever its weight; Portuguese where there is none.
    pub fn of_list(list: &str) -> Self {
        let known = |range: &str| match range.trim_start().get(..2) {
            Some("pt") => Some(Self::Portuguese),
            Some("en") => Some(Self::English),
            Some("es") => Some(Self::Spanish),
            Some(_) | None => None,
        };
        list.split(',').find_map(known).unwrap_or(Self::Portuguese)
    }

    /// Its tag (RFC 5646).
    pub const fn tag(self) -> &'static str {
        self.choose(["pt-BR", "en", "es"])
    }

    /// Chooses from the three languages.
    pub const fn choose(self, [portuguese, english, spanish]: Sentence) -> &'static str {
        match self {
            Self::Portuguese => portuguese,
            Self::English => english,
            Self::Spanish => spanish,
        }
    }

    /// What happened.
    pub const fn error(self, code: ErrorCode) -> &'static str {
        self.choose(errors::sentence(code))
    }

    /// What the person should know about a signed document.
    pub const fn document_warning(self, warning: DocumentWarning) -> &'static str {
        self.choose(warnings::of_document(warning))
    }

    /// What the person can do.
    pub const fn remedy(self, remedy: Remedy) -> &'static str {
        self.choose(remedy_sentence(remedy))
    }
}

const fn remedy_sentence(remedy: Remedy) -> Sentence {
    match remedy {
        Remedy::AskAdministrator => [
            "Fale com quem administra este computador.",
            "Ask whoever administers this computer.",
            "Hable con quien administra este equipo.",
        ],
        Remedy::CheckNetwork => {
            ["Verifique a conexão de rede.", "Check the network connection.", "Compruebe la conexión de red."]
        }
        Remedy::ChooseAnother => [
            "Escolha outra opção e tente de novo.",
            "Choose another option and try again.",
            "Elija otra opción e inténtelo de nuevo.",
        ],
        Remedy::CloseProgram => [
            "Feche o outro programa que usa o token e tente de novo. `cybercore-signer diagnose` diz quais podem ser.",
            "Close the other program that uses the token and try again. `cybercore-signer diagnose` tells which it may be.",
            "Cierre el otro programa que usa el token e inténtelo de nuevo. `cybercore-signer diagnose` dice cuáles pueden ser.",
        ],
        Remedy::EnterPinAgain => [
            "Confira a senha e digite-a de novo.",
            "Check the secret and type it again.",
            "Compruebe la contraseña y escríbala de nuevo.",
        ],
        Remedy::FixDocument => [
            "Gere o documento de novo ou peça outra cópia.",
            "Produce the document again or ask for another copy.",
            "Genere el documento de nuevo o pida otra copia.",
        ],
        Remedy::InsertToken => [
            "Conecte o token ou insira o cartão e tente de novo.",
            "Insert the token or card and try again.",
            "Conecte el token o inserte la tarjeta e inténtelo de nuevo.",
        ],
        Remedy::Nothing => [
            "Se isso não era esperado, guarde a mensagem acima e avise os desenvolvedores.",
            "If this was not expected, keep the message above and tell the developers.",
            "Si esto no era lo esperado, guarde el mensaje anterior y avise a los desarrolladores.",
        ],
        Remedy::ReleaseModule => [
            "Atualize o programa do fabricante do token, ou libere o módulo com «cybercore-signer modules retry».",
            "Update the token vendor's software, or release the module by 'cybercore-signer modules retry'.",
            "Actualice el programa del fabricante del token, o libere el módulo con «cybercore-signer modules retry».",
        ],
        Remedy::Retry => ["Tente mais uma vez.", "Try once more.", "Inténtelo una vez más."],
        Remedy::UnlockDocument => [
            "Salve uma cópia sem proteção, ou assine pela linha de comando com --document-password-file.",
            "Save a copy without the protection, or sign on the command line with --document-password-file.",
            "Guarde una copia sin protección, o firme desde la línea de comandos con --document-password-file.",
        ],
        Remedy::UnlockToken => [
            "Desbloqueie o token com o programa do fabricante (PUK) ou procure sua autoridade certificadora.",
            "Unlock the token with its vendor's program (PUK) or ask your certification authority.",
            "Desbloquee el token con el programa del fabricante (PUK) o acuda a su autoridad de certificación.",
        ],
    }
}
