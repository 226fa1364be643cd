//! The words of the command line, with their help in three languages; those about the service
//! are in `arguments/service.rs`.

mod certify;
mod credentials;
mod place;
mod service;

use std::{path::PathBuf, sync::OnceLock};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::text::{Language, Sentence};

pub use certify::CertifyChoice;
pub use credentials::{CredentialAddArguments, CredentialsCommand, ProtectChoice};
pub use place::SealPlaceArguments;
pub use service::{
    ApproveArguments, AuditCommand, ConfigCommand, ModulesCommand, PairingsCommand, ServeArguments,
    StatusArguments,
};

/// The language of this process.
pub fn language() -> Language {
    static LANGUAGE: OnceLock<Language> = OnceLock::new();
    *LANGUAGE.get_or_init(Language::of_environment)
}

fn tr(sentence: Sentence) -> &'static str {
    language().choose(sentence)
}

/// `cybercore-signer`.
#[derive(Debug, Parser)]
#[command(
    name = "cybercore-signer",
    version,
    about = tr([
        "Assina e valida PDFs com certificados ICP-Brasil (A1, A3)",
        "Signs and validates PDFs with ICP-Brasil certificates (A1, A3)",
        "Firma y valida PDF con certificados ICP-Brasil (A1, A3)",
    ]),
    after_help = tr([
        "Códigos de saída: 0 sucesso; 1 recusa ou falha, com um código estável; 2 argumentos errados.\n\
         Em «validate»: 0 todas as assinaturas válidas, 1 alguma inválida, 2 não foi possível dizer.\n\
         «-» no lugar de um arquivo de senha é a entrada padrão. O idioma segue LC_ALL, LC_MESSAGES e LANG.",
        "Exit codes: 0 success; 1 refusal or failure, with a stable code; 2 wrong arguments.\n\
         For 'validate': 0 all signatures valid, 1 some not, 2 could not tell.\n\
         '-' in place of a secret's file is standard input. The language follows LC_ALL, LC_MESSAGES and LANG.",
        "Códigos de salida: 0 éxito; 1 rechazo o fallo, con un código estable; 2 argumentos incorrectos.\n\
         En «validate»: 0 todas las firmas válidas, 1 alguna inválida, 2 no se pudo determinar.\n\
         «-» en lugar de un archivo de contraseña es la entrada estándar. El idioma sigue LC_ALL, LC_MESSAGES y LANG.",
    ]),
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Asks the person in this terminal.
    #[command(about = tr([
        "Mostra os pedidos do serviço neste terminal e pergunta por eles",
        "Shows the service's requests in this terminal and asks about them",
        "Muestra las solicitudes del servicio en este terminal y pregunta por ellas",
    ]), after_help = tr([
        "A senha ou o PIN é digitado aqui, sem eco, a cada pedido. Ctrl-C nega.",
        "The password or PIN is typed here, without echo, at each request. Ctrl-C denies.",
        "La contraseña o el PIN se escribe aquí, sin eco, en cada solicitud. Ctrl-C deniega.",
    ]))]
    Approve(ApproveArguments),
    /// Looks at the audit trail.
    #[command(subcommand, about = tr([
        "Lista e confere a trilha de auditoria do serviço",
        "Lists and verifies the service's audit trail",
        "Enumera y verifica el registro de auditoría del servicio",
    ]))]
    Audit(AuditCommand),
    /// Lists certificates.
    #[command(about = tr([
        "Lista os certificados de um arquivo A1 ou dos tokens de um módulo PKCS#11",
        "Lists the certificates of an A1 file or of the tokens of a PKCS#11 module",
        "Enumera los certificados de un archivo A1 o de los tokens de un módulo PKCS#11",
    ]))]
    Certificates(CertificatesArguments),
    /// About the configuration.
    #[command(subcommand, about = tr([
        "Mostra o que pode ser configurado",
        "Shows what can be configured",
        "Muestra lo que se puede configurar",
    ]))]
    Config(ConfigCommand),
    /// Registers A1 files for the service.
    #[command(subcommand, about = tr([
        "Guarda, lista e esquece credenciais A1",
        "Stores, lists and forgets A1 credentials",
        "Guarda, enumera y olvida credenciales A1",
    ]))]
    Credentials(CredentialsCommand),
    /// Looks at the machine.
    #[command(about = tr([
        "Mostra leitores, módulos, tokens e relógio, e o que falta",
        "Shows readers, modules, tokens and clock, and what is missing",
        "Muestra lectores, módulos, tokens y reloj, y lo que falta",
    ]))]
    Diagnose(DiagnoseArguments),
    /// Which modules are used.
    #[command(subcommand, about = tr([
        "Lista os módulos PKCS#11 deste computador e libera os que estão em quarentena",
        "Lists the PKCS#11 modules of this machine and releases those in quarantine",
        "Enumera los módulos PKCS#11 de este equipo y libera los que están en cuarentena",
    ]))]
    Modules(ModulesCommand),
    /// Who was let in.
    #[command(subcommand, about = tr([
        "Lista e retira os sites e programas que podem pedir assinaturas",
        "Lists and removes the sites and programs that may ask for signatures",
        "Enumera y retira los sitios y programas que pueden pedir firmas",
    ]))]
    Pairings(PairingsCommand),
    /// Runs the service.
    #[command(about = tr([
        "Executa o serviço deste login em primeiro plano",
        "Runs the service of this login in the foreground",
        "Ejecuta el servicio de esta sesión en primer plano",
    ]))]
    Serve(ServeArguments),
    /// Signs one document.
    #[command(about = tr(["Assina um PDF", "Signs a PDF", "Firma un PDF"]), after_long_help = tr([
        SIGN_EXAMPLES_PT, SIGN_EXAMPLES_EN, SIGN_EXAMPLES_ES,
    ]))]
    Sign(Box<SignArguments>),
    /// Whether the service runs.
    #[command(about = tr([
        "Diz se o serviço deste login está em execução, e onde",
        "Tells whether the service of this login runs, and where",
        "Dice si el servicio de esta sesión está en ejecución, y dónde",
    ]))]
    Status(StatusArguments),
    /// Judges the signatures of one document.
    #[command(about = tr([
        "Valida as assinaturas de um PDF",
        "Validates the signatures of a PDF",
        "Valida las firmas de un PDF",
    ]))]
    Validate(ValidateArguments),
}

const SIGN_EXAMPLES_PT: &str = "Exemplos:\n  \
    cybercore-signer sign contrato.pdf assinado.pdf --p12 maria.p12\n  \
    cybercore-signer sign a.pdf b.pdf --p12 a1.pfx --p12-password-file senha.txt --seal default --reason \"Aprovação\"\n  \
    cybercore-signer sign a.pdf b.pdf --credential 1f0c7a52\n  \
    cybercore-signer sign a.pdf b.pdf --module /usr/lib/x86_64-linux-gnu/opensc-pkcs11.so\n\n\
    A senha ou o PIN vem de um arquivo ou é pedida no terminal, sem eco; nunca vem dos argumentos.\n\
    O PIN é tentado uma única vez.";
const SIGN_EXAMPLES_EN: &str = "Examples:\n  \
    cybercore-signer sign contract.pdf signed.pdf --p12 maria.p12\n  \
    cybercore-signer sign a.pdf b.pdf --p12 a1.pfx --p12-password-file secret.txt --seal default --reason Approval\n  \
    cybercore-signer sign a.pdf b.pdf --credential 1f0c7a52\n  \
    cybercore-signer sign a.pdf b.pdf --module /usr/lib/x86_64-linux-gnu/opensc-pkcs11.so\n\n\
    The password or PIN comes from a file or is asked for on the terminal, without echo; never from arguments.\n\
    A PIN is tried exactly once.";
const SIGN_EXAMPLES_ES: &str = "Ejemplos:\n  \
    cybercore-signer sign contrato.pdf firmado.pdf --p12 maria.p12\n  \
    cybercore-signer sign a.pdf b.pdf --p12 a1.pfx --p12-password-file clave.txt --seal default --reason Aprobación\n  \
    cybercore-signer sign a.pdf b.pdf --credential 1f0c7a52\n  \
    cybercore-signer sign a.pdf b.pdf --module /usr/lib/x86_64-linux-gnu/opensc-pkcs11.so\n\n\
    La contraseña o el PIN viene de un archivo o se pide en el terminal, sin eco; nunca de los argumentos.\n\
    El PIN se intenta una sola vez.";

/// Where the credential is.
#[derive(Debug, Args)]
pub struct CredentialArguments {
    /// An A1 file.
    #[arg(long, value_name = "FILE", group = "a1", conflicts_with = "module", help = tr([
        "Arquivo A1 (PKCS#12: .p12 ou .pfx)",
        "A1 file (PKCS#12: .p12 or .pfx)",
        "Archivo A1 (PKCS#12: .p12 o .pfx)",
    ]))]
    pub p12: Option<PathBuf>,
    /// A registered credential.
    #[arg(long, value_name = "ID", group = "a1", conflicts_with = "module", help = tr([
        "Credencial A1 registrada: seu identificador ou o início dele, como mostra «credentials list»",
        "Registered A1 credential: its identifier or the beginning of it, as 'credentials list' shows it",
        "Credencial A1 registrada: su identificador o su comienzo, como lo muestra «credentials list»",
    ]))]
    pub credential: Option<String>,
    /// Its password.
    #[arg(long, value_name = "FILE", requires = "a1", conflicts_with = "module", help = tr([
        "Arquivo com a senha do A1; sem ele, a senha é pedida no terminal",
        "File with the A1's password; without it the password is asked for on the terminal",
        "Archivo con la contraseña del A1; sin él, se pide en el terminal",
    ]))]
    pub p12_password_file: Option<PathBuf>,
    /// A PKCS#11 module.
    #[arg(long, value_name = "LIB", help = tr([
        "Módulo PKCS#11 do fabricante do token",
        "PKCS#11 module of the token's vendor",
        "Módulo PKCS#11 del fabricante del token",
    ]))]
    pub module: Option<PathBuf>,
    /// The token.
    #[arg(long, value_name = "LABEL", requires = "module", conflicts_with = "p12", help = tr([
        "Rótulo ou número de série do token; desnecessário se houver um só",
        "Label or serial number of the token; not needed where there is only one",
        "Etiqueta o número de serie del token; innecesario si hay solo uno",
    ]))]
    pub token: Option<String>,
    /// Its PIN.
    #[arg(long, value_name = "FILE", requires = "module", conflicts_with = "p12", help = tr([
        "Arquivo com o PIN; sem ele, o PIN é pedido no terminal",
        "File with the PIN; without it the PIN is asked for on the terminal",
        "Archivo con el PIN; sin él, se pide en el terminal",
    ]))]
    pub pin_file: Option<PathBuf>,
    /// Whether the last try may be used.
    #[arg(long, requires = "pin_file", help = tr([
        "Usa o PIN mesmo que reste uma única tentativa: se estiver errado, o token será bloqueado",
        "Uses the PIN even where one try is left: if it is wrong, the token locks",
        "Usa el PIN aunque quede un solo intento: si es incorrecto, el token se bloqueará",
    ]))]
    pub use_last_try: bool,
    /// The certificate.
    #[arg(long, value_name = "ID", help = tr([
        "Identificador do certificado (início do seu SHA-256, ao menos 8 dígitos), como mostra «certificates»",
        "Identifier of the certificate (beginning of its SHA-256, at least 8 digits), as 'certificates' shows it",
        "Identificador del certificado (comienzo de su SHA-256, al menos 8 dígitos), como lo muestra «certificates»",
    ]))]
    pub certificate: Option<String>,
}

/// `certificates`.
#[derive(Debug, Args)]
pub struct CertificatesArguments {
    /// Where to look.
    #[command(flatten)]
    pub credential: CredentialArguments,
    /// For programs.
    #[arg(long, help = tr(JSON))]
    pub json: bool,
}

/// `diagnose`.
#[derive(Debug, Args)]
pub struct DiagnoseArguments {
    /// A further module to look at.
    #[arg(long, value_name = "LIB", help = tr([
        "Examina também este módulo PKCS#11",
        "Looks at this PKCS#11 module too",
        "Examina también este módulo PKCS#11",
    ]))]
    pub module: Option<PathBuf>,
    /// How long each module may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600), help = tr([
        "Quanto tempo os módulos têm para responder, em segundos",
        "How long the modules may take to answer, in seconds",
        "Cuánto tiempo tienen los módulos para responder, en segundos",
    ]))]
    pub wait: u64,
    /// For programs.
    #[arg(long, help = tr(JSON))]
    pub json: bool,
}

/// `sign`.
#[derive(Debug, Args)]
pub struct SignArguments {
    /// The document.
    #[arg(value_name = "IN.pdf", help = tr(["PDF a assinar", "PDF to sign", "PDF que se firma"]))]
    pub input: PathBuf,
    /// The result.
    #[arg(value_name = "OUT.pdf", help = tr([
        "Onde gravar o PDF assinado",
        "Where to write the signed PDF",
        "Dónde guardar el PDF firmado",
    ]))]
    pub output: PathBuf,
    /// The document's password.
    #[arg(long, value_name = "FILE", help = tr(DOCUMENT_PASSWORD))]
    pub document_password_file: Option<PathBuf>,
    /// The credential.
    #[command(flatten)]
    pub credential: CredentialArguments,
    /// An existing field.
    #[arg(long, value_name = "NAME", conflicts_with = "new_field", help = tr([
        "Usa este campo de assinatura vazio do documento",
        "Uses this empty signature field of the document",
        "Usa este campo de firma vacío del documento",
    ]))]
    pub field: Option<String>,
    /// A new field.
    #[arg(long, value_name = "NAME", help = tr([
        "Nome do novo campo de assinatura",
        "Name of the new signature field",
        "Nombre del nuevo campo de firma",
    ]))]
    pub new_field: Option<String>,
    /// A certification.
    #[arg(
        long,
        value_name = "LEVEL",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "as-field",
        help = tr([
            "Certifica o documento, na sua primeira assinatura, e diz o que continua permitido depois dela; \
             sem esta opção a assinatura é de aprovação",
            "Certifies the document, in its first signature, and says what is still permitted after it; \
             without this option the signature is an approval",
            "Certifica el documento, en su primera firma, y dice qué sigue permitido después de ella; \
             sin esta opción la firma es de aprobación",
        ])
    )]
    pub certify: Option<CertifyChoice>,
    /// The seal.
    #[arg(long, value_enum, default_value_t = SealChoice::None, help = tr([
        "Selo visível", "Visible seal", "Sello visible",
    ]))]
    pub seal: SealChoice,
    /// Where it stands.
    #[command(flatten)]
    pub place: SealPlaceArguments,
    /// The reason.
    #[arg(long, value_name = "TEXT", help = tr([
        "Motivo da assinatura", "Reason of the signature", "Motivo de la firma",
    ]))]
    pub reason: Option<String>,
    /// The place.
    #[arg(long, value_name = "TEXT", help = tr([
        "Local da assinatura", "Place of the signature", "Lugar de la firma",
    ]))]
    pub location: Option<String>,
    /// The digest.
    #[arg(long, value_enum, help = tr([
        "Resumo criptográfico; o padrão acompanha a chave",
        "Digest; the default goes with the key",
        "Resumen criptográfico; el valor predeterminado acompaña a la clave",
    ]))]
    pub digest: Option<DigestChoice>,
    /// The check.
    #[arg(long, value_enum, default_value_t = CheckChoice::Running, help = tr([
        "Conferência do resultado: «running» usa o resumo da passagem única, «full» lê o arquivo de novo",
        "Check of the result: 'running' uses the digest of the one pass, 'full' reads the file again",
        "Comprobación del resultado: «running» usa el resumen de la única pasada, «full» vuelve a leer el archivo",
    ]))]
    pub verify: CheckChoice,
    /// Replace the output.
    #[arg(long, help = tr([
        "Substitui o arquivo de saída se ele existir",
        "Replaces the output if it exists",
        "Reemplaza el archivo de salida si existe",
    ]))]
    pub force: bool,
    /// For programs.
    #[arg(long, help = tr(JSON))]
    pub json: bool,
}

/// `validate`.
#[derive(Debug, Args)]
pub struct ValidateArguments {
    /// The document.
    #[arg(value_name = "FILE.pdf", help = tr(["PDF a validar", "PDF to validate", "PDF que se valida"]))]
    pub input: PathBuf,
    /// The document's password.
    #[arg(long, value_name = "FILE", help = tr(DOCUMENT_PASSWORD))]
    pub document_password_file: Option<PathBuf>,
    /// Trust anchors.
    #[arg(long, value_name = "PEM", help = tr([
        "Certificado raiz em que confiar, além das raízes da ICP-Brasil (PEM ou DER; pode repetir)",
        "Root certificate to trust, beside the roots of ICP-Brasil (PEM or DER; may be repeated)",
        "Certificado raíz en el que confiar, además de las raíces de la ICP-Brasil (PEM o DER; puede repetirse)",
    ]))]
    pub trust: Vec<PathBuf>,
    /// The time of validation.
    #[arg(long, value_name = "TIME", help = tr([
        "Momento da validação, como 2026-11-30T18:49:28-03:00; o padrão é agora",
        "Time of validation, as 2026-11-30T18:49:28-03:00; the default is now",
        "Momento de la validación, como 2026-11-30T18:49:28-03:00; por defecto, ahora",
    ]))]
    pub at: Option<String>,
    /// For programs.
    #[arg(long, help = tr(JSON))]
    pub json: bool,
}

const DOCUMENT_PASSWORD: Sentence = [
    "Arquivo com a senha do documento cifrado; sem ele, se for preciso, a senha é pedida no terminal",
    "File with the encrypted document's password; without it, where needed, it is asked for on the terminal",
    "Archivo con la contraseña del documento cifrado; sin él, si hace falta, se pide en el terminal",
];
const JSON: Sentence = ["Saída em JSON", "Output as JSON", "Salida en JSON"];

/// `--seal`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SealChoice {
    /// The seal that the program ships.
    Default,
    /// An invisible signature.
    None,
}

/// `--digest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DigestChoice {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// `--verify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckChoice {
    /// Read the result again.
    Full,
    /// Use the running digest.
    Running,
}
