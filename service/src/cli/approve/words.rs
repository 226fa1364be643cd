//! What the terminal agent says, in the three languages.

use signer_core::{
    error::{ErrorCode, Remedy},
    pdf::permission::{Permission, SignatureType},
};
use signer_ipc::{
    message::Outcome,
    summary::{Certification, Kind, Lock, Scope, Storage},
    token_host::TriesLeft,
};

use crate::text::{Language, Sentence};

pub(super) const START_SERVICE: Sentence = [
    "Inicie o serviço com «cybercore-signer serve».",
    "Start the service with 'cybercore-signer serve'.",
    "Inicie el servicio con «cybercore-signer serve».",
];
pub(super) const SERVICE_ENDED: Sentence =
    ["O serviço terminou.", "The service has ended.", "El servicio terminó."];
pub(super) const READY: Sentence = [
    "Pronto: os pedidos aparecem aqui. Ctrl-C termina.",
    "Ready: requests appear here. Ctrl-C ends.",
    "Listo: las solicitudes aparecen aquí. Ctrl-C termina.",
];
pub(super) const WRITE_WORD: Sentence =
    ["Digite «aprovar» ou «negar»: ", "Type 'approve' or 'deny': ", "Escriba «aprobar» o «denegar»: "];
pub(super) const WRITE_WORD_FOR_PAIRING: Sentence = [
    "Digite «aprovar» ou «negar»; com «sempre» depois, a resposta será lembrada: ",
    "Type 'approve' or 'deny'; with 'always' after it, the answer is remembered: ",
    "Escriba «aprobar» o «denegar»; con «siempre» después, se recordará la respuesta: ",
];
pub(super) const APPROVE: Sentence = ["aprovar", "approve", "aprobar"];
pub(super) const DENY: Sentence = ["negar", "deny", "denegar"];
pub(super) const ALWAYS: Sentence = ["sempre", "always", "siempre"];
pub(super) const NOT_UNDERSTOOD: Sentence = [
    "Não entendi; escreva a palavra inteira.",
    "Not understood; write the whole word.",
    "No entendido; escriba la palabra completa.",
];
pub(super) const PASSWORD: Sentence =
    ["Senha do certificado: ", "Certificate password: ", "Contraseña del certificado: "];
pub(super) const PIN: Sentence = ["PIN do certificado: ", "Certificate PIN: ", "PIN del certificado: "];
pub(super) const TOO_LONG: Sentence =
    ["Isto é longo demais.", "This is too long.", "Esto es demasiado largo."];
pub(super) const EMPTY: Sentence = [
    "Nada foi digitado; Ctrl-C nega o pedido.",
    "Nothing was typed; Ctrl-C denies the request.",
    "No se escribió nada; Ctrl-C deniega la solicitud.",
];
pub(super) const NOT_TRIED: Sentence = [
    "O token diz que resta uma só tentativa; o PIN não foi tentado.",
    "The token says that one try is left; the PIN was not tried.",
    "El token dice que queda un solo intento; el PIN no se intentó.",
];
pub(super) const RISK_OR_DENY: Sentence = [
    "Digite «arriscar» para usar a última tentativa, ou «negar»: ",
    "Type 'risk' to use the last try, or 'deny': ",
    "Escriba «arriesgar» para usar el último intento, o «denegar»: ",
];
pub(super) const FEW_TRIES: Sentence = [
    "Restam poucas tentativas antes do bloqueio do token.",
    "Few tries are left before the token locks.",
    "Quedan pocos intentos antes del bloqueo del token.",
];
pub(super) const READER_LATER: Sentence = [
    "O PIN será digitado no leitor.",
    "The PIN will be entered on the reader.",
    "El PIN se escribirá en el lector.",
];
pub(super) const READER_NOW: Sentence = [
    "Tecle Enter e digite o PIN no leitor: ",
    "Press Enter and enter the PIN on the reader: ",
    "Pulse Enter y escriba el PIN en el lector: ",
];
pub(super) const TOKEN_LATER: Sentence = [
    "O token não está conectado; será pedido depois da aprovação.",
    "The token is not connected; it is asked for after the approval.",
    "El token no está conectado; se pedirá después de la aprobación.",
];
pub(super) const INSERT_TOKEN: Sentence = [
    "Conecte o token ou cartão. Enter ou Ctrl-C desiste.",
    "Insert the token or card. Enter or Ctrl-C gives up.",
    "Conecte el token o tarjeta. Enter o Ctrl-C desiste.",
];
pub(super) const AGAIN_FOR_EVERY_SIGNATURE: Sentence = [
    "Este certificado pede o PIN a cada assinatura.",
    "This certificate asks for the PIN at each signature.",
    "Este certificado pide el PIN en cada firma.",
];
pub(super) const PRESS_ENTER: Sentence = [
    "A senha não é mais necessária e o que foi digitado não será usado. Tecle Enter.",
    "The secret is no longer needed and what was typed is not used. Press Enter.",
    "La contraseña ya no es necesaria y lo escrito no se usará. Pulse Enter.",
];
pub(super) const SIGNING: Sentence = ["Assinando…", "Signing…", "Firmando…"];
pub(super) const WRONG_NUMBER: Sentence = [
    "Não há certificado com esse número.",
    "No certificate has that number.",
    "Ningún certificado tiene ese número.",
];

/// The heading of a request.
pub(super) const fn title(kind: Kind) -> Sentence {
    match kind {
        Kind::Pairing => ["Permitir acesso", "Allow access", "Permitir acceso"],
        Kind::Selection => ["Escolher certificado", "Choose a certificate", "Elegir certificado"],
        Kind::Signature => ["Confirmar assinatura", "Confirm signature", "Confirmar firma"],
    }
}

/// What the client wants.
pub(super) fn wish(kind: Kind, documents: usize, language: Language) -> String {
    let fixed = |sentence| language.choose(sentence).to_owned();
    match kind {
        Kind::Pairing => fixed([
            "quer usar o CyberCore Signer neste computador",
            "wants to use CyberCore Signer on this computer",
            "quiere usar CyberCore Signer en este equipo",
        ]),
        Kind::Selection => fixed([
            "quer conhecer um dos seus certificados",
            "wants to know one of your certificates",
            "quiere conocer uno de sus certificados",
        ]),
        Kind::Signature if documents == 1 => fixed([
            "quer assinar um documento com o seu certificado",
            "wants to sign a document with your certificate",
            "quiere firmar un documento con su certificado",
        ]),
        Kind::Signature => match language {
            Language::Portuguese => format!("quer assinar {documents} documentos com o seu certificado"),
            Language::English => format!("wants to sign {documents} documents with your certificate"),
            Language::Spanish => format!("quiere firmar {documents} documentos con su certificado"),
        },
    }
}

/// What a lock permits, in the words that the command line has too.
pub(super) const fn permission(lock: Lock) -> Permission {
    match lock {
        Lock::Annotations => Permission::Annotations,
        Lock::FormFilling => Permission::FormFilling,
        Lock::NoChanges => Permission::NoChanges,
    }
}

/// A certification, whose words the command line has too.
pub(super) const fn signature_type(certification: Certification) -> SignatureType {
    match certification {
        Certification::Annotations => SignatureType::Certification(Permission::Annotations),
        Certification::FormFilling => SignatureType::Certification(Permission::FormFilling),
        Certification::ItiReference => SignatureType::DocMdpReference,
        Certification::NoChanges => SignatureType::Certification(Permission::NoChanges),
    }
}

/// What a client may do once it is let in.
pub(super) const fn scope(scope: Scope) -> Sentence {
    match scope {
        Scope::Certificates => [
            "ver os certificados deste computador",
            "see the certificates of this computer",
            "ver los certificados de este equipo",
        ],
        Scope::Sign => [
            "pedir assinaturas; cada uma será confirmada",
            "ask for signatures; each one is confirmed",
            "pedir firmas; cada una se confirmará",
        ],
    }
}

/// Where a key is.
pub(super) const fn storage(storage: Storage) -> Sentence {
    match storage {
        Storage::A1 => ["A1 (arquivo)", "A1 (file)", "A1 (archivo)"],
        Storage::A3 => ["A3 (token)", "A3 (token)", "A3 (token)"],
    }
}

/// When the answer becomes no.
pub(super) fn countdown(seconds: u64, language: Language) -> String {
    match language {
        Language::Portuguese => format!("Será negado em {seconds} s"),
        Language::English => format!("Will be denied in {seconds} s"),
        Language::Spanish => format!("Se denegará en {seconds} s"),
    }
}

/// How many requests wait behind this one.
pub(super) fn waiting(count: u32, language: Language) -> String {
    match language {
        Language::Portuguese => format!("Pedidos à espera depois deste: {count}"),
        Language::English => format!("Requests waiting behind this one: {count}"),
        Language::Spanish => format!("Solicitudes en espera después de esta: {count}"),
    }
}

/// Asks which certificate, of so many.
pub(super) fn choose(count: usize, language: Language) -> String {
    match language {
        Language::Portuguese => format!("Certificado, de 1 a {count} (Enter escolhe o 1): "),
        Language::English => format!("Certificate, 1 to {count} (Enter takes 1): "),
        Language::Spanish => format!("Certificado, de 1 a {count} (Enter elige el 1): "),
    }
}

/// That the last secret was wrong, and how many tries are left.
pub(super) fn incorrect(tries: TriesLeft, language: Language) -> String {
    let fixed = |sentence| language.choose(sentence).to_owned();
    match tries {
        TriesLeft::Exactly(1) | TriesLeft::Last => fixed([
            "Incorreto. Última tentativa antes do bloqueio do token.",
            "Incorrect. Last try before the token locks.",
            "Incorrecto. Último intento antes del bloqueo del token.",
        ]),
        TriesLeft::Exactly(count) => match language {
            Language::Portuguese => format!("Incorreto. Restam {count} tentativas."),
            Language::English => format!("Incorrect. {count} tries are left."),
            Language::Spanish => format!("Incorrecto. Quedan {count} intentos."),
        },
        TriesLeft::Low => fixed([
            "Incorreto. Restam poucas tentativas.",
            "Incorrect. Few tries are left.",
            "Incorrecto. Quedan pocos intentos.",
        ]),
        TriesLeft::Unknown => fixed(["Incorreto.", "Incorrect.", "Incorrecto."]),
    }
}

/// That the PIN is locked, and what unlocks it.
pub(super) fn locked(tool: Option<&str>, language: Language) -> String {
    let locked = language.choose([
        "O PIN deste certificado está bloqueado.",
        "The PIN of this certificate is locked.",
        "El PIN de este certificado está bloqueado.",
    ]);
    match tool {
        Some(tool) => format!("{locked} {}", language.unlock_with(tool)),
        None => format!("{locked} {}", language.remedy(Remedy::UnlockToken)),
    }
}

/// How a batch goes.
pub(super) fn progress(done: u32, of: u32, language: Language) -> String {
    match language {
        Language::Portuguese => format!("Assinados: {done} de {of}"),
        Language::English => format!("Signed: {done} of {of}"),
        Language::Spanish => format!("Firmados: {done} de {of}"),
    }
}

/// How a request ended.
pub(super) fn outcome(outcome: &Outcome, language: Language) -> String {
    match outcome {
        Outcome::Approved => {
            language.choose(["Aprovado e feito.", "Approved and done.", "Aprobado y hecho."])
        }
        Outcome::Denied => language.choose(["Negado.", "Denied.", "Denegado."]),
        Outcome::Expired => language.choose([
            "Negado: o tempo acabou.",
            "Denied: time ran out.",
            "Denegado: se acabó el tiempo.",
        ]),
        Outcome::Cancelled => language.choose([
            "O pedido foi cancelado.",
            "The request was withdrawn.",
            "La solicitud fue cancelada.",
        ]),
        Outcome::Failed { code, words } => {
            let failed = language.choose(["Não foi possível", "It did not work", "No fue posible"]);
            return match own_words(code, language) {
                Some(own) => format!("{failed}: {own}"),
                None => format!("{failed}: {words}"),
            };
        }
    }
    .to_owned()
}

/// What happened and what to do, in the language of this terminal, which need not be the
/// service's. Nothing where the service knows more than the code says: which tool unlocks a PIN.
fn own_words(code: &str, language: Language) -> Option<String> {
    let code = ErrorCode::ALL.iter().copied().find(|known| known.as_str() == code)?;
    (!matches!(code, ErrorCode::PinLocked | ErrorCode::PinUnusable))
        .then(|| format!("{} {}", language.error(code), language.remedy(code.remedy())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_told_in_the_language_of_the_terminal() {
        let failed = |code: &str| Outcome::Failed { code: code.to_owned(), words: "Do serviço.".to_owned() };
        let told = outcome(&failed("token-removed"), Language::English);
        assert!(told.contains(Language::English.error(ErrorCode::TokenRemoved)), "{told}");
        assert!(!told.contains("serviço"), "{told}");
        // Here the service names the tool, and of a newer service the code is unknown.
        for code in ["pin-locked", "of-a-newer-service"] {
            assert!(outcome(&failed(code), Language::English).ends_with("Do serviço."));
        }
    }
}
