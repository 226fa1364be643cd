//! What is said of PINs and passwords: wrong ones, the tries that are left, and the lock.

use std::borrow::Cow;

use signer_ipc::token_host::TriesLeft;

use crate::text::Language;

/// What is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entered {
    /// The password of an A1 file.
    Password,
    /// The PIN of a token.
    Pin,
}

impl Entered {
    /// That it is wrong, and what is left.
    pub(super) fn incorrect(self, tries: TriesLeft, l: Language) -> String {
        let wrong = match self {
            Self::Password => l.pick("Senha incorreta.", "Wrong password.", "Contraseña incorrecta."),
            Self::Pin => l.pick("PIN incorreto.", "Wrong PIN.", "PIN incorrecto."),
        };
        let left = tries_left(tries, l);
        if left.is_empty() { wrong.to_owned() } else { format!("{wrong} {left}") }
    }
}

/// What is left, or nothing where the token does not say.
pub(crate) fn tries_left(tries: TriesLeft, l: Language) -> Cow<'static, str> {
    match tries {
        TriesLeft::Exactly(1) | TriesLeft::Last => Cow::Borrowed(l.pick(
            "Última tentativa antes do bloqueio do token.",
            "Last try before the token locks.",
            "Último intento antes de que se bloquee el token.",
        )),
        TriesLeft::Exactly(n) => Cow::Owned(match l {
            Language::Pt => format!("Restam {n} tentativas."),
            Language::En => format!("{n} tries left."),
            Language::Es => format!("Quedan {n} intentos."),
        }),
        TriesLeft::Low => {
            Cow::Borrowed(l.pick("Restam poucas tentativas.", "Few tries left.", "Quedan pocos intentos."))
        }
        TriesLeft::Unknown => Cow::Borrowed(""),
    }
}

/// What the last try may cost, and what unlocks the token, where that is known.
pub(super) fn last(tool: Option<&str>, l: Language) -> Cow<'static, str> {
    let Some(tool) = tool else {
        return Cow::Borrowed(l.pick(
            "Resta UMA tentativa. Se o PIN estiver errado, o token será bloqueado, e só o programa do fabricante o desbloqueia.",
            "ONE try is left. If the PIN is wrong, the token locks, and only its vendor's program unlocks it.",
            "Queda UN intento. Si el PIN es incorrecto, el token se bloqueará y solo el programa del fabricante lo desbloquea.",
        ));
    };
    Cow::Owned(match l {
        Language::Pt => format!(
            "Resta UMA tentativa. Se o PIN estiver errado, o token será bloqueado, e só o programa do fabricante ({tool}) o desbloqueia."
        ),
        Language::En => format!(
            "ONE try is left. If the PIN is wrong, the token locks, and only its vendor's program ({tool}) unlocks it."
        ),
        Language::Es => format!(
            "Queda UN intento. Si el PIN es incorrecto, el token se bloqueará y solo el programa del fabricante ({tool}) lo desbloquea."
        ),
    })
}

/// That the PIN is locked, and what unlocks it, where that is known.
pub(super) fn locked(tool: Option<&str>, l: Language) -> Cow<'static, str> {
    let Some(tool) = tool else {
        return Cow::Borrowed(l.pick(
            "PIN bloqueado. Use o programa do token para desbloquear.",
            "PIN locked. Unlock it with the token's own program.",
            "PIN bloqueado. Desbloquéelo con el programa del token.",
        ));
    };
    Cow::Owned(match l {
        Language::Pt => format!("PIN bloqueado. Desbloqueie-o com «{tool}»."),
        Language::En => format!("PIN locked. Unlock it with \u{201c}{tool}\u{201d}."),
        Language::Es => format!("PIN bloqueado. Desbloquéelo con «{tool}»."),
    })
}
