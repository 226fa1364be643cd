//! The words of `credentials`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::cli::arguments::{JSON, tr};

/// `credentials`.
#[derive(Debug, Subcommand)]
pub enum CredentialsCommand {
    /// Imports or links a file.
    #[command(about = tr([
        "Importa um arquivo A1: a chave é cifrada de novo e guardada; o arquivo não é tocado",
        "Imports an A1 file: its key is encrypted anew and stored; the file is not touched",
        "Importa un archivo A1: la clave se cifra de nuevo y se guarda; el archivo no se toca",
    ]), after_help = tr([
        "A senha é pedida no terminal ou lida de --p12-password-file. Sem outra opção, a chave guardada\n\
         fica sob a mesma senha, que é pedida a cada assinatura. Com «--protect keystore» ela fica sob o\n\
         chaveiro do sistema, e nenhuma senha é pedida: só a confirmação.",
        "The password is asked for on the terminal or read from --p12-password-file. Without another option the\n\
         stored key is under the same password, which is asked for at each signature. With '--protect keystore'\n\
         it is under the keystore of the system, and no password is asked for: only the confirmation.",
        "La contraseña se pide en el terminal o se lee de --p12-password-file. Sin otra opción, la clave guardada\n\
         queda bajo la misma contraseña, que se pide en cada firma. Con «--protect keystore» queda bajo el\n\
         llavero del sistema, y no se pide ninguna contraseña: solo la confirmación.",
    ]))]
    Add(CredentialAddArguments),
    /// Lists what is registered.
    #[command(about = tr([
        "Lista as credenciais A1 registradas, e os arquivos da pasta vigiada que esperam a senha",
        "Lists the registered A1 credentials, and the files of the watched folder that wait for their password",
        "Enumera las credenciales A1 registradas, y los archivos de la carpeta vigilada que esperan su contraseña",
    ]))]
    List {
        /// For programs.
        #[arg(long, help = tr(JSON))]
        json: bool,
    },
    /// Forgets one.
    #[command(about = tr([
        "Esquece uma credencial e apaga a chave guardada; o arquivo A1 original fica onde está",
        "Forgets a credential and deletes its stored key; the original A1 file stays where it is",
        "Olvida una credencial y borra la clave guardada; el archivo A1 original se queda donde está",
    ]))]
    Remove {
        /// Its identifier, or the beginning of it.
        #[arg(value_name = "ID", help = tr([
            "Identificador ou seu início (8 caracteres ou mais)",
            "Identifier, or its beginning (8 characters or more)",
            "Identificador o su comienzo (8 caracteres o más)",
        ]))]
        id: String,
    },
}

/// `credentials add`.
#[derive(Debug, Args)]
pub struct CredentialAddArguments {
    /// The A1 file.
    #[arg(value_name = "FILE", help = tr(["Arquivo A1", "A1 file", "Archivo A1"]))]
    pub file: PathBuf,
    /// Its password.
    #[arg(long, value_name = "FILE", help = tr([
        "Arquivo com a senha; «-» é a entrada padrão",
        "File with the password; '-' is standard input",
        "Archivo con la contraseña; «-» es la entrada estándar",
    ]))]
    pub p12_password_file: Option<PathBuf>,
    /// Register it where it is.
    #[arg(long, conflicts_with_all = ["protect", "new_password_file"], help = tr([
        "Não importa: registra o arquivo onde ele está, e é de lá que a chave é lida a cada assinatura",
        "Does not import: registers the file where it is, and its key is read from there at each signature",
        "No importa: registra el archivo donde está, y la clave se lee de allí en cada firma",
    ]))]
    pub link: bool,
    /// Under what the stored key is.
    #[arg(long, value_enum, default_value_t = ProtectChoice::Password, help = tr([
        "Sob o que a chave guardada é cifrada: uma senha ou o chaveiro do sistema",
        "Under what the stored key is encrypted: a password or the keystore of the system",
        "Bajo qué se cifra la clave guardada: una contraseña o el llavero del sistema",
    ]))]
    pub protect: ProtectChoice,
    /// Another password for the stored key.
    #[arg(long, value_name = "FILE", help = tr([
        "Arquivo com outra senha, para a chave guardada",
        "File with another password, for the stored key",
        "Archivo con otra contraseña, para la clave guardada",
    ]))]
    pub new_password_file: Option<PathBuf>,
    /// For programs.
    #[arg(long, help = tr(JSON))]
    pub json: bool,
}

/// `--protect`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProtectChoice {
    /// The keystore of the operating system.
    #[value(help = tr([
        "O chaveiro do sistema: nenhuma senha é pedida, só a confirmação",
        "The keystore of the system: no password is asked for, only the confirmation",
        "El llavero del sistema: no se pide ninguna contraseña, solo la confirmación",
    ]))]
    Keystore,
    /// A password.
    #[value(help = tr([
        "Uma senha, pedida a cada assinatura",
        "A password, asked for at each signature",
        "Una contraseña, pedida en cada firma",
    ]))]
    Password,
}
