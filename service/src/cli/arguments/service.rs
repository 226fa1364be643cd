//! The words of the commands about the service.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::cli::arguments::{JSON, tr};

/// `approve`.
#[derive(Debug, Args)]
pub struct ApproveArguments {
    /// End after one request.
    #[arg(long, help = tr([
        "Termina depois de um pedido; o código de saída é 0 se ele foi aprovado",
        "Ends after one request; the exit code is 0 where it was approved",
        "Termina después de una solicitud; el código de salida es 0 si fue aprobada",
    ]))]
    pub once: bool,
}

/// `audit`.
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Lists records.
    #[command(about = tr([
        "Lista os registros, do mais antigo ao mais novo",
        "Lists the records, oldest first",
        "Enumera los registros, del más antiguo al más nuevo",
    ]))]
    List {
        /// Only the last ones.
        #[arg(long, value_name = "N", help = tr([
            "Só os últimos N registros",
            "Only the last N records",
            "Solo los últimos N registros",
        ]))]
        last: Option<usize>,
        /// For programs.
        #[arg(long, help = tr(JSON))]
        json: bool,
    },
    /// Verifies the chain.
    #[command(about = tr([
        "Confere a cadeia de resumos de todos os arquivos da trilha",
        "Verifies the chain of digests over all files of the trail",
        "Verifica la cadena de resúmenes de todos los archivos del registro",
    ]))]
    Verify {
        /// For programs.
        #[arg(long, help = tr(JSON))]
        json: bool,
    },
}

/// `config`.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Prints the sample.
    #[command(about = tr([
        "Imprime um config.toml comentado, com todas as chaves e seus valores padrão",
        "Prints a commented config.toml with every key and its default",
        "Imprime un config.toml comentado, con todas las claves y sus valores predeterminados",
    ]))]
    Sample,
}

/// `modules`.
#[derive(Debug, Subcommand)]
pub enum ModulesCommand {
    /// Lists modules.
    #[command(about = tr([
        "Lista os módulos, quem os nomeou e o seu estado, sem carregá-los",
        "Lists the modules, who named them and their state, without loading them",
        "Enumera los módulos, quién los nombró y su estado, sin cargarlos",
    ]))]
    List {
        /// For programs.
        #[arg(long, help = tr(JSON))]
        json: bool,
    },
    /// Releases one from quarantine.
    #[command(about = tr([
        "Libera um módulo da quarentena; ele será carregado de novo",
        "Releases a module from quarantine; it is loaded again",
        "Libera un módulo de la cuarentena; se cargará de nuevo",
    ]))]
    Retry {
        /// Its path or product.
        #[arg(value_name = "PATH|PRODUCT", help = tr([
            "Caminho ou produto, como em «list»",
            "Path or product, as 'list' shows it",
            "Ruta o producto, como en «list»",
        ]))]
        module: String,
    },
}

/// `pairings`.
#[derive(Debug, Subcommand)]
pub enum PairingsCommand {
    /// Lists who was let in and who is refused.
    #[command(about = tr([
        "Lista quem foi aceito ou recusado «sempre»",
        "Lists who was accepted or refused 'always'",
        "Enumera quién fue aceptado o rechazado «siempre»",
    ]))]
    List {
        /// For programs.
        #[arg(long, help = tr(JSON))]
        json: bool,
    },
    /// Takes an answer back.
    #[command(about = tr([
        "Retira a resposta dada a um site ou programa; ele terá de pedir de novo",
        "Takes back the answer given to a site or program; it has to ask again",
        "Retira la respuesta dada a un sitio o programa; tendrá que pedir de nuevo",
    ]))]
    Remove {
        /// Its origin or path.
        #[arg(value_name = "CLIENT", help = tr([
            "Origem do site (https://…) ou caminho do programa, como em «list»",
            "Origin of the site (https://…) or path of the program, as 'list' shows it",
            "Origen del sitio (https://…) o ruta del programa, como en «list»",
        ]))]
        client: String,
    },
}

/// `status`.
#[derive(Debug, Args)]
pub struct StatusArguments {
    /// For programs.
    #[arg(long, help = tr(JSON))]
    pub json: bool,
}

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// The configuration.
    #[arg(long, value_name = "FILE", help = tr([
        "Arquivo de configuração, em vez do deste login",
        "Configuration file, instead of this login's own",
        "Archivo de configuración, en lugar del de esta sesión",
    ]))]
    pub config: Option<PathBuf>,
    /// The port.
    #[arg(long, value_name = "N", help = tr([
        "Única porta a usar; 0 escolhe uma livre",
        "The only port to use; 0 takes a free one",
        "Único puerto que se usa; 0 elige uno libre",
    ]))]
    pub port: Option<u16>,
}
