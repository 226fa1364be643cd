//! What `diagnose` concludes, and what the person can do, in the three languages.

use signer_core::error::ErrorCode;

use crate::text::{Language, Sentence};

/// A conclusion: what is so, and what can be done; nothing where nothing is to be done.
pub(crate) struct Told {
    /// What is so.
    pub(crate) what: String,
    /// What can be done.
    pub(crate) remedy: Option<String>,
}

/// Fills `{0}`, `{1}` … of a sentence.
pub(crate) fn told(language: Language, what: Sentence, remedy: Sentence, values: &[&str]) -> Told {
    let remedy = language.choose(remedy);
    Told {
        what: filled(language.choose(what), values),
        remedy: (!remedy.is_empty()).then(|| filled(remedy, values)),
    }
}

/// As [`told`], with the sentence and remedy of a code after it.
pub(crate) fn told_by_code(language: Language, what: Sentence, code: ErrorCode, values: &[&str]) -> Told {
    Told {
        what: format!("{} {}", filled(language.choose(what), values), language.error(code)),
        remedy: Some(language.remedy(code.remedy()).to_owned()),
    }
}

/// What can be done about a certificate that may not sign, where the remedy of the code says less.
pub(crate) fn of_no_use(code: ErrorCode) -> Option<Sentence> {
    let table: [(ErrorCode, Sentence); 3] = [
        (
            ErrorCode::CredentialExpired,
            [
                "Renove o certificado na sua autoridade certificadora.",
                "Renew the certificate with your certification authority.",
                "Renueve el certificado en su autoridad de certificación.",
            ],
        ),
        (
            ErrorCode::CredentialNotForSigning,
            [
                "Use um certificado de assinatura; este serve a outro fim, como a autenticação.",
                "Use a certificate for signatures; this one serves another purpose, such as authentication.",
                "Use un certificado de firma; este sirve a otro fin, como la autenticación.",
            ],
        ),
        (
            ErrorCode::CredentialNotYetValid,
            [
                "Confira o relógio do computador.",
                "Check the clock of the machine.",
                "Compruebe el reloj del equipo.",
            ],
        ),
    ];
    table.into_iter().find(|(known, _)| *known == code).map(|(_, sentence)| sentence)
}

fn filled(sentence: &str, values: &[&str]) -> String {
    let numbered = values.iter().enumerate();
    numbered.fold(sentence.to_owned(), |text, (at, value)| text.replace(&format!("{{{at}}}"), value))
}

pub(crate) const NOTHING: Sentence = ["", "", ""];
pub(crate) const CAN_SIGN: Sentence = [
    "Certificados que podem assinar: {0}.",
    "Certificates that may sign: {0}.",
    "Certificados que pueden firmar: {0}.",
];
pub(crate) const CARD_SERVICE_FAILED: [Sentence; 2] = [
    [
        "O serviço de cartões falhou: {0}.",
        "The smart card service failed: {0}.",
        "El servicio de tarjetas falló: {0}.",
    ],
    [
        "Reinicie o serviço de cartões; se o erro continuar, reconecte o leitor.",
        "Restart the smart card service; if the error stays, reconnect the reader.",
        "Reinicie el servicio de tarjetas; si el error continúa, reconecte el lector.",
    ],
];
pub(crate) const CARD_SERVICE_NOT_INSTALLED: [Sentence; 2] = [
    [
        "O serviço de cartões (pcscd) não está instalado.",
        "The smart card service (pcscd) is not installed.",
        "El servicio de tarjetas (pcscd) no está instalado.",
    ],
    [
        "Para usar cartões e tokens, instale os pacotes pcscd e libccid (em outras distribuições, pcsc-lite e ccid). \
         Certificados A1 não precisam deles.",
        "To use cards and tokens, install the packages pcscd and libccid (elsewhere pcsc-lite and ccid). \
         A1 certificates do not need them.",
        "Para usar tarjetas y tokens, instale los paquetes pcscd y libccid (en otras distribuciones, pcsc-lite y ccid). \
         Los certificados A1 no los necesitan.",
    ],
];
pub(crate) const CARD_SERVICE_NOT_PERMITTED: [Sentence; 2] = [
    [
        "O serviço de cartões está em execução, mas recusa esta sessão.",
        "The smart card service runs, but refuses this login.",
        "El servicio de tarjetas está en ejecución, pero rechaza esta sesión.",
    ],
    [
        "Use uma sessão aberta no próprio computador, não por SSH; ou peça a quem o administra que permita \
         org.debian.pcsc-lite.access_pcsc e access_card no polkit.",
        "Use a session at the machine itself, not one by SSH; or ask whoever administers it to permit \
         org.debian.pcsc-lite.access_pcsc and access_card in polkit.",
        "Use una sesión abierta en el propio equipo, no por SSH; o pida a quien lo administra que permita \
         org.debian.pcsc-lite.access_pcsc y access_card en polkit.",
    ],
];
pub(crate) const CARD_SERVICE_NOT_RUNNING: [Sentence; 2] = [
    [
        "O serviço de cartões (pcscd) não está em execução.",
        "The smart card service (pcscd) is not running.",
        "El servicio de tarjetas (pcscd) no está en ejecución.",
    ],
    [
        "Inicie-o: no Linux, «sudo systemctl enable --now pcscd.socket». Certificados A1 não precisam dele.",
        "Start it: on Linux, 'sudo systemctl enable --now pcscd.socket'. A1 certificates do not need it.",
        "Inícielo: en Linux, «sudo systemctl enable --now pcscd.socket». Los certificados A1 no lo necesitan.",
    ],
];
pub(crate) const CARD_IN_USE: [Sentence; 2] = [
    [
        "Outro programa reservou o cartão do leitor {0} só para si. Programas que usam cartões agora: {1}.",
        "Another program keeps the card in the reader {0} for itself. Programs that use cards now: {1}.",
        "Otro programa reservó la tarjeta del lector {0} solo para sí. Programas que usan tarjetas ahora: {1}.",
    ],
    [
        "Feche esse programa, ou retire o cartão e insira-o de novo.",
        "Close that program, or take the card out and insert it again.",
        "Cierre ese programa, o retire la tarjeta e insértela de nuevo.",
    ],
];
pub(crate) const CARD_IN_USE_BY_SOMEBODY: [Sentence; 2] = [
    [
        "Outro programa reservou o cartão do leitor {0} só para si.",
        "Another program keeps the card in the reader {0} for itself.",
        "Otro programa reservó la tarjeta del lector {0} solo para sí.",
    ],
    CARD_IN_USE[1],
];
pub(crate) const CARD_SILENT: [Sentence; 2] = [
    [
        "O cartão no leitor {0} não responde.",
        "The card in the reader {0} does not answer.",
        "La tarjeta del lector {0} no responde.",
    ],
    [
        "Confira se está do lado certo e limpo, e insira-o de novo.",
        "Check that it is clean and the right way round, and insert it again.",
        "Compruebe que esté limpia y del lado correcto, e insértela de nuevo.",
    ],
];
pub(crate) const MODULE_FAILED: [Sentence; 2] = [
    [
        "O módulo de {0} ({1}) não funciona. {2}",
        "The module of {0} ({1}) does not work. {2}",
        "El módulo de {0} ({1}) no funciona. {2}",
    ],
    [
        "Atualize ou reinstale o programa do fabricante ({3}).",
        "Update or reinstall the vendor's software ({3}).",
        "Actualice o reinstale el programa del fabricante ({3}).",
    ],
];
pub(crate) const MODULE_FOREIGN: Sentence = [
    "Instale {3} para este sistema, na versão de 64 bits.",
    "Install {3} for this system, in its 64-bit version.",
    "Instale {3} para este sistema, en la versión de 64 bits.",
];
pub(crate) const MODULE_LEFT_OUT: Sentence = [
    "O módulo de {0} ({1}) não é usado: {2}.",
    "The module of {0} ({1}) is not used: {2}.",
    "El módulo de {0} ({1}) no se usa: {2}.",
];
pub(crate) const MODULE_MISPLACED: Sentence = [
    "Corrija o caminho onde ele foi dado ({4}).",
    "Correct the path where it was given ({4}).",
    "Corrija la ruta donde fue dada ({4}).",
];
pub(crate) const MODULE_QUARANTINED: [Sentence; 2] = [
    [
        "O módulo de {0} ({1}) falhou repetidas vezes e não é mais carregado.",
        "The module of {0} ({1}) failed again and again and is not loaded any more.",
        "El módulo de {0} ({1}) falló repetidas veces y ya no se carga.",
    ],
    [
        "Atualize o programa do fabricante; ou tente de novo: cybercore-signer modules retry '{1}'",
        "Update the vendor's software; or try again: cybercore-signer modules retry '{1}'",
        "Actualice el programa del fabricante; o inténtelo de nuevo: cybercore-signer modules retry '{1}'",
    ],
];
pub(crate) const MODULE_NOT_INSTALLED: [Sentence; 2] = [
    [
        "O cartão no leitor {0} é um {1}, e o seu módulo não está instalado.",
        "The card in the reader {0} is a {1}; its module is not installed.",
        "La tarjeta del lector {0} es una {1} y su módulo no está instalado.",
    ],
    [
        "Instale {2}, do fabricante ou da sua autoridade certificadora, na versão de 64 bits.",
        "Install {2}, from the vendor or your certification authority, in its 64-bit version.",
        "Instale {2}, del fabricante o de su autoridad de certificación, en la versión de 64 bits.",
    ],
];
pub(crate) const NO_CARD: [Sentence; 2] = [
    ["Não há cartão em nenhum leitor.", "No reader holds a card.", "No hay tarjeta en ningún lector."],
    [
        "Insira o cartão, com o chip para dentro e para o lado certo.",
        "Insert the card, chip first and the right way round.",
        "Inserte la tarjeta, con el chip hacia dentro y del lado correcto.",
    ],
];
pub(crate) const NO_CERTIFICATE: [Sentence; 2] = [
    [
        "O token {0} não mostra nenhum certificado sem PIN.",
        "The token {0} shows no certificate without a PIN.",
        "El token {0} no muestra ningún certificado sin PIN.",
    ],
    [
        "Veja no programa do fabricante se há um certificado no token; se não houver, ele ainda não foi emitido.",
        "See in the vendor's program whether the token has a certificate; if not, it was not issued yet.",
        "Vea en el programa del fabricante si el token tiene un certificado; si no, aún no fue emitido.",
    ],
];
pub(crate) const NO_MODULE: [Sentence; 2] = [
    [
        "Há um cartão no leitor {0} ({1}), mas nenhum módulo PKCS#11 está instalado.",
        "There is a card in the reader {0} ({1}), and no PKCS#11 module is installed.",
        "Hay una tarjeta en el lector {0} ({1}), pero no hay ningún módulo PKCS#11 instalado.",
    ],
    [
        "Instale o programa do fabricante do cartão; o OpenSC serve a vários modelos.",
        "Install the software of the card's vendor; OpenSC serves several models.",
        "Instale el programa del fabricante de la tarjeta; OpenSC sirve a varios modelos.",
    ],
];
pub(crate) const NO_READER: [Sentence; 2] = [
    [
        "Nenhum leitor ou token está conectado.",
        "No reader or token is connected.",
        "Ningún lector o token está conectado.",
    ],
    [
        "Conecte o leitor ou token. Se já está conectado, troque de porta USB e instale o driver do fabricante.",
        "Connect the reader or token. If it is connected, try another USB port and install the vendor's driver.",
        "Conecte el lector o token. Si ya está conectado, cambie de puerto USB e instale el controlador del fabricante.",
    ],
];
pub(crate) const NO_READER_BUT_PLUGGED: [Sentence; 2] = [
    [
        "Há um token conectado à USB ({0}), mas o serviço de cartões não o mostra.",
        "A token is plugged in ({0}), but the smart card service does not show it.",
        "Hay un token conectado al USB ({0}), pero el servicio de tarjetas no lo muestra.",
    ],
    [
        "Instale o driver de leitores (libccid) e reinicie o pcscd; alguns modelos exigem o driver do fabricante.",
        "Install the driver of readers (libccid) and restart pcscd; some models need the vendor's driver.",
        "Instale el controlador de lectores (libccid) y reinicie pcscd; algunos modelos exigen el del fabricante.",
    ],
];
pub(crate) const NO_TOKEN: [Sentence; 2] = [
    [
        "Há um cartão no leitor {0} ({1}), mas nenhum módulo instalado o reconhece.",
        "There is a card in the reader {0} ({1}), and no module that is installed recognises it.",
        "Hay una tarjeta en el lector {0} ({1}), pero ningún módulo instalado la reconoce.",
    ],
    [
        "Instale o programa do fabricante deste cartão; se já está instalado, diga onde com --module.",
        "Install the software of this card's vendor; if it is installed, say where with --module.",
        "Instale el programa del fabricante de esta tarjeta; si ya está instalado, indique dónde con --module.",
    ],
];
pub(crate) const NONE_MAY_SIGN: Sentence = [
    "Nenhum certificado do token {0} pode assinar.",
    "No certificate of the token {0} may sign.",
    "Ningún certificado del token {0} puede firmar.",
];
pub(crate) const PIN_LOCKED: Sentence = ["Token {0}:", "Token {0}:", "Token {0}:"];
pub(crate) const SANDBOXED: [Sentence; 2] = [
    [
        "Este programa está isolado ({0}) e não alcança os leitores nem os módulos do computador.",
        "This program runs in a sandbox ({0}) and reaches neither the machine's readers nor its modules.",
        "Este programa está aislado ({0}) y no alcanza los lectores ni los módulos del equipo.",
    ],
    [
        "Instale-o fora do isolamento, pelo pacote do sistema.",
        "Install it outside the sandbox, by the system's package.",
        "Instálelo fuera del aislamiento, con el paquete del sistema.",
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_their_numbers_are() {
        let told =
            told(Language::English, MODULE_NOT_INSTALLED[0], MODULE_NOT_INSTALLED[1], &["R", "C", "S"]);
        assert_eq!(told.what, "The card in the reader R is a C; its module is not installed.");
        assert_eq!(
            told.remedy.unwrap(),
            "Install S, from the vendor or your certification authority, in its 64-bit version."
        );
    }
}
