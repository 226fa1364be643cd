//! What is said about PKCS#11 modules: who named them, why they are not used, what happened.

use crate::{
    text::{Language, Sentence},
    token::{
        architecture::{Difference, Mismatch},
        error::Step,
        modules::{
            Origin, Reason,
            known::Note,
            p11_kit::Unused,
            quarantine::{Incident, What},
        },
    },
};

/// Who named a module.
pub(crate) fn origin(language: Language, origin: &Origin) -> String {
    let sentence: Sentence = match origin {
        Origin::CommandLine => ["linha de comando", "command line", "línea de comandos"],
        Origin::Configuration => ["configuração", "configuration", "configuración"],
        Origin::Environment => {
            ["variável PKCS11_DRIVER", "the variable PKCS11_DRIVER", "variable PKCS11_DRIVER"]
        }
        Origin::Known => ["produto conhecido", "known product", "producto conocido"],
        Origin::P11Kit { .. } => ["registro do p11-kit", "registered with p11-kit", "registro de p11-kit"],
    };
    let words = language.choose(sentence);
    match origin {
        Origin::P11Kit { file, .. } => format!("{words}, {}", file.display()),
        Origin::CommandLine | Origin::Configuration | Origin::Environment | Origin::Known => words.to_owned(),
    }
}

/// Why a module is not used, without a period.
pub(crate) fn reason(language: Language, reason: &Reason) -> String {
    let (sentence, detail): (Sentence, Option<String>) = match reason {
        Reason::Architecture(mismatch) => return architecture(language, mismatch),
        Reason::Duplicate(other) => (
            ["é o mesmo módulo que", "is the same module as", "es el mismo módulo que"],
            Some(other.display().to_string()),
        ),
        Reason::Missing => (["o arquivo não existe", "there is no such file", "el archivo no existe"], None),
        Reason::NotALibrary => (
            [
                "o arquivo não é uma biblioteca deste sistema",
                "the file is no library of this system",
                "el archivo no es una biblioteca de este sistema",
            ],
            None,
        ),
        Reason::NotNamed => (
            [
                "é para testes e servidores; só é usado se a configuração, --module ou PKCS11_DRIVER o nomear",
                "is for tests and servers; used only where the configuration, --module or PKCS11_DRIVER names it",
                "es para pruebas y servidores; solo se usa si la configuración, --module o PKCS11_DRIVER lo nombra",
            ],
            None,
        ),
        Reason::P11Kit(unused) => return p11_kit(language, unused),
        Reason::Relative => {
            (["o caminho não é absoluto", "the path is not absolute", "la ruta no es absoluta"], None)
        }
        Reason::SameProduct(other) => (
            [
                "outro módulo do mesmo produto é usado:",
                "another module of the same product is used:",
                "se usa otro módulo del mismo producto:",
            ],
            Some(other.display().to_string()),
        ),
        Reason::Unreadable(words) => {
            (["não pôde ser lido:", "cannot be read:", "no se pudo leer:"], Some(words.clone()))
        }
    };
    match detail {
        Some(detail) => format!("{} {detail}", language.choose(sentence)),
        None => language.choose(sentence).to_owned(),
    }
}

/// For what a library is, and for what this program is.
fn architecture(language: Language, mismatch: &Mismatch) -> String {
    let [subject, program]: [Sentence; 2] = match (mismatch.difference, usize::BITS) {
        (Difference::Width, 64) => [
            ["biblioteca de 32 bits", "32-bit library", "biblioteca de 32 bits"],
            ["programa de 64 bits", "64-bit program", "programa de 64 bits"],
        ],
        (Difference::Width, _) => [
            ["biblioteca de 64 bits", "64-bit library", "biblioteca de 64 bits"],
            ["programa de 32 bits", "32-bit program", "programa de 32 bits"],
        ],
        (Difference::Processor, _) => [
            [
                "biblioteca para outro processador",
                "library for another processor",
                "biblioteca para otro procesador",
            ],
            ["este programa", "this program", "este programa"],
        ],
        (Difference::System, _) => [
            ["biblioteca para outro sistema", "library for another system", "biblioteca para otro sistema"],
            ["este programa", "this program", "este programa"],
        ],
    };
    let [subject, program] = [subject, program].map(|sentence| language.choose(sentence));
    let [found, expected] = &mismatch.names;
    format!("{subject} ({found}), {program} ({expected})")
}

fn p11_kit(language: Language, unused: &Unused) -> String {
    let sentence: Sentence = match unused {
        Unused::Disabled => [
            "o p11-kit o desativa para este programa (enable-in ou disable-in)",
            "p11-kit disables it for this program (enable-in or disable-in)",
            "p11-kit lo desactiva para este programa (enable-in o disable-in)",
        ],
        Unused::FileName => [
            "o nome do arquivo não termina em .module",
            "the name of the file does not end in .module",
            "el nombre del archivo no termina en .module",
        ],
        Unused::Malformed(words) => {
            let sentence = [
                "o arquivo não pôde ser entendido",
                "the file cannot be understood",
                "no se entiende el archivo",
            ];
            return format!("{} ({words})", language.choose(sentence));
        }
        Unused::Nameless => {
            ["o arquivo não nomeia um módulo", "the file names no module", "el archivo no nombra un módulo"]
        }
        Unused::Remote => [
            "é alcançado por outro processo (remote), o que este programa não faz",
            "is reached through another process (remote), which this program does not do",
            "se alcanza por otro proceso (remote), lo que este programa no hace",
        ],
        Unused::TrustPolicy => [
            "só tem certificados de confiança, nenhuma chave",
            "holds certificates to trust in, and no keys",
            "solo tiene certificados de confianza, ninguna clave",
        ],
    };
    language.choose(sentence).to_owned()
}

/// What happened, and at which step; without the time.
pub(crate) fn incident(language: Language, incident: &Incident) -> String {
    let step = language.choose(step(incident.step));
    let during = language.choose(["ao", "while", "al"]);
    match &incident.what {
        What::Crashed { status } => {
            let crashed = language.choose(["encerrou-se com erro", "crashed", "terminó con error"]);
            format!("{crashed} {during} {step} ({status})")
        }
        What::Hung { seconds } => {
            let hung = language.choose(["não respondeu", "did not answer", "no respondió"]);
            let within = language.choose(["em", "within", "en"]);
            format!("{hung} {within} {seconds} s {during} {step}")
        }
    }
}

/// What a token host does, after "while".
const fn step(step: Step) -> Sentence {
    match step {
        Step::Credentials => ["listar certificados", "listing certificates", "enumerar certificados"],
        Step::OpenFile => ["abrir o arquivo", "opening the file", "abrir el archivo"],
        Step::OpenModule => ["carregar o módulo", "loading the module", "cargar el módulo"],
        Step::Sign => ["assinar", "signing", "firmar"],
        Step::Start => ["iniciar", "starting", "iniciar"],
        Step::Store => ["cifrar a chave", "encrypting the key", "cifrar la clave"],
        Step::Tokens => ["listar tokens", "listing tokens", "enumerar tokens"],
        Step::Unlock => ["receber o PIN", "taking the PIN", "recibir el PIN"],
    }
}

/// What the users of a product should know.
pub(crate) const fn note(note: Note) -> Sentence {
    match note {
        Note::NeedsDaemon => [
            "Só funciona com o programa do fabricante em execução.",
            "It works only while the vendor's background program runs.",
            "Solo funciona con el programa del fabricante en ejecución.",
        ],
        Note::NeedsNetwork => [
            "O certificado fica na nuvem: é preciso rede e sessão aberta no programa do fabricante.",
            "The certificate is in the cloud: it needs the network, and a login in the vendor's program.",
            "El certificado está en la nube: se necesita red y sesión abierta en el programa del fabricante.",
        ],
        Note::NeedsOldLibraries => [
            "Em sistemas novos, o instalador pode exigir bibliotecas antigas; prefira a versão mais recente.",
            "On new systems its installer may ask for old libraries; prefer the newest version.",
            "En sistemas nuevos, el instalador puede exigir bibliotecas antiguas; prefiera la versión más reciente.",
        ],
        Note::OftenThirtyTwoBit => [
            "Muitas versões são só de 32 bits e não servem a este programa.",
            "Many versions are 32-bit only and of no use to this program.",
            "Muchas versiones son solo de 32 bits y no sirven a este programa.",
        ],
    }
}
